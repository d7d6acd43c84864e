#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/table.h"
#include "core/study/measured_validation.h"

namespace tessera::cli {

namespace {

struct ValidateArguments {
    std::vector<std::string> names, sets;
    bool rows = false;
};

std::string validationErrorText(const std::optional<double>& error) {
    return error ? fmt::format("{:.{}f} %", *error * 100, *error < 0.1 ? 2 : *error < 1 ? 1 : 0) : "–";
}

std::string validationCountText(std::size_t count) {
    return formatCount(static_cast<double>(count));
}

std::vector<std::string> validationCells(const std::string& name, const physical::ErrorSummary& errors) {
    return {name,
            validationCountText(errors.rows),
            validationCountText(errors.rows - errors.predicted),
            validationErrorText(errors.mean),
            validationErrorText(errors.median),
            validationErrorText(errors.worst),
            errors.spearman ? fmt::format("{:.3f}", *errors.spearman) : "–",
            validationErrorText(errors.coverage),
            validationErrorText(physical::bestPeerOf(errors))};
}

/// A line for each set and, with `parts`, for each part of those that have several.
std::string validationSetsText(const physical::Validation& validation, bool parts) {
    report::Table table{.columns = {{"set"},
                                    {"rows", true},
                                    {"refused", true},
                                    {"mean error", true},
                                    {"median", true},
                                    {"worst", true},
                                    {"Spearman", true},
                                    {"inside bar", true},
                                    {"best peer", true}},
                        .rows = {}};
    for (const physical::ValidationSet& set : validation.sets) {
        table.rows.push_back(validationCells(set.set, set.errors));
        if (!parts || set.parts.size() < 2) continue;
        for (const physical::ValidationPart& part : set.parts)
            table.rows.push_back(validationCells("  " + part.part, part.errors));
    }
    return report::toText(table);
}

/// The peers of the sets and, with `parts`, those of their parts.
std::string validationPeersText(const physical::Validation& validation, bool parts) {
    report::Table table{
        .columns =
            {{"set"}, {"rows", true}, {"mean error", true}, {"median", true}, {"worst", true}, {"peer"}, {"source"}},
        .rows = {}};
    for (const physical::ValidationSet& set : validation.sets)
        for (const physical::PeerErrors& peer : set.errors.peers)
            if (parts || peer.part.empty())
                table.rows.push_back({set.set, validationCountText(peer.rows), validationErrorText(peer.mean),
                                      validationErrorText(peer.median), validationErrorText(peer.worst), peer.method,
                                      peer.source});
    return table.rows.empty() ? "" : "\nPeers on rows of these sets\n" + report::toText(table);
}

/// Why rows of all sets are refused, each reason once.
std::string validationRefusalsText(const physical::Validation& validation) {
    std::vector<std::string> reasons;
    std::map<std::string, std::size_t> rows;
    for (const physical::ValidationSet& set : validation.sets)
        for (const auto& [reason, count] : set.refusals) {
            if (!rows.contains(reason)) reasons.push_back(reason);
            rows[reason] += count;
        }
    report::Table table{.columns = {{"refused", true}, {"why"}}, .rows = {}};
    for (const std::string& reason : reasons) table.rows.push_back({validationCountText(rows[reason]), reason});
    return table.rows.empty() ? "" : "\n" + report::toText(table);
}

std::vector<std::string> validationCells(const physical::ValidationRow& row) {
    if (!row.prediction.estimate)
        return {row.set,
                row.id,
                row.metric,
                exactNumber(row.measured),
                "–",
                validationErrorText(row.error),
                row.prediction.refused};
    const physical::Estimate& estimate = *row.prediction.estimate;
    return {row.set,
            row.id,
            row.metric,
            exactNumber(row.measured),
            fmt::format("{:.5g}", estimate.value),
            validationErrorText(row.error),
            fmt::format("{:.4g} to {:.4g}", estimate.low, estimate.high)};
}

std::string validationRowsText(const physical::Validation& validation) {
    report::Table table{.columns = {{"set"},
                                    {"row"},
                                    {"metric"},
                                    {"measured", true},
                                    {"predicted", true},
                                    {"error", true},
                                    {"90 % interval, or why refused"}},
                        .rows = {}};
    for (const physical::ValidationRow& row : validation.rows) table.rows.push_back(validationCells(row));
    return "\nRows in SI units\n" + report::toText(table);
}

std::string validationHeadline(const physical::Validation& validation) {
    const auto refused = std::ranges::count_if(
        validation.rows, [](const physical::ValidationRow& row) { return !row.prediction.estimate; });
    std::string text = fmt::format(
        "{} in {}", formatCounted(static_cast<double>(validation.rows.size()), "measured row", "measured rows"),
        formatCounted(static_cast<double>(validation.sets.size()), "set", "sets"));
    if (refused > 0)
        text += fmt::format(" · {} refused, each counted as 100 %", formatCount(static_cast<double>(refused)));
    return text + "\n\n";
}

std::string validationText(const study::MeasuredValidation& result, const ValidateArguments& arguments) {
    const physical::Validation& validation = result.validation;
    const bool chosen = !arguments.names.empty() || !arguments.sets.empty();
    std::string text = validationHeadline(validation) + validationSetsText(validation, chosen) +
                       validationPeersText(validation, chosen);
    if (arguments.rows) text += validationRowsText(validation);
    text += validationRefusalsText(validation) + "\nAssumptions\n";
    for (const std::string& sentence : result.assumptions) text += "- " + sentence + "\n";
    if (!result.leftOut.empty()) text += "\nLeft out\n";
    for (const std::string& sentence : result.leftOut) text += "- " + sentence + "\n";
    if (!result.warnings.empty()) text += "\nDoubtful values\n";
    for (const std::string& sentence : result.warnings) text += "- " + sentence + "\n";
    return text;
}

}  // namespace

Action addValidate(CLI::App& app) {
    const auto arguments = std::make_shared<ValidateArguments>();
    app.add_option("SET", arguments->names,
                   "a bundled set or kind of set (kernels, collectives, schedules, training), a CSV file of such "
                   "columns, a folder of them, or kernels or collectives as other tools write them; with any, parts of "
                   "the sets are listed, too (default all bundled)")
        ->type_name("");
    addTexts(app, "--set", arguments->sets, "NAME", "only the rows of this set; may be repeated");
    app.add_flag("--rows", arguments->rows, "list every row");
    return [arguments](Context& context) {
        const study::MeasuredValidation result =
            study::validateMeasured(arguments->names, arguments->sets, context.control(), context.ranks);
        context.console.endProgress();
        if (context.common.json)
            context.console.printJson(study::toJson(result));
        else
            context.console.print(validationText(result, *arguments));
    };
}

}  // namespace tessera::cli

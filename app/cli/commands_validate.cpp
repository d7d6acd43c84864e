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
#include "core/report/validation_tables.h"
#include "core/study/measured_validation.h"

namespace tessera::cli {

namespace {

struct ValidateArguments {
    std::vector<std::string> names, sets;
    bool rows = false;
};

std::string peerErrorText(const std::optional<double>& error) {
    return error ? report::errorText(*error) : "–";
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
                table.rows.push_back({set.set, formatCount(peer.rows), peerErrorText(peer.mean),
                                      peerErrorText(peer.median), peerErrorText(peer.worst), peer.method, peer.source});
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
    for (const std::string& reason : reasons) table.rows.push_back({formatCount(rows[reason]), reason});
    return table.rows.empty() ? "" : "\n" + report::toText(table);
}

std::string validationHeadline(const physical::Validation& validation) {
    const auto refused = std::ranges::count_if(
        validation.rows, [](const physical::ValidationRow& row) { return !row.prediction.estimate; });
    std::string text = fmt::format("{} in {}", formatCounted(validation.rows.size(), "measured row", "measured rows"),
                                   formatCounted(validation.sets.size(), "set", "sets"));
    if (refused > 0) text += fmt::format(" · {} refused, each counted as 100 %", formatCount(refused));
    return text + "\n\n";
}

std::string validationText(const study::MeasuredValidation& result, const ValidateArguments& arguments) {
    const physical::Validation& validation = result.validation;
    const bool chosen = !arguments.names.empty() || !arguments.sets.empty();
    std::string text = validationHeadline(validation) + report::toText(report::setTable(validation, chosen)) +
                       validationPeersText(validation, chosen);
    if (arguments.rows) text += "\nRows in SI units\n" + report::toText(report::rowTable(validation));
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

#include "app/cli/study_options.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "app/cli/completion.h"
#include "app/cli/recording.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/report/catalogue.h"

namespace tessera::cli {

namespace {

constexpr std::size_t kMaxWordsInHelp = 8;  ///< of names that take numbers

}  // namespace

std::vector<std::string> namesIn(const std::string& option, const std::vector<std::string>& lists) {
    std::vector<std::string> names;
    for (const std::string& list : lists)
        for (const std::string_view name : split(list, ',')) {
            if (trimmed(name).empty())
                throw UsageError(fmt::format("option '{}' is {}; expected names or files separated by commas", option,
                                             inQuotes(list)));
            names.emplace_back(trimmed(name));
        }
    return names;
}

void addParameters(CLI::App& app, const std::vector<study::Parameter>& table, ParameterTexts& given) {
    for (const study::Parameter& row : table) {
        const std::string name(row.name);
        const std::string option(row.option);
        std::string help(row.help);
        const Json fallback = study::defaultOf(row);
        if (row.kind == study::ParameterKind::wordNumbers && row.words.size() > kMaxWordsInHelp)
            help += fmt::format(" ({} names; the message about an unknown one lists them)", row.words.size());
        else if (!row.words.empty() && row.kind != study::ParameterKind::namedWords)
            help += fmt::format(": {}", fmt::join(row.words.begin(), row.words.end(), ", "));
        if (row.kind == study::ParameterKind::wordOrNumber)
            help += fmt::format(", or a number from {} to {}", row.min, row.max);
        if (fallback.is_string()) help += fmt::format(" (default {})", fallback.get<std::string>());
        if (fallback.is_number()) help += fmt::format(" (default {})", fallback.get<double>());
        if (fallback.is_array() && !fallback.empty())
            help += fmt::format(" (default {})", joined(fallback.get<std::vector<std::string>>(), ","));
        CLI::Option* added = row.kind == study::ParameterKind::flag
                                 ? app.add_flag(option, given.flags[name], help)
                                 : addTexts(app, option, given.texts[name], std::string(row.value), help);
        offer(added, row.words);
        if (!row.library.empty()) offer(added, std::vector<std::string>{"@" + std::string(row.library)});
        if (row.research) added->group("Research options");
    }
}

void setParameters(study::Study& study, const ParameterTexts& given) {
    for (const auto& [name, texts] : given.texts)
        if (!texts.empty()) study::setParameter(study, name, texts);
    for (const auto& [name, set] : given.flags)
        if (set) study::setParameter(study, name, {});
}

study::Study explorationOf(const std::string& name) {
    const study::Study study = study::loadStudy(name);
    if (study::engineNamed(study.engine).inner != nullptr) return study;
    study::Study exploration = study::newStudy("explore");
    exploration.parameters["study"] = study::toJson(study);
    return exploration;
}

void show(Context& context, const study::Result& result) {
    context.console.endProgress();
    // What a measurement warns of, its noise, is part of its text.
    if (!study::engineOf(result).measures) context.console.warn(result.warnings);
    if (context.common.json)
        study::writeJson(result, [&](std::string_view part) { context.console.print(part); });
    else
        context.console.print(report::toText(result));
    finishRecording(context);
    const auto misfit = study::engineOf(result).misfit;
    if (const std::string reason = misfit == nullptr ? "" : misfit(result); !reason.empty())
        throw InfeasibleError(reason);
}

study::Result runFile(Context& context, const std::string& name, const study::Study& study,
                      std::optional<store::RunId>* run, const std::optional<store::RunId>& continued) {
    try {
        return runRecorded(context, study, continued, run);
    } catch (const UsageError& error) {
        throw DataError({.file = name}, error.what(), "a study that can be run");
    }
}

}  // namespace tessera::cli

#include "app/cli/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/ranks/conductor.h"
#include "core/study/study.h"

namespace tessera::cli {

study::RunContext contextOf(Context& context) {
    study::RunContext inside{{context.control()}};
    inside.ranks = context.ranks;
    return inside;
}

std::size_t placeOfBaseline(const store::Store& history, const std::vector<store::RunId>& runs,
                            const std::string& baseline) {
    if (baseline.empty()) return 0;
    const auto at = std::find(runs.begin(), runs.end(), history.find(baseline));
    if (at == runs.end())
        throw UsageError(fmt::format("option '--baseline' is {}; expected one of the runs", inQuotes(baseline)));
    return static_cast<std::size_t>(at - runs.begin());
}

std::vector<study::Input> inputsOf(const std::vector<study::Result>& results) {
    std::vector<study::Input> inputs;
    for (const study::Result& result : results)
        for (const study::Input& input : result.inputs)
            if (std::find(inputs.begin(), inputs.end(), input) == inputs.end()) inputs.push_back(input);
    return inputs;
}

std::filesystem::path historyPath(const CommonOptions& common) {
    return store::pathNamed(common.store);
}

store::Store openHistory(const Context& context, store::OpenMode mode) {
    store::Store history = store::openNamed(context.common.store, mode);
    if (!history.notice().empty()) context.console.showWarnings({history.notice()});
    return history;
}

void refuseSeveral(const Context& context, const study::Study& study) {
    if (context.ranks && !study::engineNamed(study.engine).shares)
        throw UsageError(fmt::format(
            "a study of engine {} is run by one process, and this was started as one of {}; explorations and "
            "sweeps are what several share",
            inQuotes(study.engine), context.ranks->size()));
}

study::Result runRecorded(Context& context, const study::Study& study, const std::optional<store::RunId>& continued,
                          std::optional<store::RunId>* number) {
    refuseSeveral(context, study);
    context.console.follow(study);
    if (context.common.noStore) return study::run(study, contextOf(context));
    std::optional<store::RunId> run;
    store::RecordOptions options;
    options.path = historyPath(context.common);
    options.run = continued;
    options.begun = [&](store::RunId id) { run = id; };
    options.trouble = [&](const std::string& sentence) { context.historyTrouble = sentence; };
    // Ctrl+C leaves the checkpoint in place.
    options.whenCancelled = [] { return store::RunStatus::interrupted; };
    try {
        study::Result result = store::runRecorded(study, contextOf(context), options).result;
        if (number != nullptr && context.historyTrouble.empty()) *number = run;
        reportTrouble(context);
        return result;
    } catch (const InterruptedError& error) {
        // What was measured so far says nothing about the rest.
        if (!run || !context.historyTrouble.empty() || study::engineNamed(study.engine).measures) throw;
        throw InterruptedError(fmt::format("{}; {}", error.what(), resumeHint(study.engine, *run)));
    }
}

std::string keepFinished(const Context& context, const study::Study& study, store::RunId run, study::Result result) {
    std::string trouble;
    store::RecordOptions options;
    options.path = historyPath(context.common);
    options.run = run;
    options.trouble = [&](const std::string& sentence) { trouble = sentence; };
    options.runStudy = [&](const study::Study&, const study::RunContext&) { return std::move(result); };
    store::runRecorded(study, {}, options);
    return trouble;
}

std::string resumeHint(std::string_view engine, store::RunId run) {
    const study::Engine* const row = study::findEngine(engine);
    return fmt::format("'tessera resume {}' {}", run,
                       row != nullptr && row->checkpoints ? "continues it" : "starts it over");
}

void reportTrouble(Context& context) {
    if (context.historyTrouble.empty() || !context.common.store.empty()) return;
    context.console.endProgress();
    context.console.insist(context.historyTrouble);
}

void finishRecording(const Context& context) {
    if (!context.historyTrouble.empty() && !context.common.store.empty()) throw FileError(context.historyTrouble);
}

}  // namespace tessera::cli

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/parallel_layout.h"
#include "core/hardware/library.h"
#include "core/report/catalogues.h"
#include "core/report/codesign_pictures.h"
#include "core/report/codesign_points.h"
#include "core/report/codesign_report.h"
#include "core/study/codesign/hardware.h"
#include "core/study/codesign/metrics.h"
#include "core/study/codesign/outcome.h"
#include "core/study/codesign/timeline.h"
#include "core/study/title.h"

namespace tessera::report {

namespace {

constexpr Size kParallelSize{960, 420};

const study::CodesignOutcome& codesignOutcomeOf(const study::Result& result) {
    return result.outcome.get<study::CodesignOutcome>();
}

const codesign::Result& codesignOf(const View& view) {
    return codesignOutcomeOf(view.result).result;
}

/// An adapter as `from`, of what the search found.
template <typename Made>
auto fromSearch(Made (*make)(const codesign::Result& found)) {
    return [make](const View& view) { return make(codesignOf(view)); };
}

std::size_t modelIndex(const View& view) {
    const std::vector<codesign::ModelResult>& models = codesignOf(view).perModel;
    const auto found = std::find_if(models.begin(), models.end(),
                                    [&](const codesign::ModelResult& each) { return each.model == view.at.choice; });
    return static_cast<std::size_t>(found - models.begin());
}

const codesign::ModelResult& model(const View& view) {
    if (const std::size_t index = modelIndex(view); index < codesignOf(view).perModel.size())
        return codesignOf(view).perModel[index];
    throw UsageError(fmt::format("the result has no model {}", inQuotes(view.at.choice)));
}

bool isPlaced(const View& view) {
    return model(view).feasible;
}

std::vector<PictureRow> codesignPictures() {
    return {
        {{"pareto", "Pareto front", "Area against throughput of every architecture that was evaluated, with the front",
          Scope::result, kEverywhere},
         [](const View& view) { return paretoChart(codesignOf(view)); }},
        {{"exploration", "Exploration", "How the search went from large to small areas", Scope::result, kEverywhere},
         [](const View& view) { return explorationChart(codesignOf(view), false); }},
        {{"exploration-by-area", "Exploration by area", "The same against the area"},
         [](const View& view) { return explorationChart(codesignOf(view), true); }},
        {{"parallel", "Parallel coordinates", "Every architecture in all values", Scope::result,
          kWindow | kWithoutNumbers},
         [](const View& view) {
             const ParallelPicture all = parallelPicture(codesignOf(view));
             Drawing drawing = layOut(all, {}, kParallelSize, estimatedWidth).drawing;
             drawing.title = all.title;
             return drawing;
         }},
        {{"speedup", "Speed-up", "Throughput of each model over the reference's", Scope::result, kEverywhere},
         fromSearch(referenceSpeedupChart)},
        {{"batch-time", "Time by model", "Time breakdown of a batch, by model", Scope::result, kEverywhere},
         fromSearch(timeShareChart)},
        {{"model-time", "Time", "What the time of a model's batch consists of, also on the baselines", Scope::model,
          kWindow},
         [](const View& view) { return model(view), timeChart(codesignOf(view), modelIndex(view)); }},
        {{"area", "Area", "What the accelerator and the baselines are made of", Scope::result, kWindow},
         fromSearch(areaPartsChart)},
        {{"pipeline", "Pipeline", "One batch of a model on its stages", Scope::model, kEverywhere | kTimeline,
          isPlaced},
         from(study::pipelineTimeline)},
        {{"operators", "Operators", "Operators of a model's main layer on the cores of one accelerator", Scope::model,
          kWindow | kTimeline},
         [](const View& view) { return operatorTimeline(model(view), false); }},
        {{"operators-backward", "Operators backward", "The same of the backward pass", Scope::model,
          kWindow | kTimeline},
         [](const View& view) { return operatorTimeline(model(view), true); }},
        {{"stage-memory", "Memory", "What fills the memory of each stage of a model", Scope::model, kWindow},
         [](const View& view) { return stageMemoryChart(model(view)); }},
        {{"placement", "Placement", "The stages of a model with their layers, load and memory", Scope::model,
          kWindow | kWithoutNumbers},
         [](const View& view) { return placementDrawing(model(view), kParallelSize.width, estimatedWidth); }},
    };
}

std::vector<TableRow> codesignTables() {
    return {
        {{"baselines", "Accelerators", "The best accelerator beside those that it is compared with", Scope::result,
          kEverywhere},
         from(acceleratorTable)},
        {{"models", "Models", "How each model is placed on the best accelerator", Scope::result, kEverywhere},
         from(trainedModelTable),
         fromSearch(exactModelTable)},
        {{"batch-time", "Time of a batch", "Time breakdown of a batch", Scope::result, kEverywhere},
         from(batchTimeTable)},
        {{"front", "Front of area and objective", "Front of area and objective", Scope::result, kEverywhere},
         from(frontTable)},
        {{"architectures", "Architectures", "Every architecture that was evaluated"},
         [](const View& view) { return exactPointTable(codesignOf(view), study::knownDesigns(codesignOf(view))); }},
        {{"stages", "Stages", "The stages of every model"}, fromSearch(exactStageTable)},
        {{"exploration", "Exploration", "The search's steps from large to small areas"}, fromSearch(exactTraceTable)},
        metricsRow(),
    };
}

std::vector<std::string> models(const study::Result& result) {
    std::vector<std::string> names;
    for (const codesign::ModelResult& each : codesignOutcomeOf(result).result.perModel) names.push_back(each.model);
    return names;
}

/// The document of what an architecture is to other engines.
template <typename Make>
FileRow designRow(std::string_view id, std::string_view title, std::string_view about, Make make) {
    return {{id, title, about, Scope::result, 0,
             [](const View& view) { return !study::designNames(codesignOf(view)).empty(); }},
            ".json",
            [make](const View& view, const std::filesystem::path& out) {
                const InputScope inputs(view.context.files);
                study::DesignWords words;
                if (const auto& names = view.result.study.hardware; !names.empty())
                    words.bytes = hardware::loadTemplate(placeOfInput(names.front())).rates.wordBytes;
                const codesign::Result& found = codesignOf(view);
                const Json document = hardware::toJson(make(found, study::designNamed(found, view.at.choice), words));
                return std::vector<std::pair<std::filesystem::path, std::string>>{{out, tessera::toText(document)}};
            },
            id,
            "architecture",
            [](const study::Result& result) { return study::designNames(codesignOutcomeOf(result).result); }};
}

std::vector<FileRow> codesignFiles() {
    return {
        designRow("accelerator", "Accelerator", "An architecture as an accelerator for predict", study::acceleratorOf),
        designRow("platform", "Platform", "The tensor cores of an architecture as a platform for map",
                  study::platformOf),
        designRow("fleet", "Fleet", "The system of an architecture as a fleet for partition, plan and place",
                  study::fleetOf)};
}

std::string codesignAnswer(const study::Result& result) {
    const codesign::Result& found = codesignOutcomeOf(result).result;
    if (!found.best) return "";
    return fmt::format(
        "The best accelerator for {} is {}, of {}, at {}. {}", escaped(study::shortNames(found.models)),
        hardware::nameOf(found.best->architecture), formatQuantity(found.best->area.value, Measure::area),
        study::objectiveText(found, found.best->objective), certaintySentence(study::certaintyText(found)));
}

}  // namespace

Catalogue codesignCatalogue() {
    return {.engine = "codesign",
            .pictures = codesignPictures(),
            .tables = codesignTables(),
            .firstTable = "front",
            .preposition = "of",
            .subject = [](const study::Result& result) { return codesignOutcomeOf(result).result.space.name; },
            .choices = models,
            .sentences = [](const study::Result& result) { return codesignSentences(codesignOutcomeOf(result)); },
            .answer = codesignAnswer,
            .text = [](const study::Result& result) { return codesignText(result, codesignOutcomeOf(result)); },
            .files = codesignFiles()};
}

}  // namespace tessera::report

#include "core/study/plan/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/hardware/fleet.h"
#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/model/readers/native_json.h"
#include "core/model/subgraph.h"
#include "core/model/training.h"
#include "core/physical/pipeline_orders.h"
#include "core/physical/topology.h"
#include "core/plan/evaluate.h"
#include "core/study/accelerator_beside.h"
#include "core/study/layered_network.h"
#include "core/study/plan/outcome.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

namespace fs = std::filesystem;
using plan::Evaluated;

/// A stage of a configuration, and the stages of the pipeline that it is one of.
struct ChosenStage {
    const Evaluated& evaluated;
    std::size_t number;        ///< of all that are listed, from 0
    std::size_t first, count;  ///< those of its pipeline: of parts side by side each has its own
    const plan::Part& part;

    const plan::EvaluatedStage& its() const { return evaluated.stages[number]; }
};

ChosenStage stageNamed(const PlanOutcome& outcome, const std::string& name) {
    const std::size_t slash = name.find('/');
    const std::string rank = name.substr(0, slash);
    const Evaluated* evaluated = outcome.configurations.empty() ? nullptr : outcome.ranked(rank);
    if (evaluated == nullptr) throw UsageError("nothing fits, so there is no stage");
    const std::string number = slash == std::string::npos ? std::string("1") : name.substr(slash + 1);
    for (std::size_t i = 0; i < evaluated->stages.size(); ++i) {
        if (fmt::format("{}", i + 1) != number) continue;
        const auto& parts = evaluated->configuration.parts;
        const auto part = std::find_if(parts.begin(), parts.end(), [&](const plan::Part& each) {
            return each.group == evaluated->stages[i].group;
        });
        if (part == parts.end()) break;
        if (!evaluated->configuration.isSideBySide()) return {*evaluated, i, 0, evaluated->stages.size(), *part};
        std::size_t first = i;
        while (first > 0 && evaluated->stages[first - 1].group == part->group) --first;
        return {*evaluated, i, first, static_cast<std::size_t>(part->stages), *part};
    }
    throw UsageError(fmt::format("configuration {} has {}; there is no stage {}", rank,
                                 formatCounted(evaluated->stages.size(), "stage", "stages"), inQuotes(number)));
}

/// Numbers of the layers that a stage holds, from 0, where layers are equal: each of its chunks takes the next ones on
/// the way of a forward pass.
std::vector<std::size_t> equalLayersOf(const ChosenStage& stage) {
    const plan::Configuration& configuration = stage.evaluated.configuration;
    const physical::Pipeline pipeline{
        .schedule = configuration.schedule, .stages = static_cast<int>(stage.count), .chunks = configuration.chunks};
    const auto chunks = static_cast<std::size_t>(physical::pipelineChunks(pipeline));
    std::map<int, std::pair<std::size_t, std::size_t>> byPosition;  // stage and its layers of a chunk
    for (std::size_t i = 0; i < stage.count; ++i)
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
            const auto layers = static_cast<std::size_t>(stage.evaluated.stages[stage.first + i].layers);
            const std::size_t share = layers / chunks + (chunk < layers % chunks ? 1 : 0);
            byPosition[physical::pipelinePosition(pipeline, static_cast<int>(i), static_cast<int>(chunk))] = {i, share};
        }
    std::vector<std::size_t> numbers;
    std::size_t next = 0;
    for (const auto& [position, of] : byPosition) {
        for (std::size_t i = 0; i < of.second; ++i)
            if (of.first == stage.number - stage.first) numbers.push_back(next + i);
        next += of.second;
    }
    return numbers;
}

/// Of a transformer: the operators of the blocks that are layers of the stage; what stands before the first block goes
/// with it, and so does what stands behind the last one.
std::vector<bool> operatorsOfBlocks(const model::Graph& graph, const ChosenStage& stage, double layers) {
    std::map<std::string, std::size_t> blocks;
    std::size_t lastBlock = 0, number = 0;
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
        if (graph.operators[i].block.empty()) continue;
        blocks.emplace(graph.operators[i].block, blocks.size());
        lastBlock = i;
    }
    if (static_cast<double>(blocks.size()) != layers)
        throw UsageError(fmt::format("the graph of the model has {}, and the plan counts {:.0f} layers",
                                     formatCounted(blocks.size(), "block", "blocks"), layers));
    const std::vector<std::size_t> held = equalLayersOf(stage);
    std::vector<bool> taken(graph.operators.size());
    // What stands between two blocks belongs to the later one.
    for (std::size_t i = graph.operators.size(); i-- > 0;) {
        if (!graph.operators[i].block.empty()) number = blocks.at(graph.operators[i].block);
        const std::size_t its = i > lastBlock ? blocks.size() - 1 : number;
        taken[i] = std::find(held.begin(), held.end(), its) != held.end();
    }
    return taken;
}

/// Of another network: the operators of the layers that the stage lists by their numbers.
std::vector<bool> operatorsOfLayers(const model::Graph& graph, const ChosenStage& stage) {
    const model::TrainingLayers layers = model::layersOf(model::trainingOf(graph), model::Stretch::byWeights);
    std::vector<bool> taken(graph.operators.size());
    for (const std::size_t number : stage.its().numbers) {
        if (number >= layers.layers.size())
            throw UsageError("the plan counts other layers than the graph of the model has");
        for (const std::int32_t op : layers.layers[number].forward) taken[static_cast<std::size_t>(op)] = true;
    }
    return taken;
}

model::Graph graphOf(const Result& result, const ChosenStage& stage, const std::string& name) {
    const auto& outcome = result.outcome.get<PlanOutcome>();
    std::map<std::string, std::int64_t> dimensions = result.study.dimensions;
    if (const auto given = result.study.parameters->find("sequence");
        given != result.study.parameters->end() && given->is_number())
        dimensions["sequence"] = static_cast<std::int64_t>(given->get<double>());
    const std::string place = placeOfInput(result.study.models.front());
    const bool isNetwork = !stage.its().numbers.empty() || !outcome.hasTokens();
    if (isNetwork && stage.its().numbers.empty())
        throw UsageError("the run was kept by a version that did not keep which layers its stages hold; run it again");
    const std::shared_ptr<const model::Model> model =
        isNetwork ? loadedNetwork(place, dimensions)
                  : model::sharedModel(place, {.batch = {}, .dimensions = dimensions});
    if (model->graph() == nullptr)
        throw UsageError(fmt::format("the model {} is a table of layers; expected a model with operators",
                                     inQuotes(result.study.models.front())));
    const model::Graph& graph = *model->graph();
    return model::subgraph(graph,
                           isNetwork ? operatorsOfLayers(graph, stage)
                                     : operatorsOfBlocks(graph, stage, static_cast<double>(outcome.layers)),
                           name);
}

/// Levels that join so many accelerators of a group: as many of each unit as their number is a multiple of, at most
/// `inside` of the innermost one.
std::vector<hardware::TopologyLevel> levelsOfPart(const std::vector<hardware::TopologyLevel>& levels,
                                                  std::int64_t accelerators, std::int64_t inside) {
    std::vector<hardware::TopologyLevel> made;
    for (std::size_t i = 0; i < levels.size() && accelerators > 1; ++i) {
        hardware::TopologyLevel level = levels[i];
        const bool isLast = i + 1 == levels.size();
        level.size = isLast ? accelerators : std::gcd(accelerators, i == 0 ? std::min(level.size, inside) : level.size);
        if (!level.dims.empty() && level.size != levels[i].size) level.dims = {level.size};
        level.isRest = false;
        accelerators /= level.size;
        if (level.size > 1) made.push_back(std::move(level));
    }
    return made;
}

/// The fleet of the study that the plan is on: of several the one that gave the best.
hardware::Fleet fleetOf(const Result& result) {
    const auto& outcome = result.outcome.get<PlanOutcome>();
    for (const std::string& name : result.study.hardware)
        if (hardware::Fleet fleet = hardware::loadFleet(placeOfInput(name)); fleet.name == outcome.fleet) return fleet;
    throw UsageError(fmt::format("the study of the run names no fleet {}", inQuotes(outcome.fleet)));
}

/// The accelerators of a stage that share a node: those of a replica and, where replicas follow each other before
/// stages do, of others.
std::int64_t insideOf(const plan::Configuration& configuration, const hardware::TopologyLevel& node) {
    const std::int64_t perStage = configuration.perStage();
    if (configuration.order == physical::RankOrder::pipelineLast) return node.size;
    return perStage * std::max<std::int64_t>(1, node.size / (perStage * configuration.pipeline));
}

}  // namespace

std::vector<std::string> planStageNames(const Result& result) {
    const auto& outcome = result.outcome.get<PlanOutcome>();
    std::vector<std::string> names;
    for (std::size_t rank = 0; rank < outcome.configurations.size(); ++rank)
        for (std::size_t stage = 0; stage < outcome.configurations[rank].stages.size(); ++stage)
            names.push_back(fmt::format("{}/{}", rank + 1, stage + 1));
    return names;
}

std::vector<std::pair<fs::path, std::string>> planStageFiles(const Result& result, const std::string& stageName,
                                                             const fs::path& out) {
    const auto& outcome = result.outcome.get<PlanOutcome>();
    const ChosenStage stage = stageNamed(outcome, stageName);
    const plan::Configuration& configuration = stage.evaluated.configuration;
    const std::int64_t accelerators = configuration.perStage() * stage.part.replicas;
    if (accelerators < 2)
        throw UsageError(
            fmt::format("stage {} is on one accelerator; expected several to split its layers over", stageName));
    const hardware::Fleet whole = fleetOf(result);
    const hardware::Group& from = whole.groups.at(stage.its().group);

    hardware::Group group = from;
    group.count = accelerators;
    const std::vector<hardware::TopologyLevel> levels = physical::levelsOf(from);
    group.levels = levelsOfPart(levels, accelerators, insideOf(configuration, levels.front()));
    hardware::Fleet fleet;
    fleet.name = fmt::format("{} of {}", formatCounted(accelerators, "accelerator", "accelerators"), whole.name);
    const fs::path folder = out.parent_path();
    const std::string stem = out.stem().string();
    const fs::path fleetPath = folder / (stem + "-fleet.json"), modelPath = folder / (stem + "-model.json");
    AcceleratorBeside beside = acceleratorBeside(
        from.accelerator, namesFile(from.reference) ? from.accelerator.file : from.reference, fleetPath);
    group.accelerator = std::move(beside.accelerator);
    group.reference = std::move(beside.reference);
    fleet.groups.push_back(std::move(group));
    fleet.file = fleetPath.string();

    Study study = newStudy("partition");
    const std::string title =
        fmt::format("{}, stage {} of {}", outcome.model, stage.number + 1, stage.evaluated.stages.size());
    study.name = title;
    study.models = {modelPath.filename().string()};
    study.hardware = {fleetPath.filename().string()};
    setParameter(study, "batch", {fmt::format("{}", std::int64_t{configuration.micro} * stage.part.replicas)});
    setParameter(study, "dtype", {outcome.dtypes.at(configuration.dtype)});
    std::vector<std::pair<fs::path, std::string>> files{
        {out, toText(toJson(study))},
        {modelPath, model::writeNativeJson(graphOf(result, stage, title))},
        {fleetPath, toText(hardware::toJson(fleet))}};
    std::move(beside.files.begin(), beside.files.end(), std::back_inserter(files));
    return files;
}

}  // namespace tessera::study

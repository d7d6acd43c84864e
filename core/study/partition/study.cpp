#include "core/study/partition/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/model/training.h"
#include "core/partition/array.h"
#include "core/study/checkpoint.h"
#include "core/study/known_transformer.h"
#include "core/study/option_table.h"
#include "core/study/partition/partial_plans.h"
#include "core/study/provenance.h"
#include "core/study/reading.h"
#include "core/study/study.h"
#include "core/study/title.h"
#include "core/study/workload_files.h"

namespace tessera::study {

namespace {

using partition::Options;
using partition::RatioRule;

constexpr double kMaxSamples = 1e9;
constexpr double kMaxLevels = 63;

/// A rule by its word, or the share itself.
void setRatio(Options& options, const Json& ratio) {
    options.ratio = RatioRule::fixed;
    if (ratio.is_number())
        options.fixedRatio = ratio.get<double>();
    else
        options.ratio = partition::kRatioRuleNames.named(ratio.get<std::string>()).value();
}

const OptionTable<Options>& partitionTable() {
    static const OptionTable<Options> kTable{
        {"batch", "--batch N", &Options::batch, Values::whole(1, kMaxSamples), "samples per step over the whole fleet"},
        {"dtype", "--dtype TYPE", &Options::dtype, Values::text().labelled("Data type"),
         "data type whose peak rate counts and whose width the tensors have"},
        {"levels", "--levels N", &Options::levels, Values::whole(1, kMaxLevels).labelled("Levels of splits"),
         "depth of the hierarchy of splits; without it, down to single accelerators"},
        {"strategies", "--strategy LIST", &Options::strategies,
         Values::words(idsOf<std::string_view>(partition::strategies())),
         "strategies to compare, separated by commas; with the cost model physical the default list begins with joint"},
        {"cost_model", "--cost-model NAME", &Options::costs,
         Values::word(partition::kCostsNames.all()).labelled("Cost model"),
         "what a step costs: as on real accelerators and networks (physical), or AccPar's section 4 (paper); without "
         "it, physical where every group of the fleet describes its network levels"},
        {"ratio", "--ratio RULE|R", setRatio,
         Values::wordOrNumber(partition::kRatioRuleNames.all(), 0, 1).byDefault("balanced"),
         "work share of the first side of a split between device types"},
        {"groups", "--groups RULE", &Options::groups,
         Values::word(partition::kGroupsNames.all()).labelled("Groups taking part").byDefault("best"),
         "which groups of the fleet take part: the best subset of them, or all"},
        {"pin", "--pin LAYER=TYPE", &Options::pinnedTypes,
         Values::namedWords(partition::kTypeNames.all()).labelled("Pinned layers"),
         "splits a layer by batch (I), input channels (II) or output channels (III); may be repeated"},
        {"pin_ratio", "--pin-ratio LEVEL=R", &Options::pinnedRatios,
         Values::namedNumbers(0, 1).labelled("Pinned ratios"),
         "fixes the ratio of a level (0 is the top-level split); may be repeated"},
        {"optimizer", "--optimizer NAME", &Options::optimizer,
         Values::word(idsOf<std::string_view>(model::optimizerKinds())), "optimizer; its state counts towards memory"},
        {"overlap", "--overlap RULE", &Options::overlap, Values::word(partition::kOverlapNames.all()),
         "whether transfers hide behind a layer's compute"},
        {"objective", "--objective RULE", &Options::objective,
         Values::word(partition::kObjectiveNames.all()).forResearch(),
         "how the two sides' times of a layer or edge combine when types are chosen"},
        {"psum", "--psum RULE", &Options::psum,
         Values::word(partition::kPsumNames.all()).labelled("Partial sums").forResearch(),
         "type II sums the map after pooling (next) or before it (conv)"},
        {"join", "--join RULE", &Options::join,
         Values::word(partition::kJoinRuleNames.all()).labelled("Merge nodes").forResearch(),
         "layout of a merge node: chosen (free), or that of the next layer (next)"},
        {"flop", "--flop RULE", &Options::flop,
         Values::word(partition::kFlopRuleNames.all()).labelled("Operation count").forResearch(),
         "how a convolution's operations are counted"},
        {"computation", "--no-compute", &Options::computation, Values::flag().labelled("Compute").forResearch(),
         "leaves compute out of the cost"},
    };
    return kTable;
}

}  // namespace

std::vector<InputFile> fleetFiles(const std::string& name, const hardware::Fleet& fleet) {
    std::vector<InputFile> files;
    addFile(files, {.hardware = true, .name = name, .path = fleet.file});
    for (const hardware::Group& group : fleet.groups)
        if (const hardware::Accelerator& own = group.accelerator; own.file != fleet.file)
            addFile(files, {.hardware = true, .name = own.id.empty() ? own.name : own.id, .path = own.file});
    return files;
}

const std::vector<Parameter>& partitionParameters() {
    return partitionTable().parameters();
}

Options partitionOptions(const Study& study) {
    return partitionTable().of(study);
}

Options partitionOptions(const Study& study, const hardware::Fleet& fleet) {
    Options options = partitionOptions(study);
    if (!study.models.empty()) options.transformer = knownTransformer(study.models.front(), study.dimensions);
    options.costs = partition::costsFor(options, fleet);
    // A study that was made elsewhere may say the default list, which is that of the paper's costs.
    if (options.strategies == Options{}.strategies) options.strategies = partition::strategiesFor(*options.costs);
    return options;
}

void inferPartition(Study& study) {
    if (study.hardware.empty()) return;
    const hardware::Fleet fleet = hardware::loadFleet(placeOfInput(study.hardware.front()));
    const std::vector<std::string>& known = partition::knownDtypes();  // the default first
    const auto found = std::find_if(known.begin(), known.end(), [&](const std::string& dtype) {
        return std::all_of(fleet.groups.begin(), fleet.groups.end(),
                           [&](const hardware::Group& group) { return group.accelerator.peakFlops.contains(dtype); });
    });
    study.parameters["dtype"] = found == known.end() ? known.front() : *found;
}

namespace {

/// The numbers of the fleet's groups that the engine works with.
std::vector<GroupNumbers> groupNumbers(const hardware::Fleet& fleet, const std::string& dtype) {
    std::vector<GroupNumbers> groups;
    for (std::size_t g = 0; g < fleet.groups.size(); ++g) {
        const hardware::Group& group = fleet.groups[g];
        const hardware::Accelerator& of = group.accelerator;
        GroupNumbers numbers;
        numbers.name = group.name;
        numbers.accelerator = of.name;
        numbers.count = group.count;
        const auto source = [&](const std::string& field, const hardware::ProvenanceMap& map, const std::string& path) {
            if (const auto found = map.find(path); found != map.end()) numbers.sources[field] = found->second;
        };
        if (const auto peak = of.peakFlops.find(dtype); peak != of.peakFlops.end()) numbers.peak = peak->second;
        source("peak_flops", of.provenance, "peak_flops." + dtype);
        if (const auto gemm = of.efficiency.find("gemm"); gemm != of.efficiency.end())
            numbers.efficiency = gemm->second;
        source("efficiency", of.provenance, "efficiency.gemm");
        numbers.rate = hardware::networkRate(group).value_or(BytesPerSecond{});
        if (group.network)
            source("network_bytes_per_s", fleet.provenance, fmt::format("groups[{}].network_bits_per_s", g));
        else
            source("network_bytes_per_s", of.provenance, "network_bits_per_s");
        numbers.capacity = hardware::memoryCapacity(of);
        for (std::size_t level = 0; level < of.memory.size(); ++level)
            if (of.memory[level].capacity == numbers.capacity)
                source("capacity_bytes", of.provenance, fmt::format("memory[{}].capacity_bytes", level));
        source("count", fleet.provenance, fmt::format("groups[{}].count", g));
        groups.push_back(std::move(numbers));
    }
    return groups;
}

}  // namespace

std::optional<std::string> sliceProblem(const model::Model& model) {
    const model::Graph* graph = model.graph();
    if (graph == nullptr) return std::nullopt;
    for (const model::Operator& op : graph->operators) {
        const auto width = model::attributeOr<std::int64_t>(op.attributes, "devices", 0);
        if (op.type != "AllReduce" || width < 2) continue;
        return fmt::format(
            "the model {} is the slice that one of {} devices holds, with sums over them (operator {}); partition "
            "splits "
            "whole models: give it with --dim tensor_parallel=1, and the strategies split its layers over the fleet",
            inQuotes(model.name), width, inQuotes(op.name));
    }
    return std::nullopt;
}

PartitionInputs readPartitionInputs(const Study& study, const RunContext& context) {
    if (study.models.size() != 1) throw UsageError("a partition study takes exactly one model");
    if (study.hardware.size() != 1) throw UsageError("a partition study takes exactly one fleet");
    const Reading reading(context, "reading the model", "the partition search");
    PartitionInputs inputs;
    inputs.model = model::sharedModel(
        placeOfInput(study.models[0]),
        {.batch = static_cast<std::int64_t>(partitionOptions(study).batch), .dimensions = study.dimensions});
    addOnce(inputs.warnings, inputs.model->warnings);
    if (inputs.model->graph() != nullptr) addOnce(inputs.warnings, inputs.model->graph()->warnings);
    reportWarnings(context, inputs.warnings);
    if (const std::optional<std::string> problem = sliceProblem(*inputs.model)) throw UsageError(*problem);
    if (const model::Graph* graph = inputs.model->graph()) {
        model::LayerGraph layers = model::layerGraph(*inputs.model);
        model::countStored(layers, *graph);
        inputs.layers = std::make_shared<const model::LayerGraph>(std::move(layers));
    } else {
        inputs.layers = {inputs.model, &std::get<model::LayerGraph>(inputs.model->form)};
    }
    inputs.fleet = hardware::loadFleet(placeOfInput(study.hardware[0]));
    inputs.options = partitionOptions(study, inputs.fleet);
    reading.check();
    return inputs;
}

Result runPartition(const Study& study, const RunContext& context) {
    const PartitionInputs inputs = readPartitionInputs(study, context);
    const model::Model& model = *inputs.model;
    const model::LayerGraph& layers = *inputs.layers;
    const hardware::Fleet& fleet = inputs.fleet;
    const Options& options = inputs.options;

    Result result;
    result.study = study;
    result.warnings = inputs.warnings;
    result.inputs.push_back({study.models[0], model.sha256});
    for (Input& input : inputsOf(fleetFiles(study.hardware[0], fleet))) result.inputs.push_back(std::move(input));

    PartitionOutcome outcome;
    outcome.model = modelName(study.models.at(0), model.name);
    outcome.fleet = fleet.name;
    outcome.accelerators = hardware::acceleratorCount(fleet);
    outcome.groups = groupNumbers(fleet, options.dtype);
    partition::SearchControl control{RunControl(context)};
    const std::size_t count = layers.layers.size();
    if (const auto sink = checkpointSink(context, result))
        control.checkpoint = [sink, count](const std::vector<const partition::PartialPlan*>& plans) {
            sink(partialPlansJson(count, plans));
        };
    if (const auto state = resumedState(context, result)) control.resume = readPartialPlans(*state, count);
    outcome.result = partition::solveByCosts(layers, model.graph(), fleet, options, std::move(control));

    if (model.graph() != nullptr && static_cast<double>(model.graph()->batch) != options.batch)
        result.assumptions.push_back(
            fmt::format("The model fixes batch {}; all tensors that carry the batch are scaled to batch {}.",
                        model.graph()->batch, formatCount(options.batch)));
    addOnce(result.assumptions, layers.assumptions);
    addOnce(result.assumptions, outcome.result.assumptions);
    OwnNumbers own;
    own.add(fleet, options.dtype);
    addOnce(result.assumptions, own.sentences());
    addOnce(result.warnings, outcome.result.warnings);
    reportWarnings(context, outcome.result.warnings);
    result.outcome = std::move(outcome);
    return result;
}

}  // namespace tessera::study

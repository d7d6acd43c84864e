#include "core/study/partition/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/library.h"
#include "core/model/model.h"
#include "core/model/training.h"
#include "core/partition/array.h"
#include "core/study/checkpoint.h"
#include "core/study/names.h"
#include "core/study/partition/partial_plans.h"
#include "core/study/provenance.h"
#include "core/study/reading.h"
#include "core/study/study.h"
#include "core/study/title.h"

namespace tessera::study {

namespace {

using partition::Options;

constexpr double kMaxSamples = 1e9;
constexpr double kMaxLevels = 63;

/// A word of the parameter table and the engine's value for it.
template <typename Value>
struct Word {
    std::string_view name;
    Value value;
};

constexpr std::array kRatios{
    Word<partition::RatioRule>{"balanced", partition::RatioRule::balanced},
    Word<partition::RatioRule>{"eq10", partition::RatioRule::eq10},
    Word<partition::RatioRule>{"alternating", partition::RatioRule::alternating},
    Word<partition::RatioRule>{"equal", partition::RatioRule::equal},
};
constexpr std::array kObjectives{
    Word<partition::Objective>{"max", partition::Objective::max},
    Word<partition::Objective>{"sum", partition::Objective::sum},
    Word<partition::Objective>{"side", partition::Objective::side},
};
constexpr std::array kPsums{
    Word<partition::Psum>{"next", partition::Psum::next},
    Word<partition::Psum>{"conv", partition::Psum::conv},
};
constexpr std::array kJoins{
    Word<partition::JoinRule>{"free", partition::JoinRule::free},
    Word<partition::JoinRule>{"next", partition::JoinRule::next},
};
constexpr std::array kFlops{
    Word<partition::FlopRule>{"exact", partition::FlopRule::exact},
    Word<partition::FlopRule>{"table6", partition::FlopRule::table6},
};
constexpr std::array kOverlaps{
    Word<partition::Overlap>{"none", partition::Overlap::none},
    Word<partition::Overlap>{"comm", partition::Overlap::comm},
};
constexpr std::array kGroups{
    Word<partition::Groups>{"best", partition::Groups::best},
    Word<partition::Groups>{"all", partition::Groups::all},
};
constexpr std::array kOptimizers{
    Word<partition::Optimizer>{"sgd", partition::Optimizer::sgd},
    Word<partition::Optimizer>{"momentum", partition::Optimizer::momentum},
    Word<partition::Optimizer>{"adam", partition::Optimizer::adam},
};
constexpr std::array kTypes{
    Word<partition::Type>{"I", partition::Type::I},
    Word<partition::Type>{"II", partition::Type::II},
    Word<partition::Type>{"III", partition::Type::III},
};

template <typename Words>
auto parsedValue(const Words& words, const Json& json) {
    const auto& text = json.get_ref<const std::string&>();
    for (const auto& word : words)
        if (word.name == text) return word.value;
    throw UsageError(fmt::format("{} is none of {}", inQuotes(text), fmt::join(namesOf(words), ", ")));
}

void setRatio(Options& options, const Json& json) {
    if (json.is_number()) {
        options.ratio = partition::RatioRule::fixed;
        options.fixedRatio = json.get<double>();
    } else {
        options.ratio = parsedValue(kRatios, json);
    }
}

void setPins(Options& options, const Json& types, const Json& ratios) {
    for (const auto& [layer, type] : types.items()) options.pinnedTypes[layer] = parsedValue(kTypes, type);
    for (const auto& [text, ratio] : ratios.items()) {
        int level = 0;
        std::from_chars(text.data(), text.data() + text.size(), level);
        options.pinnedRatios[level] = ratio.get<double>();
    }
}

}  // namespace

std::vector<Input> hardwareInputs(const std::string& name, const hardware::Fleet& fleet) {
    std::vector<Input> inputs;
    std::set<std::string> seen;
    const auto add = [&](const std::string& shown, const std::string& file) {
        const bool known = isStandardInput(file) || isFile(file);
        if (file.empty() || !known || !seen.insert(file).second) return;
        inputs.push_back({shown, sha256(readFile(file))});
    };
    add(name, fleet.file);
    for (const hardware::Group& group : fleet.groups)
        add(group.accelerator.id.empty() ? group.accelerator.name : group.accelerator.id, group.accelerator.file);
    return inputs;
}

const std::vector<Parameter>& partitionParameters() {
    using Kind = ParameterKind;
    static const std::vector<Parameter> kParameters{
        {.name = "batch",
         .option = "--batch",
         .kind = Kind::whole,
         .fallback = "512",
         .min = 1,
         .max = kMaxSamples,
         .words = {},
         .value = "N",
         .help = "samples per step over the whole fleet"},
        {.name = "dtype",
         .option = "--dtype",
         .label = "Data type",
         .kind = Kind::text,
         .fallback = R"("bf16")",
         .words = {},
         .value = "TYPE",
         .help = "data type whose peak rate counts and whose width the tensors have"},
        {.name = "levels",
         .option = "--levels",
         .label = "Levels of splits",
         .kind = Kind::whole,
         .fallback = "",
         .min = 1,
         .max = kMaxLevels,
         .words = {},
         .value = "N",
         .help = "depth of the hierarchy of splits; without it, down to single accelerators"},
        {.name = "strategies",
         .option = "--strategy",
         .kind = Kind::words,
         .fallback = R"(["accpar","hypar","owt","dp"])",
         .words = idsOf(partition::strategies()),
         .value = "LIST",
         .help = "strategies to compare, separated by commas"},
        {.name = "ratio",
         .option = "--ratio",
         .kind = Kind::wordOrNumber,
         .fallback = R"("balanced")",
         .min = 0,
         .max = 1,
         .words = namesOf(kRatios),
         .value = "RULE|R",
         .help = "share of the first side where two kinds part"},
        {.name = "groups",
         .option = "--groups",
         .label = "Groups taking part",
         .kind = Kind::word,
         .fallback = R"("best")",
         .words = namesOf(kGroups),
         .value = "RULE",
         .help = "which groups of the fleet take part: the best subset of them, or all"},
        {.name = "pin",
         .option = "--pin",
         .label = "Pinned layers",
         .kind = Kind::namedWords,
         .fallback = "{}",
         .words = namesOf(kTypes),
         .value = "LAYER=TYPE",
         .help = "fixes a layer's type; may be repeated"},
        {.name = "pin_ratio",
         .option = "--pin-ratio",
         .label = "Pinned ratios",
         .kind = Kind::namedNumbers,
         .fallback = "{}",
         .min = 0,
         .max = 1,
         .words = {},
         .value = "LEVEL=R",
         .help = "fixes the ratio of a level (0 is the top-level split); may be repeated"},
        {.name = "optimizer",
         .option = "--optimizer",
         .kind = Kind::word,
         .fallback = R"("adam")",
         .words = namesOf(kOptimizers),
         .value = "NAME",
         .help = "whose state takes memory"},
        {.name = "overlap",
         .option = "--overlap",
         .kind = Kind::word,
         .fallback = R"("none")",
         .words = namesOf(kOverlaps),
         .value = "RULE",
         .help = "whether transfers hide behind a layer's compute"},
        {.name = "objective",
         .option = "--objective",
         .kind = Kind::word,
         .fallback = R"("max")",
         .words = namesOf(kObjectives),
         .value = "RULE",
         .help = "how the two sides' times of a layer or edge combine when types are chosen",
         .research = true},
        {.name = "psum",
         .option = "--psum",
         .label = "Partial sums",
         .kind = Kind::word,
         .fallback = R"("next")",
         .words = namesOf(kPsums),
         .value = "RULE",
         .help = "type II sums the map after pooling (next) or before it (conv)",
         .research = true},
        {.name = "join",
         .option = "--join",
         .label = "Merge nodes",
         .kind = Kind::word,
         .fallback = R"("free")",
         .words = namesOf(kJoins),
         .value = "RULE",
         .help = "a join's layout is chosen (free) or follows the next layer (next)",
         .research = true},
        {.name = "flop",
         .option = "--flop",
         .label = "Operation count",
         .kind = Kind::word,
         .fallback = R"("exact")",
         .words = namesOf(kFlops),
         .value = "RULE",
         .help = "how a convolution's operations are counted",
         .research = true},
        {.name = "computation",
         .option = "--no-compute",
         .label = "Compute",
         .kind = Kind::flag,
         .fallback = "true",
         .words = {},
         .value = "",
         .help = "leaves compute out of the cost",
         .research = true},
    };
    return kParameters;
}

std::string defaultDtype(const hardware::Fleet& fleet) {
    const std::vector<std::string>& known = partition::knownDtypes();  // the default first
    const auto found = std::find_if(known.begin(), known.end(), [&](const std::string& dtype) {
        return std::all_of(fleet.groups.begin(), fleet.groups.end(),
                           [&](const hardware::Group& group) { return group.accelerator.peakFlops.contains(dtype); });
    });
    return found == known.end() ? known.front() : *found;
}

Options partitionOptions(const Study& study) {
    const Json given = completeParameters(study);
    Options options;
    options.batch = given.at("batch").get<double>();
    options.dtype = given.at("dtype").get<std::string>();
    if (given.contains("levels")) options.levels = given.at("levels").get<int>();
    options.strategies = given.at("strategies").get<std::vector<std::string>>();
    setRatio(options, given.at("ratio"));
    setPins(options, given.at("pin"), given.at("pin_ratio"));
    options.groups = parsedValue(kGroups, given.at("groups"));
    options.optimizer = parsedValue(kOptimizers, given.at("optimizer"));
    options.overlap = parsedValue(kOverlaps, given.at("overlap"));
    options.objective = parsedValue(kObjectives, given.at("objective"));
    options.psum = parsedValue(kPsums, given.at("psum"));
    options.join = parsedValue(kJoins, given.at("join"));
    options.flop = parsedValue(kFlops, given.at("flop"));
    options.computation = given.at("computation").get<bool>();
    return options;
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
        const auto devices = op.attributes.find("devices");
        if (op.type != "AllReduce" || devices == op.attributes.end()) continue;
        const auto* const width = std::get_if<std::int64_t>(&devices->second);
        if (width == nullptr || *width < 2) continue;
        return fmt::format(
            "the model {} is the slice that one of {} devices holds, with sums over them (operator {}); partition "
            "splits "
            "whole models: give it with --dim tensor_parallel=1, and the strategies split its layers over the fleet",
            inQuotes(model.name), *width, inQuotes(op.name));
    }
    return std::nullopt;
}

PartitionInputs readPartitionInputs(const Study& study, const Options& options, const RunHooks& hooks) {
    if (study.models.size() != 1) throw UsageError("a partition study takes exactly one model");
    if (study.hardware.size() != 1) throw UsageError("a partition study takes exactly one fleet");
    const Reading reading(hooks, "reading the model", "the partition search");
    PartitionInputs inputs;
    model::LoadOptions load;
    load.batch = static_cast<std::int64_t>(options.batch);
    load.dimensions = study.dimensions;
    inputs.model = model::loadModel(hooks.located(study.models[0]), load);
    addOnce(inputs.warnings, inputs.model.warnings);
    if (inputs.model.graph() != nullptr) addOnce(inputs.warnings, inputs.model.graph()->warnings);
    reportWarnings(hooks, inputs.warnings);
    if (const std::optional<std::string> problem = sliceProblem(inputs.model)) throw UsageError(*problem);
    inputs.layers = model::layerGraph(inputs.model);
    if (inputs.model.graph() != nullptr) model::countKept(inputs.layers, *inputs.model.graph());
    inputs.fleet = hardware::loadFleet(hooks.located(study.hardware[0]));
    reading.check();
    return inputs;
}

Result runPartition(const Study& study, const RunHooks& hooks) {
    const Options options = partitionOptions(study);
    const PartitionInputs inputs = readPartitionInputs(study, options, hooks);
    const model::Model& model = inputs.model;
    const model::LayerGraph& layers = inputs.layers;
    const hardware::Fleet& fleet = inputs.fleet;

    Result result;
    result.study = study;
    result.warnings = inputs.warnings;
    result.inputs.push_back({study.models[0], model.sha256});
    for (Input& input : hardwareInputs(study.hardware[0], fleet)) result.inputs.push_back(std::move(input));

    PartitionOutcome outcome;
    outcome.model = modelName(study.models.at(0), model.name);
    outcome.fleet = fleet.name;
    outcome.accelerators = hardware::acceleratorCount(fleet);
    outcome.groups = groupNumbers(fleet, options.dtype);
    partition::Hooks engineHooks{hooks};
    const std::size_t count = layers.layers.size();
    if (const auto sink = checkpointSink(hooks, result))
        engineHooks.checkpoint = [sink, count](const std::vector<const partition::PartialPlan*>& plans) {
            sink(partialPlansJson(count, plans));
        };
    if (const auto state = resumedState(hooks, result)) engineHooks.resume = readPartialPlans(*state, count);
    outcome.result = partition::solve(layers, fleet, options, std::move(engineHooks));

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
    reportWarnings(hooks, outcome.result.warnings);
    result.outcome = std::move(outcome);
    return result;
}

}  // namespace tessera::study

#include "core/study/partition/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/partition/metrics.h"

namespace tessera::study {

namespace {

using Better = Metric::Better;
using partition::AcceleratorShare;
using partition::LevelPlan;
using partition::Plan;
using partition::SubsetPlan;

constexpr unsigned kShown = kText | kTable, kExplainedFact = kTable | kFacts | kExplained;

FieldValue yesNo(bool yes) {
    return given(yes ? "yes" : "no");
}

template <typename Row>
FieldValue idleGroups(const Row& row) {
    return given(row.idle.empty() ? std::string("none") : idleText(row.idle));
}

/// 0 where nothing was proven.
template <typename Row>
FieldValue boundOf(const Row& row) {
    return row.lowerBound.value > 0 ? given(row.lowerBound) : FieldValue();
}

/// What the accelerators that have the most of it have; nothing where none is known.
template <auto part>
FieldValue maxOf(const Plan& plan) {
    std::optional<double> max;
    for (const AcceleratorShare& share : plan.shares) {
        const FieldValue value = valueOf<part>(share);
        if (const auto* number = std::get_if<double>(&value)) max = std::max(max.value_or(0), *number);
    }
    return given(max);
}

/// "batch 8 × out 8": how a level of a network cuts a layer.
std::string cutText(const partition::Degrees& degrees) {
    std::vector<std::string> parts;
    for (const auto& [name, cuts] :
         {std::pair("batch", degrees.batch), std::pair("in", degrees.in), std::pair("out", degrees.out)})
        if (cuts > 1) parts.push_back(fmt::format("{} {}", name, cuts));
    return parts.empty() ? "whole" : joined(parts, " × ");
}

std::string layerCut(const LevelPlan& level, const partition::LayerPlan& layer) {
    return level.parts > 0 ? cutText(layer.degrees) : std::string(partition::nameOf(layer.type));
}

/// Runs of equal types or cuts in layer order: "I×5 III II", "batch 8; (batch 2 × out 4)×12".
std::string typeRuns(const LevelPlan& level) {
    constexpr std::size_t kMaxRuns = 24;
    const bool cuts = level.parts > 0;
    std::vector<std::string> parts;
    for (std::size_t from = 0; from < level.layers.size();) {
        std::string part = layerCut(level, level.layers[from]);
        std::size_t to = from;
        while (to < level.layers.size() && layerCut(level, level.layers[to]) == part) ++to;
        if (parts.size() == kMaxRuns) {
            parts.push_back(fmt::format("… ({} layers)", level.layers.size() - from));
            break;
        }
        if (to - from > 1) part = fmt::format(fmt::runtime(cuts ? "({})×{}" : "{}×{}"), part, to - from);
        parts.push_back(part);
        from = to;
    }
    return joined(parts, cuts ? "; " : " ");
}

/// The type or layout as people read it.
std::string cutOfRow(const SplitRow& row) {
    std::string cut = row.type();
    if (row.level->parts > 0) cut = cutText(row.join ? row.join->degrees : row.layer->degrees);
    return row.join ? "join, " + cut : cut;
}

}  // namespace

const std::vector<Field<PartitionOutcome>>& fleetFields() {
    static const std::vector<Field<PartitionOutcome>> kFields{
        {"accelerators", "Accelerators", kMetric, valueOf<&PartitionOutcome::accelerators>}};
    return kFields;
}

const std::vector<Field<Plan>>& planFields() {
    using F = Field<Plan>;
    static const std::vector<F> kFields{
        {"strategy", "Strategy", kShown | kWords, valueOf<&Plan::strategy>},
        {"step_time_s", "Step time", kMetric | kShown | kFacts, valueOf<&Plan::stepTime>, nullptr, Measure::seconds,
         Better::lower, "Of one training step on the groups that take part"},
        {.id = "throughput_samples_per_s",
         .title = "Throughput",
         .uses = kMetric | kFacts,
         .get = valueOf<&Plan::throughput>,
         .better = Better::higher,
         .format = samplesText},
        {.id = "samples_per_s",
         .title = "Samples/s",
         .uses = kShown,
         .get = valueOf<&Plan::throughput>,
         .explained = "throughput_samples_per_s",
         .format = rateText},
        F{.id = "speedup_over_dp",
          .title = "Speed-up over data parallelism",
          .uses = kMetric | kShown | kFacts,
          .get = valueOf<&Plan::speedupOverDp>,
          .better = Better::higher,
          .help = "Speed-up over data parallelism on its best subset of the fleet",
          .format = timesText}
            .headed("Speed-up"),
        {.id = "idle",
         .title = "Idle",
         .uses = kShown | kWords,
         .get = idleGroups<Plan>,
         .help = "Groups of the fleet that take no part"},
        F{"cost_s", "Top-level split cost", kMetric | kText, valueOf<&Plan::cost>, nullptr, Measure::seconds,
          Better::lower}
            .headed("Cost"),
        {"lower_bound_s", "Lower bound", kMetric | kShown | kFacts, boundOf<Plan>, nullptr, Measure::seconds,
         Better::neither, "No plan of this strategy can be faster"},
        {.id = "gap",
         .title = "Gap to the bound",
         .uses = kMetric,
         .get = [](const Plan& plan) { return plan.lowerBound.value > 0 ? given(plan.gap) : FieldValue(); },
         .better = Better::lower,
         .format = percentText},
        {"certainty", "Certainty", kShown | kFacts | kWords,
         [](const Plan& plan) { return given(certaintyText(plan)); }},
        F{"fits", "Fits in memory", kShown | kFacts | kWords, [](const Plan& plan) { return yesNo(plan.fits); }}.headed(
            "Fits"),
        {"compute_s", "Compute", kMetric, maxOf<&AcceleratorShare::compute>, nullptr, Measure::seconds, Better::lower},
        {"communication_s", "Communication", kMetric, maxOf<&AcceleratorShare::communication>, nullptr,
         Measure::seconds, Better::lower},
        {"memory_bytes", "Memory per accelerator", kMetric, maxOf<&AcceleratorShare::memory>, nullptr, Measure::bytes,
         Better::lower},
        {.id = "memory_share",
         .title = "Peak memory use",
         .uses = kMetric,
         .get = maxOf<memoryUse>,
         .better = Better::lower,
         .format = percentText},
    };
    return kFields;
}

const std::vector<Field<SubsetPlan>>& subsetFields() {
    static const std::vector<Field<SubsetPlan>> kFields{
        {"idle", "Idle", kShown | kWords, idleGroups<SubsetPlan>},
        {"accelerators", "Accelerators", kShown, valueOf<&SubsetPlan::accelerators>, nullptr, Measure::count,
         Better::neither, "That take part"},
        {"step_time_s", "Step time", kShown, valueOf<&SubsetPlan::stepTime>, nullptr, Measure::seconds, Better::lower,
         "Of the strategy's plan on these accelerators"},
        {"speedup_over_dp", "Speed-up", kShown, valueOf<&SubsetPlan::speedupOverDp>, nullptr, Measure::count,
         Better::higher, "Speed-up over data parallelism on its best subset of the fleet", "", timesText},
        {"lower_bound_s", "Lower bound", kShown, boundOf<SubsetPlan>, nullptr, Measure::seconds, Better::neither,
         "No plan on exactly these accelerators can be faster"},
        {"certainty", "Certainty if these take part", kShown | kWords,
         [](const SubsetPlan& row) { return given(gapText(row.stepTime.value, row.lowerBound.value)); }},
    };
    return kFields;
}

const std::vector<Field<LevelPlan>>& levelFields() {
    static const std::vector<Field<LevelPlan>> kFields{
        {"level", "Level", kShown, valueOf<&LevelPlan::level>, nullptr, Measure::count, Better::neither,
         "0 is the top-level split"},
        {"group", "Group", kShown | kWords, valueOf<&LevelPlan::group>},
        {"accelerators", "Accelerators", kShown, valueOf<&LevelPlan::accelerators>, nullptr, Measure::count,
         Better::neither, "In the group before the split"},
        {"times", "Times", kShown, valueOf<&LevelPlan::occurrences>, nullptr, Measure::count, Better::neither,
         "Equal groups that this split stands for"},
        {"ratio", "Ratio", kText | kExplainedFact, valueOf<&LevelPlan::ratio>, nullptr, Measure::count, Better::neither,
         "Share of the first side", "", ratioText},
        {"objective_s", "Objective", kText | kExplainedFact, valueOf<&LevelPlan::objective>, nullptr, Measure::seconds,
         Better::lower, "What the types were chosen by"},
        {"lower_bound_s", "Lower bound", kExplainedFact, valueOf<&LevelPlan::lowerBound>, nullptr, Measure::seconds},
        {"side_i_s", "First side", kFacts | kExplained, valueOf<&LevelPlan::sideI>, nullptr, Measure::seconds},
        {"side_j_s", "Second side", kFacts | kExplained, valueOf<&LevelPlan::sideJ>, nullptr, Measure::seconds},
        {.id = "types",
         .title = "Types",
         .uses = kShown | kWords,
         .get = valueOf<typeRuns>,
         .help = "From the first layer to the last"},
    };
    return kFields;
}

const std::vector<Field<SplitRow>>& splitRowFields() {
    using Row = SplitRow;
    using F = Field<Row>;
    constexpr unsigned kTime = kExactTable | kTable | kFacts | kExplained | kSummed;
    static const std::vector<F> kFields{
        {"strategy", "Strategy", kExactTable | kWords, [](const Row& row) { return given(row.plan->strategy); }},
        {"level", "Level", kExactTable, [](const Row& row) { return given(row.level->level); }},
        {"group", "Group", kExactTable | kWords, [](const Row& row) { return given(row.level->group); }},
        {"layer", "Layer", kExactTable | kTable | kWords, valueOf<&Row::name>},
        {"type", "Type", kExactTable | kTable | kExplained | kWords, valueOf<&Row::type>, cutOfRow, Measure::count,
         Better::neither, "Batch (I), input (II) or output channels (III) are split"},
        {"ratio", "Ratio", kExactTable, [](const Row& row) { return given(row.level->ratio); }},
        F{"compute_s", "Compute", kTime, valueOf<&Row::compute>, nullptr, Measure::seconds, Better::lower,
          "On the critical path"}
            .by("", "AccPar, Table 6", nullptr),
        F{.id = "intra_s",
          .title = "Transfer within the layer",
          .uses = kTime,
          .get = [](const Row& row) { return row.join ? FieldValue() : given(row.intra()); },
          .measure = Measure::seconds,
          .better = Better::lower,
          .help = "Partial sums and gradients exchanged inside the layer",
          .source = "AccPar, Table 4"}
            .headed("Within"),
        F{"inter_s", "Transfer into the layer", kTime, valueOf<&Row::inter>, nullptr, Measure::seconds, Better::lower,
          "Converting tensors from the layers before"}
            .by("", "AccPar, Table 5", nullptr)
            .headed("Between"),
        {"together_s", "Together", kTable | kFacts | kSummed, valueOf<&Row::together>, nullptr, Measure::seconds,
         Better::lower, "Compute and transfers at this split"},
    };
    return kFields;
}

const std::vector<Field<AcceleratorShare>>& shareFields() {
    using Row = AcceleratorShare;
    constexpr unsigned kNumber = kShown | kExplained;
    static const std::vector<Field<Row>> kFields{
        {"kind", "Kind", kShown | kWords, valueOf<&Row::kind>},
        {"count", "Count", kShown, valueOf<&Row::count>},
        {"compute_s", "Compute", kNumber | kFacts, valueOf<&Row::compute>, nullptr, Measure::seconds, Better::lower,
         "Of the slowest of its kind"},
        {"communication_s", "Communication", kNumber | kFacts, valueOf<&Row::communication>, nullptr, Measure::seconds,
         Better::lower, "All transfers on its way through the splits"},
        {"memory_bytes", "Memory", kNumber | kWhat, valueOf<&Row::memory>, nullptr, Measure::bytes, Better::lower,
         "Weights, gradients, optimizer state and activations"},
        {.id = "capacity_bytes",
         .title = "Capacity",
         .uses = kShown | kWhat,
         .get = [](const Row& row) { return row.capacity ? given(*row.capacity) : given("not known"); },
         .measure = Measure::bytes},
        {"fits", "Fits", kShown | kWhat | kWords,
         [](const Row& row) { return row.capacity ? yesNo(row.fits) : given("not checked"); }},
    };
    return kFields;
}

const std::string& SplitRow::name() const {
    return result->names.at(static_cast<std::size_t>(layer ? layer->layer : join->layer));
}

std::string SplitRow::type() const {
    return std::string(layer ? partition::nameOf(layer->type) : partition::nameOf(join->layout));
}

std::size_t splitRowCount(const LevelPlan& level) {
    return level.layers.size() + level.joins.size();
}

SplitRow splitRow(const partition::Result& result, const Plan& plan, const LevelPlan& level, std::size_t row) {
    SplitRow made{.result = &result, .plan = &plan, .level = &level};
    if (row < level.layers.size())
        made.layer = level.layers[row];
    else
        made.join = level.joins.at(row - level.layers.size());
    return made;
}

std::optional<double> memoryUse(const AcceleratorShare& share) {
    if (!share.capacity || !(share.capacity->value > 0)) return std::nullopt;
    return share.memory.value / share.capacity->value;
}

}  // namespace tessera::study

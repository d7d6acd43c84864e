#include "core/study/plan/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/physical/pipeline.h"
#include "core/plan/axes.h"
#include "core/study/metric.h"
#include "core/study/plan/study.h"

namespace tessera::study {

namespace {

using Better = Metric::Better;
using Terms = std::vector<Explanation::Term>;
using plan::Axis;
using plan::Objective;

constexpr unsigned kBoth = kText | kExactTable, kBothWords = kBoth | kWords;
constexpr std::string_view kSource = "physical model of Tessera; Narayanan et al., SC 2021; Qi et al., ICLR 2024",
                           kDefinition = "definition";

std::string tokensText(double value) {
    return uncertainText(value) + " tokens/s";
}

/// A value of an objective; nothing where the row has none.
FieldValue scoreIn(const PlanOutcome& row, Objective objective) {
    return row.best() != nullptr && row.knows(objective) ? given(row.best()->scores.of(objective)) : FieldValue();
}
FieldValue scoreIn(const PlanConfigurationRow& row, Objective objective) {
    return given(row.its->scores.of(objective));
}
FieldValue scoreIn(const PlanSizeRow& row, Objective objective) {
    return row.its->best ? given(row.its->best->of(objective)) : FieldValue();
}
template <Objective objective, typename Row>
FieldValue scoreOf(const Row& row) {
    return scoreIn(row, objective);
}
template <Objective objective, typename Row>
Field<Row> scoreField(unsigned uses) {
    const ObjectiveRow& its = rowOf(objective);
    return {.id = its.key,
            .title = its.title,
            .uses = uses,
            .get = scoreOf<objective, Row>,
            .measure = its.measure,
            .better = Better::lower,
            .format = objective == Objective::price ? uncertainDollarsText : nullptr,
            .head = its.head};
}

template <typename Row>
Field<Row> secondsField(std::string_view id, std::string_view title, unsigned uses, FieldValue (*get)(const Row&)) {
    return {.id = id, .title = title, .uses = uses, .get = get, .measure = Measure::seconds};
}

/// A rate of a configuration; nothing where there is none.
template <const RateRow& rate>
FieldValue rateOf(const plan::Evaluated* its) {
    return its != nullptr ? given(its->*rate.value) : FieldValue();
}

/// The number of an axis; nothing where a source does not say it, or nothing fits.
FieldValue numberIn(const PlanOutcome& row, const plan::AxisRow& axis) {
    return row.best() != nullptr ? given(row.best()->configuration.*axis.number) : FieldValue();
}
FieldValue numberIn(const PlanConfigurationRow& row, const plan::AxisRow& axis) {
    return given(row.its->configuration.*axis.number);
}
FieldValue numberIn(const PlanBesideRow& row, const plan::AxisRow& axis) {
    const double value = row.its != nullptr ? row.its->of(axis.axis) : row.best().configuration.*axis.number;
    return value > 0 ? given(value) : FieldValue();
}
template <Axis axis, typename Row>
FieldValue numberOf(const Row& row) {
    return numberIn(row, plan::rowOf(axis));
}
/// Degrees of 1 are of no interest where no row has more.
template <Axis axis, typename Row>
FieldValue aboveOneOf(const Row& row) {
    const FieldValue value = numberOf<axis>(row);
    const auto* number = std::get_if<double>(&value);
    return number != nullptr && *number > 1 ? value : FieldValue();
}
/// An axis as the column of a table.
template <Axis axis, typename Row>
Field<Row> axisField(unsigned uses) {
    const plan::AxisRow& its = plan::rowOf(axis);
    return {.id = its.isDegree() ? its.id : its.key,
            .title = its.title,
            .uses = uses,
            .get = its.isAlwaysSaid ? numberOf<axis, Row> : aboveOneOf<axis, Row>,
            .head = its.head};
}

void timeTerms(const PlanOutcome& row, Terms& terms) {
    for (const StepTimeTerm& term : kStepTimeTerms)
        if (const double value = row.best()->time.*term.seconds; value > 0)
            terms.push_back({lowered(term.title), formatSeconds(value), "result, configurations[0].time"});
}

void configurationTerms(const PlanOutcome& row, Terms& terms) {
    terms.push_back({"configuration", plan::shortText(row.best()->configuration), "result, configurations[0]"});
    terms.push_back({"configurations of the space", formatCount(row.counted.all), "result, counted.all"});
}

void memoryTerms(const PlanOutcome& row, Terms& terms) {
    const plan::EvaluatedStage& stage = fullestStage(*row.best());
    for (const StageMemoryTerm& term : kStageMemoryTerms)
        terms.push_back(
            {lowered(term.title), formatQuantity(term.of(stage), Measure::bytes), "result, configurations[0].stages"});
}

void rateTerms(const PlanOutcome& row, Terms& terms) {
    terms.push_back({"global batch", formatCount(row.globalBatch), "parameter global_batch"});
    if (row.hasTokens())
        terms.push_back({"tokens of a sample", formatCount(row.sequence), "parameter sequence, or the model's"});
    terms.push_back({"step time", formatSeconds(row.best()->scores.of(Objective::time)), "result, step_time_s"});
}

void priceTerms(const PlanOutcome& row, Terms& terms) {
    for (const plan::Part& part : row.best()->configuration.parts) {
        const PlannedGroup& group = row.groups[part.group];
        const auto count = row.best()->configuration.perStage() * part.stages * part.replicas;
        terms.push_back({"accelerators of " + escaped(group.name), formatCount(count), "result, configurations[0]"});
        if (group.pricePerHour)
            terms.push_back(
                {"price of " + escaped(group.accelerator), dollarsText(*group.pricePerHour) + "/h", "its description"});
    }
    terms.push_back({"step time", formatSeconds(row.best()->scores.of(Objective::time)), "result, step_time_s"});
}

void askedTerms(const PlanOutcome& row, Terms& terms) {
    terms.push_back({"configuration", escaped(row.asked->given), "parameter evaluate"});
    terms.push_back({"its step", formatSeconds(row.asked->evaluated->scores.of(Objective::time)), "result, asked"});
    terms.push_back({"that of the best", formatSeconds(row.best()->scores.of(Objective::time)), "result, step_time_s"});
}

/// An axis of the best configuration as a metric.
template <Axis axis>
Field<PlanOutcome> axisMetric() {
    const plan::AxisRow& its = plan::rowOf(axis);
    return {.id = its.key,
            .title = its.title,
            .uses = kMetric,
            .get = numberOf<axis, PlanOutcome>,
            .formula = "of the best configuration",
            .source = kDefinition,
            .terms = configurationTerms};
}

/// Throughput of a model that counts in tokens, or in samples.
FieldValue throughputIn(const PlanOutcome& row, bool tokens) {
    return row.hasTokens() == tokens ? rateOf<kThroughput>(row.best()) : FieldValue();
}

}  // namespace

const plan::EvaluatedStage& fullestStage(const plan::Evaluated& evaluated) {
    return *std::max_element(evaluated.stages.begin(), evaluated.stages.end(), [](const auto& a, const auto& b) {
        return a.memory.total() + a.allowance < b.memory.total() + b.allowance;
    });
}

std::vector<StepTimePart> stepTimeParts(const plan::TimeShares& time) {
    std::vector<StepTimePart> parts;
    for (const StepTimeTerm& term : kStepTimeTerms) {
        if (parts.empty() || parts.back().id != term.bar)
            parts.push_back({std::string(term.bar), std::string(term.title)});
        else
            parts.back().title += ", " + lowered(term.title);
        parts.back().seconds += time.*term.seconds;
    }
    return parts;
}

std::vector<StepTimePart> stepTimeDifferences(const plan::TimeShares& time, const plan::TimeShares& other) {
    std::vector<StepTimePart> parts = stepTimeParts(time);
    const std::vector<StepTimePart> others = stepTimeParts(other);
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].seconds -= others[i].seconds;
    return parts;
}

const std::vector<Field<PlanOutcome>>& trainingPlanFields() {
    using Row = PlanOutcome;
    static const std::vector<Field<Row>> kFields{
        scoreField<Objective::time, Row>(kMetric).by(
            "pipeline of the micro-batches + exposed reduction of gradients + optimizer + start of the step", kSource,
            timeTerms),
        {.id = kThroughput.key,
         .title = kThroughput.title,
         .uses = kMetric,
         .get = [](const Row& row) { return throughputIn(row, true); },
         .better = Better::higher,
         .format = tokensText,
         .formula = "global batch · tokens of a sample / step time",
         .source = kDefinition,
         .terms = rateTerms},
        {.id = "samples_per_s",
         .title = kThroughput.title,
         .uses = kMetric | kUncertain,
         .get = [](const Row& row) { return throughputIn(row, false); },
         .better = Better::higher,
         .format = uncertainSamplesText,
         .formula = "global batch / step time",
         .source = kDefinition,
         .terms = rateTerms},
        {.id = kUtilisation.key,
         .title = kUtilisation.title,
         .uses = kMetric,
         .get = [](const Row& row) { return rateOf<kUtilisation>(row.best()); },
         .better = Better::higher,
         .format = percentText,
         .formula = "FLOP of the model without recomputation / (peak of the accelerators in use · step time)",
         .source = kDefinition,
         .terms = rateTerms},
        scoreField<Objective::accelerators, Row>(kMetric).by("sum over parts of tensor · context · stages · replicas",
                                                             kDefinition, configurationTerms),
        scoreField<Objective::memory, Row>(kMetric).by(
            "weights, gradients, optimizer by ZeRO + activations in flight + layer or head at work + framework "
            "overhead",
            "Rajbhandari et al. 2020; Korthikanti et al. 2022, sections 4 and 5", memoryTerms),
        scoreField<Objective::price, Row>(kMetric).by("sum over groups of accelerators · price per hour · step time",
                                                      kDefinition, priceTerms),
        scoreField<Objective::energy, Row>(kMetric).by(
            "accelerators · power limit · (products 1, memory 0.7, waiting 0.2 of it by their share of the step)",
            "You et al., NSDI 2023", timeTerms),
        {.id = "training_s",
         .title = "Time of the training",
         .uses = kMetric,
         .get = [](const Row& row) { return given(row.trainingSeconds()); },
         .measure = Measure::seconds,
         .better = Better::lower,
         .formula = "tokens / (global batch · tokens of a sample), rounded up · step time",
         .source = kDefinition,
         .terms = rateTerms},
        {.id = "training_usd",
         .title = "Price of the training",
         .uses = kMetric,
         .get = [](const Row& row) { return given(row.trainingPrice()); },
         .better = Better::lower,
         .format = uncertainDollarsText,
         .formula = "steps · price of a step",
         .source = kDefinition,
         .terms = priceTerms},
        axisMetric<Axis::tensor>(),
        axisMetric<Axis::pipeline>(),
        axisMetric<Axis::data>(),
        axisMetric<Axis::context>(),
        axisMetric<Axis::expert>(),
        axisMetric<Axis::micro>(),
        {.id = "configurations",
         .title = "Configurations of the space",
         .uses = kMetric,
         .get = [](const Row& row) { return FieldValue(static_cast<double>(row.counted.all)); },
         .formula = "all degrees that divide what they split, schedules, ZeRO, recomputation",
         .source = kDefinition,
         .terms =
             [](const Row& row, Terms& terms) {
                 terms.push_back({"compared", formatCount(row.counted.fitting), "result, counted"});
             }},
        {.id = "asked_step_time_s",
         .title = "Step time of the evaluated configuration",
         .uses = kMetric,
         .get =
             [](const Row& row) {
                 return row.timesTheBest() ? FieldValue(row.asked->evaluated->scores.of(Objective::time))
                                           : FieldValue();
             },
         .measure = Measure::seconds,
         .better = Better::lower,
         .formula = "as that of the best",
         .source = kSource,
         .terms = askedTerms},
        {.id = "times_the_best",
         .title = "Evaluated configuration over the best",
         .uses = kMetric,
         .get = valueOf<&Row::timesTheBest>,
         .better = Better::lower,
         .format = timesText,
         .formula = "step time of the evaluated configuration / that of the best",
         .source = kDefinition,
         .terms = askedTerms},
    };
    return kFields;
}

namespace {

/// Megatron-LM's own is of no interest where all have it.
FieldValue orderOf(const PlanConfigurationRow& row) {
    return given(plan::valueText(row.its->configuration, plan::rowOf(Axis::order)));
}

std::string layersText(const plan::Evaluated& evaluated) {
    std::vector<std::string> runs;
    for (std::size_t i = 0; i < evaluated.stages.size();) {
        const std::size_t first = i;
        while (i < evaluated.stages.size() && evaluated.stages[i].layers == evaluated.stages[first].layers) ++i;
        runs.push_back(i - first == 1 ? fmt::format("{}", evaluated.stages[first].layers)
                                      : fmt::format("{} × {}", i - first, evaluated.stages[first].layers));
    }
    return joined(runs, ", ");
}

std::string groupsText(const PlanConfigurationRow& row) {
    const plan::Configuration& configuration = row.its->configuration;
    std::vector<std::string> names;
    for (const plan::Part& part : configuration.parts) {
        std::string text = row.outcome->groups[part.group].name;
        if (configuration.parts.size() > 1)
            text += fmt::format(": {}, {}", formatCounted(part.stages, "stage", "stages"),
                                formatCounted(part.replicas, "replica", "replicas"));
        if (configuration.isSideBySide())
            text += fmt::format(" of {}", formatCounted(part.microBatches, "micro-batch", "micro-batches"));
        names.push_back(std::move(text));
    }
    return joined(names, "; ");
}

/// Which groups of several it is on: stages of a pipeline, or replicas times the micro-batches of each.
FieldValue placedOf(const PlanConfigurationRow& row) {
    if (row.outcome->groups.size() < 2) return {};
    const plan::Configuration& configuration = row.its->configuration;
    std::vector<std::string> names;
    int stage = 1;
    for (const plan::Part& part : configuration.parts) {
        std::string text = row.outcome->groups[part.group].name;
        if (configuration.isSideBySide())
            text += fmt::format(" {} × {}", part.replicas, part.microBatches);
        else if (configuration.isStacked())
            text += part.stages == 1 ? fmt::format(" stage {}", stage)
                                     : fmt::format(" stages {}–{}", stage, stage + part.stages - 1);
        stage += part.stages;
        names.push_back(std::move(text));
    }
    return given(joined(names, ", "));
}

/// What ZeRO shards.
std::string_view shardedText(const plan::Configuration& configuration) {
    constexpr std::array<std::string_view, 4> kTexts{"–", "optimizer", "+ gradients", "+ weights"};
    return kTexts.at(static_cast<std::size_t>(configuration.zero));
}

/// By how many per cent the first configuration is better.
double percentAbove(const PlanConfigurationRow& row) {
    const Objective goal = row.outcome->goal();
    const double best = row.outcome->best()->scores.of(goal);
    return best > 0 ? 100 * (row.its->scores.of(goal) / best - 1) : 0;
}
constexpr double kAlikePercent = 0.005, kWholePercent = 99.5;

std::string aboveText(const PlanConfigurationRow& row) {
    if (row.number == 0) return "the best";
    const double percent = percentAbove(row);
    if (percent < kAlikePercent) return "alike";
    return percent < kWholePercent ? fmt::format("+{:.2g} %", percent) : fmt::format("+{:.0f} %", percent);
}

/// What takes most of the difference.
std::string differenceText(const PlanConfigurationRow& row) {
    if (row.number == 0 || percentAbove(row) < kAlikePercent) return {};
    const Objective goal = row.outcome->goal();
    if (goal != Objective::time) return std::string(plan::kObjectiveNames.of(goal));
    const std::vector<StepTimePart> parts = stepTimeDifferences(row.its->time, row.outcome->best()->time);
    const std::string longest = lowered(std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
                                            return a.seconds < b.seconds;
                                        })->title);
    return longest.substr(0, longest.find(" parallelism"));
}

}  // namespace

const std::vector<Field<PlanConfigurationRow>>& planConfigurationFields() {
    using Row = PlanConfigurationRow;
    static const std::vector<Field<Row>> kFields{
        {"rank", "Rank", kBoth, [](const Row& row) { return given(row.number + 1); }},
        scoreField<Objective::time, Row>(kBoth),
        {"above_best", "Against best", kBothWords, [](const Row& row) { return given(aboveText(row)); }},
        {"mostly", "Mostly for", kBothWords, [](const Row& row) { return given(differenceText(row)); }},
        axisField<Axis::tensor, Row>(kBoth),
        axisField<Axis::pipeline, Row>(kBoth),
        axisField<Axis::data, Row>(kBoth),
        axisField<Axis::context, Row>(kBoth),
        axisField<Axis::expert, Row>(kBoth),
        {"etp", "ETP", kBoth | kOptional,
         [](const Row& row) { return row.its->configuration.wholeExperts ? given(1) : FieldValue(); }},
        axisField<Axis::chunks, Row>(kBoth),
        axisField<Axis::micro, Row>(kBoth),
        {"zero", "Sharded", kBothWords, [](const Row& row) { return given(shardedText(row.its->configuration)); }},
        {"recompute", "Recomputed", kBothWords,
         [](const Row& row) { return given(plan::kRecomputationNames.of(row.its->configuration.recompute)); }},
        {"schedule", "Schedule", kBothWords,
         [](const Row& row) {
             return given(row.its->configuration.pipeline > 1 ? physical::nameOf(row.its->configuration.schedule)
                                                              : std::string_view("–"));
         }},
        {"order", "Order of ranks", kBothWords | kOptional, orderOf},
        {"dtype", "Data type", kBothWords,
         [](const Row& row) { return given(row.outcome->dtypes[row.its->configuration.dtype]); }},
        scoreField<Objective::accelerators, Row>(kBoth),
        {"placed", "On", kText | kWords | kOptional, placedOf},
        scoreField<Objective::memory, Row>(kBoth),
        {.id = kUtilisation.key,
         .title = kUtilisation.title,
         .uses = kBoth,
         .get = [](const Row& row) { return rateOf<kUtilisation>(row.its); },
         .format = percentText,
         .head = kUtilisation.head},
        {"layers_per_stage", "Layers per stage", kExactTable | kWords,
         [](const Row& row) { return given(layersText(*row.its)); }},
        {"groups", "Groups", kExactTable | kWords, [](const Row& row) { return given(groupsText(row)); }},
        secondsField<Row>("low_s", "Low", kExactTable, [](const Row& row) { return given(row.its->low); }),
        secondsField<Row>("high_s", "High", kExactTable, [](const Row& row) { return given(row.its->high); }),
        scoreField<Objective::price, Row>(kExactTable),
        scoreField<Objective::energy, Row>(kExactTable),
    };
    return kFields;
}

std::vector<PlanConfigurationRow> planConfigurationRows(const PlanOutcome& outcome) {
    std::vector<PlanConfigurationRow> rows;
    for (std::size_t i = 0; i < outcome.configurations.size(); ++i)
        rows.push_back({&outcome, &outcome.configurations[i], i});
    return rows;
}

namespace {

/// Where it is the same on all stages, the configuration says it.
FieldValue recomputedOf(const PlanStageRow& row) {
    if (row.of->configuration.recompute != plan::Recomputation::perStage) return {};
    const std::string text = recomputedText(row.its());
    return given(text.empty() ? std::string("none") : text);
}

template <std::size_t term>
Field<PlanStageRow> memoryField() {
    const StageMemoryTerm& its = kStageMemoryTerms[term];
    return {.id = its.key,
            .title = its.title,
            .uses = kBoth,
            .get = [](const PlanStageRow& row) { return given(kStageMemoryTerms[term].of(row.its())); },
            .measure = Measure::bytes,
            .head = its.head};
}

}  // namespace

const std::vector<Field<PlanStageRow>>& planStageFields() {
    using Row = PlanStageRow;
    static const std::vector<Field<Row>> kFields{
        {"stage", "Stage", kBoth, [](const Row& row) { return given(row.number + 1); }},
        {"group", "Group", kBothWords, [](const Row& row) { return given(row.outcome->groups[row.its().group].name); }},
        {"layers", "Layers", kBoth, [](const Row& row) { return given(row.its().layers); }},
        {"recomputed", "Recomputed", kBothWords | kOptional, recomputedOf},
        secondsField<Row>("forward_s", "Forward", kBoth, [](const Row& row) { return given(row.its().forward); }),
        secondsField<Row>("backward_s", "Backward", kBoth, [](const Row& row) { return given(row.its().backward); }),
        memoryField<0>(),
        memoryField<1>(),
        memoryField<2>(),
        memoryField<3>(),
        {.id = "capacity_bytes",
         .title = "Capacity",
         .uses = kBoth,
         .get = [](const Row& row) { return given(row.its().capacity); },
         .measure = Measure::bytes},
    };
    static_assert(kStageMemoryTerms.size() == 4);
    return kFields;
}

std::vector<PlanStageRow> planStageRows(const PlanOutcome& outcome, const std::string& rank) {
    std::vector<PlanStageRow> rows;
    const plan::Evaluated* its = outcome.ranked(rank);
    for (std::size_t i = 0; its != nullptr && i < its->stages.size(); ++i) rows.push_back({&outcome, its, i});
    return rows;
}

namespace {

/// "1/8", "1", "2".
std::string timesOfFleet(double times) {
    return times < 1 ? fmt::format("1/{:.0f}", 1 / times) : fmt::format("{:.0f}", times);
}

/// "alike", "+3 %": what an accelerator does against the same on the whole fleet.
std::string againstFleet(const PlanSizeRow& row) {
    if (!row.its->best || row.whole == nullptr || !row.whole->best) return {};
    constexpr double kAlike = 0.5;
    const double percent = 100 * (row.its->perAccelerator() / row.whole->perAccelerator() - 1);
    if (row.its == row.whole) return {};
    return std::abs(percent) < kAlike ? std::string("alike")
                                      : fmt::format("{}{:.0f} %", percent > 0 ? "+" : "−", std::abs(percent));
}

/// What an accelerator does where models of this sort count in tokens, or in samples.
FieldValue perAcceleratorIn(const PlanSizeRow& row, bool tokens) {
    const bool isGiven = row.its->best && row.outcome->hasTokens() == tokens;
    return isGiven ? given(row.its->perAccelerator()) : FieldValue();
}

}  // namespace

const std::vector<Field<PlanSizeRow>>& planSizeFields() {
    using Row = PlanSizeRow;
    static const std::vector<Field<Row>> kFields{
        {"accelerators", "Accelerators", kBoth, [](const Row& row) { return given(row.its->accelerators); }},
        {.id = "times",
         .title = "Of the fleet",
         .uses = kBoth,
         .get = [](const Row& row) { return given(row.its->times); },
         .format = timesOfFleet},
        scoreField<Objective::time, Row>(kBoth),
        secondsField<Row>("low_s", "Low", kExactTable,
                          [](const Row& row) { return row.its->best ? given(row.its->low) : FieldValue(); }),
        secondsField<Row>("high_s", "High", kExactTable,
                          [](const Row& row) { return row.its->best ? given(row.its->high) : FieldValue(); }),
        {.id = "tokens_per_s_per_accelerator",
         .title = "Tokens/s per accelerator",
         .uses = kBoth | kOptional,
         .get = [](const Row& row) { return perAcceleratorIn(row, true); },
         .format = uncertainText},
        {.id = "samples_per_s_per_accelerator",
         .title = "Samples/s per accelerator",
         .uses = kBoth | kOptional,
         .get = [](const Row& row) { return perAcceleratorIn(row, false); },
         .format = uncertainText},
        {"against_fleet", "Against the fleet", kText | kWords, [](const Row& row) { return given(againstFleet(row)); }},
        {"used", "In use", kBoth, scoreOf<Objective::accelerators, Row>},
        {"configuration", "Configuration", kBothWords,
         [](const Row& row) {
             return given(row.its->best ? row.its->configuration : "nothing fits: " + row.its->misfit);
         }},
    };
    return kFields;
}

std::vector<PlanSizeRow> planSizeRows(const PlanOutcome& outcome) {
    const auto whole = std::find_if(outcome.scaling.begin(), outcome.scaling.end(),
                                    [](const ScaledPlan& each) { return each.times == 1; });
    std::vector<PlanSizeRow> rows;
    for (const ScaledPlan& each : outcome.scaling)
        rows.push_back({&outcome, &each, whole == outcome.scaling.end() ? nullptr : &*whole});
    return rows;
}

namespace {

std::string acceleratorsBeside(const PlanBesideRow& row) {
    return row.its != nullptr ? row.its->accelerator
                              : row.outcome->acceleratorOf(row.best().configuration).value_or("several");
}

}  // namespace

const std::vector<Field<PlanBesideRow>>& planBesideFields() {
    using Row = PlanBesideRow;
    static const std::vector<Field<Row>> kFields{
        {"run", "Run", kBothWords, [](const Row& row) { return given(row.its ? "measured" : "this plan"); }},
        {.id = "tokens_per_s_per_accelerator",
         .title = "Tokens/s per accelerator",
         .uses = kBoth,
         .get =
             [](const Row& row) {
                 return given(row.its ? row.its->tokensPerSecond : PlanOutcome::perAccelerator(row.best()));
             },
         .format = uncertainText},
        {.id = "predicted",
         .title = "Predicted for it",
         .uses = kBoth,
         .get = [](const Row& row) { return row.its ? given(row.its->predicted) : FieldValue(); },
         .format = uncertainText},
        {"accelerators", "Accelerators", kBoth,
         [](const Row& row) {
             return row.its ? given(row.its->accelerators) : given(row.best().scores.of(Objective::accelerators));
         }},
        {"accelerator", "Kind", kBothWords, [](const Row& row) { return given(acceleratorsBeside(row)); }},
        {"dtype", "Data type", kBothWords,
         [](const Row& row) {
             return given(row.its ? row.its->dtype : row.outcome->dtypes[row.best().configuration.dtype]);
         }},
        {"global_batch", "Batch", kBoth,
         [](const Row& row) {
             const double batch = row.its ? row.its->globalBatch : row.outcome->globalBatch;
             return batch > 0 ? given(batch) : FieldValue();
         }},
        axisField<Axis::tensor, Row>(kBoth),
        axisField<Axis::pipeline, Row>(kBoth),
        axisField<Axis::data, Row>(kBoth),
        axisField<Axis::context, Row>(kBoth | kOptional),
        axisField<Axis::expert, Row>(kBoth | kOptional),
        axisField<Axis::chunks, Row>(kBoth | kOptional),
        axisField<Axis::micro, Row>(kBoth),
        {"software", "Software", kBothWords,
         [](const Row& row) {
             return given(row.its ? escaped(row.its->software, kMaxQuoted) : row.outcome->software);
         }},
        {"source", "Source", kBothWords,
         [](const Row& row) { return row.its ? given(escaped(row.its->source, kMaxQuoted)) : FieldValue(); }},
        {"id", "Row", kExactTable | kWords, [](const Row& row) { return row.its ? given(row.its->id) : FieldValue(); }},
    };
    return kFields;
}

std::vector<PlanBesideRow> planBesideRows(const PlanOutcome& outcome) {
    std::vector<PlanBesideRow> rows;
    if (outcome.measured.empty()) return rows;
    if (outcome.best() != nullptr) rows.push_back({&outcome, nullptr});
    for (const MeasuredBeside& each : outcome.measured) rows.push_back({&outcome, &each});
    return rows;
}

}  // namespace tessera::study

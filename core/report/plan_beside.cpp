#include "core/report/plan_beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/theme.h"
#include "core/plan/scaling.h"
#include "core/report/field_table.h"
#include "core/report/plan_pictures.h"
#include "core/study/metric.h"

namespace tessera::report {

namespace {

using study::MeasuredBeside;
using study::PlanOutcome;
using study::ScaledPlan;

constexpr int kCircle = 0, kMeasuredShape = 2, kTriangle = 3;
constexpr double kDiamondRadius = 4.5;
constexpr std::size_t kLongestSaid = 60;  ///< characters of what others wrote

std::string countText(std::int64_t count) {
    return formatCount(static_cast<double>(count));
}

double stepSecondsOf(const ScaledPlan& its) {
    return its.best->of(plan::Objective::time);
}

/// "1/8", "1", "2".
std::string timesOfFleet(double times) {
    return times < 1 ? fmt::format("1/{:.0f}", 1 / times) : fmt::format("{:.0f}", times);
}

/// A size with the fleet's own.
struct ScaledRow {
    const ScaledPlan* its;
    const ScaledPlan* whole;
};

std::vector<ScaledRow> scaledRows(const PlanOutcome& outcome) {
    const auto whole = std::find_if(outcome.scaling.begin(), outcome.scaling.end(),
                                    [](const ScaledPlan& each) { return each.times == 1; });
    std::vector<ScaledRow> rows;
    for (const ScaledPlan& each : outcome.scaling)
        rows.push_back({&each, whole == outcome.scaling.end() ? nullptr : &*whole});
    return rows;
}

template <plan::Objective objective>
study::FieldValue scaledScore(const ScaledRow& row) {
    return row.its->best ? study::given(row.its->best->of(objective)) : study::FieldValue();
}

/// "alike", "+3 %": what an accelerator does against the same on the whole fleet.
std::string againstFleet(const ScaledRow& row) {
    if (!row.its->best || row.whole == nullptr || !row.whole->best) return {};
    constexpr double kAlike = 0.5;
    const double percent = 100 * (row.its->perAccelerator() / row.whole->perAccelerator() - 1);
    if (row.its == row.whole) return {};
    return std::abs(percent) < kAlike ? std::string("alike")
                                      : fmt::format("{}{:.0f} %", percent > 0 ? "+" : "−", std::abs(percent));
}

const std::vector<study::Field<ScaledRow>>& scaledFields() {
    constexpr unsigned kBoth = study::kText | study::kExactTable, kWords = study::kText | study::kWords;
    using Row = ScaledRow;
    static const std::vector<study::Field<Row>> kFields{
        {"accelerators", "Accelerators", kBoth, [](const Row& row) { return study::given(row.its->accelerators); }},
        {.id = "times",
         .title = "Of the fleet",
         .uses = kBoth,
         .get = [](const Row& row) { return study::given(row.its->times); },
         .format = timesOfFleet},
        {.id = "step_time_s",
         .title = "Step",
         .uses = kBoth,
         .get = scaledScore<plan::Objective::time>,
         .measure = Measure::seconds},
        {.id = "low_s",
         .title = "Low",
         .uses = study::kExactTable,
         .get = [](const Row& row) { return row.its->best ? study::given(row.its->low) : study::FieldValue(); },
         .measure = Measure::seconds},
        {.id = "high_s",
         .title = "High",
         .uses = study::kExactTable,
         .get = [](const Row& row) { return row.its->best ? study::given(row.its->high) : study::FieldValue(); },
         .measure = Measure::seconds},
        {.id = "tokens_per_s_per_accelerator",
         .title = "Tokens/s per accelerator",
         .uses = kBoth,
         .get =
             [](const Row& row) {
                 return row.its->best ? study::given(row.its->perAccelerator()) : study::FieldValue();
             },
         .format = study::uncertainText},
        {"against_fleet", "Against the fleet", kWords, [](const Row& row) { return study::given(againstFleet(row)); }},
        {"used", "In use", kBoth, scaledScore<plan::Objective::accelerators>},
        {"configuration", "Configuration", kWords | study::kExactTable,
         [](const Row& row) {
             return study::given(row.its->best ? row.its->configuration : "nothing fits: " + row.its->misfit);
         }},
    };
    return kFields;
}

/// The best configuration, or a published run.
struct BesideRow {
    const PlanOutcome* outcome;
    const MeasuredBeside* its;  ///< null: the best
    const plan::Evaluated& best() const { return *outcome->best(); }
};

std::vector<BesideRow> besideRows(const PlanOutcome& outcome) {
    std::vector<BesideRow> rows;
    if (outcome.measured.empty()) return rows;
    if (outcome.best() != nullptr) rows.push_back({&outcome, nullptr});
    for (const MeasuredBeside& each : outcome.measured) rows.push_back({&outcome, &each});
    return rows;
}

/// What a source says; nothing of what it leaves open.
study::FieldValue saidOf(double value) {
    return value > 0 ? study::given(value) : study::FieldValue();
}

template <std::int64_t MeasuredBeside::*measured, int plan::Configuration::*planned>
study::FieldValue degreeBeside(const BesideRow& row) {
    return saidOf(row.its != nullptr ? static_cast<double>(row.its->*measured)
                                     : static_cast<double>(row.best().configuration.*planned));
}

/// Degrees of 1 are of no interest where no run has more.
template <std::int64_t MeasuredBeside::*measured, int plan::Configuration::*planned>
study::FieldValue aboveOneBeside(const BesideRow& row) {
    const study::FieldValue value = degreeBeside<measured, planned>(row);
    const auto* number = std::get_if<double>(&value);
    return number != nullptr && *number > 1 ? value : study::FieldValue();
}

std::string acceleratorsBeside(const BesideRow& row) {
    return row.its != nullptr ? row.its->accelerator
                              : row.outcome->acceleratorOf(row.best().configuration).value_or("several");
}

const std::vector<study::Field<BesideRow>>& besideFields() {
    constexpr unsigned kBoth = study::kText | study::kExactTable, kWords = kBoth | study::kWords;
    constexpr unsigned kOptional = kBoth | study::kOptional;
    using Row = BesideRow;
    using plan::Configuration;
    static const std::vector<study::Field<Row>> kFields{
        {"run", "Run", kWords, [](const Row& row) { return study::given(row.its ? "measured" : "this plan"); }},
        {.id = "tokens_per_s_per_accelerator",
         .title = "Tokens/s per accelerator",
         .uses = kBoth,
         .get =
             [](const Row& row) {
                 return study::given(row.its ? row.its->tokensPerSecond : PlanOutcome::perAccelerator(row.best()));
             },
         .text =
             [](const Row& row) {
                 return row.its ? study::uncertainText(row.its->tokensPerSecond)
                                : study::uncertainText(PlanOutcome::perAccelerator(row.best()));
             }},
        {.id = "predicted",
         .title = "Predicted for it",
         .uses = kBoth,
         .get = [](const Row& row) { return row.its ? study::given(row.its->predicted) : study::FieldValue(); },
         .format = study::uncertainText},
        {"accelerators", "Accelerators", kBoth,
         [](const Row& row) {
             return row.its ? study::given(row.its->accelerators)
                            : study::given(row.best().scores.of(plan::Objective::accelerators));
         }},
        {"accelerator", "Kind", kWords, [](const Row& row) { return study::given(acceleratorsBeside(row)); }},
        {"dtype", "Data type", kWords,
         [](const Row& row) {
             return study::given(row.its ? row.its->dtype : row.outcome->dtypes[row.best().configuration.dtype]);
         }},
        {"global_batch", "Batch", kBoth,
         [](const Row& row) { return saidOf(row.its ? row.its->globalBatch : row.outcome->globalBatch); }},
        {"tp", "TP", kBoth, degreeBeside<&MeasuredBeside::tensor, &Configuration::tensor>},
        {"pp", "PP", kBoth, degreeBeside<&MeasuredBeside::pipeline, &Configuration::pipeline>},
        {"dp", "DP", kBoth, degreeBeside<&MeasuredBeside::data, &Configuration::data>},
        {"cp", "CP", kOptional, aboveOneBeside<&MeasuredBeside::context, &Configuration::context>},
        {"ep", "EP", kOptional, aboveOneBeside<&MeasuredBeside::expert, &Configuration::expert>},
        {"virtual_stages", "VP", kOptional, aboveOneBeside<&MeasuredBeside::chunks, &Configuration::chunks>},
        {"micro_batch", "Micro-batch", kBoth,
         [](const Row& row) { return saidOf(row.its ? row.its->microBatch : row.best().configuration.micro); }},
        {"software", "Software", kWords,
         [](const Row& row) {
             return study::given(row.its ? escaped(row.its->software, kLongestSaid) : row.outcome->software);
         }},
        {"source", "Source", kWords,
         [](const Row& row) {
             return row.its ? study::given(escaped(row.its->source, kLongestSaid)) : study::FieldValue();
         }},
        {"id", "Row", study::kExactTable | study::kWords,
         [](const Row& row) { return row.its ? study::given(row.its->id) : study::FieldValue(); }},
    };
    return kFields;
}

/// "292 tokens/s measured on 1,024 h100, batch 512, tp 8 · pp 8 · dp 8 · cp 2, Megatron-Bridge 25.11 (megatron-bridge);
/// 272 predicted for it".
std::string measuredRunText(const MeasuredBeside& its) {
    std::string text = fmt::format("{} tokens/s measured on {} {}", study::uncertainText(its.tokensPerSecond),
                                   countText(its.accelerators), its.accelerator);
    if (its.globalBatch > 0) text += fmt::format(", batch {}", formatCount(its.globalBatch));
    std::vector<std::string> degrees;
    const std::array<std::pair<const char*, std::int64_t>, 5> kDegrees{{{"tp", its.tensor},
                                                                        {"pp", its.pipeline},
                                                                        {"dp", its.data},
                                                                        {"cp", its.context > 1 ? its.context : 0},
                                                                        {"ep", its.expert > 1 ? its.expert : 0}}};
    for (const auto& [name, degree] : kDegrees)
        if (degree > 0) degrees.push_back(fmt::format("{} {}", name, degree));
    if (!degrees.empty()) text += ", " + joined(degrees, " · ");
    if (!its.software.empty()) text += ", " + escaped(its.software, kLongestSaid);
    if (!its.source.empty()) text += fmt::format(" ({})", escaped(its.source, kLongestSaid));
    if (its.predicted) text += fmt::format("; {} predicted for it", study::uncertainText(*its.predicted));
    return text;
}

Series measuredDiamonds() {
    return {.id = "measured", .name = "measured", .mark = Mark::points, .colour = "text", .shape = kMeasuredShape};
}

void addDiamond(Series& series, double x, double y, std::string text) {
    series.x.push_back(x);
    series.y.push_back(y);
    series.valueTexts.push_back(std::move(text));
    series.radii.push_back(kDiamondRadius);
}

std::string measuredNote(const PlanOutcome& outcome) {
    std::vector<std::string> sources;
    for (const MeasuredBeside& each : outcome.measured)
        if (!each.source.empty()) study::addOnce(sources, {escaped(each.source, kLongestSaid)});
    return fmt::format("Diamonds are published runs{}, each with its own batch, degrees and software.",
                       sources.empty() ? "" : fmt::format(" ({})", joined(sources, ", ")));
}

/// What is best on each of the sizes: a line with its interval, and points with their steps.
void addPlanned(Chart& chart, const PlanOutcome& outcome) {
    const std::string blue(kCategories[0]);
    Series band{.id = "interval", .name = "90 % interval", .mark = Mark::band, .colour = blue};
    Series line{.id = "line", .mark = Mark::line, .colour = blue, .reference = true};
    Series points{
        .id = "planned", .name = "the best on as many", .mark = Mark::points, .colour = blue, .shape = kCircle};
    Series none{.id = "nothing", .name = "nothing fits", .mark = Mark::points, .colour = "bad", .shape = kTriangle};
    std::vector<double> low, high;
    for (const ScaledPlan& each : outcome.scaling) {
        const auto count = static_cast<double>(each.accelerators);
        const std::string accelerators = formatCounted(count, "accelerator", "accelerators");
        if (!each.best) {
            none.x.push_back(count);
            none.y.push_back(0);
            none.valueTexts.push_back(fmt::format("{}: {}", accelerators, each.misfit));
            none.labels.push_back(countText(each.accelerators) + ": nothing fits");
            continue;
        }
        const double rate = each.perAccelerator(), used = each.best->of(plan::Objective::accelerators);
        for (Series* series : {&band, &line, &points}) series->x.push_back(count);
        for (Series* series : {&line, &points}) series->y.push_back(rate);
        low.push_back(rate * stepSecondsOf(each) / each.high);
        high.push_back(rate * stepSecondsOf(each) / each.low);
        const std::string step = formatQuantity(stepSecondsOf(each), Measure::seconds);
        points.labels.push_back(countText(each.accelerators) + ": " + step);
        points.valueTexts.push_back(fmt::format(
            "{} tokens/s per accelerator · {} a step on {}{} · {}", study::uncertainText(rate), step, accelerators,
            used < count ? fmt::format(", of which {} are in use", formatCount(used)) : std::string(),
            each.configuration));
    }
    // A single point has no area about it.
    const bool isArea = points.x.size() > 1;
    (isArea ? band.low : points.low) = std::move(low);
    (isArea ? band.y : points.high) = std::move(high);
    if (isArea) chart.series.push_back(std::move(band));
    for (Series* series : {&line, &points, &none})
        if (!series->x.empty()) chart.series.push_back(std::move(*series));
}

/// "From 128 to 2,048 accelerators a step gets 20.4× as fast".
std::string scalingTitle(const PlanOutcome& outcome) {
    const ScaledPlan *first = nullptr, *last = nullptr;
    for (const ScaledPlan& each : outcome.scaling) {
        if (!each.best) continue;
        if (first == nullptr) first = &each;
        last = &each;
    }
    if (first == nullptr) return "What each accelerator does";
    if (outcome.goal() != plan::Objective::time)
        return fmt::format("Least {} on {} to {} accelerators: what each of them does",
                           plan::kObjectiveNames.of(outcome.goal()), countText(outcome.scaling.front().accelerators),
                           countText(outcome.scaling.back().accelerators));
    if (first == last)
        return fmt::format("Of {} to {} accelerators, {} alone hold a plan",
                           countText(outcome.scaling.front().accelerators),
                           countText(outcome.scaling.back().accelerators), countText(first->accelerators));
    return fmt::format("{}× the accelerators, from {} to {}, make a step {} as fast",
                       formatCount(last->times / first->times), countText(first->accelerators),
                       countText(last->accelerators), study::timesText(stepSecondsOf(*first) / stepSecondsOf(*last)));
}

/// What is the same on all sizes, and why there are no larger ones.
std::string sizesNote(const PlanOutcome& outcome) {
    const ScaledPlan& largest = outcome.scaling.back();
    std::string note =
        fmt::format("Labels: accelerators and the step of a batch of {}.", formatCount(outcome.globalBatch));
    const bool hasNoNetwork =
        std::any_of(outcome.groups.begin(), outcome.groups.end(), [&](const study::PlannedGroup& group) {
            return group.networkRate <= 0 &&
                   static_cast<double>(group.count) * 2 * largest.times > static_cast<double>(group.perNode);
        });
    if (hasNoNetwork)
        note +=
            fmt::format(" Of more than {} the fleet says no network between nodes.", countText(largest.accelerators));
    else if (largest.times < plan::kFleetSizes.back())
        note += fmt::format(" More than {} have more configurations than a study looks at.",
                            countText(largest.accelerators));
    return note;
}

}  // namespace

Chart planScalingChart(const PlanOutcome& outcome) {
    Chart chart{.id = "scaling", .title = scalingTitle(outcome)};
    chart.x = {.title = "Accelerators", .logarithmic = true};
    chart.y = {.title = "Tokens/s per accelerator", .fromZero = true};
    chart.empty = outcome.best() == nullptr ? kNoPlan
                                            : "The run was kept by a version that did not look at other numbers of "
                                              "accelerators. Repeat it to see them.";
    addPlanned(chart, outcome);
    Series marks = measuredDiamonds();
    for (const MeasuredBeside& each : outcome.measured)
        addDiamond(marks, static_cast<double>(each.accelerators), each.tokensPerSecond, measuredRunText(each));
    if (!marks.x.empty()) {
        chart.series.push_back(std::move(marks));
        chart.notes.push_back(measuredNote(outcome));
    }
    if (!outcome.scaling.empty()) chart.notes.insert(chart.notes.begin(), sizesNote(outcome));
    return chart;
}

Table planScalingTable(const PlanOutcome& outcome) {
    return tableOf(scaledFields(), scaledRows(outcome), study::kText);
}
Table exactPlanScalingTable(const PlanOutcome& outcome) {
    return tableOf(scaledFields(), scaledRows(outcome), study::kExactTable);
}

Table planMeasuredTable(const PlanOutcome& outcome) {
    return tableOf(besideFields(), besideRows(outcome), study::kText);
}
Table exactPlanMeasuredTable(const PlanOutcome& outcome) {
    return tableOf(besideFields(), besideRows(outcome), study::kExactTable);
}

std::string planMeasuredSentence(const PlanOutcome& outcome) {
    std::vector<std::string> kinds, elsewhere;
    for (const study::PlannedGroup& group : outcome.groups) study::addOnce(kinds, {group.accelerator});
    for (const study::MeasuredElsewhere& each : outcome.measuredElsewhere)
        elsewhere.push_back(
            fmt::format("{} ({})", each.dtype, formatCounted(static_cast<double>(each.runs), "run", "runs")));
    const std::string begin = fmt::format("Others measured this model on {}", joined(kinds, " or "));
    if (outcome.measured.empty()) {
        if (elsewhere.empty()) return {};
        return fmt::format("{} in {}, not in {}.", begin, joined(elsewhere, ", "), joined(outcome.dtypes, " or "));
    }
    const auto [least, most] =
        std::minmax_element(outcome.measured.begin(), outcome.measured.end(),
                            [](const auto& a, const auto& b) { return a.tokensPerSecond < b.tokensPerSecond; });
    const std::string low = study::uncertainText(least->tokensPerSecond),
                      high = study::uncertainText(most->tokensPerSecond);
    std::string text = fmt::format("{}: {} of {} tokens/s per accelerator", begin,
                                   formatCounted(static_cast<double>(outcome.measured.size()), "run", "runs"),
                                   low == high ? low : low + " to " + high);
    if (outcome.best() != nullptr)
        text += fmt::format("; this plan: {}", study::uncertainText(PlanOutcome::perAccelerator(*outcome.best())));
    return text + ".";
}

void markMeasuredSteps(Chart& chart, const PlanOutcome& outcome) {
    const plan::Evaluated* best = outcome.best();
    if (best == nullptr || chart.series.empty()) return;
    const std::optional<std::string> accelerator = outcome.acceleratorOf(best->configuration);
    const std::string& dtype = outcome.dtypes.at(best->configuration.dtype);
    Series marks = measuredDiamonds();
    for (const MeasuredBeside& each : outcome.measured) {
        if (each.accelerator != accelerator || (each.dtype != dtype && outcome.dtypes.size() > 1)) continue;
        const double step = outcome.globalBatch * outcome.sequence /
                            (each.tokensPerSecond * best->scores.of(plan::Objective::accelerators));
        addDiamond(marks, static_cast<double>(chart.x.categories.size()), step,
                   fmt::format("{} if each did as {}", formatQuantity(step, Measure::seconds), measuredRunText(each)));
    }
    if (marks.x.empty()) return;
    chart.x.categories.emplace_back("Published runs");
    chart.endTexts.emplace_back();
    chart.series.push_back(std::move(marks));
    chart.notes.push_back("Diamonds: the step of the best one if each of its accelerators did as published ones did.");
}

}  // namespace tessera::report

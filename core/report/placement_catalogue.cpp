#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/catalogues.h"
#include "core/report/codesign_pictures.h"
#include "core/report/field_table.h"
#include "core/study/metric.h"
#include "core/study/placement/study.h"
#include "core/study/timeline.h"

namespace tessera::report {

namespace {

using study::PlacementOutcome;

constexpr double kDrawingWidth = 960;

const PlacementOutcome& placementOutcomeOf(const study::Result& result) {
    return result.outcome.get<PlacementOutcome>();
}

const PlacementOutcome& placementOf(const View& view) {
    return placementOutcomeOf(view.result);
}

bool hasPlacement(const View& view) {
    return placementOf(view).placement.plan.has_value();
}

bool hasOwnPlan(const View& view) {
    return placementOf(view).own && placementOf(view).own->plan;
}

bool isShort(const View& view) {
    return placementOf(view).placement.shortage.has_value();
}

/// The fastest plan. Throws UsageError where there is none.
const codesign::Plan& viewedPlan(const View& view) {
    if (hasPlacement(view)) return *placementOf(view).placement.plan;
    throw UsageError("the result has no stages: no plan fits");
}

/// The user's own plan. Throws UsageError where there is none.
const codesign::Plan& ownPlanOf(const View& view) {
    if (hasOwnPlan(view)) return *placementOf(view).own->plan;
    throw UsageError("the result has no stages of a user-supplied plan: none was given, or it does not fit");
}

/// A stage of a plan, from 0.
struct StageRow {
    const PlacementOutcome* outcome;
    const codesign::PlacedStage* stage;
    std::size_t number;
};

template <auto part>
study::FieldValue ofStage(const StageRow& row) {
    return study::given(row.stage->*part);
}
template <auto part>
study::FieldValue ofMemory(const StageRow& row) {
    return study::given(std::invoke(part, row.stage->memory));
}

const std::vector<study::Field<StageRow>>& placedStageFields() {
    using codesign::PlacedStage;
    using codesign::StageMemory;
    constexpr unsigned kText = study::kText, kExactTable = study::kExactTable, kBoth = kText | kExactTable;
    static const std::vector<study::Field<StageRow>> kFields{
        {"stage", "Stage", kBoth, [](const StageRow& row) { return study::given(row.number + 1); }},
        {"layers", "Layers", kBoth | study::kWords,
         [](const StageRow& row) { return study::given(row.outcome->layersText(row.stage->layers)); }},
        {"accelerators", "Accelerators", kBoth, ofStage<&PlacedStage::accelerators>},
        {"load_s", "Load", kBoth, ofStage<&PlacedStage::load>, nullptr, Measure::seconds},
        {"forward_s", "Forward", kExactTable, ofStage<&PlacedStage::forward>, nullptr, Measure::seconds},
        {"memory_bytes", "Memory", kBoth, ofMemory<&StageMemory::total>, nullptr, Measure::bytes},
        {"weights_and_gradients_bytes", "Weights", kExactTable, ofMemory<&StageMemory::weights>, nullptr,
         Measure::bytes},
        {"optimizer_bytes", "Optimizer", kExactTable, ofMemory<&StageMemory::optimizer>, nullptr, Measure::bytes},
        {"activations_bytes", "Activations", kExactTable, ofMemory<&StageMemory::activations>, nullptr, Measure::bytes},
        {"beside_bytes", "Fixed memory", kExactTable, ofMemory<&StageMemory::beside>, nullptr, Measure::bytes},
        {"in_flight_bytes", "Stored activations (in flight)", kExactTable, ofMemory<&StageMemory::stashed>, nullptr,
         Measure::bytes},
        {"micro_batches_in_flight", "In flight", kBoth, ofMemory<&StageMemory::inFlight>},
    };
    return kFields;
}

Table placedStageTable(const codesign::Plan& plan, const PlacementOutcome& outcome,
                       study::FieldUse use = study::kText) {
    std::vector<StageRow> rows;
    for (const codesign::PlacedStage& stage : plan.stages) rows.push_back({&outcome, &stage, rows.size()});
    return tableOf(placedStageFields(), rows, use);
}

/// What would fit where nothing does.
Table shortageTable(const PlacementOutcome& outcome) {
    if (!outcome.placement.shortage) throw UsageError("the result has a plan that fits");
    const codesign::Shortage& shortage = *outcome.placement.shortage;
    Table table;
    table.columns = {{"what"}, {"needed", true}, {"there is", true}};
    const std::string there = formatCount(outcome.problem.accelerators);
    const std::string memory = formatQuantity(outcome.problem.memory.value, Measure::bytes);
    table.rows.push_back({"accelerators, with any memory", formatCount(shortage.minAccelerators), there});
    if (shortage.accelerators)
        table.rows.push_back({"accelerators, with this memory", formatCount(*shortage.accelerators), there});
    if (shortage.memory)
        table.rows.push_back(
            {"memory of an accelerator", formatQuantity(shortage.memory->value, Measure::bytes), memory});
    if (shortage.recompute) table.rows.push_back({"activations recomputed", "fits", "stored"});
    return table;
}

Chart loadChart(const PlacementOutcome& outcome) {
    Chart chart{.id = "stage-load", .title = "Load of every stage, one micro-batch"};
    chart.x = {.title = ""};
    chart.y = {.title = "Time of one micro-batch", .measure = Measure::seconds, .fromZero = true};
    chart.empty = "No plan fits.";
    if (!outcome.placement.plan) return chart;
    const std::vector<codesign::PlacedStage>& stages = outcome.placement.plan->stages;
    Series forward{
        .id = "forward", .name = "Forward", .mark = Mark::stackedBars, .colour = std::string(kCategories[0])},
        backward{
            .id = "backward", .name = "Backward", .mark = Mark::stackedBars, .colour = std::string(kCategories[1])};
    double sum = 0, max = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        chart.x.categories.push_back(fmt::format("stage {}", s + 1));
        forward.x.push_back(static_cast<double>(s));
        forward.y.push_back(stages[s].forward.value);
        backward.x.push_back(static_cast<double>(s));
        backward.y.push_back((stages[s].load - stages[s].forward).value);
        sum += stages[s].load.value;
        max = std::max(max, stages[s].load.value);
    }
    if (max > 0)
        chart.title = fmt::format("Stages are at work {} of the slowest one's time",
                                  study::percentText(sum / max / static_cast<double>(stages.size())));
    chart.series.push_back(std::move(forward));
    chart.series.push_back(std::move(backward));
    return chart;
}

std::vector<PictureRow> placementPictures() {
    return {
        {{"pipeline", "Pipeline", "One batch on the stages of one replica", Scope::result, kEverywhere | kTimeline,
          hasPlacement},
         [](const View& view) { return study::timelineOf(view.result, ""); }},
        {{"placement", "Placement", "The stages with their layers, load and memory", Scope::result,
          kEverywhere | kWithoutNumbers},
         [](const View& view) {
             return placementDrawing(study::placedModel(placementOf(view)), kDrawingWidth, estimatedWidth);
         }},
        {{"stage-memory", "Memory", "What fills the memory of each stage", Scope::result, kEverywhere, hasPlacement},
         [](const View& view) { return stageMemoryChart(study::placedModel(placementOf(view))); }},
        {{"stage-load", "Load", "What one micro-batch takes in each stage", Scope::result, kEverywhere, hasPlacement},
         from(loadChart)},
    };
}

std::vector<TableRow> placementTables() {
    return {
        {{"stages", "Stages", "The stages of the fastest plan", Scope::result, kEverywhere, hasPlacement},
         [](const View& view) { return placedStageTable(viewedPlan(view), placementOf(view)); },
         [](const View& view) { return placedStageTable(viewedPlan(view), placementOf(view), study::kExactTable); }},
        {{"own-stages", "Stages of the user-supplied plan", "The stages of the plan that was given", Scope::result,
          kEverywhere, hasOwnPlan},
         [](const View& view) { return placedStageTable(ownPlanOf(view), placementOf(view)); },
         [](const View& view) { return placedStageTable(ownPlanOf(view), placementOf(view), study::kExactTable); }},
        {{"shortage", "What would fit", "What would fit where nothing does", Scope::result, kEverywhere, isShort},
         from(shortageTable)},
        metricsRow(),
    };
}

std::string occupiedText(const PlacementOutcome& outcome) {
    return fmt::format("{} of {} occupied; each has {} of memory",
                       formatCount(PlacementOutcome::occupied(*outcome.placement.plan)),
                       formatCounted(outcome.problem.accelerators, "accelerator", "accelerators"),
                       formatQuantity(outcome.problem.memory.value, Measure::bytes));
}

/// "Plan 8,4,16: 150 ms/batch · … · 1.06× the time of the fastest", or why it does not fit.
std::string ownText(const PlacementOutcome& outcome) {
    const study::OwnPlan& own = *outcome.own;
    if (!own.misfit.empty()) return fmt::format("Plan {}: {}", escaped(own.given), escaped(own.misfit, 1024));
    const std::optional<double> times = outcome.timesTheFastest();
    std::string text = fmt::format("Plan {}: {}{}", escaped(own.given), study::planText(*own.plan, outcome),
                                   study::choiceText(own.chosen));
    if (times)
        text += *times == 1 ? " · as fast as the fastest"
                            : fmt::format(" · {} the time of the fastest", study::timesText(*times));
    return text;
}

std::vector<std::string> placementSentences(const study::Result& result) {
    const PlacementOutcome& outcome = placementOutcomeOf(result);
    std::vector<std::string> list;
    if (outcome.placement.plan) list.push_back(occupiedText(outcome) + ".");
    if (outcome.own) list.push_back(ownText(outcome));
    return list;
}

/// Empty where nothing fits: the command ends with the reason.
std::string text(const study::Result& result) {
    const PlacementOutcome& outcome = placementOutcomeOf(result);
    if (!outcome.placement.plan) return "";
    std::string text = fmt::format("{}\n\n{}\n{}\n", study::placementHeadline(outcome),
                                   toText(placedStageTable(*outcome.placement.plan, outcome)), occupiedText(outcome));
    if (outcome.own && outcome.own->misfit.empty())
        text += fmt::format("\n{}\n\n{}", ownText(outcome), toText(placedStageTable(*outcome.own->plan, outcome)));
    text += "\nAssumptions\n";
    for (const std::string& sentence : result.assumptions) text += "- " + sentence + "\n";
    return text;
}

std::string placementAnswer(const study::Result& result) {
    const PlacementOutcome& outcome = placementOutcomeOf(result);
    const std::optional<codesign::Plan>& best = outcome.placement.plan;
    if (!best) return "";
    std::string text = fmt::format("{} takes least time in {} and {} at tensor-parallel degree {}: {} a batch",
                                   outcome.name.empty() ? std::string("The model") : escaped(outcome.name),
                                   formatCounted(best->stages.size(), "stage", "stages"),
                                   formatCounted(best->data, "replica", "replicas"), best->tensorParallel,
                                   formatSeconds(best->timePerBatch));
    if (const auto rate = outcome.throughputOf(best)) text += fmt::format(", {} samples/s", study::rateText(*rate));
    return text + ". " +
           certaintySentence(outcome.placement.optimal ? std::string("proven fastest")
                                                       : "optimality gap ≤ " + study::percentText(outcome.gap()));
}

}  // namespace

Catalogue placementCatalogue() {
    return {.engine = "place",
            .pictures = placementPictures(),
            .tables = placementTables(),
            .firstTable = "stages",
            .preposition = "of",
            .subject =
                [](const study::Result& result) {
                    return placementOutcomeOf(result).name.empty() ? std::string("placement")
                                                                   : placementOutcomeOf(result).name;
                },
            .choices = [](const study::Result&) { return std::vector<std::string>(); },
            .sentences = placementSentences,
            .answer = placementAnswer,
            .text = text};
}

}  // namespace tessera::report

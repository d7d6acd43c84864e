#include "core/report/answers.h"

#include <fmt/format.h>

#include <string_view>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/codesign/metrics.h"
#include "core/study/codesign/outcome.h"
#include "core/study/cost/study.h"
#include "core/study/mapping/document.h"
#include "core/study/mapping/metrics.h"
#include "core/study/metric.h"
#include "core/study/partition/metrics.h"
#include "core/study/placement/outcome.h"
#include "core/study/plan/study.h"
#include "core/study/prediction/study.h"
#include "core/study/schedule/outcome.h"
#include "core/study/title.h"

namespace tessera::report {

namespace {

std::string durationText(double seconds) {
    return formatQuantity(seconds, Measure::seconds);
}

/// "That is proven optimal." of "proven optimal"; "The optimality gap is at most 7 %." of "optimality gap ≤ 7 %".
std::string certaintySentence(const std::string& certainty) {
    constexpr std::string_view kGap = "optimality gap ≤ ";
    if (certainty.starts_with(kGap))
        return fmt::format("The optimality gap is at most {}.", certainty.substr(kGap.size()));
    if (certainty == "no bound") return "No bound says how much better there is.";
    return fmt::format("{} {}.", certainty.ends_with("the bound") ? "It is" : "That is", certainty);
}

}  // namespace

std::string partitionAnswer(const study::Result& result) {
    const auto& outcome = result.outcome.get<study::PartitionOutcome>();
    const partition::Plan* best = study::fastestPlan(outcome);
    if (best == nullptr) return "";
    std::string text =
        fmt::format("Split by {}, a step of {} on {} takes {}, {} as fast as data parallelism: {} samples/s",
                    best->strategy, escaped(outcome.model), escaped(outcome.fleet), durationText(best->stepTime.value),
                    study::timesText(best->speedupOverDp), study::rateText(best->throughput));
    if (!best->idle.empty())
        text += fmt::format(", on {} with {} idle", study::placeText(*best), study::idleText(best->idle));
    return text + (best->fits ? ". " : ", but it does not fit in memory. ") +
           certaintySentence(study::certaintyText(*best));
}

std::string planAnswer(const study::Result& result) {
    const auto& outcome = result.outcome.get<study::PlanOutcome>();
    const plan::Evaluated* best = outcome.best();
    if (best == nullptr) return "";
    return fmt::format(
        "{} trains best on {} with {}: {} a step ({} to {}), {} {}/s, {} of peak. {}", escaped(outcome.model),
        escaped(outcome.fleet), study::configurationText(best->configuration),
        durationText(best->scores.of(plan::Objective::time)), durationText(best->low), durationText(best->high),
        study::uncertainText(best->tokensPerSecond), outcome.unit(), study::percentText(best->utilisation),
        outcome.ended == EndedBy::proof ? fmt::format("By the model of time that is the best of all {} configurations.",
                                                      formatCount(static_cast<double>(outcome.counted.all)))
                                        : std::string("The search was stopped: there may be better ones."));
}

std::string mappingAnswer(const study::Result& result) {
    const auto& outcome = result.outcome.get<study::MappingOutcome>();
    const mapping::Run* best = study::bestRun(outcome);
    if (best == nullptr) return "";
    std::string text =
        fmt::format("{} has the {} jobs of {} done after {}", best->algorithm,
                    formatCount(static_cast<double>(outcome.problem.jobs.size())),
                    escaped(study::mappingTitle(outcome)), study::cyclesText(outcome.problem, best->values.makespan));
    if (const auto rate = study::throughputOf(outcome.problem, best->values))
        text += fmt::format(", at {}", formatQuantity(rate->value, Measure::flopsPerSecond));
    return text + ". " + certaintySentence(study::certaintyText(*best));
}

std::string codesignAnswer(const study::Result& result) {
    const auto& outcome = result.outcome.get<study::CodesignOutcome>();
    const codesign::Result& found = outcome.result;
    if (!found.best) return "";
    return fmt::format(
        "The best accelerator for {} is {}, of {}, at {}. {}", escaped(study::shortNames(found.models)),
        hardware::nameOf(found.best->architecture), formatQuantity(found.best->area.value, Measure::area),
        study::objectiveText(found, found.best->objective), certaintySentence(study::certaintyText(found)));
}

std::string predictionAnswer(const study::Result& result) {
    const auto& outcome = result.outcome.get<study::PredictionOutcome>();
    const predict::Prediction* best = study::fastestPrediction(outcome);
    if (best == nullptr) return "";
    const auto first = study::contenders(outcome, study::kByThroughput, best->devices);
    std::string text = fmt::format(
        "{} trains {} fastest, at {} samples/s ({} to {}) with batch {}", escaped(study::nameOf(*best)),
        escaped(outcome.model), study::uncertainText(best->throughput),
        study::uncertainText(best->throughput * (1 + best->error.low)),
        study::uncertainText(best->throughput * (1 + best->error.high)), formatCount(static_cast<double>(best->batch)));
    if (first.size() > 1) text += fmt::format(", but {} are too close to call", study::anyOf(first));
    text += ".";
    const auto cheapest = study::contenders(outcome, study::kByPrice, best->devices);
    if (!cheapest.empty() && cheapest.front()->samplesPerUsd)
        text += fmt::format(" Per dollar, {} does most: {} samples.", study::anyOf(cheapest),
                            study::uncertainText(*cheapest.front()->samplesPerUsd));
    else if (const predict::Ranking* ranking = study::rankingOf(outcome, study::kByThroughput, best->devices);
             ranking != nullptr && ranking->order.size() > 1)
        text += fmt::format(" The {}.", study::correctText(*ranking));
    return text;
}

std::string placementAnswer(const study::Result& result) {
    const auto& outcome = result.outcome.get<study::PlacementOutcome>();
    const std::optional<codesign::Plan>& best = outcome.placement.plan;
    if (!best) return "";
    std::string text = fmt::format("{} takes least time in {} and {} at tensor-parallel degree {}: {} a batch",
                                   outcome.name.empty() ? std::string("The model") : escaped(outcome.name),
                                   formatCounted(static_cast<double>(best->stages.size()), "stage", "stages"),
                                   formatCounted(static_cast<double>(best->data), "replica", "replicas"),
                                   best->tensorParallel, durationText(best->timePerBatch.value));
    if (const auto rate = outcome.throughputOf(best)) text += fmt::format(", {} samples/s", study::rateText(*rate));
    return text + ". " +
           certaintySentence(outcome.placement.optimal ? std::string("proven fastest")
                                                       : "optimality gap ≤ " + study::percentText(outcome.gap()));
}

std::string scheduleAnswer(const study::Result& result) {
    const auto& outcome = result.outcome.get<study::ScheduleOutcome>();
    const codesign::ScheduleResult& found = outcome.result;
    return fmt::format("The {} operators of {} are done after {}, {:.2g} % below one after the other. {}",
                       formatCount(static_cast<double>(outcome.operators.size())),
                       outcome.layer.empty() ? escaped(study::titleOf(result)) : escaped(outcome.layer),
                       formatCount(found.schedule.makespan), 100 * outcome.gain(),
                       certaintySentence(found.optimal ? std::string("proven optimal")
                                                       : study::gapText(found.schedule.makespan, found.lowerBound)));
}

std::string costAnswer(const study::Result& result) {
    const auto& outcome = result.outcome.get<study::CostOutcome>();
    const study::CostTotals totals = study::totalsOf(outcome);
    if (!totals.isKnown()) return "";
    return fmt::format(
        "The {} layers of {} take {} cycles and {} under {} on {} elements. They use {} of the elements "
        "and move {} off the chip.",
        formatCount(static_cast<double>(totals.layers - totals.failed)),
        escaped(study::shortNames(result.study.workloads)), formatCount(totals.cycles),
        formatQuantity(totals.energy, Measure::joules), escaped(outcome.dataflow),
        formatCount(static_cast<double>(totals.array.pes)), study::percentText(totals.utilisation),
        formatQuantity(totals.offChipBytes, Measure::bytes));
}

}  // namespace tessera::report

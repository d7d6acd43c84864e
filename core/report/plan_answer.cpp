#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/theme.h"
#include "core/report/plan_pictures.h"
#include "core/study/metric.h"
#include "core/study/plan/fields.h"

namespace tessera::report {

namespace {

using study::PlanOutcome;

double secondsOf(const plan::Evaluated& each) {
    return each.scores.of(plan::Objective::time);
}

/// "+3.1 s tensor parallelism, −0.4 s bubble": the largest first, without those that do not count.
std::string shareDifferences(const plan::Evaluated& its, const plan::Evaluated& best) {
    std::vector<study::StepTimePart> parts = study::stepTimeDifferences(its.time, best.time);
    constexpr double kMinShare = 1e-3;
    std::erase_if(parts, [&](const auto& each) { return std::abs(each.seconds) < kMinShare * secondsOf(best); });
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return std::abs(a.seconds) > std::abs(b.seconds); });
    std::vector<std::string> texts;
    for (const study::StepTimePart& each : parts)
        texts.push_back(fmt::format("{}{} {}", each.seconds > 0 ? "+" : "−", formatSeconds(std::abs(each.seconds)),
                                    lowered(each.title)));
    return joined(texts, ", ");
}

std::string comparison(const plan::Evaluated& its, const plan::Evaluated& best) {
    constexpr double kSame = 5e-4;
    const double times = secondsOf(its) / secondsOf(best);
    if (its.configuration == best.configuration) return "the best itself";
    if (std::abs(times - 1) < kSame) return "as fast as the best";
    return times > 1 ? fmt::format("{:.1f} % more than the best", 100 * (times - 1))
                     : fmt::format("{:.1f} % less than the best of the study", 100 * (1 - times));
}

/// A stage that does not fit, as pictures of memory show stages.
plan::EvaluatedStage stageOf(const plan::Shortage& shortage) {
    return {.group = shortage.group,
            .memory = shortage.memory,
            .allowance = shortage.allowance,
            .capacity = shortage.capacity};
}

Chart missingMemoryChart(const PlanOutcome& outcome, const plan::Configuration& closest,
                         const plan::Shortage& shortage) {
    Chart chart{.id = "answer-memory",
                .title = fmt::format("{}: accelerators of stage {} lack {}", planLabel(closest), shortage.stage + 1,
                                     formatQuantity(shortage.total() - shortage.capacity, Measure::bytes))};
    chart.y = {.title = "Memory", .measure = Measure::bytes, .fromZero = true};
    std::vector<plan::EvaluatedStage> stages{stageOf(shortage)};
    chart.x.categories = {fmt::format("Asked, stage {}", shortage.stage + 1)};
    if (const plan::Evaluated* best = outcome.best()) {
        const plan::EvaluatedStage& fullest = study::fullestStage(*best);
        stages.push_back(fullest);
        chart.x.categories.push_back(fmt::format("The best, stage {}", &fullest - best->stages.data() + 1));
    }
    chart.series = planMemorySeries(stages);
    return chart;
}

}  // namespace

std::vector<std::string> planAnswerSentences(const PlanOutcome& outcome, const study::AskedConfiguration& asked) {
    const std::string given = escaped(asked.given);
    if (!asked.evaluated) return {fmt::format("{} cannot be: {}.", given, asked.misfit)};
    const plan::Evaluated& its = *asked.evaluated;
    const plan::Evaluated* best = outcome.best();
    std::vector<std::string> all;
    const std::string whole = plan::shortText(its.configuration);
    std::string first = whole == asked.given
                            ? fmt::format("{} takes", given)
                            : fmt::format("The best with {} is {}. It takes", given, planLabel(its.configuration));
    first += fmt::format(" {} a step", formatSeconds(secondsOf(its)));
    if (best != nullptr) first += ", " + comparison(its, *best);
    all.push_back(first + fmt::format("; its fullest accelerator holds {}.",
                                      formatQuantity(its.scores.of(plan::Objective::memory), Measure::bytes)));
    if (best == nullptr || its.configuration == best->configuration) return all;
    if (const std::string differences = shareDifferences(its, *best); !differences.empty())
        all.push_back(fmt::format("Against the best: {}.", differences));
    return all;
}

std::vector<Chart> planAnswerCharts(const PlanOutcome& outcome, const study::PlanAnswer& answer) {
    if (!answer.asked.evaluated) {
        if (!answer.closest) return {};
        return {missingMemoryChart(outcome, answer.closest->first, answer.closest->second)};
    }
    PlanOutcome both;
    both.dtypes = outcome.dtypes;
    both.groups = outcome.groups;
    if (outcome.best() != nullptr) both.configurations.push_back(*outcome.best());
    both.configurations.push_back(*answer.asked.evaluated);
    std::vector<Chart> charts{planTimeChart(both), planOverheadChart(both)};
    charts[0].title = "Step-time breakdown";
    for (Chart& chart : charts) {
        chart.id = "answer-" + chart.id;
        chart.notes.clear();
        const std::size_t asked = both.configurations.size() - 1;
        chart.x.categories[asked] = "Asked: " + planLabel(both.configurations[asked].configuration);
        if (asked > 0) chart.x.categories[0] = "The best: " + planLabel(both.configurations[0].configuration);
    }
    return charts;
}

}  // namespace tessera::report

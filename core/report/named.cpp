#include "core/report/named.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/report/partition_pictures.h"
#include "core/report/partition_report.h"
#include "core/report/scaling_picture.h"
#include "core/study/metric.h"
#include "core/study/scaling.h"

namespace tessera::report {

namespace {

const study::PartitionOutcome& outcomeOf(const study::Result& result) {
    return std::get<study::PartitionOutcome>(result.outcome);
}

const partition::Plan& planOf(const study::Result& result, const std::string& strategy) {
    for (const partition::Plan& plan : outcomeOf(result).result.plans)
        if (plan.strategy == strategy) return plan;
    throw UsageError(fmt::format("the result has no strategy {}", inQuotes(strategy)));
}

Table metricsTable(const study::Result& result, const std::string& /*strategy*/, const study::RunHooks& /*hooks*/) {
    Table table;
    table.columns = {{"metric"}, {"title"}, {"of"}, {"value", true}};
    for (const study::Metric& metric : study::metricsOf(result))
        table.rows.push_back({metric.name, metric.title, metric.owner, exactNumber(metric.value)});
    return table;
}

}  // namespace

const std::vector<NamedPicture>& namedPictures() {
    using Result = study::Result;
    using Text = std::string;
    using Hooks = study::RunHooks;
    static const std::vector<NamedPicture> kPictures{
        {"types", "Partition types by layer and split",
         [](const Result& result, const Text& strategy, const Hooks& /*hooks*/) -> Picture {
             return typeMap(outcomeOf(result), strategy);
         }},
        {"speedup", "Speed-up over data parallelism",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) -> Picture {
             return speedupChart(outcomeOf(result));
         }},
        {"step-time", "Step time by strategy, with its bound",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) -> Picture {
             return stepTimeChart(outcomeOf(result));
         }},
        {"ratios", "Share of the first side of each split",
         [](const Result& result, const Text& strategy, const Hooks& /*hooks*/) -> Picture {
             return ratioChart(outcomeOf(result), strategy);
         }},
        {"layers", "Time by layer at the first split",
         [](const Result& result, const Text& strategy, const Hooks& /*hooks*/) -> Picture {
             return layerChart(outcomeOf(result), strategy, 0);
         }},
        {"levels", "Time by level of the hierarchy",
         [](const Result& result, const Text& strategy, const Hooks& /*hooks*/) -> Picture {
             return levelChart(outcomeOf(result), strategy);
         }},
        {"scaling", "Speed-up by levels of splits, solved anew",
         [](const Result& result, const Text& /*strategy*/, const Hooks& hooks) -> Picture {
             return scalingChart(study::scaling(result.study, hooks));
         }},
        {"memory", "Memory of each kind of accelerator",
         [](const Result& result, const Text& strategy, const Hooks& /*hooks*/) -> Picture {
             return memoryChart(outcomeOf(result), strategy);
         }},
        {"timeline", "The step as it goes",
         [](const Result& result, const Text& strategy, const Hooks& /*hooks*/) -> Picture {
             return study::timelineOf(result, strategy);
         }},
    };
    return kPictures;
}

const std::vector<NamedTable>& namedTables() {
    using Result = study::Result;
    using Text = std::string;
    using Hooks = study::RunHooks;
    static const std::vector<NamedTable> kTables{
        {"layers", "Every layer of every split",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return layerTable(outcomeOf(result));
         }},
        {"strategies", "Strategies side by side",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return strategyTable(outcomeOf(result));
         }},
        {"levels", "Splits",
         [](const Result& result, const Text& strategy, const Hooks& /*hooks*/) {
             return levelTable(planOf(result, strategy));
         }},
        {"accelerators", "Work and memory by kind of accelerator",
         [](const Result& result, const Text& strategy, const Hooks& /*hooks*/) {
             return acceleratorTable(planOf(result, strategy));
         }},
        {"scaling", "Strategies on a half, a quarter, … of the array, solved anew",
         [](const Result& result, const Text& /*strategy*/, const Hooks& hooks) {
             return scalingTable(study::scaling(result.study, hooks));
         }},
        {"metrics", "All metrics, full precision", metricsTable},
    };
    return kTables;
}

std::string toSvg(const Picture& picture, const Theme& theme) {
    return std::visit([&](const auto& value) { return toSvg(value, theme); }, picture);
}

std::string toCsv(const Picture& picture) {
    return std::visit([](const auto& value) { return toCsv(value); }, picture);
}

std::string strategyOf(const study::Result& result, const std::string& wanted) {
    if (wanted.empty()) return bestPlan(outcomeOf(result)).strategy;
    return planOf(result, wanted).strategy;
}

}  // namespace tessera::report

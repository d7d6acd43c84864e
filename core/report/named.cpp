#include "core/report/named.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/report/codesign_pictures.h"
#include "core/report/codesign_points.h"
#include "core/report/codesign_report.h"
#include "core/report/mapping_pictures.h"
#include "core/report/mapping_report.h"
#include "core/report/partition_pictures.h"
#include "core/report/partition_report.h"
#include "core/report/prediction_pictures.h"
#include "core/report/prediction_report.h"
#include "core/report/scaling_picture.h"
#include "core/study/mapping_schedule.h"
#include "core/study/metric.h"
#include "core/study/prediction_study.h"
#include "core/study/scaling.h"
#include "core/study/timeline.h"

namespace tessera::report {

namespace {

const study::PartitionOutcome& outcomeOf(const study::Result& result) {
    const auto* outcome = std::get_if<study::PartitionOutcome>(&result.outcome);
    if (outcome == nullptr) throw UsageError("only a run of the partition engine has this");
    return *outcome;
}

const partition::Plan& planOf(const study::Result& result, const std::string& strategy) {
    for (const partition::Plan& plan : outcomeOf(result).result.plans)
        if (plan.strategy == strategy) return plan;
    throw UsageError(fmt::format("the result has no strategy {}", inQuotes(strategy)));
}

const study::MappingOutcome& mappingOf(const study::Result& result) {
    const auto* outcome = std::get_if<study::MappingOutcome>(&result.outcome);
    if (outcome == nullptr) throw UsageError("only a run of the mapping engine has this");
    return *outcome;
}

const study::CodesignOutcome& codesignOf(const study::Result& result) {
    const auto* outcome = std::get_if<study::CodesignOutcome>(&result.outcome);
    if (outcome == nullptr) throw UsageError("only a run of the co-design engine has this");
    return *outcome;
}

const study::PredictionOutcome& predictionOf(const study::Result& result) {
    const auto* outcome = std::get_if<study::PredictionOutcome>(&result.outcome);
    if (outcome == nullptr) throw UsageError("only a run of the prediction engine has this");
    return *outcome;
}

/// By "bow" or "bow@8".
const predict::Prediction& predictionNamed(const study::Result& result, const std::string& name) {
    for (const predict::Prediction& one : predictionOf(result).predictions)
        if (study::nameOf(one) == name) return one;
    throw UsageError(fmt::format("the result has no prediction {}", inQuotes(name)));
}

/// The level of memory that pictures are of: the largest that holds something.
std::size_t mostUsed(const predict::Prediction& prediction) {
    const std::vector<std::size_t> levels = usedLevels(prediction);
    return levels.empty() ? 0 : levels.front();
}

const mapping::Run& runOf(const study::Result& result, const std::string& algorithm) {
    return study::runOf(mappingOf(result), algorithm);
}

/// A model on the accelerator that a search chose.
const codesign::ModelResult& modelOf(const study::Result& result, const std::string& model) {
    for (const codesign::ModelResult& each : codesignOf(result).result.perModel)
        if (each.model == model) return each;
    throw UsageError(fmt::format("the result has no model {}", inQuotes(model)));
}

template <typename Row>
std::vector<Row> ofEngine(const std::vector<Row>& rows, std::string_view engine) {
    std::vector<Row> found;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(found),
                 [&](const Row& row) { return row.engine.empty() || row.engine == engine; });
    return found;
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
        {"schedule", "Jobs on their cores, with the bandwidth they get",
         [](const Result& result, const Text& strategy, const Hooks& /*hooks*/) -> Picture {
             return study::scheduleTimeline(mappingOf(result), runOf(result, strategy));
         },
         "mapping"},
        {"race", "The best of each algorithm against its samples, with the bound",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) -> Picture {
             return raceCharts(mappingOf(result)).front();
         },
         "mapping"},
        {"race-gap", "The same as distances from the bound",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) -> Picture {
             return raceCharts(mappingOf(result)).back();
         },
         "mapping"},
        {"algorithms", "What each algorithm reached, with the bound",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) -> Picture {
             return algorithmChart(mappingOf(result));
         },
         "mapping"},
        {"demand", "Latency and bandwidth of every job by kind of core",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) -> Picture {
             return demandChart(mappingOf(result));
         },
         "mapping"},
        {"explored", "Search-space projection (PCA)",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) -> Picture {
             return exploredChart(mappingOf(result));
         },
         "mapping"},
        {"front", "What two objectives cannot have together",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) -> Picture {
             return frontChart(mappingOf(result));
         },
         "mapping"},
        {"cores", "What every core does",
         [](const Result& result, const Text& strategy, const Hooks& /*hooks*/) -> Picture {
             return coreChart(mappingOf(result), strategy);
         },
         "mapping"},
        {"pareto", "Area against throughput of every architecture that was evaluated, with the front",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) -> Picture {
             return paretoPicture(codesignOf(result).result).chart;
         },
         "codesign"},
        {"exploration", "How the search went from large to small areas",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) -> Picture {
             return explorationChart(codesignOf(result).result, false);
         },
         "codesign"},
        {"reference", "Throughput of each model over the reference's",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) -> Picture {
             return speedupChart(codesignOf(result).result);
         },
         "codesign"},
        {"batch-time", "What the time of a batch consists of, by model",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) -> Picture {
             return timeShareChart(codesignOf(result).result);
         },
         "codesign"},
        {"areas", "What the accelerator and the baselines are made of",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) -> Picture {
             return areaPartsChart(codesignOf(result).result);
         },
         "codesign"},
        {"operators", "Operators of a model's main layer on the cores of one accelerator",
         [](const Result& result, const Text& strategy, const Hooks& /*hooks*/) -> Picture {
             return operatorTimeline(modelOf(result, strategy), false);
         },
         "codesign"},
        {"stage-memory", "What fills the memory of each stage of a model",
         [](const Result& result, const Text& strategy, const Hooks& /*hooks*/) -> Picture {
             return stageMemoryChart(modelOf(result, strategy));
         },
         "codesign"},
        {"throughput", "Throughput of every accelerator, with its error",
         [](const Result& result, const Text& prediction, const Hooks& /*hooks*/) -> Picture {
             const predict::Prediction& one = predictionNamed(result, prediction);
             return throughputChart(predictionOf(result), one.devices);
         },
         "predict"},
        {"price-performance", "Samples per dollar of every accelerator, with its error",
         [](const Result& result, const Text& prediction, const Hooks& /*hooks*/) -> Picture {
             const predict::Prediction& one = predictionNamed(result, prediction);
             return pricePerformanceChart(predictionOf(result), one.devices);
         },
         "predict"},
        {"cost", "What the samples that were asked for cost",
         [](const Result& result, const Text& prediction, const Hooks& /*hooks*/) -> Picture {
             const predict::Prediction& one = predictionNamed(result, prediction);
             return trainingCostChart(predictionOf(result), one.devices);
         },
         "predict"},
        {"methods", "The same by baseline predictors",
         [](const Result& result, const Text& prediction, const Hooks& /*hooks*/) -> Picture {
             const predict::Prediction& one = predictionNamed(result, prediction);
             return methodChart(predictionOf(result), one.devices);
         },
         "predict"},
        {"stages", "What a step consists of, and what of it is hidden",
         [](const Result& result, const Text& prediction, const Hooks& /*hooks*/) -> Picture {
             const predict::Prediction& one = predictionNamed(result, prediction);
             return stageChart(predictionOf(result), one.devices);
         },
         "predict"},
        {"batches", "What every candidate for the batch puts into memory",
         [](const Result& result, const Text& prediction, const Hooks& /*hooks*/) -> Picture {
             const predict::Prediction& one = predictionNamed(result, prediction);
             return batchMemoryChart(one, mostUsed(one));
         },
         "predict"},
        {"memory", "How full every level of memory is",
         [](const Result& result, const Text& prediction, const Hooks& /*hooks*/) -> Picture {
             const predict::Prediction& one = predictionNamed(result, prediction);
             return levelChart(one);
         },
         "predict"},
        {"operators", "Operators on the roofline of an accelerator",
         [](const Result& result, const Text& prediction, const Hooks& /*hooks*/) -> Picture {
             const predict::Prediction& one = predictionNamed(result, prediction);
             return operatorRoofline(predictionOf(result), one).chart;
         },
         "predict"},
        {"devices", "Throughput by number of devices",
         [](const Result& result, const Text& /*prediction*/, const Hooks& /*hooks*/) -> Picture {
             return deviceScalingChart(predictionOf(result));
         },
         "predict"},
        {"device-speedup", "Speed-up by number of devices",
         [](const Result& result, const Text& /*prediction*/, const Hooks& /*hooks*/) -> Picture {
             return deviceSpeedupChart(predictionOf(result));
         },
         "predict"},
        {"timeline", "What happens when",
         [](const Result& result, const Text& strategy, const Hooks& /*hooks*/) -> Picture {
             return study::timelineOf(result, strategy);
         },
         ""},
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
        {"jobs", "Every job of every algorithm's mapping",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return mappedJobsTable(mappingOf(result));
         },
         "mapping"},
        {"algorithms", "Algorithms side by side",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return algorithmTable(mappingOf(result));
         },
         "mapping"},
        {"sub-accelerators", "Work of each sub-accelerator",
         [](const Result& result, const Text& strategy, const Hooks& /*hooks*/) {
             return coreTable(mappingOf(result), runOf(result, strategy));
         },
         "mapping"},
        {"bounds", "Lower bounds of the makespan",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return boundTable(mappingOf(result));
         },
         "mapping"},
        {"job-table", "What every job takes on every core, as 'tessera map --job-table' reads it",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return problemTable(mappingOf(result));
         },
         "mapping"},
        {"front", "Front of area and objective",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return frontTable(codesignOf(result));
         },
         "codesign"},
        {"baselines", "The best accelerator beside those that it is compared with",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return acceleratorTable(codesignOf(result));
         },
         "codesign"},
        {"models", "How each model is placed on the best accelerator",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return trainedModelTable(codesignOf(result));
         },
         "codesign"},
        {"batch-time", "What the time of a batch consists of",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return batchTimeTable(codesignOf(result));
         },
         "codesign"},
        {"predictions", "One row per accelerator and number of devices",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return predictionTable(predictionOf(result));
         },
         "predict"},
        {"stages", "The stages of a step",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return stageTable(predictionOf(result));
         },
         "predict"},
        {"memory", "What lies in each level of memory",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return memoryTable(predictionOf(result));
         },
         "predict"},
        {"batches", "What every candidate for the batch takes, full precision",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return batchSheet(predictionOf(result));
         },
         "predict"},
        {"operators", "The operators of a step, those that are alike together, full precision",
         [](const Result& result, const Text& prediction, const Hooks& /*hooks*/) {
             return operatorSheet(predictionOf(result), predictionNamed(result, prediction));
         },
         "predict"},
        {"sources", "Where the numbers of the accelerators come from",
         [](const Result& result, const Text& /*strategy*/, const Hooks& /*hooks*/) {
             return sourceSheet(predictionOf(result));
         },
         "predict"},
        {"metrics", "All metrics, full precision", metricsTable, ""},
    };
    return kTables;
}

std::vector<NamedPicture> namedPictures(std::string_view engine) {
    return ofEngine(namedPictures(), engine);
}

std::vector<NamedTable> namedTables(std::string_view engine) {
    return ofEngine(namedTables(), engine);
}

std::string toSvg(const Picture& picture, const Theme& theme) {
    return std::visit([&](const auto& value) { return toSvg(value, theme); }, picture);
}

std::string toCsv(const Picture& picture) {
    return std::visit([](const auto& value) { return toCsv(value); }, picture);
}

std::string strategyOf(const study::Result& result, const std::string& wanted) {
    if (const auto* mapping = std::get_if<study::MappingOutcome>(&result.outcome))
        return wanted.empty() ? study::bestRun(*mapping)->algorithm : runOf(result, wanted).algorithm;
    if (const auto* codesign = std::get_if<study::CodesignOutcome>(&result.outcome)) {
        if (!wanted.empty() || codesign->result.perModel.empty()) return wanted;
        return codesign->result.perModel.front().model;
    }
    if (const auto* prediction = std::get_if<study::PredictionOutcome>(&result.outcome)) {
        const predict::Prediction* best = study::fastestPrediction(*prediction);
        return wanted.empty() && best != nullptr ? study::nameOf(*best)
                                                 : study::nameOf(predictionNamed(result, wanted));
    }
    if (wanted.empty()) return bestPlan(outcomeOf(result)).strategy;
    return planOf(result, wanted).strategy;
}

}  // namespace tessera::report

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/graph_hierarchy.h"
#include "core/study/document_schema.h"
#include "core/study/members.h"
#include "core/study/prediction/study.h"

namespace tessera::study {

namespace {

using predict::Category;

constexpr DocumentKind kKind{
    .schema = "tessera.prediction-result/1",
    .command = "predict",
    .about = "How fast and at what price accelerators train a model, with rankings and their probability.",
    .seeded = true};
constexpr std::string_view kAboveZero = R"({"exclusiveMinimum": 0})";
constexpr std::string_view kShare = R"({"minimum": 0, "maximum": 1})";
constexpr std::string_view kByLevel = R"({"additionalProperties": {"type": "number", "minimum": 0}})";
constexpr std::string_view kWholeOrMisfit = R"({"minItems": 1, "items": {"oneOf": [
    {"required": ["infeasible"]},
    {"required": ["stages", "step_time_s", "throughput_samples_per_s", "relative_error", "operators", "baselines"]}]}})";
constexpr Key kSourcesKey{"sources", "Where the accelerator's numbers come from, by their path in its file."};
constexpr Key kLevelsKey{"memory_levels", "The levels, from the fastest."};
constexpr std::array<std::string_view, 5> kReliabilities{"measured", "fitted", "transferred", "datasheet", "assumed"};

std::string_view categoryId(std::size_t index) {
    return idOf(static_cast<Category>(index));
}

// Memory --------------------------------------------------------------------------------------------------------------

constexpr auto kLevel = [](auto& doc, auto& level) {
    doc("name", level.level);
    doc("on_chip", level.onChip);
    doc({"capacity_bytes", "Where it is known.", kAboveZero}, level.capacity);
    doc({"bandwidth_bytes_per_s", "Where it is known.", kAboveZero}, level.bandwidth);
    doc.derived({"bytes", "What lies in it.", kFromZero}, predict::sumOf(level.bytes));
};

/// Category → level → bytes.
constexpr auto kCategoryBytes = [](auto& doc, auto& memory) {
    for (std::size_t c = 0; c < predict::kCategories; ++c)
        doc.group({categoryId(c), "Bytes by level.", kByLevel}, [&](auto& levels) {
            for (auto& level : memory.levels) levels(level.level, level.bytes[c]);
        });
};

constexpr auto kMemory = [](auto& doc, auto& memory) {
    // Levels are named after what they hold.
    if constexpr (kReads<decltype(doc)>) doc.list(kLevelsKey, memory.levels, kLevel);
    doc.object({"memory", "Bytes of one device at the moment of the step when most is needed, by category and level."},
               memory, kCategoryBytes);
    if constexpr (kReads<decltype(doc)>) {
        for (const predict::LevelUse& level : memory.levels)
            for (std::size_t c = 0; c < predict::kCategories; ++c) memory.bytes[c] += level.bytes[c];
    } else {
        doc.list(kLevelsKey, memory.levels, kLevel);
    }
    doc.unlessEmpty({"memory_peak_at", "The operator that runs at that moment."}, memory.at);
};

/// What a candidate takes, by category and level; what is nothing is left out.
constexpr auto kBatch = [](auto& doc, auto& tried, const std::vector<predict::LevelUse>& levels) {
    doc({"batch", "Samples per step."}, tried.batch, 1);
    doc({"fits", "All levels hold what they must."}, tried.fits);
    doc.unlessEmpty({"throughput_samples_per_s",
                     "Samples per second over all devices with this batch. Absent where it does not fit, where the "
                     "batch was given, and in documents of older programs."},
                    tried.throughput, kPositive);
    if constexpr (kReads<decltype(doc)>) tried.levels.resize(levels.size());
    doc.group({"memory", "Bytes by category and level; what is nothing is left out."}, [&](auto& categories) {
        for (std::size_t c = 0; c < predict::kCategories; ++c) {
            const bool any = std::any_of(tried.levels.begin(), tried.levels.end(),
                                         [c](const predict::CategoryBytes& bytes) { return bytes[c] > 0; });
            if (!categories.has(categoryId(c), any)) continue;
            categories.group({categoryId(c), "Bytes by level.", kByLevel}, [&](auto& bytes) {
                for (std::size_t level = 0; level < tried.levels.size(); ++level)
                    bytes.unlessEmpty(levels[level].level, tried.levels[level][c]);
            });
        }
    });
};

// Operators -----------------------------------------------------------------------------------------------------------

constexpr auto kSlowest = [](auto& doc, auto& op) {
    doc("name", op.name);
    doc({"type", "Kind."}, op.type);
    doc("phase", op.phase, model::kPhaseNames);
    doc("way", op.way, predict::kWayNames);
    doc({"bound", "compute, a level of memory, the measured kernel, or joined to the operator before it."}, op.bound);
    doc("outside_hull", op.outsideHull);
    doc({"time_s", "Its time.", kFromZero}, op.time);
};

constexpr auto kAlike = [](auto& doc, auto& op) {
    doc({"name", "Of the first."}, op.name);
    doc({"type", "Kind."}, op.type);
    doc("phase", op.phase, model::kPhaseNames);
    doc("class", op.group, model::kOperatorClassNames);
    doc({"count", "How many there are."}, op.count, 1);
    doc("way", op.way, predict::kWayNames);
    doc({"bound", "compute, a level of memory, the measured kernel, or joined to the operator before it."}, op.bound);
    doc({"flops", "Work of one."}, op.flops, kNotNegative);
    doc({"bytes", "Read and written by one."}, op.bytes, kNotNegative);
    doc({"time_s", "Of one."}, op.time, kNotNegative);
};

constexpr auto kOperators = [](auto& doc, auto& shares) {
    doc({"count", "Operators that take time."}, shares.operators);
    doc({"common", "Of them by a measured kernel."}, shares.measured, 0, shares.operators);
    doc({"outside_hull", "Of the others those whose kernel was measured at other shapes only."}, shares.outsideHull, 0,
        shares.operators);
    const double common =
        shares.operators > 0 ? static_cast<double>(shares.measured) / static_cast<double>(shares.operators) : 0;
    doc.derived({"common_share", "common / count.", kShare}, common);
    doc.derived({"uncommon_share", "1 - common_share.", kShare}, 1 - common);
    doc({"time_s", "Of all.", kFromZero}, shares.time);
    doc({"common_time_s", "Of those by a measured kernel.", kFromZero}, shares.measuredTime);
    doc.list("slowest", shares.slowest, kSlowest);
    if (doc.has("alike", !shares.alike.empty()))
        doc.list({"alike",
                  "Operators that take time, identical ones together, in the order of the schedule. Only with the "
                  "first prediction of an accelerator and batch; absent in documents of older programs."},
                 shares.alike, kAlike);
};

// The whole -----------------------------------------------------------------------------------------------------------

constexpr auto kError = [](auto& doc, auto& error) {
    doc({"low", "5 % of the error distribution, as a share of the throughput.", R"({"maximum": 0})"}, error.low);
    doc({"high", "95 % of it.", kFromZero}, error.high);
    doc({"class", "The weakest class of the numbers that the prediction rests on."}, error.reliability, kReliabilities);
    doc.unlessEmpty(
        {"shared", "Share of the variance that other accelerators' predictions of this model err by as well.", kShare},
        error.shared);
};

constexpr auto kBaseline = [](auto& doc, auto& baseline) {
    doc({"id", "", R"({"enum": ["roofline", "utilization", "similarity"]})"}, baseline.id);
    doc({"throughput_samples_per_s", "Samples per second.", kAboveZero}, baseline.throughput);
    doc.unlessEmpty({"missing", "What it would need."}, baseline.missing);
};

constexpr auto kPrediction = [](auto& doc, auto& one) {
    doc({"accelerator", "Id of the accelerator, else its name."}, one.accelerator);
    doc({"name", "For people."}, one.name);
    doc({"devices", "How many of it."}, one.devices, 1);
    doc({"batch", "Samples per step on each device; of model parallelism in all; 0 where nothing fits."}, one.batch);
    doc({"placement", "The policy by which data lies in the levels of memory."}, one.policy);
    kMemory(doc, one.memory);
    if (doc.has("batches", !one.batches.empty()))
        doc.list({"batches",
                  "What every candidate for the batch takes, rising, up to the first that does not fit. Absent in "
                  "documents of older programs."},
                 one.batches, [&](auto& row, auto& tried) { kBatch(row, tried, one.memory.levels); });
    doc.unlessEmpty({"dtype", "Data type that the accelerator computes in. Absent in documents of older programs."},
                    one.dtype);
    doc.unlessEmpty({"peak_flops", "Its peak rate in that type, FLOP/s. Likewise."}, one.peak, kPositive);
    doc.unlessEmpty({"software",
                     "The stack by which the physical model of hardware predicts. Absent where Centimani's model does, "
                     "and in documents of older programs."},
                    one.software);
    doc({"infeasible", "Why it does not fit; then nothing but memory is known."}, one.infeasible);
    if (!doc.where(!one.infeasible)) return doc(kSourcesKey, one.sources);
    doc.group("stages", [&](auto& stages) {
        stages({"load_s", "Loading and preparing the samples.", kFromZero}, one.load);
        stages({"compute_s", "Forward, backward and update.", kFromZero}, one.compute);
        stages({"communication_s", "Exchange between devices.", kFromZero}, one.communication);
        stages({"overlap_s", "What of them hides behind the others.", kFromZero}, one.overlap);
    });
    doc.unlessEmpty({"collective",
                     "Gradient all-reduce algorithm, or point-to-point; of a transformer that devices share its "
                     "parallel configuration."},
                    one.collective);
    doc({"step_time_s", "Of one step."}, one.step, kPositive);
    doc({"throughput_samples_per_s", "Samples per second over all devices."}, one.throughput, kPositive);
    doc({"price_per_hour_usd", "Of all devices. Absent where a number that it needs is not known.", kFromZero},
        one.pricePerHourUsd);
    doc({"samples_per_usd", "Throughput over price. Absent where a number that it needs is not known.", kFromZero},
        one.samplesPerUsd);
    doc({"energy_per_sample_j",
         "Power of all devices over throughput. Absent where a number that it needs is not known.", kFromZero},
        one.joulesPerSample);
    doc({"training_time_s",
         "To train the samples that were asked for. Absent where a number that it needs is not known.", kFromZero},
        one.trainingTime);
    doc({"training_cost_usd", "Likewise. Absent where a number that it needs is not known.", kFromZero},
        one.trainingCostUsd);
    doc({"training_energy_j", "Likewise. Absent where a number that it needs is not known.", kFromZero},
        one.trainingEnergy);
    doc.object("relative_error", one.error, kError);
    doc.object("operators", one.operators, kOperators);
    doc.list({"baselines", "The throughput by baseline predictors."}, one.baselines, kBaseline);
    doc(kSourcesKey, one.sources);
};

constexpr auto kRanking = [](auto& doc, auto& row) {
    doc({"metric", "", R"({"enum": ["throughput_samples_per_s", "samples_per_usd"]})"}, row.metric);
    doc({"devices", "At this number of devices."}, row.devices, 1);
    doc({"order", "Accelerators, best first; what does not fit or has no price is left out."}, row.order);
    doc({"probability", "That the order holds, by the error distributions.", R"({"maximum": 1})"}, row.probability,
        kNotNegative);
};

constexpr auto kDocument = [](auto& doc, auto& outcome, auto& result) {
    doc({"model", "Its name."}, outcome.model);
    doc({"dtype", "Data type that was asked for."}, outcome.dtype);
    doc.unlessEmpty({"dataset", "The dataset; absent where loading is not counted."}, outcome.dataset);
    doc({"model_parameters", "Trained parameters."}, outcome.parameters, kNotNegative);
    doc({"model_flops_per_sample", "FLOPs of a step with one sample: forward, backward and update."},
        outcome.flopsPerSample, kNotNegative);
    doc.derived(kParametersKey, *result.study.parameters);
    doc.list({"predictions", "By accelerator, then number of devices.", kWholeOrMisfit}, outcome.predictions,
             kPrediction);
    doc.require(fastestPrediction(outcome) != nullptr, "predictions", "at least one prediction that fits",
                "a list without one");
    doc.list("ranking", outcome.ranking, kRanking);
};

}  // namespace

void writePredictionJson(const Result& result, const TextSink& write) {
    writeDocument<PredictionOutcome>(result, write, kKind, kDocument);
}

Result readPredictionResult(const JsonNode& document, const Study& study) {
    return readDocument<PredictionOutcome>(document, study, kKind, kDocument);
}

Json predictionSchema() {
    return documentSchema<PredictionOutcome>(kKind, kDocument);
}

}  // namespace tessera::study

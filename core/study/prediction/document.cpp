#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/graph_hierarchy.h"
#include "core/study/members.h"
#include "core/study/prediction/study.h"

namespace tessera::study {

namespace {

using predict::Category;

constexpr DocumentKind kKind{"tessera.prediction-result/1", "predict"};
constexpr std::array<std::string_view, 3> kReliabilities{"measured", "datasheet", "assumed"};

std::string_view categoryId(std::size_t index) {
    return idOf(static_cast<Category>(index));
}

// Memory --------------------------------------------------------------------------------------------------------------

constexpr auto kLevel = [](auto& doc, auto& level) {
    doc("name", level.level);
    doc("on_chip", level.onChip);
    doc("capacity_bytes", level.capacity);
    doc("bandwidth_bytes_per_s", level.bandwidth);
    doc.derived("bytes", predict::sumOf(level.bytes));
};

/// Category → level → bytes.
constexpr auto kCategoryBytes = [](auto& doc, auto& memory) {
    for (std::size_t c = 0; c < predict::kCategories; ++c)
        doc.group(categoryId(c), [&](auto& levels) {
            for (auto& level : memory.levels) levels(level.level, level.bytes[c]);
        });
};

constexpr auto kMemory = [](auto& doc, auto& memory) {
    // Levels are named after what they hold.
    if constexpr (kReads<decltype(doc)>) doc.list("memory_levels", memory.levels, kLevel);
    doc.object("memory", memory, kCategoryBytes);
    if constexpr (kReads<decltype(doc)>) {
        for (const predict::LevelUse& level : memory.levels)
            for (std::size_t c = 0; c < predict::kCategories; ++c) memory.bytes[c] += level.bytes[c];
    } else {
        doc.list("memory_levels", memory.levels, kLevel);
    }
    doc.unlessEmpty("memory_peak_at", memory.at);
};

/// What a candidate takes, by category and level; what is nothing is left out.
constexpr auto kBatch = [](auto& doc, auto& tried, const std::vector<predict::LevelUse>& levels) {
    doc("batch", tried.batch, 1);
    doc("fits", tried.fits);
    if constexpr (kReads<decltype(doc)>) tried.levels.resize(levels.size());
    doc.group("memory", [&](auto& categories) {
        for (std::size_t c = 0; c < predict::kCategories; ++c) {
            const bool any = std::any_of(tried.levels.begin(), tried.levels.end(),
                                         [c](const predict::CategoryBytes& bytes) { return bytes[c] > 0; });
            if (!categories.has(categoryId(c), any)) continue;
            categories.group(categoryId(c), [&](auto& bytes) {
                for (std::size_t level = 0; level < tried.levels.size(); ++level)
                    bytes.unlessEmpty(levels[level].level, tried.levels[level][c]);
            });
        }
    });
};

// Operators -----------------------------------------------------------------------------------------------------------

constexpr auto kSlowest = [](auto& doc, auto& op) {
    doc("name", op.name);
    doc("type", op.type);
    doc("phase", op.phase, model::kPhaseNames);
    doc("way", op.way, predict::kWayNames);
    doc("bound", op.bound);
    doc("outside_hull", op.outsideHull);
    doc("time_s", op.time);
};

constexpr auto kAlike = [](auto& doc, auto& op) {
    doc("name", op.name);
    doc("type", op.type);
    doc("phase", op.phase, model::kPhaseNames);
    doc("class", op.group, model::kOperatorClassNames);
    doc("count", op.count, 1);
    doc("way", op.way, predict::kWayNames);
    doc("bound", op.bound);
    doc("flops", op.flops, kNotNegative);
    doc("bytes", op.bytes, kNotNegative);
    doc("time_s", op.time, kNotNegative);
};

constexpr auto kOperators = [](auto& doc, auto& shares) {
    doc("count", shares.operators);
    doc("common", shares.measured, 0, shares.operators);
    doc("outside_hull", shares.outsideHull, 0, shares.operators);
    const double common =
        shares.operators > 0 ? static_cast<double>(shares.measured) / static_cast<double>(shares.operators) : 0;
    doc.derived("common_share", common);
    doc.derived("uncommon_share", 1 - common);
    doc("time_s", shares.time);
    doc("common_time_s", shares.measuredTime);
    doc.list("slowest", shares.slowest, kSlowest);
    if (doc.has("alike", !shares.alike.empty())) doc.list("alike", shares.alike, kAlike);
};

// The whole -----------------------------------------------------------------------------------------------------------

constexpr auto kError = [](auto& doc, auto& error) {
    doc("low", error.low);
    doc("high", error.high);
    doc("class", error.reliability, kReliabilities);
};

constexpr auto kBaseline = [](auto& doc, auto& baseline) {
    doc("id", baseline.id);
    doc("throughput_samples_per_s", baseline.throughput);
    doc.unlessEmpty("missing", baseline.missing);
};

constexpr auto kPrediction = [](auto& doc, auto& one) {
    doc("accelerator", one.accelerator);
    doc("name", one.name);
    doc("devices", one.devices, 1);
    doc("batch", one.batch);
    doc("placement", one.policy);
    kMemory(doc, one.memory);
    if (doc.has("batches", !one.batches.empty()))
        doc.list("batches", one.batches, [&](auto& row, auto& tried) { kBatch(row, tried, one.memory.levels); });
    doc.unlessEmpty("dtype", one.dtype);
    doc.unlessEmpty("peak_flops", one.peak, kPositive);
    doc("infeasible", one.infeasible);
    if (one.infeasible) return doc("sources", one.sources);
    doc.group("stages", [&](auto& stages) {
        stages("load_s", one.load);
        stages("compute_s", one.compute);
        stages("communication_s", one.communication);
        stages("overlap_s", one.overlap);
    });
    doc.unlessEmpty("collective", one.collective);
    doc("step_time_s", one.step, kPositive);
    doc("throughput_samples_per_s", one.throughput, kPositive);
    doc("price_per_hour_usd", one.pricePerHourUsd);
    doc("samples_per_usd", one.samplesPerUsd);
    doc("energy_per_sample_j", one.joulesPerSample);
    doc("training_time_s", one.trainingTime);
    doc("training_cost_usd", one.trainingCostUsd);
    doc("training_energy_j", one.trainingEnergy);
    doc.object("relative_error", one.error, kError);
    doc.object("operators", one.operators, kOperators);
    doc.list("baselines", one.baselines, kBaseline);
    doc("sources", one.sources);
};

constexpr auto kRanking = [](auto& doc, auto& row) {
    doc("metric", row.metric);
    doc("devices", row.devices, 1);
    doc("order", row.order);
    doc("probability", row.probability, kNotNegative);
};

constexpr auto kDocument = [](auto& doc, auto& outcome, auto& result) {
    doc("model", outcome.model);
    doc("dtype", outcome.dtype);
    doc.unlessEmpty("dataset", outcome.dataset);
    doc("model_parameters", outcome.parameters, kNotNegative);
    doc("model_flops_per_sample", outcome.flopsPerSample, kNotNegative);
    doc.derived("parameters", *result.study.parameters);
    doc.list("predictions", outcome.predictions, kPrediction);
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

}  // namespace tessera::study

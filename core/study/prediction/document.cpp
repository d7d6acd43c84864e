#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/model/graph_hierarchy.h"
#include "core/study/document_study.h"
#include "core/study/prediction/study.h"
#include "core/study/provenance.h"

namespace tessera::study {

namespace {

using predict::Category;
using predict::kCategories;
using predict::Prediction;

constexpr std::size_t kMaxRows = 1'000'000;
constexpr std::size_t kLongestName = 1'000'000;
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int64_t>::max();

Category categoryAt(std::size_t index) {
    return static_cast<Category>(index);
}

/// Category → level → bytes.
Json memoryJson(const predict::MemoryUse& memory) {
    Json json = Json::object();
    for (std::size_t c = 0; c < kCategories; ++c) {
        Json& levels = json[std::string(idOf(categoryAt(c)))] = Json::object();
        for (const predict::LevelUse& level : memory.levels) levels[level.level] = level.bytes[c];
    }
    return json;
}

Json levelsJson(const predict::MemoryUse& memory) {
    Json list = Json::array();
    for (const predict::LevelUse& level : memory.levels) {
        Json json = {{"name", level.level}, {"on_chip", level.onChip}};
        if (level.capacity) json["capacity_bytes"] = level.capacity->value;
        if (level.bandwidth) json["bandwidth_bytes_per_s"] = level.bandwidth->value;
        json["bytes"] = predict::sumOf(level.bytes);
        list.push_back(std::move(json));
    }
    return list;
}

/// What every candidate takes, by category and level; what is nothing is left out.
Json batchesJson(const Prediction& one) {
    Json list = Json::array();
    for (const predict::BatchMemory& tried : one.batches) {
        Json memory = Json::object();
        for (std::size_t c = 0; c < kCategories; ++c)
            for (std::size_t level = 0; level < tried.levels.size(); ++level)
                if (tried.levels[level][c] > 0)
                    memory[std::string(idOf(categoryAt(c)))][one.memory.levels[level].level] = tried.levels[level][c];
        list.push_back({{"batch", tried.batch}, {"fits", tried.fits}, {"memory", std::move(memory)}});
    }
    return list;
}

std::string_view wayId(predict::Way way) {
    return way == predict::Way::measured ? "measured" : "roofline";
}

Json operatorsJson(const predict::OperatorShares& shares) {
    const double common =
        shares.operators > 0 ? static_cast<double>(shares.measured) / static_cast<double>(shares.operators) : 0;
    Json json = {{"count", shares.operators},
                 {"common", shares.measured},
                 {"outside_hull", shares.outsideHull},
                 {"common_share", common},
                 {"uncommon_share", 1 - common},
                 {"time_s", shares.time.value},
                 {"common_time_s", shares.measuredTime.value}};
    Json& slowest = json["slowest"] = Json::array();
    for (const predict::OperatorTime& op : shares.slowest)
        slowest.push_back({{"name", op.name},
                           {"type", op.type},
                           {"phase", model::nameOf(op.phase)},
                           {"way", wayId(op.way)},
                           {"bound", op.bound},
                           {"outside_hull", op.outsideHull},
                           {"time_s", op.time.value}});
    if (shares.alike.empty()) return json;
    Json& alike = json["alike"] = Json::array();
    for (const predict::AlikeOperators& op : shares.alike)
        alike.push_back({{"name", op.name},
                         {"type", op.type},
                         {"phase", model::nameOf(op.phase)},
                         {"class", model::nameOf(op.group)},
                         {"count", op.count},
                         {"way", wayId(op.way)},
                         {"bound", op.bound},
                         {"flops", op.flops.value},
                         {"bytes", op.bytes.value},
                         {"time_s", op.time.value}});
    return json;
}

Json predictionJson(const Prediction& one) {
    Json json = {{"accelerator", one.accelerator}, {"name", one.name}, {"devices", one.devices}};
    json["batch"] = one.batch;
    json["placement"] = one.policy;
    json["memory"] = memoryJson(one.memory);
    json["memory_levels"] = levelsJson(one.memory);
    if (!one.memory.at.empty()) json["memory_peak_at"] = one.memory.at;
    if (!one.batches.empty()) json["batches"] = batchesJson(one);
    if (!one.dtype.empty()) json["dtype"] = one.dtype;
    if (one.peak.value > 0) json["peak_flops"] = one.peak.value;
    if (one.infeasible) {
        json["infeasible"] = *one.infeasible;
        json["sources"] = sourcesJson(one.sources);
        return json;
    }
    json["stages"] = {{"load_s", one.load.value},
                      {"compute_s", one.compute.value},
                      {"communication_s", one.communication.value},
                      {"overlap_s", one.overlap.value}};
    if (!one.collective.empty()) json["collective"] = one.collective;
    json["step_time_s"] = one.step.value;
    json["throughput_samples_per_s"] = one.throughput;
    const auto optional = [&](const char* key, const std::optional<double>& value) {
        if (value) json[key] = *value;
    };
    optional("price_per_hour_usd", one.pricePerHourUsd);
    optional("samples_per_usd", one.samplesPerUsd);
    optional("energy_per_sample_j", one.joulesPerSample);
    if (one.trainingTime) json["training_time_s"] = one.trainingTime->value;
    optional("training_cost_usd", one.trainingCostUsd);
    if (one.trainingEnergy) json["training_energy_j"] = one.trainingEnergy->value;
    json["relative_error"] = {{"low", one.error.low}, {"high", one.error.high}, {"class", one.error.reliability}};
    json["operators"] = operatorsJson(one.operators);
    Json& baselines = json["baselines"] = Json::array();
    for (const predict::Baseline& baseline : one.baselines) {
        Json& entry = baselines.emplace_back(Json::object());
        entry["id"] = baseline.id;
        if (baseline.throughput) entry["throughput_samples_per_s"] = *baseline.throughput;
        if (!baseline.missing.empty()) entry["missing"] = baseline.missing;
    }
    json["sources"] = sourcesJson(one.sources);
    return json;
}

// Reading -------------------------------------------------------------------------------------------------------------

std::optional<double> optionalAt(const JsonNode& node, const char* key) {
    return node.has(key) ? std::optional(node.at(key).number()) : std::nullopt;
}

predict::MemoryUse readMemory(const JsonNode& node) {
    predict::MemoryUse memory;
    for (const JsonNode& level : node.at("memory_levels").elements(kMaxRows)) {
        predict::LevelUse& use = memory.levels.emplace_back();
        use.level = level.at("name").text(kLongestName);
        use.onChip = level.at("on_chip").boolean();
        if (const auto capacity = optionalAt(level, "capacity_bytes")) use.capacity = Bytes{*capacity};
        if (const auto rate = optionalAt(level, "bandwidth_bytes_per_s")) use.bandwidth = BytesPerSecond{*rate};
        for (std::size_t c = 0; c < kCategories; ++c) {
            const JsonNode category = node.at("memory").at(std::string(idOf(categoryAt(c))));
            use.bytes[c] = category.at(use.level).number();
            memory.bytes[c] += use.bytes[c];
        }
    }
    memory.at = node.has("memory_peak_at") ? node.at("memory_peak_at").text(kLongestName) : "";
    return memory;
}

std::vector<predict::BatchMemory> readBatches(const JsonNode& node, const predict::MemoryUse& memory) {
    std::vector<predict::BatchMemory> batches;
    for (const JsonNode& entry : node.elements(kMaxRows)) {
        predict::BatchMemory& tried = batches.emplace_back();
        tried.batch = entry.at("batch").whole(1, kMaxCount);
        tried.fits = entry.at("fits").boolean();
        tried.levels.resize(memory.levels.size());
        const JsonNode categories = entry.at("memory");
        for (std::size_t c = 0; c < kCategories; ++c) {
            const std::string id(idOf(categoryAt(c)));
            if (!categories.has(id)) continue;
            const JsonNode levels = categories.at(id);
            for (std::size_t level = 0; level < tried.levels.size(); ++level)
                tried.levels[level][c] = optionalAt(levels, memory.levels[level].level.c_str()).value_or(0);
        }
    }
    return batches;
}

model::Phase phaseAt(const JsonNode& node) {
    const std::string phase = node.at("phase").oneOf({"forward", "backward", "update"});
    return phase == "forward"    ? model::Phase::forward
           : phase == "backward" ? model::Phase::backward
                                 : model::Phase::update;
}

predict::Way wayAt(const JsonNode& node) {
    return node.at("way").oneOf({"measured", "roofline"}) == "measured" ? predict::Way::measured
                                                                        : predict::Way::roofline;
}

model::OperatorClass classAt(const JsonNode& node) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model::kOperatorClasses; ++i)
        names.emplace_back(model::nameOf(static_cast<model::OperatorClass>(i)));
    const std::string name = node.at("class").oneOf(names);
    return static_cast<model::OperatorClass>(std::find(names.begin(), names.end(), name) - names.begin());
}

predict::OperatorShares readOperators(const JsonNode& node) {
    predict::OperatorShares shares;
    shares.operators = node.at("count").whole(0, kMaxCount);
    shares.measured = node.at("common").whole(0, shares.operators);
    shares.outsideHull = node.at("outside_hull").whole(0, shares.operators);
    shares.time = {node.at("time_s").number()};
    shares.measuredTime = {node.at("common_time_s").number()};
    for (const JsonNode& entry : node.at("slowest").elements(kMaxRows)) {
        predict::OperatorTime& op = shares.slowest.emplace_back();
        op.name = entry.at("name").text(kLongestName);
        op.type = entry.at("type").text(kLongestName);
        op.phase = phaseAt(entry);
        op.way = wayAt(entry);
        op.bound = entry.at("bound").text(kLongestName);
        op.outsideHull = entry.at("outside_hull").boolean();
        op.time = {entry.at("time_s").number()};
    }
    if (!node.has("alike")) return shares;
    for (const JsonNode& entry : node.at("alike").elements(kMaxRows))
        shares.alike.push_back({.name = entry.at("name").text(kLongestName),
                                .type = entry.at("type").text(kLongestName),
                                .phase = phaseAt(entry),
                                .group = classAt(entry),
                                .count = entry.at("count").whole(1, kMaxCount),
                                .way = wayAt(entry),
                                .bound = entry.at("bound").text(kLongestName),
                                .flops = {entry.at("flops").notNegative()},
                                .bytes = {entry.at("bytes").notNegative()},
                                .time = {entry.at("time_s").notNegative()}});
    return shares;
}

Prediction readPrediction(const JsonNode& node) {
    Prediction one;
    one.accelerator = node.at("accelerator").text(kLongestName);
    one.name = node.at("name").text(kLongestName);
    one.devices = node.at("devices").whole(1, kMaxCount);
    one.batch = node.at("batch").whole(0, kMaxCount);
    one.policy = node.at("placement").text();
    one.memory = readMemory(node);
    if (node.has("batches")) one.batches = readBatches(node.at("batches"), one.memory);
    if (node.has("dtype")) one.dtype = node.at("dtype").text();
    if (node.has("peak_flops")) one.peak = {node.at("peak_flops").positive()};
    one.sources = readSources(node.at("sources"));
    if (node.has("infeasible")) {
        one.infeasible = node.at("infeasible").text(kLongestName);
        return one;
    }
    const JsonNode stages = node.at("stages");
    one.load = {stages.at("load_s").number()};
    one.compute = {stages.at("compute_s").number()};
    one.communication = {stages.at("communication_s").number()};
    one.overlap = {stages.at("overlap_s").number()};
    if (node.has("collective")) one.collective = node.at("collective").text();
    one.step = {node.at("step_time_s").positive()};
    one.throughput = node.at("throughput_samples_per_s").positive();
    one.pricePerHourUsd = optionalAt(node, "price_per_hour_usd");
    one.samplesPerUsd = optionalAt(node, "samples_per_usd");
    one.joulesPerSample = optionalAt(node, "energy_per_sample_j");
    if (const auto time = optionalAt(node, "training_time_s")) one.trainingTime = Seconds{*time};
    one.trainingCostUsd = optionalAt(node, "training_cost_usd");
    if (const auto energy = optionalAt(node, "training_energy_j")) one.trainingEnergy = Joules{*energy};
    const JsonNode error = node.at("relative_error");
    one.error = {.low = error.at("low").number(),
                 .high = error.at("high").number(),
                 .reliability = error.at("class").oneOf({"measured", "datasheet", "assumed"})};
    one.operators = readOperators(node.at("operators"));
    for (const JsonNode& entry : node.at("baselines").elements(kMaxRows)) {
        predict::Baseline& baseline = one.baselines.emplace_back();
        baseline.id = entry.at("id").text();
        baseline.throughput = optionalAt(entry, "throughput_samples_per_s");
        if (entry.has("missing")) baseline.missing = entry.at("missing").text(kLongestName);
    }
    return one;
}

}  // namespace

Json predictionJson(const Result& result, const PredictionOutcome& outcome) {
    Json json = documentHead("tessera.prediction-result/1", "predict", result.inputs, result.study.seed);
    json["tool_version"] = result.version;
    if (!result.study.name.empty()) json["name"] = result.study.name;
    json["model"] = outcome.model;
    json["dtype"] = outcome.dtype;
    if (!outcome.dataset.empty()) json["dataset"] = outcome.dataset;
    json["model_parameters"] = outcome.parameters;
    json["model_flops_per_sample"] = outcome.flopsPerSample;
    json["parameters"] = *result.study.parameters;
    Json& predictions = json["predictions"] = Json::array();
    for (const Prediction& one : outcome.predictions) predictions.push_back(predictionJson(one));
    Json& ranking = json["ranking"] = Json::array();
    for (const predict::Ranking& row : outcome.ranking)
        ranking.push_back(
            {{"metric", row.metric}, {"devices", row.devices}, {"order", row.order}, {"probability", row.probability}});
    finishDocument(json, result.assumptions, result.warnings);
    return json;
}

Result readPredictionResult(const JsonNode& document, const Study& study) {
    Result result = readFrame(document, study);
    PredictionOutcome outcome;
    outcome.model = document.at("model").text(kLongestName);
    outcome.dtype = document.at("dtype").text();
    if (document.has("dataset")) outcome.dataset = document.at("dataset").text();
    outcome.parameters = document.at("model_parameters").notNegative();
    outcome.flopsPerSample = document.at("model_flops_per_sample").notNegative();
    for (const JsonNode& node : document.at("predictions").elements(kMaxRows))
        outcome.predictions.push_back(readPrediction(node));
    if (fastestPrediction(outcome) == nullptr)
        document.at("predictions").fail("at least one prediction that fits", "a list without one");
    for (const JsonNode& node : document.at("ranking").elements(kMaxRows)) {
        predict::Ranking& row = outcome.ranking.emplace_back();
        row.metric = node.at("metric").text();
        row.devices = node.at("devices").whole(1, kMaxCount);
        row.order = readSentences(node.at("order"));
        row.probability = node.at("probability").notNegative();
    }
    result.outcome = std::move(outcome);
    return result;
}

}  // namespace tessera::study

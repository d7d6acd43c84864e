#include "core/study/result.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/study/codesign_document.h"
#include "core/study/json_writer.h"
#include "core/study/mapping_document.h"
#include "core/study/partition_document.h"
#include "core/study/prediction_study.h"

namespace tessera::study {

namespace {

/// 512 rather than 512.0.
Json wholeWherePossible(double value) {
    if (value == std::floor(value) && std::fabs(value) < 0x1p53) return static_cast<std::int64_t>(value);
    return value;
}

Json partitionHead(const Result& result, const PartitionOutcome& outcome) {
    Json json = documentHead("tessera.partition-result/1", "partition", result.inputs, result.study.seed);
    json["tool_version"] = result.version;
    if (!result.study.name.empty()) json["name"] = result.study.name;
    json["model"] = outcome.model;
    json["fleet"] = outcome.fleet;
    json["accelerators"] = outcome.accelerators;
    if (!outcome.groups.empty()) {
        Json& groups = json["groups"] = Json::array();
        for (const GroupNumbers& group : outcome.groups) groups.push_back(groupJson(group));
    }
    json["batch"] = wholeWherePossible(outcome.result.batch);
    json["dtype"] = result.study.parameters->value("dtype", "bf16");
    json["parameters"] = *result.study.parameters;
    const std::vector<partition::Plan>& plans = outcome.result.plans;
    // With one strategy there is one cost, and scripts that solve a single split look for it here.
    if (plans.size() == 1) json["cost_s"] = plans[0].cost.value;
    json["layers"] = outcome.result.names;
    return json;
}

class PartitionWriter {
public:
    PartitionWriter(const PartitionOutcome& outcome, const TextSink& write) : outcome_(outcome), writer_(write) {
        names_.reserve(outcome.result.names.size());
        for (const std::string& name : outcome.result.names) names_.emplace_back(name);
    }

    void write(const Result& result) {
        writer_.open('{');
        writer_.members(partitionHead(result, outcome_));
        writer_.key("strategies");
        writer_.open('{');
        for (const partition::Plan& plan : outcome_.result.plans) put(plan);
        writer_.close('}');
        Json tail = Json::object();
        finishDocument(tail, result.assumptions, result.warnings);
        writer_.members(tail);
        writer_.close('}');
        writer_.end();
    }

private:
    void put(const partition::Plan& plan) {
        writer_.key(Quoted(plan.strategy));
        writer_.open('{');
        writer_.members(planHead(plan));
        writer_.key("levels");
        writer_.open('[');
        for (const partition::LevelPlan& level : plan.levels) {
            writer_.entry();
            writer_.open('{');
            writer_.members(levelHead(level));
            put("layers", level, level.layers);
            put("joins", level, level.joins);
            writer_.close('}');
        }
        writer_.close(']');
        writer_.members(planTail(plan));
        writer_.close('}');
    }

    template <typename Row>
    void put(std::string_view key, const partition::LevelPlan& level, const std::vector<Row>& rows) {
        writer_.key(key);
        writer_.open('[');
        for (const Row& row : rows) {
            writer_.entry();
            writer_.open('{');
            putRow(level, row, names_.at(static_cast<std::size_t>(row.layer)),
                   [&](std::string_view field, const auto& value) {
                       writer_.key(field);
                       writer_.value(value);
                   });
            writer_.close('}');
        }
        writer_.close(']');
    }

    const PartitionOutcome& outcome_;
    JsonWriter writer_;
    std::vector<Quoted> names_;
};

}  // namespace

Json documentHead(const std::string& schema, const std::string& command, const std::vector<Input>& inputs,
                  std::optional<std::uint64_t> seed) {
    Json json = {{"schema", schema}, {"tool_version", TESSERA_VERSION}, {"command", command}};
    if (seed) json["seed"] = *seed;
    Json& list = json["inputs"] = Json::array();
    for (const Input& input : inputs) list.push_back({{"name", input.name}, {"sha256", input.sha256}});
    return json;
}

void finishDocument(Json& document, const std::vector<std::string>& assumptions,
                    const std::vector<std::string>& warnings) {
    document["assumptions"] = assumptions;
    document["warnings"] = warnings;
}

const partition::Plan* fastestPlan(const PartitionOutcome& outcome) {
    const std::vector<partition::Plan>& plans = outcome.result.plans;
    const auto best =
        std::min_element(plans.begin(), plans.end(),
                         [](const partition::Plan& a, const partition::Plan& b) { return a.stepTime < b.stepTime; });
    return best == plans.end() ? nullptr : &*best;
}

void addOnce(std::vector<std::string>& sentences, const std::vector<std::string>& more) {
    std::set<std::string_view> seen(sentences.begin(), sentences.end());
    std::vector<std::string> added;
    for (const std::string& sentence : more)
        if (seen.insert(sentence).second) added.push_back(sentence);
    sentences.insert(sentences.end(), added.begin(), added.end());
}

const mapping::Run* bestRun(const MappingOutcome& outcome) {
    const std::vector<mapping::Run>& runs = outcome.result.runs;
    const auto least = std::min_element(runs.begin(), runs.end(),
                                        [](const mapping::Run& a, const mapping::Run& b) { return a.value < b.value; });
    if (least == runs.end()) return nullptr;
    // Of those that differ by rounding alone, the one that was there first.
    const mapping::Run* best = nullptr;
    for (const mapping::Run& run : runs)
        if (run.value <= least->value * (1 + 1e-9) && (best == nullptr || run.bestAfter < best->bestAfter)) best = &run;
    return best;
}

void writeJson(const Result& result, const TextSink& write) {
    if (const auto* partition = std::get_if<PartitionOutcome>(&result.outcome))
        PartitionWriter(*partition, write).write(result);
    else if (const auto* mapping = std::get_if<MappingOutcome>(&result.outcome))
        writeMappingJson(result, *mapping, write);
    else if (const auto* prediction = std::get_if<PredictionOutcome>(&result.outcome))
        write(toText(predictionJson(result, *prediction)));
    else
        writeCodesignJson(result, std::get<CodesignOutcome>(result.outcome), write);
}

Json toJson(const Result& result) {
    std::string text;
    writeJson(result, [&](std::string_view part) { text += part; });
    return Json::parse(text);
}

}  // namespace tessera::study

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/document_study.h"
#include "core/study/json_writer.h"
#include "core/study/partition/document.h"
#include "core/study/partition/outcome.h"

namespace tessera::study {

namespace {

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

void writePartitionJson(const Result& result, const TextSink& write) {
    PartitionWriter(result.outcome.get<PartitionOutcome>(), write).write(result);
}

const partition::Plan* fastestPlan(const PartitionOutcome& outcome) {
    const std::vector<partition::Plan>& plans = outcome.result.plans;
    const auto best =
        std::min_element(plans.begin(), plans.end(),
                         [](const partition::Plan& a, const partition::Plan& b) { return a.stepTime < b.stepTime; });
    return best == plans.end() ? nullptr : &*best;
}

}  // namespace tessera::study

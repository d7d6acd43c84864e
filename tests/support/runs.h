#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/study/partition/outcome.h"
#include "core/study/study.h"
#include "tests/support/partition_result.h"

/// Results for tests of views.
namespace tessera::test {

/// Solved for real, once per model and fleet.
inline const study::Result& solved(const std::string& model, const std::string& fleet, int batch = 512,
                                   const std::string& groups = "best") {
    static std::map<std::string, study::Result> results;
    const std::string key = model + " " + fleet + " " + std::to_string(batch) + " " + groups;
    const auto found = results.find(key);
    if (found != results.end()) return found->second;
    study::Study study = study::newStudy("partition");
    study.models = {model};
    study.hardware = {fleet};
    study.parameters["batch"] = batch;
    study.parameters["groups"] = groups;
    return results.emplace(key, study::run(study)).first->second;
}

inline std::vector<std::pair<std::string, std::string>> realRuns() {
    return {{"zoo:resnet50", "accpar-heterogeneous"}, {"zoo:vgg19", "a100-h100-mixed"}};
}

/// The hand-made result blown up: many layers, many levels, four strategies.
inline study::Result deepResult(int layers, int levels) {
    study::Result result = handMadeResult();
    auto& outcome = result.outcome.get<study::PartitionOutcome>();
    outcome.result.names.clear();
    partition::LevelPlan level = outcome.result.plans[0].levels[0];
    std::vector<partition::LayerPlan> rows;
    level.joins.clear();
    for (int i = 0; i < layers; ++i) {
        outcome.result.names.push_back("block" + std::to_string(i / 6) + ".layer" + std::to_string(i));
        partition::LayerPlan plan;
        plan.layer = i;
        plan.type = static_cast<partition::Type>(i % 7 % 3);
        plan.compute = Seconds{1e-6 * (1 + i % 5)};
        plan.intra = Seconds{2e-6};
        plan.inter = Seconds{1e-6 * (i % 3)};
        rows.push_back(plan);
    }
    level.layers = std::move(rows);
    partition::Plan plan = outcome.result.plans[0];
    plan.levels.clear();
    for (int i = 0; i < levels; ++i) {
        level.level = i;
        plan.levels.push_back(level);
    }
    for (auto& share : plan.shares) {
        share.layerCompute = std::vector<Seconds>(static_cast<std::size_t>(layers), Seconds{1e-6});
        share.path.clear();
        for (int i = 0; i < levels; ++i) share.path.push_back({i, true});
    }
    outcome.result.plans.clear();
    for (const char* strategy : {"accpar", "hypar", "owt", "dp"}) {
        plan.strategy = strategy;
        outcome.result.plans.push_back(plan);
    }
    return result;
}

}  // namespace tessera::test

#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/study/plan/study.h"
#include "core/study/study.h"

/// Plans for tests of pictures and views.
namespace tessera::test {

/// Searched for real, once per study.
inline const study::Result& planned(const std::string& model, const std::string& fleet, int batch,
                                    const nlohmann::json& parameters = nlohmann::json::object()) {
    static std::map<std::string, study::Result> results;
    const std::string key = model + " " + fleet + " " + std::to_string(batch) + parameters.dump();
    const auto found = results.find(key);
    if (found != results.end()) return found->second;
    study::Study study = study::newStudy("plan");
    study.models = {model};
    study.hardware = {fleet};
    study.parameters["global_batch"] = batch;
    for (const auto& [name, value] : parameters.items()) study.parameters[name] = value;
    return results.emplace(key, study::run(study)).first->second;
}

inline const study::Result& smallPlan() {
    return planned("zoo:llama2-70b", "dgx-a100x16", 512, {{"tokens", 1e9}});
}
inline const study::Result& mixedPlan() {
    return planned("zoo:llama2-7b", "h100-h200-mixed", 256);
}
/// On an eighth and a quarter of its accelerators nothing fits.
inline const study::Result& largePlan() {
    return planned("zoo:gpt3-175b", "dgx-a100x16", 256, {{"fix", "recompute=full"}});
}
/// Others measured it, too.
inline const study::Result& measuredPlan() {
    return planned("zoo:gpt3-175b", "dgx-h100x64", 1536, {{"dtype", "bf16,fp8"}, {"fix", "tp=4,pp=8"}});
}
/// Nothing fits.
inline const study::Result& emptyPlan() {
    return planned("zoo:gpt3-175b", "dgx-h100x8", 64);
}

}  // namespace tessera::test

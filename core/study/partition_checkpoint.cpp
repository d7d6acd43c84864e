#include "core/study/partition_checkpoint.h"

#include <string>

#include "core/study/partition_document.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

constexpr const char* kSchema = "tessera.partition-checkpoint/1";
constexpr std::size_t kMostRows = 200'000;  ///< of a plan that is kept

/// Plans refer to layers by number here, so that any names are safe.
std::vector<std::string> numbers(std::size_t layers) {
    std::vector<std::string> names;
    for (std::size_t n = 0; n < layers; ++n) names.push_back(std::to_string(n));
    return names;
}

Json inputsJson(const std::vector<Input>& inputs) {
    Json list = Json::array();
    for (const Input& input : inputs) list.push_back({{"name", input.name}, {"sha256", input.sha256}});
    return list;
}

}  // namespace

Json checkpointJson(const Result& begun, std::size_t layers, const std::vector<const partition::PartialPlan*>& plans) {
    Json state = {{"schema", kSchema},
                  {"tool_version", begun.version},
                  {"study_sha256", contentHash(begun.study)},
                  {"inputs", inputsJson(begun.inputs)}};
    Json& list = state["plans"] = Json::array();
    const std::vector<std::string> names = numbers(layers);
    for (const partition::PartialPlan* partial : plans) {
        if (partial->plan.levels.size() * layers > kMostRows) continue;
        list.push_back({{"strategy", partial->plan.strategy},
                        {"simplified", partial->simplified},
                        {"compared", partial->compared},
                        {"proven", partial->proven},
                        {"plan", planJson(partial->plan, names)}});
    }
    return state;
}

std::vector<partition::PartialPlan> readCheckpoint(const Json& state, const Result& begun, std::size_t layers) {
    const JsonDocument document = JsonDocument::parse(toText(state), "the run's checkpoint");
    const JsonNode root = document.root();
    if (root.at("schema").text() != kSchema) root.at("schema").fail("'" + std::string(kSchema) + "'");
    if (root.at("tool_version").text() != begun.version) return {};
    if (root.at("study_sha256").text() != contentHash(begun.study))
        root.at("study_sha256").fail("the study that is to be continued", "of another study");
    if (root.at("inputs").json() != inputsJson(begun.inputs))
        root.at("inputs").fail("the model and hardware as they were when the run began", "of other contents");
    std::vector<partition::PartialPlan> plans;
    const std::vector<std::string> known = numbers(layers);
    const LayerNames names(known);
    for (const JsonNode& node : root.at("plans").elements()) {
        partition::PartialPlan partial;
        partial.simplified = node.at("simplified").boolean();
        partial.compared = node.at("compared").boolean();
        partial.proven = node.at("proven").boolean();
        partial.plan = readPlan(node.at("plan"), node.at("strategy").text(), names);
        plans.push_back(std::move(partial));
    }
    return plans;
}

}  // namespace tessera::study

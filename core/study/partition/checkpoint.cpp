#include "core/study/partition/checkpoint.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/base64.h"
#include "core/study/partition/document.h"
#include "core/study/partition/packed_result.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

constexpr const char* kSchema = "tessera.partition-checkpoint/1";
constexpr std::size_t kMaxRowsAsJson = 200'000;  ///< of a plan; above, its rows are packed
constexpr std::size_t kMaxKeptRows = 1'000'000;  ///< of all plans that are kept: some 50 MB

constexpr std::size_t kLongestRows = std::size_t{1} << 30;

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
    std::size_t kept = 0;
    for (const partition::PartialPlan* partial : plans) {
        const std::size_t rows = rowCount(partial->plan);
        if (kept + rows > kMaxKeptRows) continue;
        kept += rows;
        const bool packs = rows > kMaxRowsAsJson;
        Json& entry = list.emplace_back(Json{{"strategy", partial->plan.strategy},
                                             {"simplified", partial->simplified},
                                             {"compared", partial->compared},
                                             {"proven", partial->proven}});
        entry["plan"] = planJson(packs ? withoutRows(partial->plan) : partial->plan, names);
        if (packs) entry["rows"] = toBase64(packRows(partial->plan));
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
        if (node.has("rows")) {
            const std::optional<std::string> rows = fromBase64(node.at("rows").text(kLongestRows));
            if (!rows) node.at("rows").fail("bytes in Base64", "another text");
            unpackRows(*rows, partial.plan, layers, document.file());
        }
        plans.push_back(std::move(partial));
    }
    return plans;
}

}  // namespace tessera::study

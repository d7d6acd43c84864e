#include "core/study/partition/partial_plans.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/base64.h"
#include "core/study/partition/document.h"
#include "core/study/partition/packed_result.h"

namespace tessera::study {

namespace {

constexpr std::size_t kMaxRowsAsJson = 200'000;  ///< of a plan; above, its rows are packed
constexpr std::size_t kMaxKeptRows = 1'000'000;  ///< of all plans that are kept: some 50 MB

constexpr std::size_t kLongestRows = std::size_t{1} << 30;

/// Plans refer to layers by number here, so that any names are safe.
std::vector<std::string> numbers(std::size_t layers) {
    std::vector<std::string> names;
    for (std::size_t n = 0; n < layers; ++n) names.push_back(std::to_string(n));
    return names;
}

}  // namespace

Json partialPlansJson(std::size_t layers, const std::vector<const partition::PartialPlan*>& plans) {
    Json list = Json::array();
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
    return list;
}

std::vector<partition::PartialPlan> readPartialPlans(const JsonDocument& list, std::size_t layers) {
    std::vector<partition::PartialPlan> plans;
    const std::vector<std::string> known = numbers(layers);
    const LayerNames names(known);
    for (const JsonNode& node : list.root().elements()) {
        partition::PartialPlan partial;
        partial.simplified = node.at("simplified").boolean();
        partial.compared = node.at("compared").boolean();
        partial.proven = node.at("proven").boolean();
        partial.plan = readPlan(node.at("plan"), node.at("strategy").text(), names);
        if (node.has("rows")) {
            const std::optional<std::string> rows = fromBase64(node.at("rows").text(kLongestRows));
            if (!rows) node.at("rows").fail("bytes in Base64", "another text");
            unpackRows(*rows, partial.plan, layers, list.file());
        }
        plans.push_back(std::move(partial));
    }
    return plans;
}

}  // namespace tessera::study

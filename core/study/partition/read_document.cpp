#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/study/document_study.h"
#include "core/study/partition/document.h"
#include "core/study/partition/study.h"
#include "core/study/result.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

constexpr std::size_t kMaxLayers = 10'000'000;

/// Documents of the first programs name the layers in the splits only.
std::vector<std::string> layerNames(const JsonNode& document) {
    if (document.has("layers")) return readSentences(document.at("layers"), kMaxLayers);
    std::vector<std::string> names;
    std::set<std::string> seen;
    for (const auto& [strategy, plan] : document.at("strategies").members())
        for (const JsonNode& level : plan.at("levels").elements(kMaxLayers))
            for (const char* rows : {"layers", "joins"})
                for (const JsonNode& row : level.at(rows).elements(kMaxLayers)) {
                    const std::string name = row.at("name").text(kLongestName);
                    if (seen.insert(name).second) names.push_back(name);
                }
    return names;
}

}  // namespace

Result readPartitionResult(const JsonNode& document, const Study& study) {
    Result result = readFrame(document, study);
    PartitionOutcome outcome;
    outcome.model = document.at("model").text(kLongestName);
    outcome.fleet = document.at("fleet").text(kLongestName);
    outcome.accelerators = document.at("accelerators").whole(1, std::numeric_limits<std::int64_t>::max());
    if (document.has("groups"))
        for (const JsonNode& group : document.at("groups").elements()) outcome.groups.push_back(readGroup(group));
    outcome.result.batch = document.at("batch").positive();
    outcome.result.names = layerNames(document);
    const LayerNames names(outcome.result.names);
    for (const auto& [strategy, plan] : document.at("strategies").members())
        outcome.result.plans.push_back(readPlan(plan, strategy, names));
    if (outcome.result.plans.empty()) document.at("strategies").fail("at least one strategy", "an empty object");
    result.outcome = std::move(outcome);
    return result;
}

}  // namespace tessera::study

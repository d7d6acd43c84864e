#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/study/document_study.h"
#include "core/study/names.h"
#include "core/study/schedule/study.h"

namespace tessera::study {

namespace {

using codesign::CoreKind;

constexpr std::size_t kLongestName = 1'000'000;
constexpr std::array kKinds{CoreKind::tensor, CoreKind::vector, CoreKind::fused};

Json coreJson(const std::optional<std::int64_t>& core) {
    return core ? Json(*core) : Json(nullptr);
}

std::optional<std::int64_t> readCore(const JsonNode& node, std::int64_t max) {
    return node.isNull() ? std::nullopt : std::optional(node.whole(1, max));
}

void readOperator(const JsonNode& node, ScheduleOutcome& outcome) {
    codesign::Operator& each = outcome.operators.emplace_back();
    each.id = node.at("id").whole(0, std::numeric_limits<std::int64_t>::max());
    each.name = node.at("name").text(kLongestName);
    each.kind = readNamed(node.at("type"), kKinds);
    codesign::OperatorSlot& placed = outcome.result.schedule.operators.emplace_back();
    placed.start = node.at("start").notNegative();
    placed.finish = node.at("finish").notNegative();
    if (placed.finish < placed.start) node.at("finish").fail("a time that is not before the start");
    placed.allCores = node.at("all_cores").boolean();
    placed.tensorCore = readCore(node.at("tensor_core"), outcome.cores.tensor);
    placed.vectorCore = readCore(node.at("vector_core"), outcome.cores.vector);
    if (placed.allCores == (placed.tensorCore || placed.vectorCore))
        node.at("all_cores").fail("an operator either on all cores or on cores of its own");
}

}  // namespace

Json scheduleJson(const Result& result) {
    const auto& outcome = result.outcome.get<ScheduleOutcome>();
    const codesign::ScheduleResult& found = outcome.result;
    Json json = documentHead("tessera.schedule-result/1", "schedule", result.inputs);
    json["tool_version"] = result.version;
    if (!result.study.name.empty()) json["study_name"] = result.study.name;
    json["name"] = outcome.layer;
    json["parameters"] = *result.study.parameters;
    json["method"] = outcome.method;
    json["tensor_cores"] = outcome.cores.tensor;
    json["vector_cores"] = outcome.cores.vector;
    json["makespan"] = wholeWherePossible(found.schedule.makespan);
    json["lower_bound"] = wholeWherePossible(found.lowerBound);
    json["gap"] = outcome.gap();
    json["optimal"] = found.optimal;
    json["ended_by"] = nameOf(found.ended);
    json["nodes"] = found.nodes;
    json["serial_makespan"] = wholeWherePossible(found.serial);
    json["gain_over_serial"] = outcome.gain();
    Json& rows = json["operators"] = Json::array();
    for (std::size_t i = 0; i < outcome.operators.size(); ++i) {
        const codesign::Operator& each = outcome.operators[i];
        const codesign::OperatorSlot& placed = found.schedule.operators[i];
        rows.push_back({{"id", each.id},
                        {"name", each.name},
                        {"type", codesign::nameOf(each.kind)},
                        {"start", wholeWherePossible(placed.start)},
                        {"finish", wholeWherePossible(placed.finish)},
                        {"all_cores", placed.allCores},
                        {"tensor_core", coreJson(placed.tensorCore)},
                        {"vector_core", coreJson(placed.vectorCore)}});
    }
    finishDocument(json, result.assumptions, result.warnings);
    return json;
}

Result readScheduleResult(const JsonNode& document, const Study& study) {
    Result result = readFrame(document, study);
    // `name` is the layer's.
    result.study.name = document.has("study_name") ? document.at("study_name").text(kLongestName) : "";
    ScheduleOutcome outcome;
    outcome.layer = document.at("name").text(kLongestName);
    std::vector<std::string> methods;
    for (const std::string_view name : namesOf(codesign::scheduleMethods())) methods.emplace_back(name);
    outcome.method = document.at("method").oneOf(methods);
    outcome.cores = {.tensor = document.at("tensor_cores").whole(1, codesign::kMaxCores),
                     .vector = document.at("vector_cores").whole(1, codesign::kMaxCores)};
    codesign::ScheduleResult& found = outcome.result;
    found.schedule.makespan = document.at("makespan").notNegative();
    found.lowerBound = document.at("lower_bound").notNegative();
    found.optimal = document.at("optimal").boolean();
    found.ended = readEndedBy(document.at("ended_by"));
    found.nodes = document.at("nodes").whole(0, std::numeric_limits<std::int64_t>::max());
    found.serial = document.at("serial_makespan").notNegative();
    for (const JsonNode& node : document.at("operators").elements(codesign::kMaxOperators)) readOperator(node, outcome);
    result.outcome = std::move(outcome);
    return result;
}

}  // namespace tessera::study

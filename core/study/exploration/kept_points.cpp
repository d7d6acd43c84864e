#include "core/study/exploration/kept_points.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/text.h"
#include "core/study/exploration/metric_members.h"

namespace tessera::study {

namespace {

/// Numbers that JSON has no word for are null.
Json numbersJson(const std::vector<double>& numbers) {
    return numbers;
}

std::vector<double> readNumbers(const JsonNode& list) {
    std::vector<double> numbers;
    for (const JsonNode& number : list.elements())
        numbers.push_back(number.isNull() ? std::numeric_limits<double>::quiet_NaN() : number.number());
    return numbers;
}

}  // namespace

void KeptState::add(const explore::Point& point, const EvaluatedPoint& evaluated) {
    Json which = Json::array(), values = Json::array();
    for (const auto& [metric, value] : evaluated.metrics) {
        const auto [place, isNew] = places_.emplace(metric, places_.size());
        if (isNew) metrics_->push_back(jsonOf(*metric, kExploredMetric));
        which.push_back(place->second);
        values.push_back(value);
    }
    Json row{{"point", numbersJson(point)},
             {"values", numbersJson(evaluated.values)},
             {"metrics", std::move(which)},
             {"numbers", std::move(values)},
             {"objectives", numbersJson(evaluated.objectives)}};
    if (evaluated.fault != PointFault::none) {
        row["fault"] = kPointFaultNames.of(evaluated.fault);
        row["reason"] = evaluated.reason;
        row["kind"] = evaluated.kind;
        row["violation"] = evaluated.violation;
        if (!evaluated.missing.empty()) row["missing"] = evaluated.missing;
    }
    rows_ += row.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json KeptState::json() const {
    return {{"metrics", metrics_->is_null() ? Json::array() : *metrics_}, {"points", rows_}};
}

KeptMetrics readKeptMetrics(const JsonNode& list, MetricPool& metrics) {
    KeptMetrics known;
    for (const JsonNode& metric : list.elements())
        known.push_back(metrics.add(readMembers<ExploredMetric>(metric, kExploredMetric)));
    return known;
}

namespace {

std::pair<explore::Point, EvaluatedPoint> readKeptPoint(const JsonNode& row, const KeptMetrics& known,
                                                        std::size_t chosen, std::size_t all, std::size_t objectives) {
    std::pair<explore::Point, EvaluatedPoint> kept;
    auto& [point, evaluated] = kept;
    point = readNumbers(row.at("point"));
    evaluated.values = readNumbers(row.at("values"));
    if (point.size() != chosen) row.at("point").fail("a value of each variable that is chosen");
    if (!evaluated.values.empty() && evaluated.values.size() != all) row.at("values").fail("a value of each variable");
    const std::vector<double> numbers = readNumbers(row.at("numbers"));
    const std::vector<JsonNode> which = row.at("metrics").elements();
    if (which.size() != numbers.size()) row.at("numbers").fail("a number of each metric");
    for (std::size_t i = 0; i < which.size(); ++i)
        evaluated.metrics.emplace_back(
            known[static_cast<std::size_t>(which[i].whole(0, static_cast<std::int64_t>(known.size()) - 1))],
            numbers[i]);
    evaluated.objectives = readNumbers(row.at("objectives"));
    if (!evaluated.objectives.empty() && evaluated.objectives.size() != objectives)
        row.at("objectives").fail("a value of each objective, or none");
    if (!row.has("fault")) return kept;
    constexpr std::size_t kLongestReason = 1'000'000;
    evaluated.fault = row.at("fault").oneOf(kPointFaultNames);
    evaluated.reason = row.at("reason").text(kLongestReason);
    evaluated.kind = row.at("kind").text(kLongestReason);
    evaluated.violation = row.at("violation").notNegative();
    if (row.has("missing")) evaluated.missing = row.at("missing").text(kLongestReason);
    return kept;
}

}  // namespace

KeptPoints readKeptPoints(const JsonNode& state, const ExploredSpace& space, std::size_t objectives,
                          MetricPool& metrics) {
    const KeptMetrics known = readKeptMetrics(state.at("metrics"), metrics);
    const JsonNode rows = state.at("points");
    if (!rows.isString()) rows.fail("a text with a row for each point");
    return readKeptPoints(rows.json().get_ref<const std::string&>(), state.document().file(), known, space, objectives);
}

KeptPoints readKeptPoints(std::string_view rows, const std::string& file, const KeptMetrics& known,
                          const ExploredSpace& space, std::size_t objectives) {
    const std::size_t chosen = space.chosen().size(), all = space.variables().size();
    KeptPoints points;
    for (const std::string_view row : split(rows, '\n'))
        if (!row.empty())
            points.push_back(
                readKeptPoint(JsonDocument::parse(std::string(row), file).root(), known, chosen, all, objectives));
    return points;
}

}  // namespace tessera::study

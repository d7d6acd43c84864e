#include "core/study/exploration/kept_points.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

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
    points_->push_back(std::move(row));
}

Json KeptState::json() const {
    const auto arrayOf = [](const HeldJson& list) { return list->is_null() ? Json::array() : *list; };
    return {{"metrics", arrayOf(metrics_)}, {"points", arrayOf(points_)}};
}

KeptMetrics readKeptMetrics(const JsonNode& list, MetricPool& metrics) {
    KeptMetrics known;
    for (const JsonNode& metric : list.elements())
        known.push_back(metrics.add(readMembers<ExploredMetric>(metric, kExploredMetric)));
    return known;
}

KeptPoints readKeptPoints(const JsonNode& state, const ExploredSpace& space, std::size_t objectives,
                          MetricPool& metrics) {
    return readKeptPoints(state.at("points"), readKeptMetrics(state.at("metrics"), metrics), space, objectives);
}

KeptPoints readKeptPoints(const JsonNode& list, const KeptMetrics& known, const ExploredSpace& space,
                          std::size_t objectives) {
    const std::size_t chosen = space.chosen().size(), all = space.variables().size();
    KeptPoints points;
    for (const JsonNode& row : list.elements()) {
        auto& [point, evaluated] = points.emplace_back();
        point = readNumbers(row.at("point"));
        evaluated.values = readNumbers(row.at("values"));
        if (point.size() != chosen) row.at("point").fail("a value of each variable that is chosen");
        if (!evaluated.values.empty() && evaluated.values.size() != all)
            row.at("values").fail("a value of each variable");
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
        if (!row.has("fault")) continue;
        constexpr std::size_t kLongestReason = 1'000'000;
        evaluated.fault = row.at("fault").oneOf(kPointFaultNames);
        evaluated.reason = row.at("reason").text(kLongestReason);
        evaluated.kind = row.at("kind").text(kLongestReason);
        evaluated.violation = row.at("violation").notNegative();
        if (row.has("missing")) evaluated.missing = row.at("missing").text(kLongestReason);
    }
    return points;
}

}  // namespace tessera::study

#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/codesign/schedule/schedule.h"

namespace tessera::codesign {

/// Checks a schedule against the rules, independently of the searches.
class ScheduleChecker {
public:
    ScheduleChecker(const Schedule& schedule, const OperatorGraph& graph, const Cores& cores)
        : schedule_(schedule), graph_(graph), cores_(cores) {
        double sum = 0;
        bool whole = true;
        for (const Operator& each : graph.operators) {
            sum += std::max(each.latency, each.allCoresLatency);
            whole = whole && each.latency == std::floor(each.latency) &&
                    each.allCoresLatency == std::floor(each.allCoresLatency);
        }
        // Whole numbers add up exactly; others by a few last bits.
        constexpr double kRounding = 1e-9;
        slack_ = whole ? 0 : kRounding * sum;
    }

    std::string problem() const {
        if (schedule_.operators.size() != graph_.operators.size())
            return fmt::format("{} operators are scheduled of {}", schedule_.operators.size(), graph_.operators.size());
        for (std::size_t i = 0; i < schedule_.operators.size(); ++i)
            if (std::string text = problemOf(i); !text.empty()) return text;
        for (const auto& [from, to] : graph_.edges)
            if (schedule_.operators[from].finish > schedule_.operators[to].start + slack_)
                return fmt::format("operator {} starts before operator {} has finished", id(to), id(from));
        if (std::string text = problemOfCores(); !text.empty()) return text;
        if (std::string text = problemOfLonely(); !text.empty()) return text;
        return problemOfMakespan();
    }

private:
    std::int64_t id(std::size_t i) const { return graph_.operators[i].id; }

    std::string problemOf(std::size_t i) const {
        const OperatorSlot& placed = schedule_.operators[i];
        const Operator& each = graph_.operators[i];
        if (!(placed.start >= 0)) return fmt::format("operator {} starts before 0", id(i));
        const double latency = placed.allCores ? each.allCoresLatency : each.latency;
        if (!(std::fabs(placed.finish - placed.start - latency) <= slack_))
            return fmt::format("operator {} does not take its latency", id(i));
        const bool tensor = !placed.allCores && each.kind != CoreKind::vector;
        const bool vector = !placed.allCores && each.kind != CoreKind::tensor;
        const auto wrong = [](const std::optional<std::int64_t>& core, bool wanted, std::int64_t cores) {
            return core.has_value() != wanted || (core && (*core < 1 || *core > cores));
        };
        if (wrong(placed.tensorCore, tensor, cores_.tensor) || wrong(placed.vectorCore, vector, cores_.vector))
            return fmt::format("operator {} is not on a core of its kind", id(i));
        if (tensor && vector && placed.tensorCore != placed.vectorCore)
            return fmt::format("fused operator {} is not on a pair", id(i));
        return {};
    }

    /// The first two of them that overlap, as they come by their start.
    std::string overlapOf(std::vector<std::size_t> operators, const std::string& where) const {
        std::sort(operators.begin(), operators.end(), [&](std::size_t a, std::size_t b) {
            const OperatorSlot &x = schedule_.operators[a], &y = schedule_.operators[b];
            return std::tuple(x.start, x.finish, a) < std::tuple(y.start, y.finish, b);
        });
        for (std::size_t i = 1; i < operators.size(); ++i)
            if (schedule_.operators[operators[i - 1]].finish > schedule_.operators[operators[i]].start + slack_)
                return fmt::format("operators {} and {} overlap on {}", id(operators[i - 1]), id(operators[i]), where);
        return {};
    }

    std::string problemOfCores() const {
        std::map<std::int64_t, std::vector<std::size_t>> tensor, vector;
        for (std::size_t i = 0; i < schedule_.operators.size(); ++i) {
            const OperatorSlot& placed = schedule_.operators[i];
            if (placed.tensorCore) tensor[*placed.tensorCore].push_back(i);
            if (placed.vectorCore) vector[*placed.vectorCore].push_back(i);
        }
        for (const auto& [core, operators] : tensor)
            if (std::string text = overlapOf(operators, fmt::format("tensor core {}", core)); !text.empty())
                return text;
        for (const auto& [core, operators] : vector)
            if (std::string text = overlapOf(operators, fmt::format("vector core {}", core)); !text.empty())
                return text;
        return {};
    }

    /// Operators on all cores: nothing may start before they finish, nor still run when they start.
    std::string problemOfLonely() const {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < schedule_.operators.size(); ++i)
            if (schedule_.operators[i].finish > schedule_.operators[i].start) order.push_back(i);
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(schedule_.operators[a].start, a) < std::pair(schedule_.operators[b].start, b);
        });
        double busy = 0, lonelyUntil = 0;
        std::size_t last = 0, lonely = 0;
        for (const std::size_t i : order) {
            const OperatorSlot& placed = schedule_.operators[i];
            if (placed.allCores && busy > placed.start + slack_)
                return fmt::format("operator {} is on all cores while operator {} runs", id(i), id(last));
            if (lonelyUntil > placed.start + slack_)
                return fmt::format("operator {} is on all cores while operator {} runs", id(lonely), id(i));
            if (placed.finish > busy) {
                busy = placed.finish;
                last = i;
            }
            if (placed.allCores && placed.finish > lonelyUntil) {
                lonelyUntil = placed.finish;
                lonely = i;
            }
        }
        return {};
    }

    std::string problemOfMakespan() const {
        double end = 0;
        for (const OperatorSlot& placed : schedule_.operators) end = std::max(end, placed.finish);
        return std::fabs(end - schedule_.makespan) <= slack_ ? "" : "the makespan is not the last finish";
    }

    const Schedule& schedule_;
    const OperatorGraph& graph_;
    const Cores& cores_;
    double slack_ = 0;
};

/// What a schedule breaks, as one sentence; empty where it keeps every rule: durations, dependencies, one operator at a
/// time on a core, cores of the right kind and number, pairs, and operators on all cores alone.
inline std::string problemOf(const Schedule& schedule, const OperatorGraph& graph, const Cores& cores) {
    return ScheduleChecker(schedule, graph, cores).problem();
}

/// A latency as JSON: a whole number without a fraction.
inline Json latencyJson(double value) {
    const auto whole = static_cast<std::int64_t>(value);
    if (value == static_cast<double>(whole)) return whole;
    return value;
}

/// The text of a file that reads back as the same graph.
inline std::string writeOperators(const OperatorGraph& graph) {
    Json json = Json::object();
    if (!graph.name.empty()) json["name"] = graph.name;
    if (!graph.description.empty()) json["description"] = graph.description;
    if (graph.tensorCores) json["num_tc"] = *graph.tensorCores;
    if (graph.vectorCores) json["num_vc"] = *graph.vectorCores;
    Json& nodes = json["nodes"] = Json::array();
    for (const Operator& each : graph.operators) {
        Json node = {{"id", each.id}};
        if (!each.name.empty()) node["name"] = each.name;
        node["type"] = nameOf(each.kind);
        node["latency"] = latencyJson(each.latency);
        node["intra_latency"] = latencyJson(each.allCoresLatency);
        nodes.push_back(std::move(node));
    }
    Json& edges = json["edges"] = Json::array();
    for (const auto& [from, to] : graph.edges) edges.push_back({graph.operators[from].id, graph.operators[to].id});
    return toText(json);
}

}  // namespace tessera::codesign

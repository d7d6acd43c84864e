#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/codesign/schedule/schedule.h"

namespace tessera::codesign {

namespace {

class Checker {
public:
    Checker(const Schedule& schedule, const OperatorGraph& graph, const Cores& cores)
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

}  // namespace

std::string problemOf(const Schedule& schedule, const OperatorGraph& graph, const Cores& cores) {
    return Checker(schedule, graph, cores).problem();
}

}  // namespace tessera::codesign

#include "core/codesign/schedule/schedule_flow.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>

namespace tessera::codesign {

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

/// A flow of greatest gain through a piece, each operator a way in and a way out with two arcs between: one that gains
/// until its room is used, and one that does not. Any flow bounds the makespan, so that it may end early.
class GainFlow {
public:
    GainFlow(const Piece& piece, const std::vector<double>& rates)
        : piece_(piece), arcsOf_(2 * piece.size() + 2), source_(2 * piece.size()), sink_(source_ + 1) {
        for (std::size_t i = 0; i < piece.size(); ++i) {
            const bool gains = !piece.exclusive[i] && piece.single[i] > 0;
            const double room = gains ? piece.serial[i] / piece.single[i] - rates[i] : 0;
            if (room > kNothing) addArc(2 * i, 2 * i + 1, room, piece.single[i]);
            addArc(2 * i, 2 * i + 1, kUnlimited, 0);
            for (const std::size_t next : piece.successors[i]) addArc(2 * i + 1, 2 * next, kUnlimited, 0);
            if (piece.predecessors[i].empty()) addArc(source_, 2 * i, kUnlimited, 0);
            if (piece.successors[i].empty()) addArc(2 * i + 1, sink_, kUnlimited, 0);
        }
        min_ = kRounding * piece.serialSum();
    }

    std::vector<double> run(double value) {
        std::vector<double> shares(piece_.size(), 0);
        for (std::size_t tries = 0; tries < kTries * piece_.size() && value > kNothing && findPath(); ++tries)
            value -= augment(value);
        for (std::size_t i = 0; i < piece_.size(); ++i)
            for (const std::uint32_t arc : arcsOf_[2 * i])
                if (arc % 2 == 0) shares[i] += arcs_[arc ^ 1U].room;
        return shares;
    }

private:
    static constexpr double kNothing = 1e-14;   ///< of the whole flow
    static constexpr double kRounding = 1e-12;  ///< of the serial time: what the order of a sum may change
    static constexpr std::size_t kTries = 4;    ///< paths for each operator

    /// An arc with an even index has the way back behind it.
    struct Arc {
        std::uint32_t to = 0;
        double room = 0;
        double gain = 0;
    };

    void addArc(std::size_t from, std::size_t to, double room, double gain) {
        arcsOf_[from].push_back(static_cast<std::uint32_t>(arcs_.size()));
        arcs_.push_back({static_cast<std::uint32_t>(to), room, gain});
        arcsOf_[to].push_back(static_cast<std::uint32_t>(arcs_.size()));
        arcs_.push_back({static_cast<std::uint32_t>(from), 0, -gain});
    }

    /// The path of greatest gain that has room. False where none gains anything.
    bool findPath() {
        gains_.assign(arcsOf_.size(), -kUnlimited);
        into_.assign(arcsOf_.size(), 0);
        waits_.assign(arcsOf_.size(), false);
        gains_[source_] = 0;
        std::deque<std::size_t> queue{source_};
        while (!queue.empty()) {
            const std::size_t node = queue.front();
            queue.pop_front();
            waits_[node] = false;
            for (const std::uint32_t index : arcsOf_[node]) {
                const Arc& arc = arcs_[index];
                if (arc.room <= kNothing || gains_[node] + arc.gain <= gains_[arc.to] + min_) continue;
                gains_[arc.to] = gains_[node] + arc.gain;
                into_[arc.to] = index;
                if (waits_[arc.to]) continue;
                waits_[arc.to] = true;
                queue.push_back(arc.to);
            }
        }
        return gains_[sink_] > min_ && reachesBack();
    }

    /// Rounding may have bent the way into a circle.
    bool reachesBack() const {
        std::size_t node = sink_;
        for (std::size_t steps = 0; node != source_ && steps <= arcsOf_.size(); ++steps)
            node = arcs_[into_[node] ^ 1U].to;
        return node == source_;
    }

    double augment(double max) {
        const auto follow = [&](const auto& visit) {
            for (std::size_t node = sink_; node != source_; node = arcs_[into_[node] ^ 1U].to) visit(into_[node]);
        };
        follow([&](std::uint32_t arc) { max = std::min(max, arcs_[arc].room); });
        follow([&](std::uint32_t arc) {
            arcs_[arc].room -= max;
            arcs_[arc ^ 1U].room += max;
        });
        return max;
    }

    const Piece& piece_;
    std::vector<Arc> arcs_;
    std::vector<std::vector<std::uint32_t>> arcsOf_;
    std::size_t source_, sink_;
    double min_ = 0;
    std::vector<double> gains_;
    std::vector<std::uint32_t> into_;
    std::vector<bool> waits_;
};

/// A flow of equally large paths, each chosen anew a few times as the best beside the others.
class FewPaths {
public:
    FewPaths(const Piece& piece, const std::vector<double>& rates) : piece_(piece), shares_(piece.size(), 0) {
        std::size_t edges = piece.size();
        for (const std::vector<std::size_t>& next : piece.successors) edges += next.size();
        count_ = std::clamp<std::size_t>(kSteps / edges, kMin, kMax);
        for (std::size_t i = 0; i < piece.size(); ++i) {
            const bool gains = !piece.exclusive[i] && piece.single[i] > 0;
            rooms_.push_back(gains ? std::max(0.0, piece.serial[i] / piece.single[i] - rates[i]) : 0);
        }
    }

    std::vector<double> run(double value) {
        part_ = value / static_cast<double>(count_);
        if (!(part_ > 0)) return shares_;
        std::vector<std::vector<std::size_t>> paths(count_);
        for (std::size_t round = 0; round < kRounds; ++round)
            for (std::vector<std::size_t>& path : paths) {
                for (const std::size_t i : path) shares_[i] -= part_;
                path = best();
                for (const std::size_t i : path) shares_[i] += part_;
            }
        // What was taken away and added again leaves rounding behind.
        std::fill(shares_.begin(), shares_.end(), 0);
        for (const std::vector<std::size_t>& path : paths)
            for (const std::size_t i : path) shares_[i] += part_;
        return shares_;
    }

private:
    static constexpr std::size_t kSteps = 1'000'000, kMin = 8, kMax = 64, kRounds = 3;

    double gainOf(std::size_t i) const { return piece_.single[i] * std::clamp(rooms_[i] - shares_[i], 0.0, part_); }

    std::vector<std::size_t> best() {
        constexpr auto kEnd = static_cast<std::size_t>(-1);
        gains_.assign(piece_.size(), 0);
        next_.assign(piece_.size(), kEnd);
        std::size_t first = kEnd;
        for (std::size_t i = piece_.size(); i-- > 0;) {
            for (const std::size_t next : piece_.successors[i])
                if (next_[i] == kEnd || gains_[next] > gains_[next_[i]]) next_[i] = next;
            gains_[i] = gainOf(i) + (next_[i] == kEnd ? 0 : gains_[next_[i]]);
            if (piece_.predecessors[i].empty() && (first == kEnd || gains_[i] > gains_[first])) first = i;
        }
        std::vector<std::size_t> path;
        for (std::size_t i = first; i != kEnd; i = next_[i]) path.push_back(i);
        return path;
    }

    const Piece& piece_;
    std::vector<double> shares_, rooms_, gains_;
    std::vector<std::size_t> next_;
    std::size_t count_ = 0;
    double part_ = 0;
};

}  // namespace

std::vector<double> pathShares(const Piece& piece, const std::vector<double>& rates, double value) {
    constexpr std::size_t kMaxAugmented = 256;  // operators: the best flow through longer pieces takes too long
    return piece.size() <= kMaxAugmented ? GainFlow(piece, rates).run(value) : FewPaths(piece, rates).run(value);
}

}  // namespace tessera::codesign

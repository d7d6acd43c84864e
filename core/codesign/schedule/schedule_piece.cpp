#include "core/codesign/schedule/schedule_piece.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/poll.h"
#include "core/codesign/schedule/schedule_price.h"

namespace tessera::codesign {

namespace {

/// An operator that takes as long beside others as it and all of them take one after the other gains nothing: what
/// overlaps it can be run in a row instead, in the order of the starts. What runs alone overlaps nothing, so that
/// others may follow.
void markExclusive(Piece& piece) {
    std::vector<double> row = piece.serial;  // of an operator and all that could overlap it
    const auto forEachConcurrent = [&](std::size_t i, const auto& visit) {
        for (std::size_t w = 0; w < piece.concurrent.words(); ++w)
            forEachBit(piece.concurrent[i][w], w * kWordBits, visit);
        poll(piece.size() / 100);
    };
    std::vector<std::size_t> found;
    const auto mark = [&](std::size_t i) {
        if (piece.exclusive[i] || row[i] > piece.single[i]) return;
        piece.exclusive[i] = true;
        found.push_back(i);
    };
    for (std::size_t i = 0; i < piece.size(); ++i)
        forEachConcurrent(i, [&](std::size_t j) { row[i] += piece.serial[j]; });
    for (std::size_t i = 0; i < piece.size(); ++i) mark(i);
    for (std::size_t next = 0; next < found.size();) {  // more are found on the way
        const std::size_t i = found[next++];
        forEachConcurrent(i, [&](std::size_t j) {
            row[j] -= piece.serial[i];
            mark(j);
        });
    }
}

double longestPath(const Piece& piece) {
    std::vector<double> finish(piece.size(), 0);
    double longest = 0;
    for (std::size_t i = 0; i < piece.size(); ++i) {
        for (const std::size_t p : piece.predecessors[i]) finish[i] = std::max(finish[i], finish[p]);
        finish[i] += piece.serial[i];
        longest = std::max(longest, finish[i]);
    }
    return longest;
}

/// How early and how late operators can run, by what must run before and after them under prices.
class Windows {
public:
    Windows(const Piece& piece, const Prices& prices) : piece_(piece), costs_(piece.size()) {
        for (std::size_t i = 0; i < piece.size(); ++i) costs_[i] = minCost(piece, prices, i);
        heads_ = edges(false);
        tails_ = edges(true);
    }

    /// Over all pairs of a head and a tail: both, and what lies between them.
    double bound() const {
        std::vector<std::size_t> byHead(piece_.size()), byTail(piece_.size()), rank(piece_.size());
        std::iota(byHead.begin(), byHead.end(), std::size_t{0});
        byTail = byHead;
        std::sort(byHead.begin(), byHead.end(), [&](std::size_t a, std::size_t b) { return heads_[a] > heads_[b]; });
        std::sort(byTail.begin(), byTail.end(), [&](std::size_t a, std::size_t b) { return tails_[a] > tails_[b]; });
        for (std::size_t r = 0; r < byTail.size(); ++r) rank[byTail[r]] = r;
        std::vector<double> taken(piece_.size(), 0);  // by rank of the tail: of operators with no earlier head
        double bound = 0;
        for (const std::size_t i : byHead) {
            taken[rank[i]] = costs_[i];
            double between = 0;
            for (std::size_t r = 0; r < taken.size(); ++r) {
                between += taken[r];
                if (between > 0) bound = std::max(bound, heads_[i] + between + tails_[byTail[r]]);
            }
            poll(piece_.size() / 100);
        }
        return bound;
    }

private:
    /// By operator, what must pass before it starts; or, `backward`, after it ends.
    std::vector<double> edges(bool backward) const {
        const std::size_t size = piece_.size();
        std::vector<double> edge(size, 0);
        std::vector<std::size_t> latest;  // those that are known, the greatest edge first
        for (std::size_t k = 0; k < size; ++k) {
            const std::size_t i = backward ? size - 1 - k : k;
            for (const std::size_t next : backward ? piece_.successors[i] : piece_.predecessors[i])
                edge[i] = std::max(edge[i], edge[next] + piece_.serial[next]);
            double between = 0;
            for (const std::size_t other : latest) {
                if (!(backward ? has(piece_.before[other], i) : has(piece_.before[i], other))) continue;
                between += costs_[other];
                edge[i] = std::max(edge[i], edge[other] + between);
            }
            const auto place = std::upper_bound(latest.begin(), latest.end(), i,
                                                [&](std::size_t a, std::size_t b) { return edge[a] > edge[b]; });
            latest.insert(place, i);
            poll(size / 100);
        }
        return edge;
    }

    const Piece& piece_;
    std::vector<double> costs_, heads_, tails_;
};

}  // namespace

double Piece::serialSum() const {
    return std::accumulate(serial.begin(), serial.end(), 0.0);
}

double Piece::tolerance() const {
    constexpr double kClose = 1e-9;
    return whole ? 0 : kClose * serialSum();
}

double Piece::safely(double bound) const {
    constexpr double kRounding = 1e-11;  // ten thousand terms, each off by a last bit
    bound -= kRounding * bound;
    return whole ? std::ceil(bound) : bound;
}

Pieces::Pieces(const OperatorGraph& graph)
    : graph_(graph), order_(topologicalOrder(graph.operators.size(), graph.edges)), predecessors_(order_.size()) {
    std::vector<std::size_t> rank(order_.size());
    for (std::size_t r = 0; r < order_.size(); ++r) rank[order_[r]] = r;
    for (const auto& [from, to] : graph.edges) predecessors_[rank[to]].push_back(rank[from]);
    for (std::vector<std::size_t>& each : predecessors_) {
        std::sort(each.begin(), each.end());
        each.erase(std::unique(each.begin(), each.end()), each.end());
    }
    cut();
}

/// Those before rank r precede all from there on if each of them that no other of them follows goes to each of the
/// others that none of the others precedes: by ranks, counts the first, the second, and edges between the two.
void Pieces::cut() {
    const std::size_t size = order_.size();
    std::vector<std::size_t> firstSuccessor(size, size);
    for (std::size_t r = 0; r < size; ++r)
        for (const std::size_t p : predecessors_[r]) firstSuccessor[p] = std::min(firstSuccessor[p], r);
    std::vector<std::int64_t> ends(size + 1, 0), begins(size + 1, 0), joins(size + 1, 0);  // changes by rank
    const auto add = [](std::vector<std::int64_t>& changes, std::size_t from, std::size_t behind) {
        if (from >= behind) return;
        ++changes[from];
        --changes[behind];
    };
    for (std::size_t r = 0; r < size; ++r) {
        add(ends, r + 1, std::min(firstSuccessor[r] + 1, size));
        const std::size_t behindLast = predecessors_[r].empty() ? 0 : predecessors_[r].back() + 1;
        add(begins, behindLast, r + 1);
        for (const std::size_t p : predecessors_[r]) add(joins, behindLast, firstSuccessor[p] + 1);
    }
    std::int64_t ending = 0, beginning = 0, joined = 0;
    for (std::size_t r = 0; r < size; ++r) {
        ending += ends[r];
        beginning += begins[r];
        joined += joins[r];
        if (joined == ending * beginning) cuts_.push_back(r);
    }
    cuts_.push_back(size);
}

Piece Pieces::piece(std::size_t index, const Cores& cores) const {
    const std::size_t first = cuts_[index], size = cuts_[index + 1] - first;
    Piece piece;
    // Twice as many cores as operators: enough for each to stand alone, off the pairs, too.
    const auto max = static_cast<std::int64_t>(2 * size);
    piece.cores = {std::min(cores.tensor, max), std::min(cores.vector, max)};
    piece.predecessors.resize(size);
    piece.successors.resize(size);
    piece.before = BitRows(size);
    piece.concurrent = BitRows(size);
    piece.exclusive.assign(size, false);
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t position = order_[first + i];
        const Operator& each = graph_.operators[position];
        piece.members.push_back(position);
        piece.kinds.push_back(each.kind);
        piece.single.push_back(each.latency);
        piece.serial.push_back(std::min(each.latency, each.allCoresLatency));
        piece.whole = piece.whole && each.latency == std::floor(each.latency) &&
                      each.allCoresLatency == std::floor(each.allCoresLatency);
        Word* const before = piece.before[i];
        for (const std::size_t rank : predecessors_[first + i]) {
            if (rank < first) continue;
            const std::size_t p = rank - first;
            piece.predecessors[i].push_back(p);
            piece.successors[p].push_back(i);
            for (std::size_t w = 0; w < piece.before.words(); ++w) before[w] |= piece.before[p][w];
            insertBit(before, p);
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (has(before, j)) continue;
            insertBit(piece.concurrent[i], j);
            insertBit(piece.concurrent[j], i);
        }
        poll(size / 100);
    }
    markExclusive(piece);
    return piece;
}

PieceSchedule serialSchedule(const Piece& piece) {
    PieceSchedule schedule;
    for (std::size_t i = 0; i < piece.size(); ++i) {
        schedule.runs.push_back({.start = schedule.makespan});
        schedule.makespan += piece.serial[i];
    }
    return schedule;
}

double quickBound(const Piece& piece) {
    double bound = longestPath(piece);
    for (const Prices& prices : pricesFor(piece)) bound = std::max(bound, boundUnder(piece, prices));
    bound = piece.safely(bound);
    return std::min(bound, piece.serialSum());
}

double intervalBound(const Piece& piece, const std::vector<Prices>& prices) {
    double bound = 0;
    for (const Prices& each : prices) bound = std::max(bound, Windows(piece, each).bound());
    return std::min(piece.safely(bound), piece.serialSum());
}

void place(const Piece& piece, const PieceSchedule& made, const OperatorGraph& graph, Schedule& whole) {
    for (std::size_t i = 0; i < piece.size(); ++i) {
        const PieceSchedule::Run& run = made.runs[i];
        const Operator& each = graph.operators[piece.members[i]];
        OperatorSlot& placed = whole.operators[piece.members[i]];
        placed.allCores = !run.concurrent && each.allCoresLatency <= each.latency;
        placed.start = whole.makespan + run.start;
        placed.finish = placed.start + (placed.allCores ? each.allCoresLatency : each.latency);
        if (placed.allCores) continue;
        // Alone on one core: any will do.
        if (each.kind != CoreKind::vector) placed.tensorCore = std::max<std::int64_t>(run.tensorCore, 1);
        if (each.kind != CoreKind::tensor) placed.vectorCore = std::max<std::int64_t>(run.vectorCore, 1);
    }
    whole.makespan += made.makespan;
}

}  // namespace tessera::codesign

#include "core/mapping/coarse_schedule.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/mapping/annealing.h"

namespace tessera::mapping {

CoarseSchedule::CoarseSchedule(const Problem& problem)
    : problem_(problem),
      jobs_(problem.jobs.size()),
      cores_(problem.cores.size()),
      orders_(cores_),
      place_(jobs_),
      moved_(cores_),
      ends_(cores_),
      share_(jobs_ * cores_) {
    for (std::size_t p = 0; p < share_.size(); ++p) share_[p] = problem.requiredBandwidth[p] / problem.bandwidth;
}

/// What a core asks for in every span from that in which the job at a position begins; returns that span.
std::size_t CoarseSchedule::fill(const std::vector<std::int32_t>& order, std::size_t core, std::size_t position,
                                 Spans& moved) const {
    const double perWidth = 1 / width_;
    const auto spanAt = [&](double time) { return std::min(kSpans - 1, static_cast<std::size_t>(time * perWidth)); };
    const auto pairOf = [&](std::size_t at) { return problem_.pair(static_cast<std::size_t>(order[at]), core); };
    double begun = 0;
    for (std::size_t i = 0; i < position; ++i) begun += problem_.latency[pairOf(i)];
    const std::size_t first = spanAt(begun);
    const double edge = static_cast<double>(first) * width_;
    // Jobs before it may share its span.
    while (position > 0 && begun > edge) begun -= problem_.latency[pairOf(--position)];
    std::fill(moved.begin() + static_cast<std::ptrdiff_t>(first), moved.end(), 0.0F);
    std::size_t span = first;
    double now = std::max(begun, edge), end = begun;
    for (std::size_t i = position; i < order.size(); ++i) {
        const std::size_t pair = pairOf(i);
        const double rate = share_[pair];
        end += problem_.latency[pair];
        if (end <= edge) continue;
        const std::size_t last = spanAt(end);
        if (last > span) {
            moved[span] += static_cast<float>((static_cast<double>(span + 1) * width_ - now) * rate);
            std::fill(moved.begin() + static_cast<std::ptrdiff_t>(span + 1),
                      moved.begin() + static_cast<std::ptrdiff_t>(last), static_cast<float>(width_ * rate));
            now = static_cast<double>(last) * width_;
            span = last;
        }
        moved[span] += static_cast<float>((end - now) * rate);
        now = end;
    }
    return first;
}

/// Stalls of a block of spans, in an order of sums that does not depend on the machine.
double CoarseSchedule::stallsOf(const Spans& moved, std::size_t block) const {
    const auto width = static_cast<float>(width_);
    std::array<float, kBlock> stalls{};
    for (std::size_t s = 0; s < kBlock; ++s) stalls[s] = std::max(0.0F, moved[block * kBlock + s] - width);
    float total = 0;
    for (std::size_t s = 0; s < kBlock; s += 4) total += (stalls[s] + stalls[s + 1]) + (stalls[s + 2] + stalls[s + 3]);
    return static_cast<double>(total);
}

/// Of spans that are as held before a block.
double CoarseSchedule::makespanOf(const Spans& moved, double end, std::size_t block) const {
    const std::size_t last = std::min(kSpans - 1, static_cast<std::size_t>(end / width_));
    double total = stalled_[block];
    for (; block < last / kBlock; ++block) total += stallsOf(moved, block);
    const double begin = static_cast<double>(last) * width_;
    for (std::size_t s = block * kBlock; s < last; ++s) total += std::max(0.0, static_cast<double>(moved[s]) - width_);
    return begin + total + std::max(end - begin, static_cast<double>(moved[last]));
}

void CoarseSchedule::sumUp() {
    sum_.fill(0);
    double end = 0;
    for (std::size_t k = 0; k < cores_; ++k) {
        end = std::max(end, ends_[k]);
        for (std::size_t s = 0; s < kSpans; ++s) sum_[s] += moved_[k][s];
    }
    for (std::size_t block = 0; block < kBlocks; ++block) stalled_[block + 1] = stalled_[block] + stallsOf(sum_, block);
    held_ = makespanOf(sum_, end, 0);
}

void CoarseSchedule::hold(std::span<const std::vector<std::int32_t>> orders) {
    constexpr double kRoom = 1.05;  // orders that are held later may end later
    all_ = 0;
    for (std::size_t k = 0; k < cores_; ++k) {
        orders_[k] = orders[k];
        ends_[k] = 0;
        for (std::size_t i = 0; i < orders_[k].size(); ++i) {
            const auto job = static_cast<std::size_t>(orders_[k][i]);
            const std::size_t pair = problem_.pair(job, k);
            place_[job] = {static_cast<std::int32_t>(k), static_cast<std::int32_t>(i)};
            ends_[k] += problem_.latency[pair];
            all_ += cycles(pair);
        }
    }
    width_ = kRoom * *std::max_element(ends_.begin(), ends_.end()) / static_cast<double>(kSpans);
    for (std::size_t k = 0; k < cores_; ++k) fill(orders_[k], k, 0, moved_[k]);
    sumUp();
}

/// Whether the changes' ends, or all bytes, are above a limit.
bool CoarseSchedule::isAbove(double limit, std::size_t changes, double moved) const {
    double max = moved;
    for (std::size_t c = 0; c < changes; ++c) max = std::max(max, changes_[c].end);
    return max > limit;
}

double CoarseSchedule::tryChanges(std::size_t count) {
    changed_ = count;
    firstTried_ = kSpans;
    double end = 0;
    for (std::size_t k = 0; k < cores_; ++k)
        if (k != changes_[0].core && (count < 2 || k != changes_[1].core)) end = std::max(end, ends_[k]);
    for (std::size_t c = 0; c < count; ++c) {
        Change& change = changes_[c];
        change.first = fill(change.order, change.core, change.position, change.moved);
        firstTried_ = std::min(firstTried_, change.first);
        end = std::max(end, change.end);
    }
    firstTried_ -= firstTried_ % kBlock;
    std::copy(sum_.begin() + static_cast<std::ptrdiff_t>(firstTried_), sum_.end(),
              sumTried_.begin() + static_cast<std::ptrdiff_t>(firstTried_));
    for (std::size_t c = 0; c < count; ++c) {
        const Spans &before = moved_[changes_[c].core], &after = changes_[c].moved;
        for (std::size_t s = changes_[c].first; s < kSpans; ++s) sumTried_[s] += after[s] - before[s];
    }
    tried_ = makespanOf(sumTried_, end, firstTried_ / kBlock);
    return tried_;
}

double CoarseSchedule::tryMove(const Evaluator::Move& move, double limit) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const auto [source, position] = place_[static_cast<std::size_t>(move.job)];
    const auto from = static_cast<std::size_t>(source), to = static_cast<std::size_t>(move.core);
    const std::size_t before = problem_.pair(static_cast<std::size_t>(move.job), from);
    const std::size_t after = problem_.pair(static_cast<std::size_t>(move.job), to);
    Change& less = changes_[0];
    Change& more = changes_[1];
    changed_ = 0;
    less.core = from;
    less.end = ends_[from];
    allTried_ = all_;
    if (from != to) {
        less.end -= problem_.latency[before];
        more.core = to;
        more.end = ends_[to] + problem_.latency[after];
        allTried_ += cycles(after) - cycles(before);
        if (isAbove(limit, 2, allTried_)) return kNever;
    }
    less.order = orders_[from];
    less.order.erase(less.order.begin() + position);
    less.position = static_cast<std::size_t>(from == to ? std::min(position, move.position) : position);
    if (from == to) {
        less.order.insert(less.order.begin() + move.position, move.job);
        return tryChanges(1);
    }
    more.position = static_cast<std::size_t>(move.position);
    more.order = orders_[to];
    more.order.insert(more.order.begin() + move.position, move.job);
    return tryChanges(2);
}

double CoarseSchedule::trySwap(const Evaluator::Swap& exchange, double limit) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const Place a = place_[static_cast<std::size_t>(exchange.first)];
    const Place b = place_[static_cast<std::size_t>(exchange.second)];
    const auto i = static_cast<std::size_t>(a.position), j = static_cast<std::size_t>(b.position);
    Change& first = changes_[0];
    Change& second = changes_[1];
    changed_ = 0;
    first.core = static_cast<std::size_t>(a.core);
    first.end = ends_[first.core];
    allTried_ = all_;
    if (a.core == b.core) {
        first.order = orders_[first.core];
        std::swap(first.order[i], first.order[j]);
        first.position = std::min(i, j);
        return tryChanges(1);
    }
    second.core = static_cast<std::size_t>(b.core);
    second.end = ends_[second.core];
    const auto pair = [&](std::int32_t job, const Change& on) {
        return problem_.pair(static_cast<std::size_t>(job), on.core);
    };
    const std::size_t x = pair(exchange.first, first), y = pair(exchange.second, second);
    const std::size_t newX = pair(exchange.first, second), newY = pair(exchange.second, first);
    first.end += problem_.latency[newY] - problem_.latency[x];
    second.end += problem_.latency[newX] - problem_.latency[y];
    allTried_ += cycles(newX) - cycles(x) + cycles(newY) - cycles(y);
    if (isAbove(limit, 2, allTried_)) return kNever;
    first.order = orders_[first.core];
    first.order[i] = exchange.second;
    first.position = i;
    second.order = orders_[second.core];
    second.order[j] = exchange.first;
    second.position = j;
    return tryChanges(2);
}

void CoarseSchedule::keep() {
    if (changed_ == 0) return;
    for (std::size_t c = 0; c < changed_; ++c) {
        Change& change = changes_[c];
        orders_[change.core].swap(change.order);
        const auto first = static_cast<std::ptrdiff_t>(change.first);
        std::copy(change.moved.begin() + first, change.moved.end(), moved_[change.core].begin() + first);
        ends_[change.core] = change.end;
        const auto& order = orders_[change.core];
        for (std::size_t i = change.position; i < order.size(); ++i)
            place_[static_cast<std::size_t>(order[i])] = {static_cast<std::int32_t>(change.core),
                                                          static_cast<std::int32_t>(i)};
    }
    const auto first = static_cast<std::ptrdiff_t>(firstTried_);
    std::copy(sumTried_.begin() + first, sumTried_.end(), sum_.begin() + first);
    for (std::size_t block = firstTried_ / kBlock; block < kBlocks; ++block)
        stalled_[block + 1] = stalled_[block] + stallsOf(sum_, block);
    all_ = allTried_;
    held_ = tried_;
    changed_ = 0;
}

void CoarseSchedule::anneal(RandomStream& random, std::int64_t proposals, double temperature,
                            const std::function<void()>& poll) {
    constexpr std::int64_t kBetweenPolls = 256;
    constexpr std::uint64_t kExchanges = 60, kMoves = 25;  // per cent; the rest changes places on a core
    std::vector<std::vector<std::int32_t>> best = orders_;
    double min = held_;
    for (std::int64_t n = 0; n < proposals; ++n) {
        if (n % kBetweenPolls == 0) {
            sumUp();  // sums of changes drift
            poll();
        }
        const double limit = held_ * (1 + temperature * annealed(n, proposals) * fluctuation(random.uniform()));
        const auto job = static_cast<std::int32_t>(random.below(jobs_));
        const std::uint64_t kind = random.below(100);
        double found = 0;
        if (kind < kExchanges && jobs_ > 1) {
            auto other = static_cast<std::int32_t>(random.below(jobs_ - 1));
            if (other >= job) ++other;
            found = trySwap({job, other}, limit);
        } else {
            const Place place = place_[static_cast<std::size_t>(job)];
            std::int32_t core = place.core;
            if (kind < kExchanges + kMoves) core = static_cast<std::int32_t>(random.below(cores_));
            const std::size_t size = orders_[static_cast<std::size_t>(core)].size();
            const auto position = static_cast<std::int32_t>(random.below(core == place.core ? size : size + 1));
            found = tryMove({job, core, position}, limit);
        }
        if (found > limit) continue;
        keep();
        if (held_ >= min) continue;
        min = held_;
        best = orders_;
    }
    hold(best);
}

}  // namespace tessera::mapping

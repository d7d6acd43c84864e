#include "core/mapping/evaluator.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/number.h"

namespace tessera::mapping {
namespace {

constexpr std::size_t kMaxLandmarks = 64;

constexpr auto kUnwatched = [](std::size_t, double, double, double) {};

/// Doubles of 0 or more are ordered as their bits are.
std::int64_t bitsOf(double value) {
    return std::bit_cast<std::int64_t>(value);
}

/// Cores up to this number fit into the low bits of a key.
constexpr std::size_t kPacked = 16;

}  // namespace

/// The merge from a landmark on, of the lines in finish_ and demand_, as a tournament: its root is the core that
/// finishes next, and the root of the sums is what all cores ask for.
template <std::size_t kLeaves, typename Observe>
Values Evaluator::mergeOf(std::size_t landmark, double limit, const Observe& watch) {
    // Up to 16 cores, a key's low bits are the core: they decide ties, and next to nothing else.
    constexpr bool kIsPacked = kLeaves != 0 && kLeaves <= kPacked;
    constexpr std::int64_t kCore = kIsPacked ? static_cast<std::int64_t>(kLeaves) - 1 : 0;
    const std::size_t leaves = kLeaves == 0 ? leaves_ : kLeaves;
    std::int64_t* const key = key_.data();
    std::int32_t* const winner = winner_.data();
    double* const requested = requested_.data();
    const Event** const next = next_.data();

    for (std::size_t k = 0; k < leaves; ++k) {
        const bool used = k < cores_;
        if (used) next[k] = events_[k] + triedCursors_[landmark * cores_ + k];
        const std::int64_t bits = bitsOf(used ? next[k]->finish : kInfinity);
        key[leaves + k] = kIsPacked ? (bits & ~kCore) | static_cast<std::int64_t>(k) : bits;
        winner[leaves + k] = static_cast<std::int32_t>(k);
        requested[leaves + k] = used ? next[k]->requiredBandwidth : 0;
    }
    for (std::size_t i = leaves - 1; i > 0; --i) {
        const std::size_t child = 2 * i + (key[2 * i + 1] < key[2 * i] ? 1 : 0);
        key[i] = key[child];
        winner[i] = winner[child];
        requested[i] = requested[2 * i] + requested[2 * i + 1];
    }

    auto [now, total, completions, moved] = triedLandmarks_[landmark];
    std::int64_t firstKey = key[1];
    double sum = requested[1];
    std::size_t done = landmark * stride_;
    while (done < jobs_) {
        const std::size_t stop = std::min(jobs_, done + stride_);
        for (; done < stop; ++done) {
            const auto k = static_cast<std::size_t>(kIsPacked ? firstKey & kCore : winner[1]);
            const Event* const event = next[k] + 1;
            const double time = std::max(now, event[-1].finish);
            const double step = time - now;
            const double bytes = step * sum;
            total += std::max(step, bytes * perByte_);
            moved += bytes;
            completions += total;
            watch(k, step, sum, total);
            now = time;
            next[k] = event;
            std::size_t i = leaves + k;
            std::int64_t bestKey = bitsOf(event->finish);
            sum = event->requiredBandwidth;
            if constexpr (kIsPacked) {
                bestKey = (bestKey & ~kCore) | static_cast<std::int64_t>(k);
#pragma GCC unroll 4
                for (std::size_t level = kLeaves; level > 1; level >>= 1) {
                    const std::int64_t otherKey = key[i ^ 1];
                    const double other = requested[i ^ 1];
                    key[i] = bestKey;
                    requested[i] = sum;
                    bestKey = std::min(bestKey, otherKey);
                    sum += other;
                    i >>= 1;
                }
            } else {
                auto best = static_cast<std::int32_t>(k);
                for (; i > 1; i >>= 1) {
                    const std::int64_t otherKey = key[i ^ 1];
                    const std::int32_t other = winner[i ^ 1];
                    key[i] = bestKey;
                    winner[i] = best;
                    requested[i] = sum;
                    sum += requested[i ^ 1];
                    const bool replace = otherKey < bestKey;
                    bestKey = replace ? otherKey : bestKey;
                    best = replace ? other : best;
                }
                winner[1] = best;
            }
            firstKey = bestKey;
        }
        if (done % stride_ == 0) {
            const std::size_t at = done / stride_;
            triedLandmarks_[at] = {now, total, completions, moved};
            for (std::size_t k = 0; k < cores_; ++k)
                triedCursors_[at * cores_ + k] = static_cast<std::int32_t>(next[k] - events_[k]);
        }
        if ((total + std::max(horizon_ - now, (bytesTried_ - moved) * perByte_)) * (1 - 1e-12) > limit)
            return {.makespan = kInfinity, .latency = kInfinity, .energy = {}};
    }
    return {.makespan = total, .latency = completions / static_cast<double>(jobs_), .energy = {}};
}

template <typename Observe>
Values Evaluator::merge(std::size_t landmark, double limit, const Observe& watch) {
    switch (leaves_) {
        case 1:
            return mergeOf<1>(landmark, limit, watch);
        case 2:
            return mergeOf<2>(landmark, limit, watch);
        case 4:
            return mergeOf<4>(landmark, limit, watch);
        case 8:
            return mergeOf<8>(landmark, limit, watch);
        case 16:
            return mergeOf<16>(landmark, limit, watch);
        default:
            return mergeOf<0>(landmark, limit, watch);
    }
}

Evaluator::Evaluator(const Problem& problem)
    : problem_(problem),
      jobs_(problem.jobs.size()),
      cores_(problem.cores.size()),
      leaves_(std::bit_ceil(cores_)),
      perByte_(1 / problem.bandwidth),
      bytes_(jobs_ * cores_),
      lines_(cores_),
      place_(jobs_) {
    for (std::size_t p = 0; p < bytes_.size(); ++p) bytes_[p] = problem.latency[p] * problem.requiredBandwidth[p];
    stride_ = std::max<std::size_t>(8, jobs_ / kMaxLandmarks);
    const std::size_t landmarks = jobs_ / stride_ + 1;
    landmarks_.resize(landmarks);
    triedLandmarks_.resize(landmarks);
    cursors_.resize(landmarks * cores_);
    triedCursors_.resize(landmarks * cores_);
    events_.resize(cores_);
    next_.resize(leaves_);
    key_.resize(2 * leaves_);
    winner_.resize(2 * leaves_);
    requested_.resize(2 * leaves_);
    drawn_.resize(jobs_);
    sorted_.resize(jobs_);
    bucket_.resize(std::bit_ceil(jobs_) + 1);
    begin_.resize(cores_ + 1);
}

/// Nearly sorted already, as a rule.
void Evaluator::sort(Keyed* first, Keyed* last) {
    const auto before = [](const Keyed& a, const Keyed& b) {
        return a.priority < b.priority || (a.priority == b.priority && a.job < b.job);
    };
    std::ptrdiff_t moves = 8 * (last - first);
    for (Keyed* i = first + (first != last ? 1 : 0); i < last; ++i) {
        if (!before(*i, i[-1])) continue;
        const Keyed item = *i;
        Keyed* hole = i;
        for (; hole != first && before(item, hole[-1]); --hole) *hole = hole[-1];
        *hole = item;
        moves -= i - hole;
        if (moves < 0) {
            std::sort(first, last, before);
            return;
        }
    }
}

/// Jobs by core and order into `sorted_`; those of core k end where `begin_[k]` says.
void Evaluator::arrange(const Mapping& mapping) {
    // Buckets of priorities first, then the cores, both stable: what is left to sort is short.
    const std::size_t buckets = bucket_.size() - 1;
    const auto width = static_cast<double>(buckets);
    std::fill(bucket_.begin(), bucket_.end(), 0U);
    std::fill(begin_.begin(), begin_.end(), 0U);
    const double* const priority = mapping.priority.data();
    const std::int32_t* const core = mapping.core.data();
    const auto bucketOf = [&](std::size_t job) {
        return static_cast<std::size_t>(static_cast<std::int64_t>(priority[job] * width));
    };
    for (std::size_t j = 0; j < jobs_; ++j) {
        ++bucket_[bucketOf(j) + 1];
        ++begin_[static_cast<std::size_t>(core[j]) + 1];
    }
    for (std::size_t b = 1; b < buckets; ++b) bucket_[b] += bucket_[b - 1];
    for (std::size_t k = 0; k < cores_; ++k) {
        prepare(lines_[k], begin_[k + 1]);
        begin_[k + 1] += begin_[k];
    }
    for (std::size_t j = 0; j < jobs_; ++j)
        drawn_[bucket_[bucketOf(j)]++] = {priority[j], static_cast<std::int32_t>(j)};
    for (const Keyed& keyed : drawn_)
        sorted_[begin_[static_cast<std::size_t>(core[static_cast<std::size_t>(keyed.job)])]++] = keyed;
    Keyed* first = sorted_.data();
    for (std::size_t k = 0; k < cores_; ++k) {
        Keyed* const last = sorted_.data() + begin_[k];
        sort(first, last);
        first = last;
    }
}

Values Evaluator::evaluate(const Mapping& mapping) {
    arrange(mapping);
    const Keyed* next = sorted_.data();
    const double* const latency = problem_.latency.data();
    const double* const requiredBandwidth = problem_.requiredBandwidth.data();
    for (std::size_t k = 0; k < cores_; ++k) {
        const Keyed* const last = sorted_.data() + begin_[k];
        Event* event = lines_[k].events.data();
        events_[k] = event;
        double now = 0;
        for (; next != last; ++next) {
            const std::size_t pair = problem_.pair(static_cast<std::size_t>(next->job), k);
            now += latency[pair];
            *event++ = {now, requiredBandwidth[pair]};
        }
        *event = {kInfinity, 0};
    }
    horizon_ = bytesTried_ = 0;
    keepable_ = false;
    triedLandmarks_[0] = {};
    std::fill_n(triedCursors_.begin(), cores_, 0);
    const std::size_t stride = std::exchange(stride_, jobs_ + 1);  // no landmarks: nothing is changed afterwards
    Values values = merge(0, kInfinity, kUnwatched);
    stride_ = stride;
    if (problem_.energy.empty()) return values;
    double energy = 0;
    for (std::size_t j = 0; j < jobs_; ++j)
        energy += problem_.energy[problem_.pair(j, static_cast<std::size_t>(mapping.core[j]))];
    values.energy = energy;
    return values;
}

Values Evaluator::hold(const Mapping& mapping) {
    arrange(mapping);
    const Keyed* next = sorted_.data();
    for (std::size_t k = 0; k < cores_; ++k) {
        const Keyed* const last = sorted_.data() + begin_[k];
        for (std::int32_t* job = lines_[k].job.data(); next != last; ++next) *job++ = next->job;
    }
    rebuildTimelines();
    return held_;
}

Values Evaluator::hold(std::span<const std::vector<std::int32_t>> orders) {
    for (std::size_t k = 0; k < cores_; ++k) {
        Line& line = lines_[k];
        prepare(line, orders[k].size());
        std::copy(orders[k].begin(), orders[k].end(), line.job.begin());
    }
    rebuildTimelines();
    return held_;
}

/// Timelines and values of what is held, from the orders.
void Evaluator::rebuildTimelines() {
    bytesHeld_ = 0;
    horizon_ = 0;
    double energy = 0;
    for (std::size_t k = 0; k < cores_; ++k) {
        Line& line = lines_[k];
        fill(line, k, 0);
        for (std::size_t i = 0; i < line.size; ++i) {
            const auto job = static_cast<std::size_t>(line.job[i]);
            place_[job] = {static_cast<std::int32_t>(k), static_cast<std::int32_t>(i)};
            bytesHeld_ += bytes_[problem_.pair(job, k)];
        }
        horizon_ = std::max(horizon_, line.end());
        events_[k] = line.events.data();
    }
    bytesTried_ = bytesHeld_;
    triedLandmarks_[0] = {};
    std::fill_n(triedCursors_.begin(), cores_, 0);
    held_ = merge(0, kInfinity, kUnwatched);
    if (!problem_.energy.empty()) {
        for (std::size_t j = 0; j < jobs_; ++j)
            energy += problem_.energy[problem_.pair(j, static_cast<std::size_t>(place_[j].core))];
        held_.energy = energy;
    }
    landmarks_.swap(triedLandmarks_);
    cursors_.swap(triedCursors_);
    keepable_ = false;
}

/// Finishes and required bandwidths of a line's jobs from a position on.
void Evaluator::fill(Line& line, std::size_t core, std::size_t start) const {
    double now = start == 0 ? 0 : line.events[start - 1].finish;
    const double* const latency = problem_.latency.data();
    const double* const requiredBandwidth = problem_.requiredBandwidth.data();
    for (std::size_t i = start; i < line.size; ++i) {
        const std::size_t pair = problem_.pair(static_cast<std::size_t>(line.job[i]), core);
        now += latency[pair];
        line.events[i] = {now, requiredBandwidth[pair]};
    }
    line.events[line.size] = {kInfinity, 0};
}

void Evaluator::prepare(Line& line, std::size_t size) {
    line.size = size;
    if (line.job.size() < size) line.job.resize(size + size / 2);
    if (line.events.size() < size + 1) line.events.resize(size + 1 + size / 2);
}

double Evaluator::maxEndWithout(std::int32_t first, std::int32_t second) const {
    double max = 0;
    for (std::size_t k = 0; k < cores_; ++k) {
        const auto core = static_cast<std::int32_t>(k);
        if (core != first && core != second) max = std::max(max, line(k).end());
    }
    return max;
}

Values Evaluator::evaluateChange(std::size_t touched, double limit) {
    touchedCount_ = touched;
    keepable_ = false;
    horizon_ = maxEndWithout(touched_[0].core, touched == 2 ? touched_[1].core : touched_[0].core);
    double since = kInfinity;
    for (std::size_t t = 0; t < touched; ++t) {
        const Touched& change = touched_[t];
        const Line& held = lines_[static_cast<std::size_t>(change.core)];
        since = std::min(since, change.from == 0 ? 0 : held.events[change.from - 1].finish);
        horizon_ = std::max(horizon_, changed_[t].end());
    }
    if (std::max(horizon_, bytesTried_ * perByte_) * (1 - 1e-12) > limit)
        return {.makespan = kInfinity, .latency = kInfinity, .energy = {}};
    std::size_t landmark = landmarks_.size() - 1;
    if (landmark * stride_ >= jobs_ && landmark > 0) --landmark;
    while (landmark > 0 && landmarks_[landmark].now > since) --landmark;
    triedLandmarks_[landmark] = landmarks_[landmark];
    std::copy_n(cursors_.begin() + static_cast<std::ptrdiff_t>(landmark * cores_), cores_,
                triedCursors_.begin() + static_cast<std::ptrdiff_t>(landmark * cores_));
    firstTried_ = landmark;
    for (std::size_t t = 0; t < touched; ++t) {
        // The prefix that the merge still reads is copied; what lies before the landmark is not.
        const auto core = static_cast<std::size_t>(touched_[t].core);
        const Line& held = lines_[core];
        Line& line = changed_[t];
        const auto begin = static_cast<std::size_t>(triedCursors_[landmark * cores_ + core]);
        for (std::size_t i = begin; i < touched_[t].from; ++i) line.events[i] = held.events[i];
        events_[core] = line.events.data();
    }
    tried_ = merge(landmark, limit, kUnwatched);
    for (std::size_t t = 0; t < touched; ++t) {
        const auto core = static_cast<std::size_t>(touched_[t].core);
        events_[core] = lines_[core].events.data();
    }
    if (!problem_.energy.empty()) tried_.energy = energyTried_;
    keepable_ = tried_.makespan < kInfinity;
    return tried_;
}

Values Evaluator::tryMove(const Move& move, const Limit& limit) {
    const auto [source, position] = place_[static_cast<std::size_t>(move.job)];
    const auto from = static_cast<std::size_t>(source), to = static_cast<std::size_t>(move.core);
    const auto job = static_cast<std::size_t>(move.job);
    const auto at = static_cast<std::size_t>(position), target = static_cast<std::size_t>(move.position);
    const std::size_t before = problem_.pair(job, from), after = problem_.pair(job, to);
    bytesTried_ = bytesHeld_ + (bytes_[after] - bytes_[before]);
    if (held_.energy) energyTried_ = *held_.energy + (problem_.energy[after] - problem_.energy[before]);
    const Line& held = lines_[from];
    if (from == to) {
        const std::size_t first = std::min(at, target), last = std::max(at, target);
        Line& line = changed_[0];
        prepare(line, held.size);
        std::copy(held.job.begin() + static_cast<std::ptrdiff_t>(first),
                  held.job.begin() + static_cast<std::ptrdiff_t>(held.size),
                  line.job.begin() + static_cast<std::ptrdiff_t>(first));
        std::int32_t* const jobs = line.job.data();
        if (at < target)
            std::rotate(jobs + first, jobs + first + 1, jobs + last + 1);
        else
            std::rotate(jobs + first, jobs + last, jobs + last + 1);
        if (first > 0) line.events[first - 1] = held.events[first - 1];
        fill(line, from, first);
        touched_[0] = {source, first};
        return evaluateChange(1, limit.makespan);
    }
    Line& less = changed_[0];
    prepare(less, held.size - 1);
    std::copy(held.job.begin() + static_cast<std::ptrdiff_t>(at + 1),
              held.job.begin() + static_cast<std::ptrdiff_t>(held.size),
              less.job.begin() + static_cast<std::ptrdiff_t>(at));
    if (at > 0) less.events[at - 1] = held.events[at - 1];
    fill(less, from, at);
    const Line& other = lines_[to];
    Line& more = changed_[1];
    prepare(more, other.size + 1);
    more.job[target] = move.job;
    std::copy(other.job.begin() + static_cast<std::ptrdiff_t>(target),
              other.job.begin() + static_cast<std::ptrdiff_t>(other.size),
              more.job.begin() + static_cast<std::ptrdiff_t>(target + 1));
    if (target > 0) more.events[target - 1] = other.events[target - 1];
    fill(more, to, target);
    touched_ = {Touched{source, at}, Touched{move.core, target}};
    return evaluateChange(2, limit.makespan);
}

Values Evaluator::trySwap(const Swap& exchange, const Limit& limit) {
    const Place first = place_[static_cast<std::size_t>(exchange.first)];
    const Place second = place_[static_cast<std::size_t>(exchange.second)];
    const auto swapped = [this](Line& line, const Place& place, std::size_t from) {
        const Line& held = lines_[static_cast<std::size_t>(place.core)];
        prepare(line, held.size);
        std::copy(held.job.begin() + static_cast<std::ptrdiff_t>(from),
                  held.job.begin() + static_cast<std::ptrdiff_t>(held.size),
                  line.job.begin() + static_cast<std::ptrdiff_t>(from));
        if (from > 0) line.events[from - 1] = held.events[from - 1];
    };
    const auto a = static_cast<std::size_t>(first.core), b = static_cast<std::size_t>(second.core);
    const auto i = static_cast<std::size_t>(first.position), j = static_cast<std::size_t>(second.position);
    if (a == b) {
        const std::size_t from = std::min(i, j);
        swapped(changed_[0], first, from);
        std::swap(changed_[0].job[i], changed_[0].job[j]);
        fill(changed_[0], a, from);
        touched_[0] = {first.core, from};
        bytesTried_ = bytesHeld_;
        if (held_.energy) energyTried_ = *held_.energy;
        return evaluateChange(1, limit.makespan);
    }
    swapped(changed_[0], first, i);
    swapped(changed_[1], second, j);
    changed_[0].job[i] = exchange.second;
    changed_[1].job[j] = exchange.first;
    fill(changed_[0], a, i);
    fill(changed_[1], b, j);
    touched_ = {Touched{first.core, i}, Touched{second.core, j}};
    const auto x = static_cast<std::size_t>(exchange.first), y = static_cast<std::size_t>(exchange.second);
    const auto change = [&](const std::vector<double>& table) {
        return (table[problem_.pair(x, b)] - table[problem_.pair(x, a)]) +
               (table[problem_.pair(y, a)] - table[problem_.pair(y, b)]);
    };
    bytesTried_ = bytesHeld_ + change(bytes_);
    if (held_.energy) energyTried_ = *held_.energy + change(problem_.energy);
    return evaluateChange(2, limit.makespan);
}

void Evaluator::keep() {
    if (!keepable_) return;
    for (std::size_t t = 0; t < touchedCount_; ++t) {
        const auto core = static_cast<std::size_t>(touched_[t].core);
        Line& line = lines_[core];
        const Line& changed = changed_[t];
        prepare(line, changed.size);
        const auto from = static_cast<std::ptrdiff_t>(touched_[t].from);
        const auto size = static_cast<std::ptrdiff_t>(changed.size);
        std::copy(changed.job.begin() + from, changed.job.begin() + size, line.job.begin() + from);
        std::copy(changed.events.begin() + from, changed.events.begin() + size + 1, line.events.begin() + from);
        events_[core] = line.events.data();
        for (std::size_t i = touched_[t].from; i < line.size; ++i)
            place_[static_cast<std::size_t>(line.job[i])] = {touched_[t].core, static_cast<std::int32_t>(i)};
    }
    std::copy(triedLandmarks_.begin() + static_cast<std::ptrdiff_t>(firstTried_), triedLandmarks_.end(),
              landmarks_.begin() + static_cast<std::ptrdiff_t>(firstTried_));
    std::copy(triedCursors_.begin() + static_cast<std::ptrdiff_t>(firstTried_ * cores_), triedCursors_.end(),
              cursors_.begin() + static_cast<std::ptrdiff_t>(firstTried_ * cores_));
    // Sums over all jobs are made anew in the order in which `rebuildTimelines` makes them: they depend on what is held
    // alone.
    bytesHeld_ = 0;
    for (std::size_t k = 0; k < cores_; ++k)
        for (std::size_t i = 0; i < lines_[k].size; ++i)
            bytesHeld_ += bytes_[problem_.pair(static_cast<std::size_t>(lines_[k].job[i]), k)];
    held_ = tried_;
    if (held_.energy) {
        double energy = 0;
        for (std::size_t j = 0; j < jobs_; ++j)
            energy += problem_.energy[problem_.pair(j, static_cast<std::size_t>(place_[j].core))];
        held_.energy = energy;
    }
    keepable_ = false;
}

Mapping Evaluator::mapping() const {
    Mapping mapping{std::vector<std::int32_t>(jobs_), std::vector<double>(jobs_)};
    for (std::size_t k = 0; k < cores_; ++k)
        for (std::size_t i = 0; i < lines_[k].size; ++i) {
            const auto job = static_cast<std::size_t>(lines_[k].job[i]);
            mapping.core[job] = static_cast<std::int32_t>(k);
            mapping.priority[job] = static_cast<double>(i) / static_cast<double>(jobs_);
        }
    return mapping;
}

Schedule Evaluator::schedule() {
    Schedule schedule;
    schedule.jobs.resize(jobs_);
    std::vector<double> free(cores_);  // when a core's last job finished
    double since = 0;
    const auto watch = [&](std::size_t k, double step, double requested, double total) {
        if (step > 0 && total > since) {
            Schedule::Step& now = schedule.bandwidth.emplace_back();
            now.time = since;
            now.bytes.resize(cores_);
            const double share = requested > problem_.bandwidth ? problem_.bandwidth / requested : 1;
            for (std::size_t c = 0; c < cores_; ++c) now.bytes[c] = next_[c]->requiredBandwidth * share;
        }
        since = total;
        const auto order = static_cast<std::int32_t>(next_[k] - events_[k]);
        const auto job = static_cast<std::size_t>(lines_[k].job[static_cast<std::size_t>(order)]);
        schedule.jobs[job] = {static_cast<std::int32_t>(k), order, free[k], total};
        free[k] = total;
    };
    triedLandmarks_[0] = {};
    std::fill_n(triedCursors_.begin(), cores_, 0);
    keepable_ = false;
    horizon_ = 0;
    schedule.makespan = merge(0, kInfinity, watch).makespan;
    return schedule;
}

}  // namespace tessera::mapping

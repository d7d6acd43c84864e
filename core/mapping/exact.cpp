#include "core/mapping/exact.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/number.h"
#include "core/mapping/bound.h"

namespace tessera::mapping {

namespace {

constexpr double kSame = 1 - 1e-12;  ///< what sums in another order may differ by, and more
constexpr std::int64_t kMaxNodes = 4'000'000, kBetweenPolls = 4096;

class Exact {
public:
    Exact(const Problem& problem, double bound, const std::function<bool()>& isEnough)
        : problem_(problem),
          isEnough_(isEnough),
          jobs_(problem.jobs.size()),
          cores_(problem.cores.size()),
          goal_(bound * (1 + 1e-10)),
          extraLoad_(excess(problem)),
          like_(likeness(problem)),
          seen_(std::size_t{1} << (jobs_ < 8 ? 12U : 18U)) {
        readTables();
    }

    std::optional<Mapping> best() {
        State root;
        root.left = (1U << jobs_) - 1;
        descend(root);
        if (isStopped_ || best_ == kInfinity) return std::nullopt;
        return mapping();
    }

private:
    /// Of the schedule so far: at `now`, on the clock that stops while jobs stall, the first core is free.
    struct State {
        unsigned left = 0, closed = 0;  ///< jobs, and cores that take no more
        double now = 0, elapsed = 0;    ///< no-stall cycles, cycles
        std::array<double, kMaxExactCores> end{}, share{};
        std::array<std::int8_t, kMaxExactCores> last{};  ///< job on the core, from 1
        std::array<std::int8_t, kMaxExactJobs> core{};   ///< of a job, from 1
    };
    struct Seen {
        std::uint64_t cores = 0, rest = 0;
        double elapsed = kInfinity;
    };
    struct Step {
        double bound = 0;
        std::size_t job = 0;
    };

    std::size_t pair(std::size_t job, std::size_t core) const { return problem_.pair(job, core); }
    double shareOf(std::size_t pair) const { return problem_.requiredBandwidth[pair] / problem_.bandwidth; }

    /// The minimum that any set of jobs takes: bytes, no-stall cycles, excess, and beyond all excess its longest job.
    void readTables() {
        const unsigned sets = 1U << jobs_;
        bytesOf_.assign(sets, 0);
        cyclesOf_.assign(sets, 0);
        extraLoadOf_.assign(sets, 0);
        longestOf_.assign(sets, 0);
        for (std::size_t j = 0; j < jobs_; ++j) {
            double bytes = kInfinity, cycles = kInfinity, extraLoad = kInfinity, noStall = kInfinity;
            for (std::size_t p = pair(j, 0); p < pair(j + 1, 0); ++p) {
                bytes = std::min(bytes, problem_.latency[p] * shareOf(p));
                cycles = std::min(cycles, problem_.latency[p]);
                extraLoad = std::min(extraLoad, extraLoad_[p]);
                noStall = std::min(noStall, problem_.latency[p] + extraLoad_[p]);
            }
            const unsigned bit = 1U << j;
            for (unsigned set = bit; set < sets; set = (set + 1) | bit) {
                bytesOf_[set] += bytes;
                cyclesOf_[set] += cycles;
                extraLoadOf_[set] += extraLoad;
                longestOf_[set] = std::max(longestOf_[set], noStall - extraLoad);
            }
            twin_.push_back(jobs_);
            for (std::size_t other = 0; other < j && twin_[j] == jobs_; ++other)
                if (isAlike(j, other)) twin_[j] = other;
        }
    }

    bool isAlike(std::size_t a, std::size_t b) const {
        for (std::size_t k = 0; k < cores_; ++k)
            if (problem_.latency[pair(a, k)] != problem_.latency[pair(b, k)] ||
                problem_.requiredBandwidth[pair(a, k)] != problem_.requiredBandwidth[pair(b, k)])
                return false;
        return true;
    }

    /// A core that is free first, of those that take more jobs.
    std::size_t nextCore(const State& state) const {
        std::size_t next = cores_;
        for (std::size_t k = 0; k < cores_; ++k)
            if ((state.closed >> k & 1U) == 0 && (next == cores_ || state.end[k] < state.end[next])) next = k;
        return next;
    }

    /// Lets time pass until `until`, through the ends of cores that take no more jobs.
    void advance(State& state, double until) const {
        while (state.now < until) {
            double next = until, requested = 0;
            for (std::size_t k = 0; k < cores_; ++k) {
                if (state.end[k] <= state.now) continue;
                next = std::min(next, state.end[k]);
                requested += state.share[k];
            }
            state.elapsed += (next - state.now) * std::max(1.0, requested);
            state.now = next;
        }
    }

    /// What keeps a core busy from now on: no-stall cycles, and the bytes and the excess in them.
    struct Busy {
        double cycles = 0, bytes = 0, extraLoad = 0;
    };
    Busy busy(double cycles, double share) const {
        return {.cycles = cycles, .bytes = cycles * share, .extraLoad = cycles * std::max(0.0, share - 1)};
    }

    /// Of the schedules that go on from `here` with `job` next on `core`, or with `jobs_` for none, where the core
    /// takes no more. `cores` are busy so at `here`.
    double minMakespan(const State& here, const std::array<Busy, kMaxExactCores>& cores, std::size_t core,
                       std::size_t job) const {
        unsigned left = here.left, closed = here.closed;
        Busy own;
        if (job == jobs_) {
            closed |= 1U << core;
        } else {
            left &= ~(1U << job);
            own = busy(here.end[core] + problem_.latency[pair(job, core)] - here.now, shareOf(pair(job, core)));
        }
        double running = 0, bytes = bytesOf_[left], extraLoad = extraLoadOf_[left], longest = 0;
        std::size_t open = 0;
        for (std::size_t k = 0; k < cores_; ++k) {
            const Busy& rest = k == core ? own : cores[k];
            if ((closed >> k & 1U) == 0) {
                running += rest.cycles;
                ++open;
            }
            longest = std::max(longest, rest.cycles);
            bytes += rest.bytes;
            extraLoad += rest.extraLoad;
        }
        if (left != 0) {
            if (open == 0) return kInfinity;
            longest = std::max({longest, (running + cyclesOf_[left]) / static_cast<double>(open), longestOf_[left]});
        }
        return here.elapsed + std::max(bytes, longest + extraLoad) * kSame;
    }

    /// True where the same jobs on the same cores with the same ones at work were seen after no more time.
    bool wasSeen(const State& state) {
        Seen now{.cores = 0, .rest = state.closed, .elapsed = state.elapsed};
        for (std::size_t j = 0; j < jobs_; ++j) now.cores = now.cores << 5U | static_cast<std::uint64_t>(state.core[j]);
        for (std::size_t k = 0; k < cores_; ++k)
            if (state.last[k] > 0)
                now.rest |= std::uint64_t{1} << (kMaxExactCores - 1U + static_cast<unsigned>(state.last[k]));
        std::uint64_t hash = (now.cores ^ (now.rest << 17U)) * 0x9E3779B97F4A7C15U;
        hash ^= hash >> 32U;
        Seen& known = seen_[hash & (seen_.size() - 1)];
        if (known.cores == now.cores && known.rest == now.rest && known.elapsed * kSame <= state.elapsed) return true;
        known = now;
        return false;
    }

    bool isFinished() {
        if (best_ <= goal_) return true;
        if (++nodes_ % kBetweenPolls == 0 && isEnough_ && isEnough_()) isStopped_ = true;
        if (nodes_ > kMaxNodes) isStopped_ = true;
        return isStopped_;
    }

    void finish(State state) {
        double last = 0;
        for (const double end : state.end) last = std::max(last, end);
        advance(state, last);
        if (state.elapsed >= best_) return;
        best_ = state.elapsed;
        bestOrder_ = order_;
        bestCore_ = state.core;
    }

    /// The state with the job next on the core, which is free now; with `jobs_` for none, the core takes no more.
    State after(const State& here, std::size_t core, std::size_t job) const {
        State next = here;
        if (job == jobs_) {
            next.closed |= 1U << core;
            next.share[core] = 0;
            next.last[core] = 0;
            return next;
        }
        next.left &= ~(1U << job);
        next.end[core] += problem_.latency[pair(job, core)];
        next.share[core] = shareOf(pair(job, core));
        next.last[core] = static_cast<std::int8_t>(job + 1);
        next.core[job] = static_cast<std::int8_t>(core + 1);
        return next;
    }

    /// Whether another choice is the same but for names: of equal jobs the first is taken first, and of equal cores
    /// without any job the first begins with the first job.
    bool isRepeated(const State& state, std::size_t core, std::size_t job) const {
        if (job < jobs_ && twin_[job] < jobs_)
            for (std::size_t other = 0; other < job; ++other)
                if ((state.left >> other & 1U) != 0 && (other == twin_[job] || twin_[other] == twin_[job])) return true;
        if (state.end[core] > 0) return false;
        for (std::size_t k = 0; k < core; ++k) {
            if (like_[k] != like_[core]) continue;
            if (state.last[k] == 0) {
                if (job < jobs_) return true;
            } else if (job < jobs_ && job + 1 < static_cast<std::size_t>(state.last[k])) {
                return true;
            }
        }
        return false;
    }

    void descend(const State& state) {
        if (isFinished()) return;
        if (state.left == 0) {
            finish(state);
            return;
        }
        const std::size_t core = nextCore(state);
        if (core == cores_) return;
        State here = state;
        advance(here, here.end[core]);
        std::array<Busy, kMaxExactCores> cores;
        for (std::size_t k = 0; k < cores_; ++k) cores[k] = busy(std::max(0.0, here.end[k] - here.now), here.share[k]);
        std::array<Step, kMaxExactJobs + 1> steps;
        std::size_t count = 0;
        for (std::size_t job = 0; job <= jobs_; ++job) {
            if (job < jobs_ && (state.left >> job & 1U) == 0) continue;
            if (isRepeated(state, core, job)) continue;
            const double bound = minMakespan(here, cores, core, job);
            if (bound < best_) steps[count++] = {bound, job};
        }
        std::sort(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(count), [](const Step& a, const Step& b) {
            return a.bound < b.bound || (a.bound == b.bound && a.job < b.job);
        });
        for (std::size_t i = 0; i < count && steps[i].bound < best_; ++i) {
            const State next = after(here, core, steps[i].job);
            if (wasSeen(next)) continue;
            if (steps[i].job < jobs_) order_.push_back(steps[i].job);
            descend(next);
            if (steps[i].job < jobs_) order_.pop_back();
        }
    }

    /// Jobs in the order in which they began.
    Mapping mapping() const {
        Mapping mapping{std::vector<std::int32_t>(jobs_), std::vector<double>(jobs_)};
        for (std::size_t place = 0; place < bestOrder_.size(); ++place) {
            const std::size_t job = bestOrder_[place];
            mapping.core[job] = bestCore_[job] - 1;
            mapping.priority[job] = static_cast<double>(place) / static_cast<double>(jobs_);
        }
        return mapping;
    }

    const Problem& problem_;
    const std::function<bool()>& isEnough_;
    std::size_t jobs_, cores_;
    double goal_;
    std::vector<double> extraLoad_, bytesOf_, cyclesOf_, extraLoadOf_,
        longestOf_;                         ///< all but the first by set of jobs
    std::vector<std::size_t> like_, twin_;  ///< the first equal core; the first equal job, or none
    std::vector<Seen> seen_;                ///< by hash
    std::vector<std::size_t> order_, bestOrder_;
    std::array<std::int8_t, kMaxExactJobs> bestCore_{};
    double best_ = kInfinity;
    std::int64_t nodes_ = 0;
    bool isStopped_ = false;
};

}  // namespace

std::optional<Mapping> minMakespanMapping(const Problem& problem, double bound, const std::function<bool()>& isEnough) {
    if (problem.jobs.size() > kMaxExactJobs || problem.cores.size() > kMaxExactCores) return std::nullopt;
    return Exact(problem, bound, isEnough).best();
}

}  // namespace tessera::mapping

#include "core/mapping/assignment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/mapping/annealing.h"
#include "core/mapping/bound.h"

namespace tessera::mapping {

namespace {

constexpr double kHuge = 1e300;

}  // namespace

Assignment::Assignment(const Problem& problem, Objective objective, const Weights& weights, const Bound& bound,
                       const std::vector<std::vector<double>>& tolls)
    : problem_(problem),
      objective_(objective),
      weights_(weights),
      bound_(bound),
      jobs_(problem.jobs.size()),
      cores_(problem.cores.size()),
      extraLoad_(excess(problem)),
      bytes_(extraLoad_.size()),
      tollCount_(std::min(tolls.size(), kMaxTolls)),
      tolls_(extraLoad_.size() * tollCount_),
      core_(jobs_),
      load_(cores_) {
    for (std::size_t p = 0; p < bytes_.size(); ++p)
        bytes_[p] = problem.latency[p] * problem.requiredBandwidth[p] / problem.bandwidth;
    for (std::size_t p = 0; p < bytes_.size(); ++p)
        for (std::size_t t = 0; t < tollCount_; ++t) tolls_[p * tollCount_ + t] = tolls[t][p];
    rebuildLoads();
}

void Assignment::hold(std::vector<std::int32_t> core) {
    core_ = std::move(core);
    rebuildLoads();
}

/// Sums in the order of jobs, so that they depend on what is held alone.
void Assignment::rebuildLoads() {
    std::fill(load_.begin(), load_.end(), 0);
    sums_ = {};
    for (std::size_t j = 0; j < jobs_; ++j) {
        const std::size_t pair = problem_.pair(j, static_cast<std::size_t>(core_[j]));
        load_[static_cast<std::size_t>(core_[j])] += problem_.latency[pair];
        sums_.extraLoad += extraLoad_[pair];
        sums_.bytes += bytes_[pair];
        for (std::size_t t = 0; t < tollCount_; ++t) sums_.tolls[t] += tolls_[pair * tollCount_ + t];
        if (!problem_.energy.empty()) sums_.energy += problem_.energy[pair];
    }
}

double Assignment::minMakespan() const {
    return std::max(*std::max_element(load_.begin(), load_.end()) + sums_.extraLoad, maxOf(sums_));
}

double Assignment::maxOf(const Sums& sums) const {
    double max = sums.bytes;
    for (std::size_t t = 0; t < tollCount_; ++t) max = std::max(max, sums.tolls[t]);
    return max;
}

/// A norm of what all cores and the bandwidth are busy for: like their maximum, but it falls with every one of them.
double Assignment::smooth(const Sums& sums, Norm norm) const {
    if (norm == Norm::fullest)
        return std::max(*std::max_element(load_.begin(), load_.end()) + sums.extraLoad, maxOf(sums));
    const int squarings = norm == Norm::blunt ? 3 : 6;
    const double scale = 1 / bound_.makespan;
    const auto powerOf = [&](double time) {
        double power = time * scale;
        for (int i = 0; i < squarings; ++i) power *= power;
        return power;
    };
    double sum = powerOf(sums.bytes);
    for (std::size_t t = 0; t < tollCount_; ++t) sum += powerOf(sums.tolls[t]);
    for (const double time : load_) sum += powerOf(time + sums.extraLoad);
    if (!(sum < kHuge)) return std::max(*std::max_element(load_.begin(), load_.end()) + sums.extraLoad, sums.bytes);
    for (int i = 0; i < squarings; ++i) sum = std::sqrt(sum);
    return bound_.makespan * sum;
}

double Assignment::value(double makespan, double energy) const {
    if (objective_ == Objective::edp) return makespan * energy;
    if (objective_ != Objective::weighted) return makespan;
    Values values{.makespan = makespan, .latency = makespan / 2, .energy = energy};
    return objectiveOf(values, objective_, weights_, bound_);
}

void Assignment::build(RandomStream& random, double noise) {
    std::vector<std::pair<double, std::size_t>> order(jobs_);
    for (std::size_t j = 0; j < jobs_; ++j) {
        double shortest = problem_.latency[problem_.pair(j, 0)];
        for (std::size_t k = 1; k < cores_; ++k) shortest = std::min(shortest, problem_.latency[problem_.pair(j, k)]);
        order[j] = {-shortest * (1 + noise * random.uniform()), j};
    }
    std::sort(order.begin(), order.end());
    std::fill(load_.begin(), load_.end(), 0);
    double max = 0;
    for (const auto& [length, j] : order) {
        std::size_t best = 0;
        double min = 0;
        for (std::size_t k = 0; k < cores_; ++k) {
            const std::size_t pair = problem_.pair(j, k);
            const double end = std::max(max, load_[k] + problem_.latency[pair]) + extraLoad_[pair] +
                               1e-6 * (load_[k] + problem_.latency[pair]);
            if (k == 0 || end < min) {
                min = end;
                best = k;
            }
        }
        core_[j] = static_cast<std::int32_t>(best);
        load_[best] += problem_.latency[problem_.pair(j, best)];
        max = std::max(max, load_[best]);
    }
    rebuildLoads();
}

void Assignment::anneal(RandomStream& random, std::int64_t proposals, double temperature, Norm norm,
                        const std::function<void()>& poll) {
    constexpr std::int64_t kBetweenPolls = 1024;
    if (cores_ < 2) return;
    const bool hasEnergy = !problem_.energy.empty();
    const bool isMakespan = objective_ != Objective::edp && objective_ != Objective::weighted;
    best_ = core_;
    double current = value(smooth(sums_, norm), sums_.energy);
    double best = value(minMakespan(), sums_.energy);
    const auto shift = [&](Sums& sums, std::size_t job, std::size_t from, std::size_t to) {
        const std::size_t before = problem_.pair(job, from), after = problem_.pair(job, to);
        load_[from] -= problem_.latency[before];
        load_[to] += problem_.latency[after];
        sums.extraLoad += extraLoad_[after] - extraLoad_[before];
        sums.bytes += bytes_[after] - bytes_[before];
        for (std::size_t t = 0; t < tollCount_; ++t)
            sums.tolls[t] += tolls_[after * tollCount_ + t] - tolls_[before * tollCount_ + t];
        if (hasEnergy) sums.energy += problem_.energy[after] - problem_.energy[before];
    };
    for (std::int64_t n = 0; n < proposals; ++n) {
        if (n % kBetweenPolls == 0) poll();
        const std::size_t job = random.below(jobs_);
        const auto from = static_cast<std::size_t>(core_[job]);
        std::size_t to = 0, other = jobs_;
        const std::uint64_t draw = random.below(2 * jobs_);
        if (draw < jobs_) {
            other = draw;
            to = static_cast<std::size_t>(core_[other]);
            if (to == from) continue;
        } else {
            to = random.below(cores_ - 1);
            if (to >= from) ++to;
        }
        const std::array<double, 2> held{load_[from], load_[to]};
        Sums sums = sums_;
        shift(sums, job, from, to);
        if (other < jobs_) shift(sums, other, to, from);
        const double limit = current * (1 + temperature * annealed(n, proposals) * fluctuation(random.uniform()));
        // A norm is at least its greatest term: most changes need no more than that.
        const double busiest = std::max(std::max(load_[from], load_[to]) + sums.extraLoad, maxOf(sums));
        double found = isMakespan ? busiest : 0;
        if (found <= limit) found = value(smooth(sums, norm), sums.energy);
        if (found > limit) {
            load_[from] = held[0];
            load_[to] = held[1];
            continue;
        }
        sums_ = sums;
        core_[job] = static_cast<std::int32_t>(to);
        if (other < jobs_) core_[other] = static_cast<std::int32_t>(from);
        current = found;
        const double min = value(minMakespan(), sums_.energy);
        if (min < best) {
            best = min;
            best_ = core_;
        }
    }
    core_ = best_;
    rebuildLoads();
}

}  // namespace tessera::mapping

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/base/elementary.h"
#include "core/mapping/mapping.h"

namespace tessera::mapping {

namespace {

/// How two jobs differ by their logarithms of latency and required bandwidth on paired cores.
double jobDistance(double latencyA, double latencyB, double bandwidthA, double bandwidthB) {
    return std::fabs(latencyA - latencyB) + std::fabs(bandwidthA - bandwidthB);
}

struct Logarithms {
    explicit Logarithms(const Problem& problem) {
        for (const double cycles : problem.latency) latency.push_back(elementary::log(cycles));
        for (const double bytes : problem.requiredBandwidth) requiredBandwidth.push_back(elementary::log(1e-6 + bytes));
    }
    std::vector<double> latency, requiredBandwidth;
};

/// A core by the mean of its jobs' logarithms.
struct Likeness {
    double latency = 0, requiredBandwidth = 0;
};

std::vector<Likeness> likenesses(const Problem& problem, const Logarithms& of) {
    std::vector<Likeness> cores(problem.cores.size());
    for (std::size_t core = 0; core < cores.size(); ++core)
        for (std::size_t job = 0; job < problem.jobs.size(); ++job) {
            cores[core].latency += of.latency[problem.pair(job, core)] / static_cast<double>(problem.jobs.size());
            cores[core].requiredBandwidth +=
                of.requiredBandwidth[problem.pair(job, core)] / static_cast<double>(problem.jobs.size());
        }
    return cores;
}

/// For every core of `a` the most alike of `b`; of equals the one that was taken least often, so that copies of a core
/// stay apart.
std::vector<std::size_t> pairedCores(const std::vector<Likeness>& a, const std::vector<Likeness>& b) {
    std::vector<std::size_t> paired(a.size());
    std::vector<std::size_t> taken(b.size());
    for (std::size_t core = 0; core < a.size(); ++core) {
        double min = std::numeric_limits<double>::infinity();
        const auto far = [&](std::size_t other) {
            return jobDistance(a[core].latency, b[other].latency, a[core].requiredBandwidth,
                               b[other].requiredBandwidth);
        };
        for (std::size_t other = 0; other < b.size(); ++other) min = std::min(min, far(other));
        std::size_t best = b.size();
        for (std::size_t other = 0; other < b.size(); ++other)
            if (far(other) <= min + 1e-9 && (best == b.size() || taken[other] < taken[best])) best = other;
        paired[core] = best;
        ++taken[best];
    }
    return paired;
}

}  // namespace

Mapping transferred(const Mapping& mapping, const Problem& from, const Problem& to) {
    const Logarithms before(from), after(to);
    const std::vector<Likeness> coresFrom = likenesses(from, before), coresTo = likenesses(to, after);
    const std::vector<std::size_t> source = pairedCores(coresTo, coresFrom);  // what a core of `to` was there
    const std::vector<std::size_t> target = pairedCores(coresFrom, coresTo);  // what a core of `from` is here
    // Jobs that take after the same one differ by how often it was taken already: its equals come first.
    std::vector<std::size_t> taken(from.jobs.size());
    Mapping result;
    for (std::size_t job = 0; job < to.jobs.size(); ++job) {
        std::size_t best = 0;
        double min = std::numeric_limits<double>::infinity();
        for (std::size_t other = 0; other < from.jobs.size(); ++other) {
            double sum = 0;
            for (std::size_t core = 0; core < to.cores.size() && sum <= min; ++core) {
                const std::size_t here = to.pair(job, core), there = from.pair(other, source[core]);
                sum += jobDistance(after.latency[here], before.latency[there], after.requiredBandwidth[here],
                                   before.requiredBandwidth[there]);
            }
            if (sum < min || (sum == min && taken[other] < taken[best])) {
                min = sum;
                best = other;
            }
        }
        ++taken[best];
        result.core.push_back(static_cast<std::int32_t>(target[static_cast<std::size_t>(mapping.core[best])]));
        result.priority.push_back(mapping.priority[best]);
    }
    return result;
}

}  // namespace tessera::mapping

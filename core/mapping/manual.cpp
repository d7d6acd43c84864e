#include <algorithm>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "core/mapping/searches.h"

namespace tessera::mapping {

namespace {

/// Priorities that put jobs in that order.
void setOrder(Mapping& mapping, const std::vector<std::size_t>& order) {
    mapping.priority.resize(order.size());
    for (std::size_t place = 0; place < order.size(); ++place)
        mapping.priority[order[place]] = static_cast<double>(place) / static_cast<double>(order.size());
}

/// Every job, as they come, to the core where it would end first, by latency alone: cores of different kinds are told
/// apart, the shared bandwidth is not seen. Kwon et al.: "Heterogeneous Dataflow Accelerators for Multi-DNN Workloads"
/// (Herald), HPCA 2021, greedy layer assignment with load balancing.
Mapping heraldLike(const Problem& problem) {
    Mapping mapping;
    mapping.core.resize(problem.jobs.size());
    std::vector<double> busy(problem.cores.size());
    for (std::size_t job = 0; job < problem.jobs.size(); ++job) {
        std::size_t chosen = 0;
        const auto end = [&](std::size_t core) { return busy[core] + problem.latency[problem.pair(job, core)]; };
        for (std::size_t core = 1; core < busy.size(); ++core)
            if (end(core) < end(chosen)) chosen = core;
        busy[chosen] = end(chosen);
        mapping.core[job] = static_cast<std::int32_t>(chosen);
    }
    std::vector<std::size_t> order(problem.jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    setOrder(mapping, order);
    return mapping;
}

/// Whenever a core is free it takes the job of maximum required bandwidth while some is left, else the one
/// of minimum, so that memory- and compute-bound jobs run side by side. All cores are taken for copies of the
/// first. Baek et al.: "A Multi-Neural Network Acceleration Architecture" (AI-MT), ISCA 2020.
Mapping aiMtLike(const Problem& problem) {
    const std::size_t jobs = problem.jobs.size();
    const auto requiredBandwidth = [&](std::size_t job) { return problem.requiredBandwidth[problem.pair(job, 0)]; };
    std::vector<std::size_t> byRequiredBandwidth(jobs);
    std::iota(byRequiredBandwidth.begin(), byRequiredBandwidth.end(), std::size_t{0});
    std::stable_sort(byRequiredBandwidth.begin(), byRequiredBandwidth.end(),
                     [&](auto a, auto b) { return requiredBandwidth(a) > requiredBandwidth(b); });

    using Free = std::pair<double, std::size_t>;  // when, which core
    std::priority_queue<Free, std::vector<Free>, std::greater<>> free;
    for (std::size_t core = 0; core < problem.cores.size(); ++core) free.emplace(0, core);
    std::vector<double> requested(problem.cores.size());
    Mapping mapping;
    mapping.core.resize(jobs);
    std::vector<std::size_t> order;
    for (std::size_t max = 0, min = jobs; max < min;) {
        const auto [now, core] = free.top();
        free.pop();
        requested[core] = 0;
        const double total = std::accumulate(requested.begin(), requested.end(), 0.0);
        const std::size_t job = total < problem.bandwidth ? byRequiredBandwidth[max++] : byRequiredBandwidth[--min];
        requested[core] = requiredBandwidth(job);
        mapping.core[job] = static_cast<std::int32_t>(core);
        order.push_back(job);
        free.emplace(now + problem.latency[problem.pair(job, 0)], core);
    }
    setOrder(mapping, order);
    return mapping;
}

Search startManual(Mapping (*make)(const Problem&)) {
    return {.step =
                [make](Trial& run) {
                    run.evaluate(make(run.problem()));
                    run.generation();
                    return false;
                },
            .state = [] { return Json(nullptr); }};
}

}  // namespace

Search startHeraldLike(Trial& /*trial*/, const Json& /*state*/) {
    return startManual(heraldLike);
}

Search startAiMtLike(Trial& /*trial*/, const Json& /*state*/) {
    return startManual(aiMtLike);
}

}  // namespace tessera::mapping

#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "core/base/random.h"

/// Where rank 0 becomes what all others wait for: a queue by a clock of its own, no process.
namespace tessera::test {

/// What handing out costs and how long tasks take, in seconds.
struct QueueCosts {
    double ofMessage = 0;  ///< of rank 0, for a message of answers and the tasks that go back, whatever they hold
    double ofTask = 0;     ///< of rank 0, for each task of a message: asking, reading the answer, keeping it
    double latency = 0;    ///< from one process to another
    double task = 0;       ///< that a worker works on one task, on average
    double spread = 0;  ///< of tasks, as a share: they are even between (1 − spread) and (1 + spread) of the average
};

struct QueueResult {
    double efficiency = 0;  ///< share of the workers' time in which they work
    double busy = 0;        ///< share of the time in which rank 0 works
};

/// What `workers` of one thread make of `tasks` when messages hold `batch` tasks and each worker has one batch ahead of
/// the one that it works on. The same numbers give the same result.
inline QueueResult queueOf(std::size_t workers, std::size_t tasks, std::size_t batch, const QueueCosts& costs) {
    RandomStream random(1);
    struct Worker {
        double free = 0;  ///< when it has done what it was given
        double work = 0;  ///< so far
    };
    std::vector<Worker> all(workers);
    // Messages on their way to rank 0: when they come, whose they are, and how many answers they hold.
    struct Coming {
        double at;
        std::size_t worker, answers;
        bool operator>(const Coming& other) const { return std::pair(at, worker) > std::pair(other.at, other.worker); }
    };
    std::priority_queue<Coming, std::vector<Coming>, std::greater<>> coming;
    std::size_t left = tasks;
    double now = 0, work = 0, end = 0;
    // Each begins by asking twice: for what it does, and for what it does next.
    for (std::size_t worker = 0; worker < workers; ++worker)
        for (int i = 0; i < 2; ++i) coming.push({costs.latency, worker, 0});
    while (!coming.empty()) {
        const Coming message = coming.top();
        coming.pop();
        const std::size_t given = std::min(batch, left);
        left -= given;
        const double cost = costs.ofMessage + costs.ofTask * static_cast<double>(message.answers);
        now = std::max(now, message.at) + cost;
        work += cost;
        end = std::max(end, now);
        if (given == 0) continue;
        double seconds = 0;
        for (std::size_t i = 0; i < given; ++i) seconds += costs.task * (1 + costs.spread * (2 * random.uniform() - 1));
        Worker& worker = all[message.worker];
        worker.free = std::max(worker.free, now + costs.latency) + seconds;
        worker.work += seconds;
        coming.push({worker.free + costs.latency, message.worker, given});
    }
    double worked = 0;
    for (const Worker& worker : all) worked += worker.work;
    return {.efficiency = worked / (end * static_cast<double>(workers)), .busy = work / end};
}

/// The smallest batch (a power of two) that keeps the efficiency, by `queueOf` with enough tasks for all; 0 where none
/// does up to 1,024: rank 0 is saturated by the tasks themselves.
inline std::size_t batchThatKeeps(double efficiency, std::size_t workers, const QueueCosts& costs) {
    // Enough batches for each worker that the last ones, which not all have, do not count.
    constexpr std::size_t kMaxBatch = 1024, kBatchesOfEach = 32;
    for (std::size_t batch = 1; batch <= kMaxBatch; batch *= 2)
        if (queueOf(workers, workers * batch * kBatchesOfEach, batch, costs).efficiency >= efficiency) return batch;
    return 0;
}

}  // namespace tessera::test

#include "core/ranks/saturation.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "core/base/random.h"

namespace tessera::ranks {

namespace {

/// A worker by its own clock.
struct QueuedWorker {
    double free = 0;  ///< when it has done what it was given
    double work = 0;  ///< so far
};

}  // namespace

QueueResult queueOf(std::size_t workers, std::size_t tasks, std::size_t batch, const QueueCosts& costs) {
    RandomStream random(1);
    std::vector<QueuedWorker> all(workers);
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
        QueuedWorker& worker = all[message.worker];
        worker.free = std::max(worker.free, now + costs.latency) + seconds;
        worker.work += seconds;
        coming.push({worker.free + costs.latency, message.worker, given});
    }
    double worked = 0;
    for (const QueuedWorker& worker : all) worked += worker.work;
    return {.efficiency = worked / (end * static_cast<double>(workers)), .busy = work / end};
}

std::size_t batchThatKeeps(double efficiency, std::size_t workers, const QueueCosts& costs) {
    // Enough batches for each worker that the last ones, which not all have, do not count.
    constexpr std::size_t kMostBatch = 1024, kBatchesOfEach = 32;
    for (std::size_t batch = 1; batch <= kMostBatch; batch *= 2)
        if (queueOf(workers, workers * batch * kBatchesOfEach, batch, costs).efficiency >= efficiency) return batch;
    return 0;
}

}  // namespace tessera::ranks

#pragma once

#include <cstddef>

/// Where rank 0 becomes what all others wait for: a queue by a clock of its own, no process.
namespace tessera::ranks {

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
QueueResult queueOf(std::size_t workers, std::size_t tasks, std::size_t batch, const QueueCosts& costs);

/// The smallest batch (a power of two) that keeps the efficiency, by `queueOf` with enough tasks for all; 0 where none
/// does up to 1,024: rank 0 is saturated by the tasks themselves.
std::size_t batchThatKeeps(double efficiency, std::size_t workers, const QueueCosts& costs);

}  // namespace tessera::ranks

#include "core/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tessera {

namespace {

/// The cores that this process may use: launchers of many processes bind each to its share.
unsigned coresOfProcess() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return std::max(1U, std::thread::hardware_concurrency());
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&cores)));
}

}  // namespace

unsigned threadCount(unsigned threads) {
    const unsigned wanted = threads == 0 ? coresOfProcess() : threads;
    return std::min(wanted, 64U);
}

void parallelFor(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& task) {
    const std::size_t workers = std::min<std::size_t>(threadCount(threads), count);
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::mutex mutex;
    std::size_t failedIndex = count;
    std::exception_ptr failure;
    // Indices are handed out in order, so when one fails all lower ones have been handed out and run to their end: the
    // first exception by index is the same for any number of threads.
    const auto work = [&] {
        while (!failed) {
            const std::size_t i = next++;
            if (i >= count) return;
            try {
                task(i);
            } catch (...) {
                const std::scoped_lock lock(mutex);
                failed = true;
                if (i < failedIndex) {
                    failedIndex = i;
                    failure = std::current_exception();
                }
            }
        }
    };
    {
        std::vector<std::jthread> others;
        try {
            for (std::size_t i = 1; i < workers; ++i) others.emplace_back(work);
        } catch (const std::system_error&) {
            // The system gives no more threads: those that run, and this one, do the work.
        }
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace tessera

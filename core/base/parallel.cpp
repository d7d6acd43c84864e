#include "core/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace tessera {

unsigned threadCount(unsigned threads) {
    const unsigned wanted = threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : threads;
    return std::min(wanted, 64U);
}

void parallelFor(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& task) {
    const std::size_t workers = std::min<std::size_t>(threadCount(threads), count);
    std::vector<std::exception_ptr> failures(count);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < count; i = next++) {
            try {
                task(i);
            } catch (...) {
                failures[i] = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        for (std::size_t i = 1; i < workers; ++i) others.emplace_back(work);
        work();
    }
    for (const std::exception_ptr& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

}  // namespace tessera

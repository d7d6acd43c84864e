#pragma once

#include <pthread.h>
#include <sys/resource.h>

#include <ctime>

#include "tests/support/sanitizers.h"

namespace tessera::test {

/// Milliseconds of work that a thread has done: waiting for others, and busy machines, do not count.
inline double workMilliseconds(clockid_t thread = CLOCK_THREAD_CPUTIME_ID) {
    timespec now{};
    clock_gettime(thread, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// What another thread reads this thread's work by.
inline clockid_t workClockOfThisThread() {
    clockid_t clock{};
    pthread_getcpuclockid(pthread_self(), &clock);
    return clock;
}

/// Milliseconds of work of all child processes that have ended and were waited for.
inline double workOfChildrenMilliseconds() {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    const auto milliseconds = [](const timeval& time) {
        return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
    };
    return milliseconds(used.ru_utime) + milliseconds(used.ru_stime);
}

#ifdef NDEBUG
inline constexpr bool kOptimised = true;
#else
inline constexpr bool kOptimised = false;
#endif

/// How many times longer work takes in this build than in the one that people use.
inline constexpr double kSlowerBuild = kSanitized || !kOptimised ? 12 : 1;

}  // namespace tessera::test

#pragma once

#include <ctime>

#include "tests/support/sanitizers.h"

namespace tessera::test {

/// Milliseconds of work that this thread has done: waiting for others, and busy machines, do not count.
inline double workMilliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

#ifdef NDEBUG
inline constexpr bool kOptimised = true;
#else
inline constexpr bool kOptimised = false;
#endif

/// How many times longer work takes in this build than in the one that people use.
inline constexpr double kSlowerBuild = kSanitized || !kOptimised ? 12 : 1;

}  // namespace tessera::test

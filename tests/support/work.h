#pragma once

#include <ctime>

namespace tessera::test {

/// Milliseconds of work that this thread has done: waiting for others, and busy machines, do not count.
inline double workMilliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

// How many times longer work takes in this build than in the one that people use.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TESSERA_SLOW_BUILD
#endif
#endif
#if defined(TESSERA_SLOW_BUILD) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
inline constexpr double kSlowerBuild = 12;
#else
inline constexpr double kSlowerBuild = 1;
#endif

}  // namespace tessera::test

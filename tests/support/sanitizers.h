#pragma once

// Which sanitizer this build runs under: g++ says it with macros, clang with features.
#if defined(__has_feature)
#define TESSERA_HAS_FEATURE(name) __has_feature(name)
#else
#define TESSERA_HAS_FEATURE(name) 0
#endif

namespace tessera::test {

#if defined(__SANITIZE_ADDRESS__) || TESSERA_HAS_FEATURE(address_sanitizer)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || TESSERA_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

/// Everything takes several times longer, and reserves terabytes of addresses.
inline constexpr bool kSanitized = kAddressSanitizer || kThreadSanitizer;

/// Random cases of a property: fewer under a sanitizer, which looks for other faults.
constexpr int randomCases(int all) {
    return kSanitized ? all / 20 : all;
}

}  // namespace tessera::test

#undef TESSERA_HAS_FEATURE

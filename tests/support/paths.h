#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace tessera::test {

std::filesystem::path sourceDirectory();  ///< of the project
std::filesystem::path buildDirectory();
std::filesystem::path program();  ///< the command line that was built

/// A file or folder of the project.
inline std::filesystem::path sourcePath(const std::string& relative) {
    return sourceDirectory() / relative;
}

/// A file or folder of the reference data that may not be copied into the project, and may stand beside it.
inline std::filesystem::path sharedPath(const std::string& relative) {
    return sourceDirectory() / "../shared/data" / relative;
}

/// Empty where the reference data is there; else a sentence, and the running test is listed in
/// `buildDirectory()/skipped-for-want-of-shared`, which tests/run tells of.
std::string wantOfShared(const std::string& relative);

/// True where the environment says `CI`: there reference data must not be absent.
bool isContinuousIntegration();

}  // namespace tessera::test

/// Ends a test where reference data is absent: as skipped, with a message, but as failed in continuous integration.
#define TESSERA_NEEDS_SHARED(relative)                                                       \
    if (const std::string absent = tessera::test::wantOfShared(relative); !absent.empty()) { \
        if (tessera::test::isContinuousIntegration()) FAIL() << absent;                      \
        GTEST_SKIP() << absent;                                                              \
    }

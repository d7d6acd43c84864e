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

/// A file or folder of the reference data that may stand beside the project; it is never required.
inline std::filesystem::path sharedPath(const std::string& relative) {
    return sourceDirectory() / "../shared/data" / relative;
}

}  // namespace tessera::test

/// Ends a test as skipped, with a message, where reference data is absent.
#define TESSERA_NEEDS_SHARED(relative)                                 \
    if (!std::filesystem::exists(tessera::test::sharedPath(relative))) \
    GTEST_SKIP() << "reference data '" << (relative) << "' is not beside the project; skipped"

#include "tests/support/paths.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <system_error>

namespace tessera::test {

// The build defines these for this file alone: all other tests compile to the same objects in every checkout, so that
// the compiler's cache serves them all.

std::filesystem::path sourceDirectory() {
    return TESSERA_SOURCE_DIR;
}

std::filesystem::path buildDirectory() {
    return TESSERA_BUILD_DIR;
}

std::filesystem::path program() {
    return TESSERA_PROGRAM;
}

namespace {

/// One empty file for each test, so that tests of several programs at once do not meet.
void listAsSkipped(const std::string& test) {
    const std::filesystem::path folder = buildDirectory() / "skipped-for-want-of-shared";
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    std::string name = test;
    std::replace(name.begin(), name.end(), '/', ':');  // parameters of a test
    std::ofstream(folder / name).flush();
}

}  // namespace

std::string wantOfShared(const std::string& relative) {
    if (std::filesystem::exists(sharedPath(relative))) return "";
    const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
    if (test != nullptr) listAsSkipped(std::string(test->test_suite_name()) + "." + test->name());
    return "the reference data ../shared/data/" + relative + " is not beside the project";
}

bool isContinuousIntegration() {
    const char* const said = std::getenv("CI");
    return said != nullptr && *said != '\0' && std::string(said) != "false" && std::string(said) != "0";
}

}  // namespace tessera::test

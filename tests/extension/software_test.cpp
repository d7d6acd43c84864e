// A software stack is an entry of a file in a person's own folder: commands know it by its words, before those of the
// bundled file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/json.h"
#include "tests/extension/command.h"
#include "tests/support/scratch_folder.h"

namespace tessera::physical {
namespace {

double samplesPerSecondWith(const std::string& software) {
    const Json document = Json::parse(test::printed({"predict", "--model", "zoo:resnet50", "--accelerator", "a100",
                                                     "--batch", "64", "--software", software, "--json"}));
    return document.at("predictions").at(0).at("throughput_samples_per_s");
}

TEST(ToySoftware, isAnEntryOfAFileOfOnesOwn) {
    const test::ScratchFolder folder;
    std::filesystem::create_directories(folder / "tessera" / "software");
    std::ofstream(folder / "tessera" / "software" / "toy.json")
        << R"({"schema": "tessera.software/1", "stacks": [{"id": "toy", "words": ["toy trainer"], "profile": "eager",)"
        << R"( "does": "a kernel for each operator", "source": "a manual of the test"}]})";
    ::setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
    const double toy = samplesPerSecondWith("Toy Trainer 3.0 on MXNet");
    EXPECT_EQ(toy, samplesPerSecondWith("eager"));
    EXPECT_LT(toy, samplesPerSecondWith("Other Trainer 3.0 on MXNet"));
}

}  // namespace
}  // namespace tessera::physical

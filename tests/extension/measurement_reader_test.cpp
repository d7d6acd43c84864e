// A format of measurements is one row: its files are known by what they hold, and commands take them like the others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/json.h"
#include "core/physical/readers/readers.h"
#include "core/physical/readers/table_maker.h"
#include "tests/extension/command.h"
#include "tests/support/scratch_folder.h"

namespace tessera::physical {
namespace {

using testing::HasSubstr;

constexpr std::string_view kToyMark = "toy profiler";

bool knowsToyFormat(std::string_view bytes) {
    return bytes.starts_with(kToyMark);
}

/// Lines of three sizes and microseconds.
ReadMeasurements readToyFormat(std::string_view bytes, const std::string& file) {
    KernelTableMaker maker("toy", file);
    std::int64_t number = 0;
    for (const std::string_view line : linesOf(bytes)) {
        ++number;
        const std::vector<std::string_view> words = wordsOf(line);
        if (words.size() != 4) continue;
        KernelRequest request{.kernel = "gemm", .dtype = "fp16"};
        for (std::size_t i = 0; i < 3; ++i) request.shape.push_back(std::stod(std::string(words[i])));
        maker.add(request, std::stod(std::string(words[3])) * 1e-6, number);
    }
    return maker.done();
}

TEST(ToyFormat, isKnownByItsContentsAndJudgedAndFitted) {
    addMeasurementReader({"toy", "Toy profiler, text", knowsToyFormat, readToyFormat});
    const test::ScratchFolder folder;
    const std::string file = (folder / "l4.log").string();
    std::ofstream(file) << kToyMark << "\n4096 4096 4096 1400\n8192 4096 4096 2900\n0 1 1 5\n";
    const Json judged = Json::parse(test::printed({"validate", file, "--json"}));
    EXPECT_EQ(judged.at("sets").at(0).at("set"), "kernels-l4");
    EXPECT_EQ(judged.at("sets").at(0).at("predicted"), 2);
    EXPECT_THAT(test::printed({"fit", "--kernels", file, "--accelerator", "l4"}), HasSubstr("2 measured kernels"));
}

}  // namespace
}  // namespace tessera::physical

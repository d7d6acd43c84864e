// What joins by being there, and what a list of files says: a folder of core/, a benchmark, a fuzz program, a package
// and an icon are added to a small checkout that has the project's own build files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QFile>
#include <QIcon>
#include <QImage>
#include <QPixmap>
#include <QResource>
#include <array>
#include <filesystem>
#include <memory>
#include <regex>
#include <string>

#include "core/base/file.h"
#include "tests/architecture/layers.h"
#include "tests/extension/shell.h"
#include "tests/support/paths.h"
#include "ui/theme/theme.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

void put(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    writeFile(file, text);
}

/// Puts files of the project into a checkout, at their place.
void takeAlong(const fs::path& tree, std::initializer_list<const char*> files) {
    for (const char* file : files) put(tree / file, readFile(sourcePath(file)));
}

constexpr const char* kToyBuild = R"(cmake_minimum_required(VERSION 3.25)
project(toy LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
include(core/module.cmake)
add_subdirectory(core)
add_library(tessera_onnx_schema INTERFACE)
add_library(tessera_test_support INTERFACE)
enable_testing()
set(TESSERA_TESTS ON)
add_subdirectory(tests/bench)
add_subdirectory(tests/fuzz)
)";

constexpr const char* kToyBench = R"(#include <benchmark/benchmark.h>

#include "core/toy/toy.h"

namespace {

void Toy_Some(benchmark::State& state) {
    for (auto _ : state)
        for (int i = 0; i < 100; ++i) benchmark::DoNotOptimize(doubled(i));
}
BENCHMARK(Toy_Some);

void Toy_Many(benchmark::State& state) {
    for (auto _ : state)
        for (int i = 0; i < 3000; ++i) benchmark::DoNotOptimize(doubled(i));
}
BENCHMARK(Toy_Many);

}  // namespace

// Ratio: Toy_Some <= 0.5 * Toy_Many
)";

constexpr const char* kToyFuzz = R"(// Seeds: tests/data/*.toy
#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t) { return 0; }
)";

/// A checkout with the project's build files, a folder of core/ above all others, a benchmark of it and a fuzz program.
class ToyCheckout : public testing::Test {
protected:
    static void SetUpTestSuite() {
        tree() = std::make_unique<TemporaryFolder>();
        const fs::path& root = tree()->path();
        takeAlong(root, {"core/module.cmake", "tests/bench/CMakeLists.txt", "tests/bench/ratios.py",
                         "tests/fuzz/CMakeLists.txt", ".ci/packages.py", "app/setup.sh"});
        for (const auto& layer : layersOf(sourcePath("")))
            for (const std::string& folder : layer) put(root / folder / "CMakeLists.txt", "");
        put(root / "core/CMakeLists.txt", withToyLayer());
        put(root / "core/toy/CMakeLists.txt", "tessera_module(toy)\n");
        put(root / "core/toy/toy.h", "#pragma once\nint doubled(int number);\n");
        put(root / "core/toy/toy.cpp", "#include \"core/toy/toy.h\"\nint doubled(int number) { return 2 * number; }\n");
        put(root / "CMakeLists.txt", kToyBuild);
        put(root / "tests/bench/toy_bench.cpp", kToyBench);
        put(root / "tests/fuzz/toy_fuzz.cpp", kToyFuzz);
        put(root / "tests/data/one.toy", "a seed");
    }
    static void TearDownTestSuite() { tree().reset(); }

    static std::unique_ptr<TemporaryFolder>& tree() {
        static std::unique_ptr<TemporaryFolder> folder;
        return folder;
    }
    static const fs::path& root() { return tree()->path(); }
    /// The project's list of layers, with one more.
    static std::string withToyLayer() {
        return std::regex_replace(readFile(sourcePath("core/CMakeLists.txt")), std::regex(R"re("report"\))re"),
                                  "\"report\"\n  \"toy\")");
    }
    /// Builds the benchmark, and with it the folder; once.
    static void build() {
        if (fs::exists(root() / "build/bin/bench_toy")) return;
        const ShellRun made =
            shell(root(),
                  "cmake -S . -B build -G Ninja -Wno-dev -DTESSERA_UNITE=1 && cmake --build build --target bench_toy");
        ASSERT_EQ(made.code, 0) << made.output;
    }
};

TEST_F(ToyCheckout, aFolderOfTheCoreIsALineOfItsListAndOfTheMap) {
    const Layers layers = layersOf(root());
    ASSERT_EQ(layers.at(layers.size() - 3), std::vector<std::string>{"core/toy"}) << "above all but the window";
    const std::string readme = readFile(sourcePath("README.md"));
    EXPECT_THAT(problemsOfMap(layers, readme), testing::ElementsAre("the README's map does not say what core/toy is"));
    EXPECT_THAT(problemsOfMap(layers, readme + "\n  toy/   doubles numbers\n"), IsEmpty());
    EXPECT_THAT(problemsOfArrows(layers, arrowsOf(root())), IsEmpty());
    EXPECT_THAT(problemsOfIncludes(root(), arrowsOf(root())), IsEmpty());
    build();
    EXPECT_TRUE(fs::exists(root() / "build/core/toy/libtessera_toy.a"));
}

TEST_F(ToyCheckout, aBenchmarkAndAFuzzProgramJoinByBeingThere) {
    build();
    EXPECT_THAT(shell(root() / "build", "ctest -N").output, AllOf(HasSubstr("bench.toy"), HasSubstr("fuzz.toy")));
    const ShellRun run = shell(root() / "build", "ctest -R bench.toy -V");
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_THAT(run.output, HasSubstr("Toy_Many"));
    const fs::path seeds = root() / "build/tests/fuzz/toy/seeds";
    ASSERT_EQ(std::distance(fs::directory_iterator(seeds), fs::directory_iterator()), 1);
    EXPECT_EQ(readFile(fs::directory_iterator(seeds)->path()), "a seed");
}

TEST_F(ToyCheckout, aRatioHoldsBenchmarksAgainstEachOther) {
    if (shell(root(), "command -v python3").code != 0) GTEST_SKIP() << "python3 is a package of the gates";
    build();
    const ShellRun held = shell(root(), "python3 tests/bench/ratios.py build/bin");
    EXPECT_EQ(held.code, 0) << held.output;
    EXPECT_THAT(held.output, AllOf(HasSubstr("bench_toy: Toy_Some takes"), HasSubstr("at most 0.5")));
    const fs::path source = root() / "tests/bench/toy_bench.cpp";
    put(source, readFile(source) + "// Ratio: Toy_Many <= 0.5 * Toy_Some\n");
    const ShellRun broken = shell(root(), "python3 tests/bench/ratios.py build/bin");
    EXPECT_NE(broken.code, 0);
    EXPECT_THAT(broken.output, HasSubstr("error: bench_toy: Toy_Many takes more than 0.5 times as long as Toy_Some"));
    put(source, kToyBench);
}

TEST_F(ToyCheckout, aPackageIsALineOfTheList) {
    if (shell(root(), "command -v python3 && command -v dpkg").code != 0)
        GTEST_SKIP() << "python3 is a package of the gates, and dpkg is Debian's";
    build();
    const std::string before = "g++  # the compiler\ncmake\nninja-build\n";
    put(root() / "app/packages.txt", before);
    const ShellRun missing = shell(root(), "python3 .ci/packages.py build");
    EXPECT_NE(missing.code, 0);
    EXPECT_THAT(missing.output, HasSubstr("benchmark.h is of libbenchmark-dev; expected a file of what "
                                          "app/packages.txt lists or depends on"));
    put(root() / "app/packages.txt", before + "libbenchmark-dev  tests  # what is timed\n");
    const ShellRun covered = shell(root(), "python3 .ci/packages.py build");
    EXPECT_EQ(covered.code, 0) << covered.output;
    EXPECT_THAT(covered.output, HasSubstr("; 0 are not covered by app/packages.txt"));
    const auto installed = [](const std::string& groups) {
        return shell(root(), "bash -c '. app/setup.sh; listed_packages " + groups + "'").output;
    };
    EXPECT_EQ(installed("build"), "g++\ncmake\nninja-build\n");
    EXPECT_EQ(installed("build tests"), "g++\ncmake\nninja-build\nlibbenchmark-dev\n");
}

constexpr const char* kThemeBuild = R"(cmake_minimum_required(VERSION 3.25)
project(toy LANGUAGES CXX)
find_package(Qt6 REQUIRED COMPONENTS Core)
file(WRITE ${PROJECT_BINARY_DIR}/theme.cpp "")
add_library(tessera_ui_theme STATIC ${PROJECT_BINARY_DIR}/theme.cpp)
add_subdirectory(resources)
file(GENERATE OUTPUT rcc CONTENT "$<TARGET_FILE:Qt6::rcc>")
)";

/// The colour of the middle of an icon, which has a line there.
QColor lineColour(const QIcon& icon) {
    return icon.pixmap(QSize(96, 96), 1.0).toImage().pixelColor(48, 48);
}

TEST(ToyIcon, isADrawingInTheFolderOfIcons) {
    const TemporaryFolder folder;
    const fs::path& tree = folder.path();
    takeAlong(tree, {"resources/CMakeLists.txt", "resources/application.svg", "resources/tessera-studio.desktop",
                     "resources/io.github.tessera.metainfo.xml"});
    fs::copy(sourcePath("resources/theme"), tree / "resources/theme");
    fs::copy(sourcePath("resources/icons"), tree / "resources/icons");
    put(tree / "resources/icons/toy-line.svg",
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" fill="none" )"
        R"(stroke="currentColor" stroke-width="1.5"><path d="M4 12h16"/></svg>)");
    put(tree / "CMakeLists.txt", kThemeBuild);
    const ShellRun made = shell(tree,
                                "cmake -S . -B build -G Ninja -Wno-dev && $(cat build/rcc) -binary "
                                "build/resources/tessera_resources.qrc -o all.rcc");
    ASSERT_EQ(made.code, 0) << made.output;
    const QString resources = QString::fromStdString((tree / "all.rcc").string());
    const QString name = QStringLiteral("toy-line");
    ASSERT_FALSE(ui::theme().iconNames().contains(name));
    ASSERT_TRUE(QResource::registerResource(resources));
    EXPECT_TRUE(ui::theme().iconNames().contains(name)) << "so that it is on the sheet of icons";
    const QIcon icon = ui::theme().icon(name, "bad");
    for (const ui::ThemeMode mode : {ui::ThemeMode::dark, ui::ThemeMode::light}) {
        ui::theme().apply(mode);
        EXPECT_EQ(lineColour(icon).rgb(), ui::theme().colour("bad").rgb()) << "in the colour of the theme";
    }
    EXPECT_TRUE(QResource::unregisterResource(resources));
}

}  // namespace
}  // namespace tessera::test

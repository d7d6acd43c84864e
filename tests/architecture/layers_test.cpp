#include "tests/architecture/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/support/paths.h"
#include "tests/support/scratch_folder.h"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

// The project itself.

TEST(Architecture, arrowsBetweenModulesPointDownwards) {
    EXPECT_THAT(problemsOfArrows(layersOf(sourcePath("")), arrowsOf(sourcePath(""))), IsEmpty());
}

TEST(Architecture, theMapInTheReadmeNamesEveryFolderOfTheList) {
    const Layers layers = layersOf(sourcePath(""));
    EXPECT_GT(layers.size(), 5U);
    std::ifstream in(sourcePath("README.md"));
    const std::string readme{std::istreambuf_iterator<char>(in), {}};
    EXPECT_THAT(problemsOfMap(layers, readme), IsEmpty());
    EXPECT_THAT(problemsOfMap({{"core/base"}, {"core/absent"}}, readme),
                ElementsAre("the README's map does not say what core/absent is"));
}

TEST(Architecture, includesFollowTheArrowsAndAreSpelledFromTheRoot) {
    const fs::path tree = sourcePath("");
    EXPECT_THAT(problemsOfIncludes(tree, arrowsOf(tree)), IsEmpty());
}

TEST(Architecture, everyFolderOfTheCoreIsAModule) {
    const auto arrows = arrowsOf(sourcePath(""));
    for (const auto& file : filesOf(sourcePath(""))) {
        const bool owned = std::any_of(arrows.begin(), arrows.end(),
                                       [&](const auto& module) { return file.starts_with(module.first + "/"); });
        EXPECT_TRUE(owned || !file.starts_with("core/") || !file.ends_with(".cpp")) << file << " is in no module";
    }
}

TEST(Architecture, topLevelHoldsOnlyWhatTheLayoutNames) {
    EXPECT_THAT(problemsOfTopLevel(filesOf(sourcePath(""))), IsEmpty());
}

TEST(Architecture, noFileMentionsAPlaceOfOneMachine) {
    EXPECT_THAT(problemsOfMachinePaths(sourcePath(""), filesOf(sourcePath(""))), IsEmpty());
}

// The checks themselves, on a small tree in which each rule can be broken.

class SmallTree : public testing::Test {
protected:
    void SetUp() override {
        write("core/CMakeLists.txt",
              "set(core_layers\n  \"base\"\n  \"cost\"  # one\n  \"mapping predict\"\n  \"study\")\n");
        write("core/base/CMakeLists.txt", "tessera_module(base PUBLIC_LIBRARIES fmt::fmt)\n");
        write("core/base/error.h", "#pragma once\n#include <string>\n");
        write("core/cost/CMakeLists.txt", "tessera_module(cost DEPENDS base)\n");
        write("core/cost/roofline.h", "// Costs.\n\n#pragma once\n#include \"core/base/error.h\"\n");
        write("core/mapping/CMakeLists.txt",
              "tessera_module(mapping\n  DEPENDS base cost # both\n  PRIVATE_DEPENDS x::y)\n");
        write("core/mapping/map.cpp", "#include \"core/cost/roofline.h\"\n#include \"core/base/error.h\"\n");
        write("core/study/CMakeLists.txt", "tessera_module(study DEPENDS mapping)\n");
        write("core/study/study.h", "#pragma once\n#include \"core/mapping/map.h\"\n");
        write("core/mapping/map.h", "#pragma once\n");
        write("app/cli/CMakeLists.txt", "target_link_libraries(tessera PRIVATE tessera_study CLI11::CLI11)\n");
        write("app/cli/main.cpp", "#include <CLI/CLI.hpp>\n#include \"core/study/study.h\"\n");
    }
    void write(const std::string& file, const std::string& text) const {
        fs::create_directories((tree_ / file).parent_path());
        std::ofstream(tree_ / file) << text;
    }
    Problems arrowProblems() const { return problemsOfArrows(layersOf(tree_), arrowsOf(tree_)); }
    Problems includeProblems() const { return problemsOfIncludes(tree_, arrowsOf(tree_)); }

    test::ScratchFolder tree_;
};

TEST_F(SmallTree, isFineAsItIs) {
    EXPECT_THAT(arrowProblems(), IsEmpty());
    EXPECT_THAT(includeProblems(), IsEmpty());
    EXPECT_EQ(arrowsOf(tree_).at("core/mapping"), (std::set<std::string>{"core/base", "core/cost"}));
    EXPECT_EQ(arrowsOf(tree_).at("app/cli"), (std::set<std::string>{"core/study"}));
}

TEST_F(SmallTree, anIncludeAgainstTheArrowsIsFound) {
    write("core/cost/roofline.cpp", "#include \"core/mapping/map.h\"\n");
    EXPECT_THAT(includeProblems(),
                ElementsAre("core/cost/roofline.cpp includes core/mapping; core/cost may use only: core/base"));
}

TEST_F(SmallTree, anEngineThatIncludesAnotherIsFound) {
    write("core/predict/CMakeLists.txt", "tessera_module(predict DEPENDS base cost)\n");
    write("core/predict/predict.cpp", "  #  include \"core/mapping/map.h\"\n");
    EXPECT_THAT(includeProblems(), ElementsAre("core/predict/predict.cpp includes core/mapping; core/predict may use "
                                               "only: core/base;core/cost"));
}

TEST_F(SmallTree, anEngineThatDependsOnAnotherIsFound) {
    write("core/predict/CMakeLists.txt", "tessera_module(predict DEPENDS base mapping)\n");
    EXPECT_THAT(arrowProblems(), ElementsAre("core/predict depends on core/mapping, which is not below it"));
}

TEST_F(SmallTree, anArrowUpwardsIsFound) {
    write("core/base/CMakeLists.txt", "tessera_module(base DEPENDS study)\n");
    EXPECT_THAT(arrowProblems(), ElementsAre("core/base depends on core/study, which is not below it"));
}

TEST_F(SmallTree, aModuleThatTheArchitectureDoesNotKnowIsFound) {
    write("core/helpers/CMakeLists.txt", "tessera_module(helpers DEPENDS base)\n");
    EXPECT_THAT(arrowProblems(),
                ElementsAre("core/helpers depends on core/base; the architecture does not know core/helpers"));
}

TEST_F(SmallTree, aCommandLineThatLinksAnEngineIsFound) {
    write("app/cli/CMakeLists.txt", "target_link_libraries(tessera PRIVATE tessera_mapping)\n");
    EXPECT_THAT(
        arrowProblems(),
        ElementsAre("app/cli depends on core/mapping; it sits on app/manual;core/calibrate;core/report;core/store;"
                    "core/study"));
}

TEST_F(SmallTree, qtInTheCoreIsFound) {
    write("core/base/window.cpp", "#include <QString>\n#include <QtWidgets/QLabel>\n");
    EXPECT_THAT(includeProblems(),
                ElementsAre("core/base/window.cpp includes <QString>; core never includes Qt",
                            "core/base/window.cpp includes <QtWidgets/QLabel>; core never includes Qt"));
}

TEST_F(SmallTree, theConsoleInTheCoreIsFound) {
    write("core/base/print.cpp", "#include <iostream>\n");
    EXPECT_THAT(includeProblems(), ElementsAre("core/base/print.cpp includes <iostream>; nothing in core prints"));
}

TEST_F(SmallTree, includesThatAreNotSpelledFromTheRootAreFound) {
    write("core/cost/a.cpp", "#include \"roofline.h\"\n");
    write("core/cost/b.cpp", "#include \"../cost/roofline.h\"\n");
    write("core/cost/c.cpp", "#include <core/cost/roofline.h>\n");
    EXPECT_THAT(
        includeProblems(),
        ElementsAre("core/cost/a.cpp includes \"roofline.h\", which is not spelled from the repository root",
                    "core/cost/b.cpp includes \"../cost/roofline.h\", which is not spelled from the repository root",
                    "core/cost/c.cpp includes <core/cost/roofline.h>; the project's own headers stand in quotes"));
}

TEST_F(SmallTree, aHeaderWithoutPragmaOnceIsFound) {
    write("core/base/error.h", "#include <string>\n#pragma once\n");
    EXPECT_THAT(includeProblems(), ElementsAre("core/base/error.h does not start with #pragma once"));
}

TEST_F(SmallTree, aStrangerOnTheTopLevelIsFound) {
    EXPECT_THAT(problemsOfTopLevel({"core/base/error.h", "scripts/a.sh", "scripts/b.sh", "notes.txt", "README.md"}),
                ElementsAre("notes.txt is not part of the top level", "scripts is not part of the top level"));
}

TEST_F(SmallTree, aPlaceOfOneMachineIsFound) {
    const std::string place = std::string("/ho") + "me/";
    write("README.md", "See " + place + "me/notes.\n");
    EXPECT_THAT(problemsOfMachinePaths(tree_, filesOf(tree_)), ElementsAre("README.md mentions " + place));
}

}  // namespace
}  // namespace tessera::test

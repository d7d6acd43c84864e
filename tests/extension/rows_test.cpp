// Every row of the README's table "Where would I add …" has its test among these, and what the rows hold now is what
// the two programs list.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QMenu>
#include <QMenuBar>
#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/names.h"
#include "core/cost/core_cost.h"
#include "core/hardware/library.h"
#include "core/mapping/mapping.h"
#include "core/model/readers/readers.h"
#include "core/model/zoo/zoo.h"
#include "core/partition/partition.h"
#include "core/report/catalogue.h"
#include "core/reproduce/reproduce.h"
#include "core/study/study.h"
#include "tests/extension/command.h"
#include "tests/support/paths.h"
#include "ui/models/engine_words.h"
#include "ui/workspace/window/main_window.h"

namespace tessera::test {
namespace {

using testing::HasSubstr;

/// A row by what it adds, and the test that does it: "Suite.test".
struct RowProof {
    std::string_view row;
    std::string_view test;
};

constexpr std::array kRowProofs{
    RowProof{"an engine", "ToyEngine.isKeptListedComparedReportedAndExported"},
    RowProof{"a partition strategy", "ToyStrategy.isComparedWithTheOthersAndBoundByThem"},
    RowProof{"a mapping algorithm", "ToyAlgorithm.isRunWithItsSettings"},
    RowProof{"a method of exploration", "ToyMethod.isRunByItsName"},
    RowProof{"an operator kind", "ModelRows.anOperatorIsShapedAndCounted"},
    RowProof{"a network of the zoo", "ModelRows.aNetworkIsListedInspectedConvertedAndPlanned"},
    RowProof{"a reader", "ModelRows.aReaderIsNamedWhereverFilesOfModelsAre"},
    RowProof{"an accelerator, a fleet, a platform, an architecture template",
             "Every/DataFiles.isValidListedAndShownWithItsSources"},
    RowProof{"a field of hardware", "HardwareField.isReadAndWrittenWithItsUnitAndItsSource"},
    RowProof{"what a vector core does, an estimator of operators", "CostRows.aVectorKindIsWhatItsOperatorsTake"},
    RowProof{"a parameter of an engine", "ToyEngine.aParameterIsAMemberAndARow"},
    RowProof{"a model of layers with costs of their own", "ToyLayers.areDividedByTheSearchOfPlan"},
    RowProof{"a picture of a result", "PictureRows.aToyPictureIsOneRow"},
    RowProof{"a hand-over of a result to other studies", "ToyHandover.isWrittenAndNamedByOtherStudies"},
    RowProof{"a number of a result", "MappingFields.areSaidAlikeByReportsSheetsAndTheWindow"},
    RowProof{"a value in the document of a result", "ToyEngine.itsDocumentComesBackExactly"},
    RowProof{"a stored field", "StoredField.isAddedToHistoriesOfEveryOlderVersion"},
    RowProof{"a picture of points", "ToyPoints.aPictureIsOfferedDrawnExportedAndKeptInViews"},
    RowProof{"points of an engine", "ToyPoints.areSeenFilteredListedAndExported"},
    RowProof{"a page for an engine's results", "ToyEngine.hasAFormAndAPageInTheWindow"},
    RowProof{"a document of the window", "ToyDocument.isOpenedOnceForEachKey"},
    RowProof{"an icon", "ToyIcon.isADrawingInTheFolderOfIcons"},
    RowProof{"a paper's figure", "ToyFigure.isRecomputedAndPrintedWithThePapersNumbersBeside"},
    RowProof{"a command", "ToyCommand.itsExampleRuns"},
    RowProof{"a name of the Python package", "ToyPython.aNameIsCalledListedAndInTheStubs"},
    RowProof{"a folder of `core/`", "ToyCheckout.aFolderOfTheCoreIsALineOfItsListAndOfTheMap"},
    RowProof{"a Debian package", "ToyCheckout.aPackageIsALineOfTheList"},
    RowProof{"a kind of measured table", "ToyMeasurements.areJudgedByTheCommandThatKnowsThemByTheirColumns"},
    RowProof{"a software stack", "ToySoftware.isAnEntryOfAFileOfOnesOwn"},
    RowProof{"a training framework that plans are exported to", "ToyFramework.isAFileOfEveryPlanThatItRuns"},
    RowProof{"a format of measurements", "ToyFormat.isKnownByItsContentsAndJudgedAndFitted"},
    RowProof{"a benchmark, a fuzz program", "ToyCheckout.aBenchmarkAndAFuzzProgramJoinByBeingThere"},
};

/// The lines of the table, without its head.
std::vector<std::string> readmeRows() {
    std::istringstream page(readFile(sourcePath("README.md")));
    std::vector<std::string> rows;
    bool inside = false;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("## ")) inside = line.starts_with("## Where would I add");
        if (inside && line.starts_with("| ") && !line.starts_with("| new ")) rows.push_back(line);
    }
    return rows;
}

std::string whatItAdds(const std::string& row) {
    return row.substr(2, row.find(" | ") - 2);
}

/// The tests of this program as "Suite.test", without parameters.
std::vector<std::string> testsHere() {
    std::vector<std::string> names;
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    for (int i = 0; i < all.total_test_suite_count(); ++i) {
        const testing::TestSuite& suite = *all.GetTestSuite(i);
        for (int k = 0; k < suite.total_test_count(); ++k) {
            const std::string test = suite.GetTestInfo(k)->name();
            names.push_back(std::string(suite.name()) + "." + test.substr(0, test.find('/')));
        }
    }
    return names;
}

TEST(ReadmeRows, eachHasATestThatAddsOne) {
    std::vector<std::string> rows, proven;
    for (const std::string& row : readmeRows()) rows.push_back(whatItAdds(row));
    for (const RowProof& proof : kRowProofs) proven.emplace_back(proof.row);
    EXPECT_EQ(rows, proven) << "a row without a test, or a test without a row";
    const std::vector<std::string> tests = testsHere();
    for (const RowProof& proof : kRowProofs)
        EXPECT_EQ(std::count(tests.begin(), tests.end(), proof.test) > 0, true) << proof.test << " of " << proof.row;
}

TEST(ReadmeRows, nameFilesThatAreThere) {
    const std::regex path(R"(`((?:core|ui|app|data|tests|resources)/[\w./-]*)`)");
    std::size_t named = 0;
    for (const std::string& row : readmeRows())
        for (std::sregex_iterator it(row.begin(), row.end(), path), end; it != end; ++it, ++named) {
            const std::string name = (*it)[1];
            if (name.find("ID") != std::string::npos) continue;  // stands for any
            EXPECT_TRUE(std::filesystem::exists(sourcePath(name))) << name << " of " << whatItAdds(row);
        }
    EXPECT_GE(named, 30U);
}

/// The text names all of these.
template <typename Names>
void expectSaid(const std::string& text, const Names& names) {
    EXPECT_FALSE(names.empty());
    for (const auto& name : names) EXPECT_THAT(text, HasSubstr(std::string(name)));
}

TEST(EveryRow, ofCommandsIsInTheHelp) {
    const std::string help = printed({"--help"});
    for (const cli::Command& command : cli::commands()) {
        const std::size_t space = command.path.find(' ');
        const std::string group(command.path.substr(0, space));
        const std::string listed = space == std::string_view::npos ? help : printed({group, "--help"});
        EXPECT_THAT(listed, HasSubstr(std::string(command.summary)));
        EXPECT_THAT(help, HasSubstr("\n  " + group + " "));
    }
}

TEST(EveryRow, isListedByTheCommandThatTakesIt) {
    expectSaid(printed({"partition", "--help"}), idsOf(partition::strategies()));
    expectSaid(printed({"map", "--help"}), idsOf(mapping::algorithms()));
    expectSaid(printed({"codesign", "--help"}), idsOf(cost::estimators()));
    expectSaid(printed({"model", "list"}), idsOf(model::zooEntries()));
    expectSaid(printed({"reproduce", "list"}), idsOf(study::figures()));
    expectSaid(printed({"hardware", "list"}), idsOf(hardware::libraryEntries()));
    for (const model::Reader& reader : model::readers())
        expectSaid(printed({"model", "inspect", "--help"}), reader.suffixes);
    for (const report::Catalogue& catalogue : report::catalogues())
        expectSaid(printed({"export", "--help"}), idsOf(catalogue.pictures));
}

TEST(EveryRow, ofEnginesHasItsStudyInTheMenuOfTheWindow) {
    ui::MainWindow window({.history = {}, .restoreSession = false, .recordHistory = false});
    QStringList studies, listed;
    for (const study::Engine& engine : study::engines()) studies.append(ui::newStudyText(engine));
    for (const QMenu* menu : window.menuBar()->findChildren<QMenu*>())
        if (menu->title() == QStringLiteral("New &study"))
            for (const QAction* action : menu->actions()) listed.append(action->text());
    EXPECT_EQ(listed, studies);
}

}  // namespace
}  // namespace tessera::test

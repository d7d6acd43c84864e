#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <QSet>
#include <QUndoStack>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/predict/prediction.h"
#include "core/report/catalogue.h"
#include "core/report/report_blocks.h"
#include "core/study/partition/outcome.h"
#include "tests/extension/command.h"
#include "tests/support/paths.h"
#include "tests/support/wait.h"
#include "ui/models/text.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/run_view.h"

/// A picture of a result is one row of the catalogue: here one is added, and what every row promises is held to.
namespace tessera::test {
namespace {

namespace fs = std::filesystem;
using report::Selection;
using testing::HasSubstr;

/// The row that this file adds.
report::PictureRow weightRow() {
    return {
        {"toy-accelerators", "Toy: accelerators", "How many accelerators a step occupies", report::Scope::choice,
         report::kWindow | report::kReport},
        [](const report::View& view) {
            const auto& outcome = view.result.outcome.get<study::PartitionOutcome>();
            report::Chart chart{.id = "toy", .title = "Accelerators under " + view.at.choice};
            chart.series = {
                {.name = "accelerators", .mark = report::Mark::bars, .x = {0}, .y = {double(outcome.accelerators)}}};
            chart.x.categories = {"occupied"};
            return chart;
        }};
}

/// A small run of every engine, kept in a history of its own.
class PictureRows : public testing::Test {
protected:
    static void SetUpTestSuite() {
        report::addPicture("partition", weightRow());
        std::string name = fs::temp_directory_path() / "tessera-rows-XXXXXX";
        folder() = mkdtemp(name.data());
        const std::string jobs = (sourceDirectory() / "tests/data/magma/job_tables/S2_mix_insts0.csv").string();
        keep("partition", {"partition", "--model", "zoo:lenet5", "--fleet", "accpar-heterogeneous", "--batch", "64"});
        keep("mapping",
             {"map", "--job-table", jobs, "--bandwidth-bytes-per-cycle", "16", "--samples", "300", "--seed", "1"});
        keep("codesign", {"codesign", "--model", "zoo:bert-base", "--template", "phaze", "--accelerators", "16",
                          "--global-batch", "64", "--search", "random", "--samples", "12", "--seed", "5"});
        keep("predict", {"predict", "--model", "zoo:lenet5", "--accelerator", "a100-40gb,gaudi2", "--devices", "1,2",
                         "--batch", "64"});
        keep("plan", {"plan", "--model", "zoo:llama2-7b", "--fleet", "dgx-h100x8", "--global-batch", "64"});
        keep("place", {"place", "--layers", "megatron-8.3b", "--plan", "8,8,16"});
        keep("schedule", {"schedule", "--operators", "mixture-of-experts"});
        keep("cost", {"cost", "--jobs", "zoo:lenet5", "--pes", "256"});
        keep("explore",
             {"explore", "resnet50-layers-nvdla", "--vary", "pes=64..4096:log", "--vary", "offchip_bandwidth=8..128:8",
              "--objective", "cycles", "--objective", "energy_j", "--constraint", "utilisation>=0.05", "--points", "40",
              "--population", "10", "--keep", "front"});
        keep("calibrate", {"calibrate", "--quick", "--for", "zoo:lenet5", "--batch", "1", "--time-limit", "4s",
                           "--no-tcp", "--out", folder() + "/machine.json"});
    }
    static void TearDownTestSuite() { fs::remove_all(folder()); }

    static std::string& folder() {
        static std::string path;
        return path;
    }
    struct Kept {
        std::string number;
        std::shared_ptr<const study::Result> result;
    };
    static std::map<std::string, Kept>& runs() {
        static std::map<std::string, Kept> all;
        return all;
    }
    static std::vector<std::string> inHistory(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"--store", folder() + "/history.db", "--no-progress", "--quiet"});
        return arguments;
    }
    static void keep(const std::string& engine, const std::vector<std::string>& command) {
        printed(inHistory(command));
        const std::string number = std::to_string(runs().size() + 1);
        const std::string document = printed(inHistory({"history", "show", number, "--result"}));
        const study::Study study = study::newStudy(engine);
        auto result = study::readResult(JsonDocument::parse(document, engine).root(), study);
        runs()[engine] = {number, std::make_shared<const study::Result>(std::move(result))};
    }

    static std::string exported(const std::string& engine, const char* what, std::string_view name,
                                const std::string& format) {
        return printed(inHistory({"export", runs().at(engine).number, "--what", what, "--name", std::string(name),
                                  "--out", "-", "--format", format}));
    }
    /// The window's page of a run of the engine.
    struct Page {
        explicit Page(const std::string& engine) {
            const std::shared_ptr<const study::Result> result = runs().at(engine).result;
            view.reset(ui::runViewOf(*result)->make(&undo, nullptr));
            view->showRun({.result = result, .curves = nullptr, .history = {}, .kept = 0});
        }
        QUndoStack undo;
        std::unique_ptr<ui::RunView> view;
    };
    static QVector<ui::Exportable> offered(const std::string& engine) { return Page(engine).view->exportables(); }
    /// The pictures of a report of one run, as SVG.
    static std::vector<std::string> reported(const std::string& engine) {
        std::vector<std::string> found;
        for (const report::Block& block : report::reportBlocks("t", {{"", runs().at(engine).result.get()}}, {}))
            if (const auto* picture = std::get_if<report::Picture>(&block))
                found.push_back(toSvg(*picture, report::Theme(report::ThemeKind::light)));
        return found;
    }
};

/// Titles of the tabs that say that they show a row.
QStringList tabsOf(const ui::LazyTabs& tabs, const report::Row& row) {
    QStringList titles;
    for (int tab = 0; tab < tabs.count(); ++tab)
        if (tabs.tabToolTip(tab).split(QLatin1Char('\n')).contains(ui::toQt(row.about))) titles << tabs.tabText(tab);
    return titles;
}

bool isChart(const ui::Exportable& what) {
    return static_cast<bool>(what.svg);
}

TEST_F(PictureRows, aToyPictureIsOneRow) {
    const report::PictureRow row = weightRow();
    EXPECT_THAT(printed({"export", "--help"}), HasSubstr(std::string(row.about)));
    EXPECT_THAT(exported("partition", "chart", row.id, "svg"), HasSubstr("Accelerators under accpar"));
    EXPECT_THAT(exported("partition", "chart", row.id, "csv"), HasSubstr("256"));
    EXPECT_THAT(reported("partition").back(), HasSubstr("Accelerators under accpar"));
    const std::string html = printed(inHistory({"report", "1", "--out", "-", "--format", "html"}));
    EXPECT_THAT(html, HasSubstr("Accelerators under accpar"));
    const QVector<ui::Exportable> all = offered("partition");
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const ui::Exportable& what) {
        return what.title == QStringLiteral("Toy: accelerators under accpar");
    }));
    const Page page("partition");
    EXPECT_EQ(tabsOf(*page.view->pages()->pictures(), row), QStringList{ui::toQt(row.title)});
    page.view->pages()->openTab(ui::toQt(row.id));
    page.view->show();
    EXPECT_TRUE(waitUntil([&] {
        const auto* plot = page.view->pages()->pictures()->currentWidget()->findChild<ui::PlotWidget*>();
        return plot != nullptr && plot->chart().title == "Accelerators under accpar";
    }));
}

TEST_F(PictureRows, everyPictureIsOnTheCommandLineInTheWindowAndWhereItSaysInReports) {
    for (const report::Catalogue& catalogue : report::catalogues()) {
        const std::string engine(catalogue.engine);
        SCOPED_TRACE(engine);
        const study::Result& result = *runs().at(engine).result;
        const Selection at = report::selectionOf(result, "");
        const std::vector<std::string> inReport = reported(engine);
        std::size_t reportable = 0;
        QSet<QString> ids;
        const QVector<ui::Exportable> all = offered(engine);
        for (const report::PictureRow& row : catalogue.pictures) {
            SCOPED_TRACE(row.id);
            const bool anew = (row.where & report::kSolvedAnew) != 0;
            EXPECT_TRUE(anew || (row.where & report::kWindow) != 0);
            const std::vector<Selection> selections = report::selectionsOf(row, result, at);
            for (const Selection& each : selections) {
                if (anew) continue;  // shown by its own view, once that has solved it
                const report::Picture picture = row.make({result, each, {}});
                const auto* chart = std::get_if<report::Chart>(&picture);
                const std::string svg = toSvg(picture, report::Theme(report::ThemeKind::light));
                EXPECT_THAT(svg, HasSubstr("</svg>"));
                const bool shown = std::find(inReport.begin(), inReport.end(), svg) != inReport.end();
                EXPECT_EQ(shown, (row.where & report::kReport) != 0 && (chart == nullptr || !chart->series.empty()))
                    << "in the report";
                reportable += shown ? 1 : 0;
                const auto title = ui::shownText(report::titleOf(row, result, each));
                const auto offer = std::find_if(all.begin(), all.end(), [&](const ui::Exportable& what) {
                    return isChart(what) && what.title == title;
                });
                ASSERT_NE(offer, all.end()) << title.toStdString();
                EXPECT_EQ(offer->id.toStdString(), row.id);
                EXPECT_EQ(offer->svg(report::Theme(report::ThemeKind::light)), svg) << "the same picture";
                ids.insert(offer->id);
            }
            if (selections.empty() || anew) continue;
            EXPECT_EQ(exported(engine, "chart", row.id, "svg"),
                      toSvg(row.make({result, selections.front(), {}}), report::Theme(report::ThemeKind::light)));
            for (const report::OlderName& older : report::olderNames()) {
                if (older.engine != engine || older.id != row.id) continue;
                if (&report::pictureNamed(engine, older.older) != &row) continue;  // of a table alone
                EXPECT_EQ(exported(engine, "chart", older.older, "svg"), exported(engine, "chart", row.id, "svg"));
            }
        }
        EXPECT_GE(reportable, 3U);
        for (const ui::Exportable& what : all)
            // What a person arranged, of axes that he chose, is of no row.
            EXPECT_TRUE(!isChart(what) || what.id.isEmpty() || ids.contains(what.id))
                << what.name.toStdString() << " is of no row";
    }
}

TEST_F(PictureRows, everyTableIsOnTheCommandLineAndInTheWindow) {
    for (const report::Catalogue& catalogue : report::catalogues()) {
        const std::string engine(catalogue.engine);
        SCOPED_TRACE(engine);
        const study::Result& result = *runs().at(engine).result;
        const QVector<ui::Exportable> all = offered(engine);
        for (const report::TableRow& row : catalogue.tables) {
            SCOPED_TRACE(row.id);
            if ((row.where & report::kSolvedAnew) != 0) continue;
            for (const Selection& each : report::selectionsOf(row, result, report::selectionOf(result, ""))) {
                const std::string csv = exported(engine, "table", row.id, "csv");
                EXPECT_THAT(csv, HasSubstr("\r\n"));
                const auto title = ui::shownText(report::titleOf(row, result, each)) + QStringLiteral(" (table)");
                const auto offer = std::find_if(all.begin(), all.end(),
                                                [&](const ui::Exportable& what) { return what.title == title; });
                ASSERT_NE(offer, all.end()) << title.toStdString();
                EXPECT_EQ(offer->csv(), csv);
            }
        }
    }
}

/// A picture may have its table on its tab, too.
TEST_F(PictureRows, everyRowIsOnOneTabOfTheWindow) {
    for (const report::Catalogue& catalogue : report::catalogues()) {
        SCOPED_TRACE(catalogue.engine);
        const Page page{std::string(catalogue.engine)};
        const ui::LazyTabs &pictures = *page.view->pages()->pictures(), &details = *page.view->pages()->details();
        const auto expectOne = [](const report::Row& row, const QStringList& tabs) {
            EXPECT_EQ(tabs.size(), (row.where & report::kWindow) != 0 ? 1 : tabs.size())
                << row.id << ": " << tabs.join(QStringLiteral(", ")).toStdString();
        };
        for (const report::PictureRow& row : catalogue.pictures) expectOne(row, tabsOf(pictures, row));
        for (const report::TableRow& row : catalogue.tables) {
            const QStringList its = tabsOf(details, row);
            expectOne(row, its.isEmpty() ? tabsOf(pictures, row) : its);
        }
    }
}

TEST_F(PictureRows, idsAndTitlesAreUniqueAndOlderNamesLeadToThem) {
    for (const report::Catalogue& catalogue : report::catalogues()) {
        const auto check = [](const auto& rows) {
            std::vector<std::string> names, titles;
            for (const report::Row& row : rows) {
                names.emplace_back(row.id);
                titles.emplace_back(row.title);
                EXPECT_FALSE(row.about.empty()) << row.id;
            }
            for (std::vector<std::string>* list : {&names, &titles}) {
                std::sort(list->begin(), list->end());
                EXPECT_EQ(std::adjacent_find(list->begin(), list->end()), list->end());
            }
        };
        check(catalogue.pictures);
        check(catalogue.tables);
        EXPECT_THROW(report::pictureNamed(catalogue.engine, "nothing"), UsageError);
        for (const report::OlderName& older : report::olderNames()) {
            if (older.engine != catalogue.engine) continue;
            const auto hasId = [&](const report::Row& row) { return row.id == older.id; };
            const bool picture = std::any_of(catalogue.pictures.begin(), catalogue.pictures.end(), hasId);
            EXPECT_EQ(picture ? report::pictureNamed(older.engine, older.older).id
                              : report::tableNamed(older.engine, older.older).id,
                      older.id);
        }
    }
}

/// Whoever writes a function that makes a picture of a result also gives it a row.
TEST_F(PictureRows, noPictureOfAResultExistsOutsideOfTheCatalogue) {
    const std::regex function(
        R"((?:Chart|HeatMap|Timeline|Drawing|ParallelPicture|ParetoPicture|OperatorRoofline|std::vector<Chart>) (\w+)\(const (?:study::\w*(?:Outcome|Result|Scaling|MappingSweep)|codesign::\w*Result|predict::Prediction)& )");
    std::string rows;
    std::vector<std::string> made;
    for (const fs::directory_entry& entry : fs::directory_iterator(sourceDirectory() / "core/report")) {
        std::ostringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        const std::string name = entry.path().filename();
        if (name.ends_with("_catalogue.cpp")) rows += text.str();
        if (!name.ends_with(".h")) continue;
        const std::string content = text.str();
        for (std::sregex_iterator it(content.begin(), content.end(), function), end; it != end; ++it)
            made.push_back((*it)[1]);
    }
    ASSERT_GE(made.size(), 25U);
    for (const std::string& name : made) {
        const std::regex use("\\b" + name + R"(\b)");
        EXPECT_TRUE(std::regex_search(rows, use)) << name << " has no row in a catalogue";
    }
}

}  // namespace
}  // namespace tessera::test

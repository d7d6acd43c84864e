#include "ui/workspace/history/history.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <nlohmann/json.hpp>

#include "core/report/points.h"
#include "core/study/metric.h"
#include "core/study/study.h"
#include "tests/support/pictures.h"
#include "tests/support/work.h"
#include "tests/ui/workspace/grown_history.h"
#include "ui/theme/theme.h"
#include "ui/views/toast.h"
#include "ui/views/workbench/workbench.h"
#include "ui/workspace/history/column_chooser.h"
#include "ui/workspace/history/history_document.h"
#include "ui/workspace/history/run_loader.h"
#include "ui/workspace/questions.h"

namespace tessera::ui {
namespace {

using test::waitUntil;

constexpr int kLong = 60'000;  ///< milliseconds
constexpr double kLongestTurn = 50 * test::kSlowerBuild;

class HistoryFile : public testing::Test {
protected:
    void fill(int runs) {
        store::Store store = store::Store::open(path());
        study::Study study = study::newStudy("partition");
        study.models = {"zoo:alexnet"};
        study.hardware = {"accpar-homogeneous"};
        for (int i = 0; i < runs; ++i) {
            study.name = "Study " + std::to_string(i);
            store.addRun(study, i % 3 == 0 ? store::RunStatus::failed : store::RunStatus::cancelled);
        }
    }
    std::filesystem::path path() const { return folder.filePath("history.db").toStdString(); }
    void open(History& history) {
        QSignalSpy opened(&history, &History::opened);
        history.open(path());
        ASSERT_TRUE(waitUntil([&] { return opened.count() > 0; }));
    }
    QTemporaryDir folder;
};

TEST_F(HistoryFile, answersComeBackAndAGoneReceiverIsNotCalled) {
    fill(1);
    History history;
    open(history);
    std::int64_t count = -1;
    bool called = false;
    auto receiver = std::make_unique<QObject>();
    history.ask<int>(
        receiver.get(), [](store::Store&) { return 1; }, [&](int) { called = true; });
    receiver.reset();
    history.ask<std::int64_t>(
        &history, [](store::Store& store) { return store.count({}); }, [&](std::int64_t found) { count = found; });
    ASSERT_TRUE(waitUntil([&] { return count >= 0; }));
    EXPECT_EQ(count, 1);
    EXPECT_FALSE(called);
}

TEST_F(HistoryFile, aFileThatIsNoHistoryIsToldNotOpened) {
    QFile file(QString::fromStdString(path().string()));
    ASSERT_TRUE(file.open(QFile::WriteOnly));
    file.write("this is no database, but a letter to a friend, long enough to be read as one");
    file.close();
    History history;
    store::StoreProblem problem{};
    QString sentence;
    QObject::connect(&history, &History::failed, [&](store::StoreProblem which, const QString& text) {
        problem = which;
        sentence = text;
    });
    history.open(path());
    ASSERT_TRUE(waitUntil([&] { return !sentence.isEmpty(); }));
    EXPECT_TRUE(problem == store::StoreProblem::notAHistory || problem == store::StoreProblem::damaged);
    EXPECT_TRUE(sentence.contains("history.db"));
    EXPECT_FALSE(history.isOpen());
}

TEST_F(HistoryFile, theModelReadsPagesThatAreLookedAtAlone) {
    fill(1500);
    History history;
    HistoryModel model(history);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    open(history);
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 1500; }));
    EXPECT_EQ(model.index(0, HistoryModel::Name).data().toString(), "Study 1499");
    EXPECT_EQ(model.index(1499, HistoryModel::Name).data().toString(), "…");
    ASSERT_TRUE(waitUntil([&] { return model.row(1499) != nullptr; }));
    EXPECT_EQ(model.index(1499, HistoryModel::Name).data().toString(), "Study 0");
}

TEST_F(HistoryFile, aHundredThousandRunsStayFluid) {
    constexpr int kRuns = 100'000;
    test::growHistory(path(), kRuns);
    History history;
    HistoryDocument document(history);
    document.resize(1200, 700);
    document.show();
    open(history);
    HistoryModel& model = document.model();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == kRuns; }));
    // Work of this thread while the table is dragged from top to bottom; other programs of the machine do not count.
    double longest = 0;
    for (int step = 0; step <= 50; ++step) {
        const double before = test::workMilliseconds();
        document.table()->scrollTo(model.index((kRuns - 1) / 50 * step, 0), QAbstractItemView::PositionAtTop);
        document.table()->viewport()->repaint();
        QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
        longest = std::max(longest, test::workMilliseconds() - before);
    }
    EXPECT_LT(longest, kLongestTurn);
    EXPECT_LE(model.loadedPages(), HistoryModel::kMaxPages);
    document.table()->scrollToBottom();
    ASSERT_TRUE(waitUntil([&] { return model.row(kRuns - 1) != nullptr; }));
    EXPECT_EQ(model.index(kRuns - 1, HistoryModel::Name).data().toString(), "Run 99999 of many");
    test::savePicture(document, "history-100000");
}

TEST_F(HistoryFile, filtersAndOrderAreThoseOfTheQuery) {
    fill(30);
    History history;
    HistoryDocument document(history);
    open(history);
    HistoryModel& model = document.model();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 30; }));
    model.sort(HistoryModel::Name, Qt::AscendingOrder);
    ASSERT_TRUE(waitUntil([&] { return model.index(0, HistoryModel::Name).data().toString() == "Study 0"; }));
    document.filters().search()->setText("Study 17");
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 1; }));
    document.filters().clear();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 30; }));
}

TEST_F(HistoryFile, isClosedRightAfterADeletion) {
    fill(3);
    History history;
    auto document = std::make_unique<HistoryDocument>(history);
    open(history);
    ASSERT_TRUE(waitUntil([&] { return document->model().rowCount() == 3; }));
    document->table()->selectRow(0);
    document->actionNamed("delete")->trigger();
    ASSERT_TRUE(waitUntil([&] { return document->model().rowCount() == 2; }));
    // Its steps go with it, and say so while everything that hears of them is still there.
    int heard = 0;
    QObject::connect(document->undoStack(), &QUndoStack::indexChanged, document->undoStack(), [&] { ++heard; });
    QPointer<QTableView> table = document->table();
    document.reset();
    EXPECT_EQ(heard, 1);
    EXPECT_TRUE(table.isNull());
}

TEST_F(HistoryFile, deletingStarringAndTaggingCanBeUndone) {
    fill(3);
    History history;
    HistoryDocument document(history);
    document.resize(1000, 400);
    open(history);
    HistoryModel& model = document.model();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 3; }));
    document.table()->selectRow(0);
    document.actionNamed("star")->trigger();
    ASSERT_TRUE(waitUntil([&] { return model.row(0) != nullptr && model.row(0)->starred; }));
    model.setData(model.index(0, HistoryModel::Tags), "paper, night", Qt::EditRole);
    ASSERT_TRUE(waitUntil([&] { return model.index(0, HistoryModel::Tags).data().toString() == "night, paper"; }))
        << model.index(0, HistoryModel::Tags).data().toString().toStdString();
    document.table()->selectRow(0);
    document.actionNamed("delete")->trigger();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 2; }));
    auto* toast = document.findChild<Toast*>();
    ASSERT_NE(toast, nullptr);
    EXPECT_EQ(toast->sentence(), "1 run deleted");
    toast->undoButton()->click();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 3; }));
    EXPECT_TRUE(toast->sentence().isEmpty()) << "there is nothing more to take back";
    document.undoStack()->undo();
    ASSERT_TRUE(waitUntil([&] { return model.index(0, HistoryModel::Tags).data().toString().isEmpty(); }));
}

TEST_F(HistoryFile, whatIsDoneToAllIsDoneToPagesNeverLookedAt) {
    constexpr int kRuns = 20'000;
    constexpr int kFitting = kRuns / 5;
    test::growHistory(path(), kRuns);
    History history;
    HistoryDocument document(history);
    document.resize(1000, 400);
    document.show();
    open(history);
    HistoryModel& model = document.model();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == kRuns; }));
    store::HistoryQuery failed;
    failed.status = store::RunStatus::failed;
    model.setQuery(failed);
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == kFitting - 1; }));
    const auto count = [&](const store::HistoryQuery& query) {
        return store::Store::open(path(), store::OpenMode::readOnly).count(query);
    };
    const auto act = [&](const char* action) {
        document.table()->selectAll();
        const double before = test::workMilliseconds();
        document.actionNamed(action)->trigger();
        EXPECT_LT(test::workMilliseconds() - before, kLongestTurn) << action;
    };
    EXPECT_LT(model.loadedPages(), 5);
    act("star");
    ASSERT_TRUE(waitUntil([&] { return count({.starred = true}) == kFitting - 1; }, kLong));

    asker().askText = [](QWidget& /*owner*/, const QString& /*title*/, const QString& label, const QString& /*value*/,
                         const Asker::Chosen& answered) {
        EXPECT_TRUE(label.contains(QLocale().toString(kFitting - 1))) << label.toStdString();
        answered("night, slow");
    };
    act("tags");
    ASSERT_TRUE(waitUntil([&] { return count({.tag = "slow"}) == kFitting - 1; }, kLong));
    EXPECT_EQ(count({.tag = "night"}), kFitting - 1);

    const QString exported = folder.filePath("runs.tessera");
    asker().saveFile = [&](QWidget& /*owner*/, const QString& /*title*/, const QString& /*suggestion*/,
                           const QString& /*filter*/, const Asker::Chosen& chosen) { chosen(exported); };
    QSignalSpy messages(&document, &Document::done);
    act("export");
    ASSERT_TRUE(waitUntil([&] { return messages.count() > 0; }, 2 * kLong));
    EXPECT_EQ(store::Store::open(exported.toStdString(), store::OpenMode::readOnly).count({}), kFitting - 1);
    asker() = dialogAsker();

    act("delete");
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 0; }, kLong));
    EXPECT_EQ(count({}), kRuns - kFitting + 1) << "what does not fit the filter stays";
    document.undoStack()->undo();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == kFitting - 1; }, kLong));
    EXPECT_EQ(count({}), kRuns);
    document.undoStack()->undo();
    ASSERT_TRUE(waitUntil([&] { return count({.tag = "night"}) == 0; }, kLong));
    EXPECT_EQ(count({.tag = "slow"}), 0);
}

TEST_F(HistoryFile, nothingIsDoneToRowsThatAreNotWhatTheyShow) {
    fill(1500);
    History history;
    HistoryDocument document(history);
    open(history);
    ASSERT_TRUE(waitUntil([&] { return document.model().rowCount() == 1500; }));
    store::Store elsewhere = store::Store::open(path());
    study::Study study = study::newStudy("partition");
    study.models = {"zoo:alexnet"};
    study.hardware = {"accpar-homogeneous"};
    elsewhere.addRun(study, store::RunStatus::failed);
    QSignalSpy messages(&document, &Document::messaged);
    document.table()->selectAll();
    document.actionNamed("delete")->trigger();
    ASSERT_TRUE(waitUntil([&] { return messages.count() > 0 && document.model().rowCount() == 1501; }));
    EXPECT_TRUE(messages.front().front().toString().startsWith("The history changed"));
    EXPECT_EQ(elsewhere.count({}), 1501);
}

TEST_F(HistoryFile, aStarThatWasThereStaysWhenStarringIsUndone) {
    fill(3);
    History history;
    HistoryDocument document(history);
    open(history);
    HistoryModel& model = document.model();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 3; }));
    document.table()->selectRow(1);
    document.actionNamed("star")->trigger();
    ASSERT_TRUE(waitUntil([&] { return model.row(1)->starred; }));
    document.table()->selectAll();
    document.actionNamed("star")->trigger();
    ASSERT_TRUE(waitUntil([&] { return model.row(0)->starred && model.row(2)->starred; }));
    document.undoStack()->undo();
    ASSERT_TRUE(waitUntil([&] { return !model.row(0)->starred && !model.row(2)->starred; }));
    EXPECT_TRUE(model.row(1)->starred);
}

TEST_F(HistoryFile, selectedRunsAreComparedByTheirNumbers) {
    fill(3);
    History history;
    HistoryDocument document(history);
    open(history);
    ASSERT_TRUE(waitUntil([&] { return document.model().rowCount() == 3; }));
    document.table()->selectAll();
    QString kind, key;
    QObject::connect(&document, &Document::openRequested, [&](const QString& toKind, const QString& toKey) {
        kind = toKind;
        key = toKey;
    });
    document.actionNamed("compare")->trigger();
    EXPECT_EQ(kind, "compare");
    EXPECT_EQ(runNumbers(key), document.selectedRuns());
    EXPECT_EQ(runNumbers(key).size(), 3U);
    document.actionNamed("points")->trigger();
    EXPECT_EQ(kind, "points");
    EXPECT_EQ(runNumbers(key, 2).size(), 2U) << "so many at most";
}

TEST_F(HistoryFile, runsAreShownAsPointsAndOfASweepAllOfIt) {
    study::Study base = study::newStudy("partition");
    base.models = {"zoo:lenet5"};
    base.hardware = {"accpar-homogeneous"};
    std::vector<study::Study> points;
    for (const char* batch : {"64", "128", "256"}) {
        points.push_back(base);
        study::setParameter(points.back(), "batch", {batch});
    }
    std::vector<store::RunId> runs;
    {
        store::Store store = store::Store::open(path());
        store.addRun(base, store::RunStatus::cancelled);
        runs = store.addSweep({{"file", "batches.json"}}, points);
        for (const std::size_t done : {std::size_t{0}, std::size_t{2}}) {
            store.changeStatus(runs[done], store::RunStatus::queued, store::RunStatus::running);
            const study::Result result = study::run(points[done]);
            store.finishRun(runs[done], result, study::headline(result));
        }
        store.setStatus(runs[1], store::RunStatus::failed, "no room");
    }
    const store::Store store = store::Store::open(path(), store::OpenMode::readOnly);
    const PointsDocument::Runs swept = loadPoints(store, {runs[1]});
    EXPECT_EQ(swept.numbers, runs);
    EXPECT_EQ(swept.name, "batches.json");
    PointsDocument document(QString::number(runs[1]));
    document.resize(1300, 760);
    document.show();
    document.setRuns(swept);
    EXPECT_EQ(document.title(), "Sweep · batches.json");
    const explore::PointTable& table = document.bench()->selection().table();
    ASSERT_EQ(table.size(), 3U);
    EXPECT_EQ(table.reasons[1], "no room");
    EXPECT_TRUE(table.isFeasible(0) && table.isFeasible(2));
    const auto batch = report::columnNamed(table, "batch");
    ASSERT_TRUE(batch.has_value());
    EXPECT_EQ(table.columns[*batch].values, (std::vector<double>{64, 128, 256}));
    EXPECT_TRUE(report::columnNamed(table, "step_time_s").has_value());
    // A point leads to its run.
    Facts facts;
    QString opened;
    QObject::connect(&document, &Document::inspected, [&](const Facts& its) { facts = its; });
    QObject::connect(&document, &Document::openRequested,
                     [&](const QString& kind, const QString& key) { opened = kind + ' ' + key; });
    document.bench()->selection().choose(2);
    ASSERT_EQ(facts.actions.size(), 1);
    facts.actions.front().run();
    EXPECT_EQ(opened, QStringLiteral("run run/%1").arg(runs[2]));
    test::savePicture(document, "points-sweep");
    // What is looked at comes back, also where it is asked for before the runs are read.
    document.bench()->selection().setRange(*batch, PointSelection::Range{100, 300});
    PointsDocument again(QString::number(runs[1]));
    again.restoreView(document.saveView());
    again.setRuns(swept);
    EXPECT_EQ(again.bench()->selection().shownCount(), 2U);
    // What they differ in is explored between them.
    QString explored;
    QObject::connect(&again, &Document::runRequested, [&](const QString& study) { explored = study; });
    for (auto* button : again.findChildren<QToolButton*>())
        if (button->text() == QStringLiteral("Explore these")) button->click();
    const Json study = Json::parse(explored.toStdString());
    EXPECT_EQ(study.at("engine"), "explore");
    const Json& variables = study.at("parameters").at("variables");
    ASSERT_EQ(variables.size(), 1U);
    EXPECT_EQ(variables[0].at("parameter"), "batch");
    EXPECT_EQ(variables[0].at("low"), 128);
    EXPECT_EQ(variables[0].at("high"), 256);
    // Of runs that are selected just these; one that is gone is left out.
    const PointsDocument::Runs some = loadPoints(store, {runs[2], 999, runs[0]});
    EXPECT_EQ(some.numbers, (std::vector<store::RunId>{runs[2], runs[0]}));
    EXPECT_TRUE(some.name.isEmpty());
}

TEST_F(HistoryFile, columnsAreChosenInADialogWithSectionsAndSearch) {
    fill(3);
    History history;
    HistoryDocument document(history);
    document.resize(1000, 400);
    open(history);
    ASSERT_TRUE(waitUntil([&] { return document.model().rowCount() == 3; }));
    bool asked = false;  // whatever the document has asked is answered before
    history.ask<int>(
        &history, [](store::Store&) { return 1; }, [&](int) { asked = true; });
    ASSERT_TRUE(waitUntil([&] { return asked; }));
    study::Metric time, memory, ofOne;
    time.name = "step_time_s";
    time.title = ofOne.title = "Step time";
    memory.name = memory.title = "memory_bytes";
    ofOne.name = "dp/step_time_s";
    ofOne.owner = "dp";
    document.model().setKinds(MetricKinds({time, memory, ofOne}));
    document.show();
    document.actionNamed("columns")->trigger();
    auto* chooser = document.window()->findChild<ColumnChooser*>();
    ASSERT_NE(chooser, nullptr);
    EXPECT_EQ(chooser->tree()->topLevelItem(0)->text(0), "Run");
    EXPECT_EQ(chooser->tree()->topLevelItem(1)->text(0), "Result");
    EXPECT_EQ(chooser->tree()->topLevelItem(2)->text(0), "dp");
    EXPECT_FALSE(chooser->tree()->topLevelItem(2)->isExpanded()) << "there may be a hundred of a strategy's numbers";
    chooser->search()->setText("step time");
    EXPECT_TRUE(chooser->tree()->topLevelItem(2)->isExpanded());
    const QTreeWidgetItem* run = chooser->tree()->topLevelItem(0);
    EXPECT_TRUE(run->isHidden()) << "nothing of a run is called so";
    QTreeWidgetItem* result = chooser->tree()->topLevelItem(1);
    ASSERT_FALSE(result->isHidden());
    for (int i = 0; i < result->childCount(); ++i)
        if (!result->child(i)->isHidden()) result->child(i)->setCheckState(0, Qt::Checked);
    EXPECT_EQ(document.model().metrics(), QStringList{"step_time_s"});
    EXPECT_EQ(document.model().headerData(HistoryModel::FirstMetric, Qt::Horizontal).toString(), "Step time");
    chooser->close();
}

TEST_F(HistoryFile, conditionsBecomeChipsThatCanBeTakenOff) {
    fill(30);
    History history;
    HistoryDocument document(history);
    document.resize(1000, 400);
    document.show();
    open(history);
    HistoryModel& model = document.model();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 30; }));
    HistoryFilters& filters = document.filters();
    QTest::keyClicks(filters.search(), "status: failed");
    QTest::qWait(2 * kTypingMilliseconds);
    EXPECT_EQ(model.rowCount(), 30) << "not before it is written to its end";
    QTest::keyClick(filters.search(), Qt::Key_Return);
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 10; }));
    EXPECT_TRUE(filters.search()->text().isEmpty());
    EXPECT_EQ(filters.add("engine: partition"), "");
    EXPECT_EQ(filters.conditions(), (QStringList{"status: failed", "engine: partition"}));
    EXPECT_TRUE(filters.add("engine: toaster").contains("expected one of")) << "it stays as it was";
    filters.add("status: cancelled");
    EXPECT_EQ(filters.conditions(), (QStringList{"status: cancelled", "engine: partition"})) << "one of a kind";
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 20; }));
    test::savePicture(document, "history-chips");
    const QJsonObject saved = document.saveView();
    for (auto* chip : document.findChildren<QToolButton*>())
        if (chip->isVisible() && chip->property("condition").toString() == "status: cancelled") chip->click();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 30; }));
    EXPECT_EQ(filters.conditions(), QStringList{"engine: partition"});
    filters.search()->setFocus();
    QTest::keyClick(filters.search(), Qt::Key_Backspace);
    EXPECT_TRUE(filters.conditions().isEmpty());
    document.restoreView(saved);
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 20; }));
    emit filters.menu()->aboutToShow();
    for (QAction* action : filters.menu()->actions())
        if (action->text() == "Starred") action->trigger();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 0; }));
    filters.clear();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 30; }));
}

TEST_F(HistoryFile, theRunsOfOneEngineHaveItsNumbersAsColumns) {
    {
        store::Store store = store::Store::open(path());
        study::Study study = study::newStudy("partition");
        study.models = {"zoo:lenet5"};
        study.hardware = {"accpar-homogeneous"};
        const study::Result result = study::run(study);
        store.finishRun(store.addRun(study), result, study::headline(result));
    }
    fill(2);
    History history;
    HistoryDocument document(history);
    document.resize(1400, 500);
    document.show();
    open(history);
    HistoryModel& model = document.model();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 3; }));
    EXPECT_TRUE(model.metrics().isEmpty());
    document.filters().add("engine: partition");
    ASSERT_TRUE(waitUntil([&] { return !model.metrics().isEmpty() && model.rowCount() == 3; }));
    EXPECT_EQ(model.metrics().front(), "step_time_s");
    EXPECT_TRUE(document.table()->isColumnHidden(HistoryModel::Engine)) << "all are of one";
    EXPECT_FALSE(document.table()->isColumnHidden(HistoryModel::FirstMetric));
    ASSERT_TRUE(waitUntil([&] { return model.index(2, HistoryModel::FirstMetric).data().toString().endsWith("s"); }));
    test::savePicture(document, "history-engine");
    document.filters().clear();
    ASSERT_TRUE(waitUntil([&] { return model.metrics().isEmpty(); }));
    EXPECT_FALSE(document.table()->isColumnHidden(HistoryModel::Engine));
}

TEST_F(HistoryFile, notesAndTagsAreWrittenInPlaceAlsoWhereTheirColumnIsHidden) {
    fill(3);
    History history;
    HistoryDocument document(history);
    document.resize(700, 400);
    document.show();
    open(history);
    HistoryModel& model = document.model();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 3; }));
    document.table()->selectRow(1);
    ASSERT_TRUE(document.table()->isColumnHidden(HistoryModel::Note));
    document.actionNamed("note")->trigger();
    EXPECT_FALSE(document.table()->isColumnHidden(HistoryModel::Note));
    QLineEdit* editor = nullptr;
    const auto findEditor = [&] {
        for (auto* each : document.table()->viewport()->findChildren<QLineEdit*>()) editor = each;
        return editor != nullptr;
    };
    ASSERT_TRUE(waitUntil(findEditor));
    // A display without windows takes the focus from an editor at once, so what it would commit is given to the model.
    ASSERT_TRUE(model.setData(model.index(1, HistoryModel::Note), "slower at night", Qt::EditRole));
    ASSERT_TRUE(waitUntil([&] { return model.row(1) != nullptr && model.row(1)->note == "slower at night"; }));
    EXPECT_EQ(document.findChild<Toast*>()->sentence(), "Note saved");
    document.undoStack()->undo();
    ASSERT_TRUE(waitUntil([&] { return model.row(1) != nullptr && model.row(1)->note.empty(); }));
}

TEST_F(HistoryFile, importedRunsAreMarked) {
    const QString exported = folder.filePath("theirs.tessera");
    {
        store::Store other = store::Store::open(folder.filePath("other.db").toStdString());
        study::Study study = study::newStudy("partition");
        study.models = {"zoo:alexnet"};
        study.hardware = {"accpar-homogeneous"};
        study.name = "Theirs";
        other.exportRuns({other.addRun(study, store::RunStatus::failed)}, exported.toStdString());
    }
    fill(1);
    store::Store::open(path()).merge(exported.toStdString());
    History history;
    HistoryDocument document(history);
    document.resize(1200, 300);
    document.show();
    open(history);
    HistoryModel& model = document.model();
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 2; }));
    for (int row = 0; row < 2; ++row) {
        const QModelIndex name = model.index(row, HistoryModel::Name);
        const bool theirs = name.data().toString() == "Theirs";
        EXPECT_EQ(!name.data(Qt::DecorationRole).isNull(), theirs);
        EXPECT_EQ(name.data(Qt::ToolTipRole).toString().contains("Imported from"), theirs);
        EXPECT_EQ(model.index(row, HistoryModel::Origin).data().toString(), theirs ? "theirs.tessera" : "");
    }
    document.filters().add("imported");
    ASSERT_TRUE(waitUntil([&] { return model.rowCount() == 1; }));
    test::savePicture(document, "history-imported");
}

/// Pictures for a person to look at, at the sizes that the page has in windows of 1280×800, 1440×900 and 1920×1080.
TEST_F(HistoryFile, looksLikeThis) {
    {
        store::Store other = store::Store::open(folder.filePath("other.db").toStdString());
        study::Study study = study::newStudy("partition");
        study.models = {"zoo:alexnet"};
        study.hardware = {"accpar-homogeneous"};
        study.name = "What a colleague found";
        const study::Result result = study::run(study);
        const store::RunId theirs = other.addRun(study);
        other.finishRun(theirs, result, study::headline(result));
        other.exportRuns({theirs}, folder.filePath("theirs.tessera").toStdString());
        store::Store store = store::Store::open(path());
        for (const char* model : {"zoo:lenet5", "zoo:vgg11", "zoo:resnet18"}) {
            study.name.clear();
            study.models = {model};
            const study::Result its = study::run(study);
            store.finishRun(store.addRun(study), its, study::headline(its));
        }
        study::Study predicted = study::newStudy("predict");
        predicted.models = {"zoo:lenet5"};
        predicted.hardware = {"h100", "a100"};
        const study::Result its = study::run(predicted);
        store.finishRun(store.addRun(predicted), its, study::headline(its));
        store.merge(folder.filePath("theirs.tessera").toStdString());
        store.setTags(1, {"paper", "night", "to be measured again"});
        store.setTags(2, {"paper"});
        store.setNote(2, "slower than the one before");
        store.setStarred({2}, true);
    }
    fill(3);
    History history;
    HistoryDocument document(history);
    open(history);
    ASSERT_TRUE(waitUntil([&] { return document.model().rowCount() == 8; }));
    document.show();
    for (const auto& [width, height, mode, name] :
         {std::tuple(1030, 700, ThemeMode::light, "1280"), std::tuple(1190, 800, ThemeMode::dark, "1440"),
          std::tuple(1670, 980, ThemeMode::light, "1920")}) {
        theme().apply(mode);
        document.resize(width, height);
        document.filters().clear();
        waitUntil([] { return false; }, 300);
        EXPECT_GT(test::coloursIn(test::savePicture(document, QStringLiteral("history-all-") + name)), 20);
        document.filters().add("engine: partition");
        document.filters().add("gap < 20 %");
        waitUntil([] { return false; }, 500);
        document.table()->selectRow(0);
        document.actionNamed("star")->trigger();
        waitUntil([] { return false; }, 300);
        EXPECT_GT(test::coloursIn(test::savePicture(document, QStringLiteral("history-of-engine-") + name)), 20);
        document.undoStack()->undo();
        waitUntil([] { return false; }, 300);
    }
    theme().apply(ThemeMode::light);
}

TEST(RunNumbers, leaveOutWhatIsNone) {
    EXPECT_EQ(runNumbers("12,x,,-3,15"), (std::vector<store::RunId>{12, 15}));
}

TEST(Metrics, areShownAsTheHistorySaysTheyAre) {
    study::Metric time;
    time.name = "accpar/step_time_s";
    time.title = "Step time";
    time.owner = "accpar";
    time.measure = Measure::seconds;
    const MetricKinds kinds({time});
    EXPECT_EQ(kinds.title("accpar/step_time_s"), "Step time (accpar)");
    EXPECT_EQ(kinds.text("accpar/step_time_s", 0.0362), "36.2 ms");
    EXPECT_EQ(kinds.value("accpar/step_time_s", "36.2 ms"), 0.0362);
    EXPECT_FALSE(kinds.value("accpar/step_time_s", "soon"));
    EXPECT_EQ(kinds.title("unheard_of_s"), "unheard_of_s") << "nothing is guessed from a name";
    EXPECT_EQ(kinds.text("unheard_of_s", 2), "2");
}

}  // namespace
}  // namespace tessera::ui

#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QDropEvent>
#include <QLineEdit>
#include <QListView>
#include <QMap>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPair>
#include <QPushButton>
#include <QScreen>
#include <QScrollBar>
#include <QSet>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUrl>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/study/study.h"
#include "tests/support/pages.h"
#include "tests/support/panes.h"
#include "tests/support/paths.h"
#include "tests/support/pictures.h"
#include "tests/support/portfolio_result.h"
#include "ui/editors/study_document.h"
#include "ui/jobs/jobs.h"
#include "ui/models/engine_words.h"
#include "ui/theme/theme.h"
#include "ui/views/document.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/runs/model_document.h"
#include "ui/views/runs/partition_view.h"
#include "ui/views/runs/run_document.h"
#include "ui/workspace/command_palette.h"
#include "ui/workspace/document_area.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/history/history_document.h"
#include "ui/workspace/history/run_picker.h"
#include "ui/workspace/inspector_panel.h"
#include "ui/workspace/job_row.h"
#include "ui/workspace/messages_panel.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/window/main_window.h"

namespace tessera::ui {
namespace {

using test::waitUntil;

class Window : public testing::Test {
protected:
    void SetUp() override {
        QSettings().clear();
        asker().ask = [this](QWidget& /*owner*/, const Question& question, const Asker::Answered& answered) {
            asked.append(question.sentence);
            answered(answer);
        };
    }
    void TearDown() override {
        asker() = dialogAsker();
        theme().apply(ThemeMode::light);
        QSettings().clear();
    }
    std::filesystem::path history() const { return folder.filePath("history.db").toStdString(); }
    MainWindow::Options options(bool session = false) const {
        return {.history = history(), .restoreSession = session, .recordHistory = true};
    }
    static MessagesPanel& messages(MainWindow& window) { return *window.findChild<MessagesPanel*>(); }
    static QStringList tabs(MainWindow& window) {
        QStringList keys;
        for (const Document* document : window.findChildren<Document*>())
            keys.append(document->kind() + ':' + document->key());
        keys.sort();
        return keys;
    }
    static void settle(MainWindow& window) {
        waitUntil([&] { return window.history().isOpen(); });
        waitUntil([] { return false; }, 200);
    }

    /// The job of a run that is still at work when it is looked at, however quick the machine is.
    static int enqueuePaused(MainWindow& window) {
        study::Study study = study::newStudy("partition");
        study.models = {"zoo:densenet121"};
        study.hardware = {"accpar-heterogeneous"};
        const int job = window.jobs().enqueue(study);
        window.jobs().pause(job);
        return job;
    }

    static QString lenet() {
        study::Study study = study::newStudy("partition");
        study.models = {"zoo:lenet5"};
        study.hardware = {"accpar-homogeneous"};
        return QString::fromStdString(toText(study::toJson(study)));
    }

    QTemporaryDir folder;
    QStringList asked;
    int answer = 0;
};

TEST_F(Window, beginsWithFourStudiesToTry) {
    MainWindow window(options());
    window.show();
    ASSERT_NE(window.currentDocument(), nullptr);
    EXPECT_EQ(window.currentDocument()->kind(), "welcome");
    ASSERT_TRUE(waitUntil([&] {
        int runs = 0;
        for (const QPushButton* button : window.currentDocument()->findChildren<QPushButton*>())
            runs += button->text() == "Run" ? 1 : 0;
        return runs == 4;
    }));
}

TEST_F(Window, walksFromTheWelcomePageToAKeptRun) {
    MainWindow window(options());
    window.show();
    settle(window);
    emit window.currentDocument()->runRequested(
        QString::fromStdString(toText(study::toJson(study::loadStudy("alexnet-equal-tpus")))));
    ASSERT_NE(window.currentDocument(), nullptr);
    EXPECT_EQ(window.currentDocument()->kind(), "run");
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, 30000));
    const RunState state = window.jobs().state(window.jobs().jobs().front());
    EXPECT_EQ(state.status, store::RunStatus::done) << state.problem.toStdString();
    EXPECT_GT(state.run, 0);
    EXPECT_NE(window.open("history", {}), nullptr);
    EXPECT_NE(window.open("model", "zoo:resnet18"), nullptr);
    EXPECT_NE(window.open("hardware", "fleet/accpar-heterogeneous"), nullptr);
    const Document* again = window.open("model", "zoo:resnet18");
    EXPECT_EQ(again, window.currentDocument());
    EXPECT_EQ(tabs(window).count("model:zoo:resnet18"), 1) << "a model opens once";
    EXPECT_EQ(window.open("no such kind", {}), nullptr);
    EXPECT_EQ(messages(window).count(), 1);
}

TEST_F(Window, importsFilesByContentAndSaysWhatIsWrong) {
    MainWindow window(options());
    window.importFile(QString::fromStdString(test::sourcePath("data/fleets/accpar-homogeneous.json").string()));
    ASSERT_TRUE(waitUntil([&] { return window.currentDocument()->kind() == "hardware"; }));
    window.importFile(QString::fromStdString(test::sourcePath("LICENSE").string()));
    ASSERT_TRUE(waitUntil([&] { return messages(window).count() == 1; }));
    EXPECT_TRUE(messages(window).text(0).contains("LICENSE"));
}

TEST_F(Window, comesBackAsItWasLeft) {
    {
        MainWindow window(options(true));
        window.show();
        settle(window);
        window.open("model", "zoo:resnet18");
        window.open("history", {});
        window.actionNamed("split-right")->trigger();
        window.close();
    }
    MainWindow window(options(true));
    window.show();
    settle(window);
    EXPECT_EQ(tabs(window), (QStringList{"history:", "model:zoo:resnet18", "welcome:"}));
    EXPECT_EQ(window.findChild<DocumentArea*>()->groups(), 2);
    EXPECT_EQ(window.currentDocument()->kind(), "history");
}

TEST_F(Window, everyPageAndPaneComesBackAsItWasLeft) {
    const auto modelTabs = [](MainWindow& window) {
        return window.findChild<ModelDocument*>()->findChild<QTabWidget*>();
    };
    const auto isLoaded = [](MainWindow& window) {
        const auto* model = window.findChild<ModelDocument*>();
        return model != nullptr && waitUntil([&] { return model->isLoaded(); }, 20000);
    };
    const auto dock = [](MainWindow& window, const char* name) { return window.findChild<QDockWidget*>(name); };
    int library = 0;
    {
        MainWindow window(options(true));
        window.show();
        settle(window);
        emit window.currentDocument()->runRequested(lenet());
        ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, 30000));
        auto* run = window.currentDocument()->findChild<PartitionView*>();
        ASSERT_TRUE(waitUntil([&] { return run->run().result != nullptr; }));
        test::choose(*run, "strategy", "owt");
        run->select(QStringLiteral("split"), 2);
        run->findChild<RunPages*>()->openTab("memory");
        window.open("model", "zoo:lenet5");
        ASSERT_TRUE(isLoaded(window));
        modelTabs(window)->setCurrentIndex(2);
        window.actionNamed("split-right")->trigger();
        dock(window, "jobs")->show();
        settle(window);
        test::dragBar(window, *dock(window, "library"), 333);
        settle(window);
        library = dock(window, "library")->width();
        EXPECT_EQ(library, 333);
        window.close();
    }
    MainWindow window(options(true));
    window.show();
    settle(window);
    EXPECT_EQ(window.currentDocument()->kind(), "model");
    EXPECT_TRUE(dock(window, "messages")->isHidden());
    EXPECT_TRUE(dock(window, "jobs")->isVisible());
    EXPECT_EQ(dock(window, "library")->width(), library);
    EXPECT_EQ(window.findChild<DocumentArea*>()->groups(), 2);
    ASSERT_TRUE(isLoaded(window));
    EXPECT_EQ(modelTabs(window)->currentIndex(), 2);
    auto* run = window.findChild<RunDocument*>();
    ASSERT_NE(run, nullptr);
    EXPECT_EQ(run->key(), "run/1") << "what was a job is a run of the history";
    const auto* view = run->findChild<PartitionView*>();
    ASSERT_TRUE(waitUntil([&] { return view->run().result != nullptr; }));
    EXPECT_EQ(test::chosen(*view, "strategy"), "owt");
    EXPECT_EQ(view->selected(QStringLiteral("split")), 2);
    EXPECT_EQ(run->findChild<RunPages*>()->tab(), "memory");
}

TEST_F(Window, filesThatWereOpenedAreListedTheNewestFirstUntilTheListIsCleared) {
    const QString model = QString::fromStdString(test::sourcePath("tests/data/models/lenet5.onnx").string());
    const QString fleet = QString::fromStdString(test::sourcePath("data/fleets/accpar-homogeneous.json").string());
    const auto listed = [](MainWindow& window) -> QMenu* {
        for (const QAction* menu : window.menuBar()->actions())
            for (QAction* each : menu->menu()->actions())
                if (each->text() == "Open &recent") {
                    emit each->menu()->aboutToShow();
                    return each->menu();
                }
        return nullptr;
    };
    const auto onWelcomePage = [](MainWindow& window) {
        QStringList files;
        for (const QPushButton* button : window.open("welcome", {})->findChildren<QPushButton*>())
            if (button->toolTip().startsWith('/')) files.append(button->toolTip());
        return files;
    };
    {
        MainWindow window(options());
        window.show();
        EXPECT_EQ(listed(window)->actions().front()->text(), "No file was opened yet");
        for (const auto& [kind, file] : {std::pair{"model", model}, std::pair{"hardware", fleet}}) {
            window.importFile(file);
            ASSERT_TRUE(waitUntil([&, kind = kind] { return window.currentDocument()->kind() == kind; }));
        }
        EXPECT_EQ(onWelcomePage(window), (QStringList{fleet, model}));
    }
    {
        MainWindow window(options());
        window.show();
        EXPECT_EQ(onWelcomePage(window), (QStringList{fleet, model}));
        QMenu* menu = listed(window);
        EXPECT_EQ(menu->actions()[0]->text(), fleet);
        menu->actions()[1]->trigger();
        EXPECT_EQ(window.currentDocument()->key(), model);
        EXPECT_EQ(listed(window)->actions()[0]->text(), model) << "opened again, it is the newest";
        menu->actions().back()->trigger();
        EXPECT_EQ(onWelcomePage(window), QStringList());
    }
    MainWindow window(options());
    EXPECT_EQ(listed(window)->actions().front()->text(), "No file was opened yet");
}

TEST_F(Window, brokenSettingsNeverBlockTheStart) {
    QSettings settings;
    settings.setValue("window/geometry", QByteArray("nonsense"));
    settings.setValue("window/state", 7);
    settings.setValue("session/documents", R"({"children": [{"tabs": [{"kind": "x"}, 4]}, []]})");
    settings.setValue("library/open", 12.5);
    settings.setValue("theme/mode", QStringList{"a", "b"});
    settings.setValue("recent/files", QVariantMap{{"a", 1}});
    MainWindow window(options(true));
    window.show();
    settle(window);
    EXPECT_EQ(window.currentDocument()->kind(), "welcome");
    for (QDockWidget* dock : window.findChildren<QDockWidget*>()) dock->hide();
    window.actionNamed("reset-layout")->trigger();
    EXPECT_TRUE(window.findChild<QDockWidget*>("library")->isVisible());
}

TEST_F(Window, aStartThatDidNotSurviveItsSessionBeginsPlainly) {
    QSettings().setValue("session/restoring", true);
    QSettings().setValue("session/documents", R"({"children": [{"tabs": [{"kind": "history", "key": ""}]}]})");
    QSettings().setValue("theme/mode", "dark");
    QSettings().sync();
    MainWindow window(options(true));
    window.show();
    settle(window);
    EXPECT_EQ(tabs(window), (QStringList{"welcome:"}));
    const QFileInfo settings(QSettings().fileName());
    const QStringList kept = settings.dir().entryList({settings.fileName() + ".2*"}, QDir::Files);
    ASSERT_EQ(kept.size(), 1);
    const QString sentence =
        "The last start did not get to its end, so this one begins with a plain window. The settings that it had are "
        "kept in " +
        settings.dir().filePath(kept.front()) + '.';
    ASSERT_EQ(messages(window).count(), 1);
    EXPECT_EQ(messages(window).text(0).toStdString(), sentence.toStdString());
    EXPECT_EQ(window.notices().front().toStdString(), (sentence + " · ").toStdString());
    const QSettings aside(settings.dir().filePath(kept.front()), QSettings::IniFormat);
    EXPECT_TRUE(aside.value("session/documents").toString().contains("history"));
    EXPECT_EQ(QSettings().value("theme/mode"), "dark") << "what is no layout stays";
    QFile::remove(settings.dir().filePath(kept.front()));
}

TEST_F(Window, keepsItsSessionAlsoForTheCaseThatTheProgramIsKilled) {
    MainWindow window(options(true));
    window.show();
    ASSERT_TRUE(QSignalSpy(&window, &MainWindow::ready).wait(20000));
    window.open("history", {});
    window.resize(1111, 777);
    const auto kept = [] { return QSettings().value("session/documents").toString(); };
    ASSERT_TRUE(waitUntil([&] { return kept().contains("history"); }, 20000)) << kept().toStdString();
    const QByteArray geometry = QSettings().value("window/geometry").toByteArray();
    QWidget same;
    ASSERT_TRUE(same.restoreGeometry(geometry));
    EXPECT_EQ(same.size(), QSize(1111, 777));
}

TEST_F(Window, aDamagedHistoryIsKeptAndAFreshOneStartedOnRequest) {
    QFile file(QString::fromStdString(history().string()));
    ASSERT_TRUE(file.open(QFile::WriteOnly));
    file.write(QByteArray(5000, 'x'));
    file.close();
    MainWindow window(options());
    ASSERT_TRUE(waitUntil([&] { return !window.notices().isEmpty(); }));
    const QString notice = window.notices().front();
    EXPECT_TRUE(notice.contains("history.db")) << notice.toStdString();
    ASSERT_TRUE(notice.endsWith("Start fresh, keep the old file")) << notice.toStdString();
    window.chooseInNotice(0, static_cast<int>(notice.split(" · ").size()) - 2);
    ASSERT_TRUE(waitUntil([&] { return window.history().isOpen(); }));
    EXPECT_EQ(QDir(folder.path()).entryList({"history.db.2*"}, QDir::Files).size(), 1);
}

TEST_F(Window, asksBeforeItClosesDuringARunAndOffersToResumeNextTime) {
    {
        MainWindow window(options());
        window.show();
        settle(window);
        const int job = enqueuePaused(window);
        ASSERT_TRUE(waitUntil([&] { return window.jobs().state(job).run != 0; }, 20000));
        answer = 1;
        EXPECT_FALSE(window.close());
        EXPECT_EQ(asked.size(), 1);
        answer = 0;
        window.close();
        EXPECT_TRUE(waitUntil([&] { return !window.isVisible(); }));
    }
    MainWindow window(options());
    ASSERT_TRUE(waitUntil([&] { return !window.notices().isEmpty(); }));
    EXPECT_TRUE(window.notices().front().startsWith("densenet121 on accpar-heterogeneous, batch 512 was interrupted"))
        << window.notices().front().toStdString();
    EXPECT_TRUE(window.notices().front().endsWith("Resume · Show · Dismiss")) << window.notices().front().toStdString();
    window.chooseInNotice(0, 0);
    EXPECT_EQ(window.jobs().working(), 1);
    window.jobs().cancel(window.jobs().jobs().front());
    waitUntil([&] { return window.jobs().working() == 0; }, 20000);
}

TEST_F(Window, aDismissedInterruptionIsNotToldAgainButCanBeResumed) {
    store::RunId run = 0;
    {
        store::Store store = store::Store::open(history());
        study::Study study = study::newStudy("partition");
        study.models = {"zoo:lenet5"};
        study.hardware = {"accpar-homogeneous"};
        run = store.addRun(study, store::RunStatus::interrupted);
    }
    {
        MainWindow window(options());
        ASSERT_TRUE(waitUntil([&] { return !window.notices().isEmpty(); }));
        window.chooseInNotice(0, 2);
        EXPECT_TRUE(window.notices().isEmpty());
    }
    MainWindow window(options());
    window.show();
    settle(window);
    EXPECT_TRUE(window.notices().isEmpty());
    auto* runs = qobject_cast<HistoryDocument*>(window.open("history", {}));
    ASSERT_NE(runs, nullptr);
    ASSERT_TRUE(waitUntil([&] { return runs->model().rowCount() == 1; }));
    runs->table()->selectRow(0);
    ASSERT_TRUE(runs->actionNamed("resume")->isEnabled());
    runs->actionNamed("resume")->trigger();
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, 30000));
    EXPECT_EQ(window.jobs().state(window.jobs().jobs().front()).run, run);
    EXPECT_EQ(window.jobs().state(window.jobs().jobs().front()).status, store::RunStatus::done);
}

TEST_F(Window, aRunHasOneNameEverywhere) {
    MainWindow window(options());
    window.show();
    settle(window);
    const QString name = "lenet5 on accpar-homogeneous, batch 512";
    emit window.currentDocument()->runRequested(lenet());
    Document* run = window.currentDocument();
    EXPECT_EQ(run->title(), name);
    const int job = window.jobs().jobs().front();
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, 30000));
    EXPECT_EQ(window.jobs().state(job).title, name);
    const store::RunId id = window.jobs().state(job).run;
    EXPECT_EQ(store::Store::open(history()).run(id)->name, name.toStdString());
    window.history().change([id](store::Store& store) { store.setName(id, "Mine"); });
    ASSERT_TRUE(waitUntil([&] { return run->title() == "Mine"; })) << "a new name in the history reaches the tab";
    EXPECT_EQ(window.jobs().state(job).title, "Mine");
}

TEST_F(Window, theInspectorShowsTheDocumentWhileNothingIsSelected) {
    MainWindow window(options());
    window.show();
    settle(window);
    const auto* inspector = window.findChild<InspectorPanel*>();
    const auto text = [&] {
        QStringList parts{inspector->facts().title, inspector->facts().subtitle};
        for (const Facts::Section& section : inspector->facts().sections)
            for (const Facts::Row& row : section.rows) parts.append(row.label + ": " + row.value);
        return parts.join("\n");
    };
    const auto shows = [&](const QStringList& words) {
        const bool all = waitUntil(
            [&] {
                return std::all_of(words.begin(), words.end(),
                                   [&](const QString& word) { return text().contains(word); });
            },
            10000);
        EXPECT_TRUE(all) << words.join(", ").toStdString() << " are not all in\n" << text().toStdString();
        EXPECT_GT(inspector->facts().actions.size() + inspector->facts().note.size(), 0) << words.front().toStdString();
    };
    emit window.currentDocument()->runRequested(lenet());
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, 30000));
    shows({"lenet5 on accpar-homogeneous, batch 512", "Done", "Model: zoo:lenet5", "Batch: 512", "Strategies: accpar",
           "Outcome: ", "Started: ", "Took: ", "Program: "});
    const QString run = QString::number(window.jobs().state(window.jobs().jobs().front()).run);
    window.open("compare", run + "," + run);
    shows({"Comparison", "Outcome: "});
    window.open("model", "zoo:lenet5");
    shows({"Model", "Parameters: ", "Weighted layers: "});
    window.open("hardware", "fleet/accpar-heterogeneous");
    shows({"AccPar heterogeneous", "Accelerators: 256"});
    window.open("study", "alexnet-equal-tpus");
    shows({"AlexNet on 128 equal TPU-v3", "Study", "Hardware: accpar-homogeneous", "Work: "});
    window.open("history", {});
    shows({"lenet5 on accpar-homogeneous, batch 512", "Outcome: "});
    test::savePicture(window, "window-inspector");
}

TEST_F(Window, comparingOneRunAsksForTheOthers) {
    MainWindow window(options());
    window.show();
    settle(window);
    for (int i = 0; i < 2; ++i) emit window.currentDocument()->runRequested(lenet());
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, 30000));
    EXPECT_EQ(window.open("compare", "2"), nullptr);
    ASSERT_TRUE(waitUntil([&] { return window.findChild<RunPicker*>() != nullptr; }));
    auto* picker = window.findChild<RunPicker*>();
    ASSERT_TRUE(waitUntil([&] { return picker->list()->model()->rowCount() == 1; }));
    picker->chooseButton()->click();
    ASSERT_TRUE(waitUntil([&] { return window.currentDocument()->kind() == "compare"; }));
    EXPECT_EQ(window.currentDocument()->key(), "2,1");
}

TEST_F(Window, aRunThatIsNotKeptIsComparedAndReportedFromMemory) {
    MainWindow window({.history = {}, .restoreSession = false, .recordHistory = false});
    window.show();
    settle(window);
    for (int i = 0; i < 2; ++i) emit window.currentDocument()->runRequested(lenet());
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, 30000));
    const Document* run = window.currentDocument();
    ASSERT_EQ(run->key(), "job/2");
    emit const_cast<Document*>(run)->openRequested("report", {});
    EXPECT_EQ(window.currentDocument()->kind(), "report");
    EXPECT_EQ(window.currentDocument()->key(), "job/2");
    window.open("compare", "job/1,job/2");
    ASSERT_TRUE(waitUntil([&] { return !window.currentDocument()->exportables().isEmpty(); }, 10000));
    window.open("study", "job/1");
    EXPECT_EQ(qobject_cast<StudyDocument*>(window.currentDocument())->study().models.front(), "zoo:lenet5");
    // Taken off the list it is known by its page; a job that nobody knows is no study, which is said.
    window.jobs().forget(2);
    window.open("study", "job/2");
    EXPECT_EQ(qobject_cast<StudyDocument*>(window.currentDocument())->study().models.front(), "zoo:lenet5");
    window.open("study", "job/7");
    EXPECT_EQ(window.currentDocument()->key(), "job/7");
}

TEST_F(Window, aMappingIsSearchedOnFromItsRunAndOnlyAMapping) {
    MainWindow window(options());
    window.show();
    settle(window);
    const auto action = [&] {
        for (QAction* each : window.currentDocument()->documentActions())
            if (each->text() == QStringLiteral("Search on from here…")) return each;
        return static_cast<QAction*>(nullptr);
    };
    emit window.currentDocument()->runRequested(lenet());
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, 30000));
    ASSERT_NE(qobject_cast<RunDocument*>(window.currentDocument()), nullptr);
    EXPECT_EQ(action(), nullptr) << "partitions are exact";
    const study::Study mapping = test::tableStudy({"magma"});
    emit window.currentDocument()->runRequested(QString::fromStdString(toText(study::toJson(mapping))));
    ASSERT_TRUE(
        waitUntil([&] { return window.jobs().working() == 0 && action() != nullptr && action()->isEnabled(); }, 30000));
    action()->trigger();
    ASSERT_TRUE(waitUntil([&] { return window.currentDocument()->kind() == "study"; }));
    const study::Study next = qobject_cast<StudyDocument*>(window.currentDocument())->study();
    EXPECT_EQ(next.workloads, mapping.workloads);
    ASSERT_TRUE(next.parameters->contains("warm_start"));
    EXPECT_EQ(next.parameters["warm_start"]["mappings"].size(), 1U);
}

TEST_F(Window, aMessageLeadsToTheFieldTheOperatorOrTheRunItSpeaksOf) {
    MainWindow window(options());
    window.show();
    settle(window);
    const auto follow = [&](int row) {
        auto* list = messages(window).findChild<QListView*>();
        emit list->activated(list->model()->index(row, 0));
    };
    // A study that cannot run yet: to the field.
    auto* study = qobject_cast<StudyDocument*>(window.open("study", "new/partition?model=zoo:lenet5"));
    ASSERT_NE(study, nullptr);
    settle(window);
    study->requestRun();
    ASSERT_EQ(messages(window).count(), 1);
    window.open("welcome", {});
    window.currentDocument()->setFocus();
    follow(0);
    EXPECT_EQ(window.currentDocument(), study);
    ASSERT_NE(QApplication::focusWidget(), nullptr);
    EXPECT_TRUE(study->isAncestorOf(QApplication::focusWidget()));
    // A run that failed: to the run.
    study::Study wrong = study::newStudy("partition");
    wrong.models = {"zoo:nothing"};
    wrong.hardware = {"accpar-homogeneous"};
    window.jobs().enqueue(wrong);
    ASSERT_TRUE(waitUntil([&] { return messages(window).count() == 2; }, 20000));
    follow(1);
    EXPECT_EQ(window.currentDocument()->kind(), "run");
    EXPECT_TRUE(waitUntil(
        [&] { return qobject_cast<RunDocument*>(window.currentDocument())->state().problem.contains("nothing"); }));
    // A sentence about a model: to the operator that it names, also where the model is opened for it.
    emit messages(window).activated("model", "zoo:lenet5", "Node 'conv1' is odd.");
    auto* model = qobject_cast<ModelDocument*>(window.currentDocument());
    ASSERT_NE(model, nullptr);
    EXPECT_TRUE(waitUntil([&] { return model->graphView()->selected() >= 0; }, 20000));
}

/// Pairs of enabled actions that the same keys would mean in one place.
QStringList sharedShortcuts(const QWidget& window) {
    struct Bound {
        const QAction* action;
        const QWidget* scope;  // nullptr = the whole window
    };
    QMap<QString, QVector<Bound>> bound;
    QVector<const QWidget*> widgets{&window};
    for (const QWidget* widget : window.findChildren<QWidget*>()) widgets.append(widget);
    QSet<QPair<const QAction*, const QWidget*>> seen;
    for (const QWidget* widget : widgets) {
        if (widget != &window && !widget->isVisible()) continue;
        for (const QAction* action : widget->actions()) {
            const bool wide =
                action->shortcutContext() == Qt::WindowShortcut || action->shortcutContext() == Qt::ApplicationShortcut;
            const QWidget* scope = wide ? nullptr : widget;
            if (!action->isEnabled() || seen.contains({action, scope})) continue;
            seen.insert({action, scope});
            for (const QKeySequence& keys : action->shortcuts())
                if (!keys.isEmpty()) bound[keys.toString()].append({action, scope});
        }
    }
    QStringList shared;
    for (auto entry = bound.constBegin(); entry != bound.constEnd(); ++entry)
        for (int i = 0; i < entry->size(); ++i)
            for (int k = i + 1; k < entry->size(); ++k) {
                const Bound &a = (*entry)[i], &b = (*entry)[k];
                const bool nested = a.scope == nullptr || b.scope == nullptr || a.scope == b.scope ||
                                    a.scope->isAncestorOf(b.scope) || b.scope->isAncestorOf(a.scope);
                if (a.action != b.action && nested)
                    shared.append(entry.key() + ": " + a.action->text() + " and " + b.action->text());
            }
    return shared;
}

TEST_F(Window, everyShortcutMeansOneThing) {
    MainWindow window(options());
    window.show();
    settle(window);
    emit window.currentDocument()->runRequested(lenet());
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, 30000));
    EXPECT_EQ(sharedShortcuts(window).join("\n").toStdString(), "") << "run";
    for (const auto& [kind, key] :
         {std::pair{"welcome", ""}, std::pair{"model", "zoo:lenet5"},
          std::pair{"hardware", "fleet/accpar-heterogeneous"}, std::pair{"study", "new/partition"},
          std::pair{"history", ""}, std::pair{"compare", "1,1"}, std::pair{"points", "1"}, std::pair{"report", "1"},
          std::pair{"validation", ""}}) {
        window.open(QString::fromLatin1(kind), QString::fromLatin1(key));
        settle(window);
        EXPECT_EQ(sharedShortcuts(window).join("\n").toStdString(), "") << kind;
    }
}

TEST_F(Window, aRunIsFoundInThePaletteNamedInTheHistoryAndImportedWhereItIsDropped) {
    const std::filesystem::path exported = folder.filePath("runs.tessera").toStdString();
    {
        store::Store store = store::Store::open(folder.filePath("other.db").toStdString());
        study::Study study = study::newStudy("partition");
        study.models = {"zoo:lenet5"};
        study.hardware = {"accpar-homogeneous"};
        const store::RunId run = store.addRun(study, store::RunStatus::interrupted);
        store.setName(run, "Needle");
        store.exportRuns({run}, exported);
    }
    MainWindow window(options());
    window.show();
    settle(window);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(exported.string()))});
    QDragEnterEvent enter(QPoint(600, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent dropped(QPointF(600, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &dropped);
    auto* runs = qobject_cast<HistoryDocument*>(window.open("history", {}));
    ASSERT_TRUE(waitUntil([&] { return runs->model().rowCount() == 1; }));
    ASSERT_TRUE(waitUntil([&] { return runs->model().row(0) != nullptr; }));
    EXPECT_EQ(runs->model().row(0)->name, "Needle");

    runs->table()->selectRow(0);
    const auto edit = [&](const char* action, const QString& text, HistoryModel::Column column) {
        runs->table()->setColumnHidden(column, false);
        runs->actionNamed(action)->trigger();
        auto* field = runs->table()->viewport()->findChild<QLineEdit*>();
        ASSERT_NE(field, nullptr) << action;
        field->selectAll();
        QTest::keyClicks(field, text);
        QTest::keyClick(field, Qt::Key_Return);
        EXPECT_TRUE(waitUntil([&] {
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
            return runs->model().index(0, column).data(Qt::EditRole).toString() == text;
        })) << action;
    };
    edit("rename", "Haystack", HistoryModel::Name);
    edit("note", "to be looked at", HistoryModel::Note);
    EXPECT_EQ(store::Store::open(history()).run(1)->note, "to be looked at");
    window.open("history", {});
    EXPECT_EQ(window.actionNamed("undo")->text().toStdString(), "&Undo editing a note");
    window.actionNamed("undo")->trigger();
    EXPECT_TRUE(waitUntil([&] {
        const store::RunRow* row = runs->model().row(0);
        return row != nullptr && row->note.empty();
    }));

    window.actionNamed("palette")->trigger();
    auto* palette = window.findChild<CommandPalette*>();
    QTest::keyClicks(palette->field(), "haystack");
    ASSERT_TRUE(waitUntil([&] { return palette->model()->rowCount() == 1; }));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    EXPECT_EQ(window.currentDocument()->kind() + ' ' + window.currentDocument()->key(), "run run/1");
}

TEST_F(Window, theButtonsOfAJobDoWhatTheySay) {
    MainWindow window(options());
    window.show();
    window.findChild<QDockWidget*>("jobs")->show();
    settle(window);
    const int job = enqueuePaused(window);
    ASSERT_TRUE(waitUntil([&] { return window.jobs().state(job).status == store::RunStatus::paused; }, 20000));
    const auto button = [&](const char* name) -> QToolButton* {
        const auto* row = window.findChild<JobRow*>();
        QToolButton* found = nullptr;
        waitUntil([&] {
            for (auto* each : row->findChildren<QToolButton*>())
                if (each->accessibleName() == name && each->isVisible()) found = each;
            return found != nullptr;
        });
        EXPECT_NE(found, nullptr) << name;
        return found;
    };
    ASSERT_NE(button("Stop and keep the best"), nullptr);
    ASSERT_NE(button("Open"), nullptr);
    button("Open")->click();
    EXPECT_EQ(window.currentDocument()->kind(), "run");
    ASSERT_NE(button("Resume"), nullptr);
    button("Resume")->click();
    EXPECT_NE(window.jobs().state(job).status, store::RunStatus::paused);
    window.jobs().pause(job);
    ASSERT_NE(button("Cancel and discard"), nullptr);
    button("Cancel and discard")->click();
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, 20000));
    EXPECT_EQ(window.jobs().state(job).status, store::RunStatus::cancelled);
    ASSERT_NE(button("Take off the list"), nullptr);
    button("Take off the list")->click();
    EXPECT_TRUE(window.jobs().jobs().isEmpty());
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_EQ(window.findChild<JobRow*>(), nullptr);
}

TEST_F(Window, anOffScreenWindowComesBack) {
    {
        MainWindow window(options(true));
        window.show();
        settle(window);
        window.move(20000, 20000);
        QCoreApplication::processEvents();
        window.close();
    }
    MainWindow window(options(true));
    window.show();
    settle(window);
    const QRect seen = window.screen()->availableGeometry().intersected(window.frameGeometry());
    EXPECT_GE(seen.width(), 80);
    EXPECT_GE(seen.height(), 40);
}

TEST_F(Window, resetLayoutPutsEveryPaneBackInItsPlace) {
    MainWindow window(options());
    window.show();
    settle(window);
    const QList<QDockWidget*> docks = window.findChildren<QDockWidget*>();
    for (QDockWidget* dock : docks) dock->setFloating(true);
    docks[0]->hide();
    window.removeDockWidget(docks[1]);
    window.showMaximized();
    window.actionNamed("reset-layout")->trigger();
    EXPECT_TRUE(window.isMaximized()) << "the window itself stays as it is";
    for (const QDockWidget* dock : docks) {
        EXPECT_EQ(dock->isVisible(), dock->objectName() == "library") << dock->objectName().toStdString();
        EXPECT_FALSE(dock->isFloating()) << dock->objectName().toStdString();
    }
    EXPECT_EQ(window.dockWidgetArea(window.findChild<QDockWidget*>("library")), Qt::LeftDockWidgetArea);
    EXPECT_EQ(window.dockWidgetArea(window.findChild<QDockWidget*>("inspector")), Qt::RightDockWidgetArea);
    EXPECT_EQ(window.dockWidgetArea(window.findChild<QDockWidget*>("jobs")), Qt::BottomDockWidgetArea);
}

TEST_F(Window, theHistoryFitsBetweenTheDocks) {
    MainWindow window(options());
    window.show();
    settle(window);
    emit window.currentDocument()->runRequested(lenet());
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, 30000));
    window.resize(1280, 800);
    auto* runs = qobject_cast<HistoryDocument*>(window.open("history", {}));
    ASSERT_TRUE(waitUntil([&] { return runs->model().rowCount() == 1; }));
    settle(window);
    EXPECT_FALSE(runs->table()->horizontalScrollBar()->isVisible());
    EXPECT_GE(runs->table()->columnWidth(HistoryModel::Name), 200);
    for (const int column : {HistoryModel::Engine, HistoryModel::Model, HistoryModel::Result, HistoryModel::Gap})
        EXPECT_FALSE(runs->table()->isColumnHidden(column)) << column;
    EXPECT_GE(runs->table()->columnWidth(HistoryModel::Result), 100);
    EXPECT_EQ(runs->selectedRuns().size(), 1U) << "the newest run is selected, and its facts are shown";
    window.resize(2200, 1000);
    settle(window);
    EXPECT_FALSE(runs->table()->isColumnHidden(HistoryModel::Note)) << "where there is room, everything is shown";
    EXPECT_FALSE(runs->table()->horizontalScrollBar()->isVisible());
}

/// From the rows of the engines alone: another one is in the menus as soon as it is a row.
TEST_F(Window, everyEngineStartsAStudyFromTheMenusAndThePalette) {
    MainWindow window(options());
    window.show();
    settle(window);
    QMenu* studies = nullptr;
    for (QMenu* menu : window.menuBar()->findChildren<QMenu*>())
        if (menu->title() == "New &study") studies = menu;
    ASSERT_NE(studies, nullptr);
    ASSERT_EQ(studies->actions().size(), static_cast<qsizetype>(study::engines().size()));
    for (const study::Engine& engine : study::engines()) {
        QAction* action = window.actionNamed(newStudyAction(engine));
        ASSERT_NE(action, nullptr) << engine.id;
        EXPECT_TRUE(studies->actions().contains(action));
        EXPECT_FALSE(action->icon().isNull()) << engine.id;
        action->trigger();
        auto* document = qobject_cast<StudyDocument*>(window.currentDocument());
        ASSERT_NE(document, nullptr) << engine.id;
        EXPECT_TRUE(waitUntil([&] { return document->study().engine == engine.id; })) << engine.id;
        window.actionNamed("palette")->trigger();
        auto* palette = window.findChild<CommandPalette*>();
        palette->field()->setText(newStudyText(engine));
        ASSERT_GT(palette->model()->rowCount(), 0) << engine.id;
        EXPECT_EQ(palette->model()->index(0, 0).data().toString(), newStudyText(engine));
        palette->field()->clear();
        QTest::keyClick(palette->field(), Qt::Key_Escape);
    }
    EXPECT_EQ(window.actionNamed(newStudyAction(study::engines().front()))->shortcut(),
              QKeySequence(QKeySequence::New));
}

TEST_F(Window, thePaletteFindsModelsAndActions) {
    MainWindow window(options());
    window.show();
    settle(window);
    window.actionNamed("palette")->trigger();
    auto* palette = window.findChild<CommandPalette*>();
    ASSERT_TRUE(palette->isVisible());
    const auto first = [&](const QString& typed) {
        palette->field()->setText(typed);
        return palette->model()->rowCount() > 0 ? palette->model()->index(0, 0).data().toString() : QString();
    };
    EXPECT_EQ(first("sweep"), "New mapping study") << "where sweeps are made";
    EXPECT_EQ(first("dark"), "Theme: Dark");
    EXPECT_EQ(first("hotkeys"), "Keyboard shortcuts");
    EXPECT_EQ(first("no such thing"), QString());
    palette->field()->clear();
    QTest::keyClicks(palette->field(), "vgg-19 model");
    ASSERT_TRUE(waitUntil([&] { return palette->model()->rowCount() > 0; }));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    EXPECT_EQ(window.currentDocument()->key(), "zoo:vgg19");
}

/// Pictures for a person to look at; that they are not blank is all that is asked.
TEST_F(Window, looksLikeThis) {
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        const QString name = mode == ThemeMode::light ? "light" : "dark";
        theme().apply(mode);
        MainWindow window(options());
        window.show();
        settle(window);
        waitUntil([] { return false; }, 300);
        EXPECT_GT(test::coloursIn(test::savePicture(window, "window-welcome-" + name)), 20);
        emit window.currentDocument()->runRequested(
            QString::fromStdString(toText(study::toJson(study::loadStudy("resnet18-gpu-upgrade")))));
        waitUntil([&] { return window.jobs().working() == 0; }, 30000);
        waitUntil([] { return false; }, 500);
        test::savePicture(window, "window-run-" + name);
        window.open("history", {});
        settle(window);
        if (mode == ThemeMode::dark) window.actionNamed("palette")->trigger();
        settle(window);
        test::savePicture(window, "window-history-" + name);
        if (mode == ThemeMode::dark) continue;
        window.resize(1920, 1080);
        window.open("model", "zoo:resnet18");
        window.actionNamed("split-right")->trigger();
        waitUntil([] { return false; }, 1500);
        test::savePicture(window, "window-large-" + name);
    }
}

}  // namespace
}  // namespace tessera::ui

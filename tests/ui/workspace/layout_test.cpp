#include <gtest/gtest.h>

#include <QAction>
#include <QDockWidget>
#include <QFile>
#include <QLayout>
#include <QScrollArea>
#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>
#include <nlohmann/json.hpp>

#include "core/store/store.h"
#include "core/study/metric.h"
#include "core/study/study.h"
#include "tests/support/codesign_result.h"
#include "tests/support/panes.h"
#include "tests/support/partition_result.h"
#include "tests/support/pictures.h"
#include "tests/support/point_table.h"
#include "tests/support/portfolio_result.h"
#include "tests/support/prediction_result.h"
#include "ui/jobs/jobs.h"
#include "ui/theme/theme.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/headline_bar.h"
#include "ui/views/picture_alone.h"
#include "ui/views/plot/heat_map_view.h"
#include "ui/views/plot/parallel_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/model_document.h"
#include "ui/views/runs/run_document.h"
#include "ui/views/runs/run_pages.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/runs/validation_document.h"
#include "ui/views/workbench/point_selection.h"
#include "ui/views/workbench/workbench.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/inspector_panel.h"
#include "ui/workspace/library_panel.h"
#include "ui/workspace/messages_panel.h"
#include "ui/workspace/status_line.h"
#include "ui/workspace/window/main_window.h"

/// How the window shares its room: the picture first, panes as wide as a person made them.
namespace tessera::ui {
namespace {

using test::waitUntil;

constexpr int kLongLayout = 20'000;  ///< milliseconds

class Layout : public testing::Test {
protected:
    void SetUp() override {
        QSettings().clear();
        store::Store history = store::Store::open(path());
        for (const study::Result& result :
             {test::handMadeResult(), test::handMadePortfolio(), test::wholeCodesign(), test::wholePrediction()})
            history.finishRun(history.addRun(result.study), result, study::headline(result), {}, {});
    }
    void TearDown() override { QSettings().clear(); }
    std::filesystem::path path() const { return folder_.filePath("history.db").toStdString(); }
    MainWindow::Options options() const { return {.history = path(), .restoreSession = false, .recordHistory = true}; }
    static void settle(int milliseconds = 300) {
        waitUntil([] { return false; }, milliseconds);
    }
    static void show(MainWindow& window, int width, int height) {
        window.resize(width, height);
        window.show();
        window.activateWindow();
        ASSERT_TRUE(waitUntil([&] { return window.history().isOpen() && window.isActiveWindow(); }, kLongLayout));
        settle();
    }
    static QDockWidget& dock(const MainWindow& window, const char* name) {
        return *window.findChild<QDockWidget*>(QLatin1String(name));
    }
    /// Every kind of page, and some with wide bars.
    static void throughPages(MainWindow& window, const std::function<void(const std::string& page)>& look) {
        for (const auto& [kind, key] :
             {std::pair{"welcome", ""}, std::pair{"model", "zoo:resnet18"},
              std::pair{"hardware", "fleet/accpar-heterogeneous"}, std::pair{"hardware", "accelerator/tpu-v3"},
              std::pair{"hardware", "template/phaze"}, std::pair{"study", "mixed-jobs-race"}, std::pair{"history", ""},
              std::pair{"run", "run/1"}, std::pair{"run", "run/2"}, std::pair{"run", "run/3"},
              std::pair{"run", "run/4"}, std::pair{"compare", "1,1"}, std::pair{"points", "1,2"},
              std::pair{"report", "1"}, std::pair{"validation", ""}}) {
            ASSERT_NE(window.open(QString::fromLatin1(kind), QString::fromLatin1(key)), nullptr) << kind << key;
            settle();
            look(std::string(kind) + ' ' + key);
        }
    }

    QTemporaryDir folder_;
};

/// A study named "Dense" that was started and paused at once.
int pausedJob(MainWindow& window) {
    study::Study study = study::newStudy("partition");
    study.models = {"zoo:densenet121"};
    study.hardware = {"accpar-heterogeneous"};
    study.name = "Dense";
    const int job = window.jobs().enqueue(study);
    window.jobs().pause(job);
    return job;
}

TEST_F(Layout, panesKeepTheWidthThatTheyWereGivenWhateverIsShown) {
    MainWindow window(options());
    ASSERT_NO_FATAL_FAILURE(show(window, 1440, 900));
    dock(window, "inspector").show();
    settle();
    EXPECT_EQ(dock(window, "library").width(), 240);
    EXPECT_TRUE(waitUntil([&] { return dock(window, "inspector").width() == 256; }))
        << dock(window, "inspector").width();
    test::dragBar(window, dock(window, "library"), 310);
    throughPages(window, [&](const std::string& page) {
        EXPECT_EQ(dock(window, "library").width(), 310) << page;
        EXPECT_EQ(dock(window, "inspector").width(), 256) << page;
    });
    window.resize(900, 600);
    throughPages(window, [&](const std::string& page) {
        EXPECT_EQ(window.size(), QSize(900, 600)) << page << " makes the window larger";
        EXPECT_EQ(dock(window, "library").width(), 310) << page;
        EXPECT_EQ(dock(window, "inspector").width(), 256) << page;
    });
    window.resize(620, 400);
    settle();
    EXPECT_EQ(window.size(), QSize(620, 400));
    EXPECT_GE(dock(window, "inspector").width(), 240);
    EXPECT_GE(dock(window, "library").width(), 200);
    window.resize(1440, 900);
    settle();
    EXPECT_EQ(dock(window, "library").width(), 310) << "where there is room again, it is as it was";
    EXPECT_TRUE(waitUntil([&] { return dock(window, "inspector").width() == 256; }))
        << dock(window, "inspector").width();
}

TEST_F(Layout, panesAreWithinTheirLimitsHoweverTheyAreMoved) {
    MainWindow window(options());
    ASSERT_NO_FATAL_FAILURE(show(window, 1440, 900));
    dock(window, "inspector").show();
    settle();
    for (const auto& [width, reached] : {std::pair{20, 200}, std::pair{1000, 480}}) {
        test::dragBar(window, dock(window, "library"), width);
        settle();
        EXPECT_EQ(dock(window, "library").width(), reached);
    }
    for (const auto& [width, reached] : {std::pair{20, 240}, std::pair{1000, 400}}) {
        window.resizeDocks({&dock(window, "inspector")}, {width}, Qt::Horizontal);
        settle();
        EXPECT_EQ(dock(window, "inspector").width(), reached);
    }
}

TEST_F(Layout, theInspectorOpensWithASelectionUntilSomebodyClosesIt) {
    MainWindow window(options());
    ASSERT_NO_FATAL_FAILURE(show(window, 1440, 900));
    EXPECT_TRUE(dock(window, "inspector").isHidden());
    throughPages(window, [&](const std::string& page) {
        EXPECT_TRUE(dock(window, "inspector").isHidden()) << page << " selects something by itself";
    });
    auto* model = qobject_cast<ModelDocument*>(window.open("model", "zoo:resnet18"));
    ASSERT_TRUE(waitUntil([&] { return model->isLoaded(); }, kLongLayout));
    model->setFocus(Qt::TabFocusReason);
    QWidget* graph = QApplication::focusWidget();
    ASSERT_TRUE(model->isAncestorOf(graph));
    QTest::keyClick(graph, Qt::Key_Right);
    ASSERT_TRUE(waitUntil([&] { return dock(window, "inspector").isVisible(); }));
    settle();
    EXPECT_TRUE(waitUntil([&] { return dock(window, "inspector").width() == 256; }))
        << dock(window, "inspector").width();
    dock(window, "inspector").close();
    QTest::keyClick(graph, Qt::Key_Right);
    settle();
    EXPECT_TRUE(dock(window, "inspector").isHidden()) << "who closed it does not want it";
    dock(window, "inspector").toggleViewAction()->trigger();
    EXPECT_TRUE(dock(window, "inspector").isVisible());
}

/// What stands beyond the right edge of the pane, by its text.
QStringList beyondTheEdge(const QScrollArea& panel) {
    QStringList beyond;
    for (const QWidget* part : panel.widget()->findChildren<QWidget*>())
        if (part->isVisible() && part->mapTo(&panel, QPoint(part->width(), 0)).x() > panel.viewport()->width())
            beyond << part->metaObject()->className() + QStringLiteral(": ") + part->accessibleName();
    return beyond;
}

TEST_F(Layout, nothingInTheInspectorRunsOffItsEdge) {
    MainWindow window(options());
    ASSERT_NO_FATAL_FAILURE(show(window, 1280, 800));
    dock(window, "inspector").show();
    window.resizeDocks({&dock(window, "inspector")}, {240}, Qt::Horizontal);
    auto* panel = window.findChild<InspectorPanel*>();
    throughPages(window, [&](const std::string& page) {
        EXPECT_EQ(beyondTheEdge(*panel).join('\n').toStdString(), "") << page;
    });
    Facts facts{.title = "A title of many words that has to wrap", .subtitle = {}};
    facts.sections.append({"Section",
                           {{.label = "Throughput of the whole fleet", .value = "1,234,567 samples/s"},
                            {.label = "Averylonglabelwithoutanyplacetobreakit", .value = "123,456,789 TFLOP/s"},
                            {.label = "Name", .value = "/model/features/features.1/features.1.0/norm1"}}});
    facts.actions.append({"Pin to Type III and solve everything again from here", "pin", [] {}});
    panel->setFacts(facts);
    settle();
    EXPECT_EQ(beyondTheEdge(*panel).join('\n').toStdString(), "");
}

TEST_F(Layout, thePictureComesFirstOnEveryPageOfARun) {
    for (const QSize size : {QSize(1280, 800), QSize(1440, 900), QSize(1920, 1080)}) {
        MainWindow window(options());
        ASSERT_NO_FATAL_FAILURE(show(window, size.width(), size.height()));
        for (int run = 1; run <= 4; ++run) {
            auto* document = qobject_cast<RunDocument*>(window.open("run", QStringLiteral("run/%1").arg(run)));
            ASSERT_TRUE(waitUntil([&] { return document->findChild<RunView*>() != nullptr; }, kLongLayout));
            const auto* page = document->findChild<RunView*>();
            const auto* pages = document->findChild<RunPages*>();
            LazyTabs* tabs = pages->pictures();
            settle();
            const QString name = QStringLiteral("frame-%1-%2x%3").arg(run).arg(size.width()).arg(size.height());
            test::savePicture(window, name);
            EXPECT_LE(document->findChild<HeadlineBar*>()->height(), 40) << "one line";
            for (int tab = 0; tab < tabs->count(); ++tab) {
                if (!tabs->isTabVisible(tab)) continue;
                tabs->setCurrentIndex(tab);
                settle(100);
                const QWidget* picture = pictureOn(*document);
                if (picture == nullptr) {
                    EXPECT_TRUE(tabs->tab() == "sweeps" || tabs->tab() == "scaling") << tabs->tab().toStdString();
                    continue;
                }
                EXPECT_GE(picture->visibleRegion().boundingRect().height(), 0.6 * page->height())
                    << "run " << run << ", " << tabs->tab().toStdString() << " in " << size.width()
                    << (pages->isOpen() ? ", open" : ", folded");
                if (size.width() == 1280) test::savePicture(window, name + '-' + tabs->tab());
            }
        }
    }
}

TEST_F(Layout, thePictureOfTheValidationIsLargeAndNothingMakesItNarrow) {
    for (const QSize size : {QSize(1280, 800), QSize(1440, 900), QSize(1920, 1080)}) {
        MainWindow window(options());
        ASSERT_NO_FATAL_FAILURE(show(window, size.width(), size.height()));
        auto* document = qobject_cast<ValidationDocument*>(window.open("validation", {}));
        ASSERT_NE(document, nullptr);
        ASSERT_TRUE(waitUntil([&] { return document->plot() != nullptr && !document->plot()->chart().series.empty(); },
                              kLongLayout * 3));
        document->findChild<RunPages*>()->setOpen(false);
        settle();
        EXPECT_EQ(window.size(), size);
        EXPECT_GE(document->plot()->visibleRegion().boundingRect().height(), 0.6 * document->height()) << size.width();
        EXPECT_GE(document->plot()->height(), 350);
        test::savePicture(window, QStringLiteral("validation-%1x%2").arg(size.width()).arg(size.height()));
        document->findChild<RunPages*>()->setOpen(true);
        dock(window, "inspector").show();
        document->chooseRow(document->choice().rows.front());
        settle();
        EXPECT_EQ(window.size(), size) << "whatever is selected";
        EXPECT_TRUE(waitUntil([&] { return dock(window, "inspector").width() == 256; }))
            << dock(window, "inspector").width();
        EXPECT_TRUE(dock(window, "inspector").isVisible());
        EXPECT_EQ(beyondTheEdge(*window.findChild<InspectorPanel*>()).join('\n').toStdString(), "");
        EXPECT_GE(document->plot()->height(), 250) << "beside an open drawer";
        test::savePicture(window, QStringLiteral("validation-row-%1x%2").arg(size.width()).arg(size.height()));
    }
}

TEST_F(Layout, theMapAndTheFrontAreLargeInUsualWindows) {
    for (const QSize size : {QSize(1280, 800), QSize(1440, 900)}) {
        MainWindow window(options());
        ASSERT_NO_FATAL_FAILURE(show(window, size.width(), size.height()));
        auto* partition = window.open("run", "run/1");
        ASSERT_TRUE(waitUntil([&] { return partition->findChild<HeatMapView*>() != nullptr; }, kLongLayout));
        settle();
        EXPECT_GE(partition->findChild<HeatMapView*>()->height(), 350) << size.width();
        auto* codesign = window.open("run", "run/3");
        ASSERT_TRUE(waitUntil([&] { return codesign->findChild<Workbench*>() != nullptr; }, kLongLayout));
        settle();
        EXPECT_GE(codesign->findChild<Workbench*>()->plot()->height(), 400) << size.width();
    }
}

TEST_F(Layout, scatterAndParallelAxesAreTabsWhereTheyHaveNoRoomForTwo) {
    for (const auto& [width, both] : {std::pair{1280, false}, std::pair{1920, true}}) {
        MainWindow window(options());
        ASSERT_NO_FATAL_FAILURE(show(window, width, 900));
        auto* document = window.open("run", "run/3");
        ASSERT_TRUE(waitUntil([&] { return document->findChild<Workbench*>() != nullptr; }, kLongLayout));
        settle();
        const auto* bench = document->findChild<Workbench*>();
        EXPECT_EQ(bench->width() >= 1100, both);
        EXPECT_TRUE(bench->plot()->isVisible());
        EXPECT_EQ(bench->parallel()->isVisible(), both);
    }
}

TEST_F(Layout, theBarOfTheWorkbenchIsOneLineForAnyNumberOfPoints) {
    MainWindow window(options());
    ASSERT_NO_FATAL_FAILURE(show(window, 1280, 800));
    for (const auto& [kind, key] : {std::pair{"points", "1,2"}, std::pair{"run", "run/3"}}) {
        auto* document = window.open(kind, key);
        ASSERT_TRUE(waitUntil([&] { return document->findChild<Workbench*>() != nullptr; }, kLongLayout));
        auto* bench = document->findChild<Workbench*>();
        settle();
        for (const std::size_t count : {10, 303, 10'000, 100'000}) {
            bench->setPoints(test::sharedPoints(test::madeUpPoints(count)));
            settle(100);
            const auto buttons = [&] {
                QVector<QRect> places;
                for (const auto* each : bench->findChildren<QToolButton*>()) places << each->geometry();
                return places;
            };
            const QVector<QRect> before = buttons();
            bench->selection().setRange(0, PointSelection::Range{0, 100});
            bench->selection().keep();
            bench->selection().setRange(0, PointSelection::Range{0, 80});
            settle(100);
            EXPECT_EQ(buttons(), before) << kind << ' ' << count << ": nothing moves while points are filtered";
            const auto* bar = bench->layout()->itemAt(0)->widget();
            EXPECT_LT(bar->height(), 40) << kind << ' ' << count;
        }
    }
}

TEST_F(Layout, theKeyFShowsThePageSPictureAlone) {
    MainWindow window(options());
    ASSERT_NO_FATAL_FAILURE(show(window, 1280, 800));
    const auto press = [&] {
        QWidget* focused = QApplication::focusWidget();
        ASSERT_NE(focused, nullptr);
        QTest::keyClick(focused, Qt::Key_F);
        settle(100);
    };
    auto* run = window.open("run", "run/2");
    ASSERT_TRUE(waitUntil([&] { return run->findChild<RunPages*>() != nullptr; }, kLongLayout));
    auto* pages = run->findChild<RunPages*>();
    QTest::keyClick(&window, Qt::Key_J, Qt::ControlModifier);
    EXPECT_TRUE(pages->isOpen()) << "whatever pane has the focus";
    settle();
    pages->details()->setFocus();
    press();
    QWidget* picture = pictureOn(*run);
    EXPECT_TRUE(isAlone(*picture));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    EXPECT_FALSE(isAlone(*picture));
    window.actionNamed("alone")->trigger();
    EXPECT_TRUE(isAlone(*picture));
    press();
    EXPECT_FALSE(isAlone(*picture));
    window.findChild<LibraryPanel*>()->findChild<QTreeView*>()->setFocus();
    press();
    EXPECT_FALSE(isAlone(*picture)) << "a list of names is searched by letters";
    auto* model = qobject_cast<ModelDocument*>(window.open("model", "zoo:resnet18"));
    ASSERT_TRUE(waitUntil([&] { return model->isLoaded(); }, kLongLayout));
    auto* graph = model->findChild<GraphView*>();
    graph->setFocus();
    press();
    EXPECT_TRUE(isAlone(*graph));
    QTest::keyClick(graph, Qt::Key_Escape);
    EXPECT_FALSE(isAlone(*graph));
    QTest::mouseDClick(graph, Qt::LeftButton, {}, QPoint(graph->width() - 2, graph->height() / 2));
    EXPECT_TRUE(isAlone(*graph)) << "on the ground; a block unfolds";
    test::savePicture(window, "alone-graph");
}

TEST_F(Layout, theLineAtTheFootSaysWhatThePanesHoldAndOpensThem) {
    MainWindow window(options());
    ASSERT_NO_FATAL_FAILURE(show(window, 1280, 800));
    auto* line = window.findChild<StatusLine*>();
    EXPECT_EQ(line->jobText(), "Nothing is running");
    EXPECT_EQ(line->messageText(), "No messages");
    window.showMessage("Something went wrong.");
    EXPECT_EQ(line->messageText(), "1 message · Something went wrong.");
    pausedJob(window);
    settle();
    EXPECT_TRUE(line->jobText().startsWith("Dense · paused")) << line->jobText().toStdString();
    const auto button = [&](const char* icon) { return line->findChild<QToolButton*>(QLatin1String(icon)); };
    EXPECT_TRUE(button("run")->isVisible()) << "goes on with the paused run";
    button("jobs")->click();
    EXPECT_TRUE(dock(window, "jobs").isVisible());
    EXPECT_TRUE(button("jobs")->isChecked());
    button("messages")->click();
    EXPECT_TRUE(dock(window, "messages").isVisible());
    button("jobs")->click();
    EXPECT_TRUE(dock(window, "jobs").isHidden());
    EXPECT_FALSE(button("jobs")->isChecked());
    button("stop")->click();
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, kLongLayout));
    settle();
    EXPECT_TRUE(line->jobText().startsWith("Dense · done")) << line->jobText().toStdString();
    EXPECT_FALSE(button("stop")->isVisible());
}

TEST_F(Layout, tabsDifferAtTheirBeginningAndShowTheStateOfTheirRun) {
    MainWindow window(options());
    ASSERT_NO_FATAL_FAILURE(show(window, 1280, 800));
    const auto tabs = [&] {
        QStringList texts;
        const auto* row = window.findChild<QTabBar*>("documentTabs");
        for (int i = 0; i < row->count(); ++i) texts << row->tabText(i);
        return texts;
    };
    window.open("study", "alexnet-equal-tpus");
    auto* run = qobject_cast<RunDocument*>(window.open("run", "run/1"));
    ASSERT_TRUE(waitUntil([&] { return run->state().result != nullptr; }, kLongLayout));
    settle();
    ASSERT_EQ(tabs().size(), 3);
    EXPECT_TRUE(tabs()[1].startsWith("Study · ")) << tabs()[1].toStdString();
    EXPECT_TRUE(tabs()[2].startsWith("Run 1 · ")) << tabs()[2].toStdString();
    EXPECT_EQ(run->iconName(), "done");
    const int job = pausedJob(window);
    const Document* live = window.open("run", QStringLiteral("job/%1").arg(job));
    const auto* inspector = window.findChild<InspectorPanel*>();
    const auto inspectorSays = [&](const QString& state) {
        return waitUntil([&] { return inspector->facts().subtitle.endsWith(state); }, kLongLayout);
    };
    EXPECT_TRUE(inspectorSays("Paused")) << inspector->facts().subtitle.toStdString();
    EXPECT_EQ(live->iconName(), "pause");
    EXPECT_EQ(inspector->facts().icon, "pause");
    window.jobs().cancel(job);
    EXPECT_TRUE(inspectorSays("Cancelled")) << inspector->facts().subtitle.toStdString();
    EXPECT_EQ(live->iconName(), "cancel");
}

TEST_F(Layout, whatWentWellIsToldWithoutAWarning) {
    MainWindow window(options());
    ASSERT_NO_FATAL_FAILURE(show(window, 1280, 800));
    emit window.currentDocument()->done("Saved report.pdf.");
    emit window.currentDocument()->messaged("report.pdf cannot be written.", {});
    const auto* messages = window.findChild<MessagesPanel*>();
    EXPECT_EQ(messages->tone(0), MessagesPanel::Tone::information);
    EXPECT_EQ(messages->tone(1), MessagesPanel::Tone::warning);
    EXPECT_EQ(window.findChild<StatusLine*>()->messageText(), "2 messages · report.pdf cannot be written.");
}

TEST_F(Layout, controlReturnRunsTheStudyWhateverPaneHasTheFocus) {
    MainWindow window(options());
    ASSERT_NO_FATAL_FAILURE(show(window, 1280, 800));
    EXPECT_FALSE(window.actionNamed("run")->isEnabled()) << "the welcome page has nothing to run";
    window.open("study", "alexnet-equal-tpus");
    settle();
    EXPECT_TRUE(window.actionNamed("run")->isEnabled());
    window.findChild<LibraryPanel*>()->findChild<QTreeView*>()->setFocus();
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return, Qt::ControlModifier);
    ASSERT_EQ(window.jobs().jobs().size(), 1);
    EXPECT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, kLongLayout));
    window.open("model", "zoo:resnet18");
    settle();
    EXPECT_FALSE(window.actionNamed("run")->isEnabled());
}

TEST_F(Layout, theToolBarStaysWhenPauseBecomesContinue) {
    MainWindow window(options());
    ASSERT_NO_FATAL_FAILURE(show(window, 1280, 800));
    auto* bar = window.findChild<QToolBar*>("tools");
    const auto places = [&] {
        QVector<int> all;
        for (const QAction* each : bar->actions())
            all << bar->widgetForAction(const_cast<QAction*>(each))->geometry().x();
        return all;
    };
    const QVector<int> before = places();
    QAction* pause = window.actionNamed("pause");
    for (const char* text : {"&Continue", "&Pause"}) {
        pause->setText(QLatin1String(text));
        settle(100);
        EXPECT_EQ(places(), before) << text;
    }
}

TEST_F(Layout, aFileThatIsRefusedIsToldWhereItWasDropped) {
    MainWindow window(options());
    ASSERT_NO_FATAL_FAILURE(show(window, 1280, 800));
    const QString path = folder_.filePath("broken.json");
    QFile file(path);
    ASSERT_TRUE(file.open(QFile::WriteOnly));
    file.write("{");
    file.close();
    window.importFile(path);
    ASSERT_TRUE(waitUntil([&] { return !window.notices().isEmpty(); }, kLongLayout));
    const QString said = window.findChild<MessagesPanel*>()->text(0);
    EXPECT_TRUE(said.contains("broken.json")) << said.toStdString();
    EXPECT_EQ(window.notices().front(), said + " · ");
}

}  // namespace
}  // namespace tessera::ui

#include <gtest/gtest.h>

#include <QAction>
#include <QDialog>
#include <QDockWidget>
#include <QSettings>
#include <QTemporaryDir>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/store/store.h"
#include "core/study/metric.h"
#include "core/study/study.h"
#include "tests/support/codesign_result.h"
#include "tests/support/controls.h"
#include "tests/support/pictures.h"
#include "tests/support/plan_result.h"
#include "tests/support/portfolio_result.h"
#include "tests/support/prediction_result.h"
#include "ui/jobs/jobs.h"
#include "ui/views/runs/model_document.h"
#include "ui/views/runs/run_document.h"
#include "ui/views/runs/run_pages.h"
#include "ui/views/runs/validation_document.h"
#include "ui/views/workbench/workbench.h"
#include "ui/workspace/command_palette.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/history/history_document.h"
#include "ui/workspace/history/run_picker.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/window/main_window.h"

/// Every page of the window, for those who do not see it and those who do not point at it.
namespace tessera::ui {
namespace {

using test::waitUntil;

study::Study studyOf(const std::string& model) {
    study::Study study = study::newStudy("partition");
    study.models = {model};
    study.hardware = {"accpar-heterogeneous"};
    return study;
}

/// A small exploration, whose points are on the workbench.
study::Study arraysOfElements() {
    return study::readStudy(JsonDocument::parse(R"({"schema": "tessera.exploration/1", "name": "Arrays",
        "study": {"engine": "cost", "workloads": ["zoo:lenet5"]},
        "variables": [{"parameter": "pes", "low": 64, "high": 1024, "scale": "log"},
                      {"parameter": "offchip_bandwidth", "low": 8, "high": 128}],
        "objectives": ["cycles", "energy_j"], "method": "latin-hypercube", "points": 20, "seed": 4})",
                                                "arrays.json")
                                .root());
}

class Reach : public testing::Test {
protected:
    using Look = std::function<void(const std::string& page)>;

    void SetUp() override {
        QSettings().clear();
        window_.resize(1920, 1080);
        window_.show();
        window_.activateWindow();
        ASSERT_TRUE(waitUntil([&] { return window_.history().isOpen() && window_.isActiveWindow(); }));
        window_.showMessage(QStringLiteral("Something to read."));
    }
    void TearDown() override {
        asker() = dialogAsker();
        QSettings().clear();
    }
    static void settle() {
        waitUntil([] { return false; }, 300);
    }
    void run(const std::string& model) {
        emit window_.currentDocument()->runRequested(QString::fromStdString(toText(study::toJson(studyOf(model)))));
        ASSERT_TRUE(waitUntil([&] { return window_.jobs().working() == 0; }, 30'000));
    }

    /// Looks at every picture and every page of details of the run in front.
    void throughTabs(const std::string& page, const Look& look) {
        auto* tabs = window_.currentDocument()->findChild<RunPages*>();
        ASSERT_NE(tabs, nullptr) << page;
        tabs->setOpen(true);
        for (LazyTabs* row : {tabs->pictures(), tabs->details()})
            for (int i = 0; i < row->count(); ++i) {
                if (!row->isTabVisible(i)) continue;
                row->setCurrentIndex(i);
                settle();
                look(page + ", " + row->tab().toStdString());
            }
    }

    /// Looks at the workbench of the page in front: every picture, with the filters.
    void throughWorkbench(const std::string& page, const Look& look) {
        auto* bench = window_.currentDocument()->findChild<Workbench*>();
        ASSERT_NE(bench, nullptr) << page;
        bench->restoreState({{QStringLiteral("filters"), true}});
        const QStringList pictures = bench->pictures();
        ASSERT_GE(pictures.size(), 3) << page;
        for (const QString& picture : pictures) {
            bench->showPicture(picture);
            settle();
            look(page + ", " + picture.toStdString());
        }
    }

    /// Runs of every engine that has pages of its own, as they were kept.
    void throughEngines(const Look& look) {
        std::vector<store::RunId> runs;
        {
            store::Store history = store::Store::open(folder_.filePath("history.db").toStdString());
            for (const study::Result& result :
                 {test::handMadePortfolio(), test::wholeCodesign(), test::wholePrediction(), test::smallPlan(),
                  study::run(arraysOfElements())}) {
                runs.push_back(history.addRun(result.study));
                history.finishRun(runs.back(), result, study::headline(result), {}, {});
            }
        }
        for (const store::RunId run : runs) {
            const QString key = QStringLiteral("run/%1").arg(run);
            auto* document = qobject_cast<RunDocument*>(window_.open(QStringLiteral("run"), key));
            ASSERT_NE(document, nullptr) << run;
            ASSERT_TRUE(waitUntil([&] { return document->findChild<RunPages*>() != nullptr; }, 20'000)) << run;
            const std::string page = document->state().study.engine + std::string(" run");
            throughTabs(page, look);
            if (document->findChild<Workbench*>() != nullptr) throughWorkbench(page, look);
        }
        QStringList all;
        for (const store::RunId run : runs) all << QString::number(run);
        ASSERT_NE(window_.open(QStringLiteral("compare"), all.mid(0, 3).join(QLatin1Char(','))), nullptr);
        settle();
        look("runs of three engines");
    }

    /// Looks at every kind of document there is, and at every tab of details.
    void throughAllPages(const Look& look) {
        settle();
        look("welcome");
        run("zoo:alexnet");
        run("zoo:lenet5");
        throughTabs("run", look);
        auto* model = qobject_cast<ModelDocument*>(window_.open(QStringLiteral("model"), QStringLiteral("zoo:lenet5")));
        ASSERT_NE(model, nullptr);
        ASSERT_TRUE(waitUntil([&] { return model->isLoaded(); }, 20'000));
        auto* parts = model->findChild<QTabWidget*>();
        for (int i = 0; i < parts->count(); ++i) {
            parts->setCurrentIndex(i);
            settle();
            look("model, " + parts->tabText(i).toStdString());
        }
        for (const auto& [kind, key] :
             {std::pair{"hardware", "fleet/accpar-heterogeneous"}, std::pair{"hardware", "accelerator/tpu-v3"},
              std::pair{"study", "new/partition"}, std::pair{"history", ""}, std::pair{"compare", "1,2"},
              std::pair{"points", "1,2"}, std::pair{"guide", ""}, std::pair{"report", "1"},
              std::pair{"validation", ""}}) {
            ASSERT_NE(window_.open(QString::fromLatin1(kind), QString::fromLatin1(key)), nullptr) << kind << key;
            settle();
            look(std::string(kind) + ' ' + key);
            if (auto* history = qobject_cast<HistoryDocument*>(window_.currentDocument())) {
                for (const char* condition : {"since: 7 days", "engine: partition", "gap < 50 %"})
                    EXPECT_EQ(history->filters().add(QLatin1String(condition)), QString());
                settle();
                look("history with chips");
                history->filters().clear();
            }
            if (std::string_view(kind) == "points") throughWorkbench("points of runs", look);
        }
        const auto* validation = qobject_cast<ValidationDocument*>(window_.currentDocument());
        ASSERT_NE(validation, nullptr);
        ASSERT_TRUE(waitUntil([&] { return !validation->isComputing(); }, 60'000));
        auto* its = validation->findChild<RunPages*>();
        its->setOpen(true);
        for (int i = 0; i < its->details()->count(); ++i) {
            its->details()->setCurrentIndex(i);
            settle();
            look("validation, " + its->details()->tab().toStdString());
        }
        throughEngines(look);
        const int job = window_.jobs().enqueue(studyOf("zoo:densenet121"));
        window_.jobs().pause(job);  // at once, so that it is still at work, however quick the machine is
        ASSERT_NE(window_.open(QStringLiteral("run"), QStringLiteral("job/%1").arg(job)), nullptr);
        settle();
        ASSERT_EQ(window_.jobs().working(), 1);
        look("a run at work");
        window_.jobs().cancel(job);
        ASSERT_TRUE(waitUntil([&] { return window_.jobs().working() == 0; }, 20'000));
        look("a cancelled run");
    }

    QTemporaryDir folder_;
    MainWindow window_{
        {.history = folder_.filePath("history.db").toStdString(), .restoreSession = false, .recordHistory = true}};
};

TEST_F(Reach, everyControlHasANameEveryIconAHintAndTheKeyboardReachesAll) {
    throughAllPages([&](const std::string& page) {
        EXPECT_EQ(test::namelessControls(window_).join(QStringLiteral("\n")).toStdString(), "") << page;
        EXPECT_EQ(test::hintlessButtons(window_).join(QStringLiteral("\n")).toStdString(), "") << page;
        window_.currentDocument()->setFocus(Qt::TabFocusReason);
        if (QApplication::focusWidget() == nullptr) window_.actionNamed(QStringLiteral("next-pane"))->trigger();
        ASSERT_NE(QApplication::focusWidget(), nullptr) << page;
        EXPECT_EQ(test::unreachableControls(window_).join(QStringLiteral("\n")).toStdString(), "") << page;
    });
}

TEST_F(Reach, f6GoesThroughThePagesAndThePanes) {
    const auto panes = [&] {
        QStringList seen;
        const QList<QDockWidget*> docks = window_.findChildren<QDockWidget*>();
        for (qsizetype i = 0; i <= docks.size(); ++i) {
            window_.actionNamed(QStringLiteral("next-pane"))->trigger();
            const QWidget* focus = QApplication::focusWidget();
            QString pane = QStringLiteral("page");
            for (const QDockWidget* dock : docks)
                if (dock->isAncestorOf(focus)) pane = dock->objectName();
            if (!seen.contains(pane)) seen.append(pane);
        }
        seen.sort();
        return seen.join(QLatin1Char(' ')).toStdString();
    };
    EXPECT_EQ(panes(), "library page") << "the others are folded at first";
    for (QDockWidget* dock : window_.findChildren<QDockWidget*>()) dock->show();
    EXPECT_EQ(panes(), "inspector library messages page") << "a pane without anything in it is passed over";
    run("zoo:lenet5");
    EXPECT_EQ(panes(), "inspector jobs library messages page");
}

TEST_F(Reach, whatComesUpOverTheWindowHasNamesToo) {
    run("zoo:lenet5");
    run("zoo:lenet5");
    window_.actionNamed(QStringLiteral("palette"))->trigger();
    EXPECT_EQ(test::namelessControls(*window_.findChild<CommandPalette*>()).join(QLatin1Char('\n')).toStdString(), "");
    window_.findChild<CommandPalette*>()->dismiss();
    window_.open(QStringLiteral("compare"), QStringLiteral("1"));
    ASSERT_TRUE(waitUntil([&] { return window_.findChild<RunPicker*>() != nullptr; }));
    window_.actionNamed(QStringLiteral("shortcuts"))->trigger();
    window_.actionNamed(QStringLiteral("about"))->trigger();
    asker().askText(window_, QStringLiteral("Tags"), QStringLiteral("Tags of the run:"), QString(), [](const auto&) {});
    const QList<QDialog*> dialogs = window_.findChildren<QDialog*>();
    ASSERT_EQ(dialogs.size(), 4);
    for (QDialog* dialog : dialogs) {
        EXPECT_EQ(test::namelessControls(*dialog).join(QStringLiteral("\n")).toStdString(), "")
            << dialog->windowTitle().toStdString();
        dialog->reject();
    }
}

}  // namespace
}  // namespace tessera::ui

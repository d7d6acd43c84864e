#include <gtest/gtest.h>

#include <QAction>
#include <QDialog>
#include <QDockWidget>
#include <QSettings>
#include <QTemporaryDir>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/study/study.h"
#include "tests/support/controls.h"
#include "tests/support/pictures.h"
#include "ui/jobs/jobs.h"
#include "ui/views/runs/model_document.h"
#include "ui/views/runs/run_pages.h"
#include "ui/views/runs/validation_document.h"
#include "ui/workspace/command_palette.h"
#include "ui/workspace/history/history.h"
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

    /// Looks at every kind of document there is, and at every tab of details.
    void throughAllPages(const Look& look) {
        settle();
        look("welcome");
        run("zoo:alexnet");
        run("zoo:lenet5");
        auto* tabs = window_.currentDocument()->findChild<RunPages*>();
        ASSERT_NE(tabs, nullptr);
        tabs->setOpen(true);
        for (LazyTabs* row : {tabs->pictures(), tabs->details()})
            for (int i = 0; i < row->count(); ++i) {
                row->setCurrentIndex(i);
                settle();
                look("run, " + row->tab().toStdString());
            }
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
              std::pair{"points", "1,2"}, std::pair{"report", "1"}, std::pair{"validation", ""}}) {
            ASSERT_NE(window_.open(QString::fromLatin1(kind), QString::fromLatin1(key)), nullptr) << kind << key;
            settle();
            look(std::string(kind) + ' ' + key);
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

TEST_F(Reach, everyControlHasANameAndEveryIconAHint) {
    throughAllPages([&](const std::string& page) {
        EXPECT_EQ(test::namelessControls(window_).join(QStringLiteral("\n")).toStdString(), "") << page;
        EXPECT_EQ(test::hintlessButtons(window_).join(QStringLiteral("\n")).toStdString(), "") << page;
    });
}

TEST_F(Reach, everyControlIsReachedByTheKeyboard) {
    throughAllPages([&](const std::string& page) {
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

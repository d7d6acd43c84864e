#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "core/study/study.h"
#include "tests/support/paths.h"
#include "tests/support/pictures.h"
#include "ui/theme/theme.h"
#include "ui/views/document.h"
#include "ui/workspace/command_palette.h"
#include "ui/workspace/history.h"
#include "ui/workspace/jobs.h"
#include "ui/workspace/main_window.h"
#include "ui/workspace/messages_panel.h"
#include "ui/workspace/questions.h"

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
    EXPECT_EQ(tabs(window), (QStringList{"history:", "model:zoo:resnet18", "welcome:"}));
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
    EXPECT_EQ(window.currentDocument()->kind(), "welcome");
    for (QDockWidget* dock : window.findChildren<QDockWidget*>()) dock->hide();
    window.actionNamed("reset-layout")->trigger();
    for (const QDockWidget* dock : window.findChildren<QDockWidget*>()) EXPECT_TRUE(dock->isVisible());
}

TEST_F(Window, aStartThatDidNotSurviveItsSessionBeginsPlainly) {
    QSettings().setValue("session/restoring", true);
    QSettings().setValue("session/documents", R"({"children": [{"tabs": [{"kind": "history", "key": ""}]}]})");
    MainWindow window(options(true));
    EXPECT_EQ(tabs(window), (QStringList{"welcome:"}));
    EXPECT_EQ(messages(window).count(), 1);
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
        study::Study study = study::newStudy("partition");
        study.models = {"zoo:densenet121"};
        study.hardware = {"accpar-heterogeneous"};
        const int job = window.jobs().enqueue(study);
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
    EXPECT_TRUE(window.notices().front().endsWith("Resume · Show")) << window.notices().front().toStdString();
    window.chooseInNotice(0, 0);
    EXPECT_EQ(window.jobs().working(), 1);
    window.jobs().cancel(window.jobs().jobs().front());
    waitUntil([&] { return window.jobs().working() == 0; }, 20000);
}

TEST_F(Window, thePaletteFindsModelsAndActions) {
    MainWindow window(options());
    window.show();
    settle(window);
    window.actionNamed("palette")->trigger();
    auto* palette = window.findChild<CommandPalette*>();
    ASSERT_TRUE(palette->isVisible());
    QTest::keyClicks(palette->field(), "vgg-19 model");
    ASSERT_TRUE(waitUntil([&] { return palette->model()->rowCount() > 0; }));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    EXPECT_EQ(window.currentDocument()->key(), "zoo:vgg19");
}

TEST_F(Window, everyControlHasANameAndEveryIconAHint) {
    MainWindow window(options());
    window.show();
    settle(window);
    for (const auto& [kind, key] :
         {std::pair{"model", "zoo:lenet5"}, std::pair{"history", ""},
          std::pair{"hardware", "fleet/accpar-heterogeneous"}, std::pair{"study", "new/partition"}}) {
        window.open(QString::fromLatin1(kind), QString::fromLatin1(key));
        settle(window);
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->objectName().startsWith("qt_")) continue;
            if (widget->property("picture").toBool()) continue;  // a drawing in a button's shape
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            const bool named = !widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty());
            const bool isControl = button != nullptr || qobject_cast<const QLineEdit*>(widget) != nullptr ||
                                   qobject_cast<const QComboBox*>(widget) != nullptr ||
                                   (qobject_cast<const QAbstractItemView*>(widget) != nullptr &&
                                    qobject_cast<const QAbstractItemView*>(widget->parentWidget()) == nullptr);
            // Parts that Qt makes by itself speak for the whole that they belong to.
            const bool partOfAnother = qobject_cast<const QComboBox*>(widget->parentWidget()) != nullptr ||
                                       qobject_cast<const QLineEdit*>(widget->parentWidget()) != nullptr ||
                                       widget->inherits("QHeaderView") || widget->inherits("QTableCornerButton") ||
                                       widget->parentWidget()->inherits("QAbstractSpinBox");
            if (!isControl || partOfAnother) continue;
            const std::string what = std::string(kind) + ": " + widget->metaObject()->className() + " in " +
                                     widget->parentWidget()->metaObject()->className();
            EXPECT_TRUE(named) << what << " has no name";
            const auto* tool = qobject_cast<const QToolButton*>(widget);
            const bool iconOnly =
                button != nullptr &&
                (button->text().isEmpty() || (tool != nullptr && tool->toolButtonStyle() == Qt::ToolButtonIconOnly));
            if (iconOnly && !widget->inherits("QDockWidgetTitleButton")) {
                EXPECT_FALSE(button->toolTip().isEmpty())
                    << what << " '" << widget->accessibleName().toStdString() << "' has no hint";
            }
        }
    }
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

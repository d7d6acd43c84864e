// A document of the window is a class and a row: it is opened, told apart, kept in the session, and its actions, its
// exports and what it says stand where those of the others do.

#include "ui/views/document.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QJsonObject>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QTemporaryDir>
#include <QUndoStack>

#include "tests/support/shown.h"
#include "tests/support/wait.h"
#include "ui/workspace/document_area.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/inspector_panel.h"
#include "ui/workspace/messages_panel.h"
#include "ui/workspace/window/main_window.h"

namespace tessera::ui {
namespace {

/// A page about nothing but its key, with a place that can be looked at.
class DiaryPage : public Document {
public:
    explicit DiaryPage(const QString& key) : Document(nullptr, key) {
        action_.setText(QStringLiteral("Turn the page"));
        connect(&action_, &QAction::triggered, this, [this] { ++page_; });
    }
    QString kind() const override { return QStringLiteral("diary"); }
    QString title() const override { return QStringLiteral("Diary of ") + key(); }
    QString iconName() const override { return QStringLiteral("note"); }
    QVector<QAction*> documentActions() override { return {&action_}; }
    QVector<Exportable> exportables() override {
        return {{.name = QStringLiteral("diary"), .title = QStringLiteral("All of the diary"), .csv = [this] {
                     return std::to_string(page_);
                 }}};
    }
    Facts overview() const override { return {.title = title(), .subtitle = QStringLiteral("Written by hand")}; }
    bool showPlace(const QString& place) override {
        page_ = place.toInt();
        return true;
    }
    QJsonObject saveView() const override { return {{QStringLiteral("page"), page_}}; }
    void restoreView(const QJsonObject& view) override { page_ = view[QStringLiteral("page")].toInt(); }
    int page() const { return page_; }

private:
    QAction action_;
    int page_ = 1;
};

DocumentKind diaryKind() {
    return {QStringLiteral("diary"),
            [](MainWindow& /*window*/, const QString& key) -> Document* { return new DiaryPage(key); }};
}

class ToyDocument : public testing::Test {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override { QSettings().clear(); }

    MainWindow::Options options(bool session = false) const {
        MainWindow::Options all{.history = folder_.filePath(QStringLiteral("history.db")).toStdString(),
                                .restoreSession = session};
        all.documents.append(diaryKind());
        return all;
    }
    static void settle(MainWindow& window) {
        window.show();
        ASSERT_TRUE(test::waitUntil([&] { return window.history().isOpen(); }));
        test::waitUntil([] { return false; }, 200);
    }
    static DiaryPage* inFront(const MainWindow& window) { return dynamic_cast<DiaryPage*>(window.currentDocument()); }
    /// The texts of a menu of the bar, or of one inside it, as it is when it is opened.
    static QStringList listed(MainWindow& window, const QString& menu) {
        for (auto* each : window.menuBar()->findChildren<QMenu*>()) {
            if (each->title() != menu) continue;
            emit each->aboutToShow();
            QStringList texts;
            for (const QAction* action : each->actions()) texts.append(action->text());
            return texts;
        }
        return {};
    }

    QTemporaryDir folder_;
};

TEST_F(ToyDocument, isOpenedOnceForEachKey) {
    MainWindow window(options());
    settle(window);
    Document* of = window.open(QStringLiteral("diary"), QStringLiteral("Ada"));
    ASSERT_NE(of, nullptr);
    EXPECT_EQ(window.currentDocument(), of);
    EXPECT_EQ(window.windowTitle(), QStringLiteral("Diary of Ada – Tessera"));
    EXPECT_NE(window.open(QStringLiteral("diary"), QStringLiteral("Grace")), of);
    EXPECT_EQ(window.open(QStringLiteral("diary"), QStringLiteral("Ada")), of);
    EXPECT_NE(window.open(QStringLiteral("welcome"), {}), nullptr) << "the window's own kinds are there, too";
    MainWindow plain({.history = {}, .restoreSession = false, .recordHistory = false});
    EXPECT_EQ(plain.open(QStringLiteral("diary"), QStringLiteral("Ada")), nullptr);
}

TEST_F(ToyDocument, hasItsActionsAndExportsInTheMenusAndIsSaidByTheInspector) {
    MainWindow window(options());
    settle(window);
    window.open(QStringLiteral("diary"), QStringLiteral("Ada"));
    EXPECT_EQ(listed(window, QStringLiteral("&Document")), QStringList{QStringLiteral("Turn the page")});
    EXPECT_EQ(listed(window, QStringLiteral("&Export")), QStringList{QStringLiteral("All of the diary")});
    inFront(window)->documentActions().front()->trigger();
    EXPECT_EQ(inFront(window)->page(), 2);
    const auto* inspector = window.findChild<InspectorPanel*>();
    EXPECT_TRUE(
        test::waitUntil([&] { return test::visibleText(*inspector).contains(QStringLiteral("Written by hand")); }));
}

TEST_F(ToyDocument, isWhereItsMessagesLead) {
    MainWindow window(options());
    settle(window);
    Document* diary = window.open(QStringLiteral("diary"), QStringLiteral("Ada"));
    emit diary->messaged(QStringLiteral("A word is missing."), QStringLiteral("7"));
    auto* messages = window.findChild<MessagesPanel*>();
    ASSERT_GE(messages->count(), 1);
    window.open(QStringLiteral("welcome"), {});
    emit messages->activated(diary->kind(), diary->key(), QStringLiteral("7"));
    ASSERT_NE(inFront(window), nullptr);
    EXPECT_EQ(inFront(window)->page(), 7);
}

TEST_F(ToyDocument, isOpenedByOtherDocuments) {
    MainWindow window(options());
    settle(window);
    emit window.currentDocument()->openRequested(QStringLiteral("diary"), QStringLiteral("Ada"));
    EXPECT_NE(inFront(window), nullptr);
}

TEST_F(ToyDocument, comesBackWithTheSessionAsItWasLeft) {
    {
        MainWindow window(options(true));
        settle(window);
        window.open(QStringLiteral("diary"), QStringLiteral("Ada"));
        inFront(window)->showPlace(QStringLiteral("12"));
        window.close();
    }
    MainWindow window(options(true));
    settle(window);
    ASSERT_NE(inFront(window), nullptr);
    EXPECT_EQ(inFront(window)->key(), QStringLiteral("Ada"));
    EXPECT_EQ(inFront(window)->page(), 12);
}

}  // namespace
}  // namespace tessera::ui

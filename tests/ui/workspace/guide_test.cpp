#include "ui/workspace/guide.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDirIterator>
#include <QDockWidget>
#include <QFile>
#include <QListWidget>
#include <QPointer>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTest>
#include <QTextBrowser>
#include <QWindow>

#include "core/study/engine.h"
#include "tests/support/controls.h"
#include "tests/support/paths.h"
#include "tests/support/pictures.h"
#include "tests/ui/workspace/open_window.h"
#include "ui/editors/field.h"
#include "ui/editors/hardware_kind.h"
#include "ui/editors/name_dialog.h"
#include "ui/editors/study_form.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/document.h"
#include "ui/workspace/guide_dialog.h"
#include "ui/workspace/guide_document.h"
#include "ui/workspace/history/column_chooser.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/library_panel.h"
#include "ui/workspace/questions.h"
#include "ui/workspace/window/main_window.h"

namespace tessera::ui {
namespace {

using test::waitUntil;

bool hasHeading(const QString& page, const QString& title) {
    return guideText(page).contains(QStringLiteral("\n## ") + title + QLatin1Char('\n'));
}

TEST(GuidePages, areThoseOfTheContents) {
    const QVector<GuidePage> pages = guidePages();
    EXPECT_GE(pages.size(), 12);
    for (const GuidePage& page : pages) EXPECT_FALSE(guideText(page.id).isEmpty()) << page.id.toStdString();
}

TEST(GuidePages, everythingOfTheWindowHasAPlaceThatIsThere) {
    for (const DocumentKind& kind : documentKinds())
        EXPECT_TRUE(isInGuide(QStringLiteral("document/") + kind.id)) << kind.id.toStdString();
    for (const study::Engine& engine : study::engines())
        EXPECT_TRUE(isInGuide(QStringLiteral("engine/") + toQt(engine.id))) << engine.id;
    for (const QString& subject : guideSubjects()) {
        const GuidePlace place = guidePlaceOf(subject);
        EXPECT_FALSE(guideText(place.page).isEmpty()) << subject.toStdString();
        EXPECT_TRUE(place.section.isEmpty() || hasHeading(place.page, place.section)) << subject.toStdString();
    }
}

TEST(GuidePages, speakOfClassesThatThereAre) {
    QString sources;
    for (QDirIterator each(QString::fromStdString(test::sourcePath("ui").string()), {QStringLiteral("*.h")},
                           QDir::Files, QDirIterator::Subdirectories);
         each.hasNext();) {
        QFile file(each.next());
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        sources += QString::fromUtf8(file.readAll());
    }
    for (const QString& subject : guideSubjects())
        EXPECT_TRUE(subject.contains(QLatin1Char('/')) ||
                    sources.contains(QStringLiteral("class ") + subject + QStringLiteral(" : public")))
            << subject.toStdString();
}

TEST(GuidePages, listEveryFieldOfEveryForm) {
    for (const study::Engine& engine : study::engines()) {
        const QString id = toQt(engine.id);
        const QString text = guideText(guidePlaceOf(QStringLiteral("engine/") + id).page);
        for (const study::Parameter& row : engine.parameters())
            EXPECT_TRUE(text.contains(QStringLiteral("- **%1**").arg(labelOf(row)))) << engine.id << " " << row.name;
    }
    const QString text = guideText(guidePlaceOf(QStringLiteral("document/hardware")).page);
    for (const HardwareKind& kind : hardwareKinds())
        for (const FieldRow& row : kind.fields + kind.moreFields + kind.bound)
            EXPECT_TRUE(text.contains(QStringLiteral("- **%1**").arg(row.label)))
                << kind.id.toStdString() << " " << row.path;
    EXPECT_FALSE(text.contains(QStringLiteral("<!--")));
}

TEST(GuidePages, havePicturesThatTheWindowShows) {
    static const QRegularExpression kPicture(QStringLiteral("!\\[[^\\]]*\\]\\(([^)]+)\\)"));
    int pictures = 0;
    for (const GuidePage& page : guidePages())
        for (auto match = kPicture.globalMatch(guideText(page.id)); match.hasNext(); ++pictures)
            EXPECT_TRUE(QFile::exists(guidePicture(match.next().captured(1)))) << page.id.toStdString();
    EXPECT_GE(pictures, 8);
}

TEST(GuidePages, givePlacesToControlsByTheirParents) {
    QWidget page;
    page.setObjectName(QStringLiteral("jobs"));
    QWidget child(&page);
    EXPECT_EQ(guidePlaceOf(&child).section, QStringLiteral("While a run works"));
    QWidget stray;
    EXPECT_EQ(guidePlaceOf(&stray).page, kGuideContents);
    EXPECT_EQ(guidePlaceOf(static_cast<const QWidget*>(nullptr)).page, kGuideContents);
}

class GuideWindow : public test::OpenWindow {
protected:
    void SetUp() override {
        OpenWindow::SetUp();
        window_.activateWindow();
        ASSERT_TRUE(waitUntil([&] { return window_.isActiveWindow(); }));
    }
    void TearDown() override {
        theme().apply(ThemeMode::light);
        OpenWindow::TearDown();
    }
    /// Presses F1 where the focus is.
    GuideDocument* askedFor() {
        QTest::keyClick(QApplication::focusWidget() == nullptr ? &window_ : QApplication::focusWidget(), Qt::Key_F1);
        auto* guide = qobject_cast<GuideDocument*>(window_.currentDocument());
        EXPECT_NE(guide, nullptr);
        return guide;
    }
};

TEST_F(GuideWindow, f1OpensThePageOfEveryDocument) {
    const std::vector<std::pair<const char*, const char*>> documents{
        {"welcome", ""}, {"model", "zoo:lenet5"}, {"hardware", "fleet/accpar-heterogeneous"}, {"history", ""}};
    for (const auto& [kind, key] : documents) {
        Document* document = window_.open(QString::fromLatin1(kind), QString::fromLatin1(key));
        ASSERT_NE(document, nullptr) << kind;
        document->setFocus(Qt::TabFocusReason);
        const GuideDocument* guide = askedFor();
        ASSERT_NE(guide, nullptr) << kind;
        EXPECT_EQ(guide->place().page, guidePlaceOf(QStringLiteral("document/") + QLatin1String(kind)).page) << kind;
    }
    EXPECT_EQ(window_.findChildren<GuideDocument*>().size(), 1);
}

TEST_F(GuideWindow, hasAPageForEveryControl) {
    for (const char* kind : {"welcome", "history", "validation"}) {
        ASSERT_NE(window_.open(QLatin1String(kind), {}), nullptr);
        int controls = 0;
        for (const QWidget* widget : window_.findChildren<QWidget*>()) {
            if (!widget->isVisible() || (widget->focusPolicy() & Qt::TabFocus) == 0) continue;
            ++controls;
            EXPECT_NE(guidePlaceOf(widget).page, kGuideContents) << test::nameOf(*widget).toStdString();
        }
        EXPECT_GT(controls, 10);
    }
}

TEST_F(GuideWindow, f1OnAFieldOpensItsEntry) {
    for (const study::Engine& engine : study::engines()) {
        const QString id = toQt(engine.id);
        Document* document = window_.open(QStringLiteral("study"), QStringLiteral("new/") + id);
        ASSERT_NE(document, nullptr) << engine.id;
        Field* shown = nullptr;
        ASSERT_TRUE(waitUntil([&] {
            for (Field* field : document->findChildren<Field*>())
                if (field->isVisible() && field->control()->isEnabled() &&
                    guideText(guidePlaceOf(field->control()).page)
                        .contains(guidePlaceOf(field->control()).field + QStringLiteral("**")))
                    shown = shown == nullptr ? field : shown;
            return shown != nullptr;
        })) << engine.id;
        const QString label = guidePlaceOf(shown->control()).field;
        shown->control()->setFocus();
        const GuideDocument* guide = askedFor();
        ASSERT_NE(guide, nullptr) << engine.id;
        EXPECT_EQ(guide->place().page, guidePlaceOf(QStringLiteral("engine/") + id).page) << engine.id;
        EXPECT_FALSE(guide->marked().isEmpty()) << engine.id << " " << label.toStdString();
        EXPECT_TRUE(label.startsWith(guide->marked().section(QRegularExpression(QStringLiteral("( \\(--|:)")), 0, 0)))
            << engine.id << " " << label.toStdString() << " / " << guide->marked().toStdString();
    }
}

TEST_F(GuideWindow, f1InAPaneOpensItsSection) {
    auto* library = window_.findChild<LibraryPanel*>();
    ASSERT_NE(library, nullptr);
    window_.actionNamed(QStringLiteral("filter-library"))->trigger();
    const GuideDocument* guide = askedFor();
    ASSERT_NE(guide, nullptr);
    EXPECT_EQ(guide->place().page, QStringLiteral("start"));
    EXPECT_EQ(guide->marked(), QStringLiteral("In the window"));
}

/// Presses F1 in the modal dialog in front.
GuideDialog* askedForIn(QWidget& dialog) {
    EXPECT_TRUE(waitUntil([&] { return dialog.isActiveWindow(); }));
    QWidget* focus = QApplication::focusWidget();
    QTest::keyClick(focus == nullptr ? &dialog : focus, Qt::Key_F1);
    return dialog.findChild<GuideDialog*>(QString(), Qt::FindDirectChildrenOnly);
}

TEST_F(GuideWindow, f1OpensAGuideBesideAModalDialog) {
    window_.actionNamed(QStringLiteral("about"))->trigger();
    const QPointer<QWidget> dialog = QApplication::activeModalWidget();
    ASSERT_NE(dialog, nullptr);
    const QPointer<GuideDialog> beside = askedForIn(*dialog);
    ASSERT_NE(beside, nullptr);
    EXPECT_TRUE(beside->isVisible());
    EXPECT_EQ(beside->guide().place().page, QStringLiteral("start"));
    EXPECT_EQ(beside->guide().marked(), QStringLiteral("When the window asks"));
    EXPECT_EQ(window_.findChildren<GuideDocument*>().size(), 1) << "and no tab behind the dialog";

    // It can be used while the dialog waits: by what the display sends.
    auto* contents = beside->findChild<QListWidget*>();
    const auto plans = contents->findItems(QStringLiteral("Plan the training of a large model"), Qt::MatchExactly);
    ASSERT_EQ(plans.size(), 1);
    contents->scrollToItem(plans.front());
    ASSERT_TRUE(waitUntil([&] { return beside->windowHandle()->isExposed(); }));
    QTest::mouseClick(beside->windowHandle(), Qt::LeftButton, {},
                      contents->viewport()->mapTo(beside.data(), contents->visualItemRect(plans.front()).center()));
    EXPECT_TRUE(waitUntil([&] { return beside->guide().place().page == QStringLiteral("plan"); }));
    test::savePicture(*beside, QStringLiteral("guide-beside-dialog"));

    dialog->activateWindow();
    EXPECT_EQ(askedForIn(*dialog), beside) << "one of it";
    EXPECT_EQ(beside->guide().place().page, QStringLiteral("start"));
    dialog->close();
    EXPECT_TRUE(waitUntil([&] { return beside == nullptr; })) << "closes with the dialog";
}

TEST_F(GuideWindow, f1InEveryDialogOpensAPageAboutIt) {
    const auto check = [&](const char* what, const char* page, const char* section) {
        QWidget* dialog = QApplication::activeModalWidget();
        ASSERT_NE(dialog, nullptr) << what;
        const GuideDialog* beside = askedForIn(*dialog);
        ASSERT_NE(beside, nullptr) << what;
        EXPECT_EQ(beside->guide().place().page, QLatin1String(page)) << what;
        EXPECT_EQ(beside->guide().marked(), QLatin1String(section)) << what;
        dialog->close();
        EXPECT_TRUE(waitUntil([] { return QApplication::activeModalWidget() == nullptr; })) << what;
    };
    window_.actionNamed(QStringLiteral("open"))->trigger();
    check("a file", "start", "When the window asks");
    window_.actionNamed(QStringLiteral("equivalents"))->trigger();
    check("commands", "start", "On the command line");
    window_.actionNamed(QStringLiteral("shortcuts"))->trigger();
    check("shortcuts", "start", "When the window asks");

    Document* history = window_.open(QStringLiteral("history"), {});
    asker().askText(*history, QStringLiteral("Add tags"), QStringLiteral("Tags"), {}, [](const QString&) {});
    check("a text that a page asks for", "history", "");
    (new ColumnChooser({}, &window_))->open();
    check("columns", "history", "Find a run");
    NameDialog name(QStringLiteral("Save"), QStringLiteral("mine"), {}, window_.currentDocument());
    name.open();
    check("a name", "start", "When the window asks");
}

TEST_F(GuideWindow, goesBackAndForwardAndFollowsLinks) {
    auto* guide = qobject_cast<GuideDocument*>(window_.open(QStringLiteral("guide"), {}));
    ASSERT_NE(guide, nullptr);
    auto* browser = guide->findChild<QTextBrowser*>();
    emit browser->anchorClicked(QUrl(QStringLiteral("plan.md")));
    EXPECT_EQ(guide->place().page, QStringLiteral("plan"));
    const QString plan = browser->toPlainText();
    EXPECT_TRUE(plan.contains(QStringLiteral(" s/step (")));
    const auto button = [&](const char* name) {
        for (auto* each : guide->findChildren<QAbstractButton*>())
            if (each->accessibleName().startsWith(QLatin1String(name))) return each;
        return static_cast<QAbstractButton*>(nullptr);
    };
    button("Back")->click();
    EXPECT_EQ(guide->place().page, kGuideContents);
    button("Forward")->click();
    EXPECT_EQ(browser->toPlainText(), plan);
    const QJsonObject view = guide->saveView();
    guide->go({QStringLiteral("map")});
    guide->restoreView(view);
    EXPECT_EQ(guide->place().page, QStringLiteral("plan"));
    guide->go({QStringLiteral("no-such-page")});
    EXPECT_EQ(guide->place().page, kGuideContents);
}

TEST_F(GuideWindow, isReadableAtEverySizeInBothThemes) {
    auto* guide = qobject_cast<GuideDocument*>(window_.open(QStringLiteral("guide"), {}));
    ASSERT_NE(guide, nullptr);
    for (const auto& [size, mode] :
         {std::pair(QSize(1280, 800), ThemeMode::light), std::pair(QSize(1440, 900), ThemeMode::dark),
          std::pair(QSize(1920, 1080), ThemeMode::light)}) {
        theme().apply(mode);
        window_.resize(size);
        for (const char* page : {"README", "plan"}) {
            guide->go({QLatin1String(page)});
            waitUntil([] { return false; }, 150);
            auto* browser = guide->findChild<QTextBrowser*>();
            EXPECT_EQ(browser->horizontalScrollBar()->maximum(), 0) << "text that is cut off at the side";
            const QImage picture =
                test::savePicture(window_, QStringLiteral("guide-%1-%2").arg(QLatin1String(page)).arg(size.width()));
            EXPECT_GT(test::coloursIn(picture), 50);
        }
    }
}

}  // namespace
}  // namespace tessera::ui

#include <gtest/gtest.h>

#include <QMouseEvent>
#include <QSignalSpy>
#include <QTest>
#include <nlohmann/json.hpp>

#include "tests/support/gestures.h"
#include "tests/support/pictures.h"
#include "tests/support/work.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/gantt_view.h"

namespace tessera::ui {
namespace {

Timeline timelineOf(int tracks, int events) {
    Timeline timeline;
    timeline.title = "One step of accpar";
    for (int t = 0; t < tracks; ++t) {
        timeline.tracks.push_back({t % 2 == 0 ? "compute" : "transfers", t / 2 % 2 == 0 ? "v2 (128)" : "v3 (128)"});
        for (int i = 0; i < events; ++i)
            timeline.events.push_back({.track = t,
                                       .start = i * 0.001 + t * 0.0001,
                                       .duration = i % 3 == 0 ? 0.0009 : 0.0004,
                                       .name = "layer" + std::to_string(i),
                                       .category = t % 2 == 0   ? "compute"
                                                   : i % 2 == 0 ? "intra"
                                                                : "inter",
                                       .details = {{"level", "0"}}});
    }
    timeline.length = events * 0.001 + 0.001;
    return timeline;
}

class Gantt : public testing::Test {
protected:
    void SetUp() override { view.resize(900, 260); }
    GanttView view;
};

TEST_F(Gantt, paintsEventsInTheirColours) {
    view.setTimeline(timelineOf(4, 12));
    view.setSelected(3);
    const QImage picture = test::savePicture(view, QStringLiteral("gantt"));
    int blue = 0;
    for (int y = 0; y < picture.height(); y += 2)
        for (int x = 0; x < picture.width(); x += 2)
            if (picture.pixelColor(x, y) == QColor("#2F6FDE")) ++blue;
    EXPECT_GT(blue, 300);
}

TEST_F(Gantt, keyboardWalksEventsAndLanes) {
    view.setTimeline(timelineOf(4, 12));
    QSignalSpy selected(&view, &GanttView::eventSelected);
    QTest::keyClick(&view, Qt::Key_Right);
    QTest::keyClick(&view, Qt::Key_Right);
    EXPECT_EQ(selected.last().first().toInt(), 1);
    QTest::keyClick(&view, Qt::Key_Down);
    EXPECT_EQ(selected.last().first().toInt(), 13);
    EXPECT_TRUE(view.accessibleDescription().startsWith(QStringLiteral("layer1, transfers")));
}

TEST_F(Gantt, zoomTellsAndFollowsTheVisibleRange) {
    view.setTimeline(timelineOf(4, 12));
    QSignalSpy changed(&view, &GanttView::visibleRangeChanged);
    QTest::keyClick(&view, Qt::Key_Plus);
    ASSERT_EQ(changed.size(), 1);
    EXPECT_NEAR(changed[0][1].toDouble() - changed[0][0].toDouble(), 0.013 * 0.8, 1e-9);
    view.showRange(0.002, 0.004);
    EXPECT_EQ(changed.size(), 1) << "a view that follows does not lead";
    QTest::keyClick(&view, Qt::Key_Home);
    EXPECT_EQ(changed.last().first().toDouble(), 0);
    EXPECT_NEAR(changed.last().last().toDouble(), 0.013, 1e-12);
}

void drag(QWidget& widget, QPointF from, QPointF to, Qt::KeyboardModifiers keys) {
    QTest::mousePress(&widget, Qt::LeftButton, keys, from.toPoint());
    for (const QPointF at : {(from + to) / 2, to}) {
        QMouseEvent move(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, keys);
        QCoreApplication::sendEvent(&widget, &move);
    }
    QTest::mouseRelease(&widget, Qt::LeftButton, keys, to.toPoint());
}

TEST_F(Gantt, wheelRubberBandAndDragMoveTheRange) {
    view.setTimeline(timelineOf(4, 12));
    QSignalSpy changed(&view, &GanttView::visibleRangeChanged);
    const auto size = [&] { return changed.last()[1].toDouble() - changed.last()[0].toDouble(); };
    test::wheel(view, {450, 120}, 1);
    ASSERT_EQ(changed.size(), 1);
    EXPECT_NEAR(size(), 0.013 * 0.8, 1e-9);
    const double before = size();
    drag(view, {300, 120}, {600, 120}, Qt::ShiftModifier);
    ASSERT_GE(changed.size(), 2);
    EXPECT_LT(size(), before / 2) << "the rubber band";
    const double from = changed.last()[0].toDouble();
    const double banded = size();
    drag(view, {300, 120}, {500, 120}, Qt::NoModifier);
    EXPECT_LT(changed.last()[0].toDouble(), from) << "dragging to the right shows what is before";
    EXPECT_NEAR(size(), banded, 1e-12);
    QTest::keyClick(&view, Qt::Key_Home);
    EXPECT_EQ(changed.last()[0].toDouble(), 0);
    EXPECT_NEAR(size(), 0.013, 1e-12);
}

TEST_F(Gantt, linkedViewsFollowEachOtherOnce) {
    GanttView other;
    other.resize(700, 200);
    view.setTimeline(timelineOf(4, 12));
    other.setTimeline(timelineOf(2, 12));
    QObject::connect(&view, &GanttView::visibleRangeChanged, &other, &GanttView::showRange);
    QObject::connect(&other, &GanttView::visibleRangeChanged, &view, &GanttView::showRange);
    QSignalSpy led(&view, &GanttView::visibleRangeChanged);
    QSignalSpy followed(&other, &GanttView::visibleRangeChanged);
    QTest::keyClick(&view, Qt::Key_Plus);
    EXPECT_EQ(led.size(), 1);
    EXPECT_EQ(followed.size(), 0);
    // The other one goes on from where the first one led.
    QTest::keyClick(&other, Qt::Key_Plus);
    ASSERT_EQ(followed.size(), 1);
    EXPECT_NEAR(followed[0][1].toDouble() - followed[0][0].toDouble(), 0.013 * 0.64, 1e-9);
    EXPECT_EQ(led.size(), 1);
}

TEST_F(Gantt, theContextMenuExportsAndResets) {
    view.setTimeline(timelineOf(4, 12));
    QTest::keyClick(&view, Qt::Key_Plus);
    QMenu* menu = test::contextMenu(view, {300, 100});
    ASSERT_NE(menu, nullptr);
    const QStringList texts = test::textsOf(*menu);
    for (const char* wanted :
         {"Show everything", "Copy as image", "PNG/2× size…", "SVG…", "PDF…", "CSV…", "Chrome trace…"})
        EXPECT_TRUE(texts.contains(QString::fromUtf8(wanted))) << wanted;
    QSignalSpy changed(&view, &GanttView::visibleRangeChanged);
    test::actionNamed(*menu, QStringLiteral("Show everything"))->trigger();
    EXPECT_EQ(changed.size(), 1);
    delete menu;
}

TEST_F(Gantt, hoverShowsACardWithTheEvent) {
    view.setTimeline(timelineOf(4, 12));
    const QImage before = test::pictureOf(view);
    // Sent by hand: the platform moves no mouse over a view that is not shown.
    const QPointF place(300, 80);
    QMouseEvent move(QEvent::MouseMove, place, view.mapToGlobal(place), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&view, &move);
    EXPECT_NE(test::pictureOf(view), before);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&view, &leave);
    EXPECT_EQ(test::pictureOf(view), before);
}

TEST_F(Gantt, aHundredThousandEventsStayQuick) {
    view.setTimeline(timelineOf(10, 10000));
    test::savePicture(view, QStringLiteral("gantt-many"));
    const double before = test::workMilliseconds();
    for (int i = 0; i < 10; ++i) {
        QTest::keyClick(&view, Qt::Key_Plus);
        test::pictureOf(view);
    }
    EXPECT_LT(test::workMilliseconds() - before, 1000 * test::kSlowerBuild);
}

TEST_F(Gantt, exportsATrace) {
    view.setTimeline(timelineOf(2, 3));
    const Exportable what = view.exportable();
    EXPECT_NE(what.json().find("\"process_name\""), std::string::npos);
    EXPECT_NE(what.csv().find("start (s)"), std::string::npos);
}

TEST_F(Gantt, emptyAndDark) {
    theme().apply(ThemeMode::dark);
    view.setTimeline(timelineOf(4, 12));
    test::savePicture(view, QStringLiteral("gantt-dark"));
    view.setTimeline({});
    QTest::keyClick(&view, Qt::Key_Right);
    EXPECT_GT(test::coloursIn(test::savePicture(view, QStringLiteral("gantt-empty"))), 1);
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui

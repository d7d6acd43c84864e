#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/pictures.h"
#include "ui/theme/theme.h"
#include "ui/views/gantt_view.h"

namespace tessera::ui {
namespace {

study::Timeline timelineOf(int tracks, int events) {
    study::Timeline timeline;
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

TEST_F(Gantt, aHundredThousandEventsStayQuick) {
    view.setTimeline(timelineOf(10, 10000));
    test::savePicture(view, QStringLiteral("gantt-many"));
    QElapsedTimer clock;
    clock.start();
    for (int i = 0; i < 10; ++i) {
        QTest::keyClick(&view, Qt::Key_Plus);
        test::pictureOf(view);
    }
    EXPECT_LT(clock.elapsed(), 3000);
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

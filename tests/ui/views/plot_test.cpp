#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/draw/chart_layout.h"
#include "core/report/partition_pictures.h"
#include "core/study/partition/outcome.h"
#include "tests/support/gestures.h"
#include "tests/support/partition_result.h"
#include "tests/support/pictures.h"
#include "tests/support/work.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/convergence_view.h"
#include "ui/views/plot/drawing_painter.h"
#include "ui/views/plot/plot_widget.h"

namespace tessera::ui {
namespace {

using report::Mark;

report::Series waves(const std::string& name, std::size_t points, double phase, Mark mark = Mark::line) {
    report::Series series{.id = name, .name = name, .mark = mark};
    for (std::size_t i = 0; i < points; ++i) {
        series.x.push_back(static_cast<double>(i));
        series.y.push_back(0.04 + 0.01 * std::sin(static_cast<double>(i) * 20 / static_cast<double>(points) + phase));
    }
    return series;
}

report::Chart curves(std::size_t points) {
    report::Chart chart{.id = "curves", .title = "Best step time so far"};
    chart.x = {.title = "Samples"};
    chart.y = {.title = "Step time", .measure = Measure::seconds};
    chart.series = {waves("accpar", points, 0), waves("hypar with quite a long name that is cut", points, 0.1)};
    chart.series[0].colour = "#2F6FDE";
    chart.series[1].colour = "#E08A1E";
    chart.series[1].dashed = true;
    chart.series.push_back({.id = "bound", .name = "proven bound", .mark = Mark::bound, .y = {0.025}});
    return chart;
}

report::Chart cloud(std::size_t points) {
    report::Chart chart{.id = "cloud", .title = "Explored designs"};
    chart.x = {.title = "Area", .measure = Measure::area};
    chart.y = {.title = "Throughput"};
    report::Series dots{.id = "designs", .name = "designs", .mark = Mark::points, .colour = "#7A5AC8", .dimmed = true};
    unsigned state = 1;
    const auto next = [&] { return static_cast<double>((state = state * 1664525U + 1013904223U) >> 8U) / 16777216.0; };
    for (std::size_t i = 0; i < points; ++i) {
        const double area = 100 + 400 * next();
        dots.x.push_back(area);
        dots.y.push_back(std::sqrt(area) * (0.3 + 0.7 * next()));
    }
    chart.series = {std::move(dots)};
    return chart;
}

QPointF middleOf(const QWidget& widget) {
    return QRectF(widget.rect()).center();
}

class Plot : public testing::Test {
protected:
    void SetUp() override { plot.resize(800, 400); }
    PlotWidget plot;
};

TEST_F(Plot, showsCurvesInTheirColours) {
    plot.setChart(curves(500));
    plot.setLive(QStringLiteral("live, better 2 s ago"));
    const QImage picture = test::savePicture(plot, QStringLiteral("plot-curves"));
    int blue = 0;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 0; x < picture.width(); ++x)
            if (picture.pixelColor(x, y) == QColor("#2F6FDE")) ++blue;
    EXPECT_GT(blue, 500);
    EXPECT_EQ(plot.accessibleName(), QStringLiteral("Best step time so far"));
}

TEST_F(Plot, saysWhatToDoWhereThereIsNothing) {
    report::Chart chart{.id = "none", .title = "Step time", .empty = "Run the study to see its curve."};
    chart.series = {{.id = "a", .name = "a", .x = {0}, .y = {std::numeric_limits<double>::quiet_NaN()}}};
    plot.setChart(chart);
    EXPECT_GT(test::coloursIn(test::savePicture(plot, QStringLiteral("plot-empty"))), 2);
}

TEST_F(Plot, wheelZoomsAtTheCursorAndHomeResets) {
    plot.setChart(curves(500));
    const QImage whole = test::pictureOf(plot);
    test::wheel(plot, middleOf(plot), 3);
    EXPECT_NE(test::pictureOf(plot), whole);
    QTest::keyClick(&plot, Qt::Key_Home);
    EXPECT_EQ(test::pictureOf(plot), whole);
}

TEST_F(Plot, keepsTheZoomWhileTheChartsIdStays) {
    plot.setChart(curves(500));
    const QImage whole = test::pictureOf(plot);
    test::wheel(plot, middleOf(plot), 3);
    const QImage zoomed = test::pictureOf(plot);
    plot.setChart(curves(500));
    EXPECT_EQ(test::pictureOf(plot), zoomed);
    report::Chart other = curves(500);
    other.id = "other";
    plot.setChart(other);
    EXPECT_EQ(test::pictureOf(plot), whole);
}

TEST_F(Plot, rubberBandZooms) {
    plot.setChart(curves(500));
    const QImage whole = test::pictureOf(plot);
    QTest::mousePress(&plot, Qt::LeftButton, {}, {200, 120});
    QTest::mouseMove(&plot, {300, 200});
    QMouseEvent move(QEvent::MouseMove, QPointF(420, 260), plot.mapToGlobal(QPointF(420, 260)), Qt::NoButton,
                     Qt::LeftButton, {});
    QCoreApplication::sendEvent(&plot, &move);
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, {420, 260});
    EXPECT_NE(test::pictureOf(plot), whole);
    QTest::keyClick(&plot, Qt::Key_Home);
    EXPECT_EQ(test::pictureOf(plot), whole);
}

TEST_F(Plot, arrowsWalkPointsAndEnterChooses) {
    plot.setChart(curves(20));
    QSignalSpy hovered(&plot, &PlotWidget::pointHovered);
    QSignalSpy clicked(&plot, &PlotWidget::pointClicked);
    for (int i = 0; i < 3; ++i) QTest::keyClick(&plot, Qt::Key_Right);
    ASSERT_FALSE(hovered.isEmpty());
    EXPECT_EQ(hovered.last(), (QVariantList{0, 2}));
    QTest::keyClick(&plot, Qt::Key_Down);
    EXPECT_EQ(hovered.last(), (QVariantList{1, 2}));
    QTest::keyClick(&plot, Qt::Key_Return);
    EXPECT_EQ(clicked.last(), (QVariantList{1, 2}));
    EXPECT_TRUE(plot.accessibleDescription().contains(QStringLiteral("Step time: ")))
        << qPrintable(plot.accessibleDescription());
    test::savePicture(plot, QStringLiteral("plot-crosshair"));
}

TEST_F(Plot, barsAreFoundUnderTheMouse) {
    const study::Result result = test::handMadeResult();
    plot.resize(800, 200);
    plot.setChart(report::speedupChart(result.outcome.get<study::PartitionOutcome>()));
    plot.setSelected(1, 0);
    test::savePicture(plot, QStringLiteral("plot-speedup"));
    QSignalSpy clicked(&plot, &PlotWidget::pointClicked);
    for (int y = 30; y < 180 && clicked.isEmpty(); y += 4) QTest::mouseClick(&plot, Qt::LeftButton, {}, {120, y});
    ASSERT_FALSE(clicked.isEmpty());
    EXPECT_EQ(clicked.first(), (QVariantList{0, 0}));
}

TEST_F(Plot, exportsTheSamePicture) {
    plot.setChart(curves(20));
    const Exportable what = plot.exportable();
    EXPECT_EQ(what.name, QStringLiteral("curves"));
    EXPECT_NE(what.svg(report::Theme(report::ThemeKind::light)).find("Best step time so far"), std::string::npos);
    EXPECT_NE(what.csv().find("Step time (s)"), std::string::npos);
}

TEST_F(Plot, darkThemeIsReadable) {
    theme().apply(ThemeMode::dark);
    plot.setChart(curves(500));
    test::savePicture(plot, QStringLiteral("plot-curves-dark"));
    plot.setChart(cloud(20000));
    EXPECT_GT(test::coloursIn(test::savePicture(plot, QStringLiteral("plot-cloud-dark"))), 4);
    theme().apply(ThemeMode::light);
}

TEST_F(Plot, strangeValuesDoNoHarm) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const bool logarithmic : {false, true})
        for (const Mark mark :
             {Mark::line, Mark::steps, Mark::points, Mark::bars, Mark::stackedBars, Mark::bound, Mark::band}) {
            report::Chart chart{.id = "strange", .title = std::string(5000, 'x') + "\n\xFF"};
            chart.x = {.logarithmic = logarithmic};
            chart.y = {.logarithmic = logarithmic};
            chart.series = {{.id = "a",
                             .name = std::string(900, 'n'),
                             .mark = mark,
                             .colour = "#2F6FDE",
                             .x = {0, 1, 2, 3, 4, 5, 1e300},
                             .y = {0, -1e300, infinity, std::nan(""), 1e300, 1e-300, 1}}};
            plot.setChart(chart);
            for (const QSize size : {QSize(1, 1), QSize(60, 30), QSize(800, 400)}) {
                plot.resize(size);
                const QImage picture = test::pictureOf(plot);
                EXPECT_EQ(picture.size(), size);
                if (size.width() >= 800) {
                    EXPECT_GT(test::coloursIn(picture), 3) << "axes and letters at least";
                }
            }
            test::wheel(plot, middleOf(plot), 200);
            EXPECT_GT(test::coloursIn(test::pictureOf(plot)), 1);
        }
}

int pixelsOf(const QImage& image, const QColor& colour) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            if (image.pixelColor(x, y) == colour) ++count;
    return count;
}

/// Where the plot puts things, all in sight but hidden series.
report::ChartLayout layoutOf(const PlotWidget& plot, const std::vector<bool>& hidden = {}) {
    return report::layOut(plot.chart(), {.x = {}, .y = {}, .hidden = hidden, .allKeys = true},
                          {plot.width() - 2.0, plot.height() - 2.0}, pictureWidth());
}

/// The middle of the key of the first series.
QPoint firstKeyOf(const report::ChartLayout& layout) {
    const auto key = std::find_if(layout.keys.begin(), layout.keys.end(),
                                  [](const report::ChartLayout::Key& each) { return each.series == 0; });
    return key == layout.keys.end() ? QPoint() : toRect(key->area).center().toPoint();
}

/// Moves the mouse over a widget that need not be on a screen.
void hover(QWidget& widget, QPointF at) {
    QMouseEvent event(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, Qt::NoButton, {});
    QCoreApplication::sendEvent(&widget, &event);
}

TEST_F(Plot, aClickOnAKeyHidesItsSeriesAndShowsItAgain) {
    plot.setChart(curves(500));
    const QImage whole = test::pictureOf(plot);
    ASSERT_FALSE(firstKeyOf(layoutOf(plot)).isNull());
    QTest::mouseClick(&plot, Qt::LeftButton, {}, firstKeyOf(layoutOf(plot)));
    const QImage hidden = test::pictureOf(plot);
    EXPECT_LT(pixelsOf(hidden, QColor("#2F6FDE")), pixelsOf(whole, QColor("#2F6FDE")) / 10);
    const QPoint again = firstKeyOf(layoutOf(plot, {true, false, false}));
    ASSERT_FALSE(again.isNull());
    QTest::mouseClick(&plot, Qt::LeftButton, {}, again);
    EXPECT_EQ(pixelsOf(test::pictureOf(plot), QColor("#2F6FDE")), pixelsOf(whole, QColor("#2F6FDE")));
}

TEST_F(Plot, theMouseFindsThePointAndItsValues) {
    plot.setChart(curves(20));
    const report::ChartLayout layout = layoutOf(plot);
    QSignalSpy hovered(&plot, &PlotWidget::pointHovered);
    const report::Series& series = plot.chart().series[0];
    const QPoint at(static_cast<int>(layout.x.pixel(series.x[7])), static_cast<int>(layout.y.pixel(series.y[7])));
    const QImage before = test::pictureOf(plot);
    hover(plot, at);
    ASSERT_FALSE(hovered.isEmpty());
    EXPECT_EQ(hovered.last(), (QVariantList{0, 7}));
    EXPECT_TRUE(plot.accessibleDescription().contains(QStringLiteral("Samples: 7")));
    const QImage crosshair = test::pictureOf(plot);
    EXPECT_NE(crosshair, before);
    const auto right = static_cast<int>(layout.plot.right()) - 3;
    const QRect end(right - 24, at.y() - 2, 24, 5);
    EXPECT_NE(crosshair.copy(end), before.copy(end)) << "the line of the crosshair runs through the plot";
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&plot, &leave);
    EXPECT_EQ(hovered.last(), (QVariantList{-1, -1}));
    EXPECT_EQ(test::pictureOf(plot), before);
}

TEST_F(Plot, theContextMenuExplainsResetsAndExports) {
    plot.setChart(curves(20));
    QTest::keyClick(&plot, Qt::Key_Right);
    QMenu* menu = test::contextMenu(plot, {300, 200});
    ASSERT_NE(menu, nullptr);
    EXPECT_FALSE(test::textsOf(*menu).contains(QStringLiteral("Explain this number"))) << "nobody could answer";
    EXPECT_FALSE(test::actionNamed(*menu, QStringLiteral("Show everything"))->isEnabled());
    QSignalSpy explained(&plot, &PlotWidget::explainRequested);
    test::wheel(plot, middleOf(plot), 2);
    menu = test::contextMenu(plot, {300, 200});
    ASSERT_NE(menu, nullptr);
    const QStringList texts = test::textsOf(*menu);
    for (const char* wanted : {"Explain this number", "Show everything", "Copy as image", "PNG/1× size…",
                               "PNG/4× size…", "SVG…", "PDF…", "CSV…"})
        EXPECT_TRUE(texts.contains(QString::fromUtf8(wanted))) << wanted;
    test::actionNamed(*menu, QStringLiteral("Explain this number"))->trigger();
    ASSERT_EQ(explained.size(), 1);
    EXPECT_EQ(explained[0], (QVariantList{0, 0}));
    test::actionNamed(*menu, QStringLiteral("Show everything"))->trigger();
    menu = test::contextMenu(plot, {300, 200});
    EXPECT_FALSE(test::actionNamed(*menu, QStringLiteral("Show everything"))->isEnabled());
    delete menu;
}

/// Counts how often a widget is painted.
class Paintings : public QObject {
public:
    explicit Paintings(QWidget& widget) { widget.installEventFilter(this); }
    bool eventFilter(QObject* /*watched*/, QEvent* event) override {
        if (event->type() == QEvent::Paint) ++count;
        return false;
    }
    int count = 0;
};

TEST_F(Plot, drawsAtMostTwentyTimesASecondWhateverTheRate) {
    plot.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&plot));
    QTest::qWait(60);
    Paintings paintings(plot);
    QElapsedTimer clock;
    clock.start();
    report::Chart chart = curves(50);
    int changes = 0;
    while (clock.elapsed() < 500 || changes < 200) {
        chart.series[0].y[0] = 0.04 + 0.001 * (++changes % 7);
        plot.setChart(chart);
        QCoreApplication::processEvents();
    }
    const auto frames = static_cast<int>(clock.elapsed() / 50);
    EXPECT_LE(paintings.count, frames + 2);
    EXPECT_LT(paintings.count, changes);
    EXPECT_GE(paintings.count, 1);
    // The newest chart is the one that stays.
    chart.title = "The last one";
    plot.setChart(chart);
    EXPECT_TRUE(test::waitUntil([&] { return plot.accessibleName() == QStringLiteral("The last one"); }));
    const int before = paintings.count;
    EXPECT_TRUE(test::waitUntil([&] { return paintings.count > before; }, 1000));
}

TEST_F(Plot, anotherKindOfAxisIsSeenWhole) {
    report::Chart chart = curves(500);
    plot.setChart(chart);
    test::wheel(plot, middleOf(plot), 3);
    chart.y.logarithmic = true;
    plot.setChart(chart);
    QMenu* menu = test::contextMenu(plot, {300, 200});
    EXPECT_FALSE(test::actionNamed(*menu, QStringLiteral("Show everything"))->isEnabled());
    delete menu;
}

TEST(Convergence, showsKindsOfCurvesAndALogarithmicAxis) {
    ConvergenceView view;
    view.resize(800, 420);
    EXPECT_GT(test::coloursIn(test::pictureOf(view)), 2);
    auto all = std::make_shared<std::vector<Curve>>();
    for (const CurveName& name :
         {CurveName{"accpar", "ratio search", CurveRole::best}, CurveName{"accpar", "ratio search", CurveRole::bound},
          CurveName{"hypar", "ratio search", CurveRole::best}}) {
        Curve curve{name, {}};
        for (int i = 0; i < 60; ++i)
            curve.points.emplace_back(i, name.role == CurveRole::bound
                                             ? 0.036 - 0.02 / (1 + i)
                                             : (name.owner == "accpar" ? 0.038 : 0.06) + 0.03 / (1 + i / 7));
        all->push_back(std::move(curve));
    }
    all->push_back({{"accpar", "time by level"}, {{0, 0.04}, {1, 0.03}, {2, 0.01}}});
    view.setCurves(all);
    view.setLive(QStringLiteral("Live · last improvement 3.2 s ago"));
    EXPECT_EQ(view.plot()->chart().series.size(), 3U);
    test::savePicture(view, QStringLiteral("convergence-search"));
    QStringList titles;
    for (auto* button : view.findChildren<QAbstractButton*>()) {
        titles << button->text();
        if (button->text() == QStringLiteral("By level")) button->click();
    }
    EXPECT_TRUE(titles.contains(QStringLiteral("Search")));
    EXPECT_EQ(view.plot()->chart().x.title, "Level");
    test::savePicture(view, QStringLiteral("convergence-levels"));
    view.setLogarithmic(true);
    EXPECT_TRUE(view.plot()->chart().y.logarithmic);
    EXPECT_EQ(view.plot()->chart().x.title, "Level") << "the chart stays";
    QMenu* menu = test::contextMenu(*view.plot(), {300, 200});
    EXPECT_FALSE(test::textsOf(*menu).contains(QStringLiteral("Explain this number")));
    delete menu;
}

TEST_F(Plot, aHundredThousandPointsNeverBlockTheWindow) {
    plot.resize(1000, 600);
    plot.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&plot));
    std::vector<double>
        gaps;  // the work of this thread between two ticks: what else the machine does is no fault of ours
    double before = 0;
    QTimer ticker;
    QObject::connect(&ticker, &QTimer::timeout, &plot, [&] {
        const double now = test::workMilliseconds();
        gaps.push_back(now - before);
        before = now;
    });
    const report::Chart all = curves(100000);
    before = test::workMilliseconds();
    ticker.start(1);
    for (std::size_t count = 20000; count <= 100000; count += 8000) {
        report::Chart chart{.id = all.id, .title = all.title, .x = all.x, .y = all.y};
        chart.series = all.series;
        for (report::Series& series : chart.series) {
            series.x.resize(std::min(series.x.size(), count));
            series.y.resize(std::min(series.y.size(), count));
        }
        plot.setChart(std::move(chart));
        QTest::qWait(20);
    }
    ASSERT_FALSE(gaps.empty());
    // 50 ms is what people do not feel; a machine half as fast as usual is no fault of ours. The benchmark holds 50.
    std::sort(gaps.begin(), gaps.end());
    EXPECT_LT(gaps[gaps.size() * 9 / 10], 100.0);
    RecordProperty("longest_gap_ms", static_cast<int>(gaps.back()));
}

TEST_F(Plot, aFrameOfAHundredThousandPointsIsQuick) {
    plot.resize(1000, 600);
    for (const report::Chart& chart : {curves(100000), cloud(100000)}) {
        plot.setChart(chart);
        test::pictureOf(plot);
        std::vector<double> frames;
        for (int i = 0; i < 9; ++i) {
            QElapsedTimer clock;
            clock.start();
            test::wheel(plot, middleOf(plot), i % 2 == 0 ? 1 : -1);
            test::pictureOf(plot);
            hover(plot, {300.0 + i, 250.0});
            frames.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
        }
        std::sort(frames.begin(), frames.end());
        RecordProperty(chart.id + "_median_frame_ms", static_cast<int>(frames[4]));
        EXPECT_LT(frames[4], 500.0) << chart.id << ": the benchmark has the target, this finds what is slow by nature";
    }
}

}  // namespace
}  // namespace tessera::ui

#include "ui/views/workbench/workbench.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QJsonArray>
#include <QJsonObject>
#include <QLabel>
#include <QMenu>
#include <QPointer>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "tests/support/gestures.h"
#include "tests/support/pictures.h"
#include "tests/support/point_table.h"
#include "tests/support/shown.h"
#include "tests/support/turns.h"
#include "tests/support/wait.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/matrix_view.h"
#include "ui/views/plot/parallel_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/table_view.h"
#include "ui/views/workbench/chart_of_points.h"
#include "ui/views/workbench/filter_panel.h"
#include "ui/views/workbench/matrix_pane.h"
#include "ui/views/workbench/parallel_pane.h"
#include "ui/views/workbench/point_list.h"
#include "ui/views/workbench/value_box.h"

namespace tessera::ui {
namespace {

using namespace Qt::StringLiterals;
using test::madeUpPoints;
using test::sharedPoints;
using test::visibleText;
using test::waitUntil;

constexpr std::size_t kCost = 0, kTime = 1, kMemory = 3, kWidth = 4;

/// Whether what is said of the number of points, by the mouse and by a screen reader, has these words.
bool countSays(const QWidget& bench, const QString& words) {
    const QList<QLabel*> labels = bench.findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
        return label->toolTip().contains(words) && label->accessibleDescription() == label->toolTip();
    });
}

class WorkbenchTest : public testing::Test {
protected:
    void SetUp() override {
        bench.resize(1300, 640);
        bench.setPoints(sharedPoints(madeUpPoints(200)));
        bench.show();
        // As on a page of details, for what is not looked at is not filled; out of the pictures' way.
        bench.list()->move(0, 10'000);
        bench.list()->show();
    }
    PointSelection& selection() { return bench.selection(); }
    QToolButton* button(const char* text) {
        for (auto* each : bench.findChildren<QToolButton*>())
            if (each->text() == QLatin1String(text)) return each;
        return nullptr;
    }
    int listed() { return bench.list()->table()->view()->model()->rowCount(); }
    std::size_t drawnIn(std::string_view prefix) {
        std::size_t count = 0;
        for (const report::Series& series : bench.plot()->chart().series)
            if (series.mark == report::Mark::points && std::string_view(series.id).starts_with(prefix) == true)
                count += series.x.size();
        return count;
    }
    std::size_t expectedIn(std::size_t column, double low, double high) {
        const std::vector<double>& values = selection().table().columns[column].values;
        return static_cast<std::size_t>(
            std::count_if(values.begin(), values.end(), [&](double value) { return value >= low && value <= high; }));
    }

    QUndoStack undo;
    Workbench bench{&undo};
};

// ------------------------------------------------------------------------------------------------------ selection

TEST_F(WorkbenchTest, aBrushReachesEveryPictureAndTheTable) {
    const std::size_t inside = expectedIn(kCost, 30, 90);
    ASSERT_GT(inside, 10U);
    ASSERT_LT(inside, 190U);
    ASSERT_EQ(bench.findChild<ParallelPane*>()->columns()[0], kCost);
    bench.parallel()->setBrush(0, 30, 90);
    EXPECT_EQ(selection().shownCount(), inside);
    EXPECT_EQ(drawnIn("filtered-"), 200 - inside);
    EXPECT_EQ(listed(), static_cast<int>(inside));
    EXPECT_TRUE(visibleText(bench).contains(u"%1 of 200"_s.arg(inside))) << visibleText(bench).toStdString();
    bench.showPicture(u"matrix"_s);
    const auto& shown = bench.matrix()->view()->picture().shown;
    EXPECT_EQ(std::count(shown.begin(), shown.end(), 1), static_cast<std::ptrdiff_t>(inside));
    selection().clearRanges();
    EXPECT_FALSE(bench.parallel()->isBrushed());
    EXPECT_EQ(listed(), 200);
}

TEST_F(WorkbenchTest, aRectangleInTheScatterIsTwoBrushes) {
    bench.scatter()->setAxes(u"cost"_s, u"time"_s);
    button("Brush")->click();
    PlotWidget& plot = *bench.plot();
    const QPoint from = plot.rect().center() - QPoint(200, 20), to = plot.rect().center() + QPoint(40, 120);
    QTest::mousePress(&plot, Qt::LeftButton, {}, from);
    QTest::mouseMove(&plot, from + QPoint(20, 20));
    QTest::mouseMove(&plot, to);
    QTest::mouseRelease(&plot, Qt::LeftButton, {}, to);
    ASSERT_EQ(selection().ranges().size(), 2U);
    ASSERT_TRUE(selection().range(kCost) && selection().range(kTime));
    EXPECT_LT(selection().range(kCost)->low, selection().range(kCost)->high);
    EXPECT_EQ(bench.parallel()->brush(0)->low, selection().range(kCost)->low);
    EXPECT_LT(selection().shownCount(), 200U);
    EXPECT_GT(selection().shownCount(), 0U);
    // Without the brush it needs Ctrl.
    selection().clearRanges();
    button("Brush")->click();
    QTest::mousePress(&plot, Qt::LeftButton, Qt::ControlModifier, from);
    QTest::mouseMove(&plot, to);
    QTest::mouseRelease(&plot, Qt::LeftButton, Qt::ControlModifier, to);
    EXPECT_EQ(selection().ranges().size(), 2U);
    // Beside the plot, and as thin as a line, nothing is meant.
    selection().clearRanges();
    for (const auto& [begin, end] :
         {std::pair(QPoint(2, 2), QPoint(40, 20)), std::pair(from, QPoint(to.x(), from.y()))}) {
        QTest::mousePress(&plot, Qt::LeftButton, Qt::ControlModifier, begin);
        QTest::mouseMove(&plot, (begin + end) / 2);
        QTest::mouseMove(&plot, end);
        QTest::mouseRelease(&plot, Qt::LeftButton, Qt::ControlModifier, end);
        EXPECT_FALSE(selection().isBrushed()) << begin.x() << " to " << end.x();
    }
}

TEST_F(WorkbenchTest, whatIsChosenIsChosenEverywhere) {
    QSignalSpy chosen(&selection(), &PointSelection::chosenChanged);
    emit bench.parallel()->rowClicked(17);
    EXPECT_EQ(selection().chosen(), 17);
    EXPECT_EQ(bench.list()->table()->currentRow(), 17);
    bench.list()->table()->setCurrentRow(40);
    EXPECT_EQ(selection().chosen(), 40);
    // A click in the scatter: on the point of the first series that is drawn.
    const auto& series = bench.scatter()->scatter().points;
    const auto its = std::find_if(series.begin(), series.end(), [](const auto& each) { return !each.empty(); });
    emit bench.plot()->pointClicked(static_cast<int>(its - series.begin()), 0);
    EXPECT_EQ(selection().chosen(), static_cast<int>(its->front()));
    emit bench.matrix()->view()->rowClicked(3);
    EXPECT_EQ(bench.list()->table()->currentRow(), 3);
    EXPECT_EQ(chosen.count(), 4);
    selection().choose(99'999);
    EXPECT_EQ(selection().chosen(), -1);
    EXPECT_EQ(bench.list()->table()->currentRow(), -1);
}

TEST_F(WorkbenchTest, theTableMarksNoRowWhereTheChosenPointIsFilteredOut) {
    selection().choose(17);
    ASSERT_EQ(bench.list()->table()->currentRow(), 17);
    const double cost = selection().table().columns[kCost].values[17];
    selection().setRange(kCost, PointSelection::Range{cost * (1 + 1e-9), 1e9});
    ASSERT_FALSE(selection().isShown(17));
    EXPECT_EQ(bench.list()->table()->currentRow(), -1);
    EXPECT_EQ(selection().chosen(), 17) << "still";
    selection().clearRanges();
    EXPECT_EQ(bench.list()->table()->currentRow(), 17);
}

TEST_F(WorkbenchTest, rowsOfTheTableAreOfThePointsItWasFilledWith) {
    bench.setPoints(sharedPoints(madeUpPoints(5000)));
    ASSERT_TRUE(waitUntil([&] { return listed() == 5000; }));
    ASSERT_EQ(listed(), 5000);
    bench.list()->hide();
    // Of other points it is filled once it is looked at; until then its rows can be read.
    explore::PointTable other = madeUpPoints(4000);
    other.columns.resize(2);
    const std::size_t before = selection().table().columns.size();
    bench.setPoints(sharedPoints(std::move(other)));
    const QAbstractItemModel& model = *bench.list()->table()->view()->model();
    ASSERT_EQ(model.rowCount(), 5000);
    EXPECT_EQ(model.columnCount(), static_cast<int>(before) + 2);
    EXPECT_FALSE(model.index(4999, model.columnCount() - 1).data().toString().isEmpty());
    bench.list()->show();
    EXPECT_EQ(listed(), 4000);
    EXPECT_EQ(bench.list()->table()->view()->model()->columnCount(), 4);
    // While points come faster than it rests, it follows.
    for (int count = 4100; listed() == 4000 && count < 9000; count += 20) {
        explore::PointTable more = madeUpPoints(static_cast<std::size_t>(count));
        more.columns.resize(2);
        bench.setPoints(sharedPoints(std::move(more)));
        waitUntil([] { return false; }, 40);
    }
    EXPECT_GT(listed(), 4000);
}

TEST_F(WorkbenchTest, thePointUnderTheMouseIsTheSameInAllPictures) {
    QSignalSpy hovered(&selection(), &PointSelection::hoveredChanged);
    emit bench.parallel()->rowHovered(12);
    EXPECT_EQ(selection().hovered(), 12);
    EXPECT_EQ(selection().cardOf(12).front(), u"point 13"_s);
    EXPECT_TRUE(selection().cardOf(12).join(u' ').contains(u"Kind: "_s));
    emit bench.parallel()->rowHovered(-1);
    EXPECT_EQ(selection().hovered(), -1);
    EXPECT_EQ(hovered.count(), 2);
    EXPECT_TRUE(selection().cardOf(96).join(u' ').contains(u"No solution: memory is above the limit"_s));
}

TEST_F(WorkbenchTest, twoPinsAreCompared) {
    PointComparison& comparison = *bench.comparison();
    comparison.setParent(nullptr);
    comparison.show();
    EXPECT_EQ(comparison.table()->view()->model()->rowCount(), 0);
    selection().choose(5);
    button("Pin as A")->click();
    EXPECT_EQ(selection().pinned(PointSelection::Pin::a), 5);
    EXPECT_TRUE(button("Pin as A")->isChecked());
    selection().choose(9);
    EXPECT_EQ(comparison.compared(), std::pair(5, 9)) << "the chosen one, as long as there is no B";
    EXPECT_EQ(comparison.table()->view()->model()->rowCount(), 8);
    button("B")->click();
    selection().choose(11);
    EXPECT_EQ(comparison.compared(), std::pair(5, 9));
    EXPECT_EQ(comparison.table()->view()->model()->index(0, 2).data().toString(), u"point 10"_s);
    selection().setPin(PointSelection::Pin::a, -1);
    EXPECT_EQ(comparison.table()->view()->model()->rowCount(), 0);
    comparison.setParent(&bench);
}

// ----------------------------------------------------------------------------------------------- keeping, excluding

TEST_F(WorkbenchTest, keepingAndExcludingFormAChainThatIsUndone) {
    selection().setRange(kCost, PointSelection::Range{0, 100});
    const std::size_t cheap = selection().shownCount();
    button("Keep")->click();
    EXPECT_EQ(selection().keptCount(), cheap);
    EXPECT_FALSE(selection().isBrushed()) << "the brush has done its work";
    EXPECT_EQ(listed(), static_cast<int>(cheap));
    EXPECT_EQ(drawnIn("filtered-"), 0U) << "what is excluded is not drawn";
    selection().setRange(kTime, PointSelection::Range{0.03, 10});
    const std::size_t slow = selection().shownCount();
    ASSERT_GT(slow, 0U);
    button("Exclude")->click();
    EXPECT_EQ(selection().keptCount(), cheap - slow);
    EXPECT_TRUE(visibleText(bench).contains(u"%1 of 200"_s.arg(cheap - slow)));
    EXPECT_TRUE(countSays(bench, u"%1 are excluded"_s.arg(200 - cheap + slow)));
    ASSERT_EQ(undo.count(), 2);
    EXPECT_EQ(undo.undoText(), u"Exclude %1 points"_s.arg(slow));
    undo.undo();
    EXPECT_EQ(selection().keptCount(), cheap);
    EXPECT_EQ(selection().shownCount(), slow) << "with the brush that it was excluded by";
    undo.undo();
    EXPECT_EQ(selection().keptCount(), 200U);
    undo.redo();
    undo.redo();
    EXPECT_EQ(selection().keptCount(), cheap - slow);
    button("Show all")->click();
    EXPECT_EQ(selection().keptCount(), 200U);
    button("Undo")->click();
    EXPECT_EQ(selection().keptCount(), cheap - slow);
}

TEST_F(WorkbenchTest, whatPointsWereKeptByIsStillAsked) {
    using Range = PointSelection::Range;
    constexpr double kOpen = std::numeric_limits<double>::infinity();
    const auto asked = [this](std::size_t column) {
        const auto all = selection().askedRanges();
        return all.contains(column) ? std::pair(all.at(column).low, all.at(column).high) : std::pair(0.0, 0.0);
    };
    selection().setRange(kCost, Range{-kOpen, 100});
    selection().keep();
    EXPECT_EQ(asked(kCost), std::pair(-kOpen, 100.0));
    selection().setRange(kCost, Range{30, 200});
    selection().setRange(kTime, Range{0, 0.1});
    EXPECT_EQ(asked(kCost), std::pair(30.0, 100.0)) << "both";
    selection().exclude();
    EXPECT_EQ(asked(kCost), std::pair(-kOpen, 100.0)) << "no range says what is left";
    EXPECT_EQ(selection().askedRanges().size(), 1U);
    undo.undo();
    undo.undo();
    EXPECT_EQ(selection().askedRanges().size(), 1U) << "the brush";
    undo.redo();
    EXPECT_FALSE(selection().isBrushed());
    EXPECT_EQ(asked(kCost), std::pair(-kOpen, 100.0));
    selection().showAll();
    EXPECT_TRUE(selection().askedRanges().empty());
}

TEST_F(WorkbenchTest, aStackOfItsOwnGoesWithIt) {
    auto own = std::make_unique<Workbench>(nullptr);
    own->setPoints(sharedPoints(madeUpPoints(200)));
    own->show();
    own->selection().setRange(kCost, PointSelection::Range{0, 100});
    own->selection().keep();
    const QPointer<QUndoStack> stack = &own->selection().undoStack();
    ASSERT_EQ(stack->count(), 1);
    EXPECT_TRUE(countSays(*own, u"excluded"_s));
    own.reset();
    EXPECT_TRUE(stack.isNull());
}

TEST_F(WorkbenchTest, whatCannotBeDoneIsOff) {
    for (const char* name : {"Keep", "Exclude", "Show all", "Undo"}) EXPECT_FALSE(button(name)->isEnabled()) << name;
    for (const char* name : {"Pin as A", "B"}) EXPECT_FALSE(button(name)->isEnabled()) << name;
    selection().setRange(kCost, PointSelection::Range{-2, -1});
    EXPECT_EQ(selection().shownCount(), 0U);
    EXPECT_FALSE(button("Keep")->isEnabled()) << "nothing would be left";
    EXPECT_TRUE(button("Show all")->isEnabled());
    selection().keep();
    selection().exclude();
    EXPECT_EQ(selection().shownCount(), 0U);
    EXPECT_EQ(selection().keptCount(), 0U);
    bench.setPoints(sharedPoints({}));
    EXPECT_EQ(selection().shownCount(), 0U);
    undo.undo();  // of points that are gone
    EXPECT_EQ(selection().keptCount(), 0U);
}

// ---------------------------------------------------------------------------------------------------------- filters

TEST_F(WorkbenchTest, slidersAndBrushesAreTheSameRanges) {
    bench.resize(1500, 640);  // both pictures have room beside the sliders
    button("Filters")->click();
    FilterPanel& filters = *bench.filters();
    ASSERT_TRUE(filters.isVisible());
    ASSERT_EQ(filters.columns().size(), 7U);
    EXPECT_EQ(filters.columns()[0], kCost) << "objectives first";
    const QRectF track = filters.trackOf(0);
    const auto at = [&](double share) {
        return QPointF(track.left() + share * track.width(), track.center().y()).toPoint();
    };
    QTest::mousePress(&filters, Qt::LeftButton, {}, at(0.98));
    QTest::mouseMove(&filters, at(0.5));
    QTest::mouseRelease(&filters, Qt::LeftButton, {}, at(0.5));
    ASSERT_TRUE(selection().range(kCost).has_value());
    const double limit = selection().range(kCost)->high;
    EXPECT_EQ(selection().shownCount(), expectedIn(kCost, 0, limit));
    ASSERT_TRUE(bench.parallel()->brush(0));
    EXPECT_EQ(bench.parallel()->brush(0)->high, limit);
    QTest::mouseDClick(&filters, Qt::LeftButton, {}, at(0.5));
    QTest::mouseRelease(&filters, Qt::LeftButton, {}, at(0.5));
    EXPECT_FALSE(selection().range(kCost).has_value());
    // By the keyboard: the second value's upper end.
    filters.setFocus();
    QTest::keyClick(&filters, Qt::Key_Down);
    for (int i = 0; i < 8; ++i) QTest::keyClick(&filters, Qt::Key_Left, Qt::ShiftModifier);
    ASSERT_TRUE(selection().range(filters.columns()[1]).has_value());
    EXPECT_TRUE(filters.accessibleDescription().contains(u"of 200 points"_s));
    QTest::keyClick(&filters, Qt::Key_Delete);
    EXPECT_FALSE(selection().isBrushed());
}

TEST_F(WorkbenchTest, anEndThatIsNotMovedInIsOpen) {
    bench.resize(1500, 640);  // both pictures have room beside the sliders
    const std::vector<double>& costs = selection().table().columns[kCost].values;
    const double low = *std::min_element(costs.begin(), costs.end());
    const double high = *std::max_element(costs.begin(), costs.end()), middle = (low + high) / 2;
    button("Filters")->click();
    FilterPanel& filters = *bench.filters();
    const QRectF track = filters.trackOf(0);
    const auto at = [&](double share) {
        return QPointF(track.left() + share * track.width(), track.center().y()).toPoint();
    };
    const auto drag = [](QWidget& on, const QPoint& from, const QPoint& to) {
        QTest::mousePress(&on, Qt::LeftButton, {}, from);
        QTest::mouseMove(&on, (from + to) / 2);
        QTest::mouseMove(&on, to);
        QTest::mouseRelease(&on, Qt::LeftButton, {}, to);
    };
    drag(filters, at(0.98), at(0.5));
    ASSERT_TRUE(selection().range(kCost));
    EXPECT_TRUE(std::isinf(selection().range(kCost)->low));
    EXPECT_TRUE(std::isfinite(selection().range(kCost)->high));
    // Better points to come are shown.
    explore::PointTable more = madeUpPoints(201);
    more.columns[kCost].values[200] = low / 2;
    bench.setPoints(sharedPoints(std::move(more)));
    EXPECT_TRUE(selection().isShown(200));
    // And so it is saved.
    const QJsonArray saved = bench.saveState().value(u"ranges"_s).toObject().value(u"cost"_s).toArray();
    ASSERT_EQ(saved.size(), 2);
    EXPECT_TRUE(saved[0].isNull());
    Workbench other(nullptr);
    other.setPoints(selection().shared());
    other.restoreState(bench.saveState());
    EXPECT_EQ(other.selection().shownCount(), selection().shownCount());
    EXPECT_EQ(other.selection().range(kCost)->high, selection().range(kCost)->high);
    // The same of an axis, beyond whose ends a drag may go.
    selection().clearRanges();
    ParallelView& view = *bench.parallel();
    const int x = static_cast<int>(view.layout().x[0]), bottom = static_cast<int>(view.layout().bottom);
    drag(view, {x, bottom + 6}, {x, (bottom + static_cast<int>(view.layout().top)) / 2});
    ASSERT_TRUE(selection().range(kCost));
    EXPECT_TRUE(std::isinf(selection().range(kCost)->low));
    EXPECT_NEAR(selection().range(kCost)->high, middle, (high - low) / 8);
    EXPECT_TRUE(selection().isShown(200));
    drag(view, {x, bottom + 6}, {x, 2 + static_cast<int>(view.layout().top) - 8});
    EXPECT_FALSE(selection().isBrushed()) << "all of it";
    // By the keyboard: from an open end, and back to it.
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Up);
    ASSERT_TRUE(view.brush(0));
    EXPECT_TRUE(std::isfinite(view.brush(0)->low));
    EXPECT_TRUE(std::isinf(view.brush(0)->high));
    EXPECT_TRUE(view.accessibleDescription().startsWith(u"Cost, axis 1 of 7, from $"_s))
        << view.accessibleDescription().toStdString();
    QTest::keyClick(&view, Qt::Key_Down);
    EXPECT_FALSE(view.brush(0));
    QTest::keyClick(&view, Qt::Key_Right);
    EXPECT_EQ(view.accessibleDescription(), u"Time, axis 2 of 7, no brush"_s);
}

TEST_F(WorkbenchTest, theSliderOfTheKeyboardIsInSight) {
    bench.resize(1300, 260);
    button("Filters")->click();
    FilterPanel& filters = *bench.filters();
    waitUntil([] { return false; }, 20);
    filters.setFocus();
    for (std::size_t row = 1; row < filters.columns().size(); ++row) {
        QTest::keyClick(&filters, Qt::Key_Down);
        const QRect its = filters.trackOf(row).toRect();
        EXPECT_TRUE(filters.visibleRegion().boundingRect().contains(its)) << row;
    }
}

TEST_F(WorkbenchTest, slidersThatWereFoldedCountWhatIsShownNow) {
    FilterPanel& filters = *bench.filters();
    button("Filters")->click();
    selection().setRange(kCost, PointSelection::Range{0, 60});
    const QImage open = filters.grab().toImage();
    selection().clearRanges();
    ASSERT_NE(filters.grab().toImage(), open);
    button("Filters")->click();
    ASSERT_FALSE(filters.isVisible());
    selection().setRange(kCost, PointSelection::Range{0, 60});
    button("Filters")->click();
    EXPECT_EQ(filters.grab().toImage(), open);
}

// --------------------------------------------------------------------------------------------------------- pictures

TEST_F(WorkbenchTest, pointsAreColouredAndSizedByAnyValue) {
    selection().setColour(6);
    const report::Chart& chart = bench.plot()->chart();
    EXPECT_EQ(chart.key.names.size(), 3U);
    EXPECT_EQ(bench.parallel()->picture().key.names.size(), 3U) << "one colour for all pictures";
    for (auto* box : bench.scatter()->findChildren<ValueBox*>())
        if (box->accessibleName() == u"Size"_s) {
            box->setColumn(kMemory);
            emit box->chosen();
        }
    const auto sized = std::count_if(chart.series.begin(), chart.series.end(),
                                     [](const report::Series& series) { return !series.radii.empty(); });
    EXPECT_GT(sized, 0);
    selection().setColour(std::nullopt);
    EXPECT_TRUE(bench.plot()->chart().key.palette.empty());
}

TEST_F(WorkbenchTest, aBoxIsAsWideAsWhatIsChosenInIt) {
    explore::PointTable points = madeUpPoints(20);
    const std::string longer = "Throughput over TPUv4", longest(60, 'M');
    points.columns[0].title = "A";
    points.columns[1].title = longer;
    points.columns[2].title = longest;
    ValueBox box(u"X axis"_s);
    box.fill(points);
    std::vector<int> widths;
    for (std::size_t column = 0; column < 3; ++column) {
        box.setColumn(column);
        widths.push_back(box.sizeHint().width());
    }
    EXPECT_GT(widths[1], box.fontMetrics().horizontalAdvance(toQt(longer)));
    EXPECT_LT(widths[0], widths[1]);
    EXPECT_GE(widths[2], widths[1]);
    EXPECT_LT(widths[2], box.fontMetrics().horizontalAdvance(toQt(longest)) / 2) << "within bounds";
}

TEST_F(WorkbenchTest, variablesAreWhatWasChosen) {
    explore::PointTable points = madeUpPoints(200);
    points.columns[5].isChosen = false;     // the depth follows from others
    points.columns[kCost].isChosen = true;  // an objective that is a variable, too
    bench.setPoints(sharedPoints(std::move(points)));
    bench.showPicture(u"surface"_s);
    for (const char* axis : {"X", "Y"}) {
        const auto boxes = bench.surface()->findChildren<ValueBox*>();
        const auto box = std::find_if(boxes.begin(), boxes.end(),
                                      [&](ValueBox* each) { return each->accessibleName() == QLatin1String(axis); });
        ASSERT_NE(box, boxes.end());
        EXPECT_LT((*box)->findData(u"depth"_s), 0);
        EXPECT_GE((*box)->findData(u"cost"_s), 0);
        EXPECT_GE((*box)->findData(u"width"_s), 0);
    }
}

TEST_F(WorkbenchTest, aNameStandsBesideItsControl) {
    for (const int width : {700, 1120, 1300}) {
        bench.resize(width, 640);
        waitUntil([] { return false; }, 10);
        for (const QLabel* label : bench.scatter()->findChildren<QLabel*>()) {
            const QWidget* control = label->buddy();
            ASSERT_NE(control, nullptr);
            EXPECT_LT(std::abs(label->mapTo(&bench, label->rect().center()).y() -
                               control->mapTo(&bench, control->rect().center()).y()),
                      4)
                << label->text().toStdString() << " at " << width;
        }
    }
}

TEST_F(WorkbenchTest, nothingMovesWhileARangeIsDragged) {
    std::set<int> places;
    for (const double cost : {30.0, 60.0, 100.0, 1000.0}) {
        selection().setRange(kCost, PointSelection::Range{0, cost});
        waitUntil([] { return false; }, 10);
        places.insert(button("Keep")->x());
        selection().choose(places.size() > 1 ? 3 : -1);
    }
    EXPECT_EQ(places.size(), 1U);
    const int width = button("Pin as A")->width();
    selection().choose(5);
    button("Pin as A")->click();
    waitUntil([] { return false; }, 10);
    EXPECT_EQ(button("Pin as A")->width(), width);
}

TEST_F(WorkbenchTest, axesAreMovedTurnedOverAndTakenAwayByMouseAndKeys) {
    ParallelView& view = *bench.parallel();
    view.resize(600, 320);
    const std::vector<std::size_t> before = view.order();
    ASSERT_GE(before.size(), 5U);
    const auto title = [&](std::size_t place) {
        return QPoint(static_cast<int>(view.layout().x[view.order()[place]]), static_cast<int>(view.layout().top) - 24);
    };
    const QPoint from = title(1), to = title(3);
    QTest::mousePress(&view, Qt::LeftButton, {}, from);
    QTest::mouseMove(&view, (from + to) / 2);
    QTest::mouseMove(&view, to);
    QTest::mouseRelease(&view, Qt::LeftButton, {}, to);
    EXPECT_EQ(view.order()[3], before[1]);
    EXPECT_EQ(view.order()[1], before[2]);
    EXPECT_FALSE(view.isBrushed());
    QTest::mouseDClick(&view, Qt::LeftButton, {}, title(0));
    EXPECT_TRUE(view.isInverted(before[0]));
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Escape);
    for (int i = 0; i < 9; ++i) QTest::keyClick(&view, Qt::Key_Left);
    QTest::keyClick(&view, Qt::Key_I);
    EXPECT_FALSE(view.isInverted(before[0]));
    QTest::keyClick(&view, Qt::Key_Right, Qt::ControlModifier);
    EXPECT_EQ(view.order()[1], before[0]);
    QTest::keyClick(&view, Qt::Key_Delete);
    EXPECT_EQ(view.order().size(), before.size() - 1);
    EXPECT_EQ(std::count(view.order().begin(), view.order().end(), before[0]), 0);
}

TEST_F(WorkbenchTest, aFieldOfTheMatrixBecomesTheScatter) {
    bench.showPicture(u"matrix"_s);
    MatrixView& view = *bench.matrix()->view();
    const auto& cells = view.layout().cells;
    const auto cell =
        std::find_if(cells.begin(), cells.end(), [](const auto& each) { return each.x == 1 && each.y == 3; });
    ASSERT_NE(cell, cells.end());
    emit view.fieldChosen(1, 3);
    EXPECT_EQ(selection().x(), bench.matrix()->columns()[1]);
    EXPECT_EQ(selection().y(), bench.matrix()->columns()[3]);
    EXPECT_TRUE(bench.seen().contains(u"scatter"_s));
    bench.showPicture(u"matrix"_s);
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Down);
    QSignalSpy chosen(&view, &MatrixView::fieldChosen);
    QTest::keyClick(&view, Qt::Key_Return);
    EXPECT_EQ(chosen.count(), 1);
}

TEST_F(WorkbenchTest, theMatrixFollowsBrushesAndSteps) {
    bench.showPicture(u"matrix"_s);
    const report::MatrixPicture& picture = bench.matrix()->view()->picture();
    const auto placed = [&] {
        const std::vector<double>& values = picture.axes.front().values;
        return std::count_if(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
    };
    const auto all = placed();
    selection().setRange(kCost, PointSelection::Range{0, 60});
    const auto shown = static_cast<std::ptrdiff_t>(selection().shownCount());
    EXPECT_EQ(placed(), all) << "those that are filtered out stand in grey";
    EXPECT_EQ(std::count(picture.shown.begin(), picture.shown.end(), 1), shown);
    EXPECT_TRUE(picture.tones.empty());
    selection().setColour(6);
    EXPECT_EQ(picture.tones.size(), 200U);
    EXPECT_EQ(std::count(picture.shown.begin(), picture.shown.end(), 1), shown);
    selection().keep();
    EXPECT_LE(placed(), shown) << "those that are excluded have no place, nor those that are no solutions";
    EXPECT_LT(placed(), all);
    undo.undo();
    selection().clearRanges();
    EXPECT_EQ(placed(), all);
    EXPECT_TRUE(picture.shown.empty());
}

TEST_F(WorkbenchTest, progressIsOfferedWherePointsStandInOrder) {
    EXPECT_FALSE(bench.pictures().contains(u"progress"_s));
    bench.setInOrder(true);
    ASSERT_TRUE(bench.pictures().contains(u"progress"_s));
    bench.showPicture(u"progress"_s);
    ASSERT_TRUE(waitUntil([&] { return !bench.progress()->plot()->chart().series.empty(); }));
    bench.progress()->setColumn(0, 2);
    EXPECT_TRUE(waitUntil([&] { return bench.progress()->plot()->chart().title.starts_with("Rate: best"); }));
    bench.showPicture(u"hypervolume"_s);
    EXPECT_TRUE(waitUntil([&] { return !bench.hypervolume()->plot()->chart().series.empty(); }));
}

TEST_F(WorkbenchTest, aSurfaceIsOfTwoVariablesAroundTheChosenPoint) {
    ASSERT_TRUE(bench.pictures().contains(u"surface"_s));
    selection().choose(3);
    bench.showPicture(u"surface"_s);
    PlotWidget& plot = *bench.surface()->plot();
    ASSERT_TRUE(waitUntil([&] { return plot.chart().field.has_value(); }, 30'000));
    EXPECT_NE(plot.chart().title.find("all else as at point 4"), std::string::npos) << plot.chart().title;
    EXPECT_NE(plot.chart().x.title, plot.chart().y.title);
    selection().choose(8);
    EXPECT_TRUE(waitUntil([&] { return plot.chart().title.find("point 9") != std::string::npos; }, 30'000));
    bench.surface()->setColumn(0, kMemory);
    EXPECT_TRUE(waitUntil([&] { return plot.chart().title.starts_with("Memory over"); }, 30'000));
    EXPECT_GT(test::coloursIn(test::savePicture(bench, u"workbench-surface"_s)), 30);
}

TEST_F(WorkbenchTest, whatMattersToAValueIsSaid) {
    bench.showPicture(u"importance"_s);
    PlotWidget& plot = *bench.importance()->plot();
    ASSERT_TRUE(waitUntil([&] { return !plot.chart().series.empty(); }, 30'000));
    bench.importance()->setColumn(0, kMemory);
    ASSERT_TRUE(waitUntil([&] { return plot.chart().title.starts_with("Memory depends"); }, 30'000));
    EXPECT_EQ(plot.chart().title, "Memory depends most on Depth") << "40 to 480, of the width 2 to 512 on a log scale";
    EXPECT_GT(test::coloursIn(test::savePicture(bench, u"workbench-importance"_s)), 10);
}

TEST_F(WorkbenchTest, twoPicturesStandSideBySideWhereThereIsRoom) {
    EXPECT_EQ(bench.seen(), (QStringList{u"scatter"_s, u"parallel"_s}));
    EXPECT_TRUE(bench.plot()->isVisible() && bench.parallel()->isVisible());
    bench.showPicture(u"matrix"_s);
    EXPECT_EQ(bench.seen(), (QStringList{u"matrix"_s, u"parallel"_s}));
    // The one from the other side changes places.
    QComboBox* left = bench.matrix()->pictureBox();
    EXPECT_EQ(left->currentText(), u"Matrix"_s);
    emit left->activated(left->findData(u"parallel"_s));
    EXPECT_EQ(left->currentText(), u"Matrix"_s) << "a picture's own line names it";
    EXPECT_EQ(bench.focusWidget(), bench.findChild<ParallelPane*>()->pictureBox());
    EXPECT_EQ(bench.seen(), (QStringList{u"parallel"_s, u"matrix"_s}));
    bench.resize(900, 600);
    EXPECT_EQ(bench.seen(), QStringList{u"parallel"_s});
    EXPECT_TRUE(bench.parallel()->isVisible());
    EXPECT_FALSE(bench.matrix()->isVisible());
}

// ----------------------------------------------------------------------------------------------- keeping the look

TEST_F(WorkbenchTest, aStateIsSavedAndRestored) {
    bench.scatter()->setAxes(u"memory"_s, u"rate"_s);
    selection().setColour(6);
    selection().setRange(kWidth, PointSelection::Range{4, 64});
    bench.parallel()->moveAxis(bench.parallel()->order()[0], 2);
    bench.parallel()->setInverted(1, true);
    bench.showPicture(u"matrix"_s);
    bench.matrix()->setColumns({kCost, kWidth, kMemory});
    const QJsonObject saved = bench.saveState();
    Workbench other(nullptr);
    other.resize(1300, 640);
    other.show();
    other.setPoints(sharedPoints(madeUpPoints(200)));
    other.restoreState(saved);
    EXPECT_EQ(other.saveState(), saved);
    EXPECT_EQ(other.scatter()->xAxis(), u"memory"_s);
    EXPECT_EQ(other.selection().colour(), 6U);
    EXPECT_EQ(other.selection().shownCount(), selection().shownCount());
    EXPECT_EQ(other.parallel()->order(), bench.parallel()->order());
    EXPECT_TRUE(other.parallel()->isInverted(1));
    EXPECT_EQ(other.matrix()->columns(), (std::vector<std::size_t>{kCost, kWidth, kMemory}));
    EXPECT_EQ(other.seen(), bench.seen());
    // Of other points: what they have of it.
    explore::PointTable few = madeUpPoints(30);
    few.columns.erase(few.columns.begin() + 3);
    Workbench third(nullptr);
    third.setPoints(sharedPoints(std::move(few)));
    third.restoreState(saved);
    EXPECT_EQ(third.scatter()->yAxis(), u"rate"_s);
    third.restoreState(
        {{u"scatter"_s, 3}, {u"ranges"_s, QJsonObject{{u"cost"_s, u"no"_s}}}, {u"pictures"_s, QJsonArray{7}}});
    EXPECT_EQ(third.selection().shownCount(), 30U);
}

TEST_F(WorkbenchTest, whatIsShownIsExported) {
    selection().setRange(kCost, PointSelection::Range{0, 60});
    const QVector<Exportable> all = bench.exportables();
    ASSERT_EQ(all.size(), 3);
    const std::string csv = all[0].csv();
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), static_cast<std::ptrdiff_t>(selection().shownCount()) + 1);
    EXPECT_EQ(csv.substr(0, 60), "point,cost ($),time (s),rate (samples/s),memory (B),width,de");
    for (int picture = 1; picture < 3; ++picture)
        EXPECT_NE(all[picture].svg(report::Theme(report::ThemeKind::light)).find("<svg"), std::string::npos);
    // What an engine makes of it is of what is shown when it is asked for.
    bench.setStudyOfShown([this] { return [shown = selection().shownCount()] { return std::to_string(shown); }; });
    const std::size_t shown = selection().shownCount();
    const QVector<Exportable> more = bench.exportables();
    ASSERT_EQ(more.size(), 4);
    selection().clearRanges();
    EXPECT_EQ(more[1].json(), std::to_string(shown));
    const std::unique_ptr<QMenu> menu(test::contextMenu(*bench.parallel(), bench.parallel()->rect().center()));
    ASSERT_NE(menu, nullptr);
    EXPECT_TRUE(test::textsOf(*menu).contains(u"SVG…"_s));
    Workbench empty(nullptr);
    EXPECT_TRUE(empty.exportables().isEmpty());
}

// ------------------------------------------------------------------------------------------------------------- live

TEST_F(WorkbenchTest, pointsAreAppendedWhileASearchRuns) {
    selection().setRange(kCost, PointSelection::Range{0, 100});
    const std::size_t cheap = selection().shownCount();
    selection().keep();
    selection().choose(11);
    selection().setPin(PointSelection::Pin::a, 7);
    bench.parallel()->setInverted(0, true);
    bench.setPoints(sharedPoints(madeUpPoints(260)));
    EXPECT_EQ(selection().size(), 260U);
    EXPECT_EQ(selection().keptCount(), cheap + 60) << "what was excluded stays so";
    EXPECT_EQ(selection().chosen(), 11);
    EXPECT_EQ(selection().pinned(PointSelection::Pin::a), 7);
    EXPECT_TRUE(bench.parallel()->isInverted(0));
    EXPECT_EQ(listed(), static_cast<int>(cheap) + 60);
    EXPECT_EQ(drawnIn(""), cheap + 60);
    undo.undo();
    EXPECT_EQ(selection().keptCount(), 260U);
    // Points of another run.
    explore::PointTable other = madeUpPoints(300);
    for (double& value : other.columns[0].values) value += 1;
    bench.setPoints(sharedPoints(std::move(other)));
    EXPECT_EQ(selection().chosen(), -1);
    EXPECT_EQ(selection().keptCount(), 300U);
}

TEST_F(WorkbenchTest, listsStayAsTheyAreWhilePointsCome) {
    bench.showPicture(u"matrix"_s);
    std::vector<std::unique_ptr<QSignalSpy>> changes;
    for (auto* box : bench.findChildren<QComboBox*>())
        for (const auto signal : {&QAbstractItemModel::rowsRemoved, &QAbstractItemModel::rowsInserted})
            changes.push_back(std::make_unique<QSignalSpy>(box->model(), signal));
    ASSERT_GT(changes.size(), 8U);
    bench.setPoints(sharedPoints(madeUpPoints(260)));
    for (const auto& spy : changes) EXPECT_TRUE(spy->isEmpty());
    // Points with another value.
    explore::PointTable other = madeUpPoints(260);
    other.columns[2].title = "Pace";
    bench.setPoints(sharedPoints(std::move(other)));
    EXPECT_TRUE(std::any_of(changes.begin(), changes.end(), [](const auto& spy) { return !spy->isEmpty(); }));
}

TEST_F(WorkbenchTest, theMatrixHasTheTellingValuesUntilAPersonChooses) {
    bench.showPicture(u"matrix"_s);
    explore::PointTable first = madeUpPoints(20);
    for (double& value : first.columns[kCost].values) value = 3;
    bench.setPoints(sharedPoints(std::move(first)));
    ASSERT_EQ(std::count(bench.matrix()->columns().begin(), bench.matrix()->columns().end(), kCost), 0);
    bench.setPoints(sharedPoints(madeUpPoints(40)));
    EXPECT_EQ(bench.matrix()->columns().front(), kCost);
    bench.matrix()->setColumns({kMemory, kWidth});
    bench.setPoints(sharedPoints(madeUpPoints(60)));
    EXPECT_EQ(bench.matrix()->columns(), (std::vector<std::size_t>{kMemory, kWidth}));
    // Of points with other columns: the same values.
    explore::PointTable fewer = madeUpPoints(60);
    fewer.columns.erase(fewer.columns.begin() + 2);
    bench.setPoints(sharedPoints(std::move(fewer)));
    EXPECT_EQ(bench.matrix()->columns(), (std::vector<std::size_t>{kMemory - 1, kWidth - 1}));
}

/// Pixels that are not alike in pictures of one size.
int differingPixels(const QImage& a, const QImage& b) {
    EXPECT_EQ(a.size(), b.size());
    int differing = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x) differing += a.pixel(x, y) != b.pixel(x, y) ? 1 : 0;
    return differing;
}

TEST_F(WorkbenchTest, aChosenLineLooksAsInAPictureThatIsDrawnAnew) {
    for (const std::size_t count : {std::size_t{200}, std::size_t{5000}}) {
        for (const double scale : {1.0, 2.0}) {
            ParallelView view, fresh;
            for (ParallelView* each : {&view, &fresh}) {
                each->resize(700, 300);
                each->setPicture(bench.parallel()->picture());
            }
            const QImage before = test::pictureOf(view, scale);
            view.setSelected(3, 7);
            const QImage chosen = test::pictureOf(view, scale);
            EXPECT_NE(chosen, before);
            fresh.setSelected(3, 7);
            EXPECT_EQ(chosen, test::pictureOf(fresh, scale)) << count << " points at " << scale;
            view.setSelected(-1, -1);
            // Thin lines that lie over each other are blended in another order.
            EXPECT_LE(differingPixels(test::pictureOf(view, scale), before), 30) << count << " points at " << scale;
            // Other lines, sizes and colours are not those that were kept.
            theme().apply(ThemeMode::dark);
            view.setSelected(3, 7);
            EXPECT_EQ(test::pictureOf(view, scale), test::pictureOf(fresh, scale));
            theme().apply(ThemeMode::light);
        }
        bench.setPoints(sharedPoints(madeUpPoints(5000)));
        ASSERT_TRUE(waitUntil([&] { return bench.parallel()->picture().rows == 5000; }));
    }
}

// ------------------------------------------------------------------------------------------------------- very many

TEST_F(WorkbenchTest, aSizeIsRestoredBeforeVeryManyPointsAreDrawn) {
    Workbench other(nullptr);
    other.resize(1300, 640);
    other.show();
    other.setPoints(sharedPoints(madeUpPoints(5000)));
    other.restoreState({{u"scatter"_s, QJsonObject{{u"size"_s, u"memory"_s}}}});
    const auto isSized = [&] {
        const auto& all = other.plot()->chart().series;
        return std::any_of(all.begin(), all.end(), [](const report::Series& its) { return !its.radii.empty(); });
    };
    EXPECT_TRUE(waitUntil(isSized));
    EXPECT_EQ(other.saveState().value(u"scatter"_s).toObject().value(u"size"_s).toString(), u"memory"_s);
}

TEST_F(WorkbenchTest, aHundredThousandPointsAreLinkedLikeFew) {
    bench.setPoints(sharedPoints(madeUpPoints(100'000)));
    ASSERT_TRUE(waitUntil([&] { return bench.parallel()->picture().rows == 100'000; }));
    selection().setRange(kTime, PointSelection::Range{0, 0.02});
    const std::size_t fast = expectedIn(kTime, 0, 0.02);
    EXPECT_EQ(selection().shownCount(), fast);
    EXPECT_TRUE(waitUntil([&] { return drawnIn("filtered-") == 100'000 - fast; }));
    EXPECT_TRUE(waitUntil([&] { return listed() == static_cast<int>(fast); }));
    selection().keep();
    EXPECT_TRUE(waitUntil([&] { return drawnIn("") == fast; }));
    EXPECT_EQ(selection().keptCount(), fast);
    const int last = selection().shownPoints().back();
    selection().choose(last);
    EXPECT_TRUE(waitUntil([&] { return bench.list()->table()->currentRow() == static_cast<int>(fast) - 1; }));
    const QImage picture = test::savePicture(bench, u"workbench-many"_s);
    EXPECT_GT(test::coloursIn(picture), 30);
}

/// For a person to look at.
TEST_F(WorkbenchTest, pictures) {
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        theme().apply(mode);
        const QString suffix = theme().isDark() ? u"-dark"_s : u"-light"_s;
        for (const int count : {300, 100'000}) {
            Workbench its(nullptr);
            its.setProperty("ground", "surface");
            its.setInOrder(true);
            its.setPoints(sharedPoints(madeUpPoints(static_cast<std::size_t>(count))));
            its.resize(1500, 700);
            its.show();
            its.selection().setRange(kTime, PointSelection::Range{0, 0.03});
            its.selection().choose(17);
            its.selection().setPin(PointSelection::Pin::a, 40);
            for (const char* picture : {"scatter", "matrix", "progress"}) {
                its.showPicture(QLatin1String(picture));
                waitUntil([] { return false; }, 150);
                EXPECT_GT(test::coloursIn(test::savePicture(
                              its, u"workbench-%1-%2%3"_s.arg(QLatin1String(picture)).arg(count).arg(suffix))),
                          30)
                    << picture;
            }
            its.showPicture(u"scatter"_s);
            its.selection().setColour(count == 300 ? 6 : 2);
            its.selection().clearRanges();
            for (auto* each : its.findChildren<QToolButton*>())
                if (each->text() == u"Filters"_s) each->click();
            waitUntil([] { return false; }, 150);
            test::savePicture(its, u"workbench-colours-%1%2"_s.arg(count).arg(suffix));
        }
    }
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui

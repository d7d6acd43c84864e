#include "core/report/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/draw/colour_key.h"
#include "core/draw/contour.h"
#include "core/draw/theme.h"
#include "core/report/point_pictures.h"
#include "tests/support/point_table.h"

namespace tessera::report {
namespace {

using explore::PointColumn;
using explore::PointTable;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Points in two values, both the better the lower unless said otherwise.
PointTable pointsAt(std::vector<double> x, std::vector<double> y,
                    PointColumn::Better better = PointColumn::Better::lower) {
    PointTable points;
    for (auto* values : {&x, &y}) {
        PointColumn column{.id = points.columns.empty() ? "x" : "y", .title = points.columns.empty() ? "X" : "Y"};
        column.better = points.columns.empty() ? PointColumn::Better::lower : better;
        column.role = PointColumn::Role::objective;
        column.values = *values;
        points.columns.push_back(column);
    }
    points.reasons.resize(x.size());
    points.marks.resize(x.size());
    return points;
}

TEST(Points, textsSayUnitsAndWords) {
    PointColumn column{.id = "a", .title = "A"};
    EXPECT_EQ(textOf(column, 1234.4), "1,234");
    EXPECT_EQ(textOf(column, kNaN), "–");
    column.unit = "%";
    EXPECT_EQ(textOf(column, 52.3), "52.3 %");
    EXPECT_EQ(titleOf(column), "A (%)");
    column.unit = "×";
    EXPECT_EQ(textOf(column, 1.41), "1.41×");
    EXPECT_EQ(titleOf(column), "A");
    column.unit = "$";
    EXPECT_EQ(textOf(column, 2.874), "$2.87");
    column.unit.clear();
    column.measure = Measure::seconds;
    EXPECT_EQ(textOf(column, 0.0362), "36.2 ms");
    column.words = {"plain", "fused"};
    EXPECT_EQ(textOf(column, 1), "fused");
    EXPECT_EQ(textOf(column, 7), "–");
}

TEST(Points, theFrontRisesAlongXAndLeavesOutWhatIsNoSolution) {
    PointTable points = pointsAt({4, 1, 2, 3, 2, 0.5}, {1, 4, 2, 3, 2, 0.1});
    points.reasons[5] = "too small";
    EXPECT_THAT(frontOf(points, 0, 1), ElementsAre(1, 2, 0)) << "of two alike the first";
    points.marks[2] = explore::kBaseline;
    EXPECT_THAT(frontOf(points, 0, 1), ElementsAre(1, 4, 0)) << "a baseline was not found by the search";
    points.marks[2] |= explore::kFront;
    EXPECT_THAT(frontOf(points, 0, 1), ElementsAre(1, 2, 0));
    PointStates states(6, PointState::shown);
    states[1] = PointState::excluded;
    states[2] = PointState::filtered;
    EXPECT_THAT(frontOf(points, 0, 1, states), ElementsAre(2, 0)) << "brushes change no front";
    points = pointsAt({4, 1, 2, kNaN}, {3, 1, 2, 9}, PointColumn::Better::higher);
    EXPECT_THAT(frontOf(points, 0, 1), ElementsAre(1, 2, 0));
    points.columns[0].better = PointColumn::Better::neither;
    EXPECT_TRUE(frontOf(points, 0, 1).empty());
}

TEST(Points, theKneeIsWhereTheFrontBends) {
    const PointTable points = pointsAt({1, 2, 6, 10}, {1, 8, 9, 10}, PointColumn::Better::higher);
    EXPECT_EQ(kneeOf(points, {0, 1, 2, 3}, 0, 1), 1U);
    EXPECT_EQ(kneeOf(points, {0, 3}, 0, 1), std::nullopt);
}

TEST(Points, whyAPointIsWorthALook) {
    PointTable points = pointsAt({1, 2, 6, 10, 7}, {1, 8, 9, 10, 4}, PointColumn::Better::higher);
    points.names = {"a", "b", "c", "d", "e"};
    points.marks[3] = explore::kChosen;
    const std::vector<std::string> knee = whySentences(points, 1, 0, 1);
    ASSERT_EQ(knee.size(), 4U);
    EXPECT_EQ(knee[0], "b is one of 4 on the front of y and x.");
    EXPECT_THAT(knee[1], HasSubstr("the knee"));
    EXPECT_EQ(knee[2], "To the one before on the front, a: 50 % less x for 88 % less y.");
    EXPECT_EQ(knee[3], "To the next on the front, c: 12 % more y for 3× as much x.");
    EXPECT_EQ(whySentences(points, 3, 0, 1)[0], "d is what the search chose.");
    EXPECT_EQ(whySentences(points, 3, 0, 1)[1], "No other of 5 solutions is better than d in y, 10.");
    EXPECT_EQ(whySentences(points, 4, 0, 1),
              std::vector<std::string>{"In y and x b is at least as good in both: 8 against 4, 2 against 7."});
    points.reasons[4] = "it does not fit";
    EXPECT_EQ(whySentences(points, 4, 0, 1), std::vector<std::string>{"e is no solution: it does not fit."});
    EXPECT_TRUE(whySentences(points, 9, 0, 1).empty());
}

TEST(Points, aLabelStandsForALongName) {
    PointTable points = pointsAt({1, 2}, {1, 8}, PointColumn::Better::higher);
    EXPECT_EQ(report::labelOf(points, 1), "point 2");
    points.names = {"a", "b, in many words"};
    EXPECT_EQ(report::labelOf(points, 1), "b, in many words");
    points.labels = {"", "b"};
    EXPECT_EQ(report::labelOf(points, 0), "a");
    EXPECT_EQ(report::labelOf(points, 1), "b");
    EXPECT_EQ(nameOf(points, 1), "b, in many words");
}

TEST(Points, twoPointsAreCompared) {
    PointTable points = test::madeUpPoints(20);
    points.names.assign(20, "p");
    const Table table = comparisonOf(points, 3, 5);
    ASSERT_EQ(table.rows.size(), points.columns.size() + 1);
    EXPECT_EQ(table.rows[0][1], "p");
    const std::vector<double>& cost = points.columns[0].values;
    EXPECT_EQ(table.rows[1][0], "Cost");
    EXPECT_EQ(table.rows[1][4], cost[3] < cost[5] ? "A" : "B");
    const std::vector<double>& rate = points.columns[2].values;
    EXPECT_EQ(table.rows[3][4], rate[3] > rate[5] ? "A" : "B");
    EXPECT_TRUE(comparisonOf({}, 0, 1).rows.empty());
    for (const std::vector<std::string>& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
}

TEST(Points, whatIsShownGoesIntoASheetInFullPrecision) {
    PointTable points = pointsAt({1.0 / 3, 2}, {4, kNaN});
    points.names = {"=one", "two, or more"};
    points.marks = {explore::kFront | explore::kChosen, 0};
    points.reasons[1] = "no y";
    EXPECT_EQ(toCsv(points),
              "name,x,y,marks,reason\r\n'=one,0.3333333333333333,4,front chosen,\r\n\"two, or more\",2,,,no y\r\n");
    EXPECT_EQ(toCsv(points, {PointState::filtered, PointState::shown}),
              "name,x,y,marks,reason\r\n\"two, or more\",2,,,no y\r\n");
}

TEST(Points, noBrushChangesTheFront) {
    const PointTable points = test::madeUpPoints(400);
    PointStates states(points.size(), PointState::shown);
    for (std::size_t i = 0; i < points.size(); i += 2) states[i] = PointState::filtered;
    const ScatterFront front = scatterFrontOf(points, 0, 1);
    EXPECT_GT(front.points.size(), 3U);
    EXPECT_TRUE(front.knee);
    EXPECT_EQ(scatterFrontOf(points, 0, 1, states).points, front.points);
    // So it is taken where it is known.
    const PointScatter scatter = scatterOf(points, {.x = 0, .y = 1, .states = states, .front = &front});
    EXPECT_EQ(scatter.front, front.points);
    EXPECT_EQ(scatter.knee, front.knee);
    states[front.points[1]] = PointState::excluded;
    EXPECT_NE(scatterFrontOf(points, 0, 1, states).points, front.points);
    EXPECT_THAT(shownRows({PointState::shown, PointState::filtered, PointState::excluded}), ElementsAre(1, 0, 0));
    EXPECT_TRUE(shownRows({}).empty());
}

// ---------------------------------------------------------------------------------------------------- pictures

std::size_t countOf(const PointScatter& scatter, std::string_view id) {
    std::size_t count = 0;
    for (const Series& series : scatter.chart.series)
        if (series.id.starts_with(id)) count += series.x.size();
    return count;
}

TEST(PointPictures, aScatterHasEveryPointOnceWhateverIsShown) {
    const PointTable points = test::madeUpPoints(500);
    PointStates states(points.size(), PointState::shown);
    for (std::size_t i = 0; i < 100; ++i) states[i] = i < 40 ? PointState::excluded : PointState::filtered;
    const PointScatter scatter = scatterOf(points, {.x = 0, .y = 1, .states = states});
    std::set<std::uint32_t> seen;
    for (const auto& series : scatter.points)
        for (const std::uint32_t point : series) EXPECT_TRUE(seen.insert(point).second);
    EXPECT_EQ(seen.size(), 460U);
    EXPECT_EQ(countOf(scatter, "filtered-"), 60U);
    EXPECT_EQ(countOf(scatter, "failed"), 4U) << "of 5 points that are no solution, one is filtered out";
}

TEST(PointPictures, theFrontsStepsGoAlongWhatIsReached) {
    for (const auto better : {PointColumn::Better::lower, PointColumn::Better::higher}) {
        const bool up = better == PointColumn::Better::higher;
        const PointTable points =
            pointsAt({1, 2, 4}, up ? std::vector<double>{1, 3, 5} : std::vector<double>{5, 3, 1}, better);
        const PointScatter scatter = scatterOf(points, {.x = 0, .y = 1});
        const auto steps = std::find_if(scatter.chart.series.begin(), scatter.chart.series.end(),
                                        [](const Series& series) { return series.id == "front"; });
        ASSERT_NE(steps, scatter.chart.series.end());
        EXPECT_THAT(steps->x, ElementsAre(1, 2, 2, 4, 4));
        EXPECT_EQ(steps->y[1], steps->y[0]) << "between two points as good as the one that costs less";
    }
}

TEST(PointPictures, coloursAreOfARampOrOfCategories) {
    const PointTable points = test::madeUpPoints(300);
    const PointTones ramp = tonesOf(points, 1);
    const std::vector<double>& time = points.columns[1].values;
    const auto slowest = static_cast<std::size_t>(std::max_element(time.begin(), time.end()) - time.begin());
    EXPECT_EQ(ramp.tones[slowest], ramp.key.palette.size() - 1);
    EXPECT_TRUE(ramp.key.names.empty());
    EXPECT_EQ(ramp.key.high, textOf(points.columns[1], time[slowest]));
    const PointTones kinds = tonesOf(points, 6);
    EXPECT_THAT(kinds.key.names, ElementsAre("plain", "fused", "sparse"));
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(kinds.tones[i], points.columns[6].values[i]);
    const Chart chart = scatterOf(points, {.x = 0, .y = 1, .colour = 6, .size = 3}).chart;
    const std::string svg = toSvg(chart, Theme(ThemeKind::light));
    for (const std::string& name : kinds.key.names) EXPECT_THAT(svg, HasSubstr(name));
    EXPECT_THAT(svg, HasSubstr("Size: Memory"));
}

/// Strokes of the lines of a picture of parallel axes.
std::set<std::string> strokesOf(const ParallelPicture& picture, const ParallelView& view = {}) {
    std::set<std::string> strokes;
    for (const Shape& shape : layOut(picture, view, {1000, 400}, estimatedWidth).drawing.shapes)
        if (const auto* lines = std::get_if<Segments>(&shape)) strokes.insert(lines->stroke);
    return strokes;
}

TEST(PointPictures, everyCategoryHasItsColourAndWhatHasNoValueIsGrey) {
    for (const std::size_t count : {std::size_t{300}, std::size_t{30'000}}) {
        PointTable points = test::madeUpPoints(count);
        const std::set<std::string> kinds{std::string(kCategories[0]), std::string(kCategories[1]),
                                          std::string(kCategories[2])};
        EXPECT_EQ(strokesOf(parallelOf(points, {0, 1, 3}, 6)), kinds) << "the first one is no background";
        EXPECT_TRUE(strokesOf(parallelOf(points, {0, 1, 3})).contains(std::string(kBackgroundLines)));
        // Where only some have the value, the others are neither the first category nor the least of a ramp.
        for (std::size_t i = 0; i < count; ++i) {
            points.columns[6].values[i] = i % 3 == 0 ? 2 : kNaN;
            if (i % 3 != 0) points.columns[2].values[i] = kNaN;
        }
        for (const std::size_t colour : {std::size_t{6}, std::size_t{2}}) {
            const PointTones tones = tonesOf(points, colour);
            EXPECT_EQ(tones.tones[1], kNoTone);
            EXPECT_NE(tones.tones[3], kNoTone);
            EXPECT_EQ(colourOf(tones.key, tones.tones[1]), "disabled");
            EXPECT_TRUE(strokesOf(parallelOf(points, {0, 1, 3}, colour)).contains("disabled"));
            EXPECT_FALSE(strokesOf(parallelOf(points, {0, 1, 3}, colour)).contains(std::string(kCategories[0])));
            std::set<std::string> fills;
            for (const Shape& shape : layOut(scatterOf(points, {.x = 0, .y = 1, .colour = colour, .whole = true}).chart,
                                             {}, {900, 600}, estimatedWidth)
                                          .front.shapes) {
                if (const auto* dot = std::get_if<Marker>(&shape)) fills.insert(dot->fill);
                if (const auto* hexagon = std::get_if<Path>(&shape)) fills.insert(hexagon->fill);
            }
            for (const Shape& shape :
                 layOut(matrixOf(points, {0, 1}, colour), {}, {600, 400}, estimatedWidth).drawing.shapes)
                if (const auto* dot = std::get_if<Marker>(&shape)) fills.insert(dot->fill);
            EXPECT_TRUE(fills.contains("disabled"));
            EXPECT_FALSE(fills.contains(std::string(kCategories[0])));
        }
    }
}

TEST(PointPictures, whatSharesAPlaceHasTheMeanOfARampOrTheMostFrequentCategory) {
    ColourKey ramp{.palette = {"a", "b", "c", "d"}, .low = "0", .high = "1"};
    ColourKey kinds{.palette = ramp.palette, .names = {"A", "B", "C", "D"}};
    TonesOfPlaces means(ramp, 3), most(kinds, 3);
    for (TonesOfPlaces* its : {&means, &most}) {
        for (const std::size_t tone : {std::size_t{0}, std::size_t{0}, std::size_t{3}, std::size_t{3}, std::size_t{3}})
            its->add(1, tone);
        its->add(1, kNoTone);
        its->add(2, kNoTone);
        EXPECT_EQ(its->of(0), kNoTone);
        EXPECT_EQ(its->of(2), kNoTone);
    }
    EXPECT_EQ(means.of(1), 2U) << "1.8, of those that have a tone";
    EXPECT_EQ(most.of(1), 3U) << "not the colour of what lies between";
}

TEST(PointPictures, veryManyPointsAreCountedInHexagons) {
    const PointTable points = test::madeUpPoints(30'000);
    const Chart chart = scatterOf(points, {.x = 0, .y = 1, .whole = true}).chart;
    const ChartLayout layout = layOut(chart, {}, {900, 600}, estimatedWidth);
    double counted = 0;
    std::size_t inHexagons = 0;
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
        if (!layout.counted[s]) continue;
        inHexagons += chart.series[s].x.size();
        for (const Hexagon& hexagon : hexagonsOf(chart.series[s], layout)) {
            counted += hexagon.count;
            EXPECT_GT(hexagon.count, 0);
        }
    }
    EXPECT_GT(inHexagons, 29'000U);
    EXPECT_EQ(counted, static_cast<double>(inHexagons));
    std::size_t markers = 0;
    for (const Shape& shape : layout.front.shapes) markers += std::holds_alternative<Marker>(shape) ? 1 : 0;
    EXPECT_LT(markers, 1000U) << "of the front alone";
    // Zoomed in to few, they are points again.
    ChartView near;
    near.x = Stretch{layout.wholeX.low, layout.wholeX.low + layout.wholeX.length() / 20};
    EXPECT_EQ(layOut(chart, near, {900, 600}, estimatedWidth).counted, std::vector<bool>(chart.series.size(), false));
}

TEST(PointPictures, aHexagonHoldsWhatIsNearestToItsMiddle) {
    Series series{.mark = Mark::points};
    RandomStream random(3);
    for (int i = 0; i < 4000; ++i) {
        series.x.push_back(random.uniform());
        series.y.push_back(random.uniform());
    }
    Chart chart{.id = "c", .title = "c", .series = {series}};
    const ChartLayout layout = layOut(chart, {}, {500, 400}, estimatedWidth);
    const std::vector<Hexagon> all = hexagonsOf(series, layout);
    std::vector<double> nearest(all.size(), 0);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
        const Point at{layout.x.pixel(series.x[i]), layout.y.pixel(series.y[i])};
        if (!layout.plot.contains(at)) continue;
        const auto away = [&](const Hexagon& hexagon) {
            return std::hypot(hexagon.middle.x - at.x, hexagon.middle.y - at.y);
        };
        const auto its = std::min_element(all.begin(), all.end(),
                                          [&](const Hexagon& a, const Hexagon& b) { return away(a) < away(b); });
        ++nearest[static_cast<std::size_t>(its - all.begin())];
    }
    for (std::size_t h = 0; h < all.size(); ++h) EXPECT_EQ(all[h].count, nearest[h]);
}

TEST(PointPictures, parallelAxesBundleVeryManyLines) {
    for (const std::size_t count : {std::size_t{200}, std::size_t{20'000}}) {
        const PointTable points = test::madeUpPoints(count);
        const ParallelPicture picture = parallelOf(points, tellingValues(points, 7));
        ASSERT_EQ(picture.axes.size(), 7U);
        ParallelView view;
        view.brushes.resize(7);
        view.brushes[0] = Stretch{0, 60};
        const ParallelLayout layout = layOut(picture, view, {1000, 400}, estimatedWidth);
        std::size_t lines = 0;
        for (const Shape& shape : layout.drawing.shapes)
            if (const auto* segments = std::get_if<Segments>(&shape)) lines += segments->points.size() / 2;
        EXPECT_LT(lines, 12'000U);
        if (count == 200) {
            EXPECT_EQ(lines, 6 * (count - 2)) << "two are no solutions";
        }
        // How many are bundled stands below all other texts.
        for (const Shape& shape : layout.drawing.shapes)
            if (const auto* label = std::get_if<Label>(&shape)) {
                EXPECT_EQ(label->at.y > layout.bottom + 20, label->text.ends_with("lines, bundled")) << label->text;
            }
        // The brush says how many lie in it.
        const auto inBrush = std::count_if(picture.axes[0].values.begin(), picture.axes[0].values.end(),
                                           [](double value) { return value <= 60; });
        EXPECT_TRUE(std::any_of(layout.drawing.shapes.begin(), layout.drawing.shapes.end(), [&](const Shape& shape) {
            const auto* label = std::get_if<Label>(&shape);
            return label != nullptr && label->text == formatCount(inBrush);
        })) << inBrush;
    }
}

TEST(PointPictures, longTitlesOfAxesStandInTwoLines) {
    PointTable points = test::madeUpPoints(50);
    const auto titles = [&](double width) {
        std::map<std::string, double> heights;
        const ParallelLayout layout =
            layOut(parallelOf(points, {0, 1, 2, 3, 4}), ParallelView(), {width, 300}, estimatedWidth);
        for (const Shape& shape : layout.drawing.shapes)
            if (const auto* label = std::get_if<Label>(&shape);
                label != nullptr && label->strong && label->size == 11) {
                EXPECT_LT(label->at.y, layout.top);
                EXPECT_GT(label->at.y, layout.head);
                heights[label->text] = label->at.y;
            }
        return heights;
    };
    EXPECT_EQ(titles(700).size(), 5U) << "all have room";
    points.columns[2].title = "Samples of a second and accelerator";
    const std::map<std::string, double> before = titles(1400), now = titles(700);
    EXPECT_TRUE(before.contains("Samples of a second and accelerator"));
    ASSERT_EQ(now.size(), 6U);
    ASSERT_TRUE(now.contains("Samples of a second") || now.contains("Samples of a")) << now.rbegin()->first;
    const auto first = now.lower_bound("Samples of a");
    EXPECT_LT(first->second, now.at("Cost")) << "the others stand beside the second line";
    EXPECT_EQ(std::count_if(now.begin(), now.end(), [&](const auto& its) { return its.second == now.at("Cost"); }), 5);
}

TEST(PointPictures, linesThatGetStrongerChangeNothingElse) {
    for (const std::size_t count : {std::size_t{50}, std::size_t{20'000}}) {
        const PointTable points = test::madeUpPoints(count);
        const ParallelPicture picture = parallelOf(points, {0, 1, 2, 6});
        const auto at = [&](std::optional<std::size_t> selected, std::optional<std::size_t> pinned) {
            ParallelView view;
            view.brushes = {Stretch{20, 60}};
            view.selected = selected;
            view.pinned = pinned;
            return view;
        };
        const auto laidOut = [&](const ParallelView& view) {
            return layOut(picture, view, {800, 300}, estimatedWidth);
        };
        const Theme theme(ThemeKind::light);
        ParallelLayout layout = laidOut(at({}, {}));
        const std::string plain = toSvg(layout.drawing, theme);
        for (const auto& [selected, pinned] :
             std::vector<std::pair<std::optional<std::size_t>, std::optional<std::size_t>>>{
                 {3, {}}, {3, 7}, {7, 7}, {{}, 4}, {count, {}}, {}}) {
            changeStronger(layout, picture, at(selected, pinned));
            EXPECT_EQ(toSvg(layout.drawing, theme), toSvg(laidOut(at(selected, pinned)).drawing, theme));
            EXPECT_EQ(layout.stronger > 0, toSvg(layout.drawing, theme) != plain);
        }
        // Above all other lines, below the axes.
        changeStronger(layout, picture, at(3, {}));
        const std::vector<Shape>& shapes = layout.drawing.shapes;
        for (std::size_t i = 0; i < shapes.size(); ++i)
            if (std::holds_alternative<Segments>(shapes[i])) {
                EXPECT_LT(i, layout.behind);
            }
        EXPECT_TRUE(std::holds_alternative<Marker>(shapes.at(layout.behind)));
        EXPECT_TRUE(std::holds_alternative<Path>(shapes.at(layout.behind + layout.stronger))) << "the first axis";
    }
    ParallelLayout none = layOut(ParallelPicture(), ParallelView(), {800, 300}, estimatedWidth);
    changeStronger(none, {}, {.selected = 0});
    EXPECT_EQ(none.stronger, 0U);
}

TEST(PointPictures, axesAreOrderedAndTurnedOver) {
    const PointTable points = test::madeUpPoints(50);
    const ParallelPicture picture = parallelOf(points, {0, 1, 2, 6});
    ParallelView view{.order = {2, 0, 3}, .inverted = {true, false, false, false}};
    const ParallelLayout layout = layOut(picture, view, {800, 300}, estimatedWidth);
    EXPECT_THAT(layout.order, ElementsAre(2, 0, 3));
    EXPECT_LT(layout.x[2], layout.x[0]);
    EXPECT_LT(layout.x[0], layout.x[3]);
    EXPECT_TRUE(std::isnan(layout.x[1])) << "not seen";
    EXPECT_LT(layout.scales[0].from, layout.scales[0].to) << "grows downwards";
    EXPECT_GT(layout.scales[2].from, layout.scales[2].to);
    for (const char* word : {"plain", "fused", "sparse"})
        EXPECT_THAT(toSvg(picture, view, Theme(ThemeKind::dark)), HasSubstr(word));
}

TEST(PointPictures, wordsAndCountsOfAxesDoNotLieOnEachOther) {
    PointTable points = test::madeUpPoints(50);
    PointColumn other = points.columns[6];
    other.id = "other";
    other.words = {"a rather long word", "another long word", "the longest word of all"};
    points.columns.push_back(other);
    const ParallelPicture picture = parallelOf(points, {6, 0, 6, 7});
    ParallelView view;
    view.brushes = {Stretch{-0.1, 0.1}, Stretch{20, 60}, Stretch{0.9, 1.1}, Stretch{1.9, 2.1}};
    for (const double width : {420.0, 700.0}) {
        std::vector<std::pair<Rect, std::string>> texts;
        for (const Shape& shape : layOut(picture, view, {width, 400}, estimatedWidth).drawing.shapes) {
            const auto* label = std::get_if<Label>(&shape);
            if (label == nullptr || !label->halo) continue;
            const double wide = estimatedWidth(label->text, label->size, label->strong);
            const double x = label->anchor == Anchor::start ? label->at.x : label->at.x - wide;
            texts.emplace_back(Rect{x, label->at.y - 8, wide, 9}, label->text);
        }
        ASSERT_EQ(texts.size(), 3U * 3 + 4);
        for (std::size_t a = 0; a < texts.size(); ++a)
            for (std::size_t b = 0; b < a; ++b)
                EXPECT_TRUE(texts[a].first.right() <= texts[b].first.x || texts[b].first.right() <= texts[a].first.x ||
                            texts[a].first.bottom() <= texts[b].first.y || texts[b].first.bottom() <= texts[a].first.y)
                    << texts[a].second << " on " << texts[b].second << " at " << width;
    }
}

TEST(PointPictures, aMatrixHasAFieldForEveryTwoValues) {
    for (const std::size_t count : {std::size_t{100}, std::size_t{20'000}}) {
        const PointTable points = test::madeUpPoints(count);
        PointStates states(count, PointState::filtered);
        states[0] = PointState::shown;
        const MatrixPicture picture = matrixOf(points, {0, 1, 4, 5}, std::nullopt, states);
        const MatrixLayout layout = layOut(picture, {.selected = 0}, {800, 600}, estimatedWidth);
        EXPECT_EQ(layout.cells.size(), 10U);
        for (const MatrixCell& cell : layout.cells) {
            EXPECT_GE(cell.area.x, 0);
            EXPECT_LE(cell.area.right(), 800);
            EXPECT_LE(cell.area.bottom(), 600);
            for (std::size_t row = 0; row < count; ++row)
                if (const auto at = placeOf(picture, layout, cell, row)) {
                    EXPECT_TRUE(cell.area.contains(*at));
                }
        }
        EXPECT_LT(layout.drawing.shapes.size(), 30'000U);
        EXPECT_THAT(toSvg(picture, Theme(ThemeKind::light)), HasSubstr("Cost"));
    }
}

TEST(PointPictures, aMatrixSaysHowValuesAreCorrelated) {
    const auto line = [](const char* title, std::vector<double> values, bool logarithmic) {
        return MatrixPicture::Line{.axis = {.title = title, .logarithmic = logarithmic}, .values = std::move(values)};
    };
    MatrixPicture picture{.id = "matrix", .title = "Four values", .axes = {}, .rows = 5};
    picture.axes = {line("rising", {1, 2, 3, 4, 5}, false), line("falling", {10, 8, 6, 4, 2}, false),
                    line("powers", {10, 100, 1e3, 1e4, 1e5}, true), line("constant", {7, 7, 7, 7, 7}, false)};
    const std::vector<std::vector<double>> found = sharesOf(picture).correlations;
    EXPECT_NEAR(found[0][1], -1, 1e-6);
    EXPECT_NEAR(found[1][0], -1, 1e-6);
    EXPECT_NEAR(found[0][2], 1, 1e-6) << "of the logarithms";
    EXPECT_TRUE(std::isnan(found[0][3]));
    const std::string svg = toSvg(picture, Theme(ThemeKind::light));
    EXPECT_THAT(svg, HasSubstr("r = −1.00"));
    EXPECT_THAT(svg, HasSubstr("r = 1.00"));
    picture.axes[1].values = {1, -1, 0, -1, 1};
    EXPECT_NEAR(sharesOf(picture).correlations[0][1], 0, 1e-6);
}

TEST(PointPictures, theBestSoFarNeverGetsWorse) {
    const PointTable points = test::madeUpPoints(300);
    for (const std::size_t column : {std::size_t{0}, std::size_t{2}}) {
        const Chart chart = bestSoFarChart(points, column);
        ASSERT_EQ(chart.series.size(), 2U);
        const Series& best = chart.series[1];
        const bool higher = points.columns[column].better == PointColumn::Better::higher;
        for (std::size_t i = 1; i < best.y.size(); ++i)
            EXPECT_TRUE(higher ? best.y[i] >= best.y[i - 1] : best.y[i] <= best.y[i - 1]);
        EXPECT_EQ(best.x.back(), 300);
        EXPECT_EQ(chart.series[0].x.size(), 297U) << "without those that are no solutions";
    }
}

TEST(PointPictures, theHypervolumeGrowsToThatOfTheFront) {
    PointTable points = pointsAt({3, 1, 2, 2, 1.5}, {1, 3, 2, 2.5, 1.5});
    const Chart chart = hypervolumeChart(points);
    ASSERT_EQ(chart.series.size(), 1U);
    const Series& reached = chart.series[0];
    EXPECT_TRUE(std::is_sorted(reached.y.begin(), reached.y.end()));
    EXPECT_EQ(reached.x.back(), 5);
    // Corners of the box dominate nothing; (2, 2) a quarter of it, then (1.5, 1.5) three quarters squared.
    EXPECT_THAT(reached.y, ElementsAre(0, 25, 56.25));
    points.columns[1].role = PointColumn::Role::metric;
    EXPECT_TRUE(hypervolumeChart(points).series.empty()) << "of one objective";
    EXPECT_TRUE(hypervolumeChart({}).series.empty());
}

TEST(Contour, linesGoWhereTheValueIsReached) {
    // A hill: circles about its middle.
    constexpr std::size_t kSide = 41;
    std::vector<double> values;
    for (std::size_t row = 0; row < kSide; ++row)
        for (std::size_t column = 0; column < kSide; ++column)
            values.push_back(std::hypot(static_cast<double>(column) - 20, static_cast<double>(row) - 20));
    const auto lines = isolines(values, kSide, kSide, 12.5);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].front().x, lines[0].back().x);
    EXPECT_EQ(lines[0].front().y, lines[0].back().y);
    for (const Point& point : lines[0]) EXPECT_NEAR(std::hypot(point.x - 20, point.y - 20), 12.5, 0.05);
    EXPECT_EQ(isolines(values, kSide, kSide, 24).size(), 4U) << "cut off at the corners";
    EXPECT_TRUE(isolines(values, kSide, kSide, 100).empty());
    // A saddle, whose middle belongs to the higher corners: the lower ones are cut off.
    for (const double high : {3.0, 1.5}) {
        const auto saddle = isolines({high, 0, 0, high}, 2, 2, 1);
        ASSERT_EQ(saddle.size(), 2U);
        EXPECT_EQ(saddle[0].size(), 2U);
        const bool cutsLow = (saddle[0][0].x + saddle[0][1].x > 1) != (saddle[0][0].y + saddle[0][1].y > 1);
        EXPECT_EQ(cutsLow, high == 3.0);
    }
}

}  // namespace
}  // namespace tessera::report

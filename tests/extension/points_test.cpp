// Points of whatever kind are a table and a workbench, and a picture of points is a function and a row of the
// workbench: pages, filters, tables, exports and saved views follow.

#include "core/report/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QJsonObject>
#include <algorithm>
#include <string>

#include "tests/support/point_table.h"
#include "tests/support/wait.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/workbench/chart_of_points.h"
#include "ui/views/workbench/filter_panel.h"
#include "ui/views/workbench/point_list.h"
#include "ui/views/workbench/workbench.h"

namespace tessera::ui {
namespace {

using namespace Qt::StringLiterals;
using test::waitUntil;
using testing::HasSubstr;

/// How many points have which value, as no picture of the product says it.
report::Chart toyCounts(const ChartOfPoints::Input& its) {
    const explore::PointColumn& of = its.points.columns[its.columns[0]];
    report::Series bars{.id = "counts", .name = "designs", .mark = report::Mark::bars, .colour = "accent"};
    report::Chart chart{.id = "toy-counts", .title = "Designs by " + of.title};
    for (std::size_t word = 0; word < of.words.size(); ++word) {
        chart.x.categories.push_back(of.words[word]);
        bars.x.push_back(static_cast<double>(word));
        bars.y.push_back(
            static_cast<double>(std::count(of.values.begin(), of.values.end(), static_cast<double>(word))));
    }
    chart.series = {std::move(bars)};
    return chart;
}

Workbench::Picture toyPicture(Workbench& bench) {
    auto* pane = new ChartOfPoints(
        bench.selection(),
        {.name = u"Designs by kind"_s,
         .choices = {{u"Of"_s, [](const explore::PointColumn& column) { return !column.words.empty(); }}},
         .make = toyCounts},
        &bench);
    return {.id = u"toy-counts"_s,
            .title = u"Counts"_s,
            .help = u"How many designs are of a kind"_s,
            .pane = pane,
            .offered = [pane] { return pane->applies(); }};
}

TEST(ToyPoints, areSeenFilteredListedAndExported) {
    Workbench bench(nullptr);
    bench.resize(900, 640);
    bench.show();
    constexpr int kCount = 60;
    bench.setPoints(test::sharedPoints(test::madeUpPoints(kCount)));
    EXPECT_TRUE(waitUntil([&] { return !bench.plot()->chart().series.empty(); }));
    EXPECT_THAT(bench.plot()->chart().title, HasSubstr("of 60 designs"));
    EXPECT_EQ(bench.selection().shownCount(), static_cast<std::size_t>(kCount));
    bench.selection().setRange(6, PointSelection::Range{0, 0});  // of one kind
    const std::size_t shown = bench.selection().shownCount();
    EXPECT_GT(shown, 0U);
    EXPECT_LT(shown, static_cast<std::size_t>(kCount));
    const QVector<Exportable> all = bench.exportables();
    const auto csv = std::find_if(all.begin(), all.end(), [](const Exportable& what) { return bool(what.csv); });
    ASSERT_NE(csv, all.end());
    const std::string text = csv->csv();
    EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), shown + 1) << "and a head";
    EXPECT_THAT(text, HasSubstr("plain"));
    EXPECT_THAT(text, testing::Not(HasSubstr("fused")));
}

TEST(ToyPoints, aPictureIsOfferedDrawnExportedAndKeptInViews) {
    Workbench bench(nullptr);
    bench.resize(900, 640);
    bench.addPicture(toyPicture(bench));
    bench.show();
    EXPECT_FALSE(bench.pictures().contains(u"toy-counts"_s)) << "without points there is nothing to count";
    bench.setPoints(test::sharedPoints(test::madeUpPoints(60)));
    EXPECT_TRUE(bench.pictures().contains(u"toy-counts"_s));
    bench.showPicture(u"toy-counts"_s);
    EXPECT_EQ(bench.seen(), QStringList{u"toy-counts"_s});
    ASSERT_TRUE(waitUntil([&] {
        const QVector<Exportable> all = bench.exportables();
        return std::any_of(all.begin(), all.end(), [](const Exportable& what) {
            return what.svg &&
                   what.svg(report::Theme(report::ThemeKind::light)).find("Designs by Kind") != std::string::npos;
        });
    }));
    const QJsonObject state = bench.saveState();
    Workbench other(nullptr);
    other.resize(900, 640);
    other.addPicture(toyPicture(other));
    other.show();
    other.setPoints(test::sharedPoints(test::madeUpPoints(60)));
    other.restoreState(state);
    EXPECT_EQ(other.seen(), QStringList{u"toy-counts"_s});
}

}  // namespace
}  // namespace tessera::ui

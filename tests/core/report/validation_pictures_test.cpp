#include "core/report/validation_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/draw/theme.h"
#include "core/report/validation_tables.h"

namespace tessera::report {
namespace {

using physical::Estimate;
using physical::Validation;
using physical::ValidationRow;
using testing::ElementsAre;
using testing::HasSubstr;

ValidationRow rowOf(const std::string& set, const std::string& metric, double measured, double predicted,
                    std::size_t file = 0) {
    ValidationRow row{.set = set, .part = metric, .id = set + "-row", .metric = metric, .measured = measured};
    row.prediction.estimate = Estimate{predicted, predicted * 0.8, predicted * 1.2};
    row.absolute = metric == "bubble_share";
    row.file = file;
    row.error = physical::errorOf(row);
    return row;
}

Validation small() {
    Validation validation{.files = {"training.csv", "kernels/a100.csv"}, .kinds = {"training", "kernels"}};
    validation.rows = {rowOf("one", "step_s", 2, 2.2),
                       rowOf("one", "step_s", 4, 3),
                       rowOf("two", "step_s", 1, 1),
                       rowOf("two", "memory_bytes", 4e10, 5e10),
                       rowOf("a100", "seconds", 1e-4, 2e-4, 1),
                       rowOf("bubbles", "bubble_share", 0.25, 0.24)};
    validation.rows.push_back(
        {.set = "two", .id = "refused", .metric = "step_s", .measured = 3, .prediction = {.refused = "no"}});
    return validation;
}

std::vector<std::size_t> rowsIn(const Validation& validation, const std::string& quantity) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < validation.rows.size(); ++i)
        if (quantityOf(validation, validation.rows[i]) == quantity) rows.push_back(i);
    return rows;
}

const ValidationQuantity& quantityNamed(const std::vector<ValidationQuantity>& all, std::string_view id) {
    return *std::find_if(all.begin(), all.end(), [&](const ValidationQuantity& each) { return each.id == id; });
}

TEST(ValidationPictures, everyQuantityHasOneUnitAndStrangersTheirMetric) {
    Validation validation = small();
    validation.kinds.emplace_back("of somebody else");
    validation.files.emplace_back("other.csv");
    validation.rows.push_back(rowOf("other", "wishes", 1, 2, 2));
    std::vector<std::string> ids;
    for (const ValidationQuantity& each : quantitiesOf(validation)) ids.push_back(each.id);
    EXPECT_THAT(ids, ElementsAre("step", "memory", "kernels", "bubble", "wishes"));
    const std::vector<ValidationQuantity> all = quantitiesOf(validation);
    EXPECT_EQ(valueText(quantityNamed(all, "step"), 0.0362), "36.2 ms");
    EXPECT_EQ(valueText(quantityNamed(all, "memory"), 41.3e9), "41.3 GB");
    EXPECT_EQ(valueText(quantityNamed(all, "bubble"), 0.25), "25 %");
    EXPECT_EQ(valueText(quantityNamed(all, "wishes"), 2), "2");
}

TEST(ValidationPictures, deviationsHaveTheirSignAndNoMoreDigitsThanTheyNeed) {
    EXPECT_EQ(deviationText(rowOf("s", "step_s", 2, 2.2)), "+10 %");
    EXPECT_EQ(deviationText(rowOf("s", "step_s", 4, 3.9)), "−2.5 %");
    EXPECT_EQ(deviationText(rowOf("s", "step_s", 2, 1.99999)), "0.0 %");
    EXPECT_EQ(deviationText(rowOf("s", "step_s", 1, 48)), "+4,700 %");
    EXPECT_EQ(deviationText(rowOf("s", "bubble_share", 0.25, 0.24)), "−1.0 points");
    EXPECT_EQ(deviationText({.measured = 1, .prediction = {.refused = "no"}}), "");
}

TEST(ValidationPictures, pointsStandAtTheirValuesByTheirSetsBesideTheLineAndTheBand) {
    const Validation validation = small();
    const ValidationPicture picture =
        validationPicture(validation, quantityNamed(quantitiesOf(validation), "step"), rowsIn(validation, "step"));
    const std::vector<Series>& series = picture.chart.series;
    ASSERT_EQ(series.size(), 4U);
    EXPECT_EQ(series[0].mark, Mark::band);
    EXPECT_DOUBLE_EQ(series[0].y.front() / series[0].x.front(), 1.2);
    EXPECT_DOUBLE_EQ(series[0].low.back() / series[0].x.back(), 0.8);
    EXPECT_EQ(series[1].x, series[1].y);
    EXPECT_TRUE(series[1].reference);
    EXPECT_EQ(series[2].id, "one");
    EXPECT_THAT(series[2].x, ElementsAre(2, 4));
    EXPECT_THAT(series[2].y, ElementsAre(2.2, 3));
    EXPECT_NE(series[2].colour, series[3].colour);
    EXPECT_THAT(picture.rows, ElementsAre(ElementsAre(), ElementsAre(), ElementsAre(0, 1), ElementsAre(2)));
    EXPECT_EQ(picture.shown, 3U);
    EXPECT_TRUE(picture.chart.x.logarithmic && picture.chart.y.logarithmic);
    EXPECT_EQ(picture.chart.title, "Step time: 50 % of 4 rows predicted within 20 %");
    ASSERT_EQ(picture.chart.notes.size(), 1U);
    EXPECT_THAT(picture.chart.notes[0], HasSubstr("1 row"));
    EXPECT_THAT(toSvg(picture.chart, Theme(ThemeKind::light)), HasSubstr("within 20 %"));
}

TEST(ValidationPictures, nothingToDrawSaysWhatToDo) {
    const Validation validation = small();
    const ValidationPicture picture =
        validationPicture(validation, quantityNamed(quantitiesOf(validation), "step"), {});
    EXPECT_TRUE(picture.chart.series.empty());
    EXPECT_THAT(picture.chart.empty, HasSubstr("Choose more sets"));
}

Validation large(std::size_t rows, std::size_t sets) {
    Validation validation{.files = {"kernels/a100.csv"}, .kinds = {"kernels"}};
    for (std::size_t i = 0; i < rows; ++i) {
        const double measured = 1e-6 * std::pow(1.0003, static_cast<double>(i % 9000));
        validation.rows.push_back(rowOf("set-" + std::to_string(i % sets), "seconds", measured,
                                        measured * (1 + 0.1 * std::sin(static_cast<double>(i)))));
    }
    return validation;
}

TEST(ValidationPictures, veryManyPointsAreThinnedTheSameWayAndTheChosenOneStays) {
    const Validation validation = large(40'000, 5);
    std::vector<std::size_t> rows(validation.rows.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const ValidationQuantity quantity = quantitiesOf(validation).front();
    const ValidationPicture picture = validationPicture(validation, quantity, rows);
    EXPECT_EQ(picture.drawable, 40'000U);
    EXPECT_LT(picture.shown, 15'000U);
    EXPECT_GT(picture.shown, 1'000U);
    EXPECT_THAT(picture.chart.notes.front(), HasSubstr("of 40,000 points shown"));
    std::set<std::size_t> shown;
    for (const std::vector<std::size_t>& each : picture.rows) shown.insert(each.begin(), each.end());
    const auto missing = std::find_if(rows.begin(), rows.end(), [&](std::size_t i) { return !shown.contains(i); });
    ASSERT_NE(missing, rows.end());
    const ValidationPicture again = validationPicture(validation, quantity, rows);
    EXPECT_EQ(again.rows, picture.rows);
    const ValidationPicture with = validationPicture(validation, quantity, rows, *missing);
    EXPECT_TRUE(std::any_of(with.rows.begin(), with.rows.end(), [&](const std::vector<std::size_t>& each) {
        return std::find(each.begin(), each.end(), *missing) != each.end();
    }));
}

TEST(ValidationPictures, ofVeryManySetsTheSmallerOnesShareAColour) {
    const Validation validation = large(200, 20);
    std::vector<std::size_t> rows(validation.rows.size());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    const ValidationPicture picture = validationPicture(validation, quantitiesOf(validation).front(), rows);
    EXPECT_EQ(picture.chart.series.size(), 2U + 7U + 1U);
    EXPECT_EQ(picture.chart.series.back().name, "other sets");
    EXPECT_EQ(picture.shown, 200U);
    std::set<std::string> colours;
    for (std::size_t s = 2; s < picture.chart.series.size(); ++s) colours.insert(picture.chart.series[s].colour);
    EXPECT_EQ(colours.size(), 8U);
}

TEST(ValidationPictures, sheetsHaveFullPrecisionAndTheReasonOfARefusal) {
    const Validation validation = small();
    const Table rows = exactRowTable(validation, {1, 6});
    ASSERT_EQ(rows.rows.size(), 2U);
    EXPECT_EQ(rows.rows[0][0], "one");
    EXPECT_EQ(rows.rows[0][3], "4");
    EXPECT_EQ(rows.rows[0][4], "3");
    EXPECT_EQ(rows.rows[1][4], "");
    EXPECT_EQ(rows.rows[1].back(), "no");
    EXPECT_EQ(rows.rows[1].size(), rows.columns.size());
    Validation sets = small();
    sets.sets = {{.set = "one", .errors = {.rows = 2, .predicted = 2, .mean = 0.125}}};
    EXPECT_EQ(exactSetTable(sets).rows.front().at(3), "0.125");
}

}  // namespace
}  // namespace tessera::report

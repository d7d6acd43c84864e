#include <gtest/gtest.h>

#include <map>

#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/draw/drawing.h"
#include "core/draw/table.h"
#include "core/draw/theme.h"
#include "core/report/catalogue.h"
#include "core/report/partition_report.h"
#include "core/report/prediction_report.h"
#include "core/report/report_document.h"
#include "core/report/strategy_colour.h"
#include "core/study/partition/outcome.h"
#include "core/study/prediction/outcome.h"
#include "tests/support/partition_result.h"
#include "tests/support/prediction_result.h"

namespace tessera::report {
namespace {

const study::PartitionOutcome& partitionOf(const study::Result& result) {
    return result.outcome.get<study::PartitionOutcome>();
}

std::size_t timesIn(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

TEST(Table, alignsColumnsByCharactersNotBytes) {
    Table table;
    table.columns = {{"name"}, {"value", true}};
    table.rows = {{"naïve", "1"}, {"x", "200"}};
    EXPECT_EQ(toText(table), "name   value\nnaïve      1\nx        200\n");
}

TEST(Table, showsNamesFromStrangersEscaped) {
    Table table;
    table.columns = {{"name"}};
    table.rows = {{"a\nb\x1B[31m"}};
    EXPECT_EQ(toText(table), "name\na\\x0Ab\\x1B[31m\n");
    EXPECT_EQ(htmlEscaped("<b>&\"'"), "&lt;b&gt;&amp;&quot;&#39;");
}

TEST(Table, quotesCellsOfCsv) {
    Table table;
    table.columns = {{"a"}, {"b"}};
    table.rows = {{"1,2", "say \"hi\""}};
    EXPECT_EQ(toCsv(table), "a,b\r\n\"1,2\",\"say \"\"hi\"\"\"\r\n");
}

TEST(PartitionReport, beginsWithTheHeadline) {
    const study::Result result = test::handMadeResult();
    EXPECT_EQ(headline(result), "6.31× over data parallelism · 36.2 ms/step · proven optimal · accpar");
    EXPECT_TRUE(toText(result).starts_with(headline(result) + "\n"));
}

TEST(PartitionReport, listsTheSubsetsOfTheFleet) {
    const study::Result result = test::handMadeResult();
    EXPECT_EQ(
        subsetTable(partitionOf(result).result.plans[0]).rows,
        (std::vector<std::vector<std::string>>{{"none", "4", "36.2 ms", "6.31×", "36.2 ms", "proven optimal"},
                                               {"slow", "2", "45.8 ms", "4.99×", "40 ms", "optimality gap ≤ 15 %"},
                                               {"fast", "2", "100 ms", "2.28×", "100 ms", "proven optimal"}}));
}

TEST(PartitionReport, summarisesTypesAsRuns) {
    const study::Result result = test::handMadeResult();
    const Table table = levelTable(partitionOf(result).result.plans[0]);
    EXPECT_EQ(table.rows[0].back(), "I III");
    EXPECT_EQ(table.rows[1].back(), "I×2");
}

TEST(PartitionReport, listsEveryLayerWithFullPrecision) {
    const study::Result result = test::handMadeResult();
    const Table table = layerTable(partitionOf(result));
    EXPECT_EQ(table.rows.size(), 8U);  // two strategies, two splits, two layers
    EXPECT_EQ(table.rows[1],
              (std::vector<std::string>{"accpar", "0", "slow|fast", "fc<1>", "III", "0.25", "0.1", "0.05", "0.05"}));
}

TEST(Html, standsAloneAndFollowsTheReadersTheme) {
    const study::Result result = test::handMadeResult();
    const std::string html = htmlReport("Tour", {{.title = "", .result = &result}}, {});
    EXPECT_NE(html.find("prefers-color-scheme:dark"), std::string::npos);
    EXPECT_EQ(timesIn(html, "http"), timesIn(html, "xmlns=\"http://www.w3.org/2000/svg\"")) << "nothing is fetched";
    EXPECT_EQ(html.find("<script"), std::string::npos);
    EXPECT_EQ(html.find("fc<1>"), std::string::npos);
    EXPECT_NE(html.find("6.31× over data parallelism"), std::string::npos);
    EXPECT_EQ(html, htmlReport("Tour", {{.title = "", .result = &result}}, {}));
}

TEST(Pages, titlesAndNumbersOfTablesAreWhole) {
    const study::Result result = test::wholePrediction();
    std::string pages;
    for (const std::string& page : reportPages("Report", {{.title = "", .result = &result}}, {.pictures = false}))
        pages += page;
    const Table table = predictionTable(result.outcome.get<study::PredictionOutcome>());
    ASSERT_GT(table.columns.size(), 8U) << "wide enough to be squeezed";
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        for (const std::string_view word : split(table.columns[column].title, ' '))
            EXPECT_NE(pages.find(htmlEscaped(std::string(word))), std::string::npos) << word;
        if (!table.columns[column].number) continue;
        for (const std::vector<std::string>& row : table.rows)
            EXPECT_NE(pages.find(">" + htmlEscaped(row[column]) + "<"), std::string::npos) << row[column];
    }
}

TEST(Pages, haveADateAndAnAppendixOnlyWhereAsked) {
    const study::Result result = test::handMadeResult();
    const auto pages = [&](const ReportOptions& options) {
        std::string all;
        for (const std::string& page : reportPages("Report", {{.title = "", .result = &result}}, options)) all += page;
        return all;
    };
    EXPECT_NE(pages({.date = "2026-11-23"}).find("2026-11-23 · Tessera"), std::string::npos);
    EXPECT_EQ(pages({}).find("tessera.study/1"), std::string::npos);
    EXPECT_NE(pages({.studies = true}).find("tessera.study/1"), std::string::npos);
}

TEST(Theme, textIsReadableOnEverySurface) {
    for (const char* text : {"text", "secondary"})
        for (const char* ground : {"window", "surface", "raised"})
            for (const ThemeKind kind : {ThemeKind::light, ThemeKind::dark})
                EXPECT_GE(contrast(Theme(kind)(text), Theme(kind)(ground)), 4.5) << text << " on " << ground;
}

/// WCAG asks for 4.5:1.
TEST(Theme, lettersOnDataCanBeRead) {
    // Neither light nor dark letters reach it on these; what the better of them does is named here.
    const std::map<std::string, double> rest{{"#C8507F", 4.277}};
    const auto expectReadable = [&](std::string_view colour) {
        const auto known = rest.find(std::string(colour));
        const double min = known == rest.end() ? 4.5 : known->second;
        const std::string letters = lettersOn(colour);
        EXPECT_GE(contrast(colour, letters), min) << letters << " on " << colour;
        for (const char* other : {"#FFFFFF", "#1B1F27"})
            EXPECT_GE(contrast(colour, letters), contrast(colour, other)) << "the better of the two on " << colour;
    };
    for (const std::string_view colour : kCategories) expectReadable(colour);
    for (const std::string_view colour : kPartitionTypes) expectReadable(colour);
    for (const NamedColour& row : kOperatorColours) expectReadable(row.colour);
    for (const std::string_view colour : kQuantityRamp) expectReadable(colour);
    for (const std::string_view colour : kDifferenceRamp) expectReadable(colour);
    EXPECT_EQ(lettersOn("accent"), "text") << "a token";
}

TEST(Theme, strategiesKeepTheirColours) {
    for (const partition::Strategy& one : partition::strategies())
        for (const partition::Strategy& other : partition::strategies())
            if (one.id != other.id) {
                EXPECT_NE(strategyColour(one.id), strategyColour(other.id)) << one.id << " " << other.id;
            }
    EXPECT_EQ(strategyColour("accpar"), "#2F6FDE");
}

}  // namespace
}  // namespace tessera::report

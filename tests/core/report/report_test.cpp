#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/base64.h"
#include "core/base/error.h"
#include "core/base/escape.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/draw/drawing.h"
#include "core/draw/pdf_attachments.h"
#include "core/draw/table.h"
#include "core/draw/table_columns.h"
#include "core/draw/theme.h"
#include "core/report/catalogue.h"
#include "core/report/partition_report.h"
#include "core/report/prediction_report.h"
#include "core/report/report_document.h"
#include "core/report/strategy_colour.h"
#include "core/study/partition/outcome.h"
#include "core/study/prediction/outcome.h"
#include "tests/support/partition_result.h"
#include "tests/support/plan_result.h"
#include "tests/support/prediction_result.h"
#include "tests/support/scratch_folder.h"

namespace tessera::report {
namespace {

using testing::HasSubstr;

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

TEST(Table, goesBelowItselfWhereItIsTooWide) {
    Table table;
    table.columns = {{""}, {"run"}, {"step time", true}, {"Δ vs A", true}, {"memory", true}};
    table.rows = {{"A", "first", "10 ms", "baseline", "1 GB"}, {"B", "second", "12 ms", "+20 %, worse", "2 GB"}};
    EXPECT_EQ(toText(table, 2, 80), toText(table)) << "which is not the case here";
    EXPECT_EQ(toText(table, 2, 37),
              "   run     step time        Δ vs A\n"
              "A  first       10 ms      baseline\n"
              "B  second      12 ms  +20 %, worse\n"
              "\n"
              "   run     memory\n"
              "A  first     1 GB\n"
              "B  second    2 GB\n")
        << "a difference stays with its value";
    const Table turned = transposed(onlyColumns(table, {1, 2, 4}), "of");
    EXPECT_EQ(turned.columns[2].title, "second");
    EXPECT_EQ(turned.rows[1], (std::vector<std::string>{"memory", "1 GB", "2 GB"}));
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

/// A browser that opens a report has nothing to complain of.
TEST(Html, opensInABrowserWithoutAnError) {
    constexpr std::size_t kAddresses = std::size_t{1} << 46;  // which a browser reserves, and does not use
    const std::vector<std::string> browser{
        "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom"};
    const test::ScratchFolder folder;
    const auto opened = [&](const std::string& name, const std::string& page) {
        writeFile(folder.path() / name, page);
        std::vector<std::string> command = browser;
        command.push_back("file://" + (folder.path() / name).string());
        return runProcess(command, "", {.memory = kAddresses}).errors;
    };
    try {
        ASSERT_THAT(opened("wrong.html", "<!doctype html><script>nothing();</script>"), HasSubstr("CONSOLE"))
            << "a page with an error is told from one without";
    } catch (const FileError& error) {
        GTEST_SKIP() << error.what();
    }
    const study::Result split = test::handMadeResult(), predicted = test::wholePrediction();
    const std::vector<ReportRun> runs{{.title = "split <b>", .result = &split},
                                      {.title = "again", .result = &split},
                                      {.title = "predicted", .result = &predicted}};
    EXPECT_THAT(opened("report.html", htmlReport("Report", runs, {.studies = true})),
                testing::Not(HasSubstr("CONSOLE")));
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

std::string onPages(const std::vector<ReportRun>& runs, const ReportOptions& options) {
    return joined(reportPages("Report", runs, options), "\n");
}

TEST(Pages, beginWithQuestionAnswerDateAuthorAndCaveats) {
    const study::Result result = test::handMadeResult();
    const std::string first =
        reportPages("Report", {{.title = "ours", .result = &result}}, {.date = "2026-11-23", .author = "A. Colleague"})
            .front();
    EXPECT_THAT(first, testing::AllOf(HasSubstr("2026-11-23 · A. Colleague · Tessera"),
                                      HasSubstr("How should the layers be split: ours?"), HasSubstr("Split by accpar"),
                                      HasSubstr("Caveats"), HasSubstr("and not measured")));
    EXPECT_THAT(first, HasSubstr("role=\"img\"")) << "the picture";
    EXPECT_THAT(onPages({{.title = "ours", .result = &result}}, {.question = "Shall we buy it?"}),
                testing::AllOf(HasSubstr("Shall we buy it?"), testing::Not(HasSubstr("How should the layers"))));
}

TEST(Pages, haveStudiesAsAttachmentsNotAsText) {
    const study::Result result = test::handMadeResult();
    const std::vector<ReportRun> runs{{.title = "ours", .result = &result}};
    EXPECT_TRUE(reportAttachments(runs, {}).empty());
    const std::vector<AttachedFile> files = reportAttachments(runs, {.studies = true});
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files.front().name, "study-A.json");
    EXPECT_EQ(study::toJson(result.study), Json::parse(files.front().bytes));
    const std::string pages = onPages(runs, {.studies = true});
    EXPECT_THAT(pages, HasSubstr("study-A.json"));
    EXPECT_THAT(pages, testing::Not(HasSubstr("tessera.study/1")));
    const std::string html = htmlReport("Report", runs, {.studies = true});
    EXPECT_THAT(html, HasSubstr("<a download=\"study-A.json\" href=\"data:application/json;base64," +
                                toBase64(files.front().bytes) + "\">"));
}

/// Runs of engines that have nothing in common: no table sets one beside the other.
TEST(Pages, runsOfOtherKindsHavePagesOfTheirOwn) {
    const study::Result split = test::handMadeResult(), predicted = test::wholePrediction();
    const std::vector<ReportRun> runs{{.title = "split", .result = &split},
                                      {.title = "predicted", .result = &predicted}};
    const std::vector<std::string> pages = reportPages("Report", runs, {});
    EXPECT_THAT(pages.front(), testing::AllOf(HasSubstr("What did these 2 runs find?"), HasSubstr("A (split): "),
                                              HasSubstr("B (predicted): ")));
    for (const std::string& page : pages) {
        EXPECT_THAT(page, testing::Not(HasSubstr("Comparison of")));
        EXPECT_THAT(page, testing::Not(HasSubstr("What differs")));
    }
    const auto begins = [&](const char* title) {
        return std::find_if(pages.begin(), pages.end(),
                            [&](const std::string& page) { return page.find(title) != std::string::npos; });
    };
    EXPECT_LT(begins(">A  split<"), begins(">B  predicted<")) << "each begins a page";
}

TEST(Pages, comparedRunsAreRowsWithLettersAndDirections) {
    const study::Result small = test::handMadeResult();
    study::Result large = small;
    auto& outcome = large.outcome.get<study::PartitionOutcome>().result;
    outcome.batch *= 4;
    for (partition::Plan& plan : outcome.plans) plan.throughput *= 4;
    const std::vector<ReportRun> runs{{.title = "small", .result = &small}, {.title = "large", .result = &large}};
    const std::string pages = onPages(runs, {});
    EXPECT_THAT(pages, testing::AllOf(HasSubstr("Comparison of A, B"), HasSubstr("4×, better"), HasSubstr("baseline"),
                                      HasSubstr("batch sizes differ")));
    EXPECT_THAT(onPages(runs, {.baseline = 1}), HasSubstr("0.25×, worse"));
    EXPECT_THAT(onPages(runs, {.comparison = false}), testing::Not(HasSubstr("Comparison of")));
}

TEST(Pages, wideTablesTurnThePageOrGoBelowEachOther) {
    const auto widest = [](const std::vector<std::string>& pages) {
        return std::count_if(pages.begin(), pages.end(),
                             [](const std::string& page) { return page.find("width=\"297mm\"") < page.find('>'); });
    };
    const study::Result plan = test::smallPlan();
    const std::vector<std::string> pages = reportPages("Report", {{.title = "", .result = &plan}}, {});
    EXPECT_GT(widest(pages), 0) << "its configurations have too many columns for a page that stands";
    EXPECT_LT(widest(pages), static_cast<std::ptrdiff_t>(pages.size()));
    EXPECT_EQ(widest({pages.front()}), 0);
}

TEST(Pdf, carriesTitleAuthorAndFiles) {
    const study::Result result = test::handMadeResult();
    const std::string pdf =
        pdfReport("Größe", {{.title = "ours", .result = &result}}, {.studies = true, .author = "A. Colleague"});
    EXPECT_TRUE(pdf.starts_with("%PDF-"));
    EXPECT_THAT(pdf, testing::AllOf(HasSubstr("/EmbeddedFiles"), HasSubstr("/Title <FEFF0047007200F6"),
                                    HasSubstr("tessera.study/1"), HasSubstr("/Author <FEFF0041002E")));
    // The last table of places is where the end of the file says, and every object where the table says.
    const std::size_t table = std::stoul(pdf.substr(pdf.rfind("startxref") + 9));
    ASSERT_EQ(pdf.substr(table, 5), "xref\n");
    std::istringstream lines(pdf.substr(table));
    std::string line;
    std::size_t objects = 0;
    std::getline(lines, line);
    while (std::getline(lines, line) && line.rfind("trailer", 0) != 0) {
        const std::string number = line.substr(0, line.find(' '));
        std::getline(lines, line);
        if (number == "0") continue;
        EXPECT_EQ(pdf.compare(std::stoul(line), number.size() + 6, number + " 0 obj"), 0) << number;
        ++objects;
    }
    EXPECT_EQ(objects, 4U) << "facts, the file, its description, the catalogue";
    EXPECT_THROW(withAttachments("no PDF", "", "", {}), FileError);
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

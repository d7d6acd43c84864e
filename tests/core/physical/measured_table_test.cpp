#include "core/physical/measured_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/support/paths.h"

namespace tessera::physical {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MeasuredTable read(const std::string& text) {
    return readMeasuredTable(text, "mine.csv");
}

std::string tableError(const std::string& text) {
    try {
        read(text);
    } catch (const DataError& error) {
        return error.what();
    }
    return "";
}

template <typename Access>
std::string cellError(const MeasuredTable& table, const Access& access) {
    try {
        access(table, table.rows.front());
    } catch (const DataError& error) {
        return error.what();
    }
    return "";
}

TEST(MeasuredTable, columnsStandInAnyOrderAndUnknownOnesAreKept) {
    const MeasuredTable table = read("seconds,note,kernel\n1e-3,\"a, b\",gemm\n");
    ASSERT_EQ(table.rows.size(), 1U);
    EXPECT_EQ(table.positive(table.rows[0], "seconds"), 1e-3);
    EXPECT_EQ(table.name(table.rows[0], "kernel"), "gemm");
    EXPECT_EQ(table.text(table.rows[0], "note"), "a, b");
    EXPECT_EQ(table.text(table.rows[0], "absent"), "");
    EXPECT_TRUE(table.has("note"));
    EXPECT_FALSE(table.has("absent"));
}

TEST(MeasuredTable, commentsAreSkippedAndNameTheSourceOfTheRowsBelow) {
    const MeasuredTable table = read("# of a100\na,b\n1,2\n# source: one\n3,4\n\n# source: two \r\n5,6\r\n");
    ASSERT_EQ(table.rows.size(), 3U);
    EXPECT_EQ(table.rows[0].source, "");
    EXPECT_EQ(table.rows[1].source, "one");
    EXPECT_EQ(table.rows[2].source, "two");
    EXPECT_EQ(table.rows[2].line, 8);
    EXPECT_THAT(table.rows[2].cells, ElementsAre("5", "6"));
}

TEST(MeasuredTable, quotedCellsHoldCommasQuotesAndLineEnds) {
    const MeasuredTable table = read("\xEF\xBB\xBF\"a\",b\n\"x \"\"y\"\"\n z\", 2 \n3,#4");
    EXPECT_THAT(table.columns, ElementsAre("a", "b"));
    EXPECT_THAT(table.rows[0].cells, ElementsAre("x \"y\"\n z", "2"));
    EXPECT_EQ(table.rows[1].line, 4);
    EXPECT_THAT(table.rows[1].cells, ElementsAre("3", "#4"));
}

TEST(MeasuredTable, whatIsNoTableIsRefusedInOneSentenceWithItsPlace) {
    EXPECT_EQ(tableError(""), "mine.csv: found no header; expected a line that names the columns");
    EXPECT_EQ(tableError("# only this\n\n"), "mine.csv: found no header; expected a line that names the columns");
    EXPECT_EQ(tableError("a,b\n1,2,3\n"), "mine.csv:2: found 3 cells; expected 2, as the header has");
    EXPECT_EQ(tableError("a,,b\n"), "mine.csv:1: column 2: found no name; expected the name of the column");
    EXPECT_EQ(tableError("a,b,a\n"), "mine.csv:1: column 1: found 'a'; expected names that differ");
    EXPECT_EQ(tableError("a,b\n1,\"2\n3,4\n"), "mine.csv:2:3: found a quote that nothing closes; expected '\"'");
    EXPECT_EQ(tableError("a,b\n\"1\"2,3\n"), "mine.csv:2:4: found '2'; expected ',' or the end of the line");
    EXPECT_EQ(tableError("a\n\xFF\n"), "mine.csv: found bytes that are no text; expected UTF-8");
    EXPECT_THAT(tableError(std::string(300, ',')), HasSubstr("expected at most 256 cells"));
    EXPECT_THAT(tableError(std::string(kLargestMeasuredTable + 1, ' ')), HasSubstr("expected at most 64 MiB"));
}

TEST(MeasuredTable, wrongCellsAreNamedByTheirColumn) {
    const MeasuredTable table = read("bytes,count,name\n1e400,2.5,\n");
    EXPECT_EQ(cellError(table, [](const auto& t, const auto& row) { t.positive(row, "bytes"); }),
              "mine.csv:2: field 'bytes' is '1e400'; expected a number above 0");
    EXPECT_EQ(cellError(table, [](const auto& t, const auto& row) { t.count(row, "count"); }),
              "mine.csv:2: field 'count' is '2.5'; expected a whole number from 1 to 1,000,000");
    EXPECT_EQ(cellError(table, [](const auto& t, const auto& row) { t.name(row, "name"); }),
              "mine.csv:2: field 'name' is ''; expected a name of at most 256 bytes");
    EXPECT_EQ(cellError(table, [](const auto& t, const auto& row) { t.notNegative(row, "absent"); }),
              "mine.csv:2: field 'absent' is ''; expected a number of 0 or above");
}

TEST(MeasuredTable, theBundledTablesAreFoundAndRead) {
    const auto files = measuredTablesIn(test::sourcePath("data/measured"));
    ASSERT_EQ(files.size(), 11U);
    EXPECT_EQ(files.front().filename(), "collectives.csv");
    EXPECT_EQ(files.back().filename(), "training.csv");
    const MeasuredTable training = readMeasuredTable(readFile(files.back()), "training.csv");
    EXPECT_EQ(training.rows.size(), 1419U);
    const MeasuredTable kernels = readMeasuredTable(readFile(test::sourcePath("data/measured/kernels/v100.csv")), "v");
    EXPECT_EQ(kernels.rows.size(), 1042U);
    EXPECT_EQ(kernels.rows.front().source, "deepbench");
    EXPECT_TRUE(measuredTablesIn(test::sourcePath("no such folder")).empty());
}

}  // namespace
}  // namespace tessera::physical

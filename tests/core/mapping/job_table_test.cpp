
#include "tests/support/job_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/random.h"
#include "tests/support/paths.h"

using namespace tessera;
using namespace tessera::mapping;

namespace {

constexpr const char* kHeader = "job,accel,nostall_latency_cycles,req_bw_bytes_per_cycle\n";

/// One pair on line 2, in the columns of the header above.
std::string withRow(const std::string& row) {
    return kHeader + row + "\n";
}

Problem parsed(const std::string& text) {
    return readJobTable(text, "dir/t.csv");
}

std::string tableRefusal(const std::string& text) {
    try {
        parsed(text);
    } catch (const DataError& error) {
        return error.what();
    }
    return "no error";
}

TEST(JobTable, readsPairsInAnyOrderAndColumnsByTheirNames) {
    const Problem table = parsed(
        "# made by hand\n"
        "num_pe,req_bw_bytes_per_cycle,accel,job,nostall_latency_cycles,macs\n"
        "2048,0.5,1,1,40,7\n"
        "2048,0,0,0,1e3,6\n"
        "\n"
        "2048,2.5,1,0,20,6\r\n"
        "2048,3,0,1,30,7\n");
    EXPECT_EQ(table.name, "t");
    EXPECT_EQ(table.jobs, (std::vector<std::string>{"job 0", "job 1"}));
    EXPECT_EQ(table.cores, (std::vector<std::string>{"core 0", "core 1"}));
    EXPECT_EQ(table.latency, (std::vector<double>{1000, 20, 30, 40}));
    EXPECT_EQ(table.requiredBandwidth, (std::vector<double>{0, 2.5, 3, 0.5}));
    EXPECT_EQ(table.macs, (std::vector<double>{6, 7}));
    EXPECT_TRUE(table.energy.empty());
    EXPECT_EQ(table.bandwidth, 0);
    EXPECT_EQ(table.clock, std::nullopt);
}

TEST(JobTable, oneJobOnManyCoresIsATable) {
    const Problem table = parsed(std::string(kHeader) + "0,0,5,1\n0,1,6,1\n0,2,7,1\n");
    EXPECT_EQ(table.jobs.size(), 1U);
    EXPECT_EQ(table.cores.size(), 3U);
    EXPECT_TRUE(table.macs.empty());
}

TEST(JobTable, isWrittenBackWithoutLoss) {
    Problem table;
    table.name = "t";
    table.jobs = {"resnet, \"50\" # 1", "=böse // Namen"};
    table.cores = {"HB 1", "'-LB"};
    table.latency = {1, 0.1, 1e22, 3};
    table.requiredBandwidth = {0, 1.0 / 3, 2e-300, 5};
    table.energy = {1, 2, 3, 1e-9};
    table.macs = {9007199254740992.0, 5};
    EXPECT_EQ(parsed(writeJobTable(table)), table);
    table.energy.clear();
    table.macs.clear();
    EXPECT_EQ(parsed(writeJobTable(table)), table);
}

TEST(JobTable, readsThePublishedTables) {
    const Problem mix = loadJobTable(test::sourcePath("tests/data/magma/job_tables/S2_mix_insts0.csv").string());
    EXPECT_EQ(mix.name, "S2_mix_insts0");
    EXPECT_EQ(mix.jobs.size(), 100U);
    EXPECT_EQ(mix.cores.size(), 4U);
    EXPECT_EQ(mix.latency[0], 25089);
    EXPECT_EQ(mix.requiredBandwidth[0], 0.02228156887755102);
    EXPECT_EQ(mix.macs[0], 6422528);
    EXPECT_EQ(parsed(writeJobTable(mix)).requiredBandwidth, mix.requiredBandwidth);
}

struct Wrong {
    const char* name;
    std::string text;
    const char* message;
};
void PrintTo(const Wrong& wrong, std::ostream* out) {
    *out << wrong.name;
}

class WrongJobTable : public testing::TestWithParam<Wrong> {};

TEST_P(WrongJobTable, isRefusedInOneSentence) {
    EXPECT_EQ(tableRefusal(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Tables, WrongJobTable,
    testing::Values(
        Wrong{"empty", "", "dir/t.csv: found an empty file; expected a job table with a header"},
        Wrong{
            "noColumn", "job,accel,nostall_latency_cycles\n0,0,1\n",
            "dir/t.csv:1: found no column 'req_bw_bytes_per_cycle'; expected a header with the columns 'job', 'accel', "
            "'nostall_latency_cycles' and 'req_bw_bytes_per_cycle'"},
        Wrong{"columnTwice", "job,accel,job,nostall_latency_cycles,req_bw_bytes_per_cycle\n",
              "dir/t.csv:1:11: found a second column 'job'; expected each column once"},
        Wrong{"noRow", kHeader,
              "dir/t.csv: found no row below the header; expected a row for each pair of a job and a core"},
        Wrong{"zeroLatency", withRow("0,0,0,1"),
              "dir/t.csv:2: field 'nostall_latency_cycles' is '0'; expected a number above 0"},
        Wrong{"negativeLatency", withRow("0,0,-5,1"),
              "dir/t.csv:2: field 'nostall_latency_cycles' is '-5'; expected a number above 0"},
        Wrong{"latencyThatIsNoNumber", withRow("0,0,nan,1"),
              "dir/t.csv:2: field 'nostall_latency_cycles' is 'nan'; expected a number above 0"},
        Wrong{"infiniteLatency", withRow("0,0,inf,1"),
              "dir/t.csv:2: field 'nostall_latency_cycles' is 'inf'; expected a number above 0"},
        Wrong{"overflowingLatency", withRow("0,0,1e999,1"),
              "dir/t.csv:2: field 'nostall_latency_cycles' is '1e999'; expected a number above 0"},
        Wrong{"hugeLatency", withRow("0,0,1e31,1"),
              "dir/t.csv:2: field 'nostall_latency_cycles' is '1e31'; expected a number of at most 1e30"},
        Wrong{"noLatency", withRow("0,0,,1"),
              "dir/t.csv:2: field 'nostall_latency_cycles' is empty; expected a number above 0"},
        Wrong{"shortRow", withRow("0,0,4"),
              "dir/t.csv:2: field 'req_bw_bytes_per_cycle' is empty; expected a number of 0 or more"},
        Wrong{"negativeBandwidth", withRow("0,0,4,-1"),
              "dir/t.csv:2: field 'req_bw_bytes_per_cycle' is '-1'; expected a number of 0 or more"},
        Wrong{"bandwidthThatIsNoNumber", withRow("0,0,4,NaN"),
              "dir/t.csv:2: field 'req_bw_bytes_per_cycle' is 'NaN'; expected a number of 0 or more"},
        Wrong{"wordForANumber", withRow("0,0,4x,1"),
              "dir/t.csv:2: field 'nostall_latency_cycles' is '4x'; expected a number above 0"},
        Wrong{"negativeJob", withRow("-1,0,4,1"), "dir/t.csv:2: field 'job' is '-1'; expected a whole number from 0"},
        Wrong{"fractionOfAJob", withRow("0.5,0,4,1"),
              "dir/t.csv:2: field 'job' is '0.5'; expected a whole number from 0"},
        Wrong{"jobOfManyDigits", withRow("1000000,0,4,1"),
              "dir/t.csv:2: field 'job' is '1000000'; expected a number below 1000000"},
        Wrong{"pairTwice", std::string(kHeader) + "0,0,4,1\n1,0,4,1\n0,0,5,1\n",
              "dir/t.csv:4: found job 0 on accel 0 again; expected each pair once (the first is in line 2)"},
        Wrong{"pairMissing", std::string(kHeader) + "0,0,4,1\n0,1,4,1\n1,0,5,1\n",
              "dir/t.csv: found no row for job 1 on accel 1; expected a row for each pair of 2 jobs and 2 cores"},
        Wrong{"jobLeftOut", std::string(kHeader) + "0,0,4,1\n2,0,5,1\n",
              "dir/t.csv: found no row for job 1, but one for job 2; expected numbers of jobs from 0 without gaps"},
        Wrong{"jobsFromOne", withRow("1,0,4,1"),
              "dir/t.csv: found no row for job 0, but one for job 1; expected numbers of jobs from 0 without gaps"},
        Wrong{
            "coreLeftOut", std::string(kHeader) + "0,0,4,1\n0,2,5,1\n",
            "dir/t.csv: found no row for accel 1, but one for accel 2; expected numbers of cores from 0 without gaps"},
        Wrong{"farApart", std::string(kHeader) + "0,999999,4,1\n999999,0,5,1\n",
              "dir/t.csv: found no row for job 0 on accel 0; expected a row for each pair of 1000000 jobs and 1000000 "
              "cores"},
        Wrong{"negativeMacs", "job,accel,nostall_latency_cycles,req_bw_bytes_per_cycle,macs\n0,0,4,1,-3\n",
              "dir/t.csv:2: field 'macs' is '-3'; expected a number of 0 or more"},
        Wrong{"noEnergy", "job,accel,nostall_latency_cycles,req_bw_bytes_per_cycle,energy_j\n0,0,4,1\n",
              "dir/t.csv:2: field 'energy_j' is empty; expected a number of 0 or more"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(JobTable, namesTheLimitOfItsRows) {
    std::string text = kHeader;
    text.reserve(16 * (kMaxPairs + 2));
    for (std::size_t i = 0; i <= kMaxPairs; ++i) text += "0,0,1,0\n";
    EXPECT_EQ(tableRefusal(text),
              "dir/t.csv:1000002: found more than 1000000 rows; expected at most 1000000 pairs of a job and a core");
}

TEST(JobTable, survivesEveryTruncationAndFlippedBytes) {
    const std::string whole =
        readFile(test::sourcePath("tests/data/magma/job_tables/S1_recom_insts0.csv")).substr(0, 2'000);
    for (std::size_t length = 0; length <= whole.size(); length += 7) tableRefusal(whole.substr(0, length));
    RandomStream random(7);
    for (int i = 0; i < 1'000; ++i) {
        std::string text = whole;
        for (int flips = 0; flips < 4; ++flips) text[random.below(text.size())] = static_cast<char>(random.below(256));
        try {
            const Problem table = parsed(text);
            EXPECT_EQ(parsed(writeJobTable(table)), table);
        } catch (const DataError&) {
            continue;
        }
    }
}

}  // namespace

#include "core/cost/job_analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/hardware/library.h"
#include "tests/support/paths.h"

namespace fs = std::filesystem;
using namespace tessera;
using namespace tessera::cost;

namespace {

/// A row of a published table: the layer of its job, and what it says about a core.
struct PublishedRow {
    model::LayerJob layer;
    std::size_t job = 0;
    std::size_t core = 0;
    double latency = 0;
    double requiredBandwidth = 0;
    double macs = 0;
};

std::vector<PublishedRow> rowsOf(const fs::path& path) {
    const std::string text = readFile(path);
    const std::vector<std::string_view> lines = split(text, '\n');
    std::map<std::string, std::size_t, std::less<>> columns;
    for (const std::string_view title : split(lines.front(), ',')) columns.emplace(trimmed(title), columns.size());
    std::vector<PublishedRow> rows;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (trimmed(lines[i]).empty()) continue;
        const std::vector<std::string_view> cells = split(lines[i], ',');
        const auto number = [&](std::string_view title) {
            return std::strtod(std::string(cells.at(columns.find(title)->second)).c_str(), nullptr);
        };
        PublishedRow row;
        row.job = static_cast<std::size_t>(number("job"));
        row.core = static_cast<std::size_t>(number("accel"));
        row.layer.name = "row " + std::to_string(static_cast<int>(number("file_row")));
        row.layer.kind = static_cast<model::JobKind>(number("type_id"));
        for (std::size_t d = 0; d < 6; ++d)
            row.layer.d.at(d) = static_cast<std::int64_t>(number("d" + std::to_string(d)));
        row.latency = number("nostall_latency_cycles");
        row.requiredBandwidth = number("req_bw_bytes_per_cycle");
        row.macs = number("macs");
        rows.push_back(row);
    }
    return rows;
}

std::vector<Job> jobsOf(const std::vector<PublishedRow>& rows) {
    std::vector<Job> jobs;
    for (const PublishedRow& row : rows) {
        if (row.job >= jobs.size()) jobs.resize(row.job + 1);
        jobs[row.job] = {row.layer, "m3e", ""};
    }
    return jobs;
}

/// "S5" of "S5_mix_insts0_LBeye.csv", with the LB cores that its name tells.
hardware::Platform platformOf(const fs::path& path) {
    const std::string name = path.filename().string();
    hardware::Platform platform = hardware::loadPlatform(name.substr(0, 2));
    for (hardware::SubAccelerator& core : platform.subAccelerators)
        if (core.dataflow.name == "shidiannao" && name.find("LBeye") != std::string::npos)
            core.dataflow.name = "eyeriss";
    return platform;
}

constexpr AnalysisOptions kPublished{Variant::published, BandwidthDefinition::tile, 1};

/// The table of the published model on our platform equals the file, to the last bit.
void expectSameTable(const fs::path& path) {
    SCOPED_TRACE(path.filename().string());
    const std::vector<PublishedRow> rows = rowsOf(path);
    const JobTable table = jobTable(jobsOf(rows), platformOf(path), kPublished);
    ASSERT_EQ(rows.size(), table.latency.size());
    std::size_t wrong = 0;
    for (const PublishedRow& row : rows) {
        const std::size_t pair = row.job * table.cores.size() + row.core;
        const bool same = table.latency[pair] == row.latency &&
                          table.requiredBandwidth[pair] == row.requiredBandwidth && table.macs[row.job] == row.macs;
        wrong += same ? 0 : 1;
        if (!same && wrong == 1)
            ADD_FAILURE() << "job " << row.job << " on core " << row.core << ": " << table.latency[pair] << " cycles, "
                          << table.requiredBandwidth[pair] << " bytes per cycle, " << table.macs[row.job]
                          << " MACs; expected " << row.latency << ", " << row.requiredBandwidth << ", " << row.macs;
    }
    EXPECT_EQ(wrong, 0U);
}

std::vector<fs::path> tablesIn(const fs::path& folder) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().filename().string().starts_with("S")) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    return paths;
}

TEST(JobAnalysis, publishedTablesOfOurOwnAreEqualToTheLastBit) {
    const std::vector<fs::path> paths = tablesIn(test::sourcePath("tests/data/magma/job_tables"));
    EXPECT_EQ(paths.size(), 3U);
    for (const fs::path& path : paths) expectSameTable(path);
}

TEST(JobAnalysis, allFortyPublishedTablesAreEqualToTheLastBit) {
    TESSERA_NEEDS_SHARED("magma/job_tables");
    const std::vector<fs::path> paths = tablesIn(test::sharedPath("magma/job_tables"));
    EXPECT_EQ(paths.size(), 40U);
    for (const fs::path& path : paths) expectSameTable(path);
}

std::vector<Job> someJobs() {
    return drawGroup(loadWorkload("vision"), 30, 1);
}

TEST(JobAnalysis, isLaidOutAsTheMapperWantsIt) {
    const std::vector<Job> jobs = someJobs();
    const JobTable table = jobTable(jobs, hardware::loadPlatform("S2"));
    EXPECT_EQ(table.cores, (std::vector<std::string>{"HB 1", "HB 2", "HB 3", "LB"}));
    EXPECT_EQ(table.jobs.size(), 30U);
    EXPECT_EQ(table.jobs[0], nameOf(jobs[0]));
    EXPECT_EQ(table.bandwidth, 80);  // 16 GB/s at 200 MHz
    EXPECT_EQ(table.clock, Hertz{200e6});
    for (const auto* column : {&table.latency, &table.requiredBandwidth, &table.energy})
        ASSERT_EQ(column->size(), 120U);
    for (std::size_t job = 0; job < 30; ++job) {
        EXPECT_GT(table.macs[job], 0);
        EXPECT_EQ(table.latency[4 * job], table.latency[4 * job + 1]);  // equal cores
        for (std::size_t core = 0; core < 4; ++core) {
            EXPECT_GT(table.latency[4 * job + core], 0);
            EXPECT_GE(table.requiredBandwidth[4 * job + core], 0);
        }
    }
}

TEST(JobAnalysis, saysWhatItRestsOn) {
    const JobTable table = jobTable(someJobs(), hardware::loadPlatform("S2"), kPublished);
    const std::string all = joined(table.assumptions, "\n");
    EXPECT_NE(all.find("variant 'published'"), std::string::npos);
    EXPECT_NE(all.find("definition 'tile'"), std::string::npos);
    EXPECT_NE(all.find("strides"), std::string::npos);
    EXPECT_GE(table.differing, 0);
    EXPECT_LE(table.differing, 120);
}

TEST(JobAnalysis, largerSharedBuffersNeverTakeMoreTrafficAndSomeLess) {
    const std::vector<Job> jobs = someJobs();
    hardware::Platform platform = hardware::loadPlatform("S2");
    const auto tableOf = [&](double sharedBytes, Variant variant) {
        for (hardware::SubAccelerator& core : platform.subAccelerators) core.sharedBuffer = Bytes{sharedBytes};
        return jobTable(jobs, platform, {.variant = variant});
    };
    JobTable before = tableOf(2048, Variant::corrected);
    for (const double bytes : {16e3, 128e3, 1e6}) {
        const JobTable table = tableOf(bytes, Variant::corrected);
        EXPECT_EQ(table.latency, before.latency);
        std::size_t less = 0;
        for (std::size_t p = 0; p < table.requiredBandwidth.size(); ++p) {
            EXPECT_LE(table.requiredBandwidth[p], before.requiredBandwidth[p])
                << table.jobs[p / 4] << " with " << bytes;
            EXPECT_LE(table.energy[p], before.energy[p]);
            less += table.requiredBandwidth[p] < before.requiredBandwidth[p] ? 1 : 0;
        }
        EXPECT_GT(less, 0U) << bytes;
        before = table;
    }
    // Room for everything: each operand once.
    before = tableOf(64e6, Variant::corrected);
    for (std::size_t job = 0; job < jobs.size(); ++job) {
        const Layer layer = layerOf(jobs[job].layer, Variant::corrected);
        const double once = inputElements(layer) + weightElements(layer) + outputElements(layer);
        const auto runs = static_cast<double>(runsOf(jobs[job].layer, Variant::corrected));
        for (std::size_t p = 4 * job; p < 4 * job + 4; ++p)
            EXPECT_NEAR(before.requiredBandwidth[p] * before.latency[p], once * runs, 1e-9 * once * runs)
                << before.jobs[job];
    }
    EXPECT_EQ(tableOf(2048, Variant::published).requiredBandwidth, tableOf(64e6, Variant::published).requiredBandwidth);
}

TEST(JobAnalysis, largerLocalBuffersNeverTakeMoreTrafficOrEnergyAndSomeLess) {
    const std::vector<Job> jobs = someJobs();
    hardware::Platform platform = hardware::loadPlatform("S2");
    const auto tableOf = [&](double localBytes, Variant variant) {
        for (hardware::SubAccelerator& core : platform.subAccelerators) core.localBuffer = Bytes{localBytes};
        return jobTable(jobs, platform, {.variant = variant});
    };
    JobTable before = tableOf(6, Variant::corrected);
    EXPECT_GT(before.overflowing, 60);
    for (const double bytes : {30, 8000}) {
        const JobTable table = tableOf(bytes, Variant::corrected);
        EXPECT_EQ(table.latency, before.latency);
        std::size_t less = 0, thriftier = 0;
        for (std::size_t p = 0; p < table.requiredBandwidth.size(); ++p) {
            EXPECT_LE(table.requiredBandwidth[p], before.requiredBandwidth[p])
                << table.jobs[p / 4] << " with " << bytes;
            EXPECT_LE(table.energy[p], before.energy[p]) << table.jobs[p / 4] << " with " << bytes;
            less += table.requiredBandwidth[p] < before.requiredBandwidth[p] ? 1 : 0;
            thriftier += table.energy[p] < before.energy[p] ? 1 : 0;
        }
        EXPECT_GT(less, 0U) << bytes;
        EXPECT_GT(thriftier, 0U) << bytes;
        before = table;
    }
    EXPECT_EQ(tableOf(1e6, Variant::corrected).requiredBandwidth, before.requiredBandwidth);
    EXPECT_EQ(tableOf(6, Variant::published).requiredBandwidth, tableOf(1e6, Variant::published).requiredBandwidth);
    const std::string told = joined(tableOf(6, Variant::corrected).assumptions, "\n");
    EXPECT_NE(told.find("(sl_bytes) does not hold is fetched again"), std::string::npos) << told;
    EXPECT_EQ(told.find("as if they fitted"), std::string::npos);
}

TEST(JobAnalysis, aBufferThatHoldsNoOperandsIsRefusedInOneSentence) {
    hardware::Platform platform = hardware::loadPlatform("S1");
    platform.subAccelerators[0].localBuffer = Bytes{5};
    try {
        jobTable(someJobs(), platform);
        ADD_FAILURE() << "a buffer without room for an operation was taken";
    } catch (const UsageError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("cannot run on the core 'HB': a local buffer of 5 bytes does not hold"),
                  std::string::npos)
            << message;
    }
}

TEST(JobAnalysis, depthwiseLayersRunUnderTheDataflowThatACoreNamesForThem) {
    std::vector<Job> jobs;
    for (Job& job : drawGroup(loadWorkload("vision"), 300, 1)) {
        const bool isDepthwise = job.layer.kind == model::JobKind::dsconv;
        if (isDepthwise || jobs.size() < 5) jobs.push_back(std::move(job));
    }
    const hardware::Platform platform = hardware::loadPlatform("S2");
    hardware::Platform named = platform;
    named.subAccelerators[1].depthwise = {
        .name = "rows", .text = "SpatialMap(Sz(R),1) Y; TemporalMap(Sz(S),1) X;", .isInline = true};
    const JobTable before = jobTable(jobs, platform), table = jobTable(jobs, named);
    const Dataflow rows = dataflowOf(named.subAccelerators[1].depthwise, "p.json");
    std::size_t depthwise = 0;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
        const bool isDepthwise = jobs[job].layer.kind == model::JobKind::dsconv;
        depthwise += isDepthwise ? 1 : 0;
        for (std::size_t core = 0; core < 3; ++core)
            EXPECT_EQ(table.latency[4 * job + core], before.latency[4 * job + core]);
        const double own = table.latency[4 * job + 3];
        if (!isDepthwise) {
            EXPECT_EQ(own, before.latency[4 * job + 3]);
            continue;
        }
        EXPECT_NE(own, before.latency[4 * job + 3]) << table.jobs[job];
        const Array array{.pes = 32 * 64, .clusterSize = 64};
        const Layer layer = layerOf(jobs[job].layer, Variant::corrected);
        EXPECT_EQ(own, static_cast<double>(analyse(layer, rows, array, Variant::corrected).cost.cycles));
    }
    EXPECT_GT(depthwise, 0U);
    const auto sentence = [](const JobTable& of) { return joined(of.assumptions, "\n"); };
    EXPECT_NE(sentence(before).find("the depthwise dataflow on every core"), std::string::npos);
    EXPECT_NE(sentence(table).find("run under 'depthwise' on 'HB', 'rows' on 'LB'"), std::string::npos)
        << sentence(table);
}

TEST(JobAnalysis, aPlatformNamesTheDepthwiseDataflowThatCannotBeRead) {
    Json json = hardware::toJson(hardware::loadPlatform("S2"));
    json["sub_accelerators"][1]["depthwise_dataflow"] = "dephtwise";
    try {
        readPlatform(JsonDocument::parse(toText(json), "p.json").root());
        ADD_FAILURE() << "an unknown dataflow was taken";
    } catch (const DataError& error) {
        EXPECT_EQ(error.place.field, "sub_accelerators[1].depthwise_dataflow");
    }
}

TEST(JobAnalysis, isTheSameForAnyNumberOfThreads) {
    const std::vector<Job> jobs = someJobs();
    AnalysisOptions options;
    const JobTable one = jobTable(jobs, hardware::loadPlatform("S5"), options);
    options.threads = 2;
    EXPECT_EQ(jobTable(jobs, hardware::loadPlatform("S5"), options), one);
}

TEST(JobAnalysis, flexibleCoresAreNeverSlowerThanFixedOnesOfTheirBuffers) {
    const std::vector<Job> jobs = someJobs();
    hardware::Platform flexible = hardware::loadPlatform("s1-flexible");
    const JobTable chosen = jobTable(jobs, flexible);
    for (hardware::SubAccelerator& core : flexible.subAccelerators) core.flexible = false;
    const JobTable fixed = jobTable(jobs, flexible);
    double gained = 0;
    for (std::size_t pair = 0; pair < chosen.latency.size(); ++pair) {
        EXPECT_LE(chosen.latency[pair], fixed.latency[pair]) << chosen.jobs[pair / 4];
        EXPECT_EQ(fixed.width[pair], 64);
        gained += fixed.latency[pair] - chosen.latency[pair];
    }
    EXPECT_GT(gained, 0);
}

TEST(JobAnalysis, aCoreOfTwiceTheClockTakesHalfTheCyclesOfThePlatform) {
    const std::vector<Job> jobs = someJobs();
    hardware::Platform platform = hardware::loadPlatform("S1");
    const JobTable slow = jobTable(jobs, platform);
    platform.subAccelerators[0].clock = platform.clock * 2;
    const JobTable fast = jobTable(jobs, platform);
    EXPECT_EQ(fast.latency[0], slow.latency[0] / 2);
    EXPECT_EQ(fast.requiredBandwidth[0], slow.requiredBandwidth[0] * 2);
    EXPECT_EQ(fast.energy, slow.energy);
}

TEST(JobAnalysis, batchesRunConvolutionsInOneAndProductsInTurn) {
    model::LayerJob job;
    job.kind = model::JobKind::conv;
    job.d = {8, 2, 10, 12, 3, 3};
    job.groups = 4;
    job.strideY = 2;
    job.padTop = job.padBottom = 1;
    job.repeats = 6;
    const Layer corrected = layerOf(job, Variant::corrected);
    EXPECT_EQ(corrected.c, 8);  // of all groups
    EXPECT_EQ(corrected.groups, 4);
    EXPECT_EQ(corrected.batch, 6);
    EXPECT_EQ(outputRows(corrected), outputY(job));
    EXPECT_EQ(trueMacs(corrected), macs(job));
    EXPECT_EQ(runsOf(job, Variant::corrected), 1);
    const Layer published = layerOf(job, Variant::published);
    EXPECT_EQ(published.c, 2);
    EXPECT_EQ(published.padY, 0);
    EXPECT_EQ(published.batch, 1);
    EXPECT_EQ(runsOf(job, Variant::published), 6);
    job.kind = model::JobKind::gemm;
    job.d = {20, 30, 40, 1, 1, 1};
    EXPECT_EQ(runsOf(job, Variant::corrected), 6);
    EXPECT_EQ(trueMacs(layerOf(job, Variant::corrected)) * 6, macs(job));
}

TEST(JobAnalysis, dilatedKernelsMakeAsManyOutputs) {
    model::LayerJob job;
    job.kind = model::JobKind::conv;
    job.d = {8, 2, 20, 20, 3, 3};
    job.dilationY = 4;
    job.dilationX = 2;
    job.padTop = job.padBottom = 1;
    const Layer layer = layerOf(job, Variant::corrected);
    EXPECT_EQ(outputRows(layer), outputY(job));
    EXPECT_EQ(outputColumns(layer), outputX(job));
}

TEST(JobAnalysis, aPlatformNamesTheDataflowThatThereIsNot) {
    Json json = hardware::toJson(hardware::loadPlatform("S2"));
    json["sub_accelerators"][1]["dataflow"] = "nvlda";
    try {
        readPlatform(JsonDocument::parse(toText(json), "p.json").root());
        ADD_FAILURE() << "an unknown dataflow was taken";
    } catch (const DataError& error) {
        EXPECT_EQ(error.place.field, "sub_accelerators[1].dataflow");
        EXPECT_NE(std::string(error.what()).find("nvdla"), std::string::npos) << error.what();  // the hint
    }
}

TEST(JobAnalysis, namesTheJobAndTheCoreThatDoNotFit) {
    hardware::Platform platform = hardware::loadPlatform("S1");
    platform.subAccelerators[0].dataflow.name = "nowhere";
    EXPECT_THROW(jobTable(someJobs(), platform), UsageError);
    platform.subAccelerators[0].dataflow.text = "TemporalMap(1,1) C;";
    platform.subAccelerators[0].dataflow.isInline = true;
    try {
        jobTable(someJobs(), platform);
        ADD_FAILURE() << "a mapping without a spatial map was taken";
    } catch (const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("cannot run on the core 'HB'"), std::string::npos) << error.what();
    }
}

}  // namespace

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/cost/tables.h"
#include "tests/support/paths.h"

namespace tessera::cost::tables {
namespace {

using tessera::test::sharedPath;
using tessera::test::sourcePath;

/// The original prints energies and throughputs in six digits.
std::string sixDigits(double value) {
    return fmt::format("{:.6g}", value);
}

std::string sixDigits(const std::string& value) {
    return sixDigits(std::strtod(value.c_str(), nullptr));
}

void expectCost(const Analysis& analysis, const KnownRow& row, const std::string& cycles, const std::string& l2,
                const std::string& l1, const std::string& title) {
    ASSERT_EQ(analysis.problem, "") << title;
    EXPECT_EQ(analysis.cost.cycles, number(row, cycles)) << title;
    EXPECT_EQ(analysis.cost.l2Bytes, number(row, l2)) << title;
    EXPECT_EQ(analysis.cost.l1Bytes, number(row, l1)) << title;
    EXPECT_EQ(analysis.cost.macs, number(row, "macs")) << title;
    EXPECT_EQ(sixDigits(analysis.cost.energy * 1e9), sixDigits(row.at("energy_nJ"))) << title;
}

/// Every row of a table of layers on bundled dataflows; returns how many there were.
std::size_t expectLayers(const std::filesystem::path& path) {
    const Dataflow depthwise = bundledDataflow("depthwise");
    std::map<std::string, Dataflow> styles;
    const std::vector<KnownRow> rows = knownRows(path);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const KnownRow& row = rows[i];
        const auto style = styles.try_emplace(row.at("style"), bundledDataflow(row.at("style"))).first;
        const Layer layer = layerOfRow(row);
        const Analysis analysis =
            analyse(layer, dataflowFor(layer, style->second, depthwise), arrayOfRow(row), Variant::published);
        const std::string title = fmt::format("row {} of {}", i + 2, path.filename().string());
        expectCost(analysis, row, "nostall_latency_cycles", "l2_req_bytes", "l1_req_bytes", title);
        EXPECT_EQ(sixDigits(analysis.cost.throughput), sixDigits(row.at("throughput_mac_per_cycle"))) << title;
        const double known = std::strtod(row.at("req_bw_bytes_per_cycle").c_str(), nullptr);
        if (!std::isfinite(known)) continue;  // a single cycle
        EXPECT_DOUBLE_EQ(requiredBandwidth(analysis.cost, BandwidthDefinition::tile), known) << title;
    }
    return rows.size();
}

std::size_t expectMappings(const std::filesystem::path& path) {
    const std::vector<KnownRow> rows = knownRows(path);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const KnownRow& row = rows[i];
        const Layer layer{.kind = row.at("kind") == "DSCONV" ? LayerKind::dsconv : LayerKind::conv,
                          .k = number(row, "K"),
                          .c = number(row, "C"),
                          .y = number(row, "Y"),
                          .x = number(row, "X"),
                          .r = number(row, "R"),
                          .s = number(row, "S")};
        const Analysis analysis =
            analyse(layer, readDataflow(row.at("mapping"), "row.m"), arrayOfRow(row), Variant::published);
        expectCost(analysis, row, "cycles", "l2_bytes", "l1_bytes",
                   fmt::format("row {} of {}", i + 2, path.filename().string()));
    }
    return rows.size();
}

TEST(Published, layersOfTheJobTablesCostWhatTheOriginalSays) {
    EXPECT_GE(expectLayers(sourcePath("tests/data/magma/layer_costs.csv")), 100U);
}

TEST(Published, layersUnderScarceBandwidthCostWhatTheOriginalSays) {
    EXPECT_GE(expectLayers(sourcePath("tests/data/magma/layer_costs_bandwidth.csv")), 100U);
}

TEST(Published, mappingsOfOneToThreeLevelsCostWhatTheOriginalSays) {
    EXPECT_GE(expectMappings(sourcePath("tests/data/magma/custom_mappings.csv")), 100U);
}

TEST(Published, everyRowOfTheReferenceTables) {
    TESSERA_NEEDS_SHARED("magma/custom_mappings.csv");
    EXPECT_EQ(expectLayers(sharedPath("magma/job_tables/layer_costs.csv")), 2754U);
    EXPECT_EQ(expectLayers(sharedPath("magma/layer_costs_bandwidth.csv")), 479U);
    EXPECT_EQ(expectMappings(sharedPath("magma/custom_mappings.csv")), 492U);
}

}  // namespace
}  // namespace tessera::cost::tables

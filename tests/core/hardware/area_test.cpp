#include "core/hardware/area.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/hardware/library.h"
#include "tests/support/paths.h"

namespace fs = std::filesystem;
using namespace tessera;
using namespace tessera::hardware;

namespace {

constexpr std::int64_t kMebi = 1 << 20;
constexpr double kKibi = 1024;

/// The rows of a table of published areas, by the names of its columns.
std::vector<std::map<std::string, double>> rowsOf(const fs::path& path) {
    const std::string text = readFile(path);
    std::vector<std::map<std::string, double>> rows;
    std::vector<std::string_view> header;
    for (const std::string_view line : split(text, '\n')) {
        const std::vector<std::string_view> cells = split(trimmed(line), ',');
        if (header.empty()) {
            header = cells;
            continue;
        }
        if (cells.size() != header.size()) continue;
        std::map<std::string, double>& row = rows.emplace_back();
        for (std::size_t i = 0; i < cells.size(); ++i)
            row[std::string(header[i])] = std::strtod(std::string(cells[i]).c_str(), nullptr);
    }
    return rows;
}

Architecture architectureIn(const Template& space, const std::map<std::string, double>& row) {
    const auto whole = [&](const char* key) { return static_cast<std::int64_t>(row.at(key)); };
    return architectureOf(space, whole("num_tc"), whole("num_vc"), whole("pe_x"), whole("pe_y"),
                          whole("glb_mb") * kMebi);
}

/// The largest relative difference from the published areas; derived sizes must be equal.
double largestDifference(const std::vector<std::map<std::string, double>>& rows) {
    const Template space = loadTemplate("phaze");
    double largest = 0;
    for (const auto& row : rows) {
        const Architecture architecture = architectureIn(space, row);
        EXPECT_EQ(architecture.tensorL2.value, row.at("l2_tc_kb") * kKibi);
        EXPECT_EQ(architecture.vectorL2.value, row.at("l2_vc_kb") * kKibi);
        const Area area = areaOf(architecture, space.area);
        EXPECT_FALSE(area.l2Estimated || area.globalBufferEstimated);
        largest = std::max(largest, std::fabs(area.total().value * 1e6 / row.at("area_um2") - 1));
    }
    return largest;
}

TEST(Area, equalsAllPublishedEntries) {
    const auto rows = rowsOf(test::sourcePath("tests/data/phaze/cores_area.csv"));
    ASSERT_EQ(rows.size(), 29'360U);
    EXPECT_LE(largestDifference(rows), 1e-13);
}

TEST(Area, addsUpItsParts) {
    const Template space = loadTemplate("phaze");
    const Area area = areaOf(architectureOf(space, *space.reference), space.area);
    // TPUv4: eight arrays of 128 x 128 elements, two vector cores of 128 lanes, 256 KB and 2 KB of L2, 128 MB of GLB.
    EXPECT_NEAR(area.tensorCores.value, 8 * 16384 * 760.041386e-6, 1e-6);
    EXPECT_NEAR(area.vectorCores.value, 2 * 128 * 759.823853e-6, 1e-6);
    EXPECT_NEAR(area.l2.value, (8 * 446565 + 2 * 8248.43) * 1e-6, 1e-6);
    EXPECT_NEAR(area.globalBuffer.value, 175.423, 1e-6);
    EXPECT_NEAR(area.total().value, 278.826676, 1e-6);
    EXPECT_EQ(area.total(), areaBound(space));
}

TEST(Area, leavesTheFittingPointsThatTheSpecificationCounts) {
    const Template space = loadTemplate("phaze");
    std::size_t published = 0, fitting = 0;
    for (const Architecture& architecture : architectures(space)) {
        if (architecture.globalBuffer < Bytes{2.0 * kMebi}) continue;
        ++published;
        if (areaOf(architecture, space.area).total() <= areaBound(space)) ++fitting;
    }
    EXPECT_EQ(published, 75'712U);
    EXPECT_EQ(fitting, 51'943U);
}

TEST(Area, labelsTheGlobalBufferThatIsNotPublished) {
    const Template space = loadTemplate("phaze");
    const Architecture small = architectureOf(space, 1, 1, 2, 2, kMebi);
    const Area area = areaOf(small, space.area);
    EXPECT_TRUE(area.globalBufferEstimated);
    EXPECT_FALSE(area.l2Estimated);
    // Along the power through 2 MB and 4 MB, a halving divides by as much as they differ: 3.33822^2 / 6.07864.
    EXPECT_NEAR(area.globalBuffer.value, 3.33822 * 3.33822 / 6.07864, 1e-9);
    EXPECT_EQ(areaNotes(small, area),
              std::vector<std::string>{"The area model gives no global buffer of 1 MiB: estimated from the nearest "
                                       "sizes that it gives."});
    const Architecture published = architectureOf(space, 1, 1, 2, 2, 2 * kMebi);
    EXPECT_TRUE(areaNotes(published, areaOf(published, space.area)).empty());
}

TEST(Area, estimatesBetweenAndBeyondTheSizesThatAreGiven) {
    const std::vector<BufferArea> table{{Bytes{1024}, 10}, {Bytes{4096}, 20}, {Bytes{8192}, 40}};
    EXPECT_EQ(bufferArea(Bytes{4096}, table).squareMicrometres, 20);
    EXPECT_FALSE(bufferArea(Bytes{4096}, table).estimated);
    EXPECT_NEAR(bufferArea(Bytes{2048}, table).squareMicrometres, 10 * std::sqrt(2), 1e-9);  // twice for four times
    EXPECT_NEAR(bufferArea(Bytes{256}, table).squareMicrometres, 5, 1e-9);
    EXPECT_NEAR(bufferArea(Bytes{32768}, table).squareMicrometres, 160, 1e-9);  // as large as its size
    EXPECT_TRUE(bufferArea(Bytes{32768}, table).estimated);
}

}  // namespace

#include "core/report/picture.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "core/report/partition_pictures.h"
#include "tests/support/partition_result.h"

namespace tessera::report {
namespace {

const study::PartitionOutcome& outcomeOf(const study::Result& result) {
    return std::get<study::PartitionOutcome>(result.outcome);
}

std::size_t countOf(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

TEST(HeatMap, hasOneCellPerLayerAndSplit) {
    const study::Result result = test::handMadeResult();
    const std::string svg = toSvg(typeMap(outcomeOf(result), "accpar"), Theme(ThemeKind::light));
    EXPECT_EQ(countOf(svg, "</title></rect>"), 4U);
    EXPECT_EQ(countOf(svg, "fc&lt;1&gt;: III at split 1 · slow|fast"), 1U);
    EXPECT_EQ(svg.find("fc<1>"), std::string::npos);
    EXPECT_NE(svg.find("#E08A1E"), std::string::npos);
}

}  // namespace
}  // namespace tessera::report

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/cost/dataflow.h"

namespace tessera::cost {
namespace {

std::string errorOf(const std::string& text) {
    try {
        readDataflow(text, "a.m");
    } catch (const DataError& error) {
        return error.what();
    }
    return "no error";
}

TEST(DataflowFile, readsAWholeNetworkFile) {
    const Dataflow dataflow = readDataflow(R"(// of a stranger
Constant Width 16;
Network N {
  Layer CONV1 {
    Type: CONV
    Dimensions { K: 64, C: 3, R: 3, S: 3, Y: 224, X: 224 }
    Dataflow {
      SpatialMap(1,1) K;
      TemporalMap(Sz(R), Sz(R)) R;  // whole kernels
      TemporalMap(Width,Width) -> Y';
      Cluster(Width, P);
      SpatialMap(1,1) C;
    }
  }
}
)",
                                           "dir/mine.m");
    EXPECT_EQ(dataflow.name, "mine");
    EXPECT_EQ(dataflow.constants, (std::map<std::string, std::int64_t>{{"Width", 16}}));
    ASSERT_EQ(dataflow.directives.size(), 5U);
    EXPECT_EQ(dataflow.directives[1].size, Amount(Dimension::r));
    EXPECT_EQ(dataflow.directives[2].size, Amount(std::string("Width")));
    EXPECT_EQ(dataflow.directives[2].dimension, Dimension::outY);
    EXPECT_EQ(dataflow.directives[3].kind, DirectiveKind::cluster);
}

TEST(DataflowFile, readsWhatItWrites) {
    for (const std::string& name : bundledDataflowNames()) {
        const Dataflow dataflow = bundledDataflow(name);
        EXPECT_EQ(dataflow.name, name);
        EXPECT_EQ(readDataflow(writeDataflow(dataflow), name + ".m"), dataflow);
    }
    EXPECT_EQ(bundledDataflow("dla"), bundledDataflow("nvdla"));
}

TEST(DataflowFile, takesAPieceOfAFile) {
    const Dataflow piece = readDataflow("{ SpatialMap(1,1) K; } } }", "a.m");
    EXPECT_EQ(piece, readDataflow("SpatialMap(1,1) K", "a.m"));
}

TEST(DataflowFile, saysWhereAndWhatIsWrong) {
    EXPECT_EQ(errorOf(""), "a.m: found no directive; expected a dataflow of TemporalMap, SpatialMap and Cluster");
    EXPECT_EQ(errorOf("SpatialMap(0,1) K"), "a.m:1:12: found '0'; expected a whole number from 1 to 2147483647");
    EXPECT_EQ(errorOf("SpatialMap(1,-1) K"), "a.m:1:14: found '-1'; expected a whole number above 0");
    EXPECT_EQ(errorOf("\nSpatialMap(1,1) Q"), "a.m:2:17: found 'Q'; expected a dimension: K, C, Y, X, R, S, Y' or X'");
    EXPECT_EQ(errorOf("SpatialMap(1,1) Y; TemporalMap(1,1) Y'"),
              "a.m:1:20: found a second directive on Y; expected one per dimension in each level");
    EXPECT_EQ(errorOf("SpatialMap(Wdth,1) Y"),
              "a.m:1:12: found 'Wdth'; expected a number, Sz(dimension) or a constant that the file defines");
    EXPECT_EQ(errorOf("SpaceMap(1,1) Y"),
              "a.m:1:1: found 'SpaceMap'; expected TemporalMap, SpatialMap, Cluster, Constant or Dataflow");
    EXPECT_EQ(errorOf("SpatialMap(1,"),
              "a.m:1:14: found the end of the text; expected a whole number from 1 to 2147483647");
}

TEST(DataflowFile, hasLimits) {
    std::string clusters;
    for (int i = 0; i < 8; ++i) clusters += "SpatialMap(1,1) K; Cluster(1, P);\n";
    EXPECT_EQ(errorOf(clusters), "a.m:8:20: found one more cluster; expected at most 7");
    EXPECT_EQ(errorOf(std::string(65, '{')),
              "a.m:1:65: found a deeper block; expected at most 64 blocks in each other");
    EXPECT_EQ(errorOf(std::string(300, 'x')), "a.m:1:1: found a word of 300 bytes; expected words of at most 256");
    EXPECT_EQ(errorOf(std::string(kLargestDataflowFile + 1, ' ')),
              "a.m: found 1048577 bytes; expected a mapping of at most 1048576 bytes");
    EXPECT_EQ(errorOf("Dataflow { SpatialMap(1,1) K; } Dataflow { SpatialMap(1,1) C; }"),
              "a.m: found a dataflow unlike the one before; expected one dataflow in a file");
}

TEST(DataflowFile, anUnknownNameIsToldWhichThereAre) {
    EXPECT_THROW(bundledDataflow("nvdia"), UsageError);
    EXPECT_THROW(loadDataflow("missing.m"), FileError);
}

}  // namespace
}  // namespace tessera::cost

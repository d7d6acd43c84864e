#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/core/cost/tables.h"
#include "tests/support/paths.h"

namespace tessera::cost::tables {
namespace {

using tessera::test::sourcePath;
using testing::HasSubstr;

/// Random layers, mappings and arrays, the same in every run.
class Draw {
public:
    explicit Draw(std::uint32_t seed) : engine_(seed) {}

    std::int64_t number(std::int64_t min, std::int64_t max) {
        return min + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(max - min + 1));
    }
    bool oneIn(std::int64_t n) { return number(1, n) == 1; }

    Layer layer() {
        Layer layer{.kind = oneIn(4) ? LayerKind::dsconv : LayerKind::conv,
                    .k = number(1, 70),
                    .c = number(1, 70),
                    .y = number(1, 30),
                    .x = number(1, 30)};
        layer.padY = number(0, 4);
        layer.padX = number(0, 4);
        layer.r = number(1, std::min<std::int64_t>(7, layer.y + layer.padY));
        layer.s = number(1, std::min<std::int64_t>(7, layer.x + layer.padX));
        layer.strideY = number(1, 3);
        layer.strideX = number(1, 3);
        layer.batch = number(1, 3);
        if (layer.kind == LayerKind::conv && oneIn(4)) {
            layer.groups = number(2, 4);
            layer.k *= layer.groups;
            layer.c *= layer.groups;
        }
        return layer;
    }

    Amount amount(Dimension dimension) {
        if (oneIn(3)) return dimension;
        if (oneIn(6)) return std::string("ClusterSz");
        return number(1, 9);
    }

    void level(Dataflow& dataflow) {
        std::vector<Dimension> dimensions{Dimension::k,
                                          Dimension::c,
                                          oneIn(2) ? Dimension::y : Dimension::outY,
                                          oneIn(2) ? Dimension::x : Dimension::outX,
                                          Dimension::r,
                                          Dimension::s};
        std::shuffle(dimensions.begin(), dimensions.end(), engine_);
        dimensions.resize(static_cast<std::size_t>(number(2, 6)));
        for (std::size_t i = 0; i < dimensions.size(); ++i) {
            const bool spatial = i == 0 || (i == 1 && oneIn(3));
            dataflow.directives.push_back({.kind = spatial ? DirectiveKind::spatial : DirectiveKind::temporal,
                                           .size = amount(dimensions[i]),
                                           .offset = amount(dimensions[i]),
                                           .dimension = dimensions[i]});
        }
        std::shuffle(dataflow.directives.end() - static_cast<std::ptrdiff_t>(dimensions.size()),
                     dataflow.directives.end(), engine_);
    }

    Dataflow dataflow() {
        Dataflow dataflow{.name = "random"};
        level(dataflow);
        for (std::int64_t inner = number(0, 2); inner > 0; --inner) {
            dataflow.directives.push_back({.kind = DirectiveKind::cluster, .size = number(1, 6)});
            level(dataflow);
        }
        return dataflow;
    }

    Array array() {
        const auto bandwidth = [&] { return oneIn(2) ? 81'920'000 : number(1, 64); };
        return {.pes = number(36, 300),
                .clusterSize = number(1, 16),
                .nocBandwidth = bandwidth(),
                .nocHops = number(0, 3),
                .nocHopLatency = number(0, 3),
                .offchipBandwidth = bandwidth(),
                .simdLanes = number(1, 4)};
    }

private:
    std::mt19937 engine_;
};

/// 0 where a law is broken, with the failures recorded.
void expectLaws(const Layer& layer, const Dataflow& dataflow, const Array& array, const std::string& title) {
    SCOPED_TRACE(title + "\n" + writeDataflow(dataflow));
    const Analysis analysis = analyse(layer, dataflow, array, Variant::corrected);
    ASSERT_EQ(analysis.problem, "");
    const LayerCost& cost = analysis.cost;
    const double lanes = static_cast<double>(array.pes) * static_cast<double>(array.simdLanes);
    EXPECT_EQ(static_cast<double>(cost.macs), trueMacs(layer));
    EXPECT_GE(static_cast<double>(cost.cycles) * lanes, trueMacs(layer));
    EXPECT_GT(cost.utilisation, 0);
    EXPECT_LE(cost.utilisation, 1);
    EXPECT_GT(cost.l1Bytes, 0);
    EXPECT_GT(cost.l2Bytes, 0);
    EXPECT_GT(cost.l2Reads, 0);
    EXPECT_GE(cost.l2Writes, outputElements(layer));
    EXPECT_GE(cost.l2Reads, weightElements(layer));
    EXPECT_GE(cost.offChipBytes, inputElements(layer) + weightElements(layer) + outputElements(layer));
    EXPECT_GT(cost.energy, 0);
}

void expectMonotone(const Layer& layer, const Dataflow& dataflow, Array array, std::int64_t Array::*bandwidth) {
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t given : {1, 2, 3, 5, 16, 100, 4096, 81'920'000}) {
        array.*bandwidth = given;
        const std::int64_t cycles = analyse(layer, dataflow, array, Variant::corrected).cost.cycles;
        EXPECT_LE(cycles, before) << writeDataflow(dataflow);
        before = cycles;
    }
}

TEST(Corrected, lawsHoldForRandomLayersMappingsAndArrays) {
    Draw draw(20'220'402);
    for (int i = 0; i < 20'000 && !testing::Test::HasFailure(); ++i) {
        const Layer layer = draw.layer();
        const Dataflow dataflow = draw.dataflow();
        expectLaws(layer, dataflow, draw.array(), fmt::format("draw {}", i));
    }
}

TEST(Corrected, moreBandwidthNeverTakesLonger) {
    Draw draw(7);
    for (int i = 0; i < 2'000 && !testing::Test::HasFailure(); ++i) {
        const Layer layer = draw.layer();
        const Dataflow dataflow = draw.dataflow();
        expectMonotone(layer, dataflow, draw.array(), &Array::nocBandwidth);
        expectMonotone(layer, dataflow, draw.array(), &Array::offchipBandwidth);
    }
}

TEST(Corrected, lawsHoldForTheLayersOfTheJobTables) {
    const Dataflow depthwise = bundledDataflow("depthwise");
    for (const KnownRow& row : knownRows(sourcePath("tests/data/magma/layer_costs_bandwidth.csv"))) {
        const Layer layer = layerOfRow(row);
        const Dataflow style = bundledDataflow(row.at("style"));
        const Array array = arrayOfRow(row);
        expectLaws(layer, dataflowFor(layer, style, depthwise), array, row.at("type"));
    }
}

TEST(Corrected, agreesWithThePublishedModelWhereThatIsRight) {
    // No edges, one spatial map in each level: 1 + (R S + 1) ceil(K/32) ceil(C/64) Y' X' cycles.
    const Layer layer{.k = 64, .c = 128, .y = 30, .x = 30, .r = 3, .s = 3};
    const Analysis analysis = analyse(layer, bundledDataflow("nvdla"), {}, Variant::corrected);
    EXPECT_EQ(analysis.cost.cycles, 1 + 10 * 2 * 2 * 28 * 28);
    EXPECT_EQ(analysis.cost.l2Bytes, 2 * (64 * 9 + 32 * 64 * 9 + 32));
    EXPECT_EQ(analysis.cost.l1Bytes, 2 * (9 + 9 + 1));
}

TEST(Corrected, countsTheTrafficOfAMatrixProductByHand) {
    // K on 2 elements, C and rows in time: weights change with K and C, the input with C and rows, and the output tile
    // of 2 x 1 comes back for every further C.
    const Dataflow dataflow = readDataflow("SpatialMap(1,1) K; TemporalMap(1,1) C; TemporalMap(1,1) Y;", "row.m");
    const Layer layer{.k = 4, .c = 3, .y = 5};
    const LayerCost cost = analyse(layer, dataflow, {.pes = 2}, Variant::corrected).cost;
    EXPECT_EQ(cost.cycles, 1 + 2 * 3 * 5);
    const double inputs = 2 * 3 * 5;
    const double weights = 4 * 3;
    const double written = 4 * 5 * 3;
    EXPECT_EQ(cost.l2Writes, written);
    EXPECT_EQ(cost.l2Reads, inputs + weights + written - 4 * 5);
    EXPECT_EQ(cost.offChipBytes, cost.l2Reads + cost.l2Writes);
    EXPECT_DOUBLE_EQ(cost.utilisation, 60.0 / (31 * 2));
}

TEST(Corrected, countsWhatALocalBufferDoesNotHoldByHand) {
    // As above with two C at a time: an element's chunk is 2 inputs, 2 weights and an output, doubled 10 bytes.
    const Dataflow dataflow = readDataflow("SpatialMap(1,1) K; TemporalMap(2,2) C; TemporalMap(1,1) Y;", "row.m");
    const Layer layer{.k = 4, .c = 4, .y = 5};
    const auto costOf = [&](std::int64_t localBytes, std::int64_t sharedBytes = 0) {
        const Array array{.pes = 2, .sharedBytes = sharedBytes, .localBytes = localBytes};
        return analyse(layer, dataflow, array, Variant::corrected).cost;
    };
    const LayerCost whole = costOf(0);
    EXPECT_EQ(whole.l1Bytes, 10);
    const double inputs = 2 * 2 * 5 * 2, weights = 4 * 4, partial = 4 * 5;
    EXPECT_EQ(whole.l2Reads, inputs + weights + partial);
    EXPECT_EQ(costOf(10), whole);
    // The inputs of a step are new in any case, so that they need not stay.
    EXPECT_EQ(costOf(8), whole);
    // Nothing but the sum stays: weights pass at every operation, inputs are shared by both elements as before.
    const LayerCost min = costOf(6);
    EXPECT_EQ(min.l2Reads, inputs + 4 * 4 * 5 + partial);
    EXPECT_EQ(min.l2Writes, whole.l2Writes);
    EXPECT_EQ(min.offChipBytes, whole.offChipBytes);
    EXPECT_GT(min.energy, whole.energy);
    // Tiles of 2 inputs, 4 weights and 2 outputs: a shared buffer without room for them hands through what is fetched.
    EXPECT_EQ(min.l2Bytes, 16);
    EXPECT_EQ(costOf(6, 16).offChipBytes, whole.offChipBytes);
    EXPECT_EQ(costOf(6, 15).offChipBytes, min.l2Reads + min.l2Writes);
    EXPECT_EQ(costOf(10, 15).offChipBytes, whole.offChipBytes);
}

TEST(Corrected, largerBuffersNeverTakeMoreTraffic) {
    Draw draw(11);
    std::int64_t gains = 0;
    for (int i = 0; i < 2'000 && !testing::Test::HasFailure(); ++i) {
        const Layer layer = draw.layer();
        const Dataflow dataflow = draw.dataflow();
        Array array = draw.array();
        const LayerCost whole = analyse(layer, dataflow, array, Variant::corrected).cost;
        array.sharedBytes = draw.number(6, 2 * whole.l2Bytes + 6);
        const auto grow = [&](std::int64_t Array::*buffer, std::int64_t max) {
            Array grown = array;
            LayerCost before;
            for (const std::int64_t bytes : {std::int64_t{6}, max / 4, max / 2, max - 1, max, 2 * max}) {
                if (bytes < std::max<std::int64_t>(6, grown.*buffer) && before.cycles > 0) continue;
                grown.*buffer = std::max<std::int64_t>(6, bytes);
                const LayerCost cost = analyse(layer, dataflow, grown, Variant::corrected).cost;
                if (before.cycles > 0) {
                    EXPECT_LE(cost.offChipBytes, before.offChipBytes) << writeDataflow(dataflow);
                    gains += cost.offChipBytes < before.offChipBytes ? 1 : 0;
                }
                before = cost;
            }
        };
        grow(&Array::localBytes, whole.l1Bytes);
        array.localBytes = draw.number(6, whole.l1Bytes + 6);
        grow(&Array::sharedBytes, whole.l2Bytes);
        array.sharedBytes = std::numeric_limits<std::int64_t>::max() / 4;
        array.localBytes = whole.l1Bytes;
        EXPECT_LE(analyse(layer, dataflow, array, Variant::corrected).cost.offChipBytes, whole.offChipBytes);
    }
    EXPECT_GT(gains, 500);
}

TEST(Corrected, stridesPaddingGroupsAndBatchesAreWhatTheySay) {
    const Dataflow dataflow = bundledDataflow("nvdla");
    const Layer plain{.k = 64, .c = 64, .y = 16, .x = 16, .r = 3, .s = 3};
    Layer padded = plain;
    padded.y = padded.x = 14;
    padded.padY = padded.padX = 2;
    const auto cycles = [&](const Layer& layer) {
        return analyse(layer, dataflow, {}, Variant::corrected).cost.cycles;
    };
    EXPECT_EQ(cycles(padded), cycles(plain));
    Layer strided = plain;
    strided.y = strided.x = 29;
    strided.strideY = strided.strideX = 2;
    EXPECT_EQ(cycles(strided), cycles(plain));
    Layer grouped = plain;
    grouped.k = grouped.c = 128;
    grouped.groups = 2;
    EXPECT_EQ(cycles(grouped), 2 * cycles(plain));
    Layer batch = plain;
    batch.batch = 3;
    EXPECT_EQ(cycles(batch), 3 * cycles(plain));
}

TEST(Corrected, twoSpatialMapsShareTheElements) {
    const Layer layer{.y = 8, .x = 8};
    const Dataflow dataflow = readDataflow("SpatialMap(1,1) Y; SpatialMap(1,1) X;", "row.m");
    EXPECT_EQ(analyse(layer, dataflow, {.pes = 16}, Variant::corrected).cost.cycles, 1 + 4);
    EXPECT_LT(analyse(layer, dataflow, {.pes = 16}, Variant::published).cost.cycles, 1 + 4);
    EXPECT_THAT(differences(layer, dataflow, {.pes = 16}), testing::Contains(HasSubstr("two spatial maps")));
}

TEST(Analyse, astronomicalLayersTakeNoTime) {
    const Layer layer{.k = 1'000'000'000, .c = 1'000'000, .y = 100'000};
    EXPECT_EQ(analyse(layer, bundledDataflow("eyeriss"), {}, Variant::published).problem,
              "its iterations do not fit into the 32-bit counter of the published model");
    const Layer huge{.k = 2'147'483'647, .c = 2'147'483'647, .y = 2'147'483'647, .x = 2'147'483'647};
    EXPECT_EQ(analyse(huge, bundledDataflow("eyeriss"), {}, Variant::corrected).problem,
              "its counts do not fit into 64 bits");
}

TEST(Analyse, theCounterOfThePublishedModelWraps) {
    const Layer layer = layerOfJob(3, {1000, 60'000, 80'000, 1, 1, 1}).value();
    EXPECT_EQ(analyse(layer, bundledDataflow("eye"), {}, Variant::published).cost.cycles, 1'010'065'409);
    EXPECT_GT(analyse(layer, bundledDataflow("eye"), {}, Variant::corrected).cost.cycles, 9'000'000'000);
}

TEST(Analyse, saysWhyALayerHasNoCost) {
    const Dataflow nvdla = bundledDataflow("nvdla");
    const auto why = [&](const Layer& layer, const Dataflow& dataflow, const Array& array) {
        return analyse(layer, dataflow, array, Variant::published).problem;
    };
    EXPECT_EQ(why({.y = 2, .r = 3}, nvdla, {}), "the kernel has 3 rows and the map only 2");
    EXPECT_EQ(why({.k = 0}, nvdla, {}), "K is 0; it must be from 1 to 2147483647");
    EXPECT_EQ(why({}, nvdla, {.pes = 63}), "63 processing elements do not make one cluster of 64");
    EXPECT_EQ(why({.strideY = 2}, nvdla, {}), "the published model knows neither strides nor padding");
    EXPECT_EQ(why({}, readDataflow("TemporalMap(1,1) K;", "a.m"), {}), "level 0 of the mapping has no SpatialMap");
    EXPECT_EQ(why({}, readDataflow("SpatialMap(1,1) K; SpatialMap(1,1) C; SpatialMap(1,1) Y;", "a.m"), {}),
              "level 0 of the mapping has 3 SpatialMaps; 2 are the most");
}

TEST(FlexibleArray, isNeverSlowerThanTheFixedOneAndKeepsWithinTheBuffers) {
    const Dataflow nvdla = bundledDataflow("nvdla");
    // 48 channels leave 16 of 64 columns idle; a width of 48 makes 42 clusters of the elements, and one row of K.
    const Layer layer{.k = 42, .c = 48, .y = 14, .x = 14};
    const FlexibleArray flexible = flexibleArray(layer, nvdla, {}, Variant::corrected);
    ASSERT_TRUE(flexible.analysis.ok()) << flexible.analysis.problem;
    EXPECT_EQ(flexible.array.pes, 2048);
    EXPECT_EQ(flexible.array.clusterSize, 48);
    EXPECT_LT(flexible.analysis.cost.cycles, analyse(layer, nvdla, {}, Variant::corrected).cost.cycles);
    EXPECT_EQ(flexibleArray(layer, nvdla, {}, Variant::corrected, {.l1Bytes = 1}).analysis.problem,
              "no shape of the array keeps within 1 bytes of local and 2097152 of shared buffer");
}

}  // namespace
}  // namespace tessera::cost::tables

#include "core/physical/collective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "core/physical/collective_model.h"
#include "tests/support/paths.h"
#include "tests/support/sanitizers.h"

namespace tessera::physical {
namespace {

using testing::HasSubstr;

struct MeasuredCollective {
    CollectiveRequest request;
    double seconds = 0;
    const CollectiveFabric* fabric = nullptr;

    bool isLong() const { return request.bytes >= kLongCollective; }
    bool isInNode() const { return request.accelerators <= request.perNode; }
    bool isSwitched() const { return isInNode() && fabric->linked == 0; }
};

/// The rows of the built-in table as requests.
std::vector<MeasuredCollective> measuredCollectives() {
    std::vector<MeasuredCollective> all;
    for (const CollectiveSeries& series : collectiveSeries()) {
        const CollectiveFabric& fabric = collectiveFabrics()[series.fabric];
        for (const CollectiveSample& sample : series.samples)
            all.push_back({{.system = std::string(fabric.system),
                            .operation = series.operation,
                            .accelerators = series.accelerators,
                            .perNode = series.perNode,
                            .bytes = sample.bytes,
                            .source = std::string(fabric.source)},
                           sample.seconds,
                           &fabric});
    }
    return all;
}

Interconnect linksOf(const CollectiveFabric& fabric) {
    return {.linkBytesPerSecond = fabric.linkBytesPerSecond, .switchAdds = fabric.switchAdds};
}

/// Of judged rows.
struct Judgement {
    int rows = 0;
    double meanError = 0;
    double covered = 0;
};

Judgement judged(CollectiveOmission omitted, const std::function<bool(const MeasuredCollective&)>& belongs) {
    Judgement sum;
    for (MeasuredCollective row : measuredCollectives()) {
        if (!belongs(row)) continue;
        if (omitted == CollectiveOmission::system) row.request.interconnect = linksOf(*row.fabric);
        const Prediction prediction = judgeCollective(row.request, omitted);
        EXPECT_TRUE(prediction.estimate) << prediction.refused;
        if (!prediction.estimate) continue;
        const Estimate estimate = *prediction.estimate;
        ++sum.rows;
        sum.meanError += std::fabs(estimate.value / row.seconds - 1);
        sum.covered += estimate.low <= row.seconds && row.seconds <= estimate.high ? 1 : 0;
    }
    sum.meanError /= sum.rows;
    sum.covered /= sum.rows;
    return sum;
}

bool isLongOfNccl(const MeasuredCollective& row) {
    return row.isLong() && row.fabric->source == "aiconfigurator-nccl";
}
bool isLongSwitched(const MeasuredCollective& row) {
    return row.isLong() && row.isSwitched();
}

/// A row of collectives.csv with its numbers as numbers.
std::string cells(std::string_view system, std::string_view operation, int accelerators, int perNode, double bytes,
                  double seconds, std::string_view source) {
    std::ostringstream text;
    text << system << ' ' << operation << ' ' << accelerators << ' ' << perNode << ' ' << bytes << ' ' << seconds << ' '
         << source;
    return text.str();
}

std::vector<std::string> rowsOfFile() {
    std::ifstream file(test::sourcePath("data/measured/collectives.csv"));
    std::vector<std::string> rows;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream text(line);
        std::string system, operation, source;
        int accelerators = 0, perNode = 0;
        double bytes = 0, seconds = 0;
        text >> system >> operation >> accelerators >> perNode >> bytes >> seconds >> source;
        rows.push_back(cells(system, operation, accelerators, perNode, bytes, seconds, source));
    }
    std::sort(rows.begin(), rows.end());
    return rows;
}

TEST(Collectives, HaveTheRowsOfTheMeasuredTable) {
    std::vector<std::string> rows;
    for (const MeasuredCollective& row : measuredCollectives())
        rows.push_back(cells(row.request.system, kCollectiveNames.of(row.request.operation), row.request.accelerators,
                             row.request.perNode, row.request.bytes, row.seconds, row.request.source));
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows, rowsOfFile());
}

TEST(Collectives, HaveTheParametersThatTheFitGives) {
    for (std::size_t i = 0; i < collectiveFabrics().size(); ++i) {
        const CollectiveFabric& fabric = collectiveFabrics()[i];
        const CollectiveParameters fitted = fitCollectives(fabric, rowsOfFabric(i));
        for (const auto field : kCollectiveFields)
            EXPECT_NEAR(fitted.*field / fabric.parameters.*field, 1, 0.02) << fabric.system << ' ' << fabric.source;
    }
}

TEST(Collectives, OneStepWithoutASizeIsNearlyTheFitWithoutIt) {
    const CollectiveFabric& fabric = collectiveFabrics()[0];
    std::vector<CollectiveRow> kept;
    std::vector<CollectiveEffect> effects;
    for (const CollectiveRow& row : rowsOfFabric(0)) {
        if (row.sample.bytes == 33554432) continue;
        kept.push_back(row);
        effects.push_back(collectiveEffect(fabric, row));
    }
    CollectiveFabric fitted = fabric;
    fitted.parameters = fitCollectives(fabric, kept);
    const CollectiveFabric stepped = collectiveStep(fabric, effects);
    for (const Collective operation : {Collective::allReduce, Collective::allGather, Collective::allToAll})
        for (const int n : {2, 4, 8})
            EXPECT_NEAR(collectiveModel(stepped, operation, n, n, 33554432) /
                            collectiveModel(fitted, operation, n, n, 33554432),
                        1, 0.02);
}

// The target for given systems is 5 %; reached: 6.1 % without the size, 5.7 % without the row. 2 MiB, where libraries
// change their protocol, is at 14 %; from 16 MB it is 3.4 %.
TEST(Collectives, OfAMegabyteAndMoreAreWithinSixPercentWithTheirSizeLeftOut) {
    const Judgement nccl = judged(CollectiveOmission::size, isLongOfNccl);
    EXPECT_EQ(nccl.rows, 120);
    EXPECT_LE(nccl.meanError, 0.063);
    EXPECT_LE(judged(CollectiveOmission::row, isLongOfNccl).meanError, 0.06);
    EXPECT_LE(judged(CollectiveOmission::size, isLongSwitched).meanError, 0.067);
    EXPECT_LE(judged(CollectiveOmission::size, [](const MeasuredCollective& row) { return row.isLong(); }).meanError,
              0.078);
}

TEST(Collectives, OfSixteenMegabytesAndMoreAreWithinFourPercentWithTheirSizeLeftOut) {
    const auto longest = [](const MeasuredCollective& row) {
        return row.isSwitched() && row.request.bytes >= kLongestCollective;
    };
    EXPECT_LE(judged(CollectiveOmission::size, longest).meanError, 0.036);
}

// The target for other switched systems is 12 %; reached: 18.0 % with the rate of the links alone.
TEST(Collectives, OfAGenerationLeftOutAreTransferredByTheRateOfItsLinks) {
    const Judgement all = judged(CollectiveOmission::system, isLongSwitched);
    EXPECT_EQ(all.rows, 230);
    EXPECT_LE(all.meanError, 0.185);
    EXPECT_GE(all.covered, 0.85);
    EXPECT_LE(judged(CollectiveOmission::system, isLongOfNccl).meanError, 0.162);
}

// The time of one short all-reduce, which is no row of those judged, brings that source's below 12 %.
TEST(Collectives, OfAGenerationLeftOutAreWithinTwelvePercentOnceAShortOneIsTimed) {
    double sum = 0;
    int rows = 0;
    for (MeasuredCollective row : measuredCollectives()) {
        if (!isLongOfNccl(row)) continue;
        row.request.interconnect = linksOf(*row.fabric);
        row.request.interconnect->latencySeconds = row.fabric->generation == "a100" ? 9.98e-6 : 6.2e-6;
        sum += std::fabs(judgeCollective(row.request, CollectiveOmission::system).estimate->value / row.seconds - 1);
        ++rows;
    }
    EXPECT_LE(sum / rows, 0.12);
}

TEST(Collectives, HaveIntervalsThatHoldMostRowsJudgedWithoutTheirSize) {
    const Judgement all = judged(CollectiveOmission::size, [](const MeasuredCollective&) { return true; });
    EXPECT_EQ(all.rows, 554);
    EXPECT_GE(all.covered, 0.85);
    EXPECT_LE(all.covered, 0.95);
}

TEST(Collectives, ThatWereMeasuredArePredictedAsMeasured) {
    for (const MeasuredCollective& row : measuredCollectives())
        EXPECT_NEAR(predictCollective(row.request).estimate->value / row.seconds, 1, 0.03);
}

/// Random collectives, the same in every run.
class CollectiveDraw {
public:
    int number(int min, int max) { return min + static_cast<int>(engine_() % static_cast<unsigned>(max - min + 1)); }
    const CollectiveFabric& fabric() {
        return collectiveFabrics()[static_cast<std::size_t>(
            number(0, static_cast<int>(collectiveFabrics().size()) - 1))];
    }
    Collective operation() { return static_cast<Collective>(number(0, 3)); }
    double bytes() { return std::ldexp(1 + number(0, 999) / 1000.0, number(0, 32)); }

private:
    std::mt19937 engine_{7};
};

TEST(Collectives, OfMoreBytesAreNeverFasterByTheModel) {
    CollectiveDraw draw;
    for (int i = 0; i < test::randomCases(100'000); ++i) {
        const CollectiveFabric& fabric = draw.fabric();
        const Collective operation = draw.operation();
        const int perNode = draw.number(1, 8), accelerators = draw.number(2, 64);
        const double bytes = draw.bytes(), more = bytes * (1 + draw.number(1, 100) / 50.0);
        EXPECT_LE(collectiveModel(fabric, operation, accelerators, perNode, bytes),
                  collectiveModel(fabric, operation, accelerators, perNode, more));
    }
}

TEST(Collectives, OverFasterLinksAndNetworksAreNeverSlower) {
    CollectiveDraw draw;
    for (int i = 0; i < 5000; ++i) {
        CollectiveRequest request{.system = "not measured",
                                  .operation = draw.operation(),
                                  .accelerators = draw.number(2, 64),
                                  .perNode = draw.number(1, 8),
                                  .bytes = draw.bytes()};
        request.interconnect = Interconnect{.linkBytesPerSecond = 1e9 * draw.number(10, 900),
                                            .networkBytesPerSecond = 1e9 * draw.number(1, 400)};
        const double before = predictCollective(request).estimate->value;
        request.interconnect->linkBytesPerSecond *= 1 + draw.number(0, 20) / 10.0;
        request.interconnect->networkBytesPerSecond *= 1 + draw.number(0, 20) / 10.0;
        EXPECT_LE(predictCollective(request).estimate->value, before * (1 + 1e-12));
    }
}

TEST(Collectives, OfMoreAcceleratorsAreNeverCheaperByTheModelWhereNoSwitchAdds) {
    CollectiveDraw draw;
    for (int i = 0; i < test::randomCases(100'000); ++i) {
        CollectiveFabric fabric = draw.fabric();
        fabric.switchAdds = false;
        const Collective operation = draw.operation();
        const int perNode = draw.number(1, 8), accelerators = draw.number(1, 64);
        const double bytes = draw.bytes();
        EXPECT_LE(collectiveModel(fabric, operation, accelerators, perNode, bytes),
                  collectiveModel(fabric, operation, accelerators + 1, perNode, bytes) * (1 + 1e-12));
    }
}

TEST(Collectives, FarFromWhatWasMeasuredHaveWiderIntervals) {
    CollectiveRequest request{.system = "a100", .accelerators = 8, .perNode = 8, .bytes = 5e8};
    const Estimate near = *predictCollective(request).estimate;
    request.bytes = 5e11;
    const Estimate far = *predictCollective(request).estimate;
    EXPECT_GT(far.high / far.value, near.high / near.value);
}

TEST(Collectives, OfOneAcceleratorTakeNoTime) {
    EXPECT_EQ(predictCollective({.system = "a100", .accelerators = 1, .perNode = 1, .bytes = 1e9}).estimate->value, 0);
}

TEST(Collectives, OfUnknownSystemsNeedTheRatesOfTheirLinks) {
    CollectiveRequest request{.system = "somewhere", .accelerators = 16, .perNode = 8, .bytes = 1e6};
    EXPECT_THAT(predictCollective(request).refused, HasSubstr("nobody measured collectives of 'somewhere'"));
    request.interconnect = Interconnect{.linkBytesPerSecond = 300e9};
    EXPECT_THAT(predictCollective(request).refused, HasSubstr("the rate of the network of 'somewhere' is not given"));
    request.interconnect->networkBytesPerSecond = 100e9;
    EXPECT_TRUE(predictCollective(request).estimate);
}

TEST(Collectives, OfImpossibleSizesAreRefused) {
    EXPECT_THAT(predictCollective({.system = "a100", .accelerators = 0, .perNode = 1, .bytes = 1}).refused,
                HasSubstr("0 accelerators"));
    EXPECT_THAT(predictCollective({.system = "a100", .accelerators = 2, .perNode = 2, .bytes = -1}).refused,
                HasSubstr("-1 bytes"));
    EXPECT_FALSE(
        predictCollective({.system = "a100", .accelerators = 2, .perNode = 2, .bytes = std::nan("")}).estimate);
}

TEST(Collectives, AreNamedAsInTheTable) {
    EXPECT_EQ(collectiveNamed("reduce_scatter"), Collective::reduceScatter);
    EXPECT_EQ(collectiveNamed("send_recv"), Collective::sendReceive);
    EXPECT_EQ(collectiveNamed("broadcast"), Collective::broadcast);
    EXPECT_EQ(collectiveNamed("scan"), std::nullopt);
}

// A message is passed on while it arrives: no device sends more than all of it, however many there are.
TEST(Collectives, ABroadcastTakesALittleMoreThanAGather) {
    for (const double bytes : {1e6, 64e6, 1e9})
        for (const int accelerators : {2, 4, 8}) {
            CollectiveRequest request{.system = "h100",
                                      .operation = Collective::allGather,
                                      .accelerators = accelerators,
                                      .perNode = 8,
                                      .bytes = bytes};
            request.perNode = accelerators;
            const double gather = predictCollective(request).estimate->value;
            request.operation = Collective::broadcast;
            const double broadcast = predictCollective(request).estimate->value;
            EXPECT_GT(broadcast, bytes / 450e9);
            EXPECT_LT(broadcast, 2.2 * gather) << accelerators << ' ' << bytes;
            EXPECT_GT(broadcast, 0.8 * gather) << accelerators << ' ' << bytes;
        }
}

}  // namespace
}  // namespace tessera::physical

#include "core/physical/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/hardware/library.h"
#include "tests/support/sanitizers.h"

namespace tessera::physical {
namespace {

using hardware::LevelKind;
using hardware::TopologyLevel;
using testing::DoubleNear;
using testing::HasSubstr;
using Span = std::vector<std::int64_t>;

TopologyLevel levelOf(std::int64_t size, double bandwidth, LevelKind kind = LevelKind::switched) {
    return {.name = "level", .size = size, .kind = kind, .bandwidth = BytesPerSecond{bandwidth}};
}

TopologyLevel torusOf(std::vector<std::int64_t> dims, double bandwidth) {
    TopologyLevel level = levelOf(1, bandwidth, LevelKind::torus);
    for (const std::int64_t size : dims) level.size *= size;
    level.dims = std::move(dims);
    return level;
}

/// Eight accelerators of a node, nodes with a port each.
std::vector<TopologyLevel> nodes(std::int64_t count = 16) {
    return {levelOf(8, 300e9), levelOf(count, 25e9)};
}

double secondsOf(const std::vector<TopologyLevel>& levels, Collective operation, const Span& span, double bytes,
                 std::int64_t concurrent = 1) {
    const Prediction prediction = collectiveOver(levels, operation, {.span = span, .concurrent = concurrent}, bytes);
    EXPECT_TRUE(prediction.estimate) << prediction.refused;
    return prediction.estimate ? prediction.estimate->value : std::numeric_limits<double>::quiet_NaN();
}

std::string refusalOf(const std::vector<TopologyLevel>& levels, const Span& span, double bytes = 1e6,
                      std::int64_t concurrent = 1) {
    return collectiveOver(levels, Collective::allReduce, {.span = span, .concurrent = concurrent}, bytes).refused;
}

TEST(CollectiveOverLevels, OfOneMemberTakesNoTime) {
    EXPECT_EQ(secondsOf(nodes(), Collective::allReduce, {}, 1e9), 0);
    EXPECT_EQ(secondsOf(nodes(), Collective::allToAll, {1, 1}, 1e9), 0);
}

TEST(CollectiveOverLevels, OfOneNodeIsThatOfItsSwitch) {
    const CollectiveRequest request{
        .accelerators = 4, .perNode = 4, .bytes = 1e8, .interconnect = Interconnect{.linkBytesPerSecond = 300e9}};
    EXPECT_EQ(secondsOf(nodes(), Collective::allReduce, {4}, 1e8), predictCollective(request).estimate->value);
}

TEST(CollectiveOverLevels, OfNodesIsThatOfTheirSwitchAndTheirNetwork) {
    const CollectiveRequest request{
        .accelerators = 32,
        .perNode = 8,
        .bytes = 1e8,
        .interconnect = Interconnect{.linkBytesPerSecond = 300e9, .networkBytesPerSecond = 8 * 25e9}};
    EXPECT_EQ(secondsOf(nodes(), Collective::allReduce, {8, 4}, 1e8), predictCollective(request).estimate->value);
}

TEST(CollectiveOverLevels, OfAMeasuredSystemIsCorrectedByItsRows) {
    EXPECT_EQ(measuredSystemOf("a100-40gb", 300e9), "a100");
    EXPECT_EQ(measuredSystemOf("a100", 150e9), "");
    EXPECT_EQ(measuredSystemOf("nobody", 300e9), "");
    const Span span{8};
    const SpanningGroup group{.span = span, .system = "a100"};
    EXPECT_EQ(collectiveOver(nodes(), Collective::allReduce, group, 1e8).estimate->value,
              predictCollective({.system = "a100", .accelerators = 8, .perNode = 8, .bytes = 1e8}).estimate->value);
}

TEST(CollectiveOverLevels, SharesThePortsOfAUnit) {
    std::vector<TopologyLevel> levels = nodes();
    const auto bandwidth = [&](const Span& span, std::int64_t concurrent) {
        return unitBandwidth(levels, 1, {.span = span, .concurrent = concurrent});
    };
    EXPECT_EQ(bandwidth({8, 4}, 1), 8 * 25e9);
    EXPECT_EQ(bandwidth({1, 4}, 8), 25e9);
    levels[1].sharedBy = 2;
    EXPECT_EQ(bandwidth({8, 4}, 1), 4 * 25e9);
    EXPECT_EQ(bandwidth({1, 4}, 1), 25e9);  // nobody else sends by its port
    EXPECT_EQ(bandwidth({1, 4}, 8), 25e9 / 2);
    levels[1].sharedBy = 8;  // one card of a node
    EXPECT_EQ(bandwidth({8, 4}, 1), 25e9);
    EXPECT_EQ(bandwidth({2, 4}, 4), 25e9 / 4);
    levels[1].sharedBy = 1;
    levels[1].oversubscription = 4;
    EXPECT_EQ(bandwidth({8, 4}, 1), 8 * 25e9 / 4);
    EXPECT_EQ(bandwidth({1, 4}, 1), 25e9);  // one of eight ports: the level carries two
    EXPECT_EQ(bandwidth({1, 4}, 8), 25e9 / 4);
    EXPECT_EQ(bandwidth({1, 4}, 1'000'000), 25e9 / 4);  // no more than there are accelerators
    levels[1].bandwidth.reset();
    EXPECT_EQ(bandwidth({1, 4}, 1), 0);
}

TEST(CollectiveOverLevels, MovesWhatOneUnitHoldsAtEachOfThree) {
    const std::vector<TopologyLevel> two{levelOf(8, 450e9), levelOf(4, 50e9)};
    std::vector<TopologyLevel> three = two;
    three.push_back(levelOf(4, 5e9));
    constexpr double kBytes = 1e10;
    const double inside = secondsOf(two, Collective::allReduce, {8, 4}, kBytes);
    const double across = secondsOf(three, Collective::allReduce, {8, 4, 4}, kBytes) - inside;
    // A ring of four units of 32 accelerators, which reaches four fifths of their rate.
    EXPECT_THAT(across, DoubleNear(2 * 0.75 * kBytes / (0.8 * 32 * 5e9), 0.02 * across));
}

TEST(CollectiveOverLevels, ExchangeBetweenUnitsForEachMember) {
    // All but a quarter of what 16 accelerators have leaves their units by the network.
    const std::vector<TopologyLevel> levels{levelOf(4, 1e15), levelOf(4, 1e9)};
    constexpr double kBytes = 1e10;
    const double seconds = secondsOf(levels, Collective::allToAll, {4, 4}, kBytes);
    EXPECT_THAT(seconds, DoubleNear(0.75 * kBytes / (0.8 * 1e9), 0.02 * seconds));
}

TEST(CollectiveOverLevels, OfATorusUseAllOfItsLinks) {
    const std::vector<TopologyLevel> cube{torusOf({16, 16, 16}, 300e9)};
    constexpr double kBytes = 1e11, kShare = 0.8;
    const auto takes = [&](Collective operation, std::int64_t members, double bytesPerSecond, double moved) {
        const double seconds = secondsOf(cube, operation, {members}, kBytes);
        EXPECT_THAT(seconds, DoubleNear(moved / (kShare * bytesPerSecond), 0.01 * seconds)) << members;
    };
    takes(Collective::allReduce, 4096, 300e9, 2 * kBytes * 4095 / 4096);
    takes(Collective::reduceScatter, 4096, 300e9, kBytes * 4095 / 4096);
    takes(Collective::allGather, 256, 200e9, kBytes * 255 / 256);
    takes(Collective::allReduce, 16, 100e9, 2 * kBytes * 15 / 16);
    takes(Collective::allReduce, 4, 50e9, 2 * kBytes * 3 / 4);  // a line has no way around
    takes(Collective::allReduce, 24, 50e9, 2 * kBytes * 23 / 24);
    takes(Collective::allToAll, 4096, 300e9, kBytes * 16 * 3 / 4);
    takes(Collective::sendReceive, 4096, 50e9, kBytes);
}

TEST(CollectiveOverLevels, OfARingAreThoseOfATorusOfOneDimension) {
    const std::vector<TopologyLevel> ring{levelOf(8, 100e9, LevelKind::ring)}, torus{torusOf({8}, 100e9)};
    for (const std::int64_t members : {2, 3, 8})
        EXPECT_EQ(secondsOf(ring, Collective::allReduce, {members}, 1e9),
                  secondsOf(torus, Collective::allReduce, {members}, 1e9));
}

TEST(CollectiveOverLevels, OfLinksOfEachPairHaveThoseToMembersOnly) {
    const std::vector<TopologyLevel> mesh{levelOf(8, 262.5e9, LevelKind::full)}, all{levelOf(8, 262.5e9)},
        some{levelOf(8, 262.5e9 * 3 / 7)}, one{levelOf(8, 262.5e9 / 7)};
    EXPECT_EQ(secondsOf(mesh, Collective::allReduce, {8}, 1e9), secondsOf(all, Collective::allReduce, {8}, 1e9));
    EXPECT_EQ(secondsOf(mesh, Collective::allReduce, {4}, 1e9), secondsOf(some, Collective::allReduce, {4}, 1e9));
    EXPECT_EQ(secondsOf(mesh, Collective::sendReceive, {8}, 1e9), secondsOf(one, Collective::sendReceive, {2}, 1e9));
}

TEST(CollectiveOverLevels, OfAMeshHaveLinksToItsPeersOnly) {
    TopologyLevel mesh = levelOf(8, 150e9, LevelKind::mesh);
    mesh.peers = 4;
    const std::vector<TopologyLevel> meshed{mesh}, all{levelOf(8, 150e9)}, quarter{levelOf(8, 37.5e9)};
    for (const std::int64_t members : {5, 8})
        EXPECT_EQ(secondsOf(meshed, Collective::allReduce, {members}, 1e9),
                  secondsOf(all, Collective::allReduce, {members}, 1e9));
    EXPECT_EQ(secondsOf(meshed, Collective::allReduce, {2}, 1e9), secondsOf(quarter, Collective::allReduce, {2}, 1e9));
}

TEST(LevelsOf, AcceleratorsWithoutASwitchAreThoseOfAMesh) {
    hardware::Accelerator accelerator = hardware::loadBundledAccelerator("v100");
    EXPECT_EQ(levelsOf(accelerator, 8).front().kind, LevelKind::mesh);
    EXPECT_EQ(levelsOf(accelerator, 8).front().peers, 3);
    // Of three, all are linked.
    EXPECT_EQ(levelsOf(accelerator, 3).front().kind, LevelKind::switched);
    accelerator.networkPeers.reset();
    EXPECT_EQ(levelsOf(accelerator, 8).front().kind, LevelKind::switched);
}

TEST(DeviceIn, IsJoinedAsTheInnermostLevelSays) {
    hardware::Group group{
        .name = "g", .accelerator = hardware::loadBundledAccelerator("v100"), .count = 8, .network = {}};
    EXPECT_EQ(deviceIn(group).neighbours, 3);
    EXPECT_EQ(deviceIn(group).linkBytesPerSecond, 150e9);
    group.levels = {levelOf(8, 100e9)};
    EXPECT_EQ(deviceIn(group).neighbours, 0);
    EXPECT_EQ(deviceIn(group).linkBytesPerSecond, 100e9);
    group.levels = {levelOf(8, 100e9, LevelKind::full)};
    EXPECT_EQ(deviceIn(group).neighbours, 7);
    group.accelerator.network.reset();  // without links all go by the host, whatever a level says
    EXPECT_EQ(deviceIn(group).linkBytesPerSecond, 0);
}

TEST(CollectiveOverLevels, MessagesCrossTheirOutermostLevelByOnePort) {
    const double seconds = secondsOf(nodes(), Collective::sendReceive, {1, 2}, 1e10);
    EXPECT_THAT(seconds, DoubleNear(1e10 / (0.8 * 25e9), 0.02 * seconds));
    EXPECT_EQ(secondsOf(nodes(), Collective::sendReceive, {8, 2}, 1e10), seconds);
}

TEST(CollectiveOverLevels, OverALevelWithoutABandwidthAreRefused) {
    std::vector<TopologyLevel> levels = nodes();
    levels[1].bandwidth.reset();
    levels[1].name = "network";
    EXPECT_EQ(refusalOf(levels, {8, 2}), "the bandwidth of the level 'network' is not known");
    EXPECT_EQ(refusalOf(levels, {8, 1}), "");
}

TEST(CollectiveOverLevels, OfImpossibleGroupsAreRefused) {
    EXPECT_EQ(refusalOf(nodes(), {9}), "a group of 9 at the level 'level'; expected 1 to 8");
    EXPECT_EQ(refusalOf(nodes(), {0, 2}), "a group of 0 at the level 'level'; expected 1 to 8");
    EXPECT_EQ(refusalOf(nodes(), {2, 2, 2}), "a group over 3 levels; the fleet has 2");
    EXPECT_EQ(refusalOf(nodes(), {2}, 1e6, 0), "0 groups at once; expected a number above 0");
    EXPECT_THAT(refusalOf(nodes(), {2}, -1), HasSubstr("-1 bytes"));
    EXPECT_THAT(refusalOf(nodes(), {2}, std::nan("")), HasSubstr("nan bytes"));
    const std::vector<TopologyLevel> endless(16, levelOf(1'000'000, 1e9));
    EXPECT_EQ(refusalOf(endless, Span(16, 1'000'000)), "a group of more than 1000000 accelerators");
    EXPECT_EQ(refusalOf({}, {}), "");
}

/// Fleets and groups at random.
class LevelDraw {
public:
    std::int64_t number(std::int64_t from, std::int64_t to) { return std::uniform_int_distribution(from, to)(engine_); }
    double factor() { return std::uniform_real_distribution(1.0, 4.0)(engine_); }
    double bytes() { return std::pow(2.0, std::uniform_real_distribution(0.0, 36.0)(engine_)); }
    Collective operation() { return static_cast<Collective>(number(0, 5)); }
    std::vector<TopologyLevel> levels() {
        std::vector<TopologyLevel> drawn;
        const std::int64_t count = number(1, 4);
        for (std::int64_t i = 0; i < count; ++i) {
            drawn.push_back(
                levelOf(number(1, 8), 1e9 * static_cast<double>(number(1, 900)), static_cast<LevelKind>(number(0, 4))));
            if (drawn.back().kind == LevelKind::mesh) drawn.back().peers = number(1, 8);
            if (drawn.back().kind == LevelKind::torus) drawn.back() = torusOf({number(1, 4), number(1, 4)}, 1e11);
            if (number(0, 1) == 1) drawn.back().latency = Seconds{1e-6 * static_cast<double>(number(0, 50))};
            drawn.back().oversubscription = number(0, 1) == 1 ? factor() : 1;
            drawn.back().sharedBy = number(1, 4);
        }
        return drawn;
    }
    Span span(const std::vector<TopologyLevel>& levels) {
        Span drawn;
        for (const TopologyLevel& level : levels) drawn.push_back(number(1, level.size));
        return drawn;
    }

private:
    std::mt19937_64 engine_{11};
};

/// Time before and after a change of a drawn fleet, group, or size.
template <typename Change>
void neverFaster(const Change& change) {
    LevelDraw draw;
    for (int i = 0; i < test::randomCases(100'000); ++i) {
        std::vector<TopologyLevel> levels = draw.levels();
        const Span span = draw.span(levels);
        const Collective operation = draw.operation();
        double bytes = draw.bytes();
        std::int64_t concurrent = draw.number(1, 8);
        const double before = secondsOf(levels, operation, span, bytes, concurrent);
        ASSERT_TRUE(before >= 0 && std::isfinite(before));
        TopologyLevel& level = levels[static_cast<std::size_t>(draw.number(0, std::ssize(levels) - 1))];
        change(draw, level, bytes, concurrent);
        ASSERT_GE(secondsOf(levels, operation, span, bytes, concurrent), before * (1 - 1e-12)) << i;
    }
}

TEST(CollectiveOverLevels, OfMoreBytesAreNeverFaster) {
    neverFaster([](LevelDraw& draw, TopologyLevel&, double& bytes, std::int64_t&) { bytes *= draw.factor(); });
}

TEST(CollectiveOverLevels, OverLessBandwidthAreNeverFaster) {
    neverFaster([](LevelDraw& draw, TopologyLevel& level, double&, std::int64_t&) {
        level.bandwidth = *level.bandwidth / draw.factor();
    });
}

TEST(CollectiveOverLevels, OverMoreSharedOrOversubscribedLevelsAreNeverFaster) {
    neverFaster([](LevelDraw& draw, TopologyLevel& level, double&, std::int64_t&) {
        level.oversubscription *= draw.factor();
        level.sharedBy += draw.number(0, 3);
    });
}

TEST(CollectiveOverLevels, BesideMoreGroupsAreNeverFaster) {
    neverFaster(
        [](LevelDraw& draw, TopologyLevel&, double&, std::int64_t& concurrent) { concurrent += draw.number(0, 8); });
}

TEST(LevelsOfAGroup, AreItsOwn) {
    const hardware::Fleet fleet = hardware::loadFleet("dgx-h100x64");
    EXPECT_EQ(levelsOf(fleet.groups[0]), fleet.groups[0].levels);
    ASSERT_EQ(fleet.groups[0].levels.size(), 2U);
    EXPECT_EQ(fleet.groups[0].levels[1].size, 64);
}

TEST(LevelsOfAGroup, WithoutAnyAreWhatItsAcceleratorsSay) {
    hardware::Group group{.name = "g", .accelerator = hardware::loadAccelerator("h100"), .count = 32, .network = {}};
    std::vector<TopologyLevel> levels = levelsOf(group);
    ASSERT_EQ(levels.size(), 2U);
    EXPECT_EQ(levels[0].size, 8);
    EXPECT_EQ(levels[0].bandwidth, BytesPerSecond{450e9});
    EXPECT_EQ(levels[1].size, 4);
    EXPECT_EQ(levels[1].bandwidth, std::nullopt);  // not the faster level's
    EXPECT_EQ(refusalOf(levels, {8, 4}), "the bandwidth of the level 'network' is not known");
    group.count = 12;
    levels = levelsOf(group);
    EXPECT_EQ(levels[0].size * levels[1].size, 12);
    group.accelerator.network.reset();
    EXPECT_EQ(levelsOf(group)[0].name, "host");
    EXPECT_EQ(levelsOf(group)[0].bandwidth, *group.accelerator.hostBandwidth / 2);
    group.accelerator.hostBandwidth.reset();
    EXPECT_EQ(levelsOf(group)[0].bandwidth, std::nullopt);
    group.network = BytesPerSecond{25e9};
    levels = levelsOf(group);
    ASSERT_EQ(levels.size(), 1U);
    EXPECT_EQ(levels[0].size, 12);
    EXPECT_EQ(levels[0].bandwidth, BytesPerSecond{25e9});
}

TEST(LevelsOfAGroup, OfEveryBundledFleetTimeCollectivesOfAllTheirAccelerators) {
    for (const hardware::LibraryEntry& entry : hardware::libraryEntries()) {
        if (entry.kind != "fleet") continue;
        for (const hardware::Group& group : hardware::loadFleet(entry.id).groups) {
            if (group.levels.empty()) continue;  // AccPar's arrays, of one rate each
            const std::vector<TopologyLevel> levels = levelsOf(group);
            Span span;
            for (const TopologyLevel& level : levels) span.push_back(level.size);
            EXPECT_EQ(hardware::acceleratorsJoined(levels), group.count) << entry.id;
            EXPECT_GT(secondsOf(levels, Collective::allReduce, span, 1e9), 0) << entry.id;
        }
    }
}

}  // namespace
}  // namespace tessera::physical

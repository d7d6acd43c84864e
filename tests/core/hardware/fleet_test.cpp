#include "core/hardware/fleet.h"

#include <gtest/gtest.h>

#include "core/hardware/library.h"

using namespace tessera;
using namespace tessera::hardware;

TEST(BundledFleets, heterogeneousAccParIsThePapersTable7) {
    const Fleet fleet = loadFleet("accpar-heterogeneous");
    ASSERT_EQ(fleet.groups.size(), 2U);
    EXPECT_EQ(fleet.groups[0].name, "v2");
    EXPECT_EQ(fleet.groups[0].count, 128);
    EXPECT_EQ(fleet.groups[0].accelerator.peakFlops.at("bf16").value, 180e12);
    EXPECT_EQ(networkRate(fleet.groups[0])->value, 1e9);
    EXPECT_EQ(fleet.groups[1].name, "v3");
    EXPECT_EQ(fleet.groups[1].accelerator.peakFlops.at("bf16").value, 420e12);
    EXPECT_EQ(networkRate(fleet.groups[1])->value, 2e9);
    EXPECT_TRUE(fleet.links.empty());
    EXPECT_FALSE(fleet.topology.has_value());
    EXPECT_EQ(acceleratorCount(fleet), 256);
    EXPECT_EQ(fleet.groups[1].accelerator.id, "tpu-v3-board");
    EXPECT_TRUE(fleet.groups[1].accelerator.efficiency.empty());
}

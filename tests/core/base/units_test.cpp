#include "core/base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/quantity.h"
#include "core/base/statistics.h"

using tessera::formatCount;
using tessera::formatCounted;
using tessera::formatQuantity;
using tessera::formatWait;
using tessera::Measure;
using tessera::parseQuantity;

namespace {

struct Example {
    std::string text;
    Measure measure;
    double value;
};
std::ostream& operator<<(std::ostream& out, const Example& example) {
    return out << "'" << example.text << "'";
}

class UnderstoodQuantity : public testing::TestWithParam<Example> {};

TEST_P(UnderstoodQuantity, isExactlyTheNearestDouble) {
    const auto value = parseQuantity(GetParam().text, GetParam().measure);
    ASSERT_TRUE(value.has_value());
    EXPECT_EQ(*value, GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Quantities, UnderstoodQuantity,
    testing::Values(
        Example{"16GB/s", Measure::bytesPerSecond, 16e9}, Example{"8Gb/s", Measure::bitsPerSecond, 8e9},
        Example{"8Gb/s", Measure::bytesPerSecond, 1e9}, Example{"16GB/s", Measure::bitsPerSecond, 128e9},
        Example{"100Gbps", Measure::bitsPerSecond, 100e9}, Example{"100 Gbit/s", Measure::bytesPerSecond, 12.5e9},
        Example{"180 TFLOPS", Measure::flopsPerSecond, 180e12}, Example{"180TFLOPS", Measure::flopsPerSecond, 180e12},
        Example{"1.5 PFLOP/s", Measure::flopsPerSecond, 1.5e15}, Example{"3 GFLOP", Measure::flops, 3e9},
        Example{"64GiB", Measure::bytes, 68719476736.0}, Example{"64GB", Measure::bytes, 64e9},
        Example{"8kb", Measure::bytes, 1000}, Example{"1KiB", Measure::bytes, 1024},
        Example{"200MHz", Measure::hertz, 200e6}, Example{"1.5e9", Measure::hertz, 1.5e9},
        Example{"1.5e9", Measure::count, 1.5e9}, Example{"10k", Measure::count, 10000},
        Example{"36.2ms", Measure::seconds, 0.0362}, Example{"0.1us", Measure::seconds, 1e-7},
        Example{"4.35µs", Measure::seconds, 4.35e-6}, Example{"4.35 μs", Measure::seconds, 4.35e-6},
        Example{"1e3ms", Measure::seconds, 1}, Example{"1.1e-3 us", Measure::seconds, 1.1e-9},
        Example{"5min", Measure::seconds, 300}, Example{"2h", Measure::seconds, 7200},
        Example{"60s", Measure::seconds, 60}, Example{"192 W", Measure::watts, 192},
        Example{"600mm²", Measure::area, 600}, Example{"600 mm2", Measure::area, 600},
        Example{"  64 GiB\t", Measure::bytes, 68719476736.0}, Example{"+5", Measure::count, 5},
        Example{"-4", Measure::count, -4}, Example{"0", Measure::bytes, 0}, Example{".5GB", Measure::bytes, 5e8},
        Example{"1EB", Measure::bytes, 1e18}, Example{"1e3B", Measure::bytes, 1000},
        Example{"1.1TB", Measure::bytes, 1.1e12}, Example{"9.7TFLOPS", Measure::flopsPerSecond, 9.7e12},
        Example{"19.5 TFLOPS", Measure::flopsPerSecond, 19.5e12}));

struct NoQuantity {
    std::string text;
    Measure measure;
};
std::ostream& operator<<(std::ostream& out, const NoQuantity& example) {
    return out << "'" << example.text << "'";
}

class RefusedQuantity : public testing::TestWithParam<NoQuantity> {};

TEST_P(RefusedQuantity, isEmpty) {
    EXPECT_EQ(parseQuantity(GetParam().text, GetParam().measure), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(
    Quantities, RefusedQuantity,
    testing::Values(NoQuantity{"", Measure::bytes}, NoQuantity{"   ", Measure::bytes},
                    NoQuantity{"1e400", Measure::flops}, NoQuantity{"1e308 GB", Measure::bytes},
                    NoQuantity{"1e308 GB/s", Measure::bitsPerSecond}, NoQuantity{"inf", Measure::seconds},
                    NoQuantity{"-infinity", Measure::seconds}, NoQuantity{"nan", Measure::seconds},
                    NoQuantity{"12 parsecs", Measure::seconds}, NoQuantity{"GB", Measure::bytes},
                    NoQuantity{"16GB/s", Measure::bytes}, NoQuantity{"16GB", Measure::bytesPerSecond},
                    NoQuantity{"5W", Measure::seconds}, NoQuantity{"+-5", Measure::count},
                    NoQuantity{"--5", Measure::count}, NoQuantity{"1,000", Measure::count},
                    NoQuantity{"0x10", Measure::count}, NoQuantity{"1e", Measure::seconds},
                    NoQuantity{"5 5", Measure::count}, NoQuantity{"16mB/s", Measure::bytesPerSecond},
                    NoQuantity{"5 kmin", Measure::seconds}, NoQuantity{"5 KiHz", Measure::hertz},
                    NoQuantity{"5 kmm²", Measure::area}, NoQuantity{"5m", Measure::count},
                    NoQuantity{std::string("5\0B", 3), Measure::bytes},
                    NoQuantity{"99999999999999999999999e99999999999", Measure::bytes}));

TEST(FormatQuantity, showsThreeToFourDigitsWithPrefixAndUnit) {
    EXPECT_EQ(formatQuantity(0.0110125, Measure::seconds, 5), "11.012 ms");
    EXPECT_EQ(formatQuantity(-1.23456e12, Measure::flopsPerSecond, 4), "-1.235 TFLOP/s");
    EXPECT_EQ(formatQuantity(1234567, Measure::count, 6), "1.23457e+06");
    EXPECT_EQ(formatQuantity(16e9, Measure::bytesPerSecond), "16 GB/s");
    EXPECT_EQ(formatQuantity(8e9, Measure::bitsPerSecond), "8 Gb/s");
    EXPECT_EQ(formatQuantity(0.0362, Measure::seconds), "36.2 ms");
    EXPECT_EQ(formatQuantity(420e12, Measure::flopsPerSecond), "420 TFLOP/s");
    EXPECT_EQ(formatQuantity(1.5e-6, Measure::seconds), "1.5 µs");
    EXPECT_EQ(formatQuantity(25557032, Measure::flops), "25.6 MFLOP");
    EXPECT_EQ(formatQuantity(0, Measure::bytes), "0 B");
    EXPECT_EQ(formatQuantity(0.5, Measure::bytes), "0.5 B");
    EXPECT_EQ(formatQuantity(600, Measure::area), "600 mm²");
    EXPECT_EQ(formatQuantity(0.0007056, Measure::joules), "706 µJ");
    EXPECT_EQ(formatQuantity(123456, Measure::area), "123,456 mm²");
    EXPECT_EQ(formatQuantity(-2e9, Measure::bytes), "-2 GB");
}

TEST(FormatQuantity, roundsUpIntoTheNextPrefix) {
    EXPECT_EQ(formatQuantity(999.4e9, Measure::bytes), "999 GB");
    EXPECT_EQ(formatQuantity(999.6e9, Measure::bytes), "1 TB");
    EXPECT_EQ(formatQuantity(99.96e9, Measure::bytes), "100 GB");
    EXPECT_EQ(formatQuantity(9.996e9, Measure::bytes), "10 GB");
}

TEST(FormatQuantity, countsLongTimesInSeconds) {
    EXPECT_EQ(formatQuantity(3600, Measure::seconds), "3,600 s");
    EXPECT_EQ(formatQuantity(90, Measure::seconds), "90 s");
}

TEST(FormatQuantity, keepsDigitsOfExtremeValues) {
    EXPECT_EQ(formatQuantity(2.5e-13, Measure::seconds), "0.00025 ns");
    EXPECT_EQ(formatQuantity(2.5e25, Measure::flops), "2.5e+07 EFLOP");
    EXPECT_EQ(formatQuantity(std::numeric_limits<double>::infinity(), Measure::bytes), "–");
    EXPECT_EQ(formatQuantity(std::nan(""), Measure::seconds), "–");
}

TEST(FormatCounted, knowsOneFromMany) {
    EXPECT_EQ(formatCounted(1, "job", "jobs"), "1 job");
    EXPECT_EQ(formatCounted(0, "job", "jobs"), "0 jobs");
    EXPECT_EQ(formatCounted(1200, "job", "jobs"), "1,200 jobs");
}

TEST(FormatWait, isRough) {
    EXPECT_EQ(formatWait(0.2), "less than a second");
    EXPECT_EQ(formatWait(1.1), "about 2 seconds");
    EXPECT_EQ(formatWait(89), "about 89 seconds");
    EXPECT_EQ(formatWait(91), "about 2 minutes");
    EXPECT_EQ(formatWait(7200), "about 2 hours");
}

TEST(FormatCount, groupsThousandsAndKeepsFourDigitsOfFractions) {
    EXPECT_EQ(formatCount(25557032), "25,557,032");
    EXPECT_EQ(formatCount(6.3123), "6.312");
    EXPECT_EQ(formatCount(6.31), "6.31");
    EXPECT_EQ(formatCount(-1234), "-1,234");
    EXPECT_EQ(formatCount(999), "999");
    EXPECT_EQ(formatCount(25557032.4), "25,557,032");
    EXPECT_EQ(formatCount(0), "0");
    EXPECT_EQ(formatCount(1e30), "1e+30");
}

TEST(ExactNumber, readsBackAsTheSameDouble) {
    for (const double value : {0.1, 1.0 / 3, 1e22, 6.02214076e23, 5e-324, 180e12, -0.0362})
        EXPECT_EQ(std::strtod(tessera::exactNumber(value).c_str(), nullptr), value);
    EXPECT_EQ(tessera::exactNumber(0.0362), "0.0362");
    EXPECT_EQ(tessera::exactNumber(5), "5");
}

TEST(Quantity, dimensionsMultiplyAndDivide) {
    using namespace tessera;
    const Seconds time = Bytes{4800e9} / BytesPerSecond{2400e9};
    EXPECT_EQ(time, Seconds{2});
    EXPECT_EQ(FlopsPerSecond{180e12} * Seconds{2}, Flops{360e12});
    EXPECT_EQ(Watts{450} * Seconds{2}, Joules{900});
    EXPECT_EQ(Cycles{400} / Hertz{200}, Seconds{2});
    EXPECT_EQ(ratio(Flops{3}, Flops{4}), 0.75);
    EXPECT_EQ(2.0 * Bytes{3} + Bytes{1} - Bytes{2}, Bytes{5});
    EXPECT_LT(Bytes{1}, Bytes{2});
}

TEST(Quantity, bitsPerSecondGoInAndOutWithoutLoss) {
    using namespace tessera;
    EXPECT_EQ(fromBitsPerSecond(8e9), BytesPerSecond{1e9});
    for (const double bits : {8e9, 16e9, 1e-30, 3.3333, 4800e9})
        EXPECT_EQ(toBitsPerSecond(fromBitsPerSecond(bits)), bits);
}

TEST(Statistics, medianIsBetweenTheMiddleTwo) {
    EXPECT_EQ(tessera::medianOf({3, 1, 2}), 2);
    EXPECT_EQ(tessera::medianOf({4, 1, 2, 9}), 3);
    EXPECT_EQ(tessera::medianOf({}), 0);
}

}  // namespace

#include "core/predict/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/error.h"
#include "tests/core/predict/machines.h"

namespace tessera::predict::test {
namespace {

KernelTable table(const std::string& rows) {
    return readKernels("kernel,shape,dtype,seconds\n" + rows, "k.csv");
}

std::optional<double> timeOf(const KernelTable& kernels, const KernelTable::Sizes& sizes) {
    const auto found = kernels.find("gemm", "fp16", sizes);
    return found.time ? std::optional(found.time->value) : std::nullopt;
}

TEST(Kernels, areLinearInLogarithms) {
    // Time grows with the square of the size: at the geometric mean of 4 and 64 it is that of 1 and 256.
    const KernelTable kernels = table("gemm,4,fp16,1\ngemm,64,fp16,256\n");
    EXPECT_NEAR(*timeOf(kernels, {16}), 16, 1e-12);
    EXPECT_NEAR(*timeOf(kernels, {8}), 4, 1e-12);
    EXPECT_EQ(timeOf(kernels, {4}), 1);
}

TEST(Kernels, areNotExtrapolated) {
    const KernelTable kernels = table("gemm,4,fp16,1\ngemm,64,fp16,256\n");
    EXPECT_EQ(timeOf(kernels, {3}), std::nullopt);
    EXPECT_EQ(timeOf(kernels, {65}), std::nullopt);
    EXPECT_TRUE(kernels.find("gemm", "fp16", {65}).known);
    EXPECT_FALSE(kernels.find("conv", "fp16", {4}).known);
    EXPECT_FALSE(kernels.find("gemm", "fp32", {4}).known);
    EXPECT_EQ(timeOf(kernels, {4, 4}), std::nullopt) << "another number of axes";
}

TEST(Kernels, needEveryCornerAroundAShape) {
    const std::string three = "gemm,1x1,fp16,1\ngemm,1x16,fp16,4\ngemm,16x1,fp16,4\n";
    EXPECT_EQ(timeOf(table(three), {4, 4}), std::nullopt);
    const KernelTable four = table(three + "gemm,16x16,fp16,16\n");
    EXPECT_NEAR(*timeOf(four, {4, 4}), 4, 1e-12);
    EXPECT_NEAR(*timeOf(four, {1, 4}), 2, 1e-12) << "an axis that was measured needs no neighbours";
    EXPECT_NEAR(*timeOf(table(three), {1, 4}), 2, 1e-12);
}

TEST(Kernels, lieBetweenTheShapesThatDifferAlongOneAxis) {
    // 2x3 and 32x3 are around 8x3, whatever else was measured of other second sizes.
    const KernelTable kernels = table("gemm,2x3,fp16,1\ngemm,32x3,fp16,16\ngemm,4x7,fp16,5\ngemm,16x7,fp16,5\n");
    EXPECT_NEAR(*timeOf(kernels, {8, 3}), 4, 1e-12);
    EXPECT_EQ(timeOf(kernels, {8, 5}), std::nullopt) << "corners of the cell are missing";
    EXPECT_EQ(timeOf(kernels, {64, 3}), std::nullopt) << "beyond the line";
    // Of two lines the one whose neighbours are closer.
    const KernelTable crossing = table("gemm,2x8,fp16,1\ngemm,32x8,fp16,16\ngemm,8x4,fp16,3\ngemm,8x16,fp16,3\n");
    EXPECT_NEAR(*timeOf(crossing, {8, 8}), 3, 1e-12);
}

TEST(Kernels, takeTheMedianOfRepetitions) {
    EXPECT_EQ(timeOf(table("gemm,4,fp16,1\ngemm,4,fp16,9\ngemm,4,fp16,2\n"), {4}), 2);
    EXPECT_EQ(timeOf(table("gemm,4,fp16,1\ngemm,4,fp16,2\n"), {4}), 1.5);
}

TEST(Kernels, interpolationStaysBetweenItsCorners) {
    const KernelTable kernels = table("gemm,2,fp16,3\ngemm,8,fp16,5\ngemm,32,fp16,4\n");
    double before = 0;
    for (double size = 2; size <= 8; ++size) {
        const double now = *timeOf(kernels, {size});
        EXPECT_GE(now, 3 - 1e-12);
        EXPECT_LE(now, 5 + 1e-12);
        EXPECT_GT(now, before);
        before = now;
    }
}

TEST(Kernels, errorsNameTheLine) {
    const auto refused = [](const std::string& text) {
        return refusal<DataError>([&] { readKernels(text, "k.csv"); });
    };
    EXPECT_EQ(refused("kernel,shape\n"),
              "k.csv:1: header: found 'kernel,shape'; expected 'kernel,shape,dtype,seconds'");
    EXPECT_EQ(refused(""), "k.csv: found no header; expected 'kernel,shape,dtype,seconds'");
    const std::string header = "# measured\nkernel,shape,dtype,seconds\n";
    EXPECT_EQ(refused(header + "gemm,4,fp16\n"),
              "k.csv:3: row: found 'gemm,4,fp16'; expected four cells: kernel, shape, dtype and seconds");
    EXPECT_EQ(refused(header + "gemm,4x0,fp16,1\n"),
              "k.csv:3: column shape: found '4x0'; expected 1 to 12 whole numbers from 1 to 1e15 joined by 'x'");
    EXPECT_EQ(refused(header + "gemm,4,fp16,-1\n"),
              "k.csv:3: column seconds: found '-1'; expected a time above 0 and at most 1e9");
    EXPECT_EQ(refused(header + "gemm,4,fp16,nan\n"),
              "k.csv:3: column seconds: found 'nan'; expected a time above 0 and at most 1e9");
    EXPECT_EQ(refused(header + ",4,fp16,1\n"), "k.csv:3: column kernel: found ''; expected a name");
}

}  // namespace
}  // namespace tessera::predict::test

#include "core/physical/kernel_fit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/hardware/library.h"
#include "core/physical/device.h"
#include "tests/core/physical/refit.h"
#include "tests/support/paths.h"

namespace tessera::physical {
namespace {

using ::testing::HasSubstr;

Device fitDevice(const std::string& name) {
    return deviceOf(hardware::loadBundledAccelerator(name));
}

std::vector<KernelRow> tableOf(const std::string& accelerator) {
    return readKernels(test::sourcePath("data/measured/kernels/" + accelerator + ".csv"));
}

/// All measured kernels; read once.
const std::vector<AcceleratorKernels>& allKernels() {
    static const std::vector<AcceleratorKernels> kAll = [] {
        std::vector<AcceleratorKernels> all;
        for (const std::string name : {"a100", "a100-pcie-40gb", "h100", "p100", "t4", "v100", "v100-pcie"})
            all.push_back({fitDevice(name), tableOf(name)});
        return all;
    }();
    return kAll;
}

/// A row of the table of kernel_transfers.cpp.
std::string transferRow(const TransferredTerms& terms) {
    std::string row = fmt::format("{{KernelFamily::{}, {{", hardware::kKernelFamilyNames.of(terms.family));
    for (const double coefficient : terms.coefficients) row += fmt::format("{:.4g}, ", coefficient);
    return row + fmt::format("}}, {:.3f}, {:.3f}, {}}},", terms.spread, terms.meanError, terms.rows);
}

TEST(TransferredKernels, areWhatFitsOfTheMeasuredKernelsGive) {
    for (const TransferredTerms& fitted : fitTransferred(allKernels())) {
        const TransferredTerms& kept = transferredTerms(fitted.family);
        SCOPED_TRACE(transferRow(fitted));
        EXPECT_EQ(fitted.rows, kept.rows);
        EXPECT_NEAR(fitted.spread, kept.spread, 0.002);
        EXPECT_NEAR(fitted.meanError, kept.meanError, 0.002);
        for (std::size_t i = 0; i < fitted.coefficients.size(); ++i)
            EXPECT_NEAR(fitted.coefficients[i], kept.coefficients[i], 1e-3 * (1e-3 + kept.coefficients[i])) << i;
    }
}

TEST(TransferredKernels, holdNineOfTenRowsOfAnAcceleratorLeftOut) {
    // A device without rows is predicted by the least unlike one, and its interval says so.
    const Device l4 = fitDevice("l4");
    const KernelModel model(l4, {});
    const KernelRequest request{"gemm", {4096, 4096, 4096}, "bf16"};
    EXPECT_EQ(model.basis(request), KernelBasis::transferred);
    const Estimate estimate = model.predict(request).estimate.value();
    EXPECT_NEAR(std::log(estimate.high / estimate.value), transferredTerms(KernelFamily::product).spread, 1e-9);
    const double seconds =
        gemmSeconds({1, 4096, 4096, 4096, 2, 2}, machineOf(l4, "bf16"), productParametersOf(l4, "bf16").parameters);
    EXPECT_DOUBLE_EQ(estimate.value, seconds) << "the parameters of products have one home";
    for (const TransferredTerms& terms : fitTransferred({allKernels()[1], allKernels()[4]}))
        if (terms.family == KernelFamily::elementwise) {
            EXPECT_LT(terms.meanError, 0.35) << "T4 by A100 and A100 by T4";
        }
}

/// Errors of products of at least 10 GFLOP by the products of other accelerators.
std::vector<double> largeProductErrors(const AcceleratorKernels& one) {
    std::vector<double> errors;
    for (const auto& [request, seconds, source] : one.rows) {
        const KernelKind* kind = kernelKind(request.kernel);
        if (kind->family != KernelFamily::product || kernelFlop(*kind, request.shape) < 1e10) continue;
        const ProductsAsked asked{.kernel = request.kernel, .without = one.device.id};
        const KernelPlace place{machineOf(one.device, request.dtype), bytesOf(request.dtype),
                                productParametersOf(one.device, request.dtype, asked).parameters};
        errors.push_back(std::fabs(kernelTerms(*kind, request.shape, place)[0] / seconds - 1));
    }
    return errors;
}

TEST(TransferredKernels, ofLargeProductsAreNearWhereTheClockHolds) {
    const std::map<std::string, double> most{
        {"a100", 0.12}, {"a100-pcie-40gb", 0.14}, {"h100", 0.15},     {"p100", 0.23},
        {"t4", 0.39},   {"v100", 0.08},           {"v100-pcie", 0.11}};
    for (const AcceleratorKernels& one : allKernels()) {
        const std::vector<double> errors = largeProductErrors(one);
        const double mean = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
        EXPECT_LT(mean, most.at(one.device.id)) << one.device.id << ' ' << errors.size();
    }
}

/// Rows of a device as one of its forms has them, some of them a little longer.
std::vector<KernelRow> madeRows(const Device& device, const std::string& dtype, double factor) {
    const GemmParameters& truth = gemmFits()[20].parameters;
    std::vector<KernelRow> rows;
    for (double m = 64; m <= 8192; m *= 2)
        for (double n = 256; n <= 8192; n *= 2)
            for (double k = 256; k <= 8192; k *= 4)
                rows.push_back({{"gemm", {m, n, k}, dtype},
                                factor * gemmSeconds({1, m, n, k, 2, 2}, machineOf(device, dtype), truth),
                                "made.csv"});
    for (double elements = 1024; elements < 1e9; elements *= 4)
        rows.push_back({{"relu", {elements}, dtype}, 4e-6 + 1.5 * 4 * elements / device.bandwidth, "made.csv"});
    return rows;
}

TEST(KernelFits, findWhatMadeTheRowsAndServeTheDevice) {
    Device device = fitDevice("l4");
    std::vector<KernelRow> rows = madeRows(device, "fp16", 1.3);
    rows.push_back({{"sort", {64}, "fp16"}, 1e-5, "made.csv"});
    rows.push_back({{"relu", {64}, "fp16"}, -1, "made.csv"});
    const KernelFittings one = fitKernels(device, rows, {.threads = 1}), two = fitKernels(device, rows, {.threads = 4});
    EXPECT_EQ(one.skipped, 2U);
    EXPECT_THAT(one.firstSkipped, HasSubstr("'sort'"));
    ASSERT_EQ(one.fits.size(), 2U);
    for (std::size_t i = 0; i < one.fits.size(); ++i) {
        EXPECT_EQ(parametersOf(one.fits[i].form), parametersOf(two.fits[i].form));
        EXPECT_LT(one.fits[i].medianError, 0.05) << i;
        EXPECT_LT(one.fits[i].form.spread, 0.25) << i;
        const hardware::KernelFit said = kernelFitOf(one.fits[i]);
        EXPECT_EQ(parametersOf(fittedForm(said)), parametersOf(one.fits[i].form));
        EXPECT_EQ(said.sources, "made.csv");
        device.fits.push_back(fittedForm(said));
    }
    const KernelRequest request{"gemm", {4096, 4096, 4096}, "fp16"};
    const KernelModel model(device, {});
    EXPECT_EQ(model.basis(request), KernelBasis::fitted);
    const double measured = madeRows(device, "fp16", 1.3).front().seconds;
    EXPECT_NEAR(model.predict({"gemm", {64, 256, 256}, "fp16"}).estimate->value / measured, 1, 0.2);
    EXPECT_EQ(productParametersOf(device, "bf16").basis, KernelBasis::fitted) << "as fast as fp16";
    EXPECT_EQ(productParametersOf(device, "fp32").basis, KernelBasis::transferred);
    EXPECT_EQ(model.basis({"softmax", {64, 64}, "fp16"}), KernelBasis::transferred);
}

}  // namespace
}  // namespace tessera::physical

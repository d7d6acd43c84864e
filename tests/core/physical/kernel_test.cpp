#include "core/physical/kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/statistics.h"
#include "core/hardware/library.h"
#include "core/physical/neighbours.h"
#include "tests/support/paths.h"
#include "tests/support/sanitizers.h"

namespace tessera::physical {
namespace {

using ::testing::HasSubstr;

std::vector<KernelRow> rowsOf(const std::string& accelerator) {
    return readKernels(test::sourcePath("data/measured/kernels/" + accelerator + ".csv"));
}

/// Every n-th row of a table that `chosen` takes, so that a model of it is quick to make.
template <typename Chosen>
std::vector<KernelRow> everyNth(const std::string& accelerator, std::size_t n, Chosen chosen) {
    std::vector<KernelRow> rows, few;
    for (KernelRow& row : rowsOf(accelerator))
        if (chosen(row)) rows.push_back(std::move(row));
    for (std::size_t i = 0; i < rows.size(); i += n) few.push_back(rows[i]);
    return few;
}

struct Judged {
    std::vector<double> errors;
    double inside = 0;
    double mean() const { return std::accumulate(errors.begin(), errors.end(), 0.0) / double(errors.size()); }
};

Judged judged(const KernelModel& model) {
    Judged all;
    for (std::size_t i = 0; i < model.rows().size(); ++i) {
        const Estimate estimate = model.judge(i).estimate.value();
        const double measured = model.rows()[i].seconds;
        all.errors.push_back(std::fabs(estimate.value / measured - 1));
        all.inside += estimate.low <= measured && measured <= estimate.high ? 1 : 0;
    }
    all.inside /= double(model.rows().size());
    return all;
}

KernelRequest gemm(double m, double n, double k, const std::string& dtype = "bf16") {
    return {"gemm", {m, n, k}, dtype};
}

Device bundledDevice(const std::string& name) {
    return deviceOf(hardware::loadBundledAccelerator(name));
}

KernelModel unmeasured(const std::string& name) {
    return {bundledDevice(name), {}};
}

struct GemmTable {
    std::string accelerator, dtype, source;
    double mean;  ///< error, at most; a third of the rows is known, which is harder than all of them
};
class EveryGemmTable : public ::testing::TestWithParam<GemmTable> {};

TEST_P(EveryGemmTable, isPredictedWithoutTheShapeThatIsJudged) {
    const GemmTable& table = GetParam();
    const auto chosen = [&](const KernelRow& row) {
        return row.request.kernel == "gemm" && row.request.dtype == table.dtype && row.source == table.source;
    };
    const KernelModel model(bundledDevice(table.accelerator), everyNth(table.accelerator, 3, chosen));
    ASSERT_GT(model.rows().size(), 100U);
    const Judged all = judged(model);
    EXPECT_LT(all.mean(), table.mean);
    EXPECT_GT(all.inside, 0.85);
}

INSTANTIATE_TEST_SUITE_P(Tables, EveryGemmTable,
                         ::testing::Values(GemmTable{"a100", "bf16", "aiconfigurator", 0.10},
                                           GemmTable{"h100", "bf16", "aiconfigurator", 0.07},
                                           GemmTable{"h100", "fp8", "aiconfigurator", 0.06},
                                           GemmTable{"p100", "fp32", "neusight-kernels", 0.07}),
                         [](const auto& each) { return each.param.accelerator + each.param.dtype; });

TEST(KernelModel, ofAMeasuredShapeIsItsMedian) {
    std::vector<KernelRow> rows;
    for (const double seconds : {3e-5, 1e-5, 2e-5}) rows.push_back({gemm(1024, 1024, 1024), seconds, "here"});
    rows.push_back({gemm(2048, 1024, 1024), 4e-5, "here"});
    const KernelModel model(bundledDevice("a100"), rows);
    EXPECT_EQ(model.predict(gemm(1024, 1024, 1024)).estimate.value().value, 2e-5);
    EXPECT_EQ(model.basis(gemm(1024, 1024, 1024)), KernelBasis::measured);
    EXPECT_EQ(model.basis(gemm(1024, 1024, 1 << 20)), KernelBasis::fitted);
}

TEST(KernelModel, sourcesAreNeverMixed) {
    const KernelModel model(bundledDevice("a100"), {{gemm(512, 512, 512), 1e-5, "one"},
                                                    {gemm(512, 512, 512), 9e-5, "other"},
                                                    {gemm(256, 512, 512), 8e-5, "other"}});
    EXPECT_EQ(model.predict(gemm(512, 512, 512), "one").estimate.value().value, 1e-5);
    EXPECT_EQ(model.predict(gemm(512, 512, 512)).estimate.value().value, 9e-5) << "the source with most rows";
}

TEST(KernelModel, withoutRowsIsTransferredAndSaysItByItsInterval) {
    const KernelModel none = unmeasured("h100");
    const KernelModel all(bundledDevice("h100"), everyNth("h100", 20, [](const KernelRow& row) {
                              return row.request.kernel == "gemm" && row.request.dtype == "bf16";
                          }));
    const KernelRequest request = gemm(4096, 4096, 4096);
    EXPECT_EQ(none.basis(request), KernelBasis::transferred);
    const Estimate wide = none.predict(request).estimate.value();
    const Estimate narrow = all.predict(request).estimate.value();
    EXPECT_GT(wide.high / wide.low, narrow.high / narrow.low);
    EXPECT_NEAR(wide.value / narrow.value, 1, 0.5);
}

TEST(KernelModel, refusesWhatMeansNothingInASentence) {
    const KernelModel model = unmeasured("a100");
    EXPECT_THAT(model.predict({"gem", {1, 1, 1}, "bf16"}).refused, HasSubstr("'gem'"));
    EXPECT_THAT(model.predict(gemm(0, 1, 1)).refused, HasSubstr("rows x columns x inner"));
    EXPECT_THAT(model.predict({"gemm", {1, 1}, "bf16"}).refused, HasSubstr("rows x columns x inner"));
    EXPECT_THAT(model.predict(gemm(8, 8, 8, "fp7")).refused, HasSubstr("fp7"));
    EXPECT_THAT(model.predict({"conv", {1, 1, 2, 2, 1, 3, 3, 1, 1}, "fp16"}).refused, HasSubstr("window"));
    EXPECT_THROW(KernelModel(bundledDevice("a100"), {{gemm(8, 8, 8), 0, "here"}}), DataError);
    EXPECT_THROW(KernelModel(bundledDevice("a100"), {{gemm(8, 8, 8), NAN, "here"}}), DataError);
}

TEST(KernelForms, ofProductsNeverFallWithSizesAndNeverRiseWithTheMachine) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> octave(0, 14);
    const auto size = [&] { return std::floor(std::exp2(octave(random))); };
    std::map<std::string_view, Device> devices;
    for (const GemmFit& fit : gemmFits())
        devices.try_emplace(fit.accelerator, bundledDevice(std::string(fit.accelerator)));
    for (int i = 0; i < test::randomCases(100'000); ++i) {
        const GemmFit& fit = gemmFits()[random() % gemmFits().size()];
        const Machine machine = machineOf(devices.at(fit.accelerator), fit.dtype);
        const Product product{1, size(), size(), size(), 2, 2};
        const double seconds = gemmSeconds(product, machine, fit.parameters);
        EXPECT_TRUE(std::isfinite(seconds));
        EXPECT_GE(seconds, fit.parameters.launch);
        Machine faster = machine;
        faster.peak *= 2;
        EXPECT_LE(gemmSeconds(product, faster, fit.parameters), seconds);
        faster = machine;
        faster.bandwidth *= 2;
        EXPECT_LE(gemmSeconds(product, faster, fit.parameters), seconds);
        Product twice = product;
        twice.batch *= 2;
        EXPECT_GE(gemmSeconds(twice, machine, fit.parameters), seconds * (1 - 1e-12));
    }
}

TEST(KernelForms, fitsKeepTheShareOfAFullTileAtMostOne) {
    for (const GemmFit& fit : gemmFits())
        EXPECT_LE(fit.parameters.efficiency / (1 + fit.parameters.halfTile * (1.0 / 256 + 1.0 / 128) / 2), 1.001)
            << fit.accelerator << ' ' << fit.kernel << ' ' << fit.dtype << ' ' << fit.source;
}

TEST(NearestPoints, areThoseThatALookAtAllFinds) {
    std::mt19937 random(3);
    std::uniform_int_distribution<int> at(0, 9);
    std::vector<Position> positions(400);
    for (Position& position : positions)
        for (std::size_t axis = 0; axis < 3; ++axis) position.at(axis) = at(random);
    const NearestPoints points(positions);
    for (int i = 0; i < 200; ++i) {
        Position here{};
        for (std::size_t axis = 0; axis < 3; ++axis) here.at(axis) = at(random) + 0.5;
        std::vector<double> distances;
        for (const Position& position : positions) {
            double squares = 0;
            for (std::size_t axis = 0; axis < 3; ++axis)
                squares += (position.at(axis) - here.at(axis)) * (position.at(axis) - here.at(axis));
            distances.push_back(std::sqrt(squares));
        }
        std::sort(distances.begin(), distances.end());
        const NearestPoints::Found found = points.nearest(here);
        ASSERT_EQ(found.count, NearestPoints::kMost);
        for (std::size_t near = 0; near < found.count; ++near)
            EXPECT_NEAR(found.points.at(near).distance, distances.at(near), 1e-12);
    }
}

TEST(NearestPoints, interpolatedValuesStayWithinThoseOfThePoints) {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    std::vector<Position> positions(60);
    std::vector<double> values;
    for (Position& position : positions) {
        position.at(0) = normal(random);
        values.push_back(normal(random) * 5);
    }
    const NearestPoints points(positions);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    for (double x = -40; x < 40; x += 0.37) {
        const Interpolated at = interpolate(points.nearest({x}), positions, values, 0.002);
        EXPECT_GE(at.value, std::min(*low, 0.0));
        EXPECT_LE(at.value, std::max(*high, 0.0));
        EXPECT_GE(at.unknown, 0);
        EXPECT_LE(at.unknown, 1);
    }
}

TEST(Device, productsReachTheRateThatWasMeasuredOfLargeOnes) {
    const Device device = deviceOf(hardware::loadAccelerator("mi300x"));
    const double sustained = device.sustained.at("bf16");
    EXPECT_LT(sustained, 0.6 * peakOf(device, "bf16"));
    const Product large{1, 8192, 8192, 8192, 2, 2};
    const auto rateOf = [&](const Device& its, const std::string& dtype) {
        return 2 * 8192.0 * 8192 * 8192 /
               gemmSeconds(large, machineOf(its, dtype), productParametersOf(its, dtype).parameters);
    };
    EXPECT_NEAR(rateOf(device, "bf16"), sustained, 0.02 * sustained);
    Device unknown = device;
    unknown.sustained.clear();
    EXPECT_GT(rateOf(unknown, "bf16"), 1.2 * sustained);
    // Nothing is known of this type.
    EXPECT_EQ(machineOf(device, "fp32").peak, peakOf(device, "fp32"));
    // Kernels that were measured say it better.
    Device measured = deviceOf(hardware::loadAccelerator("h100"));
    measured.sustained["bf16"] = 100e12;
    EXPECT_EQ(machineOf(measured, "bf16").peak, peakOf(measured, "bf16"));
}

}  // namespace
}  // namespace tessera::physical

// A method of exploration is one row: it is listed, offered and run with nothing but that.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/json.h"
#include "core/explore/method.h"
#include "core/study/exploration/study.h"
#include "tests/extension/command.h"

namespace tessera::explore {
namespace {

using testing::HasSubstr;

/// The ends of every range, one variable after the other.
void runEnds(const MethodProblem& problem, const EvaluatePoints& evaluate) {
    Point middle;
    for (const Variable& variable : problem.variables) middle.push_back(valueAt(variable, 0.5));
    std::vector<Point> points;
    for (std::size_t i = 0; i < middle.size(); ++i)
        for (const double share : {0.0, 1.0}) {
            points.push_back(middle);
            points.back()[i] = valueAt(problem.variables[i], share);
        }
    evaluate(points);
}

std::int64_t countEnds(const MethodProblem& problem) {
    return 2 * static_cast<std::int64_t>(problem.variables.size());
}

/// Before anything reads the table of methods.
const bool kAdded = [] {
    addMethod({.id = "ends",
               .title = "Ends of ranges",
               .help = "the ends of every range, one after the other",
               .kind = Method::Kind::sample,
               .run = runEnds,
               .count = countEnds});
    return true;
}();

TEST(ToyMethod, isListedByTheCommandLine) {
    ASSERT_TRUE(kAdded);
    EXPECT_THAT(test::printed({"explore", "--help"}), HasSubstr("sobol-indices, ends"));
}

TEST(ToyMethod, isRunByItsName) {
    const Json document = Json::parse(test::printed({"explore", "resnet50-layers-nvdla", "--vary", "pes=256..1024",
                                                     "--vary", "offchip_bandwidth=8..128", "--objective", "cycles",
                                                     "--method", "ends", "--no-store", "--no-progress", "--json"}));
    EXPECT_EQ(document.at("method"), "ends");
    ASSERT_EQ(document.at("points").size(), 4U);
    EXPECT_EQ(document.at("points").at(0).at("values"), Json::parse("[256.0, 68.0]"));
    EXPECT_EQ(document.at("points").at(3).at("values"), Json::parse("[640.0, 128.0]"));
}

}  // namespace
}  // namespace tessera::explore

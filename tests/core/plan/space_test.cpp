#include "core/plan/space.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "tests/core/plan/problems.h"

namespace tessera::plan {
namespace {

const Problem& spaceProblem() {
    static const Problem kProblem =
        problemOf(planFleet({planGroup("h100", 16), planGroup("a100", 8)}), planModels()[3], 64, {"bf16", "fp8"});
    return kProblem;
}

Space narrowed(std::string_view text) {
    Space space;
    narrow(space, "--fix", text, spaceProblem());
    return space;
}

std::vector<int> axisValues(std::string_view text, Axis axis) {
    return narrowed(text).of(axis).values;
}

std::string spaceRefusal(std::string_view text, Space space = {}) {
    try {
        narrow(space, "--fix", text, spaceProblem());
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no refusal";
}

TEST(Space, everyAxisHasARowWithAnIdOfItsOwn) {
    std::set<std::string_view> ids;
    for (std::size_t i = 0; i < axes().size(); ++i) {
        const AxisRow& row = axes()[i];
        EXPECT_EQ(static_cast<std::size_t>(row.axis), i);
        EXPECT_TRUE(ids.insert(row.id).second) << row.id;
        EXPECT_FALSE(row.title.empty() || row.about.empty()) << row.id;
    }
    EXPECT_EQ(axes().size(), Space{}.axes.size());
}

TEST(Space, isFreeWhereNobodyNarrowsIt) {
    for (const std::string_view text : {"", "  "}) {
        const Space space = narrowed(text);
        for (const AxisRow& row : axes()) {
            EXPECT_TRUE(space.of(row.axis).values.empty());
            EXPECT_EQ(space.allows(row.axis, 7), row.free.empty()) << row.id;
        }
    }
}

TEST(Space, isFreeForWhatFrameworksAreToldByTheirConfigurations) {
    const auto freeOf = [](Axis axis) {
        std::vector<std::string_view> words;
        const std::vector<std::string_view>& all = axes()[static_cast<std::size_t>(axis)].words;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (Space().allows(axis, static_cast<int>(i))) words.push_back(all[i]);
        return words;
    };
    EXPECT_EQ(freeOf(Axis::recompute), (std::vector<std::string_view>{"none", "selective", "full"}));
    EXPECT_EQ(freeOf(Axis::schedule), (std::vector<std::string_view>{"1f1b", "interleaved"}));
    EXPECT_EQ(freeOf(Axis::order), (std::vector<std::string_view>{"tp-cp-dp-pp", "tp-cp-pp-dp"}));
    EXPECT_TRUE(narrowed("recompute=per-stage").allows(Axis::recompute, 3));
}

TEST(Space, aTextNamesValuesRangesAndLists) {
    EXPECT_EQ(axisValues("tp=8", Axis::tensor), (std::vector{8}));
    EXPECT_EQ(axisValues("tp=8,pp=16", Axis::pipeline), (std::vector{16}));
    EXPECT_EQ(axisValues("zero=1,0", Axis::zero), (std::vector{0, 1}));
    EXPECT_EQ(axisValues("pp=4..7", Axis::pipeline), (std::vector{4, 5, 6, 7}));
    EXPECT_EQ(axisValues("pp=2,6..7,2,dp=1", Axis::pipeline), (std::vector{2, 6, 7}));
    EXPECT_EQ(axisValues(" mb = 1 , 2 , cp = 4 ", Axis::micro), (std::vector{1, 2}));
    EXPECT_EQ(axisValues("recompute=full,none", Axis::recompute), (std::vector{0, 2}));
    EXPECT_EQ(axisValues("recompute=per-stage", Axis::recompute), (std::vector{3}));
    EXPECT_EQ(axisValues("etp=1,8", Axis::expertTensor), (std::vector{1, 8}));
    EXPECT_EQ(axisValues("order=tp-cp-pp-dp", Axis::order), (std::vector{1}));
    EXPECT_EQ(axisValues("schedule=1f1b,zb-v", Axis::schedule), (std::vector{1, 7}));
    EXPECT_EQ(axisValues("dtype=fp8", Axis::dtype), (std::vector{1}));
    EXPECT_EQ(axisValues("group=a100-1", Axis::group), (std::vector{1}));
    const Space space = narrowed("ep=2,vp=3");
    EXPECT_TRUE(space.allows(Axis::expert, 2));
    EXPECT_FALSE(space.allows(Axis::expert, 1));
    EXPECT_FALSE(space.allows(Axis::chunks, 2));
    EXPECT_TRUE(space.allows(Axis::tensor, 5));
}

TEST(Space, textsAfterEachOtherLeaveWhatAllAllow) {
    Space space = narrowed("pp=1..8");
    narrow(space, "--allow", "pp=4,16,tp=2", spaceProblem());
    EXPECT_EQ(space.of(Axis::pipeline).values, (std::vector{4}));
    EXPECT_EQ(space.of(Axis::tensor).values, (std::vector{2}));
    EXPECT_EQ(axisValues("tp=1..4,pp=2,tp=4..8", Axis::tensor), (std::vector{4}));
}

TEST(Space, aConfigurationsShortTextNarrowsToIt) {
    const Configuration at{.tensor = 8,
                           .pipeline = 16,
                           .data = 4,
                           .context = 2,
                           .expert = 2,
                           .chunks = 4,
                           .micro = 2,
                           .schedule = physical::PipelineSchedule::interleaved,
                           .recompute = Recomputation::full,
                           .zero = 1};
    EXPECT_EQ(shortText(at), "tp=8,pp=16,dp=4,cp=2,ep=2,mb=2,vp=4,zero=1,recompute=full,schedule=interleaved");
    const Space space = narrowed(shortText(at));
    EXPECT_EQ(space.of(Axis::tensor).values, (std::vector{8}));
    EXPECT_EQ(space.of(Axis::pipeline).values, (std::vector{16}));
    EXPECT_EQ(space.of(Axis::data).values, (std::vector{4}));
    EXPECT_EQ(space.of(Axis::chunks).values, (std::vector{4}));
    EXPECT_EQ(space.of(Axis::schedule).values, (std::vector{2}));
    EXPECT_EQ(space.of(Axis::recompute).values, (std::vector{2}));
    EXPECT_EQ(shortText({}), "tp=1,pp=1,dp=1,mb=1");
    Configuration other{.tensor = 2, .pipeline = 2, .data = 2, .expert = 4, .wholeExperts = true};
    other.recompute = Recomputation::perStage;
    other.order = physical::RankOrder::dataLast;
    EXPECT_EQ(shortText(other), "tp=2,pp=2,dp=2,ep=4,etp=1,mb=1,recompute=per-stage,schedule=1f1b,order=tp-cp-pp-dp");
    const Space whole = narrowed(shortText(other));
    EXPECT_EQ(whole.of(Axis::expertTensor).values, (std::vector{1}));
    EXPECT_EQ(whole.of(Axis::recompute).values, (std::vector{3}));
    EXPECT_EQ(whole.of(Axis::order).values, (std::vector{1}));
}

TEST(Space, whatItCannotReadIsNamedWithWhatIsExpected) {
    EXPECT_EQ(spaceRefusal("8"), "option '--fix' has '8'; expected an axis and its value, such as tp=8");
    EXPECT_EQ(spaceRefusal("tensor=8"),
              "option '--fix' has 'tensor'; expected one of tp, pp, dp, cp, ep, etp, mb, vp, zero, recompute, "
              "schedule, order, dtype, group");
    EXPECT_EQ(spaceRefusal("tp="), "option '--fix' has ''; expected a whole number from 1 to 1,000,000 for tp");
    EXPECT_EQ(spaceRefusal("tp=0"), "option '--fix' has '0'; expected a whole number from 1 to 1,000,000 for tp");
    EXPECT_EQ(spaceRefusal("tp=2x"), "option '--fix' has '2x'; expected a whole number from 1 to 1,000,000 for tp");
    EXPECT_EQ(spaceRefusal("tp=2000000"),
              "option '--fix' has '2000000'; expected a whole number from 1 to 1,000,000 for tp");
    EXPECT_EQ(spaceRefusal("zero=4"), "option '--fix' has '4'; expected a whole number from 0 to 3 for zero");
    EXPECT_EQ(spaceRefusal("pp=8..4"), "option '--fix' has '8..4'; expected a range that rises by less than 4,096");
    EXPECT_EQ(spaceRefusal("pp=1..5000"),
              "option '--fix' has '1..5000'; expected a range that rises by less than 4,096");
    EXPECT_EQ(spaceRefusal("recompute=some"),
              "option '--fix' has 'some'; expected one of none, selective, full, per-stage for recompute");
    EXPECT_EQ(spaceRefusal("dtype=fp4"), "option '--fix' has 'fp4'; expected one of bf16, fp8 for dtype");
    EXPECT_EQ(spaceRefusal("group=b200"), "option '--fix' has 'b200'; expected one of h100-0, a100-1 for group");
    EXPECT_EQ(spaceRefusal("pp=8", narrowed("pp=1..4")),
              "option '--fix' has 'pp'; expected a value that the same option and others allow");
}

TEST(Space, emptyTokensAreRefused) {
    EXPECT_NE(spaceRefusal("tp=8,"), "no refusal");
    EXPECT_NE(spaceRefusal(",tp=8"), "no refusal");
    EXPECT_NE(spaceRefusal("recompute="), "no refusal");
}

}  // namespace
}  // namespace tessera::plan

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/study/explanation.h"
#include "core/study/metric.h"
#include "core/study/partition/outcome.h"
#include "tests/core/study/studies.h"
#include "tests/support/partition_result.h"

namespace tessera::study {
namespace {

void expectWhole(const Result& result, const std::string& path) {
    const std::optional<Explanation> found = explain(result, path);
    ASSERT_TRUE(found.has_value()) << path;
    EXPECT_FALSE(found->title.empty()) << path;
    EXPECT_FALSE(found->value.empty()) << path;
    EXPECT_FALSE(found->exact.empty()) << path;
    EXPECT_NE(found->formula.find_first_of("=:"), std::string::npos) << path;
    EXPECT_FALSE(found->source.empty()) << path;
    EXPECT_FALSE(found->terms.empty()) << path;
    for (const Explanation::Term& term : found->terms) {
        EXPECT_FALSE(term.name.empty()) << path;
        EXPECT_FALSE(term.value.empty()) << path << " " << term.name;
        EXPECT_FALSE(term.whereFrom.empty()) << path << " " << term.name;
    }
}

class EveryNumber : public testing::TestWithParam<test::Sample> {};

TEST_P(EveryNumber, hasAnExplanation) {
    const Result result = run(test::studyOf(GetParam()));
    for (const Metric& metric : metricsOf(result)) expectWhole(result, metric.name);
    for (const partition::Plan& plan : result.outcome.get<PartitionOutcome>().result.plans) {
        for (std::size_t l = 0; l < plan.levels.size(); ++l) {
            const std::string level = fmt::format("{}/levels[{}]/", plan.strategy, l);
            for (const char* field : {"ratio", "objective_s", "lower_bound_s", "side_i_s", "side_j_s"})
                expectWhole(result, level + field);
            for (const char* field : {"compute_s", "intra_s", "inter_s", "type"})
                expectWhole(result, fmt::format("{}layers[{}]/{}", level, plan.levels[l].layers.size() - 1, field));
            if (plan.levels[l].joins.empty()) continue;
            for (const char* field : {"compute_s", "inter_s", "layout"})
                expectWhole(result, fmt::format("{}joins[0]/{}", level, field));
        }
        for (std::size_t k = 0; k < plan.shares.size(); ++k)
            for (const char* field : {"compute_s", "communication_s", "memory_bytes"})
                expectWhole(result, fmt::format("{}/per_accelerator[{}]/{}", plan.strategy, k, field));
    }
}

INSTANTIATE_TEST_SUITE_P(Samples, EveryNumber, testing::ValuesIn(test::samples()), test::nameOf);

TEST(Explanation, namesTheHardwaresSourceAndReliability) {
    Study study = test::studyOf(test::samples().front());
    setParameter(study, "groups", {"all"});
    const Explanation found = explain(run(study), "accpar/per_accelerator[1]/compute_s").value();
    const auto peak = std::find_if(found.terms.begin(), found.terms.end(),
                                   [](const Explanation::Term& term) { return term.name == "peak rate of one v3"; });
    ASSERT_NE(peak, found.terms.end());
    EXPECT_EQ(peak->value, "420 TFLOP/s");
    EXPECT_NE(peak->whereFrom.find("datasheet: AccPar (Song et al., HPCA 2020), table 7"), std::string::npos)
        << peak->whereFrom;
    EXPECT_NE(found.source.find("Table 6"), std::string::npos);
}

TEST(Explanation, ofAStepTimeAddsUpItsTerms) {
    const Explanation found = explain(test::handMadeResult(), "accpar/step_time_s").value();
    EXPECT_EQ(found.title, "Step time of accpar");
    EXPECT_EQ(found.value, "36.2 ms");
    EXPECT_EQ(found.exact, "0.0362 s");
    EXPECT_EQ(found.terms.size(), 4U);
    EXPECT_NE(std::find(found.notes.begin(), found.notes.end(), "Transfers and compute do not overlap."),
              found.notes.end());
}

TEST(Explanation, isAbsentWhereThereIsNoSuchNumber) {
    const Result result = test::handMadeResult();
    for (const char* path :
         {"", "/", "nothing", "accpar", "accpar/nothing", "nobody/step_time_s", "accpar/levels[9]/ratio",
          "accpar/levels[0]/layers[7]/compute_s", "accpar/levels[0]/layers[-1]/compute_s",
          "accpar/levels[0]/joins[0]/intra_s", "accpar/levels[99999999999999999999]/ratio", "accpar/levels[]/ratio",
          "accpar/per_accelerator[5]/compute_s", "accpar/levels[0]/ratio/more/and/more"})
        EXPECT_FALSE(explain(result, path).has_value()) << path;
}

}  // namespace
}  // namespace tessera::study

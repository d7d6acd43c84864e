#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/partition/partition.h"
#include "core/reproduce/reproduce.h"
#include "tests/core/reproduce/recomputed.h"
#include "tests/support/schema.h"

/// The laws of the recomputed figures of MAGMA, with a small part of their samples.
namespace tessera::study {
namespace {

const Reproduction& magmaFigure(const std::string& name) {
    return recomputed(name).figure;
}

/// The numbers by item and metric.
using Numbers = std::map<std::pair<std::string, std::string>, double>;

Numbers numbersOf(const Reproduction& figure) {
    Numbers numbers;
    for (const ReproductionRow& row : figure.rows)
        EXPECT_TRUE(numbers.emplace(std::pair(row.item, row.metric), std::get<double>(row.ours)).second)
            << row.item << " " << row.metric << " stands there twice";
    return numbers;
}

std::optional<double> paperOf(const Reproduction& figure, std::string_view item, std::string_view metric) {
    for (const ReproductionRow& row : figure.rows)
        if (row.item == item && row.metric == metric) return row.paper;
    ADD_FAILURE() << "no row " << item << " " << metric;
    return std::nullopt;
}

class EveryMagmaFigure : public testing::TestWithParam<std::string> {};

TEST_P(EveryMagmaFigure, showsBothReadingsInFiniteNumbersAndSaysWhatItDoes) {
    const auto& [figure, events, beyond] = recomputed(GetParam());
    EXPECT_GT(events, 0);
    EXPECT_FALSE(beyond);
    std::size_t corrected = 0;
    for (const auto& [key, number] : numbersOf(figure)) {
        EXPECT_TRUE(std::isfinite(number) && number >= 0) << key.first << " " << key.second;
        if (key.first.find("(corrected)") != std::string::npos) ++corrected;
    }
    EXPECT_EQ(2 * corrected, figure.rows.size());
    EXPECT_FALSE(figure.notes.empty());
    EXPECT_FALSE(figure.inputs.empty());
    EXPECT_FALSE(figure.assumptions.empty());
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(toJson(figure).dump()), "reproduction.schema.json"), "");
}

TEST_P(EveryMagmaFigure, isGivenUpWhenCancelled) {
    std::stop_source source;
    source.request_stop();
    EXPECT_THROW(reproduce(GetParam(), {.budget = budgetOf(GetParam())}, {.cancel = source.get_token(), .threads = 2}),
                 InterruptedError);
}

INSTANTIATE_TEST_SUITE_P(MagmaFigures, EveryMagmaFigure,
                         testing::Values("magma-fig7", "magma-fig8", "magma-fig9", "magma-fig10", "magma-fig11",
                                         "magma-fig12", "magma-fig13", "magma-fig14", "magma-fig15", "magma-fig16",
                                         "magma-fig17", "magma-table5"),
                         [](const auto& tested) { return tested.param.substr(std::string("magma-").size()); });

class EveryMagmaRace : public testing::TestWithParam<std::string> {};

TEST_P(EveryMagmaRace, isToldRelativeToMagmaAndNeverBeatsTheBound) {
    const Reproduction& figure = magmaFigure(GetParam());
    const Numbers numbers = numbersOf(figure);
    for (const auto& [key, number] : numbers) {
        if (key.second == "magma_gflops") continue;
        EXPECT_LE(number, numbers.at({key.first, "bound"}) * (1 + 1e-9)) << key.first << " " << key.second;
        if (key.second == "magma") {
            EXPECT_EQ(number, 1) << key.first;
        }
    }
    std::size_t cut = 0;
    for (const std::string& note : figure.notes) {
        if (note.find(", cut") == std::string::npos) continue;
        EXPECT_EQ(note.find("bound: longest job"), std::string::npos) << note;
        ++cut;
    }
    EXPECT_GE(cut, 8U);
    for (const ReproductionMean& mean : figure.geometricMeans) {
        ASSERT_TRUE(mean.paper) << mean.metric;
        EXPECT_LT(*mean.paper, 1) << mean.metric;
    }
}

INSTANTIATE_TEST_SUITE_P(MagmaRaces, EveryMagmaRace, testing::Values("magma-fig8", "magma-fig9", "magma-fig12"),
                         [](const auto& tested) { return tested.param.substr(std::string("magma-").size()); });

TEST(MagmaFigure8, hasThePapersThroughputsBesideOurs) {
    const Reproduction& figure = magmaFigure("magma-fig8");
    EXPECT_EQ(paperOf(figure, "vision S1 16", "magma_gflops"), 249);
    EXPECT_EQ(paperOf(figure, "language S1 16", "magma_gflops"), 397);
    EXPECT_EQ(paperOf(figure, "recommendation S1 16", "magma_gflops"), 194);
    EXPECT_EQ(paperOf(figure, "mix S1 16", "magma_gflops"), 329);
    EXPECT_EQ(paperOf(figure, "mix S1 16", "herald-like"), std::nullopt) << "the paper draws it only";
    std::map<std::string, double> means;
    for (const ReproductionMean& mean : figure.geometricMeans) means[mean.metric] = mean.paper.value_or(0);
    EXPECT_DOUBLE_EQ(means.at("herald-like"), 1 / 1.4);
    EXPECT_DOUBLE_EQ(means.at("ai-mt-like"), 1 / 1.41);
    EXPECT_DOUBLE_EQ(means.at("optimisers"), 1 / 1.6);
}

TEST(MagmaFigure7, tellsStylesApartAndWhatThePaperSaysOfThem) {
    const Reproduction& figure = magmaFigure("magma-fig7");
    const Numbers numbers = numbersOf(figure);
    for (const std::string suffix : {"", " (corrected)"})
        for (const std::string task : {"vision", "language", "recommendation"})
            EXPECT_NE(numbers.at({task + " on HB" + suffix, "latency_cycles"}),
                      numbers.at({task + " on LB" + suffix, "latency_cycles"}));
    std::size_t here = 0, corrected = 0;
    for (const std::string& note : figure.notes) {
        if (!note.starts_with("The paper: ")) continue;
        const bool isCorrected = note.find(". Here, under the corrected model, that ") != std::string::npos;
        (isCorrected ? corrected : here) += 1;
        EXPECT_EQ(note.find("(corrected)"), std::string::npos) << note;
    }
    EXPECT_EQ(here, 3U);
    EXPECT_EQ(corrected, 3U);
}

TEST(MagmaFigure10, hasMagmaAtOneAndSpreadsOfAllAlgorithms) {
    const Numbers numbers = numbersOf(magmaFigure("magma-fig10"));
    EXPECT_EQ(numbers.at({"mix S2 16", "magma"}), 1);
    for (const std::string metric : {"magma", "cmaes", "pso", "stdga", "ppo2", "random"}) {
        EXPECT_GT(numbers.at({"mix S2 16, spread at first", metric}), 0) << metric;
        EXPECT_GT(numbers.at({"mix S2 16, spread in the end", metric}), 0) << metric;
    }
}

TEST(MagmaFigure9, hasThePapersThroughputsBesideOurs) {
    const Reproduction& figure = magmaFigure("magma-fig9");
    EXPECT_EQ(paperOf(figure, "vision S2 16", "magma_gflops"), 254);
    EXPECT_EQ(paperOf(figure, "mix S2 16", "magma_gflops"), 271);
    EXPECT_EQ(paperOf(figure, "vision S4 256", "magma_gflops"), 254);
    EXPECT_EQ(paperOf(figure, "mix S4 256", "magma_gflops"), 383);
    EXPECT_EQ(paperOf(figure, "mix S4 256", "herald-like"), 0.2) << "section VI-E: harvests only 20 %";
}

TEST(MagmaFigure12, hasAnUpperBoundThatRisesWithTheBandwidth) {
    const Numbers numbers = numbersOf(magmaFigure("magma-fig12"));
    const auto max = [&](const std::string& item) {
        return numbers.at({item, "magma_gflops"}) * numbers.at({item, "bound"});
    };
    for (const std::string suffix : {"", " (corrected)"})
        for (const std::vector<std::string>& rising :
             {std::vector<std::string>{"mix S2 1", "mix S2 4", "mix S2 8", "mix S2 16"},
              std::vector<std::string>{"mix S4 1", "mix S4 16", "mix S4 64", "mix S4 256"}})
            for (std::size_t i = 1; i < rising.size(); ++i)
                EXPECT_LE(max(rising[i - 1] + suffix), max(rising[i] + suffix) * (1 + 1e-9)) << rising[i] << suffix;
}

/// Curves by item without the samples and metric, in the order of rows: none may fall.
void expectRisingCurves(const Reproduction& figure) {
    std::map<std::pair<std::string, std::string>, double> last;
    std::size_t points = 0;
    for (const ReproductionRow& row : figure.rows) {
        if (!row.item.ends_with(" samples")) continue;
        ++points;
        const double number = std::get<double>(row.ours);
        double& before = last[{row.item.substr(0, row.item.find(',')), row.metric}];
        EXPECT_GE(number, before) << row.item << " " << row.metric;
        before = number;
    }
    EXPECT_GT(points, 0U);
    for (const auto& [curve, end] : last)
        if (curve.second == "magma") {
            EXPECT_DOUBLE_EQ(end, 1) << curve.first;
        }
}

TEST(MagmaFigure11, hasCurvesThatNeverFallAndMagmasEndsAtOne) {
    const Reproduction& figure = magmaFigure("magma-fig11");
    expectRisingCurves(figure);
    EXPECT_EQ(paperOf(figure, "vision S2 16, samples to its end", "tbpsa"), 20'000) << "caption of figure 11";
}

TEST(MagmaFigure16, hasCurvesThatNeverFallAndMagmasEndsAtOne) {
    expectRisingCurves(magmaFigure("magma-fig16"));
}

TEST(MagmaFigure13, isToldRelativeToS5) {
    const Numbers numbers = numbersOf(magmaFigure("magma-fig13"));
    for (const auto& [key, number] : numbers)
        if (key.second == "magma" && key.first.starts_with("mix S5")) {
            EXPECT_EQ(number, 1) << key.first;
        }
    // A little sub-accelerator has half the elements of a big one.
    for (const std::string task : {"vision", "language", "recommendation", "mix"})
        for (const std::string suffix : {"", " (corrected)"})
            EXPECT_GT(numbers.at({task + " S5" + suffix, "latency_cycles"}),
                      numbers.at({task + " S4" + suffix, "latency_cycles"}));
}

TEST(MagmaFigure14, hasFlexibleArraysThatTakeNoLonger) {
    const Numbers numbers = numbersOf(magmaFigure("magma-fig14"));
    for (const std::string item : {"vision S1", "mix S1", "vision S3", "mix S3"})
        for (const std::string suffix : {"", " (corrected)"})
            EXPECT_LE(numbers.at({item + "-flexible" + suffix, "latency_cycles"}),
                      numbers.at({item + suffix, "latency_cycles"}) * (1 + 1e-12))
                << item << suffix << ": the fixed shape is among the flexible ones";
    EXPECT_EQ(numbers.at({"vision S1 16", "flexible"}), 1);
}

TEST(MagmaFigure15, placesEveryJobAndNoCoreWorksLongerThanTheMakespan) {
    const Numbers numbers = numbersOf(magmaFigure("magma-fig15"));
    std::map<std::pair<std::string, std::string>, double> jobs;
    for (const auto& [key, number] : numbers) {
        if (key.first.find("jobs on") != std::string::npos)
            jobs[{key.first.substr(0, key.first.find(',')), key.second}] += number;
        if (key.first.find("busy share") != std::string::npos) {
            EXPECT_LE(number, 1 + 1e-9) << key.first;
        }
    }
    EXPECT_FALSE(jobs.empty());
    for (const auto& [run, count] : jobs) EXPECT_EQ(count, 100) << run.first << " " << run.second;
}

TEST(MagmaFigure17, isToldRelativeToOneGroupAndNeverBeatsTheBound) {
    const Numbers numbers = numbersOf(magmaFigure("magma-fig17"));
    for (const std::string suffix : {"", " (corrected)"}) {
        EXPECT_EQ(numbers.at({"mix S2 16" + suffix + ", groups of 1000", "magma"}), 1);
        for (const auto& [key, number] : numbers)
            EXPECT_LE(number, numbers.at({key.first, "bound"}) * (1 + 1e-9)) << key.first;
    }
}

TEST(MagmaTable5, hasStagesThatNeverFallAndEndAtOne) {
    const Reproduction table = magmaFigure("magma-table5");
    const Numbers numbers = numbersOf(table);
    for (const auto& [key, number] : numbers) {
        if (key.second == "trf-100-ep") {
            EXPECT_NEAR(number, 1, 1e-12) << key.first;
        }
        if (key.second != "trf-0-ep") continue;
        EXPECT_LE(number, numbers.at({key.first, "trf-1-ep"}) + 1e-12) << key.first;
        EXPECT_LE(numbers.at({key.first, "trf-1-ep"}), numbers.at({key.first, "trf-30-ep"}) + 1e-12) << key.first;
        EXPECT_LE(numbers.at({key.first, "trf-30-ep"}), 1 + 1e-12) << key.first;
    }
    EXPECT_EQ(paperOf(table, "mix S4 1, insts2", "trf-0-ep"), 0.60);
    EXPECT_EQ(paperOf(table, "mix S4 1, insts3", "raw"), 0.09);
    EXPECT_EQ(paperOf(table, "mix S4 1, mean", "trf-1-ep"), 0.88);
    EXPECT_EQ(paperOf(table, "recommendation, mean of S1 to S6", "trf-0-ep"), 0.51);
}

TEST(MagmaFigures, haveNoChoiceOfACostModel) {
    try {
        reproduce("magma-fig8", {.costModel = partition::CostModel::exact});
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "option '--cost-model' is about AccPar's figures; magma-fig8 always shows all of its cost models "
                     "side by side");
    }
}

}  // namespace
}  // namespace tessera::study

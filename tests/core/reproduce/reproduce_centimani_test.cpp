#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "core/reproduce/reproduce.h"
#include "tests/support/schema.h"

/// Centimani's tables and figures.
namespace tessera::study {
namespace {

double oursOfCentimani(const Reproduction& reproduction, const std::string& item, const std::string& metric) {
    for (const ReproductionRow& row : reproduction.rows)
        if (row.item == item && row.metric == metric) return std::get<double>(row.ours);
    ADD_FAILURE() << "no row " << item << ", " << metric;
    return 0;
}

TEST(Centimani, table2sMeanIsThatOfItsCells) {
    EXPECT_NEAR(oursOfCentimani(reproduce("centimani-table2"), "mean of the printed speed-ups",
                                "speedup over the default batch"),
                4.68, 0.005);
}

TEST(Centimani, figure7sPricePerformanceFollowsFromSpeedUpsAndPrices) {
    const Reproduction figure = reproduce("centimani-fig7");
    EXPECT_NEAR(oursOfCentimani(figure, "SambaNova SN30", "price-performance over A100"), 2.01, 0.005);
    EXPECT_NEAR(oursOfCentimani(figure, "Graphcore Bow-IPU", "price-performance over A100"), 3.65, 0.005);
    EXPECT_NEAR(oursOfCentimani(figure, "Cerebras CS-2", "price-performance over A100"), 1.40, 0.005);
    EXPECT_NEAR(oursOfCentimani(figure, "Habana Gaudi2", "price-performance over A100"), 3.03, 0.005);
}

TEST(Centimani, figure7ShowsThePublishedRuleBesideOurs) {
    const Reproduction figure = reproduce("centimani-fig7");
    const auto mean = [&](const char* platform, const std::string& rule) {
        return oursOfCentimani(figure, platform, "mean speedup over A100, " + rule);
    };
    // Weights, gradients and state in a slow second memory count by our rule alone.
    for (const char* platform : {"Graphcore Bow-IPU", "Cerebras CS-2"}) {
        EXPECT_GT(mean(platform, "published rule"), 2 * mean(platform, "predicted")) << platform;
        // The levels of the paper are between the two.
        const double paper = platform == std::string("Cerebras CS-2") ? 1.41 : 1.54;
        EXPECT_GT(mean(platform, "published rule"), paper) << platform;
        EXPECT_LT(mean(platform, "predicted"), paper) << platform;
    }
    // Everything lies in one memory.
    EXPECT_NEAR(mean("Habana Gaudi2", "published rule"), mean("Habana Gaudi2", "predicted"), 0.02);
}

TEST(Centimani, figure1sRatioFollowsFromTheUtilisations) {
    EXPECT_NEAR(oursOfCentimani(reproduce("centimani-fig1"), "Graphcore Bow-IPU over NVIDIA A100",
                                "throughput, from the printed utilisations"),
                1.46, 0.005);
}

TEST(Centimani, table5CountsWhatAgrees) {
    const Reproduction table = reproduce("centimani-table5");
    EXPECT_EQ(oursOfCentimani(table, "selected and predicted batches that agree in the paper", "count"), 19);
    for (const ReproductionRow& row : table.rows)
        if (row.item == "batches that agree with the paper's predicted ones") {
            EXPECT_LE(std::get<double>(row.ours), 24) << row.metric;
            EXPECT_FALSE(row.paper) << "the paper's own batches are no result of ours";
        }
}

TEST(Centimani, moreDevicesNeverTrainLess) {
    const Reproduction figure = reproduce("centimani-fig8");
    for (const ReproductionRow& row : figure.rows)
        if (const double* ours = std::get_if<double>(&row.ours)) {
            EXPECT_GT(*ours, 1) << row.item;
            EXPECT_LE(*ours, 8) << row.item;
        }
}

TEST(Centimani, whatNeedsTheHardwareSaysSo) {
    for (const ReproductionRow& row : reproduce("centimani-fig6").rows) {
        const auto* ours = std::get_if<std::string>(&row.ours);
        ASSERT_NE(ours, nullptr) << row.item;
        EXPECT_TRUE(ours->starts_with("needs measurements on ")) << *ours;
    }
}

TEST(Centimani, everyFigureFitsItsSchema) {
    for (const Figure& figure : figures()) {
        if (!figure.name.starts_with("centimani")) continue;
        EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(toJson(reproduce(figure.name)).dump()),
                                     "reproduction.schema.json"),
                  "")
            << figure.name;
    }
}

}  // namespace
}  // namespace tessera::study

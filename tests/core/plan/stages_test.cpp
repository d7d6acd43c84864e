#include "core/plan/stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "tests/core/plan/divisions.h"
#include "tests/support/sanitizers.h"

namespace tessera::plan {
namespace {

using Random = std::mt19937;

int below(Random& random, int most) {
    return std::uniform_int_distribution(0, most - 1)(random);
}
double upTo(Random& random, double most) {
    return std::uniform_real_distribution(0.0, most)(random);
}

/// Rows of stages, what they hold, and a cost that never falls.
struct DivisionCase {
    int layers = 1;
    std::vector<StageRow> rows;
    std::vector<std::vector<int>> most;
    std::vector<std::function<double(int)>> once;
    double perLongest = 1, perAll = 0, perFullest = 0, step = 0;

    double seconds(const DivisionCost& cost) const {
        // A staircase beside straight lines, so that many divisions cost the same.
        return perLongest * cost.longest + perAll * cost.all + perFullest * cost.fullest + cost.once +
               step * std::floor(cost.longest);
    }
    std::span<const int> stagesOf(const std::vector<int>& held, std::size_t row) const {
        std::size_t first = 0;
        for (std::size_t i = 0; i < row; ++i) first += static_cast<std::size_t>(rows[i].stages);
        return std::span(held).subspan(first, static_cast<std::size_t>(rows[row].stages));
    }
};

std::function<double(int)> randomOnce(Random& random) {
    const double each = below(random, 2) == 0 ? 0 : upTo(random, 3), jump = upTo(random, 5);
    const int at = 1 + below(random, 8);
    return [=](int layers) { return each * layers + (layers >= at ? jump : 0); };
}

std::unique_ptr<DivisionCase> randomDivision(Random& random, int rows) {
    auto made = std::make_unique<DivisionCase>();
    int stages = 0;
    for (int r = 0; r < rows; ++r) {
        made->rows.push_back({.stages = 1 + below(random, 4), .layer = 0.2 + upTo(random, 2)});
        stages += made->rows.back().stages;
        // Whole numbers make ties.
        if (below(random, 3) == 0) made->rows.back().layer = 1 + below(random, 3);
        auto& most = made->most.emplace_back();
        for (int s = 0; s < made->rows.back().stages; ++s) most.push_back(1 + below(random, 7));
        made->once.push_back(randomOnce(random));
    }
    if (below(random, 3) > 0) made->rows.back().head = below(random, 2) == 0 ? upTo(random, 4) : below(random, 4);
    made->layers = stages + below(random, 9);
    made->perLongest = upTo(random, 10);
    made->perAll = below(random, 2) == 0 ? 0 : upTo(random, 2);
    made->perFullest = rows > 1 || below(random, 2) == 0 ? 0 : upTo(random, 2);
    made->step = below(random, 2) == 0 ? 0 : upTo(random, 2);
    for (std::size_t r = 0; r < made->rows.size(); ++r) {
        made->rows[r].maxLayers = made->most[r];
        made->rows[r].once = &made->once[r];
    }
    return made;
}

/// What a division costs; nothing where a stage does not hold its layers.
std::optional<DivisionCost> costOfHeld(const DivisionCase& given, const std::vector<int>& held) {
    DivisionCost cost;
    for (std::size_t r = 0; r < given.rows.size(); ++r) {
        const StageRow& row = given.rows[r];
        const std::span<const int> stages = given.stagesOf(held, r);
        for (std::size_t s = 0; s < stages.size(); ++s) {
            if (stages[s] > row.maxLayers[s]) return std::nullopt;
            const double both = stages[s] * row.layer + (s + 1 == stages.size() ? row.head : 0);
            cost.longest = std::max(cost.longest, both);
            cost.fullest = std::max(cost.fullest, stages[s]);
            cost.once = std::max(cost.once, given.once[r](stages[s]));
        }
        cost.all += std::accumulate(stages.begin(), stages.end(), 0) * row.layer + row.head;
    }
    return cost;
}

std::optional<double> minOfAll(const DivisionCase& given) {
    std::optional<double> least;
    std::size_t stages = 0;
    for (const StageRow& row : given.rows) stages += static_cast<std::size_t>(row.stages);
    forEachComposition(given.layers, stages, [&](const std::vector<int>& held) {
        const std::optional<DivisionCost> cost = costOfHeld(given, held);
        if (cost && (!least || given.seconds(*cost) < *least)) least = given.seconds(*cost);
    });
    return least;
}

/// The layers of a division's stages, which are those that it says.
std::vector<int> heldOf(const DivisionCase& given, const Division& division) {
    std::vector<int> held;
    for (std::size_t r = 0; r < given.rows.size(); ++r) {
        const std::vector<int> row = layersOf(given.rows[r], division.rows[r], division.layers[r]);
        EXPECT_EQ(static_cast<int>(row.size()), given.rows[r].stages);
        EXPECT_EQ(std::accumulate(row.begin(), row.end(), 0), division.layers[r]);
        EXPECT_EQ(row.back(), division.rows[r].last);
        for (std::size_t s = 0; s + 1 < row.size(); ++s) EXPECT_LE(row[s], division.rows[r].others);
        EXPECT_GE(*std::min_element(row.begin(), row.end()), 1);
        held.insert(held.end(), row.begin(), row.end());
    }
    return held;
}

void expectBest(int rows, int cases) {
    Random random(static_cast<unsigned>(100 + rows));
    int fitting = 0;
    for (int i = 0; i < cases; ++i) {
        const auto given = randomDivision(random, rows);
        const auto cost = [&](const DivisionCost& of) { return given->seconds(of); };
        const std::optional<Division> division = bestDivision(given->layers, given->rows, cost);
        const std::optional<double> least = minOfAll(*given);
        ASSERT_EQ(division.has_value(), least.has_value()) << "case " << i;
        if (!division) continue;
        ++fitting;
        ASSERT_NEAR(division->seconds, *least, 1e-12 * *least) << "case " << i;
        const std::vector<int> held = heldOf(*given, *division);
        const std::optional<DivisionCost> found = costOfHeld(*given, held);
        ASSERT_TRUE(found) << "case " << i;
        ASSERT_NEAR(given->seconds(*found), *least, 1e-12 * *least) << "case " << i;
        ASSERT_LE(found->fullest, division->cost.fullest);
    }
    EXPECT_GT(fitting, cases / 2);
    // Four rows hold nearly always all layers.
    if (rows < 4) {
        EXPECT_LT(fitting, cases);
    }
}

TEST(Stages, aDivisionOfOneRowIsTheBestOfAll) {
    expectBest(1, test::randomCases(6000));
}

TEST(Stages, aDivisionOfTwoRowsIsTheBestOfAll) {
    expectBest(2, test::randomCases(4000));
}

TEST(Stages, aDivisionOfSeveralRowsIsTheBestOfAll) {
    expectBest(3, test::randomCases(3000));
    expectBest(4, test::randomCases(1000));
}

TEST(Stages, aStageWithoutRoomForALayerFitsNothing) {
    const std::vector<int> most{4, 0, 4};
    const std::function<double(int)> once = [](int) { return 0.0; };
    const StageRow row{.stages = 3, .layer = 1, .maxLayers = most, .once = &once};
    EXPECT_FALSE(bestDivision(6, std::span(&row, 1), [](const DivisionCost& cost) { return cost.longest; }));
}

TEST(Stages, laterStagesTakeMoreOfALeftover) {
    const std::vector<int> most{9, 9, 9};
    const std::function<double(int)> once = [](int) { return 0.0; };
    const StageRow row{.stages = 3, .layer = 1, .maxLayers = most, .once = &once};
    EXPECT_EQ(layersOf(row, {3, 2}, 7), (std::vector{2, 3, 2}));
    EXPECT_EQ(layersOf(row, {2, 3}, 7), (std::vector{2, 2, 3}));
}

}  // namespace
}  // namespace tessera::plan

// Device placement: the published program's cases, every plan of small random problems, and what is said where nothing
// fits.
#include "core/codesign/placement/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "core/base/error.h"
#include "tests/core/codesign/placement_cases.h"

using namespace tessera;
using namespace tessera::codesign;
using testing::HasSubstr;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

bool close(double a, double b, double relative) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

/// Accelerators of one replica, and whether all stages fit the memory but for rounding.
std::int64_t occupied(const Plan& plan) {
    std::int64_t sum = 0;
    for (const PlacedStage& stage : plan.stages) sum += stage.accelerators;
    return sum;
}
bool fits(const Plan& plan, const PlacementProblem& problem) {
    for (const PlacedStage& stage : plan.stages)
        if (stage.memory.total().value > problem.memory.value * (1 + 1e-12)) return false;
    return plan.data * occupied(plan) <= problem.accelerators;
}

TEST(Placement, agreesWithEveryCaseOfThePublishedProgram) {
    const std::vector<codesign::cases::OracleCase> cases = codesign::cases::oracleCases();
    ASSERT_EQ(cases.size(), 70U);
    std::size_t feasible = 0;
    for (const codesign::cases::OracleCase& known : cases) {
        const Placer placer(known.file.graph);
        EXPECT_TRUE(placer.isPath() && placer.allCuts()) << known.name;
        const Placement placement = placer.place(known.file.problem, {.explain = true});
        EXPECT_TRUE(placement.optimal) << known.name;
        ASSERT_EQ(placement.plan.has_value(), known.seconds.has_value()) << known.name;
        EXPECT_EQ(placement.shortage.has_value(), !known.seconds.has_value()) << known.name;
        if (!known.seconds) continue;
        ++feasible;
        EXPECT_TRUE(close(placement.plan->timePerBatch.value, *known.seconds, 1e-9)) << known.name;
        EXPECT_TRUE(fits(*placement.plan, known.file.problem)) << known.name;
        EXPECT_EQ(evaluate(known.file.graph, known.file.problem, *placement.plan), *placement.plan) << known.name;
    }
    EXPECT_EQ(feasible, 50U);
}

TEST(Placement, evaluatesThePlansOfThePublishedProgram) {
    for (const codesign::cases::OracleCase& known : codesign::cases::oracleCases()) {
        if (!known.plan) continue;
        const Plan plan = evaluate(known.file.graph, known.file.problem, *known.plan);
        EXPECT_TRUE(close(plan.timePerBatch.value, *known.seconds, 1e-12)) << known.name;
        EXPECT_TRUE(fits(plan, known.file.problem)) << known.name;
        for (std::size_t s = 0; s < plan.stages.size(); ++s)
            EXPECT_EQ(plan.stages[s].accelerators, known.plan->stages[s].accelerators) << known.name;
    }
}

/// A problem of up to six layers, on a chain with shortcuts or any graph without a cycle.
struct Small {
    LayerGraph graph;
    PlacementProblem problem;
};

Small smallProblem(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned bound) { return static_cast<std::size_t>(random() % bound); };
    const auto amount = [&](double max) { return max * static_cast<double>(1 + random() % 1000) / 1000; };
    Small small;
    small.graph.layers = 1 + below(6);
    const bool chain = below(2) == 0;
    // Numbers that are no order of dependence.
    std::vector<std::size_t> number(small.graph.layers);
    for (std::size_t i = 0; i < number.size(); ++i) number[i] = i;
    std::shuffle(number.begin(), number.end(), random);
    for (std::size_t a = 0; a < number.size(); ++a)
        for (std::size_t b = a + 1; b < number.size(); ++b)
            if ((chain && b == a + 1) || below(chain ? 5 : 3) == 0) {
                small.graph.edges.push_back({number[a], number[b]});
                if (below(8) == 0) small.graph.edges.push_back({number[a], number[b]});
            }
    PlacementProblem& problem = small.problem;
    problem.accelerators = 1 + static_cast<std::int64_t>(below(below(4) == 0 ? 12 : 4));
    problem.microBatches = std::vector<std::int64_t>{1, 2, 3, 8, 17, 64}[below(6)];
    problem.memory = {amount(600) + 40};
    problem.bandwidth = {std::vector<double>{0.5, 5, 50}[below(3)]};
    problem.optimizerState = std::vector<double>{0, 1, 2}[below(3)];
    problem.recompute = below(2) == 0;
    for (const std::int64_t degree : {1, 2, 4}) {
        if (degree > 1 && below(2) == 0) continue;
        DegreeCosts costs{.degree = degree, .layers = {}, .edges = {}};
        const auto share = static_cast<double>(degree);
        for (std::size_t i = 0; i < small.graph.layers; ++i) {
            const bool sliced = below(3) > 0;
            const double part = sliced ? share : 1;
            costs.layers.push_back({.weights = {amount(60) / part},
                                    .activations = {amount(60) / part},
                                    .forward = {below(10) == 0 ? 0 : amount(10) / part},
                                    .backward = {amount(20) / part},
                                    .tensorParallel = sliced});
        }
        for (std::size_t e = 0; e < small.graph.edges.size(); ++e) costs.edges.push_back({amount(30)});
        problem.byDegree.push_back(costs);
    }
    if (problem.byDegree.size() > 1 && below(3) == 0) problem.byDegree.erase(problem.byDegree.begin());
    return small;
}

/// Every plan there is: every layer in every stage, as far as edges allow.
template <typename Visit>
void eachPipeline(const LayerGraph& graph, const Visit& visit) {
    std::vector<std::size_t> stageOf(graph.layers, 0);
    for (;;) {
        const std::size_t stages = *std::max_element(stageOf.begin(), stageOf.end()) + 1;
        std::vector<PlacedStage> pipeline(stages);
        for (std::size_t i = 0; i < graph.layers; ++i) pipeline[stageOf[i]].layers.push_back(i);
        bool valid = true;
        for (const PlacedStage& stage : pipeline) valid = valid && !stage.layers.empty();
        for (const LayerEdge& edge : graph.edges) valid = valid && stageOf[edge.from] <= stageOf[edge.to];
        if (valid) visit(pipeline);
        std::size_t i = 0;
        while (i < graph.layers && ++stageOf[i] == graph.layers) stageOf[i++] = 0;
        if (i == graph.layers) return;
    }
}

struct Known {
    double seconds = kInfinite;
    double memory = kInfinite;       ///< the least that fits, of plans with enough accelerators
    std::int64_t accelerators = -1;  ///< the least that fit the memory
    bool recompute = false;          ///< something fits when activations are recomputed
};

Known bestOfAll(const Small& small) {
    Known known;
    const PlacementProblem& problem = small.problem;
    PlacementProblem recomputing = problem;
    recomputing.recompute = true;
    eachPipeline(small.graph, [&](const std::vector<PlacedStage>& stages) {
        for (const DegreeCosts& costs : problem.byDegree) {
            Plan plan{.timePerBatch = {}, .tensorParallel = costs.degree, .data = 1, .stages = stages};
            plan = evaluate(small.graph, problem, plan);
            double memory = 0;
            for (const PlacedStage& stage : plan.stages) memory = std::max(memory, stage.memory.total().value);
            const std::int64_t accelerators = occupied(plan);
            if (accelerators <= problem.accelerators) known.memory = std::min(known.memory, memory);
            known.recompute = known.recompute || fits(evaluate(small.graph, recomputing, plan), recomputing);
            if (memory > problem.memory.value) continue;
            if (known.accelerators < 0 || accelerators < known.accelerators) known.accelerators = accelerators;
            for (std::int64_t d = 1; d <= std::min(problem.accelerators, problem.microBatches); ++d) {
                plan.data = d;
                plan = evaluate(small.graph, problem, plan);
                if (fits(plan, problem)) known.seconds = std::min(known.seconds, plan.timePerBatch.value);
            }
        }
    });
    return known;
}

TEST(Placement, isTheBestOfAllPlansOfSmallProblems) {
    std::size_t placed = 0, branching = 0, mixed = 0, stagesSeen = 0;
    for (unsigned seed = 0; seed < 1500; ++seed) {
        const Small small = smallProblem(seed);
        const Placer placer(small.graph);
        const Known known = bestOfAll(small);
        const Placement placement = placer.place(small.problem, {.explain = true});
        EXPECT_TRUE(placement.optimal) << seed;
        EXPECT_TRUE(placement.warnings.empty() || !placer.isPath()) << seed;
        ASSERT_EQ(placement.plan.has_value(), known.seconds < kInfinite) << seed;
        if (placement.plan) {
            EXPECT_EQ(placement.lowerBound, placement.plan->timePerBatch) << seed;
        }
        branching += placer.isPath() ? 0 : 1;
        if (placement.plan) {
            ++placed;
            const Plan& plan = *placement.plan;
            EXPECT_TRUE(close(plan.timePerBatch.value, known.seconds, 1e-12))
                << seed << ": " << plan.timePerBatch.value << " for " << known.seconds;
            EXPECT_TRUE(fits(plan, small.problem)) << seed;
            stagesSeen = std::max(stagesSeen, plan.stages.size());
            std::set<std::int64_t> needs;
            for (const PlacedStage& stage : plan.stages) needs.insert(stage.accelerators);
            mixed += needs.size() > 1 ? 1 : 0;
            continue;
        }
        const Shortage& shortage = placement.shortage.value();
        EXPECT_EQ(shortage.closest.has_value(), known.memory < kInfinite) << seed;
        if (known.memory < kInfinite) {
            EXPECT_TRUE(close(shortage.memory.value().value, known.memory, 1e-12)) << seed;
            EXPECT_EQ(shortage.recompute, known.recompute && !small.problem.recompute) << seed;
        }
        EXPECT_EQ(shortage.accelerators.value_or(-1), known.accelerators) << seed;
    }
    // Of everything there is enough.
    EXPECT_GT(placed, 600U);
    EXPECT_LT(placed, 1300U);
    EXPECT_GT(branching, 300U);
    EXPECT_GT(mixed, 20U);
    EXPECT_GE(stagesSeen, 4U);
}

TEST(Placement, ofDegreesIsTheBestOfAllPlansThatHaveThem) {
    struct Best {
        double seconds = kInfinite;
        double memory = kInfinite;  ///< the least of a fullest stage, of plans with enough accelerators
    };
    std::size_t placed = 0, full = 0, crowded = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
        const Small small = smallProblem(seed);
        const PlacementProblem& problem = small.problem;
        const std::int64_t replicas = std::min<std::int64_t>(problem.microBatches, 5);
        std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Best> known;
        eachPipeline(small.graph, [&](const std::vector<PlacedStage>& stages) {
            for (const DegreeCosts& costs : problem.byDegree)
                for (std::int64_t d = 1; d <= replicas; ++d) {
                    Best& best = known[{static_cast<std::int64_t>(stages.size()), costs.degree, d}];
                    const Plan plan =
                        evaluate(small.graph, problem,
                                 {.timePerBatch = {}, .tensorParallel = costs.degree, .data = d, .stages = stages});
                    EXPECT_EQ(misfitOf(problem, plan).empty(), fits(plan, problem)) << seed;
                    if (occupied(plan) > problem.accelerators / d) continue;
                    double memory = 0;
                    for (const PlacedStage& stage : plan.stages) memory = std::max(memory, stage.memory.total().value);
                    best.memory = std::min(best.memory, memory);
                    if (fits(plan, problem)) best.seconds = std::min(best.seconds, plan.timePerBatch.value);
                }
        });
        const Placer placer(small.graph);
        for (const auto& [degrees, best] : known) {
            const auto [pipeline, tensor, data] = degrees;
            const Placement made = placer.place(
                problem,
                {.degrees = Degrees{.pipeline = pipeline, .tensorParallel = tensor, .data = data}, .explain = true});
            ASSERT_EQ(made.plan.has_value(), best.seconds < kInfinite) << seed;
            if (made.plan) {
                ++placed;
                EXPECT_TRUE(close(made.plan->timePerBatch.value, best.seconds, 1e-12)) << seed;
                EXPECT_EQ(static_cast<std::int64_t>(made.plan->stages.size()), pipeline) << seed;
                EXPECT_EQ(made.plan->tensorParallel, tensor) << seed;
                EXPECT_EQ(made.plan->data, data) << seed;
                EXPECT_EQ(misfitOf(problem, *made.plan), "") << seed;
                continue;
            }
            const Shortage& shortage = made.shortage.value();
            EXPECT_EQ(shortage.closest.has_value(), best.memory < kInfinite) << seed;
            EXPECT_FALSE(shortage.reason.empty()) << seed;
            if (shortage.closest) {
                EXPECT_TRUE(close(shortage.memory.value().value, best.memory, 1e-12)) << seed;
            }
            (shortage.closest ? full : crowded) += 1;
        }
        // The degrees of the fastest plan give its time, and its stages all of its digits.
        const Placement fastest = placer.place(problem, {});
        if (!fastest.plan) continue;
        const Plan& plan = *fastest.plan;
        EXPECT_EQ(evaluate(small.graph, problem, plan).timePerBatch, plan.timePerBatch) << seed;
        const Placement recomputing =
            placer.place(problem, {.degrees = Degrees{.pipeline = static_cast<std::int64_t>(plan.stages.size()),
                                                      .tensorParallel = plan.tensorParallel,
                                                      .data = plan.data}});
        ASSERT_TRUE(recomputing.plan) << seed;
        EXPECT_TRUE(close(recomputing.plan->timePerBatch.value, plan.timePerBatch.value, 1e-14)) << seed;
    }
    EXPECT_GT(placed, 500U);
    EXPECT_GT(full, 100U);
    EXPECT_GT(crowded, 100U);
}

/// The same layers in a pipeline whose transfers run beside computation.
Small steadyProblem(unsigned seed) {
    Small small = smallProblem(seed);
    std::mt19937 random(seed + 77);
    PlacementProblem& problem = small.problem;
    problem.recompute = false;
    problem.beside = {static_cast<double>(random() % 40)};
    const std::int64_t most = std::min(problem.microBatches, problem.accelerators);
    SteadyPipeline steady{.replicas = 1 + static_cast<std::int64_t>(random() % 3)};
    steady.replicas = std::min(steady.replicas, most);
    for (double sum = 0; steady.filling.size() < 3; sum += static_cast<double>(random() % 20))
        steady.filling.push_back({sum});
    problem.steady = steady;
    for (DegreeCosts& costs : problem.byDegree)
        for (LayerCosts& layer : costs.layers) layer.update = {static_cast<double>(random() % 40)};
    return small;
}

TEST(Placement, ofSteadyPipelinesIsTheBestOfAllPlans) {
    std::size_t placed = 0, manyStages = 0, full = 0, crowded = 0;
    for (unsigned seed = 0; seed < 1500; ++seed) {
        const Small small = steadyProblem(seed);
        const PlacementProblem& problem = small.problem;
        const std::int64_t replicas = problem.steady->replicas;
        double seconds = kInfinite, memory = kInfinite;
        std::int64_t accelerators = -1;
        eachPipeline(small.graph, [&](const std::vector<PlacedStage>& stages) {
            for (const DegreeCosts& costs : problem.byDegree) {
                const Plan plan =
                    evaluate(small.graph, problem,
                             {.timePerBatch = {}, .tensorParallel = costs.degree, .data = replicas, .stages = stages});
                double fullest = 0;
                for (const PlacedStage& stage : plan.stages) fullest = std::max(fullest, stage.memory.total().value);
                const std::int64_t all = replicas * occupied(plan);
                if (all <= problem.accelerators) memory = std::min(memory, fullest);
                if (fullest <= problem.memory.value && (accelerators < 0 || all < accelerators)) accelerators = all;
                if (fits(plan, problem)) seconds = std::min(seconds, plan.timePerBatch.value);
            }
        });
        const Placement placement = Placer(small.graph).place(problem, {.explain = true});
        ASSERT_EQ(placement.plan.has_value(), seconds < kInfinite) << seed;
        if (placement.plan) {
            ++placed;
            const Plan& plan = *placement.plan;
            manyStages += plan.stages.size() > 2 ? 1 : 0;
            EXPECT_TRUE(close(plan.timePerBatch.value, seconds, 1e-12)) << seed;
            EXPECT_EQ(plan.data, replicas) << seed;
            EXPECT_EQ(misfitOf(problem, plan), "") << seed;
            continue;
        }
        const Shortage& shortage = placement.shortage.value();
        (shortage.closest ? full : crowded) += 1;
        EXPECT_EQ(shortage.closest.has_value(), memory < kInfinite) << seed;
        if (shortage.closest) {
            EXPECT_TRUE(close(shortage.memory.value().value, memory, 1e-12)) << seed;
        }
        EXPECT_EQ(shortage.accelerators.value_or(-1), accelerators) << seed;
    }
    EXPECT_GT(placed, 500U);
    EXPECT_GT(manyStages, 50U);
    EXPECT_GT(full, 100U);
    EXPECT_GT(crowded, 5U);
}

TEST(Placement, ofASteadyPipelineAddsUpAsItIsDefined) {
    const LayerGraph graph{.layers = 3, .edges = {{0, 1}, {1, 2}}};
    const auto layer = [](double forward, double backward, double update) {
        return LayerCosts{
            .weights = {10}, .activations = {4}, .forward = {forward}, .backward = {backward}, .update = {update}};
    };
    PlacementProblem problem;
    problem.byDegree = {
        {.degree = 1, .layers = {layer(1, 2, 7), layer(2, 4, 1), layer(1, 1, 1)}, .edges = {{1e6}, {1e6}}}};
    problem.accelerators = 8;
    problem.microBatches = 12;
    problem.memory = {1000};
    problem.bandwidth = {1};  // no message is waited for
    problem.beside = {5};
    problem.steady = SteadyPipeline{.replicas = 4, .filling = {{0.5}, {3}}};
    const auto stageOf = [](std::vector<std::size_t> layers) {
        PlacedStage stage;
        stage.layers = std::move(layers);
        return stage;
    };
    const Plan plan =
        evaluate(graph, problem,
                 {.timePerBatch = {}, .tensorParallel = 1, .data = 4, .stages = {stageOf({0}), stageOf({1, 2})}});
    // Three micro-batches of a replica: two of the slower stage, which takes 8, and its update; then one of both.
    EXPECT_DOUBLE_EQ(plan.timePerBatch.value, (2 * 8 + 2) + (3 + 8) + 3);
    EXPECT_DOUBLE_EQ(plan.stages[0].memory.total().value, 2 * 10 + 4 + 4 + 5);
    EXPECT_DOUBLE_EQ(plan.stages[1].memory.total().value, 2 * 20 + 8 + 5);
    // One micro-batch of a replica: nothing is in flight, the longer update decides.
    problem.microBatches = 4;
    const Plan once = evaluate(graph, problem, plan);
    EXPECT_DOUBLE_EQ(once.timePerBatch.value, 7 + (3 + 8) + 3);
    EXPECT_DOUBLE_EQ(once.stages[0].memory.total().value, 2 * 10 + 4 + 5);
    Plan other = plan;
    other.data = 2;
    EXPECT_THROW(evaluate(graph, problem, other), UsageError);
    problem.recompute = true;
    EXPECT_THROW(Placer(graph).place(problem), UsageError);
}

TEST(Placement, ofDegreesOfThePublishedCasesIsTheirsOrBetter) {
    std::size_t compared = 0;
    for (const codesign::cases::OracleCase& known : codesign::cases::oracleCases()) {
        if (!known.plan) continue;
        const Degrees degrees{.pipeline = static_cast<std::int64_t>(known.plan->stages.size()),
                              .tensorParallel = known.plan->tensorParallel,
                              .data = known.plan->data};
        const Placement made = Placer(known.file.graph).place(known.file.problem, {.degrees = degrees});
        ASSERT_TRUE(made.plan) << known.name;
        EXPECT_TRUE(close(made.plan->timePerBatch.value, *known.seconds, 1e-9)) << known.name;
        ++compared;
    }
    EXPECT_EQ(compared, 50U);
}

TEST(PlanTable, hasTheFastestPlanOfAllNumbersOfStagesAndReplicas) {
    std::size_t placed = 0, full = 0, crowded = 0;
    for (unsigned seed = 0; seed < 600; ++seed) {
        const Small small = seed % 2 == 0 ? smallProblem(seed) : steadyProblem(seed);
        const Placer placer(small.graph);
        for (const DegreeCosts& costs : small.problem.byDegree) {
            PlacementProblem problem = small.problem;
            problem.byDegree = {costs};
            PlanTable table(placer, problem);
            EXPECT_TRUE(table.hasAll());
            const std::int64_t first = problem.steady ? problem.steady->replicas : 1;
            const std::int64_t last = problem.steady ? first : std::min<std::int64_t>(problem.microBatches, 4);
            for (std::int64_t data = first; data <= last; ++data)
                for (std::int64_t stages = 1; stages <= static_cast<std::int64_t>(small.graph.layers); ++stages) {
                    const Degrees degrees{.pipeline = stages, .tensorParallel = costs.degree, .data = data};
                    const Placement known = placer.place(problem, {.degrees = degrees, .explain = true});
                    const auto fastest = table.fastest(stages, data);
                    const std::optional<Plan> plan = table.plan(stages, data);
                    ASSERT_EQ(plan.has_value(), known.plan.has_value()) << seed;
                    ASSERT_EQ(fastest.has_value(), known.plan.has_value()) << seed;
                    const std::optional<Plan> leanest = table.leanest(stages, data);
                    if (plan) {
                        ++placed;
                        EXPECT_TRUE(close(plan->timePerBatch.value, known.plan->timePerBatch.value, 1e-12)) << seed;
                        EXPECT_TRUE(close(fastest->time.value, plan->timePerBatch.value, 1e-12)) << seed;
                        EXPECT_EQ(fastest->accelerators, data * occupied(*plan)) << seed;
                        EXPECT_EQ(misfitOf(problem, *plan), "") << seed;
                        EXPECT_TRUE(leanest && fits(*leanest, problem)) << seed;
                        continue;
                    }
                    EXPECT_EQ(leanest.has_value(), known.shortage->closest.has_value()) << seed;
                    (leanest ? full : crowded) += 1;
                    if (!leanest) continue;
                    double memory = 0;
                    for (const PlacedStage& stage : leanest->stages)
                        memory = std::max(memory, stage.memory.total().value);
                    EXPECT_TRUE(close(memory, known.shortage->memory->value, 1e-12)) << seed;
                }
            EXPECT_FALSE(table.plan(0, first) || table.plan(1, problem.microBatches + 1) ||
                         table.plan(static_cast<std::int64_t>(small.graph.layers) + 1, first))
                << seed;
        }
    }
    EXPECT_GT(placed, 1000U);
    EXPECT_GT(full, 300U);
    EXPECT_GT(crowded, 300U);
    PlacementProblem several = smallProblem(3).problem;
    several.byDegree.push_back(several.byDegree.front());
    EXPECT_THROW(PlanTable(Placer(smallProblem(3).graph), several), UsageError);
}

TEST(Placement, refusesDegreesThatAreNone) {
    const Small small = smallProblem(3);
    const Placer placer(small.graph);
    const auto refusal = [&](const Degrees& degrees) {
        try {
            placer.place(small.problem, {.degrees = degrees});
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    const std::int64_t tensor = small.problem.byDegree.front().degree;
    EXPECT_THAT(refusal({1, 3, 1}),
                HasSubstr("the plan has a tensor-parallel degree of 3, of which there are no costs"));
    EXPECT_THAT(refusal({99, tensor, 1}), HasSubstr("the plan has 99 stages for"));
    EXPECT_THAT(refusal({-1, tensor, 1}), HasSubstr("the plan has -1 stages for"));
    EXPECT_THAT(refusal({1, tensor, 1'000'000}), HasSubstr("the plan has 1000000 replicas for"));
}

TEST(Placement, isTheBestOfAllPlansWhereLayersRunInARow) {
    std::size_t placed = 0, slower = 0;
    for (unsigned seed = 0; seed < 1500; ++seed) {
        Small small = smallProblem(seed);
        const Placer placer(small.graph);
        const Placement beside = placer.place(small.problem);
        small.problem.serialBranches = true;
        const Known known = bestOfAll(small);
        const Placement placement = placer.place(small.problem, {.explain = true});
        EXPECT_TRUE(placement.optimal && placement.warnings.empty()) << seed;
        ASSERT_EQ(placement.plan.has_value(), known.seconds < kInfinite) << seed;
        if (!placement.plan) continue;
        ++placed;
        EXPECT_TRUE(close(placement.plan->timePerBatch.value, known.seconds, 1e-12))
            << seed << ": " << placement.plan->timePerBatch.value << " for " << known.seconds;
        ASSERT_TRUE(beside.plan) << seed;
        slower += placement.plan->timePerBatch > beside.plan->timePerBatch * (1 + 1e-9) ? 1 : 0;
        // No stage takes less than all of its layers.
        for (std::size_t s = 0; s < placement.plan->stages.size(); ++s) {
            const PlacedStage& stage = placement.plan->stages[s];
            Seconds work;
            for (const DegreeCosts& costs : small.problem.byDegree)
                for (const std::size_t layer : stage.layers)
                    if (costs.degree == placement.plan->tensorParallel)
                        work += costs.layers[layer].forward + costs.layers[layer].backward;
            EXPECT_GE(stage.load.value, work.value * (1 - 1e-12)) << seed;
        }
    }
    EXPECT_GT(placed, 600U);
    EXPECT_GT(slower, 150U);
}

TEST(Placement, hasALowerBoundWhereNotAllCutsAreCompared) {
    std::size_t heuristic = 0;
    for (unsigned seed = 0; seed < 1500; ++seed)
        for (const bool serial : {false, true}) {
            Small small = smallProblem(seed);
            small.problem.serialBranches = serial;
            const Placer placer(small.graph, small.graph.layers + 1);
            if (placer.allCuts()) continue;
            const Placement placement = placer.place(small.problem);
            EXPECT_FALSE(placement.optimal) << seed;
            if (!placement.plan) continue;
            ++heuristic;
            const Known known = bestOfAll(small);
            EXPECT_GT(placement.lowerBound.value, 0) << seed;
            EXPECT_LE(placement.lowerBound.value, known.seconds * (1 + 1e-12)) << seed;
            EXPECT_GE(placement.plan->timePerBatch.value, known.seconds * (1 - 1e-12)) << seed;
        }
    EXPECT_GT(heuristic, 100U);
}

TEST(Placement, saysWhereAStageIsFasterThanItsLayersInARow) {
    LayerGraph graph{.layers = 3, .edges = {{0, 2}, {1, 2}}};
    PlacementProblem problem{
        .byDegree = {{.degree = 1,
                      .layers = {{.weights = {1}, .activations = {1}, .forward = {2}, .backward = {4}},
                                 {.weights = {1}, .activations = {1}, .forward = {2}, .backward = {4}},
                                 {.weights = {1}, .activations = {1}, .forward = {1}, .backward = {1}}},
                      .edges = {{1}, {1}}}},
        .accelerators = 1,
        .microBatches = 1,
        .memory = {100},
        .bandwidth = {1e9}};
    const Placement beside = Placer(graph).place(problem, {.explain = true});
    EXPECT_EQ(beside.plan->timePerBatch, Seconds{8});
    EXPECT_EQ(beside.warnings,
              std::vector<std::string>{
                  "1 of the 1 stages is faster than all of their layers one after the other would be, by up to 1.75 "
                  "times: layers that do not depend on each other are counted as if they ran at the same time at full "
                  "speed. '--branches serial' counts them one after the other."});
    problem.serialBranches = true;
    const Placement row = Placer(graph).place(problem, {.explain = true});
    EXPECT_EQ(row.plan->timePerBatch, Seconds{14});
    EXPECT_TRUE(row.warnings.empty());
}

TEST(Placement, triesEveryNumberOfReplicas) {
    std::set<std::int64_t> counts;
    for (unsigned seed = 0; seed < 60; ++seed) {
        Small small = smallProblem(seed);
        if (small.graph.layers > 3) continue;
        // From synchronising that costs nothing to synchronising that costs more than it brings.
        small.problem.bandwidth = {std::vector<double>{1e-3, 1e-2, 1, 100}[seed % 4]};
        small.problem.accelerators = 500 + 31 * seed;
        small.problem.microBatches = 300 + 77 * seed;
        const Placement placement = Placer(small.graph).place(small.problem);
        const Known known = bestOfAll(small);
        ASSERT_EQ(placement.plan.has_value(), known.seconds < kInfinite) << seed;
        if (!placement.plan) continue;
        EXPECT_TRUE(close(placement.plan->timePerBatch.value, known.seconds, 1e-12)) << seed;
        counts.insert(placement.plan->data);
    }
    EXPECT_GT(counts.size(), 10U);
    EXPECT_TRUE(counts.contains(1));

    Small large = smallProblem(1);
    large.problem.accelerators = 1'000'000'000;
    large.problem.microBatches = 1'000'000'000;
    large.problem.memory = {1e9};
    EXPECT_TRUE(Placer(large.graph).place(large.problem).plan);
}

TEST(Placement, fitsWhereItSaysThatItWould) {
    for (unsigned seed = 0; seed < 1500; ++seed) {
        Small small = smallProblem(seed);
        const Placer placer(small.graph);
        const Placement nothing = placer.place(small.problem, {.explain = true});
        if (nothing.plan || !nothing.shortage->memory) continue;
        PlacementProblem larger = small.problem;
        larger.memory = *nothing.shortage->memory * (1 + 1e-12);
        EXPECT_TRUE(placer.place(larger).plan) << seed;
        larger.memory = *nothing.shortage->memory * (1 - 1e-9);
        EXPECT_FALSE(placer.place(larger).plan) << seed;
        if (nothing.shortage->accelerators) {
            PlacementProblem more = small.problem;
            more.accelerators = *nothing.shortage->accelerators;
            EXPECT_TRUE(placer.place(more).plan) << seed;
            --more.accelerators;
            EXPECT_TRUE(more.accelerators == 0 || !placer.place(more).plan) << seed;
        }
    }
}

TEST(Placement, looksOnlyForWhatIsFaster) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        const Small small = smallProblem(seed);
        const Placer placer(small.graph);
        const Placement best = placer.place(small.problem);
        if (!best.plan) continue;
        const Seconds time = best.plan->timePerBatch;
        EXPECT_EQ(placer.place(small.problem, {.fasterThan = time * (1 + 1e-9)}).plan, best.plan) << seed;
        const Placement none = placer.place(small.problem, {.fasterThan = time * (1 - 1e-9), .explain = true});
        EXPECT_FALSE(none.plan || none.shortage) << seed;
    }
}

/// Two chains of layers, side by side.
Small sideBySide(std::size_t length) {
    Small small;
    small.graph.layers = 2 * length;
    DegreeCosts costs{.degree = 1, .layers = {}, .edges = {}};
    for (std::size_t i = 0; i < 2 * length; ++i) {
        costs.layers.push_back({.weights = {10},
                                .activations = {20},
                                .forward = {1.0 + static_cast<double>(i % 3)},
                                .backward = {2},
                                .tensorParallel = false});
        if (i % length == 0) continue;
        small.graph.edges.push_back({i - 1, i});
        costs.edges.push_back({1});
    }
    small.problem = {.byDegree = {costs},
                     .accelerators = 8,
                     .microBatches = 16,
                     .memory = {400},
                     .bandwidth = {10},
                     .optimizerState = 0,
                     .recompute = true};
    return small;
}

TEST(Placement, saysWhereAGraphHasTooManyCuts) {
    const Small small = sideBySide(9);
    const Placer all(small.graph, 100);
    EXPECT_EQ(all.cuts(), 100U);
    EXPECT_TRUE(all.allCuts());
    const Placement best = all.place(small.problem);
    EXPECT_TRUE(best.optimal && best.warnings.empty());

    const Placer some(small.graph, 99);
    EXPECT_EQ(some.cuts(), 19U);
    EXPECT_FALSE(some.allCuts());
    const Placement good = some.place(small.problem);
    EXPECT_FALSE(good.optimal);
    ASSERT_EQ(good.warnings.size(), 1U);
    EXPECT_THAT(good.warnings[0], HasSubstr("too many ways to compare them all"));
    ASSERT_TRUE(best.plan && good.plan);
    EXPECT_EQ(evaluate(small.graph, small.problem, *good.plan), *good.plan);
    EXPECT_TRUE(fits(*good.plan, small.problem));
    EXPECT_LT(best.plan->timePerBatch, good.plan->timePerBatch);
}

TEST(Placement, takesAllCutsUpToTheLimit) {
    EXPECT_TRUE(Placer(sideBySide(199).graph).allCuts());
    EXPECT_EQ(Placer(sideBySide(199).graph).cuts(), 40'000U);
    EXPECT_FALSE(Placer(sideBySide(200).graph).allCuts());
}

TEST(Placement, aWideGraphDoesNotExhaustMemory) {
    const Placer placer(LayerGraph{.layers = 4096, .edges = {}});
    EXPECT_FALSE(placer.allCuts());
    EXPECT_EQ(placer.cuts(), 4097U);
}

TEST(Placement, namesWhatBreaks) {
    Small small;
    small.graph = {.layers = 2, .edges = {{0, 1}}};
    small.problem = {
        .byDegree = {{.degree = 1,
                      .layers = {{.weights = {10e9}, .activations = {4e9}, .forward = {1}, .backward = {2}},
                                 {.weights = {10e9}, .activations = {4e9}, .forward = {1}, .backward = {2}}},
                      .edges = {{1e6}}}},
        .accelerators = 8,
        .microBatches = 8,
        .memory = {26e9},
        .bandwidth = {1e9}};
    const auto reason = [&] { return Placer(small.graph).place(small.problem, {.explain = true}).shortage->reason; };
    EXPECT_EQ(reason(),
              "no plan fits: the one of least memory needs 28 GB for stage 1 of 2 and an accelerator has 26 GB, 2 GB "
              "too little because of what is kept for micro-batches in flight (weights and gradients 20 GB, optimizer "
              "state 0 B, activations 4 GB, 1 micro-batch in flight 4 GB); it would fit with 28 GB of memory or "
              "recomputed activations");
    small.problem.recompute = true;
    EXPECT_TRUE(Placer(small.graph).place(small.problem).plan);
    small.problem.accelerators = 1;
    EXPECT_THAT(reason(), HasSubstr("stage 1 of 1 and an accelerator has 26 GB, 22 GB too little because of weights "
                                    "and gradients"));
    EXPECT_THAT(reason(), HasSubstr("it would fit with 48 GB of memory or 2 accelerators"));
    small.problem.byDegree[0].degree = 4;
    for (LayerCosts& layer : small.problem.byDegree[0].layers) layer.tensorParallel = true;
    EXPECT_EQ(reason(), "no plan fits: the smallest tensor-parallel degree occupies 4 accelerators and there is 1");
}

TEST(Placement, refusesWhatIsNoProblem) {
    EXPECT_THROW(Placer(LayerGraph{}), UsageError);
    EXPECT_THROW(Placer(LayerGraph{.layers = 2, .edges = {{0, 2}}}), UsageError);
    EXPECT_THROW(Placer(LayerGraph{.layers = 2, .edges = {{0, 1}, {1, 0}}}), UsageError);
    const Small small = smallProblem(1);
    const Placer placer(small.graph);
    const auto refused = [&](const auto& change) {
        PlacementProblem problem = small.problem;
        change(problem);
        EXPECT_THROW(placer.place(problem), UsageError);
    };
    refused([](PlacementProblem& problem) { problem.byDegree.clear(); });
    refused([](PlacementProblem& problem) { problem.accelerators = 0; });
    refused([](PlacementProblem& problem) { problem.microBatches = 0; });
    refused([](PlacementProblem& problem) { problem.bandwidth = {0}; });
    refused([](PlacementProblem& problem) { problem.memory = {kInfinite}; });
    refused([](PlacementProblem& problem) { problem.byDegree[0].layers[0].forward = {-1}; });
    refused([](PlacementProblem& problem) { problem.byDegree[0].layers.pop_back(); });
    Plan plan = placer.place(small.problem).plan.value();
    plan.stages.front().layers.pop_back();
    EXPECT_THROW(evaluate(small.graph, small.problem, plan), UsageError);
}

TEST(Placement, stopsWhenAsked) {
    std::stop_source source;
    source.request_stop();
    const Small small = sideBySide(50);
    EXPECT_THROW(Placer(small.graph, Placer::kMaxCuts, {.cancel = source.get_token()}), InterruptedError);
    PlacementProblem problem = small.problem;
    problem.accelerators = 100;
    EXPECT_TRUE(Placer(small.graph).place(problem).plan);
    EXPECT_THROW(Placer(small.graph).place(problem, {}, {.cancel = source.get_token()}), InterruptedError);
}

TEST(Placement, threadsShareAPlacer) {
    const Small small = sideBySide(9);
    const Placer placer(small.graph);
    const Placement expected = placer.place(small.problem);
    std::vector<std::optional<Plan>> plans(4);
    {
        std::vector<std::jthread> threads;
        for (std::optional<Plan>& plan : plans) threads.emplace_back([&] { plan = placer.place(small.problem).plan; });
    }
    for (const std::optional<Plan>& plan : plans) EXPECT_EQ(plan, expected.plan);
}

}  // namespace

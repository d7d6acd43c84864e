#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/physical/transformer.h"
#include "core/plan/search.h"
#include "tests/core/plan/problems.h"

namespace tessera::plan {

/// A problem whose space can be tried out, and what is asked of it.
struct RandomPlan {
    Problem problem;
    Space space;
    SearchOptions options;
};

inline physical::TrainingRun randomRun(PlanRandom& random) {
    const int heads = random.oneOf(std::vector{2, 3, 4, 6, 8, 12});
    const int keys = random.isOneOf(2) ? heads : (heads % 2 == 0 ? heads / 2 : 1);
    std::map<std::string, std::string, std::less<>> dims{
        {"layers", std::to_string(random.within(1, 7))},
        {"hidden", std::to_string(heads * 128 * random.within(1, 4))},
        {"heads", std::to_string(heads)},
        {"kv_heads", std::to_string(keys)},
        {"ffn", std::to_string(512 * random.within(2, 24))},
        {"sequence", std::to_string(random.oneOf(std::vector{256, 512, 768, 1024, 4096}))},
        {"vocabulary", std::to_string(random.oneOf(std::vector{1000, 32000, 128256, 500000}))}};
    std::string model = random.oneOf(std::vector<std::string>{"zoo:gpt", "zoo:llama", "zoo:llama"});
    if (random.isOneOf(4)) {
        model = "zoo:moe";
        dims.insert({{"experts", std::to_string(random.oneOf(std::vector{2, 3, 4}))},
                     {"experts_per_token", std::to_string(random.within(1, 2))},
                     {"expert_ffn", "1024"}});
    }
    return planRun(model, std::move(dims),
                   random.oneOf(std::vector<std::string>{"Megatron-LM", "torchtitan", "PyTorch", "NeMo"}));
}

inline hardware::Group randomGroup(PlanRandom& random, int most) {
    static const std::vector<std::string> kNames{"h100", "h200", "a100", "a100-40gb", "v100", "l4", "mi300x", "b200"};
    const int count = random.isOneOf(5) ? random.within(most / 2 + 1, most) : random.within(1, most / 2);
    return planGroup(random.oneOf(kNames), count, random.oneOf(std::vector{1, 2, 4, 8}),
                     std::pow(10, random.between(9, 10.7)));
}

/// Memory that holds some of the configurations: from a share of what training takes to a few times that.
inline void setRandomMemory(PlanRandom& random, PlanGroup& group) {
    constexpr double kBytes = 18;
    const double all = kBytes * physical::parametersOf(group.variants.front().setting.model).total;
    double most = 0;
    for (const GroupVariant& variant : group.variants) most = std::max(most, variant.allowance);
    setMemory(group, most + all * std::pow(10, random.between(-1.3, 0.7)));
}

/// Narrows some axes, so that brute force ends.
inline void narrowAtRandom(PlanRandom& random, Space& space, const Problem& problem) {
    const auto set = [&](Axis axis, std::vector<int> values) {
        space.axes[static_cast<std::size_t>(axis)].values = std::move(values);
    };
    // Not alike on all stages is free nowhere.
    if (!random.isOneOf(3)) set(Axis::recompute, {random.below(4)});
    if (random.isOneOf(4)) set(Axis::recompute, random.isOneOf(2) ? std::vector{0, 3} : std::vector{0, 1, 2, 3});
    if (random.isOneOf(6)) set(Axis::order, {random.below(2)});
    if (random.isOneOf(6)) set(Axis::expertTensor, random.isOneOf(2) ? std::vector{1} : std::vector{2, 4});
    if (!random.isOneOf(3)) set(Axis::zero, random.isOneOf(2) ? std::vector{0, 1} : std::vector{random.below(4)});
    if (random.isOneOf(3)) set(Axis::context, {1, 2});
    if (random.isOneOf(3)) set(Axis::micro, {1, 2, 3});
    if (random.isOneOf(4)) set(Axis::tensor, {1, 2, 4});
    if (random.isOneOf(6)) set(Axis::pipeline, {random.within(1, problem.layers())});
    if (random.isOneOf(6)) set(Axis::data, {1, 2, 4});
    if (random.isOneOf(8)) set(Axis::chunks, {1, 2});
    if (random.isOneOf(8)) set(Axis::group, {random.below(static_cast<int>(problem.groups.size()))});
    if (!random.isOneOf(3)) return;
    std::vector<int> schedules;
    for (int schedule = 0; schedule < 8; ++schedule)
        if (random.isOneOf(3)) schedules.push_back(schedule);
    set(Axis::schedule, schedules);
}

inline Problem randomProblem(PlanRandom& random) {
    std::vector<hardware::Group> groups;
    // Three groups share more ways than brute force ends with.
    const int count = random.isOneOf(4) ? 3 : random.within(1, 2);
    const bool isMany = count > 2;
    for (int n = count; n > 0; --n) groups.push_back(randomGroup(random, isMany ? 6 : 12));
    std::vector<std::string> dtypes{"bf16"};
    if (random.isOneOf(6)) dtypes.emplace_back("fp16");
    Problem problem = problemOf(planFleet(std::move(groups), std::pow(10, random.between(8.7, 10.7))),
                                randomRun(random), random.within(1, isMany ? 6 : 10), dtypes);
    for (PlanGroup& group : problem.groups) {
        setRandomMemory(random, group);
        group.pricePerHour.reset();
        if (!random.isOneOf(6)) group.pricePerHour = random.between(0.5, 12);
    }
    return problem;
}

inline RandomPlan randomPlan(PlanRandom& random) {
    RandomPlan plan{.problem = randomProblem(random), .space = {}, .options = {}};
    narrowAtRandom(random, plan.space, plan.problem);
    plan.options.objective = static_cast<Objective>(random.below(static_cast<int>(kObjectives)));
    plan.options.top = static_cast<std::size_t>(random.isOneOf(3) ? random.within(1, 3) : random.within(4, 20));
    const int first = random.below(static_cast<int>(kObjectives)), away = random.within(1, 4);
    plan.options.front = {static_cast<Objective>(first), static_cast<Objective>((first + away) % 5)};
    return plan;
}

}  // namespace tessera::plan

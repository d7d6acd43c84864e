#include "core/predict/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/text.h"

namespace tessera::predict {

namespace {

struct CategoryRow {
    std::string_view id, title;
};
constexpr std::array<CategoryRow, kCategories> kRows{{
    {"input_output", "inputs and activations"},
    {"weights", "weights and biases"},
    {"gradients", "gradients and optimizer state"},
    {"algorithm", "master copies"},
    {"ephemeral", "workspaces and buffers"},
}};

}  // namespace

std::string_view idOf(Category category) {
    return kRows.at(slotOf(category)).id;
}

std::string_view titleOf(Category category) {
    return kRows.at(slotOf(category)).title;
}

double sumOf(const CategoryBytes& bytes) {
    double sum = 0;
    for (const double part : bytes) sum += part;
    return sum;
}

// Live ranges ---------------------------------------------------------------------------------------------------------

LiveRanges::LiveRanges(const Workload& workload, Scores scores) {
    walk(workload, nullptr, 0, scores);
}

LiveRanges::LiveRanges(const Workload& workload, const std::vector<std::int32_t>& stages, std::int32_t stage,
                       Scores scores) {
    walk(workload, &stages, stage, scores);
}

void LiveRanges::walk(const Workload& workload, const std::vector<std::int32_t>* stages, std::int32_t stage,
                      Scores scores) {
    // Sums of exact integers: what is added at a birth and taken away behind a death leaves no rounding.
    live_.resize(workload.operators.size() + 1);
    for (const StepTensor& tensor : workload.tensors) {
        if (tensor.isScore && scores == Scores::madeAgain) continue;
        if (stages != nullptr && tensor.source >= 0 && (*stages)[static_cast<std::size_t>(tensor.source)] != stage)
            continue;
        const std::size_t category = slotOf(tensor.category);
        live_[static_cast<std::size_t>(tensor.birth)][category] += tensor.bytes;
        live_[static_cast<std::size_t>(tensor.death) + 1][category] += {-tensor.bytes.fixed, -tensor.bytes.perSample};
    }
    for (std::size_t i = 1; i < live_.size(); ++i)
        for (std::size_t category = 0; category < kCategories; ++category) live_[i][category] += live_[i - 1][category];
    live_.pop_back();
}

Demand LiveRanges::peak(double batch) const {
    Demand max;
    double largest = -1;
    for (std::size_t i = 0; i < live_.size(); ++i) {
        double sum = 0;
        for (const Affine& bytes : live_[i]) sum += bytes.at(batch);
        if (sum <= largest) continue;
        largest = sum;
        max.at = static_cast<std::int32_t>(i);
    }
    if (max.at < 0) return max;
    for (std::size_t category = 0; category < kCategories; ++category)
        max.bytes[category] = live_[static_cast<std::size_t>(max.at)][category].at(batch);
    return max;
}

// The closed form -----------------------------------------------------------------------------------------------------

CategoryBytes closedForm(double inputElements, double outputElements, double largestLayerElements, double parameters,
                         double batch, const Precision& precision, std::size_t states) {
    CategoryBytes bytes{};
    bytes[slotOf(Category::inputOutput)] = precision.bytes * batch * (inputElements + outputElements);
    bytes[slotOf(Category::weights)] = precision.bytes * parameters;
    bytes[slotOf(Category::gradients)] = precision.bytes * parameters +
                                         kStateBytes * static_cast<double>(states) * parameters +
                                         precision.bytes * batch * largestLayerElements;
    bytes[slotOf(Category::algorithm)] = precision.master ? kStateBytes * parameters : 0;
    return bytes;
}

CategoryBytes closedForm(const Workload& workload, double batch) {
    return closedForm(workload.layerInput, workload.layerOutput, workload.largestLayer, workload.parameters, batch,
                      workload.precision, model::optimizerKind(workload.optimizer).states);
}

const std::vector<MemoryModel>& memoryModels() {
    static const std::vector<MemoryModel> kModels{
        {"live-ranges", "the most that is live at one moment of the step",
         [](const Workload& /*workload*/, const LiveRanges& live, double batch) { return live.peak(batch); }},
        {"closed-form", "all inputs and outputs at once, and the largest gradient of an activation",
         [](const Workload& workload, const LiveRanges& /*live*/, double batch) {
             return Demand{.bytes = closedForm(workload, batch), .at = -1};
         }},
    };
    return kModels;
}

const MemoryModel& memoryModelNamed(std::string_view id) {
    return rowNamed(memoryModels(), id, "there is no memory model");
}

// Placement -----------------------------------------------------------------------------------------------------------

const std::vector<PlacementPolicy>& placementPolicies() {
    using enum Category;
    static const std::vector<PlacementPolicy> kPolicies{
        {"off-chip",
         "everything lies off the chip, which holds only what an operator works on",
         {Holds::offChip, Holds::offChip, Holds::offChip, Holds::offChip, Holds::offChip},
         {weights, gradients, algorithm, inputOutput, ephemeral}},
        {"cache-intermediates",
         "activations and buffers stay on the chip, the rest lies off it",
         {Holds::onChip, Holds::offChip, Holds::offChip, Holds::offChip, Holds::onChip},
         {ephemeral, inputOutput, weights, gradients, algorithm}},
        {"spill-in-order",
         "the chip is filled first, in the order buffers, activations, weights, gradients, copies; the rest lies off "
         "it",
         {Holds::spill, Holds::spill, Holds::spill, Holds::spill, Holds::spill},
         {ephemeral, inputOutput, weights, gradients, algorithm}},
        {"weights-on-chip",
         "weights stay on the chip, which the rest fills up in the order buffers, activations, gradients, copies",
         {Holds::spill, Holds::onChip, Holds::spill, Holds::spill, Holds::spill},
         {weights, ephemeral, inputOutput, gradients, algorithm}},
    };
    return kPolicies;
}

const PlacementPolicy& policyOf(const hardware::Accelerator& accelerator) {
    for (const auto& [category, levels] : accelerator.placementLevels) {
        if (findRow(kRows, category) != nullptr) continue;
        throw DataError({.file = accelerator.file, .field = "placement.levels"}, inQuotes(category),
                        "one of " + joined(idsOf(kRows), ", "));
    }
    const std::string wanted = accelerator.placementPolicy.value_or("off-chip");
    if (const PlacementPolicy* const policy = findRow(placementPolicies(), wanted)) return *policy;
    throw DataError({.file = accelerator.file, .field = "placement.policy"}, inQuotes(wanted),
                    "one of " + joined(idsOf(placementPolicies()), ", "));
}

namespace {

/// Indices of the levels that may hold a category, in the order in which they fill.
std::vector<std::size_t> levelsFor(Category category, const hardware::Accelerator& accelerator,
                                   const PlacementPolicy& policy) {
    std::vector<std::size_t> chosen;
    const std::vector<hardware::MemoryLevel>& memory = accelerator.memory;
    const auto own = accelerator.placementLevels.find(std::string(idOf(category)));
    const auto add = [&](std::size_t level) {
        if (levelBounding(level, memory) >= 0) chosen.push_back(level);
    };
    if (own != accelerator.placementLevels.end())
        for (const std::string& name : own->second)
            for (std::size_t i = 0; i < memory.size(); ++i)
                if (memory[i].name == name) add(i);
    if (!chosen.empty()) return chosen;
    const Holds holds = policy.holds.at(slotOf(category));
    for (const bool onChip : {true, false}) {
        if ((holds == Holds::onChip && !onChip) || (holds == Holds::offChip && onChip)) continue;
        for (std::size_t i = 0; i < memory.size(); ++i)
            if (memory[i].onChip == onChip) add(i);
    }
    for (std::size_t i = 0; chosen.empty() && i < memory.size(); ++i) add(i);
    // A machine without any bandwidth has no time, but it has a memory.
    for (std::size_t i = 0; chosen.size() < memory.size() && i < memory.size(); ++i)
        if (std::none_of(memory.begin(), memory.end(), [](const auto& level) { return level.bandwidth.has_value(); }))
            chosen.push_back(i);
    return chosen;
}

}  // namespace

Placement place(const CategoryBytes& bytes, const hardware::Accelerator& accelerator, const PlacementPolicy& policy) {
    Placement placement;
    std::vector<double> left;
    for (const hardware::MemoryLevel& level : accelerator.memory) {
        placement.levels.push_back({.level = level.name,
                                    .onChip = level.onChip,
                                    .capacity = level.capacity,
                                    .bandwidth = level.bandwidth,
                                    .bytes = {}});
        left.push_back(level.capacity ? level.capacity->value : std::numeric_limits<double>::infinity());
    }
    if (placement.levels.empty()) return placement;
    for (const Category category : policy.order) {
        double rest = bytes.at(slotOf(category));
        const std::vector<std::size_t> chosen = levelsFor(category, accelerator, policy);
        for (const std::size_t level : chosen) {
            const double taken = std::min(rest, left[level]);
            placement.levels[level].bytes.at(slotOf(category)) += taken;
            left[level] -= taken;
            rest -= taken;
        }
        if (rest <= 0) continue;
        LevelUse& full = placement.levels[chosen.back()];
        full.bytes.at(slotOf(category)) += rest;
        if (!placement.shortage || rest > placement.shortage->excess)
            placement.shortage =
                Shortage{.level = full.level, .capacity = full.capacity->value, .excess = rest, .category = category};
    }
    // A level may be short for several categories: what counts is what it lacks in all.
    if (placement.shortage)
        for (const LevelUse& level : placement.levels)
            if (level.level == placement.shortage->level)
                placement.shortage->excess = sumOf(level.bytes) - level.capacity->value;
    return placement;
}

std::int32_t levelBounding(std::size_t holding, const std::vector<hardware::MemoryLevel>& memory) {
    for (std::size_t level = holding; level < memory.size(); ++level)
        if (memory[level].bandwidth) return static_cast<std::int32_t>(level);
    return -1;
}

DataPlaces placesOf(const Placement& placement, const hardware::Accelerator& accelerator,
                    const PlacementPolicy& policy) {
    DataPlaces places;
    const std::size_t levels = accelerator.memory.size();
    places.occupied.assign(levels, false);
    for (std::size_t category = 0; category < kCategories; ++category) {
        std::vector<double>& shares = places.shares.at(category);
        shares.assign(levels, 0);
        double sum = 0;
        for (const LevelUse& level : placement.levels) sum += level.bytes.at(category);
        for (std::size_t level = 0; level < placement.levels.size() && sum > 0; ++level) {
            shares[level] = placement.levels[level].bytes.at(category) / sum;
            if (shares[level] > 0) places.occupied[level] = true;
        }
        if (sum > 0 || levels == 0) continue;
        shares[levelsFor(static_cast<Category>(category), accelerator, policy).front()] = 1;
    }
    return places;
}

// Batch size ----------------------------------------------------------------------------------------------------------

bool within(const Occupancy& estimate, const Occupancy& limit) {
    return estimate.onChip < limit.onChip && estimate.offChip < limit.offChip;
}

double objectiveOf(const Occupancy& estimate, const Occupancy& limit) {
    constexpr double kOnChipWeight = 10;  // section 5.1
    const double on = limit.onChip - estimate.onChip, off = limit.offChip - estimate.offChip;
    return kOnChipWeight * on * on + off * off;
}

std::optional<std::size_t> chooseBatch(const std::vector<BatchCandidate>& candidates, const Occupancy& limit) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!candidates[i].fits) continue;
        if (!best) {
            best = i;
            continue;
        }
        const double own = objectiveOf(candidates[i].estimate, limit);
        const double min = objectiveOf(candidates[*best].estimate, limit);
        if (own < min || (own == min && candidates[i].batch > candidates[*best].batch)) best = i;
    }
    return best;
}

}  // namespace tessera::predict

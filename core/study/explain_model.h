#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/model/graph_hierarchy.h"
#include "core/model/memory.h"
#include "core/study/explanation.h"

namespace tessera::study {

/// A model as it was counted: `totals` are those of every node of its hierarchy, at `batch` samples.
struct CountedModel {
    const model::Model& model;
    const model::GraphHierarchy& hierarchy;
    const std::vector<model::NodeTotals>& totals;
    std::int64_t batch = 1;
};

/// Explains "parameters", "macs", "flops" or "activations": the rule, and which kinds of operators or layers it adds
/// up. Empty where there is no such count, or a shape that it needs is unknown.
std::optional<Explanation> explainCount(const CountedModel& counted, std::string_view count);
/// Explains a class of the memory of one training step. Empty where it is unknown.
std::optional<Explanation> explainMemory(const CountedModel& counted, model::MemoryUse use);

}  // namespace tessera::study

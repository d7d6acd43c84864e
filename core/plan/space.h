#pragma once

#include <string_view>
#include <vector>

#include "core/plan/axes.h"
#include "core/plan/problem.h"

namespace tessera::plan {

/// Numbers that an axis may take; empty: whatever the model, the fleet and the software allow.
struct AxisValues {
    std::vector<int> values = {};
    bool allows(int value) const;
};

/// The configurations to choose from. Axes that nobody narrows are free: every degree that divides what it splits;
/// schedules 1F1B and interleaved, which Megatron-LM, NeMo, DeepSpeed and torchtitan run; ZeRO 0 to 3 (2 and 3 without
/// a pipeline: DeepSpeed and Megatron-LM refuse them with one); no, selective and full recomputation, on all stages
/// alike as the configurations of these frameworks say it; both orders of ranks where they differ.
struct Space {
    std::vector<AxisValues> axes = std::vector<AxisValues>(kAxes);
    const AxisValues& of(Axis axis) const { return axes[static_cast<std::size_t>(axis)]; }
    bool allows(Axis axis, int value) const;
};

/// Narrows a space by a text: "tp=8,pp=16", "zero=0,1" (several values of an axis), "pp=4..16" (a range). Names of data
/// types and groups are those of the problem. Throws UsageError that names `option`, what was found and what is
/// expected.
void narrow(Space& space, std::string_view option, std::string_view text, const Problem& problem);

}  // namespace tessera::plan

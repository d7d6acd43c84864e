#pragma once

#include <vector>

#include "core/draw/picture.h"
#include "core/draw/table.h"
#include "core/study/field.h"
#include "core/study/scaling.h"

namespace tessera::report {

/// Speed-up over data parallelism by the depth of the hierarchy, a curve per strategy (AccPar, Fig. 8).
Chart scalingChart(const study::Scaling& scaling);
/// A strategy's plan at a size. Refers to both.
struct ScaledPlan {
    const study::ScalingPoint* point;
    const study::ScalingPlan* plan;
};
std::vector<ScaledPlan> scaledPlansOf(const study::Scaling& scaling);
const std::vector<study::Field<ScaledPlan>>& scaledPlanFields();
/// A row per size and strategy, full precision.
Table scalingTable(const study::Scaling& scaling);

}  // namespace tessera::report

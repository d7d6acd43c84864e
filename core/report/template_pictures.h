#pragma once

#include "core/hardware/area_census.h"
#include "core/hardware/template.h"
#include "core/report/picture.h"

namespace tessera::report {

/// What the accelerator that bounds a template takes, by its parts: one stacked bar. Empty where the bound is an area.
Chart referenceAreaChart(const hardware::Template& space);
/// How many accelerators of a template there are of each size, in steps of twice the area, with those beyond the bound
/// in grey.
Chart areaCensusChart(const hardware::Template& space, const hardware::AreaCensus& census);

}  // namespace tessera::report

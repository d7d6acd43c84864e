#pragma once

#include <string_view>
#include <vector>

#include "core/draw/picture.h"
#include "core/hardware/area_census.h"
#include "core/hardware/template.h"

namespace tessera::report {

/// A part of an accelerator's area, as charts show it.
struct AreaPart {
    std::string_view id, name, colour;
    SquareMillimetres hardware::Area::*size;
};
/// The parts that charts of such areas show: interfaces only where one of them has any.
std::vector<AreaPart> areaParts(const std::vector<hardware::Area>& areas);

/// Area of the accelerator that bounds a template, by part: one stacked bar. Empty where the bound is an area.
Chart referenceAreaChart(const hardware::Template& space);
/// Number of a template's accelerators by area, in steps of twice the area, with those beyond the bound in grey.
Chart areaCensusChart(const hardware::Template& space, const hardware::AreaCensus& census);

}  // namespace tessera::report

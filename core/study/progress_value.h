#pragma once

#include <string>

#include "core/study/study.h"

/// The values that engines report while they work, for people.
namespace tessera::study {

/// Title of the reported values: "Step time", "Makespan (cycles)".
std::string progressTitle(const Study& study);
/// "36.2 ms", "1,900,084 cycles".
std::string progressText(const Study& study, double value);

/// True if the engine prefers `value` to `than`.
bool isBetter(const Study& study, double value, double than);

/// True if the first values are so far above the last that a logarithmic axis shows them best.
bool progressSpansDecades(const Study& study);

}  // namespace tessera::study

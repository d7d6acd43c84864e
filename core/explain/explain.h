#pragma once

#include <optional>
#include <string>

#include "core/study/explanation.h"
#include "core/study/result.h"

namespace tessera::study {

/// Explains the number at a path: every `Metric::name`, and inside a plan
/// "STRATEGY/levels[L]/ratio|objective_s|lower_bound_s", "STRATEGY/levels[L]/layers[K]/compute_s|intra_s|inter_s|type",
/// "STRATEGY/per_accelerator[K]/compute_s|communication_s|memory_bytes". Empty where there is no such number.
std::optional<Explanation> explain(const Result& result, const std::string& path);

}  // namespace tessera::study

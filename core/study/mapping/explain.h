#pragma once

#include <optional>
#include <string>

#include "core/study/explanation.h"
#include "core/study/mapping/outcome.h"
#include "core/study/result.h"

namespace tessera::study {

/// See `explain`: every metric of a mapping, of the best run and of each algorithm.
std::optional<Explanation> explainMapping(const Result& result, const MappingOutcome& outcome, const std::string& path);

}  // namespace tessera::study

#pragma once

#include <optional>
#include <string>

#include "core/study/codesign/outcome.h"
#include "core/study/explanation.h"
#include "core/study/result.h"

namespace tessera::study {

/// See `explain`: every metric of a co-design, of the best accelerator and of each model on it.
std::optional<Explanation> explainCodesign(const Result& result, const CodesignOutcome& outcome,
                                           const std::string& path);

}  // namespace tessera::study

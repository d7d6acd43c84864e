#pragma once

#include <string>

#include "core/base/timeline.h"
#include "core/study/result.h"

namespace tessera::study {

/// Timeline of one strategy or algorithm, or of one model: the step of a partition's plan, the schedule of a mapping,
/// the pipeline of a co-design. Throws UsageError where the result has no such choice, or no timeline.
Timeline timelineOf(const Result& result, const std::string& choice);

/// `tessera.timeline/1`, in seconds, or in cycles where they have no length in seconds.
Json toJson(const Timeline& timeline);

}  // namespace tessera::study

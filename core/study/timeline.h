#pragma once

#include <string>

#include "core/base/timeline.h"
#include "core/study/result.h"

namespace tessera::study {

/// What happens when under one strategy or algorithm. Of a partition the step of its plan: per kind of accelerator a
/// compute track and one track of transfers per level, layer after layer (with `overlap: comm` transfers run beside
/// compute). Of a mapping one track of jobs per sub-accelerator. Of a co-design the
/// 1F1B pipeline of one model, a track per stage. Throws UsageError where the result has no such
/// strategy or algorithm.
Timeline timelineOf(const Result& result, const std::string& strategy);

/// `tessera.timeline/1`, in seconds, or in cycles where they have no length in seconds.
Json toJson(const Timeline& timeline);

}  // namespace tessera::study

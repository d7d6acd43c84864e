#pragma once

#include <string>

#include "core/base/timeline.h"
#include "core/study/partition/outcome.h"
#include "core/study/result.h"

namespace tessera::study {

/// The step of a plan: per kind of accelerator a compute track and one track of transfers per level, layer after layer
/// (with `overlap: comm` transfers run beside compute). Throws UsageError where there is no such strategy.
Timeline stepTimeline(const Study& study, const PartitionOutcome& outcome, const std::string& strategy);

}  // namespace tessera::study

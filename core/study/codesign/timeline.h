#pragma once

#include <cstdint>
#include <string>

#include "core/base/timeline.h"
#include "core/study/codesign/outcome.h"
#include "core/study/result.h"

namespace tessera::study {

/// The 1F1B schedule of one replica of a model that is placed; `globalBatch` in samples.
Timeline pipelineTimeline(const codesign::ModelResult& model, std::int64_t globalBatch);
/// See timelineOf: the 1F1B schedule of one replica of a model on the best accelerator.
Timeline pipelineTimeline(const CodesignOutcome& outcome, const std::string& model);

}  // namespace tessera::study

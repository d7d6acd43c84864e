#pragma once

#include <string>
#include <vector>

#include "core/base/timeline.h"
#include "core/codesign/search/search.h"
#include "core/study/engine.h"
#include "core/study/field.h"
#include "core/study/schedule/outcome.h"

/// Scheduling as a study: when and on which cores of one accelerator the operators of a layer run.
namespace tessera::study {

/// The scheduling engine's parameters: the one place that names its options, defaults and ranges.
const std::vector<Parameter>& scheduleParameters();

/// Reads the study's operators and schedules them. Throws like study::run. Where `context.finish` ends the search, the
/// result is the best so far.
Result runSchedule(const Study& study, const RunContext& context);

/// See study::estimate.
Estimate estimateSchedule(const Study& study);

/// Writes `tessera.schedule-result/1`, and reads it. Throws DataError.
void writeScheduleJson(const Result& result, const TextSink& write);
Result readScheduleResult(const JsonNode& document, const Study& study);
/// The JSON Schema of the document.
Json scheduleSchema();

/// The numbers of a schedule.
const std::vector<Field<ScheduleOutcome>>& scheduleFields();

/// "14 · optimal · 12.50 % below 16 in a row".
std::string scheduleHeadline(const ScheduleOutcome& outcome);

/// Operators on the cores that they occupy, a track per core, without title and length.
Timeline coreTimeline(const std::vector<codesign::ScheduledOperator>& operators);
/// The schedule, in cycles.
Timeline scheduleTimeline(const ScheduleOutcome& outcome);

}  // namespace tessera::study

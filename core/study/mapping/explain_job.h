#pragma once

#include <optional>
#include <string>

#include "core/study/explanation.h"
#include "core/study/mapping/outcome.h"

namespace tessera::study {

/// Explains a number of a job under an algorithm's mapping:
/// "ALGORITHM/jobs[J]/start_cycles|finish_cycles|nostall_latency_cycles|req_bw_bytes_per_cycle". Empty where there is
/// no such number.
std::optional<Explanation> explainJob(const Result& result, const MappingOutcome& outcome, const std::string& path);

}  // namespace tessera::study

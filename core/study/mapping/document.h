#pragma once

#include <optional>
#include <string_view>

#include "core/base/json.h"
#include "core/study/mapping/outcome.h"
#include "core/study/result.h"

/// Reads and writes the outcome in `tessera.mapping-result/1`; round trips are exact.
namespace tessera::study {

/// Writes the output document, part by part.
void writeMappingJson(const Result& result, const TextSink& write);

/// Reads it back. Throws DataError.
Result readMappingResult(const JsonNode& document, const Study& study);
/// The JSON Schema of the document.
Json mappingSchema();

/// Seconds that cycles take; empty without a clock.
std::optional<Seconds> secondsOf(const mapping::Problem& problem, double cycles);
/// 2·MACs over the makespan; empty without a clock or where the work of a job is not known.
std::optional<FlopsPerSecond> throughputOf(const mapping::Problem& problem, const mapping::Values& values);

/// A mapping as `--evaluate` takes it: `{"sub_accelerator": […], "priority": […]}`, and back. Throws DataError where
/// the two lists differ in length or a number is no core or priority. `cores` is the number of cores.
Json mappingJson(const mapping::Mapping& mapping);
mapping::Mapping readMapping(const JsonNode& node, std::size_t jobs, std::size_t cores);

/// The JSON Schema of a mapping that is given, and of what a search starts from: a mapping of the same problem, or
/// several of another one.
Json givenMappingSchema();
Json warmStartSchema();

/// The table of a problem, and back. Throws DataError.
Json problemJson(const mapping::Problem& problem);
mapping::Problem readProblem(const JsonNode& node);

}  // namespace tessera::study

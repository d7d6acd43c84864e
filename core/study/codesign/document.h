#pragma once

#include "core/base/json.h"
#include "core/study/codesign/outcome.h"
#include "core/study/result.h"

/// Reads and writes the outcome in `tessera.codesign-result/1`; round trips are exact.
namespace tessera::study {

/// Writes the output document, part by part.
void writeCodesignJson(const Result& result, const TextSink& write);

/// Reads it back. Throws DataError.
Result readCodesignResult(const JsonNode& document, const Study& study);
/// The JSON Schema of the document.
Json codesignSchema();

/// Writes and reads the state of a search. Throws DataError.
Json progressJson(const codesign::Progress& progress);
codesign::Progress readProgress(const JsonNode& node, std::size_t models);

}  // namespace tessera::study

#pragma once

#include "core/base/json.h"
#include "core/study/codesign/outcome.h"
#include "core/study/result.h"

/// How the outcome of the co-design engine stands in `tessera.codesign-result/1`: both ways, exactly.
namespace tessera::study {

/// Writes the output document, part by part.
void writeCodesignJson(const Result& result, const TextSink& write);

/// Reads it back. Throws DataError.
Result readCodesignResult(const JsonNode& document, const Study& study);

/// What a search has done so far, and back. Throws DataError.
Json progressJson(const codesign::Progress& progress);
codesign::Progress readProgress(const JsonNode& node, std::size_t models);

}  // namespace tessera::study

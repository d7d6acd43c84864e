#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/study/result.h"

/// What the writers and readers of all engines' output documents share.
namespace tessera::study {

/// How the document of a result begins: `documentHead`, then the study's name and parameters.
Json resultHead(const std::string& schema, const std::string& command, const Result& result);
/// What every document says of its result: all but the outcome. Throws DataError.
Result readFrame(const JsonNode& document, const Study& study);
/// A list of sentences. Throws DataError.
std::vector<std::string> readSentences(const JsonNode& list);

/// The study that an output document rests on: its name, seed and parameters stand above what the caller knows. Throws
/// DataError.
Study studyOf(const JsonNode& document, const Study& study);

}  // namespace tessera::study

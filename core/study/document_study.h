#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ended_by.h"
#include "core/base/json.h"
#include "core/study/result.h"

/// Common parts of the writers and readers of all engines' output documents.
namespace tessera::study {

/// A kind of document of results.
struct DocumentKind {
    std::string_view schema;                ///< "tessera.mapping-result/1"
    std::string_view command = {};          ///< "map"
    std::string_view nameOfStudy = "name";  ///< the key of the study's name
    std::string_view about = {};            ///< what it tells, as a sentence of its schema
    bool seeded = false;                    ///< may name the seed of random numbers
};
/// Head of a result's document: `documentHead`, then the study's name.
Json resultHead(const DocumentKind& kind, const Result& result);
/// Reads study, inputs, assumptions and warnings of a result document: all but the outcome. Throws DataError.
Result readFrame(const JsonNode& document, const Study& study, const DocumentKind& kind);
/// A list of at most so many sentences or names. Throws DataError.
std::vector<std::string> readSentences(const JsonNode& list, std::size_t max = 1'000'000);

/// Makes an embedded JSON value a document of its own, on one line, so that errors carry no line numbers. Throws
/// DataError.
JsonDocument documentOf(const Json& json, const std::string& name);

/// 512 rather than 512.0: a number as a whole one where it is.
Json wholeWherePossible(double value);

/// The one of a list of values with a `nameOf` that a word names. Throws DataError.
template <typename Values>
auto readNamed(const JsonNode& word, const Values& values) {
    std::vector<std::string> names;
    for (const auto& each : values) names.emplace_back(nameOf(each));
    const std::string name = word.oneOf(names);
    return values.at(static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
}

/// Reads from a document why a search ended; `search` where an older one does not say. Throws DataError.
EndedBy readEndedBy(const JsonNode& word);

/// The study that an output document rests on: its name, seed and parameters stand above what the caller knows. Throws
/// DataError.
Study studyOf(const JsonNode& document, const Study& study);

}  // namespace tessera::study

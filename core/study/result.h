#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/study/outcome.h"

namespace tessera::study {

/// The file that a study was loaded from, for errors that are found once it runs: their lines. No part of the study's
/// value, so that all are equal.
struct StudyFile {
    std::optional<JsonDocument> document = {};

    bool operator==(const StudyFile&) const { return true; }
};

/// Inputs, parameters and seed of one run: a value that can be compared, stored and hashed.
struct Study {
    std::string engine;
    std::string name;                   ///< for people; may be empty
    std::vector<std::string> models;    ///< MODEL as users name it: a file or "zoo:NAME"
    std::vector<std::string> hardware;  ///< a file or a bundled name
    /// A bundled name or a file: a workload, jobs as a table of layers, or, where no hardware is named, a table of what
    /// every job takes on every core.
    std::vector<std::string> workloads = {};
    std::map<std::string, std::int64_t> dimensions;  ///< values of symbolic dimensions
    HeldJson parameters = HeldJson::object();  ///< every parameter that has a value, in the order of the engine's table
    std::optional<std::uint64_t> seed;         ///< where the engine draws random numbers
    StudyFile file = {};

    bool operator==(const Study&) const = default;
};

/// `tessera.study/1`.
Json toJson(const Study& study);

/// A file or generated model that a result rests on.
struct Input {
    std::string name;    ///< as the user named it
    std::string sha256;  ///< of its bytes
    bool operator==(const Input&) const = default;
};

/// Result of a run, with the provenance of every assumption. Holds no time of day and no address.
struct Result {
    Study study;
    std::vector<Input> inputs;
    Outcome outcome;  ///< of the study's engine
    std::vector<std::string> assumptions;
    std::vector<std::string> warnings;
    std::string version = TESSERA_VERSION;  ///< of the program that computed it
};

/// Receives a text in parts.
using TextSink = std::function<void(std::string_view)>;

/// Writes the output document of a result, by its engine's schema (`tessera.partition-result/1`), part by part, so that
/// even the result of a very deep network takes little memory.
void writeJson(const Result& result, const TextSink& write);
/// Returns the document of a result as a JSON value.
Json toJson(const Result& result);

/// Reads an output document back, as the history stores it, exactly: `toJson(readResult(toJson(r), study)) ==
/// toJson(r)`. Throws DataError.
Result readResult(const JsonNode& document, const Study& study);

/// Names and hashes, as documents list them.
Json inputsJson(const std::vector<Input>& inputs);

/// Head of every output document: schema, tool_version, command, seed where there is one, inputs.
Json documentHead(const std::string& schema, const std::string& command, const std::vector<Input>& inputs,
                  std::optional<std::uint64_t> seed = std::nullopt);
/// And how it ends: assumptions, warnings.
void finishDocument(Json& document, const std::vector<std::string>& assumptions,
                    const std::vector<std::string>& warnings);

/// Sentences in order, each once.
void addOnce(std::vector<std::string>& sentences, const std::vector<std::string>& more);

}  // namespace tessera::study

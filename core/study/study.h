#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/study/engine.h"
#include "core/study/result.h"

/// A study is everything that decides a result: inputs, parameters and seed. Running one is a pure function.
namespace tessera::study {

/// Kind and version of study files, and their limits.
inline constexpr std::string_view kStudySchema = "tessera.study/1";
inline constexpr std::size_t kMaxStudyInputs = 64;  ///< of one list
inline constexpr std::size_t kLongestInputName = 4096;
inline constexpr std::int64_t kMaxDimension = std::numeric_limits<std::int32_t>::max();

/// A study of an engine with every parameter at its default and no inputs yet. Throws UsageError.
Study newStudy(std::string_view engine);

/// Sets the parameters whose defaults follow from the study's inputs, such as a data type that its fleet computes.
/// Throws what reading the inputs throws.
void inferParameters(Study& study);

/// Sets a parameter to a value as a study file gives it; null = its default. Throws UsageError (unknown parameter),
/// DataError (wrong value), and of a document whose value is the name of a file what reading that throws.
void setParameter(Study& study, std::string_view name, const JsonNode& value);
/// Sets a parameter from an option's texts. Throws UsageError (unknown parameter, wrong value).
void setParameter(Study& study, std::string_view name, const std::vector<std::string>& texts);

/// Reads `tessera.study/1`, or the kind of study files that an engine has of its own. Models and hardware that stand
/// beside the study's file are found there. Throws DataError.
Study readStudy(const JsonNode& node);
/// Reads a study of any engine that stands inside of another document, where it may leave out its schema.
Study readStudyInside(const JsonNode& node);
/// The path of a file that a study names, which is looked for beside the study's own first; else the name.
std::string besideOrGiven(const std::string& studyFile, const std::string& name);
/// Whether a file of this schema, of whatever version, is a study's.
bool isStudySchema(std::string_view schema);
/// A study file by path, else a bundled study by name. Throws FileError, DataError, UsageError (unknown, with a hint).
Study loadStudy(const std::string& nameOrPath);
/// The names and titles of the bundled studies and one's own, sorted by name; no title where one cannot be read.
std::vector<std::pair<std::string, std::string>> bundledStudies();

/// SHA-256 over engine, inputs and parameters in canonical form. Name and seed do not count: a run records its seed.
std::string contentHash(const Study& study);

/// Runs the study. The result depends on the study and the contents of the files it names alone;
/// that of an engine that measures on the machine and the moment, too. Throws FileError,
/// DataError, UsageError, InfeasibleError, InterruptedError.
Result run(const Study& study, const RunContext& context = {});

}  // namespace tessera::study

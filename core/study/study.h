#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/study/parameter.h"
#include "core/study/result.h"

/// A study is everything that decides a result: inputs, parameters and seed. Running one is a pure function.
namespace tessera::study {

/// What an engine offers: a row of the table that menus, `--help`, study files and forms are made from.
struct Engine {
    std::string_view id;  ///< "partition"; written to files, never changes
    std::string_view title;
    std::string_view description;
    std::string_view hardwareKind;  ///< what `hardware` names: "fleet"
    const std::vector<Parameter>& (*parameters)();
    Result (*run)(const Study& study, const ProgressSink& sink, const std::stop_token& stop, unsigned threads);
};

const std::vector<Engine>& engines();
/// Throws UsageError, with a hint, where there is no such engine.
const Engine& engineNamed(std::string_view id);

/// A study of an engine with every parameter at its default and no inputs yet. Throws UsageError.
Study newStudy(std::string_view engine);

/// Sets a parameter from an option's texts. Throws UsageError (unknown parameter, wrong value).
void setParameter(Study& study, std::string_view name, const std::vector<std::string>& texts);

/// Reads `tessera.study/1`. Models and hardware that stand beside the study's file are found there. Throws DataError.
Study readStudy(const JsonNode& node);
/// A study file by path, else a bundled study by name. Throws FileError, DataError, UsageError (unknown, with a hint).
Study loadStudy(const std::string& nameOrPath);
/// The names and titles of the bundled studies, sorted by name.
std::vector<std::pair<std::string, std::string>> bundledStudies();

/// SHA-256 over engine, inputs and parameters in canonical form. Name and seed do not count: a run records its seed.
std::string contentHash(const Study& study);

/// Runs the study. The result depends on the study and the contents of the files it names alone; `sink` and `stop` only
/// watch, and `threads` (0 = all cores) never changes anything. Throws FileError, DataError, UsageError,
/// InfeasibleError, InterruptedError.
Result run(const Study& study, const ProgressSink& sink = {}, const std::stop_token& stop = {}, unsigned threads = 0);

}  // namespace tessera::study

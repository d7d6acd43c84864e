#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/run_control.h"
#include "core/study/estimate.h"
#include "core/study/parameter.h"
#include "core/study/result.h"

/// A study is everything that decides a result: inputs, parameters and seed. Running one is a pure function.
namespace tessera::study {

/// What a caller lends to a run.
struct RunHooks : RunControl {
    /// Receives the engine's state whenever a part of the work is done; `resume` continues from it. Called from the
    /// thread that runs the study.
    std::function<void(const Json& state)> checkpoint = {};
    HeldJson resume = {};  ///< a state that `checkpoint` received; null = from the start
    /// Where to read an input that the study names (a model or hardware), so that a run can be repeated from the
    /// history after its files are gone. Empty, or an empty answer = the name itself.
    std::function<std::string(const std::string& name)> locate = {};
};

/// How many inputs of a sort a study takes.
enum class Takes : std::uint8_t { none, atMostOne, one, many };

/// What an engine offers: a row of the table that menus, `--help`, study files and forms are made from.
struct Engine {
    std::string_view id;  ///< "partition"; written to files, never changes
    std::string_view title;
    std::string_view description;
    std::string_view hardwareKind;  ///< what `hardware` names: "fleet"
    Takes models = Takes::one;
    Takes workloads = Takes::none;
    Takes hardware = Takes::one;
    bool drawsNumbers = false;  ///< has a seed
    const std::vector<Parameter>& (*parameters)();
    Result (*run)(const Study& study, const RunHooks& hooks);
    std::string_view resultSchema;                                 ///< "tessera.partition-result/1"
    Result (*read)(const JsonNode& document, const Study& study);  ///< what `run` yielded, from its document
    Estimate (*estimate)(const Study& study);
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

/// Runs the study. The result depends on the study and the contents of the files it names alone. Throws FileError,
/// DataError, UsageError, InfeasibleError, InterruptedError.
Result run(const Study& study, const RunHooks& hooks = {});

}  // namespace tessera::study

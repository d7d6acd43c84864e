#pragma once

#include <CLI/App.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "core/store/store.h"
#include "core/study/study.h"

/// Options and steps common to the commands that run studies.
namespace tessera::cli {

/// The options of an engine as typed: one text per use, made from the engine's own table.
struct ParameterTexts {
    std::map<std::string, std::vector<std::string>> texts;
    std::map<std::string, bool> flags;
};

void addParameters(CLI::App& app, const std::vector<study::Parameter>& table, ParameterTexts& given);
/// Throws UsageError; for a parameter that is a document what reading its file throws.
void setParameters(study::Study& study, const ParameterTexts& given);

/// Names separated by commas, in any number of uses of an option. Throws UsageError for an empty one.
std::vector<std::string> namesIn(const std::string& option, const std::vector<std::string>& lists);

/// The exploration of a file or bundled name; of another study one that varies nothing yet. Throws what loading it
/// does.
study::Study explorationOf(const std::string& name);

/// Prints a result and ends the recording. Throws InfeasibleError where the result is no solution.
void show(Context& context, const study::Result& result);

/// Runs the study of a file, or goes on with a run of it. What it cannot mean is wrong input, not wrong usage.
study::Result runFile(Context& context, const std::string& name, const study::Study& study,
                      std::optional<store::RunId>* run = nullptr, const std::optional<store::RunId>& continued = {});

}  // namespace tessera::cli

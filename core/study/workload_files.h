#pragma once

#include <string>
#include <vector>

#include "core/cost/workload.h"
#include "core/study/engine.h"

/// The files that a study rests on, by the names under which results and histories know them.
namespace tessera::study {

/// Adds a file once; what is no file, such as a model of the zoo, is left out.
void addFile(std::vector<InputFile>& files, InputFile file);
/// Returns the inputs that a result names for these files: their names with the hashes of what is in them.
std::vector<Input> inputsOf(const std::vector<InputFile>& files);
/// Returns a file for each name that a study gives for hardware or a workload: `pathOf` its place.
std::vector<InputFile> filesNamed(const std::vector<std::string>& names, bool hardware,
                                  std::string (*pathOf)(const std::string& nameOrPath));
/// The path of a file that another file names: relative to that one's folder.
std::string resolveRelativeTo(const std::string& file, const std::string& name);
/// The file of a workload that a study calls `name`, and those of the models that it names.
std::vector<InputFile> workloadFiles(const std::string& name, const cost::Workload& workload);

}  // namespace tessera::study

#include "core/study/workload_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/base/sha256.h"
#include "core/model/zoo/zoo_name.h"

namespace tessera::study {

void addFile(std::vector<InputFile>& files, InputFile file) {
    if (file.path.empty() || !(isStandardInput(file.path) || isFile(file.path))) return;
    const auto same = [&](const InputFile& other) { return other.name == file.name && other.path == file.path; };
    if (std::none_of(files.begin(), files.end(), same)) files.push_back(std::move(file));
}

std::vector<Input> inputsOf(const std::vector<InputFile>& files) {
    std::vector<Input> inputs;
    for (const InputFile& file : files) {
        const auto sum = madeOfInputs("SHA-256 of " + file.path, [&] { return sha256(readFile(file.path)); });
        inputs.push_back({file.name, *sum});
    }
    return inputs;
}

std::vector<InputFile> filesNamed(const std::vector<std::string>& names, bool hardware,
                                  std::string (*pathOf)(const std::string& nameOrPath)) {
    std::vector<InputFile> files;
    for (const std::string& name : names)
        files.push_back({.hardware = hardware, .name = name, .path = pathOf(placeOfInput(name))});
    return files;
}

std::string resolveRelativeTo(const std::string& file, const std::string& name) {
    const std::filesystem::path path(name);
    return path.is_absolute() ? name : (std::filesystem::path(file).parent_path() / path).string();
}

std::vector<InputFile> workloadFiles(const std::string& name, const cost::Workload& workload) {
    std::vector<InputFile> files;
    const bool isModel = workload.file.empty();  // all of whose layers are jobs
    if (!isModel) addFile(files, {.hardware = false, .name = name, .path = workload.file});
    for (const cost::WorkloadSource& source : workload.sources) {
        if (model::isZooName(source.model)) continue;
        addFile(files, {.hardware = false,
                        .name = isModel ? name : source.model,
                        .path = isModel ? source.model : resolveRelativeTo(workload.file, source.model)});
    }
    return files;
}

}  // namespace tessera::study

#include "core/study/workload_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/file.h"
#include "core/model/zoo/zoo_name.h"

namespace tessera::study {

void addFile(std::vector<InputFile>& files, InputFile file) {
    if (file.path.empty() || !(isStandardInput(file.path) || isFile(file.path))) return;
    const auto same = [&](const InputFile& other) { return other.name == file.name; };
    if (std::none_of(files.begin(), files.end(), same)) files.push_back(std::move(file));
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

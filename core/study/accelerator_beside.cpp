#include "core/study/accelerator_beside.h"

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json.h"

namespace tessera::study {

namespace fs = std::filesystem;

AcceleratorBeside acceleratorBeside(hardware::Accelerator accelerator, const std::string& place,
                                    const fs::path& fleet) {
    AcceleratorBeside made{.accelerator = std::move(accelerator), .reference = {}};
    if (made.accelerator.id.empty()) return made;
    if (!namesFile(place)) {
        made.reference = place;
        return made;
    }
    const fs::path folder(fleet.stem().string() + "-hardware");
    const fs::path name = made.accelerator.id + ".json";
    const fs::path read(made.accelerator.file);
    std::vector<std::pair<fs::path, std::string>> tables;
    if (made.accelerator.kernels) {
        const fs::path table = read.parent_path() / *made.accelerator.kernels;
        made.accelerator.kernels = table.filename().string();
        tables.emplace_back(fleet.parent_path() / folder / table.filename(), readFile(table));
    }
    made.files.emplace_back(fleet.parent_path() / folder / name, toText(hardware::toJson(made.accelerator)));
    made.files.insert(made.files.end(), tables.begin(), tables.end());
    made.reference = (folder / name).string();
    return made;
}

}  // namespace tessera::study

#pragma once

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/codesign/placement/placement_file.h"
#include "tests/support/paths.h"

namespace tessera::codesign::cases {

/// A case of the published program, with what it found.
struct OracleCase {
    std::string name;
    PlacementFile file;
    std::optional<double> seconds;  ///< per batch; none where nothing fits
    std::optional<Plan> plan;       ///< its own
};

inline OracleCase oracleCase(const std::filesystem::path& input, const std::filesystem::path& output) {
    OracleCase known{.name = input.stem().string(),
                     .file = readPlacementFile(JsonDocument::load(input.string())),
                     .seconds = {},
                     .plan = {}};
    known.file.problem.optimizerState = optimizerState(known.file.optimizer, OptimizerMemory::reference).value();
    const Json found = JsonDocument::load(output.string()).json();
    if (!found.contains("stages") || found["stages"].empty()) return known;
    known.seconds = found["finalTimePerBatch"].get<double>();
    Plan plan{.timePerBatch = {},
              .tensorParallel = found["tensorParallelDegree"].get<std::int64_t>(),
              .data = found["dataParallelDegree"].get<std::int64_t>(),
              .stages = {}};
    for (const Json& stage : found["stages"]) {
        PlacedStage& placed = plan.stages.emplace_back();
        placed.accelerators = stage["devicesForStage"].get<std::int64_t>();
        for (const Json& id : stage["nodes"]) {
            const auto& ids = known.file.layers;
            placed.layers.push_back(
                static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id.get<std::int64_t>()) - ids.begin()));
        }
    }
    known.plan = plan;
    return known;
}

/// The 20 cases of models and the 50 small random ones, by name.
inline std::vector<OracleCase> oracleCases() {
    namespace fs = std::filesystem;
    const fs::path folder = tessera::test::sourcePath("tests/data/phaze/dp_cases");
    std::vector<OracleCase> cases;
    for (const auto& entry : fs::directory_iterator(folder / "inputs"))
        cases.push_back(oracleCase(entry.path(), folder / "outputs" / entry.path().filename()));
    for (const auto& entry : fs::directory_iterator(folder / "small")) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".in.json"))
            cases.push_back(oracleCase(entry.path(), folder / "small" / (name.substr(0, 4) + ".out.json")));
    }
    std::sort(cases.begin(), cases.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return cases;
}

}  // namespace tessera::codesign::cases

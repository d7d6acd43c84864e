#include "core/study/engine.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/study/engine_rows.h"

namespace tessera::study {

std::string RunHooks::located(const std::string& name) const {
    const std::string place = locate ? locate(name) : "";
    return place.empty() ? name : place;
}

const std::vector<Engine>& engines() {
    static const std::vector<Engine> kEngines{partitionEngine(),  mappingEngine(),     codesignEngine(),
                                              predictionEngine(), calibrationEngine(), costEngine()};
    return kEngines;
}

const Engine& engineNamed(std::string_view id) {
    std::vector<std::string> known;
    for (const Engine& engine : engines()) {
        if (engine.id == id) return engine;
        known.emplace_back(engine.id);
    }
    throw UsageError(fmt::format("there is no engine {}; there is {}", inQuotes(id), joined(known, ", ")));
}

const Engine& engineOf(const Result& result) {
    return engineNamed(result.study.engine);
}

std::optional<Explanation> explain(const Result& result, const std::string& path) {
    const Engine& engine = engineOf(result);
    return engine.explain == nullptr ? std::nullopt : engine.explain(result, path);
}

}  // namespace tessera::study

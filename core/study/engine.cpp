#include "core/study/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/study/engine_rows.h"

namespace tessera::study {

std::string RunHooks::located(const std::string& name) const {
    const std::string place = locate ? locate(name) : "";
    return place.empty() ? name : place;
}

const std::vector<Engine>& engines() {
    static const std::vector<Engine> kEngines{partitionEngine(),   mappingEngine(),   codesignEngine(),
                                              predictionEngine(),  placementEngine(), scheduleEngine(),
                                              calibrationEngine(), costEngine()};
    return kEngines;
}

const Engine* findEngine(std::string_view id) {
    const std::vector<Engine>& all = engines();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Engine& engine) { return engine.id == id; });
    return found == all.end() ? nullptr : &*found;
}

const Engine& engineNamed(std::string_view id) {
    if (const Engine* engine = findEngine(id)) return *engine;
    std::vector<std::string> known;
    for (const Engine& engine : engines()) known.emplace_back(engine.id);
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

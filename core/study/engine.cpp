#include "core/study/engine.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/study/engine_rows.h"

namespace tessera::study {

namespace {

std::vector<Engine>& all() {
    static std::vector<Engine> rows{partitionEngine(),  planEngine(),       mappingEngine(),  codesignEngine(),
                                    predictionEngine(), placementEngine(),  scheduleEngine(), calibrationEngine(),
                                    costEngine(),       explorationEngine()};
    return rows;
}

}  // namespace

const std::vector<Engine>& engines() {
    return all();
}

void addEngine(Engine engine) {
    all().push_back(std::move(engine));
}

const Engine* findEngine(std::string_view id) {
    return findRow(engines(), id);
}

const Engine& engineNamed(std::string_view id) {
    if (const Engine* engine = findEngine(id)) return *engine;
    throw UsageError(fmt::format("there is no engine {}; there is {}", inQuotes(id), joined(idsOf(engines()), ", ")));
}

std::string_view commandOf(const Engine& engine) {
    return engine.command.empty() ? engine.id : engine.command;
}

const Engine& engineOf(const Result& result) {
    return engineNamed(result.study.engine);
}

std::vector<Study> partsOf(const Study& study) {
    const Engine* const engine = findEngine(study.engine);
    if (engine == nullptr || engine->inner == nullptr) return {study};
    try {
        return engine->inner(study);
    } catch (const DataError&) {
        return {};
    } catch (const UsageError&) {
        return {};
    }
}

std::optional<Explanation> explain(const Result& result, const std::string& path) {
    const Engine& engine = engineOf(result);
    return engine.explain == nullptr ? std::nullopt : engine.explain(result, path);
}

}  // namespace tessera::study

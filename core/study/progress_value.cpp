#include "core/study/progress_value.h"

#include <nlohmann/json.hpp>
#include <string>

#include "core/study/engine.h"

namespace tessera::study {

namespace {

/// Engines without an objective of their own report numbers that have no name.
const ProgressObjective& objectiveOf(const Study& study) {
    static const ProgressObjective kNone{"", "Value", formatCount};
    const auto given = study.parameters->find("objective");
    const std::string objective =
        given != study.parameters->end() && given->is_string() ? given->get<std::string>() : std::string();
    const Engine* engine = findEngine(study.engine);
    if (engine == nullptr || engine->objectives.empty()) return kNone;
    for (const ProgressObjective& row : engine->objectives)
        if (row.id == objective) return row;
    return engine->objectives.front();
}

}  // namespace

std::string progressTitle(const Study& study) {
    return std::string(objectiveOf(study).title);
}

std::string progressText(const Study& study, double value) {
    return objectiveOf(study).text(value);
}

bool isBetter(const Study& study, double value, double than) {
    return objectiveOf(study).rises ? value > than : value < than;
}

bool progressSpansDecades(const Study& study) {
    const Engine* engine = findEngine(study.engine);
    return engine != nullptr && engine->spansDecades;
}

}  // namespace tessera::study

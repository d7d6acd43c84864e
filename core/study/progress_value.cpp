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
    const std::vector<ProgressObjective>& rows = engineNamed(study.engine).objectives;
    for (const ProgressObjective& row : rows)
        if (row.id == objective) return row;
    return rows.empty() ? kNone : rows.front();
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
    return engineNamed(study.engine).spansDecades;
}

}  // namespace tessera::study

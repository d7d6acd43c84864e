#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/json.h"
#include "core/explore/space.h"

/// What the parameters of an exploration hold: variables, objectives and constraints as a file gives them, before
/// anything is known of the study that they are of.
namespace tessera::study {

/// What a variable sets.
enum class VariableTarget : std::uint8_t {
    none,       ///< nothing: a number to report, or to compute others from
    parameter,  ///< of the study's engine, or its seed
    input,      ///< a list of the study's inputs: models, workloads, hardware
    dimension,  ///< of the model
    field,      ///< of a hardware file
};
inline constexpr EnumNames<VariableTarget> kVariableTargetNames{"none", "parameter", "input", "dimension", "field"};
inline constexpr EnumNames<explore::Scale> kScaleNames{"linear", "log"};

/// A variable. Numbers may be texts with units, which only the target can read.
struct VariableDefinition {
    std::string name;  ///< letters, digits and _
    VariableTarget target = VariableTarget::none;
    std::string of = {};  ///< the parameter, the list of inputs, the dimension or the path of the field
    HeldJson low = {}, high = {}, step = {};
    explore::Scale scale = explore::Scale::linear;
    bool integer = false;
    int levels = 0;            ///< of its range in a grid; 0 = all of its values where steps number them, else 5
    HeldJson values = {};      ///< a list; null = a range, or all words
    std::string formula = {};  ///< of other variables' names; empty = its value is chosen
    std::string help = {};     ///< what it is and rests on, a line; empty = as the target's own
};

/// Direction of an objective.
enum class Goal : std::uint8_t {
    min,  ///< the smallest value is best
    max,  ///< the largest value is best
};
inline constexpr EnumNames<Goal> kGoalNames{"min", "max"};
/// A value as one of which less is better. Its own inverse.
inline double asLessIsBetter(Goal goal, double value) {
    return goal == Goal::max ? -value : value;
}

/// A metric to minimise or maximise.
struct ObjectiveDefinition {
    std::string metric;
    std::optional<Goal> goal = {};  ///< none: what is better of the metric
};

/// Limits of a metric.
struct ConstraintDefinition {
    std::string metric;
    HeldJson min = {}, max = {};  ///< numbers, or texts with units; null = none
};

/// Reads a variable, and writes it: `{"name", "parameter" | "input" | "dimension" | "field", "low", "high", …}`, or a
/// line such as "pes=64..4096:log" (variable_text.h). Values that name files beside the document, of inputs or of
/// parameters, are found there. Throws DataError.
VariableDefinition readVariable(const JsonNode& node);
Json toJson(const VariableDefinition& variable);
/// An objective: "METRIC", "METRIC:min", or `{"metric", "goal"}`. Throws DataError.
ObjectiveDefinition readObjective(const JsonNode& node);
Json toJson(const ObjectiveDefinition& objective);
/// A constraint: "METRIC <= VALUE", "METRIC >= VALUE", or `{"metric", "min", "max"}`. Throws DataError.
ConstraintDefinition readConstraint(const JsonNode& node);
Json toJson(const ConstraintDefinition& constraint);

}  // namespace tessera::study

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/json.h"
#include "core/explore/method.h"
#include "core/study/exploration/definition.h"
#include "core/study/exploration/explored_space.h"
#include "core/study/study.h"

namespace tessera::study {

/// Points whose results are kept whole.
enum class KeepPoints : std::uint8_t { none, front, all };
inline constexpr EnumNames<KeepPoints> kKeepPointsNames{"none", "front", "all"};

/// What the parameters of an exploration mean.
struct ExplorationSettings {
    HeldJson study = {}, variables = {}, objectives = {}, constraints = {}, begin = {};
    std::string method = "nsga2";
    std::int64_t points = 200;
    int population = 0;
    std::optional<std::int64_t> stopAfter = {};
    KeepPoints keep = KeepPoints::none;
};
ExplorationSettings explorationSettings(const Study& study);

/// An exploration, read from its study.
struct ExplorationDefinition {
    ExplorationSettings settings;
    Study base;
    std::vector<VariableDefinition> variables = {};
    std::vector<ObjectiveDefinition> objectives = {};
    std::vector<ConstraintDefinition> constraints = {};
};
/// Throws UsageError where something is missing.
ExplorationDefinition definitionOf(const Study& study);
/// What its method is to explore. Throws UsageError for what the method cannot.
explore::MethodProblem methodProblem(const ExplorationDefinition& definition, const ExploredSpace& space,
                                     std::uint64_t seed);

/// Points that a study begins with, by the values of the variables. Throws UsageError, which names the row.
std::vector<explore::Point> beginOf(const ExplorationDefinition& definition, const ExploredSpace& space);

}  // namespace tessera::study

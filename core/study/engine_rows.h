#pragma once

#include "core/study/engine.h"

/// The rows that core/study brings, each made in its engine's folder; see engine.h.
namespace tessera::study {

Engine partitionEngine();
Engine mappingEngine();
Engine codesignEngine();
Engine predictionEngine();
Engine planEngine();
Engine placementEngine();
Engine scheduleEngine();
Engine calibrationEngine();
Engine costEngine();
Engine explorationEngine();

/// An explanation of a number, as an engine's row has it.
template <typename Outcome, std::optional<Explanation> (*kExplain)(const Result&, const Outcome&, const std::string&)>
std::optional<Explanation> explainedBy(const Result& result, const std::string& path) {
    return kExplain(result, result.outcome.get<Outcome>(), path);
}

/// The function of an engine's outcome as one of a result.
template <auto kFunction>
auto ofOutcome(const Result& result) {
    return [&]<typename Made, typename Outcome>(Made (*function)(const Outcome&)) {
        return function(result.outcome.get<Outcome>());
    }(kFunction);
}

}  // namespace tessera::study

#include "core/study/mapping/objective_axis.h"

#include "core/study/mapping/schedule.h"

namespace tessera::study {

ObjectiveAxis axisOf(const MappingOutcome& outcome, mapping::Objective objective) {
    const double second = secondsPerCycle(outcome);
    const bool clocked = outcome.problem.clock.has_value();
    const Measure time = clocked ? Measure::seconds : Measure::count;
    const auto cycles = [&](const char* title) { return std::string(title) + (clocked ? "" : " (cycles)"); };
    switch (objective) {
        case mapping::Objective::throughput:
            return {cycles("Makespan"), time, second};
        case mapping::Objective::latency:
            return {cycles("Mean latency"), time, second};
        case mapping::Objective::energy:
            return {"Energy", Measure::joules, 1};
        case mapping::Objective::edp:
            return {clocked ? "Energy × delay (J·s)" : "Energy × delay (J·cycles)", Measure::count, second};
        case mapping::Objective::weighted:
            return {"Weighted objective", Measure::count, 1};
    }
    return {};
}

}  // namespace tessera::study

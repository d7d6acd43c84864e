#include "core/mapping/mapping.h"

namespace tessera::mapping {

double objectiveOf(const Values& values, Objective objective, const Weights& weights, const Bound& bound) {
    const double energy = values.energy.value_or(0);
    switch (objective) {
        case Objective::throughput:
            return values.makespan;
        case Objective::latency:
            return values.latency;
        case Objective::energy:
            return energy;
        case Objective::edp:
            return energy * values.makespan;
        case Objective::weighted:
            break;
    }
    const auto relative = [](double weight, double value, double min) {
        return weight > 0 && min > 0 ? weight * (value / min) : 0;
    };
    return relative(weights.makespan, values.makespan, bound.makespan) +
           relative(weights.latency, values.latency, bound.latency) + relative(weights.energy, energy, bound.energy);
}

}  // namespace tessera::mapping

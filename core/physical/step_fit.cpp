#include "core/physical/step_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/elementary.h"

namespace tessera::physical {

double sampleSeconds(const StepSample& sample, const StepConstants& constants) {
    double least = std::numeric_limits<double>::infinity();
    for (const StepWork& work : sample.choices) {
        const StepTimes times = stepTimesOf(work, constants);
        least = std::min(least, sample.forwardOnly ? times.forward : times.step);
    }
    return least;
}

namespace {

/// How strongly a constant is held to where it starts, in samples' errors of 100 %.
constexpr double kStepHold = 0.1;

double stepDeviation(std::span<const StepSample> samples, const StepConstants& constants, const StepConstants& start) {
    double sum = 0;
    for (const StepSample& sample : samples)
        sum += sample.weight * std::fabs(elementary::log(sampleSeconds(sample, constants) / sample.seconds));
    for (double StepConstants::*field : kStepFields) {
        const double moved = elementary::log(constants.*field / start.*field);
        sum += kStepHold * moved * moved;
    }
    return sum;
}

}  // namespace

StepConstants fitStep(std::span<const StepSample> samples, const StepConstants& start) {
    StepConstants best = start;
    double least = stepDeviation(samples, best, start);
    const auto improves = [&](std::size_t field, double factor) {
        StepConstants trial = best;
        double& value = trial.*kStepFields[field];
        value = std::clamp(value * factor, kStepBounds[field].least, kStepBounds[field].most);
        const double deviation = stepDeviation(samples, trial, start);
        if (!(deviation < least - 1e-9)) return false;
        least = deviation;
        best = trial;
        return true;
    };
    for (double step = 0.5; step > 0.01; step /= 2) {
        bool moved = true;
        for (int round = 0; moved && round < 30; ++round) {
            moved = false;
            for (std::size_t field = 0; field < kStepConstants; ++field)
                for (const double factor : {1 + step, 1 / (1 + step)}) moved |= improves(field, factor);
        }
    }
    return best;
}

}  // namespace tessera::physical

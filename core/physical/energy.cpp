#include "core/physical/energy.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/base/text.h"
#include "core/physical/measured_table.h"

namespace tessera::physical {
namespace {

// Shares of the limit. Products in FP32 or on tensor cores run into the limit, so the clock falls; idle and memory are
// those of a V100 (55 W of 300 with a context; You et al., NSDI 2023: training stays below the limit).
constexpr double kProductPower = 1, kMemoryPower = 0.7, kIdlePower = 0.2;

/// The number behind a phrase in a text; nothing where there is none.
std::optional<double> numberAfter(const std::string& text, const std::string& phrase) {
    const std::size_t at = text.find(phrase);
    if (at == std::string::npos) return std::nullopt;
    const std::size_t begin = text.find_first_of("0123456789", at + phrase.size());
    if (begin == std::string::npos) return std::nullopt;
    const std::size_t end = text.find_first_not_of("0123456789.", begin);
    return measuredNumber(text.substr(begin, end == std::string::npos ? end : end - begin));
}

}  // namespace

double powerLimit(const TrainingRun& run, const Device& device) {
    constexpr double kUnsaid = 350;
    const double watts = device.watts > 0 ? device.watts : kUnsaid;
    const std::optional<double> said = numberAfter(lowered(run.software), "power limit ");
    return said && *said > 0 ? std::min(watts, *said) : watts;
}

double joulesOf(double watts, const BusySeconds& busy) {
    const double worked = busy.products + busy.memory;
    const double share = worked > 0 ? std::min(1.0, worked / busy.step) : 0;
    const double products = worked > 0 ? share * busy.products / worked : 0;
    const double power = kProductPower * products + kMemoryPower * (share - products) + kIdlePower * (1 - share);
    return watts * power * busy.step;
}

double stepJoules(const TrainingRun& run, const Device& device, const BusySeconds& busy) {
    return run.accelerators * joulesOf(powerLimit(run, device), busy);
}

}  // namespace tessera::physical

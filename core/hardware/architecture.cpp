#include "core/hardware/architecture.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/units.h"

namespace tessera::hardware {

namespace {

/// "128MiB", "512KiB", "1000B": in the largest unit that leaves no fraction.
std::string sizeName(Bytes size) {
    constexpr double kKibi = 1024;
    constexpr double kMebi = kKibi * kKibi;
    const auto whole = [&](double unit) { return std::fmod(size.value, unit) == 0; };
    if (whole(kMebi)) return fmt::format("{:.0f}MiB", size.value / kMebi);
    if (whole(kKibi)) return fmt::format("{:.0f}KiB", size.value / kKibi);
    return exactNumber(size.value) + "B";
}

}  // namespace

std::string nameOf(const Architecture& architecture) {
    return fmt::format("{}tc-{}vc-{}x{}-{}", architecture.tensorCores, architecture.vectorCores, architecture.width,
                       architecture.height, sizeName(architecture.globalBuffer));
}

double peakMacs(const Architecture& architecture) {
    return static_cast<double>(architecture.tensorCores) * static_cast<double>(architecture.width) *
           static_cast<double>(architecture.height);
}

}  // namespace tessera::hardware

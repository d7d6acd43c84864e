#include "core/hardware/architecture.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/units.h"

namespace tessera::hardware {

std::string bufferSize(Bytes size, std::string_view between) {
    constexpr double kKibi = 1024;
    struct Unit {
        double bytes;
        const char* name;
    };
    for (const Unit& unit : {Unit{kKibi * kKibi * kKibi, "GiB"}, Unit{kKibi * kKibi, "MiB"}, Unit{kKibi, "KiB"}})
        if (std::fmod(size.value, unit.bytes) == 0)
            return fmt::format("{:.0f}{}{}", size.value / unit.bytes, between, unit.name);
    return fmt::format("{}{}B", exactNumber(size.value), between);
}

std::string nameOf(const Architecture& architecture) {
    std::string name = fmt::format("{}tc-{}vc-{}x{}-{}", architecture.tensorCores, architecture.vectorCores,
                                   architecture.width, architecture.height, bufferSize(architecture.globalBuffer, ""));
    constexpr double kGiga = 1e9;
    const auto add = [&](const char* what, const std::optional<BytesPerSecond>& bandwidth) {
        if (bandwidth) name += fmt::format("-{}{}GBps", what, exactNumber(bandwidth->value / kGiga));
    };
    add("hbm", architecture.hbmBandwidth);
    add("net", architecture.networkBandwidth);
    return name;
}

double peakMacs(const Architecture& architecture) {
    return static_cast<double>(architecture.tensorCores) * static_cast<double>(architecture.width) *
           static_cast<double>(architecture.height);
}

}  // namespace tessera::hardware

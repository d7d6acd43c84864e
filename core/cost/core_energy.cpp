#include "core/cost/core_energy.h"

#include <algorithm>
#include <cmath>

namespace tessera::cost {

namespace {

constexpr double kPicojoule = 1e-12;
constexpr double kProduct = 1.1;
constexpr double kSum = 0.4;
constexpr double kHbmPerByte = 8 * 3.9;
constexpr Bytes kRegisters{32};  // L1 of an element
constexpr double kAccessesPerMac = 3;

/// Picojoules of an access to one byte of a memory.
double perByte(Bytes memory) {
    constexpr Bytes kSmall{8192};
    constexpr Bytes kBank{1 << 20};
    constexpr double kSmallPerByte = 10.0 / 8;
    return kSmallPerByte * std::sqrt(ratio(std::min(memory, kBank), kSmall));
}

}  // namespace

Joules energyOf(const Activity& activity, Bytes l2, Bytes globalBuffer, double wordBytes) {
    const double registers = perByte(kRegisters) * wordBytes;
    const double core = activity.macs * (kProduct + kSum + kAccessesPerMac * registers) +
                        activity.vectorSteps * (kSum + kAccessesPerMac * registers);
    const double inL2 = (activity.l2Words + activity.globalWords) * wordBytes * perByte(l2);
    const double inBuffer = (activity.globalWords * wordBytes + activity.hbmBytes) * perByte(globalBuffer);
    return Joules{(core + inL2 + inBuffer + activity.hbmBytes * kHbmPerByte) * kPicojoule};
}

}  // namespace tessera::cost

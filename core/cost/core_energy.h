#pragma once

#include "core/base/quantity.h"

namespace tessera::cost {

/// Activity counts of cores that cost energy.
struct Activity {
    double macs = 0;
    double vectorSteps = 0;  ///< cycles of lanes
    double l2Words = 0;      ///< between L2 and arrays or lanes
    double globalWords = 0;  ///< between the global buffer and the cores; each also passes an L2
    double hbmBytes = 0;     ///< each word also passes the global buffer
};

/// Dynamic energy; leakage is not counted. From Horowitz: "Computing's energy problem", ISSCC 2014 (45 nm, 0.9 V):
/// 16-bit floating-point product 1.1 pJ and sum 0.4 pJ, 64 bits of an 8 KB, 32 KB and 1 MB memory 10, 20 and 100 pJ,
/// which is as the root of the size; larger memories are taken as banks of 1 MB. HBM 3.9 pJ per bit: O'Connor et al.:
/// "Fine-Grained DRAM", MICRO 2017. A multiply-accumulate has three accesses to an L1 of 32 bytes, the size in PHAZE's
/// area model. The areas are of 22 nm, so that energies compare accelerators; they are none's consumption.
Joules energyOf(const Activity& activity, Bytes l2, Bytes globalBuffer, double wordBytes);

}  // namespace tessera::cost

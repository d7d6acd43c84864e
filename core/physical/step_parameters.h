#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/physical/device.h"
#include "core/physical/software.h"

namespace tessera::physical {

/// What a stack does with a transformer, by its documentation; nothing of it is fitted.
struct StackTraits {
    std::string_view id = {};  ///< as `SoftwareStack::id`; that of a profile ("fused") where the stack is not known
    SoftwareProfile profile = SoftwareProfile::fused;
    bool fusedAttention = true;
    bool fusedKernels = true;
    bool alternates = false;  ///< host and device wait for each other within a pass: launched kernel by kernel
    bool hidesHops = false;   ///< as of `SoftwareStack`
    StackSharding sharding = StackSharding::zero;
    double gradientBuckets = 0;     ///< as of `SoftwareStack`
    bool lossInParts = false;       ///< as of `SoftwareStack`
    bool keepsEverySecond = false;  ///< as of `SoftwareStack`
    std::string_view fit = {};      ///< of `stepFits`, whose constants serve it
    std::string_view memory = {};   ///< of `memoryFits`, whose allowance serves it
};
/// The traits of the stack that a text names, on a device and in a data type: products of 8 bits and fewer are made by
/// tuned stacks alone, fused attention is one of 16 bits and fewer, and Megatron-LM has it since Hopper.
StackTraits stackTraitsOf(std::string_view software, const Device& device, std::string_view dtype, bool encoder);

/// Fitted constants of a software stack.
struct StepConstants {
    double products = 1.1;     ///< time of products in a step over that of the kernels alone
    double bandwidth = 0.75;   ///< share of the bandwidth of memory that element-wise kernels reach
    double attention = 0.5;    ///< share of peak of fused attention over a long sequence
    double host = 15e-6;       ///< s, to launch a kernel; the device waits where it is faster
    double tensor = 0.9;       ///< share of tensor, context and expert collectives that computation does not hide
    double data = 0.5;         ///< share of gradients and gathered parameters that computation does not hide
    double network = 0.6;      ///< share of the network's rate that collectives reach
    double permutation = 1.5;  ///< passes over tokens sorted by expert, in units of those counted
    double start = 5e-3;       ///< s, of a step beside all else
};
/// Constants of a stack and what they were fitted on.
struct StepFit {
    std::string_view stack;  ///< as `StackTraits::fit`
    int leftOut = -1;        ///< the part of the runs that the fit did not see, by `runFold`; -1: it saw all
    int runs = 0;            ///< that it saw
    double spread = 0;       ///< 90 % of runs that their fit did not see lie within this logarithm
    StepConstants constants;
};
/// Results of fits (tests/core/physical/refit.h) on data/measured/training.csv: six of each stack.
std::span<const StepFit> stepFits();
/// The fit of a stack without a part; that of all where it has none of its own.
const StepFit& stepFitOf(std::string_view stack, int leftOut);

/// What software holds in memory beside a model, fitted as above.
struct MemoryFit {
    std::string_view stack;
    int leftOut = -1;
    int runs = 0;
    double spread = 0;
    double allowance = 0;  ///< bytes
};
std::span<const MemoryFit> memoryFits();
const MemoryFit& memoryFitOf(std::string_view stack, int leftOut);

}  // namespace tessera::physical

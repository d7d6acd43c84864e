#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/calibrate/measuring.h"

namespace tessera::calibrate {

/// The kernels that this machine can measure, run by oneDNN on tensors as training frameworks keep them: row-major
/// in memory, so that what it takes to bring them into a blocked layout and back counts. Operands are taken from a pool
/// larger than the caches, each repetition other ones, as a step of training does not find them in a cache either.
class KernelLibrary {
public:
    /// Creates the kernels for the calling thread, which must be the one that runs them. `pool`: bytes for operands;
    /// sets of them are added until they take `cold` bytes, or are 16.
    KernelLibrary(unsigned threads, std::size_t pool, std::size_t cold);
    ~KernelLibrary();
    KernelLibrary(const KernelLibrary&) = delete;
    KernelLibrary& operator=(const KernelLibrary&) = delete;

    /// Ready to run; empty for a kernel, data type or shape that there is none for, or one larger than the pool. The
    /// one made before becomes invalid.
    Kernel prepare(const Request& request);
    /// True where oneDNN runs matrix products of the data type by code made for it, not by its reference.
    bool multiplies(const std::string& dtype);
    /// True where the processor has instructions for products of the data type, so that it is no detour over floats.
    static bool hasInstructionsFor(const std::string& dtype);
    /// "oneDNN 2.6.3"
    static std::string version();
    /// True where the number of threads could be set; else oneDNN uses its own.
    bool threadsSet() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// Names of all kernels of the library: "gemm", "conv", …
std::vector<std::string> kernelNames();

}  // namespace tessera::calibrate

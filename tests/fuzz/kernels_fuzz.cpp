// Seeds: data/kernels/*.csv
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/predict/kernels.h"

/// Any bytes as a table of measured kernels: a table that can be asked, or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    try {
        const predict::KernelTable table = predict::readKernels(bytes, "input");
        table.find("gemm", "fp16", {1000, 1000, 1000});
        table.find("relu", "fp16", {2});
    } catch (const DataError&) {
        return 0;
    }
    return 0;
}

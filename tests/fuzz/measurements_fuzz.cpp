// Seeds: tests/data/kernels/*/*
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/physical/readers/readers.h"
#include "core/physical/validation.h"

/// Any bytes as measurements of any format, and as the rows of the table that they become: rows, or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    try {
        const physical::ReadMeasurements read = physical::readMeasurements(bytes, "input");
        if (const physical::Predictor* predictor = physical::predictorOf(read.table)) predictor->rowsOf(read.table);
    } catch (const DataError&) {
        return 0;
    }
    return 0;
}

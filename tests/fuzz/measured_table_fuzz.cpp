// Seeds: data/measured/schedules.csv data/measured/baselines.csv
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/physical/validation.h"

/// Any bytes as a table of measurements, and its rows as those of every kind of table that it is: rows, or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    try {
        const physical::MeasuredTable table = physical::readMeasuredTable(bytes, "input");
        if (const physical::Predictor* predictor = physical::predictorOf(table)) predictor->rowsOf(table);
        physical::readPeers(table);
    } catch (const DataError&) {
        return 0;
    }
    return 0;
}

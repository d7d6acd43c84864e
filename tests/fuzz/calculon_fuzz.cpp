// Seeds: tests/data/models/calculon.json
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/model/jobs.h"
#include "core/model/readers/calculon.h"

/// Calculon's model files from any bytes: a graph with jobs, or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    try {
        model::jobsOf(model::readCalculon(std::string(reinterpret_cast<const char*>(data), size), "input", {}), 1);
    } catch (const DataError&) {
        return 0;
    }
    return 0;
}

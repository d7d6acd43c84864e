// Seeds: tests/data/magma/job_tables/*.csv
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "tests/support/job_table.h"

/// Any bytes as a job table: a problem that can be written and read again, or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    try {
        const mapping::Problem table = mapping::readJobTable(bytes, "input");
        mapping::readJobTable(mapping::writeJobTable(table), "again");
    } catch (const DataError&) {
        return 0;
    }
    return 0;
}

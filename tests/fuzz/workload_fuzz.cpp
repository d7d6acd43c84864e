// Seeds: data/workloads/*.json
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/cost/workload.h"

/// Any bytes as a workload: one that reads back as it was written, or a DataError. Its models are named, not loaded.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    try {
        const JsonDocument document =
            JsonDocument::parse(std::string(reinterpret_cast<const char*>(data), size), "input.json");
        const cost::Workload read = cost::readWorkload(document.root());
        if (cost::readWorkload(JsonDocument::parse(toText(cost::toJson(read)), "input.json").root()) != read)
            std::abort();
    } catch (const DataError& error) {
        if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
    }
    return 0;
}

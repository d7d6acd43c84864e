// Seeds: data/datasets/*.json
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/hardware/dataset.h"

/// Any bytes as a dataset: one that reads back as it was written, or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    try {
        const JsonDocument document =
            JsonDocument::parse(std::string(reinterpret_cast<const char*>(data), size), "input.json");
        const hardware::Dataset read = hardware::readDataset(document.root());
        if (hardware::readDataset(JsonDocument::parse(toText(hardware::toJson(read)), "input.json").root()) != read)
            std::abort();
    } catch (const DataError& error) {
        if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
    }
    return 0;
}

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/mapping/mapping.h"
#include "core/study/mapping/document.h"

/// Any bytes as a mapping of two jobs to two cores: a valid one that reads back as it was written, or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    constexpr std::size_t kJobs = 2, kCores = 2;
    try {
        const JsonDocument document =
            JsonDocument::parse(std::string(reinterpret_cast<const char*>(data), size), "input.json");
        const mapping::Mapping read = study::readMapping(document.root(), kJobs, kCores);
        for (std::size_t job = 0; job < kJobs; ++job) {
            const bool core = read.core.at(job) >= 0 && read.core[job] < static_cast<std::int32_t>(kCores);
            if (!core || !(read.priority.at(job) >= 0 && read.priority[job] < 1)) std::abort();
        }
        const std::string written = toText(study::mappingJson(read));
        if (study::readMapping(JsonDocument::parse(written, "input.json").root(), kJobs, kCores) != read) std::abort();
    } catch (const DataError& error) {
        if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
    }
    return 0;
}

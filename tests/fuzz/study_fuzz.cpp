// Seeds: data/studies/*.json
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/study/study.h"

/// Any bytes as a study: one that reads back as it was written and counts as the same study, or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    try {
        const JsonDocument document =
            JsonDocument::parse(std::string(reinterpret_cast<const char*>(data), size), "input.json");
        const study::Study read = study::readStudy(document.root());
        const study::Study again =
            study::readStudy(JsonDocument::parse(toText(study::toJson(read)), "input.json").root());
        if (again != read || study::contentHash(again) != study::contentHash(read)) std::abort();
    } catch (const DataError& error) {
        if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
    }
    return 0;
}

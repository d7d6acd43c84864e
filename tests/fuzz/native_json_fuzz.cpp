// Native JSON of operator graphs: it reads or is refused with DataError, and what was read is written back as the same.
// Seeds: tests/data/models/native/*.json
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/base/error.h"
#include "core/model/model.h"
#include "core/model/readers/native_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const tessera::model::Graph graph = tessera::model::readNativeJson(text, "fuzz.json");
        tessera::model::summarise(graph);
        const std::string written = tessera::model::writeNativeJson(graph);
        if (tessera::model::writeNativeJson(tessera::model::readNativeJson(written, "fuzz.json")) != written)
            std::abort();
    } catch (const tessera::DataError&) {  // what the reader is allowed to do with broken files
    }
    return 0;
}

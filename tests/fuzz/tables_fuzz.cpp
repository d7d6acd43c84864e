// Seeds: tests/data/tables/*
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/model/readers/accpar_text.h"
#include "core/model/readers/layer_csv.h"
#include "core/model/readers/layers_json.h"

/// Every layer-table reader on any bytes: a graph that can be written and read again, or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    using Read = model::LayerGraph (*)(const std::string&, const std::string&);
    const Read readLayers = [](const std::string& text, const std::string& file) {
        return model::readLayersJson(text, file);
    };
    for (const Read read : {readLayers, Read{model::readAccpar}, Read{model::readM3e}, Read{model::readMaestro},
                            Read{model::readScaleSim}}) {
        try {
            const model::LayerGraph graph = read(bytes, "input");
            model::readLayersJson(model::writeLayersJson(graph), "again");
        } catch (const DataError&) {
            continue;
        }
    }
    return 0;
}

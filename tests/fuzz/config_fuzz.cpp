// Seeds: tests/data/configs/*.json
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/model/readers/hf_config.h"

/// Configurations in the form of Hugging Face from any bytes: a graph of few layers with the counted parameters, or a
/// DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    try {
        model::ConfigTransformer config = model::configTransformerOf(bytes, "input");
        if (model::activeParametersOf(config) > model::parametersOf(config)) __builtin_trap();
        // Blocks are alike, so that a few stand for all.
        if (config.layers + config.decoderLayers > 12) return 0;
        const model::Graph graph = model::readHfConfig(bytes, "input", {});
        if (model::summarise(graph).parameters != model::parametersOf(config)) __builtin_trap();
    } catch (const DataError&) {
        return 0;
    }
    return 0;
}

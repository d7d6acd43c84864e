// Seeds: data/dataflows/*.m
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/base/error.h"
#include "core/cost/dataflow.h"

/// The reader of mapping files on any bytes: a dataflow that reads back as it was written and has a cost or a reason
/// for having none, or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tessera;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const cost::Dataflow dataflow = cost::readDataflow(text, "input.m");
        const cost::Dataflow again = cost::readDataflow(cost::writeDataflow(dataflow), "input.m");
        if (again != dataflow) std::abort();
        const cost::Layer conv{.k = 80, .c = 96, .y = 30, .x = 31, .r = 3, .s = 5};
        cost::Layer depthwise = conv;
        depthwise.kind = cost::LayerKind::dsconv;
        for (const cost::Layer& layer : {conv, depthwise})
            for (const cost::Variant variant : {cost::Variant::published, cost::Variant::corrected})
                cost::analyse(layer, dataflow, {}, variant);
    } catch (const DataError&) {
        return 0;
    }
    return 0;
}

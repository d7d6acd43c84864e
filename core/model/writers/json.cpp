#include "core/model/readers/layers_json.h"
#if __has_include("core/model/readers/native_json.h")
#include "core/model/readers/native_json.h"
#else
namespace tessera::model {
static std::string writeNativeJson(const Graph&) {
    return {};
}
}  // namespace tessera::model
#endif
#include "core/model/writers/writers.h"

namespace tessera::model {

Converted writeJson(const Model& model) {
    if (const Graph* const graph = model.graph()) return {writeNativeJson(*graph), {}};
    return {writeLayersJson(std::get<LayerGraph>(model.form)), {}};
}

}  // namespace tessera::model

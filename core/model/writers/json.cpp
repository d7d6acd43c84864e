#include <variant>

#include "core/model/readers/layers_json.h"
#include "core/model/readers/native_json.h"
#include "core/model/writers/writers.h"

namespace tessera::model {

Converted writeJson(const Model& model) {
    if (const Graph* const graph = model.graph()) return {writeNativeJson(*graph), {}};
    return {writeLayersJson(std::get<LayerGraph>(model.form)), {}};
}

}  // namespace tessera::model

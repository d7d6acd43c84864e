#pragma once

#include <string>
#include <string_view>

#include "core/model/graph.h"
#include "core/model/model.h"

namespace tessera::model {

inline constexpr std::string_view kModelSchema = "tessera.model/1";

/// The text of a graph as Tessera's own JSON (`data/schemas/model.schema.json`), without loss: `readNativeJson` gives
/// an equal graph. Tensors and operators keep their order; tensors are referred to by name, "" = left out; an unknown
/// dimension is null, an unknown shape is null. Attributes name their kind, as in {"axis": {"int": 1}}; numbers that
/// JSON cannot hold are the texts "nan", "inf" and "-inf". In every text of the document a backslash starts an escape:
/// `\\` is a backslash, `\xNN` the byte NN (in hexadecimal) of a name that is not UTF-8.
std::string writeNativeJson(const Graph& graph);

/// Reads what `writeNativeJson` writes. The graph passes the checks of GraphBuilder, and what the file says about
/// shapes must not contradict them. Throws DataError (file, line, field) for anything else.
/// `options` bind dimensions that have a name and no size, as in every reader; without them the graph is as written. A
/// shape that follows from stored elements, which the file does not hold, then stays unknown, and a warning says so.
Graph readNativeJson(std::string bytes, const std::string& file, const LoadOptions& options = {});

}  // namespace tessera::model

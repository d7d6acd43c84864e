#pragma once

#include <string>

#include "core/model/graph.h"
#include "core/model/model.h"

namespace tessera::model {

/// Reads an ONNX model. Needs no weights and opens no other file. `options.batch` (default 1) binds dimension 0 of
/// every graph input where it is symbolic, unset, -1 or 0; `options.dimensions` binds other dimensions by name,
/// everywhere. A fixed dimension 0 stays, and the graph's `batch` says which it is. `bytes` are the file's contents,
/// `file` its name for messages. Throws DataError for what cannot be read ("What loads and what does not" in the guide)
/// or goes beyond the limits (512 MiB, 1,000,000 nodes, 64 dimensions, nesting of 100, memory), UsageError for a
/// dimension name that the model does not have.
Graph readOnnx(const std::string& bytes, const std::string& file, const LoadOptions& options = {});

}  // namespace tessera::model

#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/store/store.h"

/// Functions of the history that take documents as values.
namespace tessera::store {

/// The runs of a sweep, and its definition.
struct Sweep {
    Json document;
    std::map<std::size_t, RunId> runs;  ///< by point; purged ones are missing
};

/// Trace points and checkpoint that a running search writes from time to time. Points after the checkpoint are
/// separate, so that a run that continues from it does not have them twice.
struct TraceBatch {
    std::vector<TracePoint> before = {};
    std::optional<Json> checkpoint = {};
    std::vector<TracePoint> after = {};
};

/// A row of the history as documents and programs have it: times in seconds since 1970.
Json toJson(const RunRow& row);

}  // namespace tessera::store

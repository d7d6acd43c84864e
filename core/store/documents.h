#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/store/store.h"

/// What of the history holds documents as values.
namespace tessera::store {

/// The runs of a sweep, and what it was asked for.
struct Sweep {
    Json document;
    std::map<std::size_t, RunId> runs;  ///< by point; purged ones are missing
};

/// What a running search leaves behind from time to time. Points that came after the checkpoint are told apart, so that
/// a run that continues from it does not have them twice.
struct TraceBatch {
    std::vector<TracePoint> before = {};
    std::optional<Json> checkpoint = {};
    std::vector<TracePoint> after = {};
};

}  // namespace tessera::store

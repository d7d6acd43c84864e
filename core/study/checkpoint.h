#pragma once

#include <functional>
#include <optional>

#include "core/base/json.h"
#include "core/study/engine.h"
#include "core/study/result.h"

/// The one envelope of what an interrupted run goes on from (`tessera.checkpoint/1`): what the state was computed from,
/// and the state in its engine's own form.
namespace tessera::study {

/// Puts a state in its envelope. `begun` holds the study, its seed and its inputs.
Json checkpointJson(const Result& begun, Json state);

/// Returns a sink that wraps states in the envelope and passes them to `context.checkpoint`; null if there is none.
/// Both references must outlive it.
std::function<void(Json state)> checkpointSink(const RunContext& context, const Result& begun);

/// The state that `context.resume` holds for `begun`, as the root of a document; nothing where there is none or another
/// version of the program wrote it. Throws DataError where it is damaged, or belongs to another study, to another seed
/// or to inputs that have changed since.
std::optional<JsonDocument> resumedState(const RunContext& context, const Result& begun);

}  // namespace tessera::study

#pragma once

#include "app/cli/command.h"
#include "core/store/store.h"

namespace tessera::cli {

/// Resumes the sweep that the run belongs to: runs the remaining points and prints the sweep as if it had not been
/// interrupted. Returns false if the run belongs to no sweep.
bool resumeSweep(Context& context, const store::Store& history, store::RunId run);

}  // namespace tessera::cli

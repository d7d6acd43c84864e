#pragma once

#include "app/cli/command.h"
#include "core/store/store.h"

namespace tessera::cli {

/// Where the run belongs to a sweep: runs the points that are left, and shows the sweep as it would have been shown had
/// nothing stopped it. Says whether the run belongs to one.
bool resumeSweep(Context& context, const store::Store& history, store::RunId run);

}  // namespace tessera::cli

#pragma once

#include "ui/editors/hardware_kind.h"
#include "ui/models/facts.h"

namespace tessera::ui {

/// The headline numbers of a piece of hardware: of an accelerator its rates and memories, of a fleet what it is made
/// of. Title and icon are left to the caller.
Facts hardwareFacts(const Preview& preview);

}  // namespace tessera::ui

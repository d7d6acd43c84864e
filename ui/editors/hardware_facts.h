#pragma once

#include "core/base/json.h"
#include "core/hardware/field.h"
#include "ui/editors/hardware_kind.h"
#include "ui/models/facts.h"

namespace tessera::ui {

/// What a document of a kind says of every field of the kind's table, by sections; of long lists the beginning.
Facts hardwareFacts(const hardware::Kind& kind, const Json& document);
/// The same of a valid document, below numbers that are computed of it, such as the accelerators of a fleet. Title and
/// icon are left to the caller.
Facts hardwareFacts(const Preview& preview);

}  // namespace tessera::ui

#pragma once

#include <QString>

#include "core/base/json.h"

namespace tessera::ui {

/// The sizes of named dimensions on one line: "sequence=128, width=64".
QString sizesText(const Json& sizes);

/// The sizes that a line names; null where it is empty, the text itself where it is no such line.
Json readSizes(const QString& text);

}  // namespace tessera::ui

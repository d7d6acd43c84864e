#pragma once

#include <cstdint>

#include "ui/models/graph_contents.h"

namespace tessera::ui {

/// A model as a whole, for the Inspector: what it is, how large, what goes in and out. The title is left to the caller.
Facts overviewOf(const ModelContents& contents);

/// The fold's node of the first operator that a sentence names in quotes, itself or a tensor that it makes; -1 where
/// there is none.
std::int32_t nodeNamedIn(const ModelContents& contents, const QString& sentence);

}  // namespace tessera::ui

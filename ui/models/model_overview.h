#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/model/memory.h"
#include "core/study/explanation.h"
#include "ui/models/graph_contents.h"

namespace tessera::ui {

/// A model as a whole, for the Inspector: what it is, how large, what goes in and out. The title is left to the caller.
Facts overviewOf(const std::shared_ptr<const ModelContents>& shared);
/// Explanation of the bytes of a class of its memory; empty where they are unknown.
std::optional<study::Explanation> explainMemory(const ModelContents& contents, model::MemoryUse use);

/// The hierarchy's node of the first operator that a sentence names in quotes, itself or a tensor that it makes; -1
/// where there is none.
std::int32_t nodeNamedIn(const ModelContents& contents, const QString& sentence);

}  // namespace tessera::ui

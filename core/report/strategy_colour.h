#pragma once

#include <string_view>

/// What pictures show of a partition strategy or a mapping algorithm, by its row.
namespace tessera::report {

/// The colour of a strategy or algorithm: the same everywhere. The last one of another program's.
std::string_view strategyColour(std::string_view id);

/// Whether it is one that ours is compared with, and so drawn dashed; of another program's too.
bool isBaseline(std::string_view id);

}  // namespace tessera::report

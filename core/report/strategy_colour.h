#pragma once

#include <string_view>

/// Colour and line style of a partition strategy or a mapping algorithm in pictures, by its row.
namespace tessera::report {

/// The colour of a strategy or algorithm: the same everywhere. The last one of another program's.
std::string_view strategyColour(std::string_view id);

/// True for a baseline, which is drawn dashed; also for a strategy or algorithm of another program.
bool isBaseline(std::string_view id);

}  // namespace tessera::report

#pragma once

#include <string>

#include "core/draw/table.h"
#include "core/reproduce/reproduce.h"

namespace tessera::report {

/// One row per item (or depth), one column per metric, the paper's number beside ours where it prints one.
Table reproductionTable(const study::Reproduction& reproduction);

/// The figure for a terminal: table, geometric means, notes.
std::string toText(const study::Reproduction& reproduction);

}  // namespace tessera::report

#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/json.h"
#include "ui/editors/problem.h"

namespace tessera::ui {

/// Reads a document as the program does; throws DataError (or another exception with a sentence).
using Reader = std::function<void(const JsonNode& root)>;

/// Placeholder values for invalid required fields while the rest is checked, by the last key of the field.
using Placeholders = std::map<std::string, Json>;

/// All that the reader finds wrong, at most 20. Where there are stand-ins, the reader stops at its first problem, so
/// the wrong field is taken out (or a stand-in put there) and the rest is read again. `file` is what relative paths
/// count from.
Problems findProblems(Json document, const std::string& file, const Reader& reader, const Placeholders& stands);

}  // namespace tessera::ui

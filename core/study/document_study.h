#pragma once

#include "core/base/json.h"
#include "core/study/result.h"

/// What the readers of all engines' output documents share.
namespace tessera::study {

/// The study that an output document rests on: its name, seed and parameters stand above what the caller knows. Throws
/// DataError.
Study studyOf(const JsonNode& document, const Study& study);

}  // namespace tessera::study

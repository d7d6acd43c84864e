#pragma once

#include "core/study/parameter.h"

namespace tessera::study {

/// A parameter's value in the one form in which studies hold it, however it was set: real numbers are real, also whole
/// ones, and whole numbers are whole. So a study is the same bytes before and after it was stored. What the parameter
/// cannot be is left as it is.
Json storedForm(const Parameter& parameter, Json value);

}  // namespace tessera::study

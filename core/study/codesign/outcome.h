#pragma once

#include "core/codesign/search/search.h"

namespace tessera::study {

/// Result of the co-design engine. In a result that was read back, the template holds only what the output document
/// has.
struct CodesignOutcome {
    codesign::Result result;
};

}  // namespace tessera::study

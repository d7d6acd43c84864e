#pragma once

#include "core/codesign/search/search.h"

namespace tessera::study {

/// What the co-design engine found. Of the template only what the output document tells is there in a result that was
/// read back.
struct CodesignOutcome {
    codesign::Result result;
};

}  // namespace tessera::study

#pragma once

#include <string>
#include <vector>

#include "core/codesign/search/search.h"
#include "core/study/codesign/outcome.h"
#include "core/study/estimate.h"
#include "core/study/parameter.h"
#include "core/study/result.h"
#include "core/study/study.h"

namespace tessera::study {

/// The co-design engine's parameters: the one place that names its options, defaults and ranges.
const std::vector<Parameter>& codesignParameters();

/// The engine's options that a study's parameters mean. The parameters must be valid (see readParameter).
codesign::Options codesignOptions(const Study& study);

/// Searches the study's template for its models. Throws like study::run; InfeasibleError where no accelerator runs
/// every model.
Result runCodesign(const Study& study, const RunContext& context);

/// See study::estimate.
Estimate estimateCodesign(const Study& study);

}  // namespace tessera::study

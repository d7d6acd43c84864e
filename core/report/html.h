#pragma once

#include <string>
#include <vector>

#include "core/study/result.h"

namespace tessera::report {

/// A report that stands alone: one HTML file, no network, light or dark as the reader's system is set. Every result
/// begins with its headline, then the picture that answers the question, then details.
std::string htmlReport(const std::string& title, const std::vector<study::Result>& results);

}  // namespace tessera::report

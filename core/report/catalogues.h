#pragma once

#include "core/report/catalogue.h"

/// The catalogues that core/report brings; see catalogue.h.
namespace tessera::report {

Catalogue partitionCatalogue();
Catalogue mappingCatalogue();
Catalogue codesignCatalogue();
Catalogue predictionCatalogue();

constexpr unsigned kEverywhere = kWindow | kReport;

/// All metrics of a result, a row of every catalogue.
TableRow metricsRow();

}  // namespace tessera::report

#pragma once

#include <string>
#include <type_traits>
#include <variant>

#include "core/report/catalogue.h"
#include "core/study/codesign/outcome.h"

/// The catalogues that core/report brings; see catalogue.h.
namespace tessera::report {

Catalogue partitionCatalogue();
Catalogue mappingCatalogue();
Catalogue codesignCatalogue();
Catalogue predictionCatalogue();
Catalogue planCatalogue();
Catalogue placementCatalogue();
Catalogue scheduleCatalogue();
Catalogue calibrationCatalogue();
Catalogue costCatalogue();
Catalogue explorationCatalogue();

constexpr unsigned kEverywhere = kWindow | kReport;

/// Adapters that make a picture or table of an engine's outcome, of a chosen part of it, and of a co-design.
template <typename Outcome, typename Made>
auto from(Made (*make)(const Outcome& outcome)) {
    return [make](const View& view) {
        if constexpr (std::is_same_v<Outcome, codesign::Result>)
            return make(view.result.outcome.get<study::CodesignOutcome>().result);
        else
            return make(view.result.outcome.get<Outcome>());
    };
}
template <typename Outcome, typename Made>
auto from(Made (*make)(const Outcome& outcome, const std::string& choice)) {
    return [make](const View& view) { return make(view.result.outcome.get<Outcome>(), view.at.choice); };
}

/// All metrics of a result, a row of every catalogue.
TableRow metricsRow();

}  // namespace tessera::report

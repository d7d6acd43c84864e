#pragma once

#include <string>

#include "core/report/catalogue.h"

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

/// Adapters that make a picture or table of an engine's outcome, and of a chosen part of it.
template <typename Outcome, typename Made>
auto from(Made (*make)(const Outcome& outcome)) {
    return [make](const View& view) { return make(view.result.outcome.get<Outcome>()); };
}
template <typename Outcome, typename Made>
auto from(Made (*make)(const Outcome& outcome, const std::string& choice)) {
    return [make](const View& view) { return make(view.result.outcome.get<Outcome>(), view.at.choice); };
}

/// All metrics of a result, a row of every catalogue.
TableRow metricsRow();

/// The second sentence of an answer: "That is proven optimal." of "proven optimal"; "The optimality gap is at most
/// 7 %." of "optimality gap ≤ 7 %".
std::string certaintySentence(const std::string& certainty);

}  // namespace tessera::report

#pragma once

#include <string>
#include <type_traits>
#include <variant>

#include "core/report/catalogue.h"

/// The catalogues that core/report brings; see catalogue.h.
namespace tessera::report {

Catalogue partitionCatalogue();
Catalogue mappingCatalogue();
Catalogue codesignCatalogue();
Catalogue predictionCatalogue();

constexpr unsigned kEverywhere = kWindow | kReport;

/// What makes a picture or table of an engine's outcome, of it with the chosen part of a result, and of a co-design.
template <typename Outcome, typename Made>
auto from(Made (*make)(const Outcome& outcome)) {
    return [make](const View& view) {
        if constexpr (std::is_same_v<Outcome, codesign::Result>)
            return make(std::get<study::CodesignOutcome>(view.result.outcome).result);
        else
            return make(std::get<Outcome>(view.result.outcome));
    };
}
template <typename Outcome, typename Made>
auto from(Made (*make)(const Outcome& outcome, const std::string& choice)) {
    return [make](const View& view) { return make(std::get<Outcome>(view.result.outcome), view.at.choice); };
}

/// All metrics of a result, a row of every catalogue.
TableRow metricsRow();

}  // namespace tessera::report

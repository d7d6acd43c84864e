#include "core/report/strategy_colour.h"

#include "core/base/number.h"
#include "core/draw/theme.h"
#include "core/mapping/mapping.h"
#include "core/partition/partition.h"

namespace tessera::report {

std::string_view strategyColour(std::string_view id) {
    if (const auto* strategy = partition::findStrategy(id)) return kCategories.at(toIndex(strategy->colour));
    const auto* const algorithm = mapping::findAlgorithm(id);
    return algorithm != nullptr ? kCategories.at(toIndex(algorithm->colour)) : kCategories.back();
}

bool isBaseline(std::string_view id) {
    if (const auto* strategy = partition::findStrategy(id)) return strategy->baseline;
    const auto* const algorithm = mapping::findAlgorithm(id);
    return algorithm == nullptr || algorithm->baseline;
}

}  // namespace tessera::report

#include "core/study/exploration/outcome.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/names.h"

namespace tessera::study {

std::int64_t ExplorationOutcome::feasible() const {
    return std::count_if(points.begin(), points.end(), [](const ExploredPoint& point) { return point.isFeasible(); });
}

const ExploredMetric* ExplorationOutcome::metric(std::string_view id) const {
    return findRow(metrics, id);
}

const ExploredVariable* ExplorationOutcome::variable(std::string_view name) const {
    return findRow(variables, name);
}

std::string ExplorationOutcome::titleOf(std::string_view id) const {
    if (const ExploredMetric* const its = metric(id)) return its->title;
    const ExploredVariable* const its = variable(id);
    return its == nullptr ? std::string(id) : its->title;
}

Measure ExplorationOutcome::measureOf(std::string_view id) const {
    if (const ExploredMetric* const its = metric(id)) return its->measure;
    const ExploredVariable* const its = variable(id);
    return its == nullptr ? Measure::count : its->measure;
}

double ExplorationOutcome::valueOf(const ExploredPoint& point, std::string_view id) const {
    if (const ExploredMetric* const its = metric(id))
        return point.metrics[static_cast<std::size_t>(its - metrics.data())];
    const ExploredVariable* const its = variable(id);
    if (its == nullptr) return std::numeric_limits<double>::quiet_NaN();
    return point.valueOf(static_cast<std::size_t>(its - variables.data()));
}

std::string ExplorationOutcome::textOf(std::string_view id, double value) const {
    if (const ExploredMetric* const its = metric(id)) return study::textOf(*its, value);
    const ExploredVariable* const its = variable(id);
    return its == nullptr ? exactNumber(value) : study::textOf(*its, value);
}

std::optional<std::size_t> ExplorationOutcome::best(const ExploredObjective& objective) const {
    std::optional<std::size_t> found;
    double min = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!points[i].isFeasible()) continue;
        const double value = objective.asLess(valueOf(points[i], objective.id));
        if (found && !(value < min)) continue;
        found = i;
        min = value;
    }
    return found;
}

std::vector<bool> ExplorationOutcome::onFront() const {
    std::vector<bool> are(points.size(), false);
    for (const std::size_t point : front) are[point] = true;
    return are;
}

bool ExplorationOutcome::isConsistent() const {
    const auto isPoint = [this](std::size_t point) { return point < points.size(); };
    const auto hasAll = [this](const ExploredPoint& point) {
        const auto isWord = [&](std::size_t i) {
            return !variables[i].isCategory() || std::isnan(point.values[i]) ||
                   (point.values[i] >= 0 && point.values[i] < static_cast<double>(variables[i].words.size()));
        };
        if (point.metrics.size() != metrics.size()) return false;
        if (point.values.empty()) return true;  // of one that could not be reckoned
        if (point.values.size() != variables.size()) return false;
        for (std::size_t i = 0; i < variables.size(); ++i)
            if (!isWord(i)) return false;
        return true;
    };
    return std::all_of(points.begin(), points.end(), hasAll) && (!baseline || hasAll(*baseline)) &&
           std::all_of(front.begin(), front.end(), isPoint) && (!knee || isPoint(*knee)) &&
           (!chosen || isPoint(*chosen)) &&
           std::all_of(kept.begin(), kept.end(), [&](const KeptPoint& each) { return isPoint(each.point); });
}

}  // namespace tessera::study

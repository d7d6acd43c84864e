#include "core/study/progress_value.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/units.h"
#include "core/study/metric.h"

namespace tessera::study {

namespace {

std::string secondsText(double value) {
    return formatQuantity(value, Measure::seconds);
}

std::string joulesText(double value) {
    return formatQuantity(value, Measure::joules);
}

std::string cyclesText(double value) {
    return formatCount(std::round(value)) + " cycles";
}

std::string timesOf(double value) {
    return timesText(value);
}

/// An engine's objective; the first row of an engine is its objective where the study says nothing.
struct Row {
    std::string_view engine, objective, title;
    std::string (*text)(double value);
    bool rises = false;  ///< more is better
};
constexpr std::array kRows{
    Row{"partition", "", "Step time", secondsText},
    Row{"mapping", "throughput", "Makespan (cycles)", cyclesText},
    Row{"mapping", "latency", "Mean completion time (cycles)", cyclesText},
    Row{"mapping", "energy", "Energy", joulesText},
    Row{"mapping", "edp", "Energy × delay (J·cycles)", formatCount},
    Row{"mapping", "weighted", "Weighted objective", formatCount},
    Row{"codesign", "geomean", "Throughput over the reference", timesOf, true},
    Row{"codesign", "mean", "Mean throughput (samples/s)", formatCount, true},
    Row{"codesign", "worst", "Least throughput over the reference", timesOf, true},
};

const Row& rowOf(const Study& study) {
    const auto given = study.parameters->find("objective");
    const std::string objective =
        given != study.parameters->end() && given->is_string() ? given->get<std::string>() : std::string();
    const Row* first = nullptr;
    for (const Row& row : kRows) {
        if (row.engine != study.engine) continue;
        if (row.objective == objective) return row;
        if (first == nullptr) first = &row;
    }
    return first != nullptr ? *first : kRows.front();
}

}  // namespace

std::string progressTitle(const Study& study) {
    return std::string(rowOf(study).title);
}

std::string progressText(const Study& study, double value) {
    return rowOf(study).text(value);
}

bool isBetter(const Study& study, double value, double than) {
    return rowOf(study).rises ? value > than : value < than;
}

bool progressSpansDecades(const Study& study) {
    return study.engine == "mapping";
}

}  // namespace tessera::study

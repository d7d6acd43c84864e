#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/study/explanation.h"
#include "core/study/field.h"
#include "core/study/metric.h"
#include "core/study/result.h"

/// Metrics and their explanations from the fields of a result's rows.
namespace tessera::study {

/// A number of a row as a metric of `owner`; empty = of the result itself.
template <typename Row>
Metric metricOf(const Field<Row>& field, double value, const std::string& owner) {
    return {.name = owner.empty() ? std::string(field.id) : owner + "/" + std::string(field.id),
            .title = std::string(field.title),
            .owner = owner,
            .value = value,
            .measure = field.measure,
            .better = field.better,
            .uncertain = (field.uses & kUncertain) != 0};
}

/// Adds the metrics of a row, those that have a value. They are of `owner`; empty = of the result itself.
template <typename Row>
void addMetricsBy(std::vector<Metric>& metrics, const std::vector<Field<Row>>& fields, const Row& row,
                  const std::string& owner) {
    for (const Field<Row>& field : fields) {
        const FieldValue value = field.get(row);
        const auto* number = std::get_if<double>(&value);
        if ((field.uses & kMetric) != 0 && number != nullptr && std::isfinite(*number))
            metrics.push_back(metricOf(field, *number, owner));
    }
}

/// The metrics of what a result has once.
template <typename Row>
std::vector<Metric> metricsBy(const std::vector<Field<Row>>& fields, const Row& row) {
    std::vector<Metric> metrics;
    addMetricsBy(metrics, fields, row, "");
    return metrics;
}

/// Formats a metric by its field's own formatter, if it has one; uncertain metrics are rounded alike whatever their
/// field.
template <typename Row>
std::optional<std::string> metricTextBy(const std::vector<Field<Row>>& fields, std::string_view name, double value) {
    for (const Field<Row>& field : fields)
        if (field.id == name && field.format != nullptr && (field.uses & kUncertain) == 0) return field.format(value);
    return std::nullopt;
}

/// Full precision with its unit, which the name says where the measure does not: "0.0362 s", "14140 samples/s".
inline std::string exactWithUnit(std::string_view name, double value, Measure measure) {
    std::string_view unit = unitName(measure);
    for (const auto& [suffix, itsUnit] : {std::pair<std::string_view, std::string_view>{"_samples_per_s", "samples/s"},
                                          {"_bytes_per_cycle", "bytes/cycle"},
                                          {"_cycles", "cycles"}})
        if (unit.empty() && name.ends_with(suffix)) unit = itsUnit;
    return unit.empty() ? exactNumber(value) : exactNumber(value) + " " + std::string(unit);
}

/// Owner of an explained number, and the paper that the formula's source is a place in; both may be empty.
struct ExplainedOf {
    std::string owner = {};
    std::string_view paper = {};
};

/// Explains such a metric of a row, or another number that is explained; empty where it has none of that name.
template <typename Row>
std::optional<Explanation> explainedBy(const std::vector<Field<Row>>& fields, const Row& row, const Result& result,
                                       std::string_view name, const ExplainedOf& of = {}) {
    for (const Field<Row>& field : fields) {
        if (field.id != name || pathOf(field) != name) continue;
        const FieldValue value = field.get(row);
        const auto* number = std::get_if<double>(&value);
        if (number == nullptr) return std::nullopt;
        Explanation explanation{
            .title = std::string(field.title),
            .value = (field.uses & kMetric) != 0 ? textOf(metricOf(field, *number, "")) : textOf(field, row),
            .exact = exactWithUnit(name, *number, field.measure),
            .formula = std::string(field.formula),
            .terms = {},
            .source = std::string(field.source),
            .notes = result.assumptions};
        if (!of.owner.empty()) explanation.title += " of " + of.owner;
        if (!of.paper.empty() && field.source != "definition")
            explanation.source = std::string(of.paper) + ", " + explanation.source;
        if (field.terms != nullptr) field.terms(row, explanation.terms);
        return explanation;
    }
    return std::nullopt;
}

}  // namespace tessera::study

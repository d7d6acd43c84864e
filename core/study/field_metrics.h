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

/// Adds the metrics of a row, those that have a value. They are of `owner`; empty = of the result itself.
template <typename Row>
void addMetricsBy(std::vector<Metric>& metrics, const std::vector<Field<Row>>& fields, const Row& row,
                  const std::string& owner) {
    for (const Field<Row>& field : fields) {
        const FieldValue value = field.get(row);
        const auto* number = std::get_if<double>(&value);
        if ((field.uses & kMetric) == 0 || number == nullptr || !std::isfinite(*number)) continue;
        metrics.push_back({.name = owner.empty() ? std::string(field.id) : owner + "/" + std::string(field.id),
                           .title = std::string(field.title),
                           .owner = owner,
                           .value = *number,
                           .measure = field.measure,
                           .better = field.better,
                           .uncertain = (field.uses & kUncertain) != 0});
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
        if (field.id == name && field.said != nullptr && (field.uses & kUncertain) == 0) return field.said(value);
    return std::nullopt;
}

/// Explains such a metric; empty for another path.
template <typename Row>
std::optional<Explanation> explainedBy(const std::vector<Field<Row>>& fields, const Row& row, const Result& result,
                                       const std::string& path) {
    for (const Field<Row>& field : fields) {
        const FieldValue value = field.get(row);
        const auto* number = std::get_if<double>(&value);
        if (field.id != path || number == nullptr) continue;
        Explanation explanation{.title = std::string(field.title),
                                .value = textOf(field, row),
                                .exact = exactNumber(*number),
                                .formula = std::string(field.formula),
                                .terms = {},
                                .source = std::string(field.source),
                                .notes = result.assumptions};
        if (const std::string_view unit = unitName(field.measure); !unit.empty())
            explanation.exact += " " + std::string(unit);
        if (field.terms != nullptr) field.terms(row, explanation.terms);
        return explanation;
    }
    return std::nullopt;
}

}  // namespace tessera::study

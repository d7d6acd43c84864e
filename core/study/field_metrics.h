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

/// Metrics and their explanations from the fields of what a result has once.
namespace tessera::study {

/// The metrics of a row, those that have a value.
template <typename Row>
std::vector<Metric> metricsBy(const std::vector<Field<Row>>& fields, const Row& row) {
    std::vector<Metric> metrics;
    for (const Field<Row>& field : fields) {
        const FieldValue value = field.get(row);
        const auto* number = std::get_if<double>(&value);
        if ((field.uses & kMetric) == 0 || number == nullptr || !std::isfinite(*number)) continue;
        metrics.push_back({.name = std::string(field.id),
                           .title = std::string(field.title),
                           .owner = "",
                           .value = *number,
                           .measure = field.measure,
                           .better = field.better});
    }
    return metrics;
}

/// How a metric of such a field is said, where the field has words of its own.
template <typename Row>
std::optional<std::string> metricTextBy(const std::vector<Field<Row>>& fields, std::string_view name, double value) {
    for (const Field<Row>& field : fields)
        if (field.id == name && field.said != nullptr) return field.said(value);
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

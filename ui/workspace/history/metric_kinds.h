#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/study/metric.h"

namespace tessera::ui {

/// Names and units of the history's metrics, as the history itself says (Store::metricKinds). A metric that it does not
/// know (yet) is shown by its name, as a plain number.
class MetricKinds {
public:
    MetricKinds() = default;
    explicit MetricKinds(std::vector<study::Metric> kinds) : kinds_(std::move(kinds)) {}

    const std::vector<study::Metric>& all() const { return kinds_; }
    /// "Step time", "Step time (accpar)".
    QString title(const QString& name) const;
    /// "36.2 ms".
    QString text(const QString& name, double value) const;
    /// Reads "36 ms"; empty where that is no value of the metric.
    std::optional<double> value(const QString& name, const QString& text) const;

    bool operator==(const MetricKinds&) const = default;

private:
    study::Metric find(const QString& name) const;
    std::vector<study::Metric> kinds_;
};

/// Typing is answered when it rests.
inline constexpr int kTypingMilliseconds = 150;

}  // namespace tessera::ui

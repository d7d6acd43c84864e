#include "core/study/key_result.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/metric.h"

namespace tessera::study {

namespace {

/// In order of preference within an engine.
struct Row {
    std::string_view engine, metric;
    Measure measure;
    bool uncertain;
};
constexpr std::array kResults{Row{"partition", "throughput_samples_per_s", Measure::count, false},
                              Row{"mapping", "throughput_flops", Measure::flopsPerSecond, false},
                              Row{"mapping", "makespan_s", Measure::seconds, false},
                              Row{"mapping", "makespan_cycles", Measure::count, false},
                              Row{"predict", "throughput_samples_per_s", Measure::count, true}};
constexpr const char *kGap = "gap", *kObjective = "objective", *kBound = "objective_bound";

std::optional<double> valueOf(const std::map<std::string, double>& metrics, std::string_view name) {
    const auto found = metrics.find(std::string(name));
    return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> gapOf(std::string_view engine, const std::map<std::string, double>& metrics) {
    if (engine != "codesign") return valueOf(metrics, kGap);
    const std::optional<double> objective = valueOf(metrics, kObjective), bound = valueOf(metrics, kBound);
    if (!objective || !bound || !(*objective > 0) || *bound < *objective) return std::nullopt;
    return *bound / *objective - 1;
}

}  // namespace

const std::vector<std::string>& keyMetrics() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names{kGap, kObjective, kBound};
        for (const Row& row : kResults)
            if (std::find(names.begin(), names.end(), row.metric) == names.end()) names.emplace_back(row.metric);
        return names;
    }();
    return kNames;
}

std::string keyResult(std::string_view engine, const std::map<std::string, double>& metrics,
                      std::string_view headline) {
    for (const Row& row : kResults) {
        if (row.engine != engine) continue;
        Metric metric;
        metric.name = row.metric;
        metric.measure = row.measure;
        metric.uncertain = row.uncertain;
        if (const std::optional<double> value = valueOf(metrics, row.metric)) {
            metric.value = *value;
            return textOf(metric);
        }
    }
    return escaped(headline.substr(0, headline.find(" · ")));
}

std::string gapText(std::string_view engine, const std::map<std::string, double>& metrics) {
    constexpr double kRounding = 1e-9;
    const std::optional<double> gap = gapOf(engine, metrics);
    if (!gap) return "";
    return *gap <= kRounding ? "proven" : "≤ " + percentText(*gap);
}

}  // namespace tessera::study

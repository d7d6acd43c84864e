#include "core/study/key_result.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/engine.h"

namespace tessera::study {

namespace {

constexpr const char* kGap = "gap";

std::optional<double> valueOf(const std::map<std::string, double>& metrics, std::string_view name) {
    const auto found = metrics.find(std::string(name));
    return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> gapOf(const Engine& engine, const std::map<std::string, double>& metrics) {
    if (engine.boundMetric.empty()) return valueOf(metrics, kGap);
    const std::optional<double> objective = valueOf(metrics, engine.objectiveMetric),
                                bound = valueOf(metrics, engine.boundMetric);
    if (!objective || !bound || !(*objective > 0) || *bound < *objective) return std::nullopt;
    return *bound / *objective - 1;
}

}  // namespace

const std::vector<std::string>& keyMetrics() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names{kGap};
        const auto add = [&](std::string_view name) {
            if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
        };
        for (const Engine& engine : engines()) {
            add(engine.objectiveMetric);
            add(engine.boundMetric);
            for (const KeyMetric& key : engine.keyMetrics) add(key.name);
        }
        return names;
    }();
    return kNames;
}

std::string keyResult(std::string_view engine, const std::map<std::string, double>& metrics,
                      std::string_view headline) {
    if (const Engine* row = findEngine(engine))
        for (const KeyMetric& key : row->keyMetrics) {
            const std::optional<double> value = valueOf(metrics, key.name);
            if (!value) continue;
            Metric metric;
            metric.name = key.name;
            metric.measure = key.measure;
            metric.uncertain = key.uncertain;
            metric.value = *value;
            return textOf(metric);
        }
    return escaped(headline.substr(0, headline.find(" · ")));
}

std::string gapText(std::string_view engine, const std::map<std::string, double>& metrics) {
    constexpr double kRounding = 1e-9;
    const Engine* row = findEngine(engine);
    const std::optional<double> gap = row == nullptr ? std::nullopt : gapOf(*row, metrics);
    if (!gap) return "";
    return *gap <= kRounding ? "proven" : "≤ " + percentText(*gap);
}

}  // namespace tessera::study

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/study/metric.h"
#include "core/study/result.h"

namespace tessera::study {

/// Several runs side by side. The first run, or `baseline`, is what deltas and ratios refer to.
struct Comparison {
    struct Row {
        std::string section;              ///< "Model", "Hardware", "Parameters"
        std::string field;                ///< "batch", "groups[1].count"
        std::vector<std::string> values;  ///< one per run; empty = the run has no such field
        bool same = false;
    };
    struct MetricRow {
        Metric metric;  ///< of the baseline; name, title, measure
        std::vector<std::optional<double>> values;
        std::vector<std::optional<double>> ratios;  ///< to the baseline's
        bool same = false;
    };
    /// One layer at one split of one strategy, where the runs share that layer's name.
    struct LayerRow {
        std::string strategy;
        int level = 0;
        std::string group;
        std::string layer;
        std::vector<std::string> types;  ///< one per run; empty = absent
        bool same = false;
    };
    std::vector<std::string> runs;  ///< titles
    std::size_t baseline = 0;
    std::vector<Row> inputs;
    std::vector<MetricRow> metrics;
    std::vector<LayerRow> layers;
    std::vector<std::string> warnings;  ///< why the runs are not directly comparable: other model, batch, version, …
};

/// Compares 2 to 200 results. `titles` names the runs, as many as results.
Comparison compare(const std::vector<const Result*>& results, const std::vector<std::string>& titles,
                   std::size_t baseline = 0);

}  // namespace tessera::study

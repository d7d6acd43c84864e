#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/study/metric.h"
#include "core/study/result.h"

namespace tessera::study {

/// Several runs side by side. The first run, or `baseline`, is what deltas and ratios refer to.
struct Comparison {
    struct Row {
        std::string section;              ///< "Model", "Workload", "Hardware", "Parameters"
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
    /// One layer at one split of one strategy, where at least two runs have that layer and that split. Splits are the
    /// same thing by their depth where every run has one group at it, else by the group's name.
    struct LayerRow {
        std::string strategy;
        int level = 0;
        std::string group;  ///< "v2|v3 / v3" where the runs call it differently
        std::string layer;
        std::vector<std::string> types;  ///< one per run; empty = absent
        bool same = false;               ///< in all runs that have it
    };
    /// Share of a type in a strategy's plan: comparable whatever the fleets are.
    struct ShareRow {
        std::string strategy;
        std::string type;                           ///< "I", "II", "III"
        std::vector<std::optional<double>> shares;  ///< of all layers at all splits, 0…1; empty = no such strategy
        bool same = false;
    };
    /// One job of mappings, where at least two runs have a job of that name (and number, among equal names): where the
    /// best mapping of each puts it.
    struct JobRow {
        struct Place {
            std::string core;
            std::int32_t order = 0;  ///< on the core, from 0
            double start = 0;        ///< seconds where `seconds`, else cycles
            double finish = 0;
            bool seconds = false;
        };
        std::size_t job = 0;  ///< index in the first run that has it
        std::string name;
        std::vector<std::optional<Place>> places;  ///< one per run
        bool same = false;                         ///< on the same core at the same place in all runs that have it
    };
    std::vector<std::string> runs;  ///< titles
    std::size_t baseline = 0;
    std::vector<Row> inputs;
    std::vector<MetricRow> metrics;
    /// The metric of `metrics` that decides which run is ahead: a time where every run's step does the same work, else
    /// a rate; empty where the runs have none in common.
    std::string deciding;
    std::string finding;  ///< one sentence on who is ahead, "b is 3.43× as fast as a: 5,526 samples/s against 1,612."
    std::vector<LayerRow> layers;
    std::vector<ShareRow> shares;
    std::vector<JobRow> jobs;
    std::vector<std::string> notes;     ///< what the rows of layers leave out, as sentences
    std::vector<std::string> warnings;  ///< why the runs are not directly comparable: other model, batch, version, …
};

/// The metric and the sentence of a comparison whose other fields are there. See Comparison::deciding and finding.
void addFinding(Comparison& comparison, const std::vector<const Result*>& results);

/// Compares 2 to 200 results. `titles` names the runs, as many as results.
Comparison compare(const std::vector<const Result*>& results, const std::vector<std::string>& titles,
                   std::size_t baseline = 0);

}  // namespace tessera::study

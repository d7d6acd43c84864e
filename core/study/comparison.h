#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/study/engine.h"
#include "core/study/explanation.h"
#include "core/study/metric.h"
#include "core/study/result.h"

namespace tessera::study {

/// Several runs side by side. The first run, or `baseline`, is what deltas and ratios refer to. Where steps of runs do
/// unequal work, or on more hardware, amounts of a step are not comparable: what they are per sample or token, and
/// rates per accelerator, come first then.
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
        std::vector<std::optional<double>> ratios;  ///< to the baseline's; none where not comparable
        bool same = false;
        bool comparable = true;  ///< false: an amount of a step, and steps differ as `unlike` says

        void compareTo(std::size_t run);  ///< sets ratios, and whether all values are the same
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
    /// A part of the runs' best results that at least two of them have: a stage, a layer, an operator.
    struct PartRow {
        std::string name;
        std::vector<std::optional<ComparedPart>> parts;  ///< one per run
        bool same = false;                               ///< done alike, and as fast, in all runs that have it
    };
    std::vector<std::string> runs;     ///< titles
    std::vector<std::string> letters;  ///< "A", by which tables and sentences name the runs
    std::size_t baseline = 0;
    std::vector<AmountOfWork> works;  ///< of a step, one per run
    bool sameWork = true, sameDevices = true;
    std::string unlike;  ///< why amounts of a step are not comparable: "batch sizes differ"; empty where they are
    std::string rate;  ///< the metric of samples or tokens per second, where all steps are counted in them; else empty
    std::vector<Row> inputs;
    std::vector<MetricRow> metrics;
    /// The metric of `metrics` that decides which run is ahead: a time where every run's step does the same work, else
    /// a rate; empty where the runs have none in common.
    std::string deciding;
    std::string finding;  ///< one sentence or two on who is ahead: "B (b) is 3.43× as fast as A (a): 5,526 samples/s …"
    std::vector<LayerRow> layers;
    std::vector<ShareRow> shares;
    std::vector<JobRow> jobs;
    std::string partsTitle;  ///< "Stages"
    std::vector<PartRow> parts;
    std::vector<std::string> notes;     ///< what the rows of layers leave out, as sentences
    std::vector<std::string> warnings;  ///< why the runs are not directly comparable: other model, batch, version, …
};

/// "A" of 0, "Z" of 25, "AA" of 26.
std::string letterOf(std::size_t run);

/// A run in a sentence: "A (resnet50 on dgx-h100x8)".
std::string namedRun(const Comparison& comparison, std::size_t run);
/// Equal for equal models, by their contents or the names of generated ones, and sizes; empty where a run has none.
std::string modelsOf(const Result& result);

/// Adds to a comparison's metrics what makes them comparable, and says which are not. See Comparison::unlike.
void addComparables(Comparison& comparison, const std::vector<const Result*>& results);
/// The metric and the sentence of a comparison whose other fields are there. See Comparison::deciding and finding.
void addFinding(Comparison& comparison, const std::vector<const Result*>& results);

/// Compares 2 to 200 results. `titles` names the runs, as many as results; their letters are those of their places
/// unless given. Throws UsageError for other numbers.
Comparison compare(const std::vector<const Result*>& results, const std::vector<std::string>& titles,
                   std::size_t baseline = 0, std::vector<std::string> letters = {});

/// The explanation of a metric of a run, also of one that comparisons add; empty where there is none.
std::optional<Explanation> explainCompared(const Comparison& comparison, const std::string& metric, std::size_t run,
                                           const Result& result);

/// Runs that have numbers in common, as places among the results: those of one engine, and those of others on the same
/// models whose steps are counted in samples, too. By the first of each.
std::vector<std::vector<std::size_t>> comparableRuns(const std::vector<const Result*>& results);

/// Runs compared each with its own kind.
struct ComparedKinds {
    std::vector<Comparison> comparisons;           ///< of two runs or more that have numbers in common
    std::vector<std::vector<std::size_t>> places;  ///< of their runs among all
    std::vector<std::size_t> alone;                ///< places of runs that have numbers in common with no other
};
/// Compares each run with its own kind, to the baseline, or, where that is of another kind, to their first. Takes what
/// `compare` takes.
ComparedKinds compareByKind(const std::vector<const Result*>& results, const std::vector<std::string>& titles,
                            std::size_t baseline = 0);
/// "A, B, C", "A to H".
std::string letterList(const std::vector<std::string>& letters);

}  // namespace tessera::study

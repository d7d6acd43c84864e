#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/ended_by.h"
#include "core/base/enum_names.h"
#include "core/base/json.h"
#include "core/base/quantity.h"
#include "core/base/run_control.h"

/// Engine 2: which job runs on which sub-accelerator ("core") of a multi-core accelerator, in which order.
/// Kao, Krishna: "MAGMA: An Optimization Framework for Mapping Multiple DNNs on Multiple Accelerator Cores", HPCA 2022,
/// with the baselines of its framework M3E and an optimiser of our own.
namespace tessera::mapping {

/// The job-analysis table: what every job would take on every core, and what all cores share. Tables of pairs are
/// row-major: [job * cores.size() + core].
struct Problem {
    std::string name;
    std::vector<std::string> jobs;          ///< names, at least one
    std::vector<std::string> cores;         ///< names, at least one
    std::vector<double> latency;            ///< cycles of a job on a core that never stalls, by pair; above 0
    std::vector<double> requiredBandwidth;  ///< bytes per cycle at no-stall latency, by pair; 0 or more
    std::vector<double> energy;             ///< joules, by pair; empty = unknown
    std::vector<double> macs;               ///< by job; empty = unknown
    double bandwidth = 0;                   ///< of the system, bytes per cycle; above 0
    std::optional<Hertz> clock;             ///< what seconds need

    std::size_t pair(std::size_t job, std::size_t core) const { return job * cores.size() + core; }
    bool operator==(const Problem&) const = default;
};

/// A core and a priority for every job. On a core the lowest priority runs first; ties go to the lower job index.
struct Mapping {
    std::vector<std::int32_t> core;
    std::vector<double> priority;  ///< in [0, 1)
    bool operator==(const Mapping&) const = default;
};

/// Objective to minimise. `throughput` minimises the makespan (2·MACs/makespan is maximised); `latency` is the mean
/// time at which a job has finished; `energy` the sum over jobs; `edp` energy times makespan; `weighted` a sum of
/// makespan, latency and energy, each relative to its own lower bound, by Options::weights.
enum class Objective : std::uint8_t { throughput, latency, energy, edp, weighted };
inline constexpr EnumNames<Objective> kObjectiveNames{"throughput", "latency", "energy", "edp", "weighted"};
constexpr std::string_view nameOf(Objective objective) {
    return kObjectiveNames.of(objective);
}

/// Shares of the objective `weighted`; 0 or more, at least one above 0.
struct Weights {
    double makespan = 1, latency = 0, energy = 1;
    bool operator==(const Weights&) const = default;
};

/// The values of a mapping that objectives are made of.
struct Values {
    double makespan = 0;           ///< cycles
    double latency = 0;            ///< cycles, mean over jobs of the time at which the job has finished
    std::optional<double> energy;  ///< joules; empty where the table has none
    bool operator==(const Values&) const = default;
};

/// Start and finish of every job, and the bandwidth of every core over time.
struct Schedule {
    struct Job {
        std::int32_t core = 0;
        std::int32_t order = 0;        ///< place on its core, from 0
        double start = 0, finish = 0;  ///< cycles
        bool operator==(const Job&) const = default;
    };
    /// Bandwidth from `time` until the next step's (the last: until the makespan): bytes[k] per cycle for core k.
    struct Step {
        double time = 0;  ///< cycles
        std::vector<double> bytes;
        bool operator==(const Step&) const = default;
    };
    double makespan = 0;  ///< cycles
    std::vector<Job> jobs;
    std::vector<Step> bandwidth;
    bool operator==(const Schedule&) const = default;
};

/// Lower bounds of the makespan by what they rest on, of latency and energy, and of the objective. In cycles where not
/// said otherwise.
struct Bound {
    double longestJob = 0;  ///< max over jobs of min over cores of L·max(1, B/BW): a job alone still needs its bytes
    double load = 0;        ///< linear program: fractional assignment, the fullest core
    double bandwidth = 0;   ///< all bytes through the shared bandwidth
    double combined = 0;    ///< load and bandwidth in one program, time-dependent where that is tighter
    double makespan = 0;    ///< the best of the above, and of what `method` says
    double latency = 0;     ///< of the mean time at which a job has finished
    double energy = 0;      ///< joules: every job on its thriftiest core; 0 where the table has none
    double objective = 0;   ///< of what is minimised
    std::string method;  ///< which one won, in words: "longest job", "load", …; "all schedules" where they were looked
                         ///< through, as they are of up to 12 jobs: then it is the optimum
    bool operator==(const Bound&) const = default;
};

/// One parameter of an algorithm.
struct Setting {
    std::string_view name;  ///< "mutation"; as an option and in study files "magma.mutation"
    double fallback = 0, min = 0, max = 1;
    bool whole = false;
    std::string_view help;
};

class Trial;
struct Search;

/// A mapping algorithm: the one row of what menus, `--help`, tests and pictures say of it, and its search.
struct Algorithm {
    std::string_view id;     ///< "magma"
    std::string_view title;  ///< "MAGMA"
    std::string_view description;
    std::vector<Setting> settings = {};
    std::string_view source;  ///< paper and table that the defaults are from
    int colour = 7;           ///< of the eight of pictures
    bool baseline = true;     ///< one that ours is compared with: drawn dashed
    /// Begins the search, or goes on from what Search::state returned; null = from the start. See search.h.
    Search (*start)(Trial& trial, const Json& state) = nullptr;
};

/// Every algorithm, in the order in which they are listed.
const std::vector<Algorithm>& algorithms();
/// Adds one to those there are, for programs that bring their own. Before anything is looked up.
void addAlgorithm(Algorithm algorithm);
/// Null where there is no such algorithm.
const Algorithm* findAlgorithm(std::string_view id);

/// Options of a search for mappings.
struct Options {
    /// Rows of `algorithms()` that race. Add baselines to see what ours gains; each gets all samples, so time adds up.
    std::vector<std::string> algorithms = {"tessera"};
    /// Evaluated mappings that each algorithm may spend: the budget in its repeatable form. Raise it while the gap to
    /// the bound still falls.
    std::int64_t samples = 10'000;
    /// Seed of all random numbers. Repeat with other seeds to see how much of a difference between algorithms is luck.
    std::uint64_t seed = 1;
    /// Objective of the search. `throughput` for batches of jobs, `latency` where each job's end counts, `energy` and
    /// `edp` where the table knows the energy.
    Objective objective = Objective::throughput;
    /// Shares of the objective `weighted`; of no meaning for any other.
    Weights weights = {};
    /// Two objectives whose front is kept besides; each algorithm then divides its samples between them. For seeing
    /// what one costs in terms of the other before one is chosen.
    std::optional<std::pair<Objective, Objective>> pareto = {};
    /// Algorithms' own parameters, "magma.mutation" → 0.1, where their published values are to be varied.
    std::map<std::string, double> settings = {};
    /// Mappings of this problem's size (see `transferred`) that seed the first generation. For a problem much like one
    /// that is solved: the search then begins near its best.
    std::vector<Mapping> warmStart = {};
    /// Samples per algorithm that are kept for the picture of the search; 0 = none, for sweeps.
    std::size_t explored = 1000;
};

/// A point of a convergence curve: after `samples` evaluations, over those since the last point.
struct ConvergencePoint {
    std::int64_t samples = 0;
    double best = 0;    ///< so far, of the objective
    double mean = 0;    ///< of the generation
    double spread = 0;  ///< its standard deviation
    bool operator==(const ConvergencePoint&) const = default;
};

/// A sample that was kept, projected to the plane of the two principal components of all kept samples of all runs (see
/// `project`).
struct ExploredPoint {
    std::int64_t sample = 0;
    double x = 0, y = 0;
    double value = 0;  ///< of the objective
    bool operator==(const ExploredPoint&) const = default;
};

/// A mapping of the front of two objectives.
struct FrontPoint {
    Values values;
    double first = 0, second = 0;  ///< of Options::pareto
    Mapping mapping;
    bool operator==(const FrontPoint&) const = default;
};

/// Result of one algorithm.
struct Run {
    std::string algorithm;
    Mapping mapping;
    Values values;
    double value = 0;  ///< of the objective
    Schedule schedule;
    double gap = 0;                   ///< value / Bound::objective - 1
    bool optimal = false;             ///< value ≤ bound·(1 + 1e-9): proven
    std::int64_t samples = 0;         ///< evaluated
    std::int64_t bestAfter = 0;       ///< samples after which the best was known
    EndedBy endedBy = EndedBy::done;  ///< proof, samples, done (a constructive row has no more to try) or stop
    std::vector<ConvergencePoint> convergence;
    std::vector<ExploredPoint> explored;
    std::vector<FrontPoint> front;  ///< by `first`, rising; empty without Options::pareto
    bool operator==(const Run&) const = default;
};

/// Results of all algorithms on one problem, with the bound that they are compared with.
struct Result {
    Bound bound;
    std::vector<Run> runs;  ///< in the order asked for
    std::vector<std::string> assumptions;
    std::vector<std::string> warnings;
    bool operator==(const Result&) const = default;
};

/// Every broken rule of the table, and of the options against it, as sentences; empty where all is well.
std::vector<std::string> problems(const Problem& problem);
std::vector<std::string> problems(const Options& options, const Problem& problem);

/// The schedule of a mapping: Algorithm 1 of the paper (with "−=" in its update), in closed form. n log n in the jobs.
Schedule schedule(const Problem& problem, const Mapping& mapping);
/// The values alone, to the same bits.
Values evaluate(const Problem& problem, const Mapping& mapping);
/// The objective of values; `bound` is what `weighted` refers to.
double objectiveOf(const Values& values, Objective objective, const Weights& weights, const Bound& bound);

/// Lower bounds, proven; deterministic unless `isEnough`, which is called every millisecond or more often, once returns
/// yes: then with what is proven by then. It may throw.
Bound lowerBound(const Problem& problem, Objective objective = Objective::throughput, const Weights& weights = {},
                 const std::function<bool()>& isEnough = {});

/// A mapping of another problem as a start for this one: every job takes the genes of the most similar job there (by
/// latencies and required bandwidths), cores by their likeness. Section V-C of the paper.
Mapping transferred(const Mapping& mapping, const Problem& from, const Problem& to);

/// Control of `solve`, whose state is handed on between two generations.
struct SearchControl : ResumableControl<Json, HeldJson> {
    /// Receives the front that an algorithm has found so far, of Options::pareto, after each part of its work and from
    /// one thread at a time. Empty = nobody looks.
    std::function<void(const std::string& algorithm, const std::vector<FrontPoint>& front)> front = {};
};

/// Runs every algorithm asked for; they take turns of equal time. Progress: per algorithm events `point` with curves of
/// the roles best, mean and spread (x = samples, y = objective), `incumbent` with its curve of values, and once a
/// `point` with the bound of no owner. Throws UsageError for wrong options or a wrong table, InterruptedError when
/// cancelled.
Result solve(const Problem& problem, const Options& options, const SearchControl& control = {});

}  // namespace tessera::mapping

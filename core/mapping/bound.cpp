#include "core/mapping/bound.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "core/mapping/load_program.h"

namespace tessera::mapping {
namespace {

using Enough = std::function<bool()>;

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kDown = 1 - 1e-13;  ///< what sums may have been rounded up by, and more
constexpr double kWork = 4e7;        ///< elementary operations of one program
constexpr double kTreeWork = 4e6;    ///< of all programs of the tree
constexpr int kStale = 5;            ///< nodes of it that may open without any gain
constexpr std::size_t kMostRows = 400, kMostEntries = 10'000'000;

double least(const Problem& problem, const std::vector<double>& table, std::size_t job) {
    const auto first = table.begin() + static_cast<std::ptrdiff_t>(problem.pair(job, 0));
    return *std::min_element(first, first + static_cast<std::ptrdiff_t>(problem.cores.size()));
}

double sumOfLeast(const Problem& problem, const std::vector<double>& table) {
    double sum = 0;
    for (std::size_t j = 0; j < problem.jobs.size(); ++j) sum += least(problem, table, j);
    return sum;
}

/// What a job costs on a core, by pair, in cycles.
struct Costs {
    std::vector<double> beside;  ///< on every core
    std::vector<double> alone;   ///< on its own one
    std::vector<double> bytes;   ///< of the bandwidth
    std::vector<double> need;    ///< least makespan of a schedule that has it

    explicit Costs(const Problem& problem) : beside(excess(problem)), alone(beside), bytes(beside), need(beside) {
        for (std::size_t p = 0; p < alone.size(); ++p) {
            alone[p] += problem.latency[p];
            bytes[p] = problem.latency[p] * problem.demand[p] / problem.bandwidth;
        }
        const double all = sumOfLeast(problem, beside) * kDown;
        for (std::size_t j = 0; j < problem.jobs.size(); ++j) {
            const double others = std::max(0.0, all - least(problem, beside, j));
            for (std::size_t k = 0; k < problem.cores.size(); ++k)
                need[problem.pair(j, k)] = (alone[problem.pair(j, k)] + others) * kDown;
        }
    }
};

bool isTooLarge(const Problem& problem) {
    const std::size_t cores = problem.cores.size();
    return cores > kMostRows || problem.jobs.size() * cores * (cores + 1) > kMostEntries;
}

/// Leaves out pairs that need more than a makespan; returns the least need among them. Every job keeps one.
double allowUpTo(const Problem& problem, const std::vector<double>& need, double makespan, LoadProgram& program) {
    double next = kNever;
    for (std::size_t j = 0; j < program.items; ++j) {
        const double limit = std::max(makespan, least(problem, need, j));
        for (std::size_t k = 0; k < program.options; ++k) {
            const std::size_t pair = problem.pair(j, k);
            program.allowed[pair] = need[pair] <= limit ? 1 : 0;
            if (program.allowed[pair] == 0) next = std::min(next, need[pair]);
        }
    }
    return next;
}

/// Rows: what every core is busy for, and where asked the shared bandwidth. `beside` is what a pair adds to every
/// core's row.
LoadProgram programOf(const Problem& problem, const std::vector<double>& own, const std::vector<double>& beside,
                      const std::vector<double>& bytes) {
    const std::size_t jobs = problem.jobs.size(), cores = problem.cores.size();
    LoadProgram program{
        .items = jobs, .options = cores, .rows = cores + (bytes.empty() ? 0 : 1), .use = {}, .allowed = {}};
    program.use.resize(jobs * cores * program.rows);
    program.allowed.assign(jobs * cores, 1);
    double* use = program.use.data();
    for (std::size_t p = 0; p < jobs * cores; ++p, use += program.rows) {
        for (std::size_t r = 0; r < cores; ++r) use[r] = beside.empty() ? 0 : beside[p];
        use[p % cores] += own[p];
        if (!bytes.empty()) use[cores] = bytes[p];
    }
    return program;
}

/// For every core the first one that is equal to it for every job.
std::vector<std::size_t> likeness(const Problem& problem) {
    const std::size_t cores = problem.cores.size();
    std::vector<std::size_t> like(cores);
    for (std::size_t a = 0; a < cores; ++a) {
        like[a] = a;
        for (std::size_t b = 0; b < a && like[a] == a; ++b) {
            bool equal = like[b] == b;
            for (std::size_t j = 0; equal && j < problem.jobs.size(); ++j)
                equal = problem.latency[problem.pair(j, a)] == problem.latency[problem.pair(j, b)] &&
                        problem.demand[problem.pair(j, a)] == problem.demand[problem.pair(j, b)];
            if (equal) like[a] = b;
        }
    }
    return like;
}

/// Branch and bound on the combined program, best first, over where the longest of the split jobs runs whole.
class Tree {
public:
    Tree(const Problem& problem, LoadProgram& program, const std::vector<double>& need, const Enough& isEnough)
        : problem_(problem),
          program_(program),
          need_(need),
          isEnough_(isEnough),
          like_(likeness(problem)),
          root_(program.allowed) {}

    /// The least value of all open nodes: a lower bound.
    double grow(const LoadSolution& root, double most, double enough) {
        nodes_.push_back({{}, root});
        double work = 0, reached = 0;
        int stale = 0;
        while (work < most && stale < kStale && !(isEnough_ && isEnough_())) {
            const auto next = std::min_element(nodes_.begin(), nodes_.end(), [](const Node& a, const Node& b) {
                return a.solution.value < b.solution.value;
            });
            const std::size_t job = splitJob(next->solution);
            if (next->solution.value >= enough || job == problem_.jobs.size()) break;
            const bool gains = next->solution.value > reached * (1 + 1e-6);
            stale = gains ? 0 : stale + 1;
            reached = next->solution.value;
            const Node node = std::move(*next);
            nodes_.erase(next);
            for (const std::size_t core : coresFor(node, job)) {
                Node child{node.fixed, {}};
                child.fixed.emplace_back(job, core);
                fix(child.fixed);
                child.solution = solveLoad(program_, kWork, node.solution.weights, isEnough_);
                child.solution.value = std::max(child.solution.value, node.solution.value);
                work += child.solution.work;
                nodes_.push_back(std::move(child));
            }
        }
        program_.allowed = root_;
        return std::min_element(nodes_.begin(), nodes_.end(),
                                [](const Node& a, const Node& b) { return a.solution.value < b.solution.value; })
            ->solution.value;
    }

private:
    struct Node {
        std::vector<std::pair<std::size_t, std::size_t>> fixed;  ///< job and core
        LoadSolution solution;
    };

    std::size_t splitJob(const LoadSolution& solution) const {
        std::size_t longest = problem_.jobs.size();
        double most = -1;
        for (std::size_t j = 0; j < problem_.jobs.size(); ++j)
            if (const double value = least(problem_, need_, j); solution.split[j] && value > most) {
                most = value;
                longest = j;
            }
        return longest;
    }

    /// Of equal cores that hold nothing yet, one.
    std::vector<std::size_t> coresFor(const Node& node, std::size_t job) const {
        std::vector<std::size_t> cores;
        std::vector<std::uint8_t> held(problem_.cores.size()), tried(problem_.cores.size());
        for (const auto& [other, core] : node.fixed) held[core] = 1;
        for (std::size_t k = 0; k < held.size(); ++k) {
            if (!root_[problem_.pair(job, k)]) continue;
            if (!held[k] && std::exchange(tried[like_[k]], std::uint8_t{1})) continue;
            cores.push_back(k);
        }
        return cores;
    }

    void fix(const std::vector<std::pair<std::size_t, std::size_t>>& fixed) {
        program_.allowed = root_;
        for (const auto& [job, core] : fixed)
            for (std::size_t k = 0; k < problem_.cores.size(); ++k)
                if (k != core) program_.allowed[problem_.pair(job, k)] = 0;
    }

    const Problem& problem_;
    LoadProgram& program_;
    const std::vector<double>& need_;
    const Enough& isEnough_;
    std::vector<std::size_t> like_;
    std::vector<std::uint8_t> root_;
    std::vector<Node> nodes_;
};

/// No pair whose need is above the makespan is used in a schedule. So with the pairs up to a threshold alone, the
/// program's value is a bound up to the least need that was left out.
double combinedBound(const Problem& problem, LoadProgram& program, const std::vector<double>& need, double threshold,
                     const Enough& isEnough) {
    double best = 0;
    constexpr int kRounds = 12;
    for (int round = 0; round < kRounds; ++round) {
        const double next = allowUpTo(problem, need, threshold, program);
        const LoadSolution root = solveLoad(program, kWork, {}, isEnough);
        double value = root.value;
        if (value < next) {
            Tree tree(problem, program, need, isEnough);
            value = std::max(value, tree.grow(root, kTreeWork, next));
        }
        best = std::max(best, std::min(value, next));
        if (value <= next || (isEnough && isEnough())) break;
        threshold = next;
    }
    return best;
}

/// Sum over jobs of when they finish, each job taking `time` on any of `machines` equal machines: at least what
/// Eastman, Even, Isaacs ("Bounds for the optimal scheduling of n jobs on m processors", Management Science 11, 1964)
/// prove from the shortest-first order on one.
double completions(std::vector<double> time, std::size_t machines) {
    std::sort(time.begin(), time.end());
    double one = 0, now = 0;
    for (const double t : time) one += now += t;
    const auto m = static_cast<double>(machines);
    return one / m + now * (m - 1) / (2 * m);
}

double latencyBound(const Problem& problem, const Costs& costs) {
    const std::size_t jobs = problem.jobs.size();
    std::vector<double> shortest(jobs), fewest(jobs);
    double alone = 0;
    for (std::size_t j = 0; j < jobs; ++j) {
        shortest[j] = least(problem, problem.latency, j);
        fewest[j] = least(problem, costs.bytes, j);
        alone += least(problem, costs.alone, j);
    }
    const double sum =
        std::max({alone, completions(shortest, problem.cores.size()), completions(std::move(fewest), 1)});
    return sum / static_cast<double>(jobs) * kDown;
}

}  // namespace

std::vector<double> excess(const Problem& problem) {
    std::vector<double> excess(problem.latency.size());
    for (std::size_t p = 0; p < excess.size(); ++p)
        excess[p] = problem.latency[p] * std::max(0.0, problem.demand[p] / problem.bandwidth - 1);
    return excess;
}

std::vector<std::int32_t> relaxedCores(const Problem& problem, double makespan, const Enough& isEnough) {
    const Costs costs(problem);
    std::vector<std::int32_t> core(problem.jobs.size());
    if (isTooLarge(problem)) {
        for (std::size_t j = 0; j < core.size(); ++j) {
            const auto first = costs.need.begin() + static_cast<std::ptrdiff_t>(problem.pair(j, 0));
            const auto last = first + static_cast<std::ptrdiff_t>(problem.cores.size());
            core[j] = static_cast<std::int32_t>(std::min_element(first, last) - first);
        }
        return core;
    }
    LoadProgram program = programOf(problem, problem.latency, costs.beside, costs.bytes);
    allowUpTo(problem, costs.need, makespan, program);
    return solveLoad(program, kWork, {}, isEnough).option;
}

Bound lowerBound(const Problem& problem, Objective objective, const Weights& weights, const Enough& isEnough) {
    const Costs costs(problem);
    Bound bound;
    double longest = 0;
    for (std::size_t j = 0; j < problem.jobs.size(); ++j) {
        bound.longestJob = std::max(bound.longestJob, least(problem, costs.alone, j) * kDown);
        longest = std::max(longest, least(problem, costs.need, j));
    }
    bound.bandwidth = sumOfLeast(problem, costs.bytes) * kDown;
    if (isTooLarge(problem)) {
        const auto cores = static_cast<double>(problem.cores.size());
        const double shortest = sumOfLeast(problem, problem.latency) / cores;
        bound.load = sumOfLeast(problem, costs.alone) / cores * kDown;
        bound.combined = std::max(longest, (shortest + sumOfLeast(problem, costs.beside)) * kDown);
    } else {
        bound.load = solveLoad(programOf(problem, costs.alone, {}, {}), kWork, {}, isEnough).value;
        LoadProgram program = programOf(problem, problem.latency, costs.beside, costs.bytes);
        const double threshold = std::max({longest, bound.longestJob, bound.bandwidth, bound.load});
        bound.combined = std::max(longest, combinedBound(problem, program, costs.need, threshold, isEnough));
    }
    const std::array<std::pair<double, const char*>, 4> all{{{bound.longestJob, "longest job"},
                                                             {bound.load, "load"},
                                                             {bound.bandwidth, "bandwidth"},
                                                             {bound.combined, "load and bandwidth combined"}}};
    for (const auto& [value, name] : all)
        if (value > bound.makespan * (1 + 1e-9)) {
            bound.makespan = value;
            bound.method = name;
        }
    bound.latency = latencyBound(problem, costs);
    Values least{.makespan = bound.makespan, .latency = bound.latency, .energy = {}};
    if (!problem.energy.empty()) least.energy = bound.energy = sumOfLeast(problem, problem.energy) * kDown;
    bound.objective = objectiveOf(least, objective, weights, bound);
    return bound;
}

}  // namespace tessera::mapping

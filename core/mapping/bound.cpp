#include "core/mapping/bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/number.h"
#include "core/mapping/exact.h"
#include "core/mapping/load_program.h"

namespace tessera::mapping {
namespace {

using Enough = std::function<bool()>;

constexpr double kDown = 1 - 1e-13;           ///< what sums may have been rounded up by, and more
constexpr double kWork = 4e7;                 ///< elementary operations of one program
constexpr double kTreeWork = 4e6;             ///< of all programs of the tree
constexpr int kStale = 5;                     ///< nodes of it that may open without any gain
constexpr std::size_t kNeedWork = 4'000'000;  ///< of the cycles that jobs need beside others
constexpr std::size_t kMaxRows = 400, kMaxEntries = 10'000'000;

double min(const Problem& problem, const std::vector<double>& table, std::size_t job) {
    const auto first = table.begin() + static_cast<std::ptrdiff_t>(problem.pair(job, 0));
    return *std::min_element(first, first + static_cast<std::ptrdiff_t>(problem.cores.size()));
}

double sumOfMinima(const Problem& problem, const std::vector<double>& table) {
    double sum = 0;
    for (std::size_t j = 0; j < problem.jobs.size(); ++j) sum += min(problem, table, j);
    return sum;
}

/// What a job costs on a core, by pair, in cycles.
struct Costs {
    std::vector<double> extraLoad;  ///< on every core
    std::vector<double> noStall;    ///< on its own one
    std::vector<double> bytes;      ///< of the bandwidth
    std::vector<double> need;       ///< minimum makespan of a schedule that has it

    explicit Costs(const Problem& problem)
        : extraLoad(excess(problem)), noStall(extraLoad), bytes(extraLoad), need(extraLoad) {
        for (std::size_t p = 0; p < noStall.size(); ++p) {
            noStall[p] += problem.latency[p];
            bytes[p] = problem.latency[p] * problem.requiredBandwidth[p] / problem.bandwidth;
        }
        fillNeed(problem);
    }

private:
    /// Beside a job that asks for the share x of the bandwidth, another one's cycles take (its share + x - 1) times as
    /// long beyond the job's own, at least: what is left of the bandwidth is 1 - x. Sums over the others are made for a
    /// grid of shares that are left, rounded up.
    void fillNeed(const Problem& problem) {
        const std::size_t cores = problem.cores.size();
        const std::size_t steps = std::clamp<std::size_t>(kNeedWork / need.size(), 8, 512);
        const auto shareLeft = [&](std::size_t step) { return static_cast<double>(step) / static_cast<double>(steps); };
        const auto minBeyond = [&](std::size_t job, double left) {
            double min = kInfinity;
            for (std::size_t p = problem.pair(job, 0); p < problem.pair(job + 1, 0); ++p)
                min = std::min(min, std::max(0.0, bytes[p] - problem.latency[p] * left));
            return min;
        };
        std::vector<double> beyond(steps + 1);
        for (std::size_t step = 0; step <= steps; ++step)
            for (std::size_t j = 0; j < problem.jobs.size(); ++j) beyond[step] += minBeyond(j, shareLeft(step));
        for (std::size_t j = 0; j < problem.jobs.size(); ++j)
            for (std::size_t k = 0; k < cores; ++k) {
                const double left =
                    std::max(0.0, 1 - problem.requiredBandwidth[problem.pair(j, k)] / problem.bandwidth);
                const auto step = static_cast<std::size_t>(std::ceil(left * static_cast<double>(steps)));
                const double others = beyond[step] * kDown - minBeyond(j, shareLeft(step));
                need[problem.pair(j, k)] = (noStall[problem.pair(j, k)] + std::max(0.0, others)) * kDown;
            }
    }
};

bool isTooLarge(const Problem& problem) {
    const std::size_t cores = problem.cores.size();
    return cores > kMaxRows || problem.jobs.size() * cores * (cores + 1) > kMaxEntries;
}

/// Leaves out pairs that need more than a makespan; returns the minimum need among them. Every job keeps one.
double allowUpTo(const Problem& problem, const std::vector<double>& need, double makespan, LoadProgram& program) {
    double next = kInfinity;
    for (std::size_t j = 0; j < program.items; ++j) {
        const double limit = std::max(makespan, min(problem, need, j));
        for (std::size_t k = 0; k < program.options; ++k) {
            const std::size_t pair = problem.pair(j, k);
            program.allowed[pair] = need[pair] <= limit ? 1 : 0;
            if (program.allowed[pair] == 0) next = std::min(next, need[pair]);
        }
    }
    return next;
}

/// Rows: what every core is busy for, and where asked the shared bandwidth. `extraLoad` is what a pair adds to every
/// core's row.
LoadProgram programOf(const Problem& problem, const std::vector<double>& own, const std::vector<double>& extraLoad,
                      const std::vector<double>& bytes) {
    const std::size_t jobs = problem.jobs.size(), cores = problem.cores.size();
    LoadProgram program{
        .items = jobs, .options = cores, .rows = cores + (bytes.empty() ? 0 : 1), .use = {}, .allowed = {}};
    program.use.resize(jobs * cores * program.rows);
    program.allowed.assign(jobs * cores, 1);
    double* use = program.use.data();
    for (std::size_t p = 0; p < jobs * cores; ++p, use += program.rows) {
        for (std::size_t r = 0; r < cores; ++r) use[r] = extraLoad.empty() ? 0 : extraLoad[p];
        use[p % cores] += own[p];
        if (!bytes.empty()) use[cores] = bytes[p];
    }
    return program;
}

/// Further rows of the combined program. A toll is what a pair's cycles count for, such that the tolls of no set of
/// jobs that may run side by side come to more than the time that passes meanwhile, which is max(1, R/BW) of their
/// no-stall cycles. So the tolls of all jobs are a lower bound, whatever the schedule. With 1 on one core and the
/// excess elsewhere the toll is that core's row; with x = B/BW it is the bandwidth's. Two more kinds are of use:
///
/// Of some jobs S: a_i while job i of S runs, where a_i >= x_i and all a_i are 1 together, and (x - e)+ of every other
/// job, where e = 1 - sum of x_i is what all of S leave of the bandwidth. Beside the jobs U of S and q >= 1 others
/// above e the sum is at most R + a(U) - x(U) - q e <= R, for what of S does not run has x <= a; and without others at
/// most 1.
///
/// By levels: where few heavy jobs are enough to take the whole bandwidth and any number of light ones is not, time in
/// which too few heavy jobs run is lost. Light jobs pay x + d, heavy ones x - d (m - h) / h, where h heavy jobs are
/// what it takes among m cores; any other job pays x - d (m - 1), so that beside it nothing more than bytes is counted.
class Tolls {
public:
    Tolls(const Problem& problem, const Costs& costs)
        : problem_(problem), costs_(costs), like_(likeness(problem)), kind_(like_.size()) {
        for (std::size_t k = 0; k < like_.size(); ++k) kind_[k] = like_[k] == k ? kinds_++ : kind_[like_[k]];
    }

    /// Chooses the rows that prove most alone, of the pairs that the program allows.
    void choose(LoadProgram& program) {
        program_ = &program;
        findExtremes();
        levels_.clear();
        sets_.clear();
        chooseLevels();
        chooseSets();
        widen();
        refresh();
        for (std::size_t i = 0; i < levels_.size(); ++i) write(ownRows() + sets_.size() + i, levels_[i]);
    }

    std::vector<std::vector<double>> rows() const {
        std::vector<Row> rows = levels_;
        for (const Set& set : sets_) rows.push_back(rowOf(set));
        return rows;
    }

    /// Rows of jobs, made anew for the pairs that are allowed now.
    void refresh() {
        for (std::size_t i = 0; i < sets_.size(); ++i) write(ownRows() + i, rowOf(sets_[i]));
    }

private:
    using Row = std::vector<double>;
    using Set = std::vector<std::size_t>;  ///< jobs; of the first one the time counts as far as the others leave it
    static constexpr std::size_t kMaxLeaders = 3, kMaxLevels = 4, kCandidates = 16, kMaxMembers = 8;
    static constexpr std::size_t kSetWork = 4'000'000;  ///< elementary operations of looking for a set
    static constexpr double kMinBonus = 1e-4;

    std::size_t ownRows() const { return problem_.cores.size() + 1; }
    bool isAllowed(std::size_t pair) const { return program_->allowed[pair] != 0; }
    double share(std::size_t pair) const { return problem_.requiredBandwidth[pair] / problem_.bandwidth; }

    /// Minimum required share of the bandwidth of a job where it may run.
    double minShare(std::size_t job) const {
        double min = kInfinity;
        for (std::size_t p = problem_.pair(job, 0); p < problem_.pair(job + 1, 0); ++p)
            if (isAllowed(p)) min = std::min(min, share(p));
        return min;
    }

    Row rowOf(const Set& set) const {
        double first = 1, left = std::max(0.0, 1 - minShare(set.front()));
        for (std::size_t i = 1; i < set.size(); ++i) {
            first -= minShare(set[i]);
            left -= minShare(set[i]);
        }
        Row row(problem_.latency.size());
        for (std::size_t p = 0; p < row.size(); ++p)
            row[p] = std::max(0.0, costs_.bytes[p] - problem_.latency[p] * left) * kDown;
        for (std::size_t i = 0; i < set.size(); ++i) {
            const double rate = i == 0 ? first : minShare(set[i]);
            for (std::size_t p = problem_.pair(set[i], 0); p < problem_.pair(set[i] + 1, 0); ++p)
                row[p] = (problem_.latency[p] * rate + costs_.extraLoad[p]) * kDown;
        }
        return row;
    }

    /// Every one of the jobs that need most; and where that proves more, the first of them with further long jobs.
    void chooseSets() {
        const auto longestBy = [&](const std::vector<double>& table, std::size_t max) {
            std::vector<std::pair<double, std::size_t>> longest;
            for (std::size_t j = 0; j < problem_.jobs.size(); ++j) longest.emplace_back(-min(problem_, table, j), j);
            const std::size_t count = std::min(longest.size(), max);
            std::partial_sort(longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(count), longest.end());
            longest.resize(count);
            return longest;
        };
        for (const auto& [need, job] : longestBy(costs_.need, kMaxLeaders)) sets_.push_back({job});
        const std::size_t tries = std::min(kCandidates, kSetWork / (problem_.latency.size() * kMaxMembers));
        const auto candidates = longestBy(problem_.latency, tries);
        Set set;
        double proven = 0;
        for (const Set& leader : sets_)
            if (const double sum = minSum(rowOf(leader)); sum > proven) {
                proven = sum;
                set = leader;
            }
        bool isFound = true;
        while (isFound && set.size() < kMaxMembers) {
            isFound = false;
            Set best;
            for (const auto& [latency, job] : candidates) {
                if (std::find(set.begin(), set.end(), job) != set.end() || !hasRoomFor(set, job)) continue;
                Set wider = set;
                wider.push_back(job);
                const double sum = minSum(rowOf(wider));
                if (sum <= proven * (1 + 1e-9)) continue;
                proven = sum;
                best = std::move(wider);
                isFound = true;
            }
            if (isFound) set = std::move(best);
        }
        if (set.size() > 1) sets_.push_back(std::move(set));
    }

    /// True if the jobs require less than the whole bandwidth, wherever they run.
    bool hasRoomFor(const Set& set, std::size_t job) const {
        double requested = 0;
        for (std::size_t p = problem_.pair(job, 0); p < problem_.pair(job + 1, 0); ++p)
            requested = std::max(requested, share(p));
        for (const std::size_t other : set) {
            double max = 0;
            for (std::size_t p = problem_.pair(other, 0); p < problem_.pair(other + 1, 0); ++p)
                max = std::max(max, share(p));
            requested += max;
        }
        return requested <= 1;
    }

    /// The sum over jobs of the minimum toll.
    double minSum(const Row& row) const {
        double sum = 0;
        for (std::size_t j = 0; j < problem_.jobs.size(); ++j) {
            double min = kInfinity;
            for (std::size_t p = problem_.pair(j, 0); p < problem_.pair(j + 1, 0); ++p)
                if (isAllowed(p)) min = std::min(min, row[p]);
            sum += min;
        }
        return sum;
    }

    /// Shares of the bandwidth between which levels may lie, and the greatest on every core up to each.
    void findExtremes() {
        std::vector<double> shares;
        for (std::size_t p = 0; p < problem_.requiredBandwidth.size(); ++p)
            if (isAllowed(p)) shares.push_back(share(p));
        std::sort(shares.begin(), shares.end());
        shares.erase(std::unique(shares.begin(), shares.end()), shares.end());
        limits_ = {shares.back()};
        std::vector<std::pair<double, double>> gaps;  // below the next share, of the bandwidth at most
        for (std::size_t i = 0; i + 1 < shares.size(); ++i)
            gaps.emplace_back(std::min(1.0, shares[i]) - std::min(1.0, shares[i + 1]), shares[i]);
        std::sort(gaps.begin(), gaps.end());
        for (std::size_t i = 0; i < std::min(gaps.size(), kCandidates); ++i)
            if (gaps[i].first < 0) limits_.push_back(gaps[i].second);
        std::sort(limits_.begin(), limits_.end());
        const std::size_t count = limits_.size(), cores = problem_.cores.size();
        greatest_.assign(count * cores, 0);
        for (std::size_t p = 0; p < problem_.requiredBandwidth.size(); ++p) {
            if (!isAllowed(p)) continue;
            const double x = share(p);
            for (std::size_t i = count; i > 0 && x <= limits_[i - 1]; --i) {
                double& max = greatest_[(i - 1) * cores + p % cores];
                max = std::max(max, x);
            }
        }
    }

    /// Shares of light jobs up to one limit, of heavy ones above a limit up to another. Jobs on cores of the kinds
    /// `aside`, a bit each, count for their bytes alone.
    struct Levels {
        std::size_t light = 0, above = 0, upTo = 0;
        std::uint64_t aside = 0;
        double bonus = 0, malus = 0, others = 0;  ///< what a light job's toll is more than its share, and others' less
    };

    /// What the tolls of these levels are; false where they prove nothing beyond the bytes.
    bool solveTolls(Levels& levels) {
        const std::size_t cores = problem_.cores.size();
        double requested = 0;  // by light jobs alone, and then by heavy ones in the place of some
        gain_.clear();
        for (std::size_t k = 0; k < cores; ++k) {
            const double light = greatest_[levels.light * cores + k], heavy = greatest_[levels.upTo * cores + k];
            const bool isAside = isAsideIn(levels, k);
            requested += isAside ? greatest_.at((limits_.size() - 1) * cores + k) : light;
            if (!isAside) gain_.push_back(heavy > limits_[levels.above] ? heavy - light : 0);
        }
        std::sort(gain_.rbegin(), gain_.rend());
        missing_.clear();
        for (std::size_t k = 0; k < gain_.size() && requested < 1; ++k) {
            missing_.push_back(1 - requested);
            requested += gain_[k];
        }
        if (missing_.empty() || missing_.size() == gain_.size() || requested < 1) return false;
        const auto m = static_cast<double>(gain_.size()), enough = static_cast<double>(missing_.size());
        levels.bonus = kInfinity;
        for (std::size_t h = 0; h < missing_.size(); ++h)
            levels.bonus = std::min(levels.bonus, missing_[h] / (m * (1 - static_cast<double>(h) / enough)));
        levels.malus = levels.bonus * (m - enough) / enough;
        levels.others = levels.bonus * (m - 1);
        return levels.bonus > kMinBonus;
    }

    bool isAsideIn(const Levels& levels, std::size_t core) const {
        return kind_[core] < 64 && ((levels.aside >> kind_[core]) & 1U) != 0;
    }

    double toll(const Levels& levels, std::size_t pair) const {
        const double x = share(pair);
        if (isAsideIn(levels, pair % problem_.cores.size())) return x;
        if (x <= limits_[levels.light]) return x + levels.bonus;
        const bool isHeavy = x > limits_[levels.above] && x <= limits_[levels.upTo];
        return std::max(0.0, x - (isHeavy ? levels.malus : levels.others));
    }

    Row rowOf(const Levels& levels) const {
        Row row(problem_.latency.size());
        for (std::size_t p = 0; p < row.size(); ++p) row[p] = problem_.latency[p] * toll(levels, p) * kDown;
        return row;
    }

    /// The sum over jobs of the minimum toll, on one of all equal cores.
    double minSum(const Levels& levels) const {
        double sum = 0;
        for (std::size_t j = 0; j < problem_.jobs.size(); ++j) {
            double min = kInfinity;
            for (std::size_t k = 0; k < like_.size(); ++k)
                if (const std::size_t p = problem_.pair(j, k); like_[k] == k && isAllowed(p))
                    min = std::min(min, problem_.latency[p] * toll(levels, p));
            sum += min;
        }
        return sum;
    }

    /// Of cores of up to four kinds every choice of kinds to leave aside; of more, every single one.
    std::vector<std::uint64_t> asides() const {
        constexpr std::size_t kFew = 4, kMax = 16;
        std::vector<std::uint64_t> sets{0};
        if (kinds_ <= kFew)
            for (std::uint64_t set = 1; set + 1 < std::uint64_t{1} << kinds_; ++set) sets.push_back(set);
        else
            for (std::size_t kind = 0; kind < std::min(kinds_, kMax); ++kind) sets.push_back(std::uint64_t{1} << kind);
        return sets;
    }

    void chooseLevels() {
        using Found = std::pair<double, Levels>;
        std::vector<Found> found;
        const std::size_t count = limits_.size();
        for (const std::uint64_t aside : asides()) {
            Found best{0, {}};
            for (std::size_t light = 0; light + 1 < count; ++light)
                for (std::size_t above = light; above + 1 < count; ++above)
                    for (std::size_t upTo = above + 1; upTo < count;
                         upTo += std::max<std::size_t>(1, (count - 1 - upTo) / 2)) {
                        Levels levels{.light = light, .above = above, .upTo = upTo, .aside = aside};
                        if (!solveTolls(levels)) continue;
                        if (const double sum = minSum(levels); sum > best.first) best = {sum, levels};
                    }
            if (best.first > 0) found.push_back(best);
        }
        std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.first > b.first; });
        if (found.size() > kMaxLevels) found.resize(kMaxLevels);
        for (const auto& [sum, levels] : found) levels_.push_back(rowOf(levels));
    }

    /// Makes room for the rows behind those of the cores and the bandwidth.
    void widen() {
        const std::size_t rows = ownRows() + sets_.size() + levels_.size();
        std::vector<double> use(problem_.latency.size() * rows);
        for (std::size_t p = 0; p < problem_.latency.size(); ++p)
            std::copy_n(program_->use.begin() + static_cast<std::ptrdiff_t>(p * program_->rows), ownRows(),
                        use.begin() + static_cast<std::ptrdiff_t>(p * rows));
        program_->use = std::move(use);
        program_->rows = rows;
    }

    void write(std::size_t at, const Row& row) {
        for (std::size_t p = 0; p < row.size(); ++p) program_->use[p * program_->rows + at] = row[p];
    }

    const Problem& problem_;
    const Costs& costs_;
    LoadProgram* program_ = nullptr;
    std::vector<std::size_t> like_, kind_;  ///< see `likeness`; the kind of a core, from 0
    std::size_t kinds_ = 0;
    std::vector<double> limits_, greatest_;  ///< the latter by limit and core
    std::vector<double> gain_, missing_;
    std::vector<Row> levels_;
    std::vector<Set> sets_;
};

/// Branch and bound on the combined program, best first, over where the longest of the split jobs runs whole.
class Tree {
public:
    Tree(const Problem& problem, LoadProgram& program, Tolls& tolls, const std::vector<double>& need,
         const Enough& isEnough)
        : problem_(problem),
          program_(program),
          tolls_(tolls),
          need_(need),
          isEnough_(isEnough),
          like_(likeness(problem)),
          root_(program.allowed) {}

    /// The minimum value of all open nodes: a lower bound.
    double grow(const LoadSolution& root, double max, double enough) {
        nodes_.push_back({{}, root});
        double work = 0, reached = 0;
        int stale = 0;
        while (work < max && stale < kStale && !(isEnough_ && isEnough_())) {
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
        double max = -1;
        for (std::size_t j = 0; j < problem_.jobs.size(); ++j)
            if (const double value = min(problem_, need_, j); solution.split[j] && value > max) {
                max = value;
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
        tolls_.refresh();
    }

    const Problem& problem_;
    LoadProgram& program_;
    Tolls& tolls_;
    const std::vector<double>& need_;
    const Enough& isEnough_;
    std::vector<std::size_t> like_;
    std::vector<std::uint8_t> root_;
    std::vector<Node> nodes_;
};

/// No pair whose need is above the makespan is used in a schedule. So with the pairs up to a threshold alone, the
/// program's value is a bound up to the minimum need that was left out. With the threshold the former falls and the
/// latter rises: the best bound is where they meet, which is looked for among the needs by halves.
double combinedBound(const Problem& problem, LoadProgram& program, const Costs& costs, double threshold,
                     const Enough& isEnough) {
    const std::vector<double>& need = costs.need;
    Tolls tolls(problem, costs);
    double best = 0;
    const auto isBeyond = [&](double limit) {
        const double next = allowUpTo(problem, need, limit, program);
        tolls.choose(program);
        const LoadSolution root = solveLoad(program, kWork, {}, isEnough);
        double value = root.value;
        if (value < next) {
            Tree tree(problem, program, tolls, need, isEnough);
            value = std::max(value, tree.grow(root, kTreeWork, next));
        }
        best = std::max(best, std::min(value, next));
        return value > next;
    };
    if (!isBeyond(threshold)) return best;
    std::vector<double> limits;
    std::copy_if(need.begin(), need.end(), std::back_inserter(limits), [&](double each) { return each > threshold; });
    std::sort(limits.begin(), limits.end());
    limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
    std::size_t from = 0, to = limits.size();
    while (from < to && !(isEnough && isEnough())) {
        const std::size_t middle = from + (to - from) / 2;
        if (isBeyond(limits[middle]))
            from = middle + 1;
        else
            to = middle;
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
    std::vector<double> shortest(jobs), minBytes(jobs);
    double noStall = 0;
    for (std::size_t j = 0; j < jobs; ++j) {
        shortest[j] = min(problem, problem.latency, j);
        minBytes[j] = min(problem, costs.bytes, j);
        noStall += min(problem, costs.noStall, j);
    }
    const double sum =
        std::max({noStall, completions(shortest, problem.cores.size()), completions(std::move(minBytes), 1)});
    return sum / static_cast<double>(jobs) * kDown;
}

}  // namespace

std::vector<std::size_t> likeness(const Problem& problem) {
    const std::size_t cores = problem.cores.size();
    std::vector<std::size_t> like(cores);
    for (std::size_t a = 0; a < cores; ++a) {
        like[a] = a;
        for (std::size_t b = 0; b < a && like[a] == a; ++b) {
            bool equal = like[b] == b;
            for (std::size_t j = 0; equal && j < problem.jobs.size(); ++j)
                equal = problem.latency[problem.pair(j, a)] == problem.latency[problem.pair(j, b)] &&
                        problem.requiredBandwidth[problem.pair(j, a)] == problem.requiredBandwidth[problem.pair(j, b)];
            if (equal) like[a] = b;
        }
    }
    return like;
}

std::vector<double> excess(const Problem& problem) {
    std::vector<double> excess(problem.latency.size());
    for (std::size_t p = 0; p < excess.size(); ++p)
        excess[p] = problem.latency[p] * std::max(0.0, problem.requiredBandwidth[p] / problem.bandwidth - 1);
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
    LoadProgram program = programOf(problem, problem.latency, costs.extraLoad, costs.bytes);
    allowUpTo(problem, costs.need, makespan, program);
    return solveLoad(program, kWork, {}, isEnough).option;
}

std::vector<std::vector<double>> tolls(const Problem& problem, double makespan) {
    if (isTooLarge(problem)) return {};
    const Costs costs(problem);
    LoadProgram program = programOf(problem, problem.latency, costs.extraLoad, costs.bytes);
    allowUpTo(problem, costs.need, makespan, program);
    Tolls tolls(problem, costs);
    tolls.choose(program);
    return tolls.rows();
}

Bound lowerBound(const Problem& problem, Objective objective, const Weights& weights, const Enough& isEnough) {
    const Costs costs(problem);
    Bound bound;
    double longest = 0;
    for (std::size_t j = 0; j < problem.jobs.size(); ++j) {
        bound.longestJob = std::max(bound.longestJob, min(problem, costs.noStall, j) * kDown);
        longest = std::max(longest, min(problem, costs.need, j));
    }
    bound.bandwidth = sumOfMinima(problem, costs.bytes) * kDown;
    if (isTooLarge(problem)) {
        const auto cores = static_cast<double>(problem.cores.size());
        const double shortest = sumOfMinima(problem, problem.latency) / cores;
        bound.load = sumOfMinima(problem, costs.noStall) / cores * kDown;
        bound.combined = std::max(longest, (shortest + sumOfMinima(problem, costs.extraLoad)) * kDown);
    } else {
        bound.load = solveLoad(programOf(problem, costs.noStall, {}, {}), kWork, {}, isEnough).value;
        LoadProgram program = programOf(problem, problem.latency, costs.extraLoad, costs.bytes);
        const double threshold = std::max({longest, bound.longestJob, bound.bandwidth, bound.load});
        bound.combined = std::max(longest, combinedBound(problem, program, costs, threshold, isEnough));
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
    if (const auto min = minMakespanMapping(problem, bound.makespan, isEnough)) {
        const double makespan = evaluate(problem, *min).makespan * kDown;
        if (makespan > bound.makespan * (1 + 1e-9)) {
            bound.makespan = makespan;
            bound.method = "all schedules";
        }
    }
    bound.latency = latencyBound(problem, costs);
    Values min{.makespan = bound.makespan, .latency = bound.latency, .energy = {}};
    if (!problem.energy.empty()) min.energy = bound.energy = sumOfMinima(problem, problem.energy) * kDown;
    bound.objective = objectiveOf(min, objective, weights, bound);
    return bound;
}

}  // namespace tessera::mapping

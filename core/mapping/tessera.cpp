#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/base/random.h"
#include "core/mapping/annealing.h"
#include "core/mapping/assignment.h"
#include "core/mapping/bound.h"
#include "core/mapping/coarse_schedule.h"
#include "core/mapping/evaluator.h"
#include "core/mapping/exact.h"
#include "core/mapping/searches.h"
#include "core/mapping/state.h"

/// Our own search. Which job runs where is annealed on loads and bytes alone, where a change costs a few additions;
/// orders are then built so that jobs that want the bandwidth do not meet, and both are annealed together: first on a
/// relaxation of schedules, which takes no samples, then on schedules, of which only what a change touches is made
/// anew. Several starts are annealed side by side, and of those the worse half is given up again and again: which
/// assignment has a good order shows after few samples. Then it begins again.
namespace tessera::mapping {

namespace {

constexpr std::uint64_t kOrders = 1, kPolish = std::uint64_t{1} << 62U, kCoarse = std::uint64_t{1} << 61U,
                        kAssignments = 2;  ///< random streams; the latter, and one for every annealing after it
constexpr std::uint64_t kExchanges = 60, kMoves = 25;  ///< per cent; the rest changes places on a core
/// First temperatures per job, relative to the value: of an annealing on the relaxation, on schedules from what came
/// out of it, and on schedules from the best so far.
constexpr double kCoarseHeat = 0.15, kFreshHeat = 0.02, kHeat = 0.03;
/// Proposals of an annealing on the relaxation, in per cent of the samples: at first, and again where that leaves more
/// than kFar above the bound.
constexpr std::int64_t kCoarseEffort = 60, kMoreCoarseEffort = 240;
constexpr double kFar = 0.005;
/// The temperature falls with what is above the bound, from a gap of 1 / kNearBound on: what is left to gain there is
/// less than what steps at the usual temperatures lose.
constexpr double kNearBound = 30;
constexpr std::int64_t kAnnealings = 30, kFreshEvery = 4;
constexpr std::int64_t kPerJob = 100;        ///< samples of the shortest annealing
constexpr std::int64_t kContenders = 16;     ///< starts of an annealing side by side; a power of 2
constexpr std::int64_t kShareOfRounds = 60;  ///< per cent of the samples, before one contender is left
constexpr std::int64_t kPerJobOfTurn = 1;    ///< minimum samples of a contender's first turn

/// How many ways there are to put jobs in order on cores; at most `limit`.
std::int64_t countOrders(std::size_t jobs, std::size_t cores, std::int64_t limit) {
    std::int64_t count = 1;
    // A further job stands before any of those that are there, or last on any core.
    for (std::size_t j = 0; j < jobs; ++j) {
        const auto places = static_cast<std::int64_t>(j + cores);
        if (count > limit / places) return limit;
        count *= places;
    }
    return count;
}

/// Proposals of the annealing of all assignments of a start: what a search of few samples can wait for, and more in a
/// long one.
std::int64_t assignmentEffort(std::int64_t samples, std::int64_t length) {
    constexpr std::int64_t kMin = 140'000, kMax = 1'000'000;
    return std::min(60 * length, std::clamp(14 * samples, kMin, kMax));
}
constexpr std::int64_t kShareOfEffort = 4;  ///< of it, where the relaxation anneals assignments, too

class TesseraSearch {
public:
    TesseraSearch(Trial& trial, const Json& state);
    bool step(Trial& trial);
    Json state() const;

private:
    using Orders = std::vector<std::vector<std::int32_t>>;

    void begin(Trial& trial);
    void add(Trial& trial, std::int64_t number, std::int64_t effort, std::int64_t samples);
    Orders relaxed(Trial& trial, const Orders& orders, std::int64_t number, std::int64_t samples) const;
    void switchTo(std::size_t contender);
    void endTurn(Trial& trial);
    void polish(Trial& trial);
    void list(Trial& trial);
    Orders orderOf(std::int64_t number) const;
    void seed(Trial& trial);
    std::vector<std::int32_t> assigned(Trial& trial, std::int64_t number, std::int64_t effort);
    Orders ordersFrom(std::span<const std::int32_t> sizes, std::span<const std::int32_t> order) const;
    Orders heldOrders() const;
    Orders ordered(const std::vector<std::int32_t>& core) const;
    Orders shortestFirst() const;
    double evaluated(Trial& trial, const Orders& orders);
    void consider(Trial& trial, const Orders& orders);
    void considerMapping(Trial& trial, const Mapping& mapping);
    void anneal(Trial& trial);
    std::int64_t blockSize(const Trial& trial) const;
    void sumUp();
    double minMakespan(std::int32_t job, std::int32_t to, std::int32_t other) const;
    double valueOf(const Trial& trial, const Values& values) const {
        return objectiveOf(values, objective_, trial.options().weights, trial.bound());
    }

    const Problem& problem_;
    Objective objective_;
    std::size_t jobs_, cores_;
    Evaluator evaluator_;
    RandomStream random_;
    std::vector<std::int32_t> relaxed_;  ///< cores by the relaxation
    double value_ = kInfinity;           ///< of what the evaluator holds
    std::int64_t total_ = 0;             ///< samples of the whole search
    std::int64_t cycle_ = 0;             ///< annealings begun
    /// A start of an annealing, and what became of it.
    struct Contender {
        Orders orders;
        double value = kInfinity;
    };
    static bool isBetter(const Contender& a, const Contender& b) { return a.value < b.value; }
    std::vector<Contender> contenders_;         ///< of this annealing, those that are left
    std::int64_t active_ = 0;                   ///< whose turn it is: what the evaluator holds
    std::int64_t done_ = 0, turn_ = 0;          ///< samples of this turn
    std::int64_t before_ = 0, length_ = 0;      ///< samples of a contender before this turn, and of one that stays
    std::vector<std::vector<double>> tolls_;    ///< see bound.h
    std::int64_t listed_ = 0, listLength_ = 0;  ///< orders of jobs, where there are few enough to try all
    double heat_ = 0;                           ///< its first temperature, relative to the value
    /// What no schedule of the held assignment takes less than: cycles beside all cores, and sums of bytes and of
    /// tolls; the former by pair, the latter by pair and row.
    std::vector<double> extraLoad_, rows_;
    double heldExtraLoad_ = 0;
    std::vector<double> rowsHeld_;
};

TesseraSearch::TesseraSearch(Trial& trial, const Json& state)
    : problem_(trial.problem()),
      objective_(trial.objective()),
      jobs_(trial.jobs()),
      cores_(trial.cores()),
      evaluator_(problem_),
      random_(trial.seed(), kOrders),
      total_(trial.samplesLeft()),
      tolls_(tolls(problem_, trial.bound().makespan)),
      extraLoad_(excess(problem_)),
      rows_(extraLoad_.size() * (tolls_.size() + 1)),
      rowsHeld_(tolls_.size() + 1) {
    for (std::size_t p = 0; p < extraLoad_.size(); ++p) {
        double* const row = rows_.data() + p * rowsHeld_.size();
        row[0] = problem_.latency[p] * problem_.requiredBandwidth[p] / problem_.bandwidth;
        for (std::size_t t = 0; t < tolls_.size(); ++t) row[t + 1] = tolls_[t][p];
    }
    if (state.is_null()) return;
    const std::vector<std::int64_t> counts = unpackedCounts(state.at("counts"));
    const std::vector<double> numbers = unpackedDoubles(state.at("numbers"));
    const std::vector<std::int32_t> sizes = unpackedWords(state.at("sizes"));
    const std::vector<std::int32_t> order = unpackedWords(state.at("order"));
    relaxed_ = unpackedWords(state.at("relaxed"));
    if (counts.size() != 10 || numbers.empty() || relaxed_.size() != jobs_) refuseState();
    const std::size_t contenders = numbers.size() - 1;
    if (sizes.size() != contenders * cores_ || order.size() != contenders * jobs_) refuseState();
    for (const std::int32_t core : relaxed_)
        if (core < 0 || static_cast<std::size_t>(core) >= cores_) refuseState();
    for (std::size_t i = 0; i < contenders; ++i)
        contenders_.push_back(
            {ordersFrom(std::span(sizes).subspan(i * cores_, cores_), std::span(order).subspan(i * jobs_, jobs_)),
             numbers[i + 1]});
    random_.seek(static_cast<std::uint64_t>(counts[0]));
    heat_ = numbers[0];
    cycle_ = counts[1];
    total_ = counts[2];
    listed_ = counts[3];
    listLength_ = counts[4];
    active_ = counts[5];
    done_ = counts[6];
    turn_ = counts[7];
    before_ = counts[8];
    length_ = counts[9];
    const bool hasTurn = !contenders_.empty();
    if (cycle_ < 1 || listed_ < 0 || listLength_ < 0 || done_ < 0 || before_ < 0) refuseState();
    if (!hasTurn) return;
    if (done_ > turn_ || before_ + turn_ > length_ || active_ < 0 || static_cast<std::size_t>(active_) >= contenders)
        refuseState();
    evaluator_.hold(contenders_[static_cast<std::size_t>(active_)].orders);
    value_ = contenders_[static_cast<std::size_t>(active_)].value;
    sumUp();
}

/// Orders from the numbers of jobs on the cores and the jobs one after the other, every one once.
TesseraSearch::Orders TesseraSearch::ordersFrom(std::span<const std::int32_t> sizes,
                                                std::span<const std::int32_t> order) const {
    Orders orders(cores_);
    std::vector<std::uint8_t> seen(jobs_);
    std::size_t next = 0;
    for (std::size_t k = 0; k < cores_; ++k)
        for (std::int32_t i = 0; i < sizes[k]; ++i) {
            if (next == jobs_) refuseState();
            const std::int32_t job = order[next++];
            if (job < 0 || static_cast<std::size_t>(job) >= jobs_ ||
                std::exchange(seen[static_cast<std::size_t>(job)], 1) != 0)
                refuseState();
            orders[k].push_back(job);
        }
    if (next != jobs_) refuseState();
    return orders;
}

Json TesseraSearch::state() const {
    std::vector<std::int32_t> sizes, order;
    std::vector<double> numbers{heat_};
    for (std::size_t i = 0; i < contenders_.size(); ++i) {
        const bool isHeld = static_cast<std::int64_t>(i) == active_;
        numbers.push_back(isHeld ? value_ : contenders_[i].value);
        for (const auto& jobs : isHeld ? heldOrders() : contenders_[i].orders) {
            sizes.push_back(static_cast<std::int32_t>(jobs.size()));
            order.insert(order.end(), jobs.begin(), jobs.end());
        }
    }
    const std::vector<std::int64_t> counts{static_cast<std::int64_t>(random_.counter()),
                                           cycle_,
                                           total_,
                                           listed_,
                                           listLength_,
                                           active_,
                                           done_,
                                           turn_,
                                           before_,
                                           length_};
    return {{"counts", packed(counts)},
            {"numbers", packed(numbers)},
            {"sizes", packed(sizes)},
            {"order", packed(order)},
            {"relaxed", packed(relaxed_)}};
}

bool TesseraSearch::step(Trial& trial) {
    if (cycle_ == 0)
        seed(trial);
    else if (listed_ < listLength_)
        list(trial);
    else if (listLength_ > 0)
        return false;
    else if (contenders_.empty())
        begin(trial);
    else
        anneal(trial);
    trial.generation();
    return true;
}

/// The objective of orders; offers them where they are the best so far.
double TesseraSearch::evaluated(Trial& trial, const Orders& orders) {
    Evaluator other(problem_);
    const double value = valueOf(trial, other.hold(orders));
    trial.count(1, value);
    if (value < trial.best()) trial.offer(other.mapping(), value);
    return value;
}

/// Evaluates orders, and holds them where they are the best that is held.
void TesseraSearch::consider(Trial& trial, const Orders& orders) {
    const double value = evaluated(trial, orders);
    if (value >= value_) return;
    evaluator_.hold(orders);
    value_ = value;
}

/// An annealed assignment; by its number from the relaxation or from a construction.
std::vector<std::int32_t> TesseraSearch::assigned(Trial& trial, std::int64_t number, std::int64_t effort) {
    RandomStream random(trial.seed(), kAssignments + 2 + static_cast<std::uint64_t>(number));
    using Norm = Assignment::Norm;
    Assignment assignment(problem_, objective_, trial.options().weights, trial.bound(), tolls_);
    const auto poll = [&trial] { trial.poll(); };
    const bool isRelaxed = number % 2 == 0;
    if (isRelaxed)
        assignment.hold(relaxed_);
    else
        assignment.build(random, number == 1 ? 0 : 0.5);
    double min = kInfinity;
    std::vector<std::int32_t> best;
    const auto keep = [&] {
        const double found = assignment.objectiveValue();
        if (found >= min) return;
        min = found;
        best = assignment.core();
    };
    keep();
    assignment.anneal(random, 2 * effort, 0.03, isRelaxed ? Norm::sharp : Norm::blunt, poll);
    keep();
    assignment.hold(best);
    assignment.anneal(random, effort, 0.001, Norm::sharp, poll);
    keep();
    return best;
}

TesseraSearch::Orders TesseraSearch::heldOrders() const {
    Orders orders(cores_);
    for (std::size_t k = 0; k < cores_; ++k) {
        const auto jobs = evaluator_.order(k);
        orders[k].assign(jobs.begin(), jobs.end());
    }
    return orders;
}

/// Jobs in an order on their cores in which those that want the bandwidth are spread: whenever a core is free, it takes
/// the job that wants the most of what the others leave, or else the one that wants the least.
TesseraSearch::Orders TesseraSearch::ordered(const std::vector<std::int32_t>& core) const {
    Orders waiting(cores_), orders(cores_);
    const auto share = [&](std::int32_t job, std::size_t k) {
        return std::min(
            1.0, problem_.requiredBandwidth[problem_.pair(static_cast<std::size_t>(job), k)] / problem_.bandwidth);
    };
    for (std::size_t j = 0; j < jobs_; ++j)
        waiting[static_cast<std::size_t>(core[j])].push_back(static_cast<std::int32_t>(j));
    for (std::size_t k = 0; k < cores_; ++k)
        std::stable_sort(waiting[k].begin(), waiting[k].end(),
                         [&](std::int32_t a, std::int32_t b) { return share(a, k) < share(b, k); });
    std::vector<double> end(cores_), wanted(cores_);
    for (std::size_t n = 0; n < jobs_; ++n) {
        std::size_t k = cores_;
        for (std::size_t c = 0; c < cores_; ++c)
            if (!waiting[c].empty() && (k == cores_ || end[c] < end[k])) k = c;
        double left = 1;
        for (std::size_t c = 0; c < cores_; ++c)
            if (c != k && end[c] > end[k]) left -= wanted[c];
        auto next = std::upper_bound(waiting[k].begin(), waiting[k].end(), left,
                                     [&](double limit, std::int32_t job) { return limit < share(job, k); });
        if (next != waiting[k].begin()) --next;
        const std::int32_t job = *next;
        waiting[k].erase(next);
        orders[k].push_back(job);
        wanted[k] = share(job, k);
        end[k] += problem_.latency[problem_.pair(static_cast<std::size_t>(job), k)];
    }
    return orders;
}

/// Shortest job first, each to where it ends first: what the mean finish asks for.
TesseraSearch::Orders TesseraSearch::shortestFirst() const {
    std::vector<std::pair<double, std::int32_t>> byLength(jobs_);
    for (std::size_t j = 0; j < jobs_; ++j) {
        double shortest = kInfinity;
        for (std::size_t k = 0; k < cores_; ++k) shortest = std::min(shortest, problem_.latency[problem_.pair(j, k)]);
        byLength[j] = {shortest, static_cast<std::int32_t>(j)};
    }
    std::sort(byLength.begin(), byLength.end());
    Orders orders(cores_);
    std::vector<double> end(cores_);
    for (const auto& entry : byLength) {
        const std::int32_t job = entry.second;  // clang 14 captures no structured binding
        const auto endOn = [&](std::size_t k) {
            return end[k] + problem_.latency[problem_.pair(static_cast<std::size_t>(job), k)];
        };
        std::size_t best = 0;
        for (std::size_t k = 1; k < cores_; ++k)
            if (endOn(k) < endOn(best)) best = k;
        end[best] = endOn(best);
        orders[best].push_back(job);
    }
    return orders;
}

void TesseraSearch::considerMapping(Trial& trial, const Mapping& mapping) {
    Evaluator other(problem_);
    const double value = valueOf(trial, other.hold(mapping));
    trial.count(1, value);
    if (value < trial.best()) trial.offer(mapping, value);
    if (value >= value_) return;
    evaluator_.hold(mapping);
    value_ = value;
}

void TesseraSearch::seed(Trial& trial) {
    for (const Mapping& mapping : trial.options().warmStart) considerMapping(trial, mapping);
    Assignment assignment(problem_, objective_, trial.options().weights, trial.bound(), {});
    RandomStream random(trial.seed(), kAssignments);
    assignment.build(random, 0);
    consider(trial, ordered(assignment.core()));
    if (!problem_.energy.empty()) {
        std::vector<std::int32_t> thriftiest(jobs_);
        for (std::size_t j = 0; j < jobs_; ++j) {
            const auto first = problem_.energy.begin() + static_cast<std::ptrdiff_t>(problem_.pair(j, 0));
            thriftiest[j] =
                static_cast<std::int32_t>(std::min_element(first, first + static_cast<std::ptrdiff_t>(cores_)) - first);
        }
        consider(trial, ordered(thriftiest));
    }
    consider(trial, shortestFirst());
    if (objective_ == Objective::throughput && !trial.isProven())
        if (const auto min = minMakespanMapping(problem_, trial.bound().makespan, [&trial] {
                trial.poll();
                return false;
            }))
            considerMapping(trial, *min);
    trial.poll();
    trial.count(0, kInfinity);  // nothing more where the best is proven already
    relaxed_ = relaxedCores(problem_, trial.bound().makespan, [&trial] {
        trial.poll();
        return false;
    });
    const std::int64_t left = trial.samplesLeft();
    const std::int64_t orders = countOrders(jobs_, cores_, left + 1);
    if (orders <= left) {
        listLength_ = orders;
        ++cycle_;
        return;
    }
    begin(trial);
}

/// One of all orders on all cores: digit j of the number says before which of the jobs that are there, or last on which
/// core, job j stands.
TesseraSearch::Orders TesseraSearch::orderOf(std::int64_t number) const {
    Orders orders(cores_);
    for (std::size_t j = 0; j < jobs_; ++j) {
        const auto places = static_cast<std::int64_t>(j + cores_);
        auto place = static_cast<std::size_t>(number % places);
        number /= places;
        for (auto& order : orders) {
            if (place <= order.size()) {
                order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), static_cast<std::int32_t>(j));
                break;
            }
            place -= order.size() + 1;
        }
    }
    return orders;
}

void TesseraSearch::list(Trial& trial) {
    constexpr std::int64_t kBlock = 250;
    const std::int64_t until = std::min(listLength_, listed_ + kBlock);
    for (; listed_ < until; ++listed_) consider(trial, orderOf(listed_));
}

/// The next annealing: of several new assignments, or of the best so far.
void TesseraSearch::begin(Trial& trial) {
    const std::int64_t left = std::max<std::int64_t>(1, trial.samplesLeft());
    const auto jobs = static_cast<std::int64_t>(jobs_);
    const auto shortest = kPerJob * jobs;
    std::int64_t samples = total_ <= 2 * shortest ? left : std::min(left, std::max(shortest, total_ / kAnnealings));
    if (left - samples < samples / 2) samples = left;
    const bool isFresh = cycle_ % kFreshEvery == 0 && objective_ != Objective::latency;
    std::int64_t count = 1, turns = 1;
    if (isFresh)
        for (; count < kContenders && samples >= 2 * count * (turns + 1) * kPerJobOfTurn * jobs; count *= 2) ++turns;
    // A sample for each, and one for the last polish.
    if (count > 1) samples = std::max<std::int64_t>(1, samples - count - 1);
    // Rounds before the last one are equally long; a contender's turns double from one to the next.
    turn_ = count == 1 ? samples : std::max<std::int64_t>(1, samples * kShareOfRounds / (100 * count * (turns - 1)));
    length_ = turn_ * (count - 1) + std::max<std::int64_t>(1, samples - turn_ * count * (turns - 1));
    done_ = before_ = active_ = 0;
    heat_ = (isFresh ? kFreshHeat : kHeat) / static_cast<double>(jobs_);
    if (isFresh) {
        std::int64_t effort = assignmentEffort(total_, samples) / count;
        if (objective_ == Objective::throughput) effort /= kShareOfEffort;
        for (std::int64_t i = 0; i < count; ++i) add(trial, cycle_ * kContenders + i, effort, samples);
    }
    // A warm start, or a construction, may be better than what was made now.
    evaluator_.hold(trial.bestMapping());
    if (!isFresh) contenders_.push_back({heldOrders(), trial.best()});
    if (cycle_ == 0 && isFresh) {
        const auto worst = std::max_element(contenders_.begin(), contenders_.end(), isBetter);
        if (trial.best() < worst->value) *worst = {heldOrders(), trial.best()};
    }
    switchTo(0);
    ++cycle_;
}

/// Orders, annealed on the relaxation.
TesseraSearch::Orders TesseraSearch::relaxed(Trial& trial, const Orders& orders, std::int64_t number,
                                             std::int64_t samples) const {
    const auto poll = [&trial] { trial.poll(); };
    const double heat = kCoarseHeat / static_cast<double>(jobs_);
    RandomStream random(trial.seed(), kCoarse + static_cast<std::uint64_t>(number));
    CoarseSchedule coarse(problem_);
    coarse.hold(orders);
    coarse.anneal(random, kCoarseEffort * samples / 100, heat, poll);
    if (coarse.makespan() > trial.bound().objective * (1 + kFar))
        coarse.anneal(random, kMoreCoarseEffort * samples / 100, heat, poll);
    return coarse.orders();
}

/// A further contender: a new assignment, in an order.
void TesseraSearch::add(Trial& trial, std::int64_t number, std::int64_t effort, std::int64_t samples) {
    Contender contender{ordered(assigned(trial, number, effort)), kInfinity};
    if (objective_ == Objective::throughput) contender.orders = relaxed(trial, contender.orders, number, samples);
    contender.value = evaluated(trial, contender.orders);
    contenders_.push_back(std::move(contender));
}

void TesseraSearch::switchTo(std::size_t contender) {
    active_ = static_cast<std::int64_t>(contender);
    evaluator_.hold(contenders_[contender].orders);
    value_ = contenders_[contender].value;
    sumUp();
    done_ = 0;
}

/// The sums of what is held, in the order of jobs, so that they depend on it alone.
void TesseraSearch::sumUp() {
    heldExtraLoad_ = 0;
    std::fill(rowsHeld_.begin(), rowsHeld_.end(), 0);
    for (std::size_t j = 0; j < jobs_; ++j) {
        const std::size_t pair =
            problem_.pair(j, static_cast<std::size_t>(evaluator_.coreOf(static_cast<std::int32_t>(j))));
        heldExtraLoad_ += extraLoad_[pair];
        const double* const row = rows_.data() + pair * rowsHeld_.size();
        for (std::size_t r = 0; r < rowsHeld_.size(); ++r) rowsHeld_[r] += row[r];
    }
}

/// Minimum makespan that any order could have with a job on another core, in exchange for `other` there (-1: for none):
/// arithmetic on loads, bytes and tolls, without a schedule.
double TesseraSearch::minMakespan(std::int32_t job, std::int32_t to, std::int32_t other) const {
    const auto a = static_cast<std::size_t>(evaluator_.coreOf(job)), b = static_cast<std::size_t>(to);
    const auto j = static_cast<std::size_t>(job);
    const std::size_t before = problem_.pair(j, a), after = problem_.pair(j, b);
    const bool isExchange = other >= 0;
    const std::size_t its = isExchange ? problem_.pair(static_cast<std::size_t>(other), b) : 0;
    const std::size_t back = isExchange ? problem_.pair(static_cast<std::size_t>(other), a) : 0;
    const auto changed = [&](const std::vector<double>& table, std::size_t stride, std::size_t r) {
        double change = table[after * stride + r] - table[before * stride + r];
        if (isExchange) change += table[back * stride + r] - table[its * stride + r];
        return change;
    };
    double max = 0;
    for (std::size_t k = 0; k < cores_; ++k) {
        double end = evaluator_.busy(k);
        if (k == a) end += (isExchange ? problem_.latency[back] : 0) - problem_.latency[before];
        if (k == b) end += problem_.latency[after] - (isExchange ? problem_.latency[its] : 0);
        max = std::max(max, end);
    }
    double min = max + heldExtraLoad_ + changed(extraLoad_, 1, 0);
    for (std::size_t r = 0; r < rowsHeld_.size(); ++r)
        min = std::max(min, rowsHeld_[r] + changed(rows_, rowsHeld_.size(), r));
    return min * (1 - 1e-12);
}

/// Where orders do not matter, what is left to gain is in the assignment: the best one's, annealed once more from next
/// to nothing, in a new order.
void TesseraSearch::polish(Trial& trial) {
    if (objective_ != Objective::throughput || trial.samplesLeft() < 1) return;
    Assignment assignment(problem_, objective_, trial.options().weights, trial.bound(), tolls_);
    assignment.hold(trial.bestMapping().core);
    RandomStream random(trial.seed(), kPolish + static_cast<std::uint64_t>(cycle_));
    constexpr double kCool = 0.0003, kCold = 0.00003;
    const std::int64_t samples = std::min<std::int64_t>(total_, 10'000);  // of a long search there are many polishes
    const auto poll = [&trial] { trial.poll(); };
    const std::int64_t effort = assignmentEffort(samples, samples);
    assignment.anneal(random, effort, kCool, Assignment::Norm::sharp, poll);
    assignment.anneal(random, effort, kCold, Assignment::Norm::fullest, poll);
    if (assignment.objectiveValue() < trial.best()) evaluated(trial, ordered(assignment.core()));
}

/// The next contender's turn; after the last one's the better half goes on for twice as long.
void TesseraSearch::endTurn(Trial& trial) {
    contenders_[static_cast<std::size_t>(active_)] = {heldOrders(), value_};
    const auto next = static_cast<std::size_t>(active_) + 1;
    if (next < contenders_.size()) {
        switchTo(next);
        return;
    }
    if (contenders_.size() == 1) {
        contenders_.clear();
        polish(trial);
        return;
    }
    std::stable_sort(contenders_.begin(), contenders_.end(), isBetter);
    contenders_.resize(contenders_.size() / 2);
    before_ += turn_;
    turn_ = contenders_.size() == 1 ? length_ - before_ : 2 * turn_;
    switchTo(0);
}

std::int64_t TesseraSearch::blockSize(const Trial& trial) const {
    constexpr std::int64_t kMax = 250, kGenes = 200'000;
    const std::int64_t block = std::clamp(kGenes / static_cast<std::int64_t>(jobs_), std::int64_t{4}, kMax);
    return std::min({block, turn_ - done_, trial.samplesLeft()});
}

void TesseraSearch::anneal(Trial& trial) {
    const std::int64_t block = blockSize(trial);
    std::int64_t counted = 0;
    const bool byMakespan = objective_ == Objective::throughput;
    const double min = trial.bound().objective;
    const auto jobs = static_cast<std::uint64_t>(jobs_);
    constexpr int kFree = 200;  // proposals that arithmetic alone rules out
    for (std::int64_t n = 0; n < block; ++n) {
        const double above = min > 0 ? kNearBound * (value_ / min - 1) : 1;
        const double heat = heat_ * annealed(before_ + done_ + n, length_) * std::min(1.0, above);
        const double limit = value_ * (1 + heat * fluctuation(random_.uniform()));
        const Evaluator::Limit max{byMakespan ? limit : kInfinity};
        Values values;
        for (int attempt = 0;; ++attempt) {
            const auto job = static_cast<std::int32_t>(random_.below(jobs));
            const std::uint64_t kind = random_.below(100);
            if (kind < kExchanges && jobs_ > 1) {
                auto other = static_cast<std::int32_t>(random_.below(jobs - 1));
                if (other >= job) ++other;
                const Evaluator::Swap exchange{job, other};
                const std::int32_t there = evaluator_.coreOf(other);
                if (byMakespan && attempt < kFree && there != evaluator_.coreOf(job) &&
                    minMakespan(job, there, other) > limit)
                    continue;
                values = evaluator_.trySwap(exchange, max);
                break;
            }
            const std::int32_t from = evaluator_.coreOf(job);
            std::int32_t core = from;
            if (kind < kExchanges + kMoves) core = static_cast<std::int32_t>(random_.below(cores_));
            const std::size_t size = evaluator_.order(static_cast<std::size_t>(core)).size();
            const auto position = static_cast<std::int32_t>(random_.below(core == from ? size : size + 1));
            const Evaluator::Move move{job, core, position};
            if (attempt < kFree && core == from && position == evaluator_.positionOf(job)) continue;
            if (byMakespan && attempt < kFree && core != from && minMakespan(job, core, -1) > limit) continue;
            values = evaluator_.tryMove(move, max);
            break;
        }
        ++counted;
        const double value = values.makespan < kInfinity ? valueOf(trial, values) : kInfinity;
        if (!(value <= limit)) continue;
        evaluator_.keep();
        sumUp();
        value_ = valueOf(trial, evaluator_.values());
        if (value_ >= trial.best()) continue;
        trial.count(std::exchange(counted, 0), value_);
        trial.offer(evaluator_.mapping(), value_);
        if (value_ <= trial.bound().objective * (1 + 1e-9)) break;
    }
    done_ += block;
    trial.count(counted, value_);
    if (done_ == turn_) endTurn(trial);
}

}  // namespace

Search startTessera(Trial& trial, const Json& state) {
    const auto search = std::make_shared<TesseraSearch>(trial, state);
    return {.step = [search](Trial& under) { return search->step(under); },
            .state = [search] { return search->state(); }};
}

}  // namespace tessera::mapping

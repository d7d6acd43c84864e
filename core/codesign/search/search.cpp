#include "core/codesign/search/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/elementary.h"
#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/codesign/search/model_search.h"
#include "core/codesign/search/search_details.h"

namespace tessera::codesign {

namespace {

/// Architectures between two looks at what was found: few enough to answer within a second, and fixed, so that the
/// number of threads changes nothing.
constexpr std::size_t kBatch = 32;

/// Architectures to be proved between two looks, and how many are looked at a second time, or a third in vain.
constexpr std::size_t kFewer = 2, kMaxSeen = 512;
constexpr std::ptrdiff_t kMaxOutOfReach = 1;

/// A bound this close to what was found proves it.
constexpr double kProved = 1 + 1e-9;

/// An architecture of the template within the bound.
struct Candidate {
    std::size_t index = 0;  ///< see hardware::architectureAt
    SquareMillimetres area;
};

std::vector<Candidate> sitesOf(const hardware::Template& space, SquareMillimetres bound) {
    std::vector<Candidate> sites;
    const std::size_t count = hardware::architectureCount(space);
    for (std::size_t i = 0; i < count; ++i) {
        const SquareMillimetres area = hardware::areaOf(hardware::architectureAt(space, i), space).total();
        if (area <= bound) sites.push_back({i, area});
    }
    std::stable_sort(sites.begin(), sites.end(),
                     [](const Candidate& a, const Candidate& b) { return a.area < b.area; });
    return sites;
}

/// What the evaluation of a site came to.
struct Evaluated {
    std::optional<Point> point;  ///< none: not above the floor
    double bound = 0;            ///< of the objective; 0 where it was ruled out
    std::int64_t explored = 0;
};

class Search {
public:
    Search(const std::vector<Workload>& workloads, const hardware::Template& space, const Options& options,
           const SearchControl& control)
        : options_(options), control_(control), scorer_(workloads, space, options, control) {
        result_.space = space;
        result_.options = options;
        result_.areaBound = options.areaLimit ? *options.areaLimit : hardware::areaBound(space);
        sites_ = sitesOf(space, result_.areaBound);
        objectives_.assign(sites_.size(), 0);
        result_.architectures = static_cast<std::int64_t>(sites_.size());
        result_.points = result_.architectures * static_cast<std::int64_t>(space.hbm.values.size()) * scorer_.choices();
        for (const Workload& workload : workloads) result_.models.push_back(workload.name);
    }

    Result run() {
        progress_ = control_.resume;
        setOrder();
        boundGroups();
        for (const Progress::Evaluated& evaluated : progress_.evaluated) updateIncumbent(evaluated);
        switch (options_.search) {
            case SearchKind::exhaustive:
            case SearchKind::random:
                runInBatches();
                break;
            case SearchKind::hysteresis:
                runByBuckets();
                break;
        }
        refineUnresolved();
        finish();
        return std::move(result_);
    }

private:
    /// By rising area: then all that may rule a site out is known before it. Random sites as they are drawn.
    void setOrder() {
        order_.resize(sites_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        positions_.assign(hardware::architectureCount(result_.space), 0);
        for (std::size_t i = 0; i < sites_.size(); ++i) positions_[sites_[i].index] = i;
        if (options_.search == SearchKind::hysteresis) std::reverse(order_.begin(), order_.end());
        if (options_.search != SearchKind::random) return;
        RandomStream random(options_.seed);
        const std::size_t drawn = std::min(order_.size(), static_cast<std::size_t>(options_.samples));
        for (std::size_t i = 0; i < drawn; ++i) std::swap(order_[i], order_[i + random.below(order_.size() - i)]);
        order_.resize(drawn);
    }

    bool prunes() const { return options_.search == SearchKind::exhaustive; }

    /// What no plan on an architecture exceeds, for all that is left to look at: nearly all of it is ruled out by that,
    /// which is best done for many at once. Of those that differ in bandwidths alone none has a better objective value
    /// than the one with the greatest: they have its bound.
    void boundGroups() {
        if (!prunes()) return;
        const std::size_t size = hardware::bandwidthCount(result_.space);
        std::vector<std::size_t> groups;
        for (std::size_t place = progress_.next; place < order_.size(); ++place)
            groups.push_back(sites_[order_[place]].index / size);
        std::sort(groups.begin(), groups.end());
        groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
        groupBounds_.assign(positions_.size() / size, std::numeric_limits<double>::infinity());
        constexpr std::size_t kTogether = 128, kParts = 32;
        for (std::size_t done = 0; done < groups.size() && !stopped(); done += kTogether * kParts) {
            control_.reportProgress("bounding architectures", static_cast<double>(done),
                                    static_cast<double>(groups.size()));
            const std::size_t end = std::min(groups.size(), done + kTogether * kParts);
            parallelFor((end - done - 1) / kTogether + 1, control_.threads, [&](std::size_t part) {
                checkCancelled();
                const std::size_t first = done + part * kTogether;
                for (std::size_t i = first; i < std::min(end, first + kTogether); ++i)
                    groupBounds_[groups[i]] =
                        scorer_.bound(hardware::architectureAt(result_.space, (groups[i] + 1) * size - 1));
            });
        }
    }

    /// Whether nothing at a position is above `floor`.
    bool isRuledOut(std::size_t position, double floor) const {
        if (groupBounds_.empty() || !(floor > 0)) return false;
        return groupBounds_[sites_[position].index / hardware::bandwidthCount(result_.space)] <= floor;
    }

    void runInBatches() {
        while (progress_.next < order_.size() && !stopped()) {
            const std::size_t begin = progress_.next, end = std::min(order_.size(), begin + kBatch);
            evaluate(begin, end, prunes() ? best_ : 0);
        }
        if (progress_.next < order_.size())
            result_.endedBy = EndedBy::stop;
        else if (options_.search == SearchKind::random && order_.size() < sites_.size())
            result_.endedBy = EndedBy::samples;
    }

    /// Appendix C.1: from large to small areas, until the maxima of the last buckets do not rise.
    void runByBuckets() {
        const auto bucketOf = [&](std::size_t position) {
            return std::floor(sites_[order_[position]].area.value / options_.bucket.value);
        };
        std::vector<double> maxima;
        const auto converged = [&] {
            const auto last = static_cast<std::size_t>(options_.hysteresis);
            return maxima.size() > last &&
                   std::is_sorted(maxima.end() - static_cast<std::ptrdiff_t>(last), maxima.end(), std::greater<>());
        };
        std::size_t begin = 0;
        while (begin < order_.size() && !stopped()) {
            std::size_t end = begin;
            while (end < order_.size() && bucketOf(end) == bucketOf(begin)) ++end;
            if (end > progress_.next) evaluateBucket(begin, end);
            double max = 0;
            for (std::size_t i = begin; i < end; ++i) max = std::max(max, objectives_[order_[i]]);
            maxima.push_back(max);
            begin = end;
            if (!converged()) continue;
            result_.endedBy = begin < order_.size() ? EndedBy::hysteresis : EndedBy::done;
            return;
        }
        if (begin < order_.size()) result_.endedBy = EndedBy::stop;
    }

    /// A bucket holds a few architectures only, too few for many threads: those after it are evaluated with it, which
    /// changes nothing that is found, and forgotten where the search ends before them.
    void evaluateBucket(std::size_t begin, std::size_t end) {
        if (ahead_.size() < end - begin) {
            const std::size_t from = begin + ahead_.size();
            const std::size_t until = std::min(order_.size(), std::max(end, from + kBatch));
            const std::vector<std::size_t> positions(order_.begin() + static_cast<std::ptrdiff_t>(from),
                                                     order_.begin() + static_cast<std::ptrdiff_t>(until));
            for (Evaluated& each : evaluated(positions, 0, options_.firstStates())) ahead_.push_back(std::move(each));
        }
        for (std::size_t place = begin; place < end; ++place) {
            recordEvaluated(order_[place], std::move(ahead_.front()));
            ahead_.pop_front();
        }
        reached(end);
    }

    bool stopped() const { return control_.finishing(); }
    void checkCancelled() const { control_.throwIfCancelled("the co-design search"); }

    std::vector<Evaluated> evaluated(const std::vector<std::size_t>& positions, double floor,
                                     std::int64_t states) const {
        std::vector<Evaluated> found(positions.size());
        parallelFor(positions.size(), control_.threads, [&](std::size_t i) {
            checkCancelled();
            const Candidate& site = sites_[positions[i]];
            found[i].point = scorer_.evaluate(hardware::architectureAt(result_.space, site.index), site.area, floor,
                                              states, found[i].bound, found[i].explored);
        });
        return found;
    }

    void evaluate(std::size_t begin, std::size_t end, double floor) {
        std::vector<std::size_t> positions;
        for (std::size_t place = begin; place < end; ++place)
            if (!isRuledOut(order_[place], floor)) positions.push_back(order_[place]);
        std::vector<Evaluated> found = evaluated(positions, floor, options_.firstStates());
        for (std::size_t i = 0; i < found.size(); ++i) recordEvaluated(positions[i], std::move(found[i]));
        reached(end);
    }

    /// What the evaluation of the site at a position says, in the order of the search.
    void recordEvaluated(std::size_t position, Evaluated found) {
        const std::size_t architecture = sites_[position].index;
        progress_.explored += found.explored;
        if (found.point && found.point->objective > 0) recordCandidate({architecture, std::move(*found.point)});
        if (found.bound > best_ * kProved) progress_.unresolved.push_back({architecture, found.bound});
    }

    /// All places before `next` are done.
    void reached(std::size_t next) {
        progress_.next = next;
        control_.reportProgress("searching architectures", static_cast<double>(progress_.next),
                                static_cast<double>(order_.size()));
        if (control_.checkpoint) control_.checkpoint(progress_);
    }

    /// Schedules over more states what may still be better than the best, the most promising first: all of it over some
    /// more, then what is left over the most. Ends when the best is proved, or where a proof is out of reach.
    void refineUnresolved() {
        std::set<std::size_t> seen;  // architectures scheduled over some more states
        const auto some = [&](const Progress::Unresolved& each) { return !seen.contains(each.architecture); };
        for (std::vector<std::size_t> next; seen.size() < kMaxSeen && !stopped(); reportRefined(next)) {
            if (next = mostPromising(kBatch, some); next.empty()) break;
            for (const std::size_t i : next) seen.insert(progress_.unresolved[i].architecture);
            refineUnresolved(next, options_.comparedStates());
        }
        const auto all = [](const Progress::Unresolved&) { return true; };
        for (std::vector<std::size_t> next; !stopped() && !outOfReach(); reportRefined(next)) {
            if (next = mostPromising(kFewer, all); next.empty()) break;
            refineUnresolved(next, options_.scheduleStates);
            for (const std::size_t i : next) progress_.unresolved[i].refined = true;
        }
        if (stopped() && !mostPromising(1, all).empty()) result_.endedBy = EndedBy::stop;
    }

    /// Positions in `unresolved` of what may be better than the best, was not scheduled over the most states, and is
    /// wanted; the greatest bounds first.
    template <typename Wanted>
    std::vector<std::size_t> mostPromising(std::size_t count, const Wanted& wanted) const {
        const std::vector<Progress::Unresolved>& unresolved = progress_.unresolved;
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < unresolved.size(); ++i)
            if (!unresolved[i].refined && unresolved[i].bound > best_ * kProved && wanted(unresolved[i]))
                found.push_back(i);
        std::stable_sort(found.begin(), found.end(),
                         [&](std::size_t a, std::size_t b) { return unresolved[a].bound > unresolved[b].bound; });
        if (found.size() > count) found.erase(found.begin() + static_cast<std::ptrdiff_t>(count), found.end());
        return found;
    }

    void refineUnresolved(const std::vector<std::size_t>& which, std::int64_t states) {
        std::vector<std::size_t> positions;
        for (const std::size_t i : which) positions.push_back(positions_[progress_.unresolved[i].architecture]);
        const double floor = best_;
        std::vector<Evaluated> found = evaluated(positions, floor, states);
        for (std::size_t i = 0; i < found.size(); ++i) {
            // What is ruled out may still lie above smaller architectures on the front, up to the floor.
            double& bound = progress_.unresolved[which[i]].bound;
            bound = std::max(found[i].bound, std::min(bound, floor));
            if (found[i].point) recordCandidate({sites_[positions[i]].index, std::move(*found[i].point), true});
        }
    }

    /// Where an architecture stays open over the most states, others will, too.
    bool outOfReach() const {
        return std::count_if(progress_.unresolved.begin(), progress_.unresolved.end(),
                             [&](const Progress::Unresolved& each) {
                                 return each.refined && each.bound > best_ * kProved;
                             }) >= kMaxOutOfReach;
    }

    void reportRefined(const std::vector<std::size_t>& last) {
        const auto left =
            mostPromising(progress_.unresolved.size(), [](const Progress::Unresolved&) { return true; }).size();
        refined_ += last.size();
        control_.reportProgress("proving the best", static_cast<double>(refined_),
                                static_cast<double>(refined_ + left));
        if (control_.checkpoint) control_.checkpoint(progress_);
    }

    /// The greatest objective of an architecture and all smaller ones.
    std::vector<double> frontByPosition() const {
        std::vector<double> front(sites_.size(), 0);
        std::partial_sum(objectives_.begin(), objectives_.end(), front.begin(),
                         [](double a, double b) { return std::max(a, b); });
        return front;
    }

    void recordCandidate(Progress::Evaluated evaluated) {
        if (evaluated.refined)
            std::erase_if(progress_.evaluated,
                          [&](const Progress::Evaluated& each) { return each.architecture == evaluated.architecture; });
        progress_.evaluated.push_back(std::move(evaluated));
        updateIncumbent(progress_.evaluated.back());
    }

    /// Learns of an evaluated architecture; in the order of the search.
    void updateIncumbent(const Progress::Evaluated& evaluated) {
        const std::size_t position = positions_.at(evaluated.architecture);
        objectives_[position] = evaluated.point.objective;
        if (evaluated.point.objective <= best_) return;
        best_ = evaluated.point.objective;
        ProgressEvent event;
        event.kind = ProgressEvent::Kind::incumbent;
        event.task = "searching architectures";
        event.curve = {.quantity = "architecture search", .role = CurveRole::best};
        event.x = static_cast<double>(position + 1);
        event.y = best_;
        control_.report(event);
    }

    void finish() {
        std::vector<const Progress::Evaluated*> evaluated;
        for (const Progress::Evaluated& each : progress_.evaluated) evaluated.push_back(&each);
        const auto smaller = [&](const Progress::Evaluated* a, const Progress::Evaluated* b) {
            return positions_[a->architecture] < positions_[b->architecture];
        };
        std::sort(evaluated.begin(), evaluated.end(), smaller);
        collectFront(evaluated);
        collectTrace(evaluated);
        result_.explored = progress_.explored;
        // What was not reached was not ruled out.
        const std::int64_t each = scorer_.choices() * static_cast<std::int64_t>(result_.space.hbm.values.size());
        result_.skippedByBound = static_cast<std::int64_t>(progress_.next) * each - result_.explored;
        result_.bound = best_;
        const std::vector<double> front = frontByPosition();
        for (const Progress::Unresolved& left : progress_.unresolved) {
            result_.bound = std::max(result_.bound, left.bound);
            const double reached = front[positions_[left.architecture]];
            if (reached > 0) result_.frontGap = std::max(result_.frontGap, left.bound / reached - 1);
        }
        const bool whole = options_.search == SearchKind::exhaustive && result_.endedBy == EndedBy::done;
        result_.optimal = whole && result_.best && result_.bound <= best_ * kProved;
        scorer_.describe(result_);
    }

    void collectFront(const std::vector<const Progress::Evaluated*>& byArea) {
        std::vector<std::int64_t> states;  // that a point of the front was scheduled over
        for (const Progress::Evaluated* each : byArea) {
            if (each->point.objective <= 0) continue;
            if (!result_.front.empty() && each->point.objective <= result_.front.back().objective) continue;
            if (!result_.front.empty() && each->point.area == result_.front.back().area) {
                result_.front.pop_back();
                states.pop_back();
            }
            result_.front.push_back(each->point);
            states.push_back(each->refined ? options_.scheduleStates : options_.firstStates());
        }
        parallelFor(result_.front.size(), control_.threads,
                    [&](std::size_t i) { scorer_.chooseMemory(result_.front[i], states[i]); });
        if (!result_.front.empty()) result_.best = result_.front.back();
    }

    void collectTrace(const std::vector<const Progress::Evaluated*>& byArea) {
        const std::size_t step = byArea.size() / std::max<std::size_t>(1, options_.maxTraced) + 1;
        for (std::size_t i = byArea.size(); i-- > 0;)
            if (i % step == 0) result_.evaluated.push_back(byArea[i]->point);
        const double width = options_.search == SearchKind::hysteresis ? options_.bucket.value : 1;
        const auto bucketOf = [&](SquareMillimetres area) { return std::floor(area.value / width); };
        std::size_t next = byArea.size();
        const std::size_t min =
            options_.search == SearchKind::hysteresis ? sites_.size() - std::min(progress_.next, sites_.size()) : 0;
        for (std::size_t i = sites_.size(); i-- > min;) {
            const double bucket = bucketOf(sites_[i].area);
            if (result_.trace.empty() || result_.trace.back().area.value != bucket * width) {
                const double best = result_.trace.empty() ? 0 : result_.trace.back().best;
                result_.trace.push_back({.area = SquareMillimetres{bucket * width}, .best = best});
            }
            TraceBucket& row = result_.trace.back();
            ++row.architectures;
            while (next > 0 && positions_[byArea[next - 1]->architecture] > i) --next;
            if (next == 0 || positions_[byArea[next - 1]->architecture] != i) continue;
            ++row.evaluated;
            row.max = std::max(row.max, objectives_[i]);
            row.best = std::max(row.best, row.max);
        }
    }

    Options options_;
    const SearchControl& control_;
    Scorer scorer_;
    Result result_;
    Progress progress_;
    std::vector<Candidate> sites_;        ///< by rising area
    std::vector<std::size_t> order_;      ///< positions in `sites_`
    std::vector<std::size_t> positions_;  ///< by index of the template's architecture: position in `sites_`
    std::vector<double> objectives_;      ///< by position in `sites_`: 0 where not evaluated
    std::vector<double> groupBounds_;     ///< see `boundGroups`; empty where nothing is ruled out by them
    std::deque<Evaluated> ahead_;         ///< what follows `progress_.next`, see `evaluateBucket`
    double best_ = 0;
    std::size_t refined_ = 0;  ///< architectures that were looked at again
};

void check(const std::vector<Workload>& workloads, const hardware::Template& space, const Options& options) {
    if (workloads.empty()) throw UsageError("co-design needs at least one model");
    if (options.accelerators < 1) throw UsageError("co-design needs at least one accelerator");
    if (options.globalBatch < 1) throw UsageError("co-design needs a global batch of at least 1");
    if (!(options.bandwidth.value > 0)) throw UsageError("co-design needs a bandwidth above 0");
    if (!(options.bucket.value > 0)) throw UsageError("a bucket of areas is wider than 0");
    if (options.hysteresis < 1 || options.samples < 1 || options.scheduleStates < 1)
        throw UsageError("hysteresis, samples and states of schedules are at least 1");
    if (cost::estimatorNamed(options.estimator) == nullptr)
        throw UsageError(fmt::format("there is no estimator '{}'", options.estimator));
    if (!options.weights.empty() && options.weights.size() != workloads.size())
        throw UsageError(fmt::format("{} weights are given for {} models", options.weights.size(), workloads.size()));
    for (const double weight : options.weights)
        if (!(weight > 0) || !std::isfinite(weight)) throw UsageError("the weight of a model is above 0");
    if (space.hbm.values.empty()) throw UsageError("the template has no HBM");
    for (const hardware::Range* range : {&space.hbmBandwidth, &space.networkBandwidth})
        if (!range->values.empty() && range->values.front() < 1)
            throw UsageError("bandwidths that are searched are above 0");
}

}  // namespace

Result search(const std::vector<Workload>& workloads, const hardware::Template& space, const Options& options,
              const SearchControl& control) {
    check(workloads, space, options);
    return Search(workloads, space, options, control).run();
}

}  // namespace tessera::codesign

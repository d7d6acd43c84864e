#include "core/partition/ratio.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <set>

#include "core/base/number.h"
#include "core/base/units.h"

namespace tessera::partition {

namespace {

constexpr double kTolerance = 1e-10;  ///< relative; below the 1e-9 that results are compared to

double slower(const Totals& totals, const Sides& sides, double ratio) {
    return std::max(sideI(totals, sides, ratio), sideJ(totals, sides, ratio));
}

/// The best split seen, improved by every assignment that comes along.
class Incumbent {
public:
    Incumbent(const Level& level, double from, double to, ThreadProgress* watch)
        : level_(&level), from_(from), to_(to), watch_(watch) {}

    double value() const { return best_.value; }
    const Split& split() const { return best_; }

    void offer(const States& states) {
        if (!seen_.insert(states).second) return;
        consider(states, level_->totals(states));
    }

    /// Changes one variable at a time while that helps. What a Lagrangian bound leaves open is mostly a matter of
    /// moving one small layer from one side's burden to the other's.
    void polish(const Allowed& allowed) {
        if (best_.states.empty()) return;
        constexpr int kMaxRounds = 100;
        bool improved = true;
        for (int round = 0; improved && round < kMaxRounds; ++round) {
            improved = false;
            States states = best_.states;
            Totals totals = level_->totals(states);
            for (std::int32_t v = 0; v < level_->network().variables(); ++v) {
                if (watch_ != nullptr && v % 256 == 0) {
                    watch_->poll();
                    if (watch_->finishing()) return;
                }
                const std::uint8_t old = states[toIndex(v)];
                Totals without = totals;
                level_->addVariable(without, states, v, -1);
                for (std::uint8_t s = 0; s < 3; ++s) {
                    if (s == best_.states[toIndex(v)] || (!allowed.empty() && (allowed[toIndex(v)] >> s & 1U) == 0))
                        continue;
                    states[toIndex(v)] = s;
                    Totals with = without;
                    level_->addVariable(with, states, v, 1);
                    if (!std::isfinite(with.intra)) continue;
                    const double ratio = bestRatio(with, level_->sides(), from_, to_);
                    // The running totals carry rounding; only a recount decides.
                    if (slower(with, level_->sides(), ratio) < best_.value * (1 - kTolerance))
                        improved = consider(states, level_->totals(states)) || improved;
                }
                states[toIndex(v)] = old;
                if (best_.states[toIndex(v)] != old) {
                    states = best_.states;
                    totals = level_->totals(states);
                }
            }
        }
    }

private:
    bool consider(const States& states, const Totals& totals) {
        if (!std::isfinite(totals.intra)) return false;
        const double ratio = bestRatio(totals, level_->sides(), from_, to_);
        const double value = slower(totals, level_->sides(), ratio);
        if (!best_.states.empty() && value >= best_.value * (1 - kTolerance / 10)) return false;
        best_ = {states, ratio, value, 0, false};
        return true;
    }

    const Level* level_;
    double from_, to_;
    ThreadProgress* watch_;
    Split best_{{}, 0.5, kInfinity, 0, false};
    std::set<States> seen_;
};

/// A region of the search: an interval of ratios and the states still allowed.
struct Region {
    double bound = 0;
    double from = 0, to = 1;
    Allowed allowed;
    std::int64_t number = 0;          ///< ties go to the older region
    double weight = 0.5;              ///< where the bound was best, a start for the children
    std::int32_t splitVariable = -1;  ///< the best two assignments differ here
    std::uint8_t splitState = 0;

    bool operator<(const Region& other) const {
        return bound != other.bound ? bound > other.bound : number > other.number;
    }
};

class BranchAndBound {
public:
    BranchAndBound(const Level& level, Elimination& elimination, Incumbent& incumbent, std::int64_t limit)
        : level_(&level), elimination_(&elimination), incumbent_(&incumbent), limit_(limit) {}

    bool spent() const { return used_ >= limit_; }
    std::int64_t used() const { return used_; }

    /// Computes the region's bound: the largest, over weights, of the smaller value at the two ends. Concave in the
    /// weight, so the next weight is where the lines of the last rising and the last falling point meet (Kelley 1960).
    void bound(Region& region) {
        Point rising, falling;
        bool hasRising = false;
        bool hasFalling = false;
        double best = region.bound;
        double weight = region.weight;
        constexpr int kMaxWeights = 7;
        for (int i = 0; i < kMaxWeights && !spent(); ++i) {
            const Point point = lowest(region, weight);
            if (point.value > best) {
                best = point.value;
                region.weight = weight;
            }
            if (best >= incumbent_->value() * (1 - kTolerance)) break;
            const double slope = point.i - point.j;
            if (slope == 0) {
                rising = falling = point;
                hasRising = hasFalling = true;
                break;
            }
            if (slope > 0) {
                rising = point;
                hasRising = true;
            } else {
                falling = point;
                hasFalling = true;
            }
            if (!hasRising || !hasFalling) {
                const double edge = slope > 0 ? 1.0 : 0.0;
                if (weight == edge) break;
                // A side rarely gets all the weight: approach the edge before trying it.
                weight = i < 2 ? (weight + edge) / 2 : edge;
                continue;
            }
            // rising:  w*(i-j) + j; falling likewise; meet at:
            const double meet = (falling.j - rising.j) / ((rising.i - rising.j) - (falling.i - falling.j));
            const double value = meet * (rising.i - rising.j) + rising.j;
            if (!(meet > 0 && meet < 1) || value <= best * (1 + kTolerance)) break;
            weight = meet;
        }
        region.bound = best;
        region.splitVariable = -1;
        if (hasRising && hasFalling) chooseVariable(region, rising.states, falling.states);
    }

private:
    struct Point {
        double value = 0;
        double i = 0, j = 0;  ///< the sides of the assignment that attains it
        States states;
    };

    /// The smaller of the bound's values at the two ends, at one weight.
    Point lowest(const Region& region, double weight) {
        Point result;
        result.value = kInfinity;
        const std::array<double, 2> ends{region.from, region.to};
        for (std::size_t end = 0; end < (region.from == region.to ? 1 : 2); ++end) {
            const double ratio = ends[end];
            level_->fill(*elimination_, ratio, {Combine::Kind::weighted, weight}, region.allowed);
            const Elimination::Outcome outcome = elimination_->minimise();
            ++used_;
            incumbent_->offer(elimination_->states());
            if (outcome.lowerBound >= result.value) continue;
            const Totals totals = level_->totals(elimination_->states());
            result = {outcome.lowerBound, sideI(totals, level_->sides(), ratio), sideJ(totals, level_->sides(), ratio),
                      elimination_->states()};
        }
        return result;
    }

    /// Where two assignments differ, the variable that shifts most work between the sides.
    void chooseVariable(Region& region, const States& a, const States& b) const {
        const double ratio = (region.from + region.to) / 2;
        double max = -1;
        for (std::int32_t v = 0; v < level_->network().variables(); ++v) {
            if (a[toIndex(v)] == b[toIndex(v)]) continue;
            Totals ta, tb;
            level_->addVariable(ta, a, v, 1);
            level_->addVariable(tb, b, v, 1);
            const double shift = std::fabs(sideI(ta, level_->sides(), ratio) - sideI(tb, level_->sides(), ratio)) +
                                 std::fabs(sideJ(ta, level_->sides(), ratio) - sideJ(tb, level_->sides(), ratio));
            if (shift > max) {
                max = shift;
                region.splitVariable = v;
                region.splitState = a[toIndex(v)];
            }
        }
    }

    const Level* level_;
    Elimination* elimination_;
    Incumbent* incumbent_;
    std::int64_t limit_;
    std::int64_t used_ = 0;
};

/// The two halves of a region: by ratio while the interval is wide or the assignments agree, by state else.
std::array<Region, 2> halves(const Region& region, double incumbentRatio, std::int32_t variables) {
    std::array<Region, 2> parts{region, region};
    const double width = region.to - region.from;
    constexpr double kNarrow = 1e-3;
    if (region.splitVariable >= 0 && width < kNarrow) {
        for (Region& part : parts)
            if (part.allowed.empty()) part.allowed.assign(toIndex(variables), 7);
        const auto bit = static_cast<std::uint8_t>(1U << region.splitState);
        auto& first = parts[0].allowed[toIndex(region.splitVariable)];
        auto& second = parts[1].allowed[toIndex(region.splitVariable)];
        first = static_cast<std::uint8_t>(first & bit);
        second = static_cast<std::uint8_t>(second & ~bit);
        return parts;
    }
    // Close in on the incumbent, whose surroundings are the hardest to refute.
    double middle = (region.from + region.to) / 2;
    const double left = incumbentRatio - region.from;
    const double right = region.to - incumbentRatio;
    if (left > 0 && right > 0 && width > kNarrow) {
        const double margin = width / 16;
        middle =
            left > right ? incumbentRatio - std::min(margin, left / 2) : incumbentRatio + std::min(margin, right / 2);
    }
    parts[0].to = middle;
    parts[1].from = middle;
    return parts;
}

}  // namespace

namespace {

bool isEnding(const Search& search) {
    return search.watch != nullptr && search.watch->finishing();
}

std::string percentOf(double ratio) {
    return fmt::format("{:.3g} %", 100 * ratio);
}

/// Reports how a search goes: best time and, where there is one, lower bound, over evaluations.
void reportBest(const Search& search, double evaluations, const Split& split, double time) {
    if (search.watch == nullptr || !search.curves) return;
    search.watch->incumbent(
        "ratio search", CurveRole::best, evaluations, time,
        fmt::format("{} with {} of the work on the first side", formatSeconds(time), percentOf(split.ratio)));
}

void reportBound(const Search& search, double evaluations, double bound) {
    if (search.watch != nullptr && search.curves && bound > 0)
        search.watch->point("ratio search", CurveRole::bound, evaluations, bound);
}

}  // namespace

Split bestTypes(const Level& level, Elimination& elimination, double ratio, Combine combine, const Allowed& allowed,
                std::int64_t nodeLimit) {
    level.fill(elimination, ratio, combine, allowed);
    const Elimination::Outcome outcome = elimination.minimise(nodeLimit);
    return {elimination.states(), ratio, outcome.value, outcome.lowerBound, outcome.exact};
}

Split alternate(const Level& level, Elimination& elimination, RatioRule rule, const Allowed& allowed,
                const Search& search) {
    std::set<States> visited;
    Split best{{}, 0.5, kInfinity, 0, false};
    constexpr int kMaxRounds = 100;
    double ratio = 0.5;
    for (int round = 0; round < kMaxRounds; ++round) {
        if (search.watch != nullptr) search.watch->poll();
        if (round > 0 && isEnding(search)) break;
        const Split types = bestTypes(level, elimination, ratio, {}, allowed);
        if (!visited.insert(types.states).second) break;
        const Totals totals = level.totals(types.states);
        ratio = rule == RatioRule::eq10 ? equation10(totals, level.sides()) : bestRatio(totals, level.sides());
        const double value = slower(totals, level.sides(), ratio);
        if (value < best.value) best = {types.states, ratio, value, 0, false};
    }
    return best;
}

Split balance(const Level& level, Elimination& elimination, const Allowed& allowed, std::int64_t nodeLimit,
              RatioRange ratios, const Search& watching) {
    const auto [from, to] = ratios;
    Incumbent incumbent(level, from, to, watching.watch);
    const double share = level.sides().flopsI / (level.sides().flopsI + level.sides().flopsJ);
    for (const double start : {share, 0.5, 0.0, 1.0}) {
        const double ratio = std::clamp(start, from, to);
        level.fill(elimination, ratio, {}, allowed);
        elimination.minimise();
        incumbent.offer(elimination.states());
    }
    incumbent.polish(allowed);

    BranchAndBound search(level, elimination, incumbent, nodeLimit);
    std::priority_queue<Region> open;
    std::int64_t regions = 0;
    Region whole{.from = from, .to = to, .allowed = allowed, .number = regions++};
    reportBest(watching, 0, incumbent.split(), incumbent.value());
    search.bound(whole);
    reportBound(watching, static_cast<double>(search.used()), whole.bound);
    double reportedBound = whole.bound;
    open.push(whole);
    double polished = incumbent.value();
    double unresolved = kInfinity;
    while (!open.empty() && !search.spent()) {
        if (watching.watch != nullptr) watching.watch->poll();
        if (isEnding(watching)) break;
        const Region region = open.top();
        if (region.bound >= incumbent.value() * (1 - kTolerance)) break;
        open.pop();
        if (region.from == region.to && region.splitVariable < 0) {
            unresolved =
                std::min(unresolved, region.bound);  // one assignment attains the bound's lines: nothing to split
            continue;
        }
        for (Region& part : halves(region, incumbent.split().ratio, level.network().variables())) {
            part.number = regions++;
            search.bound(part);
            if (part.bound < incumbent.value() * (1 - kTolerance)) open.push(part);
        }
        if (incumbent.value() < polished) {
            incumbent.polish(allowed);
            polished = incumbent.value();
            reportBest(watching, static_cast<double>(search.used()), incumbent.split(), polished);
        }
        if (!open.empty() && open.top().bound > reportedBound) {
            reportedBound = open.top().bound;
            reportBound(watching, static_cast<double>(search.used()), std::min(reportedBound, incumbent.value()));
        }
    }
    Split best = incumbent.split();
    best.lowerBound = std::min({best.value, unresolved, open.empty() ? best.value : open.top().bound});
    best.proven = best.lowerBound >= best.value * (1 - 1e-9);
    return best;
}

Split balanceWhole(const Level& level, Elimination& elimination, const Allowed& allowed,
                   const std::function<double(const Split&, double limit)>& wholeTime, RatioRange ratios,
                   const Search& search) {
    struct Tried {
        Split split;
        double time = kInfinity;
    };
    const Sides& sides = level.sides();
    const double share = std::clamp(sides.flopsI / (sides.flopsI + sides.flopsJ), ratios.from, ratios.to);
    std::map<double, Tried> tried;  // by ratio
    double best = kInfinity;
    double bestRatio = 0;
    double evaluations = 0;
    // As good a ratio that is nearer to the share of FLOP/s is better: it asks no more of equal hardware than is due.
    const auto isBetter = [&](double time, double ratio) {
        constexpr double kTie = 1e-9;
        if (time < best * (1 - kTie)) return true;
        return time <= best * (1 + kTie) && std::fabs(ratio - share) < std::fabs(bestRatio - share);
    };
    const auto offer = [&](const Split& split) {
        constexpr double kJustAbove = 1 + 1e-6;  // a tie is seen as one
        const double time = wholeTime(split, best * kJustAbove);
        const auto [place, added] = tried.try_emplace(split.ratio, Tried{split, time});
        if (!added && time < place->second.time) place->second = {split, time};
        ++evaluations;
        if (isBetter(time, split.ratio)) {
            best = time;
            bestRatio = split.ratio;
            reportBest(search, evaluations, split, time);
        } else if (search.watch != nullptr && search.curves) {
            search.watch->point("ratio search", CurveRole::best, evaluations, best);
        }
    };
    const auto tryRatio = [&](double ratio) {
        if (search.watch != nullptr) search.watch->poll();
        ratio = std::clamp(ratio, ratios.from, ratios.to);
        if (tried.contains(ratio) || (!tried.empty() && isEnding(search))) return;
        offer(bestTypes(level, elimination, ratio, {}, allowed));
    };
    const Split alternated = alternate(level, elimination, RatioRule::alternating, allowed, search);
    if (alternated.ratio >= ratios.from && alternated.ratio <= ratios.to)
        offer(alternated);
    else
        tryRatio(alternated.ratio);
    for (const double ratio :
         {ratios.from, ratios.to, share, sides.perElementJ / (sides.perElementI + sides.perElementJ), 0.5})
        tryRatio(ratio);
    constexpr int kRefinements = 6;
    for (int k = 0; k < kRefinements && !isEnding(search); ++k) {
        const auto at = tried.find(bestRatio);
        const auto after = std::next(at);
        const double left = at == tried.begin() ? -1 : std::prev(at)->first;
        const double right = after == tried.end() ? -1 : after->first;
        if (left >= 0) tryRatio((left + at->first) / 2);
        if (right >= 0) tryRatio((at->first + right) / 2);
    }
    Split split = tried.at(bestRatio).split;
    const Totals totals = level.totals(split.states);
    split.value = slower(totals, sides, split.ratio);
    split.lowerBound = 0;
    split.proven = false;
    return split;
}

}  // namespace tessera::partition

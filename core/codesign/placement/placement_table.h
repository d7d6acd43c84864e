#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/codesign/placement/placement_walk.h"

namespace tessera::codesign {

/// Cost of a stage as the q-th from the end of the pipeline: `last` for q = 1, else `other` + (q-1)·`slope`, which
/// rises no further from q - 1 = `rising` on. Possible up to q = `max`.
struct StageCost {
    double last = 0;
    double other = 0;
    double slope = 0;
    std::size_t max = 0;
    std::size_t rising = std::numeric_limits<std::size_t>::max();
};

/// The minimum of the greatest cost of a stage, when what follows a cut is divided into so many stages, so many of
/// them cheap (of one accelerator where others need more). How many accelerators a plan occupies follows from the two
/// counts. Filled cut by cut from the full set downwards; plans end with the first stage, which the caller chooses.
///
/// `Costs` says what is minimised: `StageCost cost(walk, to, stage)`, and, to end a walk early, `bool fits(stage, q)`
/// and `double min(stage, q)`, for q = 1 and for any q from 2 on: once a stage does not fit, no larger one does, and
/// its minimum cost only rises when it grows.
template <typename Costs>
class StageTable {
public:
    /// limits[q], falling in q: costs from there on are of no interest in a plan of q stages or more; its size is one
    /// above the maximum number of stages of a plan. Counts of cheap stages above `cheap` are taken for `cheap`: those
    /// plans seem to occupy more than they do.
    StageTable(const CutLattice& lattice, const DegreeNumbers& numbers, const Costs& costs, std::vector<double> limits,
               std::size_t cheap)
        : lattice_(lattice),
          numbers_(numbers),
          costs_(costs),
          limits_(std::move(limits)),
          stages_(limits_.size() - 1),
          cheap_(cheap),
          walk_(lattice, numbers) {
        std::size_t size = 0;
        starts_.reserve(lattice.cuts());
        for (std::uint32_t cut = 0; cut < lattice.cuts(); ++cut) {
            lengths_.push_back(std::min(std::max<std::size_t>(stages_, 1), lattice.layers() - lattice.sizeOf(cut) + 1));
            starts_.push_back(size);
            size += cut == 0 ? 0 : lengthOf(cut) * (cheap_ + 1);
        }
        values_.assign(size, kNone);
        ranges_.assign(lattice.cuts(), {});
    }

    /// Plans are cut at sets whose sizes are multiples of `apart`.
    void fill(std::size_t apart, const RunControl& control) {
        for (std::uint32_t cut = lattice_.full(); cut-- > 1;) {
            if (lattice_.sizeOf(cut) % apart != 0) continue;
            control.throwIfCancelled(kPlacement);
            fillRow(cut, control);
        }
    }

    /// Calls visit(to, stage, stages, cheap, value) for every first stage and the best division of what follows it:
    /// the counts are of the whole plan, the value is its greatest cost.
    template <typename Visit>
    void eachPlan(const Visit& visit) {
        if (mayBeLast(0, 1)) {
            const Stage& whole = numbers_.rest(0);
            const double value = costs_.cost(walk_, lattice_.full(), whole).last;
            if (value < limits_[1]) visit(lattice_.full(), whole, 1, cheapOf(whole), value);
        }
        if (stages_ < 2) return;
        walk_.eachStage(0, [&](std::uint32_t to, const Stage& stage) {
            if (to == lattice_.full() || hopeless(stage, 2, limits_[2])) return Walk::notFurther;
            if (ranges_[to].empty()) return Walk::on;
            const StageCost cost = costs_.cost(walk_, to, stage);
            const std::size_t max = std::min({cost.max, ranges_[to].last + 1, stages_});
            for (std::size_t cheap = 0; cheap <= cheap_; ++cheap) {
                const double* values = row(to, cheap);
                for (std::size_t q = ranges_[to].first + 1; q <= max; ++q) {
                    const double value = std::max(costAt(cost, q), values[q - 1]);
                    if (value < limits_[q]) visit(to, stage, q, std::min(cheap + cheapOf(stage), cheap_), value);
                }
            }
            return Walk::on;
        });
    }

    /// The cuts of the plan that eachPlan showed as (to, stages, cheap, value), without the empty and the full set.
    std::vector<std::uint32_t> cutsOf(std::uint32_t to, const Stage& first, std::size_t stages, std::size_t cheap,
                                      double value) {
        std::vector<std::uint32_t> cuts;
        std::size_t left = stages - 1;
        std::size_t restCheap = cheap;
        // What follows the first stage: any row that is as good as the plan.
        for (std::size_t c = 0; left > 0 && c <= cheap_; ++c)
            if (std::min(c + cheapOf(first), cheap_) == cheap && row(to, c)[left] <= value) restCheap = c;
        for (std::uint32_t cut = to; left > 0; --left) {
            cuts.push_back(cut);
            if (left > 1) cut = next(cut, left, restCheap);
        }
        return cuts;
    }

private:
    static constexpr double kNone = std::numeric_limits<double>::infinity();

    /// Counts of stages, of those that have a value.
    struct Range {
        std::size_t first = 1;
        std::size_t last = 0;
        bool empty() const { return first > last; }
    };

    /// Row length of a cut: one value for each count of stages, and one for none.
    std::size_t lengthOf(std::uint32_t cut) const { return lengths_[cut]; }
    double* row(std::uint32_t cut, std::size_t cheap) { return values_.data() + starts_[cut] + cheap * lengthOf(cut); }
    std::size_t cheapOf(const Stage& stage) const { return stage.parallel ? 0 : std::min<std::size_t>(1, cheap_); }
    static double costAt(const StageCost& cost, std::size_t q) {
        return q == 1 ? cost.last : cost.other + static_cast<double>(std::min(q - 1, cost.rising)) * cost.slope;
    }
    /// Limit of a stage other than a plan's first, as the q-th from the end.
    double limitAt(std::size_t q) const { return q + 1 <= stages_ ? limits_[q + 1] : 0; }

    void fillRow(std::uint32_t cut, const RunControl& control) {
        considerLast(cut);
        if (stages_ >= 3) {
            std::uint32_t visited = 0;
            walk_.eachStage(cut, [&](std::uint32_t to, const Stage& stage) {
                constexpr std::uint32_t kOften = 1U << 16;
                if (++visited % kOften == 0) control.throwIfCancelled(kPlacement);
                if (to == lattice_.full() || hopeless(stage, 2, limits_[3])) return Walk::notFurther;
                if (!ranges_[to].empty()) considerStage(cut, to, stage);
                return Walk::on;
            });
        }
        trim(cut);
    }

    void considerLast(std::uint32_t cut) {
        const Stage& stage = numbers_.rest(cut);
        if (mayBeLast(cut, 2)) row(cut, cheapOf(stage))[1] = costs_.cost(walk_, lattice_.full(), stage).last;
    }

    bool hopeless(const Stage& stage, std::size_t q, double limit) const {
        return !costs_.fits(stage, q) || costs_.min(stage, q) >= limit;
    }

    /// True if the stage of all layers after a cut is a candidate in a plan of at least so many stages.
    bool mayBeLast(std::uint32_t cut, std::size_t stages) const {
        return stages_ >= stages && !hopeless(numbers_.rest(cut), 1, limits_[stages]);
    }

    void considerStage(std::uint32_t cut, std::uint32_t to, const Stage& stage) {
        const StageCost cost = costs_.cost(walk_, to, stage);
        const std::size_t max = std::min({cost.max, ranges_[to].last + 1, lengthOf(cut) - 1, maxUnder(cost.other)});
        const std::size_t first = std::max<std::size_t>(2, ranges_[to].first + 1);
        if (first > max) return;
        for (std::size_t cheap = 0; cheap <= cheap_; ++cheap) {
            const double* const from = row(to, cheap);
            double* const into = row(cut, std::min(cheap + cheapOf(stage), cheap_));
            if (cost.slope == 0) {
                const double other = cost.other;
                for (std::size_t q = first; q <= max; ++q) {
                    const double value = from[q - 1] > other ? from[q - 1] : other;
                    into[q] = into[q] < value ? into[q] : value;
                }
            } else {
                for (std::size_t q = first; q <= max; ++q)
                    into[q] = std::min(into[q], std::max(costAt(cost, q), from[q - 1]));
            }
        }
    }

    /// The maximum number of stages after a cut with which a first one of this cost is of interest. Limits fall; the
    /// answer is near that for the last stage looked at, which is alike.
    std::size_t maxUnder(double cost) {
        while (near_ > 0 && limits_[near_ + 1] <= cost) --near_;
        while (near_ + 1 < stages_ && limits_[near_ + 2] > cost) ++near_;
        return near_;
    }

    void trim(std::uint32_t cut) {
        Range range{.first = kNoCount, .last = 0};
        for (std::size_t cheap = 0; cheap <= cheap_; ++cheap) {
            double* const values = row(cut, cheap);
            for (std::size_t q = 1; q < lengthOf(cut); ++q) {
                if (values[q] >= limitAt(q)) {
                    values[q] = kNone;
                } else {
                    range.first = std::min(range.first, q);
                    range.last = std::max(range.last, q);
                }
            }
        }
        ranges_[cut] = range;
    }

    /// The next cut of the best division of what follows a cut; `cheap` becomes that of the rest. What is computed here
    /// is what `considerStage` computed, to the bit.
    std::uint32_t next(std::uint32_t cut, std::size_t stages, std::size_t& cheap) {
        const double value = row(cut, cheap)[stages];
        std::uint32_t found = 0;
        std::size_t rest = cheap;
        walk_.eachStage(cut, [&](std::uint32_t to, const Stage& stage) {
            if (to == lattice_.full() || !costs_.fits(stage, 2) || costs_.min(stage, 2) > value)
                return Walk::notFurther;
            if (stages - 1 < ranges_[to].first || stages - 1 > ranges_[to].last) return Walk::on;
            const StageCost cost = costs_.cost(walk_, to, stage);
            if (cost.max < stages || costAt(cost, stages) > value) return Walk::on;
            for (std::size_t c = 0; c <= cheap_; ++c) {
                if (std::min(c + cheapOf(stage), cheap_) != cheap || row(to, c)[stages - 1] > value) continue;
                found = to;
                rest = c;
                return Walk::end;
            }
            return Walk::on;
        });
        cheap = rest;
        return found;
    }

    static constexpr std::size_t kNoCount = std::numeric_limits<std::size_t>::max();

    const CutLattice& lattice_;
    const DegreeNumbers& numbers_;
    const Costs& costs_;
    std::vector<double> limits_;
    std::size_t stages_;
    std::size_t cheap_;
    StageWalk walk_;
    std::vector<std::size_t> starts_;
    std::vector<double> values_;
    std::vector<std::size_t> lengths_;
    std::vector<Range> ranges_;
    std::size_t near_ = 0;  ///< below stages_
};

}  // namespace tessera::codesign

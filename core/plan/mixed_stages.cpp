#include "core/plan/mixed_stages.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

#include "core/plan/judge_data.h"

namespace tessera::plan {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
/// Of a layer, by which a whole number of them may be missed for rounding.
constexpr double kRounding = 1e-9;

int roundedUp(double layers) {
    return static_cast<int>(std::ceil(layers - kRounding));
}

}  // namespace

MixedStages::Stage MixedStages::stageOf(const PlacedPart& placed, int stage, double bytes) {
    const GroupModel& model = *placed.model;
    Stage of{.placed = &placed, .kinds = model.kinds()};
    of.capacity = std::min(model.capacity(), bytes);
    for (std::size_t kind = 0; kind < of.kinds; ++kind) {
        const StageBytes its = model.bytesAt(placed.layout, stage, kind);
        of.fixed = its.fixed.parameters + model.variant().allowance;
        of.parameters = its.layer.parameters;
        of.kept[kind] = its.layer.activations;
        (model.kind(kind) == physical::Recompute::full ? of.workingAgain : of.working) = its.fixed.working;
        of.seconds[kind] = placed.model->times(placed.layout, kind).both();
    }
    if (stage + 1 == placed.layout.pipeline) of.head = placed.times().head();
    return of;
}

MixedStages::MixedStages(const std::vector<PlacedPart>& placed, int layers, double bytes) : layers_(layers) {
    for (const PlacedPart& each : placed)
        for (int s = each.first; s < each.first + each.part->stages; ++s) {
            stages_.push_back(stageOf(each, s, bytes));
            stages_.back().maxLayers = maxLayersOf(stages_.back(), layers);
        }
}

/// Least where all layers are of one kind: each kind keeps less than that before it.
double MixedStages::minBytesOf(const Stage& stage, int layers) {
    double min = kInfinite;
    for (std::size_t kind = 0; kind < stage.kinds; ++kind) {
        const double working = kind + 1 == stage.kinds ? stage.workingAgain : stage.working;
        min = std::min(min, layers * stage.kept[kind] + working);
    }
    return stage.fixed + layers * stage.parameters + min;
}

int MixedStages::maxLayersOf(const Stage& stage, int layers) {
    int max = 0;
    for (std::size_t kind = 0; kind < stage.kinds; ++kind) {
        const double working = kind + 1 == stage.kinds ? stage.workingAgain : stage.working;
        const double count = (stage.capacity - stage.fixed - working) / (stage.parameters + stage.kept[kind]);
        if (count > max) max = count >= layers ? layers : static_cast<int>(count);
    }
    return max;
}

/// Of the kinds none, selective (where attention is in parts) and full: of those that fit the one that takes least
/// time.
MixedStages::Mix MixedStages::mixOf(const Stage& stage, int layers) {
    const std::size_t full = stage.kinds - 1;
    // Bytes that lack where all layers keep all.
    const double lacks = layers * (stage.parameters + stage.kept[0]) + stage.fixed + stage.working - stage.capacity;
    if (!(lacks > 0)) return {layers, 0, 0};
    const auto saved = [&](std::size_t kind) { return stage.kept[0] - stage.kept[kind]; };
    const auto extra = [&](std::size_t kind) { return stage.seconds[kind] - stage.seconds[0]; };
    const double lacksAgain = lacks + stage.workingAgain - stage.working;
    if (full == 1) {
        const int again = std::clamp(roundedUp(lacksAgain / saved(1)), 1, layers);
        return {layers - again, again, 0};
    }
    Mix best{0, 0, layers};
    double min = layers * extra(full);
    const auto keep = [&](int selective, int again) {
        if (selective + again > layers) return;
        const double seconds = selective * extra(1) + again * extra(full);
        if (seconds >= min) return;
        min = seconds;
        best = {layers - selective - again, selective, again};
    };
    keep(std::max(roundedUp(lacks / saved(1)), 0), 0);
    for (int again = 1; again <= layers; ++again) {
        const double still = lacksAgain - again * saved(full);
        const int selective = std::max(roundedUp(still / saved(1)), 0);
        keep(selective, again);
        if (selective == 0) break;
    }
    return best;
}

RecomputedLayers MixedStages::recomputedOf(const Stage& stage, const Mix& mix) {
    return stage.kinds == 2 ? RecomputedLayers{.selective = 0, .full = mix[1]}
                            : RecomputedLayers{.selective = mix[1], .full = mix[2]};
}

double MixedStages::seconds(const HeldStage& held) const {
    const Stage& stage = stages_[held.stage];
    const Mix mix = mixOf(stage, held.layers);
    double sum = stage.head;
    for (std::size_t kind = 0; kind < stage.kinds; ++kind) sum += mix[kind] * stage.seconds[kind];
    return sum;
}

RecomputedLayers MixedStages::recomputed(const HeldStage& held) const {
    const Stage& stage = stages_[held.stage];
    return recomputedOf(stage, mixOf(stage, held.layers));
}

bool MixedStages::keepsAll(const HeldStage& held) const {
    return recomputed(held) == RecomputedLayers();
}

double MixedStages::once(const HeldStage& held) const {
    const PlacedPart& placed = *stages_[held.stage].placed;
    return placed.model->once(placed.layout, held.layers).both();
}

double MixedStages::minOfAll() const {
    double sum = stages_.back().head, min = kInfinite;
    for (const Stage& stage : stages_) {
        sum += stage.seconds[0];
        min = std::min(min, stage.seconds[0]);
    }
    return sum + (layers_ - static_cast<double>(stages_.size())) * min;
}

namespace {

/// Gives layers to stages of one each, to that whose value is least with one more, until all are given. Stages take as
/// many as they may have within `min`, which the greatest value of no division is below, at once: `within` says about
/// how many these are. Values rise with layers.
template <typename Value, typename Within>
std::vector<int> givenToLeast(int layers, std::size_t stages, double min, const Value& value, const Within& within) {
    std::vector<int> held(stages);
    int left = layers;
    for (std::size_t s = 0; s < stages; ++s) {
        held[s] = std::clamp(within(s), 1, layers);
        while (held[s] > 1 && value(s, held[s]) > min) --held[s];
        left -= held[s];
    }
    // Where one layer of a stage takes more than all others.
    if (left < 0) {
        held.assign(stages, 1);
        left = layers - static_cast<int>(stages);
    }
    if (left == 0) return held;
    using Next = std::pair<double, std::size_t>;
    std::vector<Next> all;
    for (std::size_t s = 0; s < stages; ++s) all.emplace_back(value(s, held[s] + 1), s);
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next(std::greater<>(), std::move(all));
    for (; left > 0; --left) {
        const std::size_t stage = next.top().second;
        next.pop();
        ++held[stage];
        next.emplace(value(stage, held[stage] + 1), stage);
    }
    return held;
}

}  // namespace

/// Of all divisions the one whose fullest stage is least full, in shares of `capacityOf`, by `shareOf`.
template <typename CapacityOf, typename ShareOf>
std::vector<int> MixedStages::emptiest(const CapacityOf& capacityOf, const ShareOf& shareOf) const {
    // As if all layers kept as little as the last kind, and nothing were at work.
    const auto slopeOf = [](const Stage& stage) { return stage.parameters + stage.kept[stage.kinds - 1]; };
    double held = layers_, room = 0, min = 0;
    for (const Stage& stage : stages_) {
        held += stage.fixed / slopeOf(stage);
        room += capacityOf(stage) / slopeOf(stage);
        min = std::max(min, shareOf(stage, 1));
    }
    min = std::max(min, held / room);
    return givenToLeast(
        layers_, stages_.size(), min, [&](std::size_t s, int layers) { return shareOf(stages_[s], layers); },
        [&](std::size_t s) {
            const Stage& stage = stages_[s];
            const double count = (min * capacityOf(stage) - stage.fixed) / slopeOf(stage);
            return count >= layers_ ? layers_ : static_cast<int>(std::max(count, 1.0));
        });
}

std::optional<double> MixedStages::minBytes() const {
    int max = 0;
    for (const Stage& stage : stages_) {
        if (stage.maxLayers < 1) return std::nullopt;
        max += stage.maxLayers;
    }
    if (max < layers_) return std::nullopt;
    const std::vector<int> held = emptiest([](const Stage&) { return 1.0; },
                                           [](const Stage& stage, int layers) {
                                               return layers > stage.maxLayers ? kInfinite : minBytesOf(stage, layers);
                                           });
    double fullest = 0;
    for (std::size_t s = 0; s < held.size(); ++s) fullest = std::max(fullest, minBytesOf(stages_[s], held[s]));
    return fullest;
}

std::optional<double> MixedStages::minBytesOf(const std::vector<int>& layers) const {
    double fullest = 0;
    for (std::size_t s = 0; s < layers.size(); ++s) {
        if (layers[s] > stages_[s].maxLayers) return std::nullopt;
        fullest = std::max(fullest, minBytesOf(stages_[s], layers[s]));
    }
    return fullest;
}

DivisionCost MixedStages::costOf(const std::vector<int>& layers) const {
    DivisionCost cost;
    for (std::size_t s = 0; s < layers.size(); ++s) {
        const double both = seconds({s, layers[s]});
        cost.all += both;
        cost.longest = std::max(cost.longest, both);
        cost.once = std::max(cost.once, once({s, layers[s]}));
        cost.fullest = std::max(cost.fullest, layers[s]);
    }
    return cost;
}

std::pair<HeldStage, RecomputedLayers> MixedStages::fullestOfEmptiest() const {
    return fullestOf(emptiest([](const Stage& stage) { return stage.capacity; }, shareOf));
}

std::pair<HeldStage, RecomputedLayers> MixedStages::fullestOf(const std::vector<int>& held) const {
    HeldStage fullest;
    double max = -1;
    for (std::size_t s = 0; s < held.size(); ++s)
        if (const double own = shareOf(stages_[s], held[s]); own > max) {
            max = own;
            fullest = {s, held[s]};
        }
    // What lacks least of its bytes: all layers of the kind that keeps least.
    const Stage& stage = stages_[fullest.stage];
    Mix mix{};
    double min = kInfinite;
    for (std::size_t kind = 0; kind < stage.kinds; ++kind) {
        const double working = kind + 1 == stage.kinds ? stage.workingAgain : stage.working;
        const double bytes = fullest.layers * stage.kept[kind] + working;
        if (bytes >= min) continue;
        min = bytes;
        mix = {};
        mix[kind] = fullest.layers;
    }
    return {fullest, recomputedOf(stage, mix)};
}

namespace {

/// Looks for the best division of mixed stages.
class MixedDivider {
public:
    MixedDivider(const MixedStages& stages, const std::function<double(const DivisionCost&)>& seconds)
        : stages_(stages), seconds_(seconds), leastOfAll_(stages.minOfAll()) {}

    std::optional<MixedDivision> run() {
        if (!hasRoom()) return std::nullopt;
        held_ = mostEven();
        for (std::size_t s = 0; s < held_.size(); ++s)
            leastLongest_ = std::max(leastLongest_, stages_.seconds({s, held_[s]}));
        leastOnce_ = leastOnce();
        for (double longest = leastLongest_;;) {
            const double next = raiseTo(longest);
            lookWithin();
            if (next == kInfinite ||
                seconds_({.longest = next, .all = leastOfAll_, .once = leastOnce_}) >= best_.seconds)
                return best_;
            longest = next;
        }
    }

private:
    bool hasRoom() const {
        int room = 0;
        for (std::size_t s = 0; s < stages_.stages(); ++s) {
            if (stages_.maxLayers(s) < 1) return false;
            room += stages_.maxLayers(s);
        }
        return stages_.stages() <= static_cast<std::size_t>(stages_.layers()) && room >= stages_.layers();
    }

    double secondsOf(std::size_t stage, int layers) const {
        return layers > stages_.maxLayers(stage) ? kInfinite : stages_.seconds({stage, layers});
    }
    double secondsWithOneMore(std::size_t stage) const { return secondsOf(stage, held_[stage] + 1); }

    /// Of all divisions one whose longest stage is shortest: none is shorter than the mean of all.
    std::vector<int> mostEven() const {
        double min = leastOfAll_ / static_cast<double>(stages_.stages());
        for (std::size_t s = 0; s < stages_.stages(); ++s) min = std::max(min, stages_.seconds({s, 1}));
        return givenToLeast(
            stages_.layers(), stages_.stages(), min, [&](std::size_t s, int layers) { return secondsOf(s, layers); },
            [&](std::size_t s) {
                const double count = min / stages_.minOfLayer(s);
                return std::min(count >= stages_.maxLayers(s) ? stages_.maxLayers(s) : static_cast<int>(count),
                                stages_.layers());
            });
    }

    /// Some stage holds the mean of all layers at least.
    double leastOnce() const {
        const int stages = static_cast<int>(held_.size()), mean = (stages_.layers() + stages - 1) / stages;
        double min = kInfinite;
        for (std::size_t s = 0; s < held_.size(); ++s)
            if (s == 0 || &stages_.placed(s) != &stages_.placed(s - 1)) min = std::min(min, stages_.once({s, mean}));
        return min;
    }

    /// Gives every stage as many layers as it ends within some seconds. Returns the least seconds in which some stage
    /// ends more.
    double raiseTo(double longest) {
        double next = kInfinite;
        for (std::size_t s = 0; s < held_.size(); ++s) {
            double more = secondsWithOneMore(s);
            while (more <= longest) {
                ++held_[s];
                more = secondsWithOneMore(s);
            }
            next = std::min(next, more);
        }
        return next;
    }

    /// Divisions of no more layers than are held, those with less to add once than the others before, too.
    void lookWithin() {
        std::vector<int> max = held_;
        for (;;) {
            const int over = sumOf(max) - stages_.layers();
            if (over < 0) return;
            const std::vector<int> layers = leastOfAllWithin(max, over);
            const DivisionCost cost = stages_.costOf(layers);
            const double seconds = seconds_(cost);
            if (seconds < best_.seconds) best_ = {seconds, layers};
            if (seconds_({.longest = leastLongest_, .all = cost.all, .once = leastOnce_}) >= best_.seconds) return;
            for (std::size_t s = 0; s < max.size(); ++s)
                while (stages_.once({s, max[s]}) >= cost.once)
                    if (--max[s] == 0) return;
        }
    }

    static int sumOf(const std::vector<int>& layers) {
        int sum = 0;
        for (const int each : layers) sum += each;
        return sum;
    }

    /// The division of at most so many layers of each stage, `over` fewer together, whose stages take least in sum.
    std::vector<int> leastOfAllWithin(std::vector<int> max, int over) {
        if (over == 0) return max;
        if (areAlike(max)) {
            for (; over > 0; --over) --*std::max_element(max.begin(), max.end());
            return max;
        }
        // By how many layers stages so far give up together: their least seconds, and how many the last of them gives.
        const auto width = static_cast<std::size_t>(over) + 1;
        std::vector<double> min(width, kInfinite), before(width);
        min[0] = 0;
        given_.assign(max.size() * width, 0);
        for (std::size_t s = 0; s < max.size(); ++s) {
            before.swap(min);
            min.assign(width, kInfinite);
            for (int gives = 0; gives <= over && gives < max[s]; ++gives) {
                const double seconds = stages_.seconds({s, max[s] - gives});
                const auto by = static_cast<std::size_t>(gives);
                for (std::size_t all = by; all < width; ++all) {
                    const double sum = before[all - by] + seconds;
                    if (sum >= min[all]) continue;
                    min[all] = sum;
                    given_[s * width + all] = gives;
                }
            }
        }
        for (std::size_t s = max.size(), left = width - 1; s-- > 0;) {
            const int gives = given_[s * width + left];
            max[s] -= gives;
            left -= static_cast<std::size_t>(gives);
        }
        return max;
    }

    /// Whether a layer takes the same wherever it is.
    bool areAlike(const std::vector<int>& max) const {
        if (&stages_.placed(0) != &stages_.placed(max.size() - 1)) return false;
        for (std::size_t s = 0; s < max.size(); ++s)
            if (!stages_.keepsAll({s, max[s]})) return false;
        return true;
    }

    const MixedStages& stages_;
    const std::function<double(const DivisionCost&)>& seconds_;
    double leastOfAll_, leastLongest_ = 0, leastOnce_ = 0;
    std::vector<int> held_;
    std::vector<int> given_;
    MixedDivision best_{.seconds = kInfinite};
};

}  // namespace

std::optional<MixedDivision> bestDivision(const MixedStages& stages,
                                          const std::function<double(const DivisionCost&)>& seconds) {
    return MixedDivider(stages, seconds).run();
}

}  // namespace tessera::plan

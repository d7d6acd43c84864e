#include "core/plan/stages.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace tessera::plan {

namespace {

/// Layers that all stages of a row but the last hold where each has at most `others`.
int heldByOthers(const StageRow& row, int others) {
    int sum = 0;
    for (std::size_t s = 0; s + 1 < row.maxLayers.size(); ++s) sum += std::min(row.maxLayers[s], others);
    return sum;
}

DivisionCost costOf(const StageRow& row, const RowChoice& choice, int layers) {
    const double others = row.stages > 1 ? choice.others * row.layer : 0;
    const int fullest = row.stages > 1 ? choice.fullest() : choice.last;
    return {.longest = std::max(others, choice.last * row.layer + row.head),
            .all = layers * row.layer + row.head,
            .once = (*row.once)(fullest),
            .fullest = fullest};
}

/// Calls `use` with the choices of a row that no other beats: the last stage gives up layers while others take them.
template <typename Use>
void forEachChoice(const StageRow& row, int layers, const Use& use) {
    if (row.stages == 1) {
        if (layers <= row.maxLayers.back()) use(RowChoice{0, layers});
        return;
    }
    const int min = *std::min_element(row.maxLayers.begin(), row.maxLayers.end());
    if (min < 1 || layers < row.stages) return;
    int before = std::numeric_limits<int>::max();
    // Below this number the others cannot hold what the last one leaves.
    for (int others = std::max(1, (layers - row.maxLayers.back()) / (row.stages - 1)); others <= layers; ++others) {
        const int last = std::max(1, layers - heldByOthers(row, others));
        if (last == before) return;  // the memory of the others is full
        before = last;
        if (last > row.maxLayers.back()) continue;
        use(RowChoice{others, last});
        // More for the others is longer and fuller then.
        if (last == 1 || (others * row.layer >= last * row.layer + row.head && others >= last)) return;
    }
}

DivisionCost both(const DivisionCost& a, const DivisionCost& b) {
    return {.longest = std::max(a.longest, b.longest),
            .all = a.all + b.all,
            .once = std::max(a.once, b.once),
            .fullest = std::max(a.fullest, b.fullest)};
}

void keep(std::optional<Division>& best, double seconds, const DivisionCost& cost, std::vector<RowChoice> rows,
          std::vector<int> layers) {
    if (!best || seconds < best->seconds) best = Division{seconds, cost, std::move(rows), std::move(layers)};
}

std::optional<Division> bestOfOne(int layers, const StageRow& row,
                                  const std::function<double(const DivisionCost&)>& seconds) {
    std::optional<Division> best;
    forEachChoice(row, layers, [&](const RowChoice& choice) {
        const DivisionCost cost = costOf(row, choice, layers);
        keep(best, seconds(cost), cost, {choice}, {layers});
    });
    return best;
}

/// Most layers of a stage that takes at most so many seconds, of which `beside` do not count by layers.
int layersWithin(double longest, double layer, double beside, int max) {
    auto held = static_cast<int>(std::clamp((longest - beside) / layer, 0.0, static_cast<double>(max)));
    while (held < max && (held + 1) * layer + beside <= longest) ++held;
    while (held > 0 && held * layer + beside > longest) --held;
    return held;
}

/// Divisions over several rows within limits of the longest stage and of what is added once, of which that with the
/// least sum of all stages gives the fastest rows as many layers as they may hold.
class RowsDivision {
public:
    RowsDivision(int layers, std::span<const StageRow> rows) : layers_(layers), rows_(rows) {
        for (std::size_t i = 0; i < rows.size(); ++i) byLayer_.push_back(i);
        std::stable_sort(byLayer_.begin(), byLayer_.end(),
                         [&](std::size_t a, std::size_t b) { return rows_[a].layer < rows_[b].layer; });
    }

    std::optional<Division> best(const std::function<double(const DivisionCost&)>& seconds) const {
        std::optional<Division> best;
        for (const StageRow& row : rows_)
            if (*std::min_element(row.maxLayers.begin(), row.maxLayers.end()) < 1) return best;
        constexpr double kAny = std::numeric_limits<double>::infinity();
        const auto widest = within(kAny, kAny);
        if (!widest) return best;
        const double all = sumOf(*widest);
        for (double longest = shortest(); longest < kAny; longest = next(longest)) {
            if (best && seconds({.longest = longest, .all = all}) >= best->seconds) break;
            // What is added once falls, and so the sum of all stages grows.
            for (double once = kAny;;) {
                const auto held = within(longest, once);
                if (!held || (best && seconds({.longest = longest, .all = sumOf(*held)}) >= best->seconds)) break;
                std::vector<RowChoice> choices;
                const DivisionCost cost = choose(*held, longest, once, choices);
                once = std::nextafter(cost.once, -kAny);
                keep(best, seconds(cost), cost, std::move(choices), *held);
            }
        }
        return best;
    }

private:
    /// Seconds that the longest stage takes at least: where fractions of layers make all as long, and of one layer.
    double shortest() const {
        double work = layers_, rate = 0, longest = 0;
        for (const StageRow& row : rows_) {
            work += row.head / row.layer;
            rate += row.stages / row.layer;
            longest = std::max(longest, row.layer + row.head);
        }
        return std::max(longest, work / rate) * (1 - 1e-12);
    }

    /// The next longer time that some stage can take.
    double next(double longest) const {
        double found = std::numeric_limits<double>::infinity();
        for (const StageRow& row : rows_)
            for (const double beside : {0.0, row.head}) {
                const int held = layersWithin(longest, row.layer, beside, layers_);
                if (held < layers_) found = std::min(found, (held + 1) * row.layer + beside);
            }
        return found;
    }

    /// Most layers of a stage of a row within what is added once.
    int layersOnce(const StageRow& row, double once) const {
        int held = 0, more = layers_ + 1;
        while (more - held > 1) {
            const int middle = (held + more) / 2;
            ((*row.once)(middle) <= once ? held : more) = middle;
        }
        return held;
    }

    RowChoice limitsOf(const StageRow& row, double longest, double once) const {
        const int max = once < std::numeric_limits<double>::infinity() ? layersOnce(row, once) : layers_;
        return {layersWithin(longest, row.layer, 0, max),
                std::min(layersWithin(longest, row.layer, row.head, max), row.maxLayers.back())};
    }

    /// Layers of each row; nothing where the rows do not hold all.
    std::optional<std::vector<int>> within(double longest, double once) const {
        std::vector<int> held, room;
        int left = layers_;
        for (const StageRow& row : rows_) {
            const RowChoice limits = limitsOf(row, longest, once);
            if (limits.last < 1 || (row.stages > 1 && limits.others < 1)) return std::nullopt;
            held.push_back(row.stages);
            room.push_back(heldByOthers(row, limits.others) + limits.last - row.stages);
            left -= row.stages;
        }
        if (left < 0) return std::nullopt;
        for (const std::size_t row : byLayer_) {
            const int more = std::min(left, room[row]);
            held[row] += more;
            left -= more;
        }
        return left > 0 ? std::nullopt : std::optional(std::move(held));
    }

    double sumOf(const std::vector<int>& held) const {
        double sum = 0;
        for (std::size_t i = 0; i < rows_.size(); ++i) sum += held[i] * rows_[i].layer + rows_[i].head;
        return sum;
    }

    /// The cost of the choices of the rows whose longest stages are shortest within the limits.
    DivisionCost choose(const std::vector<int>& held, double longest, double once,
                        std::vector<RowChoice>& choices) const {
        DivisionCost sum;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            std::optional<std::pair<RowChoice, DivisionCost>> chosen;
            forEachChoice(rows_[i], held[i], [&](const RowChoice& choice) {
                const DivisionCost cost = costOf(rows_[i], choice, held[i]);
                if (cost.longest > longest || cost.once > once) return;
                if (!chosen || cost.longest < chosen->second.longest) chosen = {choice, cost};
            });
            sum = both(sum, chosen.value().second);
            choices.push_back(chosen->first);
        }
        return sum;
    }

    int layers_;
    std::span<const StageRow> rows_;
    std::vector<std::size_t> byLayer_;  // rows, the fastest first
};

}  // namespace

void forEachDivision(int layers, const StageRow& row, const std::function<void(const RowChoice&)>& use) {
    forEachChoice(row, layers, use);
}

std::optional<Division> bestDivision(int layers, std::span<const StageRow> rows,
                                     const std::function<double(const DivisionCost&)>& seconds) {
    if (rows.size() == 1) return bestOfOne(layers, rows.front(), seconds);
    return RowsDivision(layers, rows).best(seconds);
}

std::vector<int> layersOf(const StageRow& row, const RowChoice& choice, int layers) {
    std::vector<int> held;
    for (std::size_t s = 0; s + 1 < row.maxLayers.size(); ++s)
        held.push_back(std::min(row.maxLayers[s], choice.others));
    int surplus = choice.last - layers;
    for (const int each : held) surplus += each;
    for (; surplus > 0; --surplus) --*std::max_element(held.begin(), held.end());
    held.push_back(choice.last);
    return held;
}

}  // namespace tessera::plan

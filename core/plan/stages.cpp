#include "core/plan/stages.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace tessera::plan {

namespace {

/// Layers that all stages of a row but the last hold where each has at most `others`.
int heldByOthers(const StageRow& row, int others) {
    int sum = 0;
    for (std::size_t s = 0; s + 1 < row.most.size(); ++s) sum += std::min(row.most[s], others);
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
        if (layers <= row.most.back()) use(RowChoice{0, layers});
        return;
    }
    const int least = *std::min_element(row.most.begin(), row.most.end());
    if (least < 1 || layers < row.stages) return;
    int before = std::numeric_limits<int>::max();
    // Below this number the others cannot hold what the last one leaves.
    for (int others = std::max(1, (layers - row.most.back()) / (row.stages - 1)); others <= layers; ++others) {
        const int last = std::max(1, layers - heldByOthers(row, others));
        if (last == before) return;  // the memory of the others is full
        before = last;
        if (last > row.most.back()) continue;
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

std::optional<Division> bestOfTwo(int layers, const StageRow& front, const StageRow& back,
                                  const std::function<double(const DivisionCost&)>& seconds) {
    std::optional<Division> best;
    const auto tryWith = [&](int first) {
        // No division of these numbers is shorter: stages are at best even.
        const DivisionCost bound{
            .longest = std::max(first * front.layer / front.stages,
                                std::max((layers - first) * back.layer + back.head, 0.0) / back.stages),
            .all = first * front.layer + (layers - first) * back.layer + back.head};
        if (best && seconds(bound) >= best->seconds) return;
        forEachChoice(front, first, [&](const RowChoice& ahead) {
            const DivisionCost cost = costOf(front, ahead, first);
            forEachChoice(back, layers - first, [&](const RowChoice& behind) {
                const DivisionCost sum = both(cost, costOf(back, behind, layers - first));
                keep(best, seconds(sum), sum, {ahead, behind}, {first, layers - first});
            });
        });
    };
    const double speeds = front.stages / front.layer + back.stages / back.layer;
    const int least = front.stages, most = layers - back.stages;
    const int even =
        std::clamp(static_cast<int>(layers * (front.stages / front.layer) / speeds), least, std::max(least, most));
    for (int away = 0; even - away >= least || even + away <= most; ++away) {
        if (even + away <= most) tryWith(even + away);
        if (away > 0 && even - away >= least) tryWith(even - away);
    }
    return best;
}

}  // namespace

void forEachDivision(int layers, const StageRow& row, const std::function<void(const RowChoice&)>& use) {
    forEachChoice(row, layers, use);
}

std::optional<Division> bestDivision(int layers, std::span<const StageRow> rows,
                                     const std::function<double(const DivisionCost&)>& seconds) {
    if (rows.size() == 1) return bestOfOne(layers, rows.front(), seconds);
    return bestOfTwo(layers, rows[0], rows[1], seconds);
}

std::vector<int> layersOf(const StageRow& row, const RowChoice& choice, int layers) {
    std::vector<int> held;
    for (std::size_t s = 0; s + 1 < row.most.size(); ++s) held.push_back(std::min(row.most[s], choice.others));
    int surplus = choice.last - layers;
    for (const int each : held) surplus += each;
    for (; surplus > 0; --surplus) --*std::max_element(held.begin(), held.end());
    held.push_back(choice.last);
    return held;
}

}  // namespace tessera::plan

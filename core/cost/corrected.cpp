// The same analysis on exact counts. The iterations of a layer (K, C, Y', X', R, S) are cut into chunks level by level;
// every multiply-accumulate belongs to exactly one chunk of each level, every unit of a level works on one chunk at a
// time, and what a step moves follows from the loop that advanced and the loops inside it that began again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "core/cost/levels.h"

namespace tessera::cost {

namespace {

/// Distinct combinations that one analysis may look at; real mappings stay below a few hundred.
constexpr std::size_t kMaxCases = 400'000;

using Sizes = std::array<std::int64_t, kLoops>;  // K C Y' X' R S

constexpr std::size_t kK = indexOf(Dimension::k);
constexpr std::size_t kC = indexOf(Dimension::c);
constexpr std::size_t kY = indexOf(Dimension::y);
constexpr std::size_t kX = indexOf(Dimension::x);
constexpr std::size_t kR = indexOf(Dimension::r);
constexpr std::size_t kS = indexOf(Dimension::s);

constexpr std::uint32_t bit(std::size_t dimension) {
    return std::uint32_t{1} << dimension;
}

/// Dimensions that address each tensor. The window couples the input with the kernel's rows and columns, too.
struct Coupling {
    std::uint32_t input;
    std::uint32_t weight;
    std::uint32_t output;
};
constexpr Coupling kConvolution{bit(kC) | bit(kY) | bit(kX) | bit(kR) | bit(kS), bit(kK) | bit(kC) | bit(kR) | bit(kS),
                                bit(kK) | bit(kY) | bit(kX)};
constexpr Coupling kDepthwise{bit(kC) | bit(kY) | bit(kX) | bit(kR) | bit(kS), bit(kC) | bit(kR) | bit(kS),
                              bit(kC) | bit(kY) | bit(kX)};

std::int64_t roundedUp(std::int64_t value, std::int64_t divisor) {
    return value / divisor + (value % divisor != 0 ? 1 : 0);
}

/// A loop of one level over one extent: `whole` rows of `units` chunks, and a last row with what is left.
struct Walk {
    std::size_t dimension = 0;
    std::int64_t chunk = 1;
    std::int64_t span = 1;  ///< of a whole row
    std::int64_t whole = 1;
    std::int64_t rest = 0;  ///< span of the last row, if not whole

    std::int64_t steps() const { return whole + (rest > 0 ? 1 : 0); }
};

Walk walkOf(std::size_t dimension, std::int64_t extent, std::int64_t chunk, std::int64_t units) {
    Walk walk{.dimension = dimension, .chunk = std::min(chunk, extent)};
    walk.span = units >= roundedUp(extent, walk.chunk) ? extent : walk.chunk * units;
    walk.whole = extent / walk.span;
    walk.rest = extent % walk.span;
    return walk;
}

void countCase(std::size_t& cases) {
    if (++cases > kMaxCases) throw NoCost{"the mapping cuts it into too many different tiles"};
}

/// Units of a row of `width` shared between two spatial loops with `first` and `second` chunks: the split with the
/// fewest rows; of equal ones the widest for the first.
std::pair<std::int64_t, std::int64_t> shared(std::int64_t width, std::int64_t first, std::int64_t second,
                                             std::size_t& cases) {
    std::int64_t best = 0;
    std::pair<std::int64_t, std::int64_t> split{1, 1};
    for (std::int64_t units = std::min(width, first); units >= 1;) {
        countCase(cases);
        const std::int64_t others = std::min(width / units, second);
        const std::int64_t rows = roundedUp(first, units);
        const std::int64_t all = times(rows, roundedUp(second, others));
        if (best == 0 || all < best) {
            best = all;
            split = {units, others};
        }
        // Fewer units gain nothing before they leave room for one more of the others.
        if (others == second) break;
        units = std::min(units - 1, width / (others + 1));
    }
    return split;
}

/// What the units of a level work on in one step.
struct Step {
    Sizes size{};  ///< of the largest chunk that a unit has
    Sizes span{};  ///< of all units together
    std::int64_t count = 1;
    bool revisits = false;  ///< some loop of the reduction is past its first chunk
};

/// Elements moved in one step.
struct Moves {
    std::int64_t input = 0;
    std::int64_t weight = 0;
    std::int64_t partial = 0;  ///< sums that come back to be added to
    std::int64_t output = 0;
};

struct Totals {
    double input = 0;
    double weight = 0;
    double partial = 0;
    double output = 0;
    std::int64_t tiles = 0;  ///< elements of the first tiles
};

/// One group of one sample.
Layer oneRun(const Layer& layer) {
    Layer run = layer;
    if (layer.kind == LayerKind::dsconv)
        run.k = 1;
    else {
        run.k /= layer.groups;
        run.c /= layer.groups;
    }
    run.groups = 1;
    run.batch = 1;
    return run;
}

class Corrected {
public:
    Corrected(const Layer& layer, const Dataflow& dataflow, const Array& array)
        : layer_(oneRun(layer)),
          array_(array),
          coupling_(layer.kind == LayerKind::dsconv ? kDepthwise : kConvolution),
          levels_(levelsOf(layer_, dataflow, array)),
          runs_(layer.kind == LayerKind::dsconv ? layer.batch : times(layer.groups, layer.batch)) {
        near_.fill(0);
    }

    LayerCost cost(const Layer& whole) {
        LayerCost cost;
        const Sizes sizes{layer_.k, layer_.c, outputRows(layer_), outputColumns(layer_), layer_.r, layer_.s};
        cost.cycles = times(runs_, time(0, sizes));
        cost.macs = runs_;
        for (const std::int64_t size : sizes) cost.macs = times(cost.macs, size);
        cost.l2Bytes = times(2, totals_.tiles);
        cost.l1Bytes = localBytes(sizes);
        fillTraffic(cost, whole, sizes);
        return cost;
    }

private:
    /// The chunk of a loop in a level: what is fresh in it, so that chunks never overlap and leave nothing out. On rows
    /// and columns sizes count outputs, whatever the stride.
    std::int64_t chunkOf(const Level& level, const Loop& loop) const {
        std::int64_t size = loop.size;
        if (loop.dimension == Dimension::y) size -= windowOf(level, Dimension::r) - 1;
        if (loop.dimension == Dimension::x) size -= windowOf(level, Dimension::s) - 1;
        return std::max<std::int64_t>(1, std::min(size, loop.offset));
    }

    static std::int64_t windowOf(const Level& level, Dimension window) {
        for (std::size_t i = 0; i < level.count; ++i)
            if (level.loops[i].dimension == window) return level.loops[i].size;
        return 1;
    }

    std::array<Walk, kLoops> walksOf(const Level& level, const Sizes& extents) {
        std::array<std::int64_t, kLoops> units;
        units.fill(1);
        shareUnits(level, extents, units);
        std::array<Walk, kLoops> walks{};
        for (std::size_t i = 0; i < level.count; ++i) {
            const std::size_t d = indexOf(level.loops[i].dimension);
            walks[i] = walkOf(d, extents[d], chunkOf(level, level.loops[i]), units[i]);
        }
        return walks;
    }

    void shareUnits(const Level& level, const Sizes& extents, std::array<std::int64_t, kLoops>& units) {
        std::size_t second = level.driving + 1;
        while (second < level.count && !level.loops[second].spatial) ++second;
        if (second == level.count) {
            units[level.driving] = level.width;
            return;
        }
        const auto chunks = [&](std::size_t i) {
            return roundedUp(extents[indexOf(level.loops[i].dimension)], chunkOf(level, level.loops[i]));
        };
        const auto [first, other] = shared(level.width, chunks(level.driving), chunks(second), cases_);
        units[level.driving] = first;
        units[second] = other;
    }

    /// Cycles of one tile of a level.
    std::int64_t time(std::size_t number, const Sizes& extents) {
        const Level& level = levels_.levels[number];
        const std::array<Walk, kLoops> walks = walksOf(level, extents);
        Step step;
        step.size.fill(1);
        step.span.fill(1);
        for (std::size_t i = 0; i < level.count; ++i) setWhole(step, walks[i]);
        std::int64_t cycles = timeOfFirst(number, step);
        for (std::size_t moving = 0; moving < level.count; ++moving)
            if (walks[moving].steps() > 1) cycles = plus(cycles, timeOfMoves(number, walks, moving, 0, step));
        return cycles;
    }

    static void setWhole(Step& step, const Walk& walk) {
        step.size[walk.dimension] = walk.chunk;
        step.span[walk.dimension] = walk.span;
    }

    static void setRest(Step& step, const Walk& walk) {
        step.size[walk.dimension] = std::min(walk.chunk, walk.rest);
        step.span[walk.dimension] = walk.rest;
    }

    /// Cycles of all steps in which loop `moving` advances; loops from `place` to there are still to be chosen, those
    /// inside begin again.
    std::int64_t timeOfMoves(std::size_t number, const std::array<Walk, kLoops>& walks, std::size_t moving,
                             std::size_t place, const Step& step) {
        const Walk& walk = walks[place];
        const bool reduction = (coupling_.output & bit(walk.dimension)) == 0;
        const auto go = [&](std::int64_t count, bool rest, bool past) -> std::int64_t {
            if (count <= 0) return 0;
            Step chosen = step;
            chosen.count = times(chosen.count, count);
            chosen.revisits = chosen.revisits || (reduction && past);
            if (rest) setRest(chosen, walk);
            return place == moving ? timeOfStep(number, walks, moving, chosen)
                                   : timeOfMoves(number, walks, moving, place + 1, chosen);
        };
        std::int64_t cycles = 0;
        if (place == moving)
            cycles = go(walk.whole - 1, false, true);
        else if (reduction)
            cycles = plus(go(1, false, false), go(walk.whole - 1, false, true));
        else
            cycles = go(walk.whole, false, false);
        return plus(cycles, go(walk.rest > 0 ? 1 : 0, true, true));
    }

    std::int64_t timeOfFirst(std::size_t number, const Step& step) {
        const Moves moves{.input = inputOf(step, false, false),
                          .weight = volume(step, coupling_.weight),
                          .output = volume(step, coupling_.output)};
        if (number == 0) totals_.tiles = plus(plus(moves.input, moves.weight), moves.output);
        count(number, step, moves);
        const std::int64_t in = plus(moves.input, moves.weight);
        const std::int64_t fill = number == 0 ? std::max(delay(in), roundedUp(in, array_.offchipBandwidth)) : delay(in);
        return plus(timeInside(number, step), fill);
    }

    std::int64_t timeOfStep(std::size_t number, const std::array<Walk, kLoops>& walks, std::size_t moving,
                            const Step& step) {
        std::uint32_t restarted = 0;
        for (std::size_t i = moving + 1; i < levels_.levels[number].count; ++i)
            if (walks[i].steps() > 1) restarted |= bit(walks[i].dimension);
        const std::size_t d = walks[moving].dimension;
        const std::uint32_t moved = restarted | bit(d);
        const bool slides = (restarted & coupling_.input) == 0;
        Moves moves;
        if ((moved & coupling_.input) != 0) moves.input = inputOf(step, slides && d == kY, slides && d == kX);
        if ((moved & coupling_.weight) != 0) moves.weight = volume(step, coupling_.weight);
        if ((moved & coupling_.output) != 0) moves.output = volume(step, coupling_.output);
        if (step.revisits) moves.partial = moves.output;
        count(number, step, moves);
        const std::int64_t in = plus(plus(moves.input, moves.weight), moves.partial);
        std::int64_t longest = std::max({timeInside(number, step), delay(in), delay(moves.output)});
        if (number == 0) longest = std::max(longest, roundedUp(plus(in, moves.output), array_.offchipBandwidth));
        return times(step.count, longest);
    }

    /// Cycles that the units need for the largest chunk that one of them has.
    std::int64_t timeInside(std::size_t number, const Step& step) {
        countCase(cases_);
        if (number + 1 == levels_.count) {
            std::int64_t macs = 1;
            for (const std::int64_t size : step.size) macs = times(macs, size);
            return roundedUp(macs, array_.simdLanes);
        }
        if (number > 0) {
            const auto [known, isNew] = far_[number].try_emplace(step.size, 0);
            if (isNew) known->second = time(number + 1, step.size);
            return known->second;
        }
        // In the outermost level a chunk of each dimension is whole or the last one.
        std::size_t edges = 0;
        for (std::size_t d = 0; d < kLoops; ++d)
            if (step.size[d] != wholes_[d] && wholes_[d] != 0) edges |= std::size_t{1} << d;
        if (edges == 0 && wholes_[0] == 0) wholes_ = step.size;
        std::int64_t& known = near_[edges];
        if (known == 0) known = time(1, step.size);
        return known;
    }

    std::int64_t delay(std::int64_t elements) const {
        if (elements == 0) return 0;
        return std::max<std::int64_t>(0, array_.nocHops * array_.nocHopLatency - 1) +
               roundedUp(elements, array_.nocBandwidth);
    }

    static std::int64_t volume(const Step& step, std::uint32_t dimensions) {
        std::int64_t elements = 1;
        for (std::size_t d = 0; d < kLoops; ++d)
            if ((dimensions & bit(d)) != 0) elements = times(elements, step.span[d]);
        return elements;
    }

    /// Elements of the input under the windows of a step; of a window that slid on only the new rows or columns.
    std::int64_t inputOf(const Step& step, bool slidY, bool slidX) const {
        const auto covered = [](std::int64_t outputs, std::int64_t window, std::int64_t stride, bool slid) {
            const std::int64_t all = plus(times(outputs - 1, stride), window);
            return slid ? std::min(all, times(outputs, stride)) : all;
        };
        const std::int64_t rows = covered(step.span[kY], step.span[kR], layer_.strideY, slidY);
        const std::int64_t columns = covered(step.span[kX], step.span[kS], layer_.strideX, slidX);
        return times(step.span[kC], times(rows, columns));
    }

    void count(std::size_t number, const Step& step, const Moves& moves) {
        if (number != 0) return;
        const auto steps = static_cast<double>(step.count);
        totals_.input += steps * static_cast<double>(moves.input);
        totals_.weight += steps * static_cast<double>(moves.weight);
        totals_.partial += steps * static_cast<double>(moves.partial);
        totals_.output += steps * static_cast<double>(moves.output);
    }

    /// The whole chunk that one processing element has of the layer.
    Step localChunk(const Sizes& sizes) const {
        Step step;
        step.span = sizes;
        for (std::size_t number = 0; number < levels_.count; ++number) {
            const Level& level = levels_.levels[number];
            for (std::size_t i = 0; i < level.count; ++i) {
                std::int64_t& span = step.span[indexOf(level.loops[i].dimension)];
                span = std::min(span, chunkOf(level, level.loops[i]));
            }
        }
        return step;
    }

    /// Both halves of the buffer of one processing element, with its whole chunk of each tensor.
    std::int64_t localBytes(const Sizes& sizes) const {
        const Step step = localChunk(sizes);
        const std::int64_t operands = plus(inputOf(step, false, false), volume(step, coupling_.weight));
        return times(2, plus(operands, volume(step, coupling_.output)));
    }

    /// By dimension, how many elements have different chunks side by side.
    std::array<double, kLoops> spreadOf(const Sizes& sizes) {
        std::array<double, kLoops> spread;
        spread.fill(1);
        Sizes extents = sizes;
        for (std::size_t number = 0; number < levels_.count; ++number) {
            const Level& level = levels_.levels[number];
            const std::array<Walk, kLoops> walks = walksOf(level, extents);
            for (std::size_t i = 0; i < level.count; ++i) {
                const Walk& walk = walks[i];
                spread[walk.dimension] *= static_cast<double>(roundedUp(walk.span, walk.chunk));
                extents[walk.dimension] = walk.chunk;
            }
        }
        return spread;
    }

    /// What moves between the shared buffer and the elements where a local buffer holds less than an element's chunk.
    /// Tensors that do not stay there pass by: one of them once for every chunk, since the loops inside can be in its
    /// order, others at every multiply-accumulate; elements that work on the same share what passes. By choice of what
    /// stays.
    std::vector<Totals> choicesPast(std::int64_t buffer, const Sizes& sizes) {
        constexpr std::size_t kOutput = 2;
        const Step chunk = localChunk(sizes);
        const std::array<double, kLoops> spread = spreadOf(sizes);
        const std::array<std::uint32_t, 3> couplings{coupling_.input, coupling_.weight, coupling_.output};
        const std::array<double, 3> volumes{static_cast<double>(inputOf(chunk, false, false)),
                                            static_cast<double>(volume(chunk, coupling_.weight)),
                                            static_cast<double>(volume(chunk, coupling_.output))};
        const std::array<double, 3> min{totals_.input, totals_.weight, totals_.output};
        double steps = 1, inside = 1, written = 1;
        for (std::size_t d = 0; d < kLoops; ++d) {
            const auto span = static_cast<double>(chunk.span[d]);
            inside *= span;
            steps *= static_cast<double>(sizes[d]) / span;
            if ((coupling_.output & bit(d)) != 0) written *= static_cast<double>(sizes[d]);
        }
        const auto passing = [&](std::size_t tensor, double elements) {
            double sharing = 1;
            for (std::size_t d = 0; d < kLoops; ++d)
                if ((couplings[tensor] & bit(d)) == 0) sharing *= spread[d];
            return std::max(min[tensor], steps * elements / sharing);
        };
        std::vector<Totals> choices;
        for (unsigned kept = 0; kept < 1U << couplings.size(); ++kept) {
            double room = 0;
            for (std::size_t i = 0; i < couplings.size(); ++i) room += (kept >> i & 1U) != 0 ? 2 * volumes[i] : 2;
            if (room > static_cast<double>(buffer)) continue;
            for (std::size_t once = 0; once < couplings.size(); ++once) {
                std::array<double, 3> moved{};
                for (std::size_t i = 0; i < couplings.size(); ++i)
                    moved[i] = (kept >> i & 1U) != 0 ? min[i] : passing(i, i == once ? volumes[i] : inside);
                choices.push_back({.input = moved[0],
                                   .weight = moved[1],
                                   .partial = std::max(totals_.partial, moved[kOutput] - written),
                                   .output = moved[kOutput]});
            }
        }
        return choices;
    }

    /// A tensor on its way between off chip and the shared buffer.
    struct Operand {
        double tiled = 0;    ///< elements that move where only tiles are in the buffer
        double partial = 0;  ///< sums that then come back besides
        double once = 0;     ///< elements that move where the whole tensor stays there
        double room = 0;     ///< that the whole of it takes, of one run
    };

    /// The shared buffer holds the tiles at work and the next ones, so that what the elements fetch comes from off
    /// chip; a tensor for all of which there is room beside them comes once. Zeros of a padding do not. What elements
    /// fetch again for want of a local buffer comes from the shared one where that holds the tiles.
    void fillTraffic(LayerCost& cost, const Layer& whole, const Sizes& sizes) {
        const auto runs = static_cast<double>(runs_);
        const bool isPast = array_.localBytes > 0 && cost.l1Bytes > array_.localBytes;
        const bool holdsTiles = array_.sharedBytes == 0 || cost.l2Bytes <= array_.sharedBytes;
        std::vector<Totals> choices{totals_};
        if (isPast) choices = choicesPast(array_.localBytes, sizes);
        const auto allOf = [](const Totals& moved) {
            return moved.input + moved.weight + moved.partial + moved.output;
        };
        Totals best;
        for (std::size_t i = 0; i < choices.size(); ++i) {
            const double offChip = offChipOf(holdsTiles ? totals_ : choices[i], whole, cost.l2Bytes);
            const bool isLess =
                offChip < cost.offChipBytes || (offChip == cost.offChipBytes && allOf(choices[i]) < allOf(best));
            if (i > 0 && !isLess) continue;
            best = choices[i];
            cost.offChipBytes = offChip;
        }
        cost.l2Reads = runs * (best.input + best.weight + best.partial);
        cost.l2Writes = runs * best.output;
        cost.energy = energyOf(cost);
        if (!isPast) return;
        raiseCycles(cost, std::max(cost.l2Reads, cost.l2Writes), array_.nocBandwidth);
        if (!holdsTiles) raiseCycles(cost, cost.offChipBytes, array_.offchipBandwidth);
    }

    /// Elements that move off chip where the tiles at work fetch so many, with the tensors that the buffer has room for
    /// beside tiles of `tileBytes`.
    double offChipOf(const Totals& fetched, const Layer& whole, std::int64_t tileBytes) const {
        const auto runs = static_cast<double>(runs_);
        const double rows = static_cast<double>(layer_.y) / static_cast<double>(layer_.y + layer_.padY);
        const double columns = static_cast<double>(layer_.x) / static_cast<double>(layer_.x + layer_.padX);
        const double input = inputElements(whole), weight = weightElements(whole), output = outputElements(whole);
        const std::array<Operand, 3> operands{
            Operand{.tiled = std::max(runs * fetched.input * rows * columns, input),
                    .once = input,
                    .room = inputElements(layer_)},
            Operand{.tiled = std::max(runs * fetched.weight, weight), .once = weight, .room = weightElements(layer_)},
            Operand{.tiled = std::max(runs * fetched.output, output),
                    .partial = runs * fetched.partial,
                    .once = output,
                    .room = outputElements(layer_)}};
        return minTraffic(operands, static_cast<double>(array_.sharedBytes - tileBytes));
    }

    /// No fewer cycles than elements need at so many per cycle.
    static void raiseCycles(LayerCost& cost, double elements, std::int64_t perCycle) {
        const double cycles = std::ceil(elements / static_cast<double>(perCycle));
        if (cycles >= 0x1p62) throw NoCost{"its counts do not fit into 64 bits"};
        cost.cycles = std::max(cost.cycles, static_cast<std::int64_t>(cycles));
    }

    /// With the choice of tensors to keep that saves most.
    static double minTraffic(const std::array<Operand, 3>& operands, double room) {
        double min = 0;
        for (unsigned kept = 0; kept < 1U << operands.size(); ++kept) {
            double moved = 0, partial = 0, taken = 0;
            for (std::size_t i = 0; i < operands.size(); ++i) {
                const bool isKept = (kept >> i & 1U) != 0;
                moved += isKept ? operands[i].once : operands[i].tiled;
                partial += isKept ? 0 : operands[i].partial;
                taken += isKept ? operands[i].room : 0;
            }
            moved += partial;
            if (kept == 0 || (taken <= room && moved < min)) min = moved;
        }
        return min;
    }

    /// J. Accesses relative to a multiply-accumulate: local and shared buffer as in MAESTRO (commit e1d8efd), DRAM as
    /// in Chen, Emer, Sze, "Eyeriss", ISCA 2016, table IV; the multiply-accumulate itself 0.23 pJ (MAESTRO).
    static double energyOf(const LayerCost& cost) {
        constexpr double kLocal = 1.68;
        constexpr double kShared = 18.61;
        constexpr double kOffChip = 200;
        constexpr double kMultiply = 0.23e-12;
        constexpr double kLocalPerMac = 4;  // both operands, the sum read and written
        const auto macs = static_cast<double>(cost.macs);
        const double shared = cost.l2Reads + cost.l2Writes + cost.offChipBytes;
        const double local = kLocalPerMac * macs + cost.l2Reads + cost.l2Writes;
        return kMultiply * (macs + kLocal * local + kShared * shared + kOffChip * cost.offChipBytes);
    }

    Layer layer_;
    const Array& array_;
    const Coupling& coupling_;
    Levels levels_;
    std::int64_t runs_ = 1;
    Totals totals_;
    std::size_t cases_ = 0;
    Sizes wholes_{};
    std::array<std::int64_t, std::size_t{1} << kLoops> near_{};
    std::array<std::map<Sizes, std::int64_t>, kMaxClusters + 1> far_;
};

}  // namespace

LayerCost correctedCost(const Layer& layer, const Dataflow& dataflow, const Array& array) {
    constexpr std::int64_t kMinBuffer = 6;  // an element of each tensor, and the next one
    for (const auto& [name, bytes] : {std::pair("local", array.localBytes), std::pair("shared", array.sharedBytes)})
        if (bytes > 0 && bytes < kMinBuffer)
            throw NoCost{fmt::format(
                "a {} buffer of {} bytes does not hold an element of each tensor and the next one, which are {} bytes",
                name, bytes, kMinBuffer)};
    return Corrected(layer, dataflow, array).cost(layer);
}

}  // namespace tessera::cost

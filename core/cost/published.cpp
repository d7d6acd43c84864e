// The analysis as MAESTRO makes it for the published MAGMA code, errors included: the numbers of the literature.
#include <algorithm>
#include <limits>

#include "core/cost/levels.h"

namespace tessera::cost {

namespace {

/// Ordered dimensions that address a tensor.
struct Tensor {
    std::array<Dimension, 4> dimensions{};
    std::size_t count = 0;
    bool output = false;

    bool has(Dimension dimension) const {
        return std::find(dimensions.begin(), dimensions.begin() + count, dimension) != dimensions.begin() + count;
    }
};

struct Tensors {
    Tensor input;
    Tensor weight;
    Tensor output;
};

constexpr Tensors kConvolutionTensors{{{Dimension::c, Dimension::y, Dimension::x}, 3, false},
                                      {{Dimension::k, Dimension::c, Dimension::r, Dimension::s}, 4, false},
                                      {{Dimension::k, Dimension::y, Dimension::x}, 3, true}};
constexpr Tensors kDepthwiseTensors{{{Dimension::c, Dimension::y, Dimension::x}, 3, false},
                                    {{Dimension::c, Dimension::r, Dimension::s}, 3, false},
                                    {{Dimension::c, Dimension::y, Dimension::x}, 3, true}};

/// What a row of units holds per dimension: whole chunks, fresh parts of chunks, and both for the last chunk.
struct Tables {
    Extents whole{};        // M
    Extents fresh{};        // U
    Extents edge{};         // Me
    Extents edgeFresh{};    // Ue
    std::int64_t tail = 1;  // ne: units at work in the last row
};

std::int64_t tailWidth(const Loop& loop, std::int64_t extent, std::int64_t width) {
    const auto [size, offset] = std::pair(loop.size, loop.offset);
    if (extent <= size) return 1;
    if (extent <= size + offset * (width - 1)) {
        const std::int64_t chunks = (extent - size) / offset + 1;
        return (chunks - 1) * offset + size < extent ? chunks + 1 : chunks;
    }
    const std::int64_t rounds = ((extent - size) / offset + 1) / width;
    const std::int64_t rest = extent - rounds * offset * width;
    return rest < size ? 1 : (rest - size) / offset + 1;
}

void fillOutput(Tables& tables, const Loop& loop, Dimension window, Dimension out) {
    const std::size_t in = indexOf(loop.dimension);
    const std::size_t kernel = indexOf(window);
    const std::size_t made = indexOf(out);
    tables.whole[made] = tables.whole[in] - tables.whole[kernel] + 1;
    tables.fresh[made] = std::min(loop.offset, loop.size);
    tables.edge[made] = tables.edge[in] - tables.edge[kernel] + 1;
    tables.edgeFresh[made] = std::min(loop.offset, tables.edge[made]);
}

Tables tablesOf(const Level& level) {
    Tables tables;
    for (std::size_t i = 0; i < level.count; ++i) {
        const Loop& loop = level.loops[i];
        const std::size_t d = indexOf(loop.dimension);
        const std::int64_t extent = level.extents[d];
        const std::int64_t steps = std::max<std::int64_t>(0, (extent - loop.size) / loop.offset);
        const bool ragged = steps * loop.offset + loop.size < extent || loop.size > extent;
        std::int64_t left = extent - (steps + 1) * loop.offset;
        if (left < 0) left = extent;
        tables.whole[d] = loop.size;
        tables.fresh[d] = !loop.spatial && extent <= loop.size ? 0 : std::min(loop.size, loop.offset);
        tables.edge[d] = ragged ? left : loop.size;
        tables.edgeFresh[d] = std::max<std::int64_t>(0, loop.offset - (loop.size - left));
    }
    for (std::size_t i = 0; i < level.count; ++i) {
        if (level.loops[i].dimension == Dimension::y) fillOutput(tables, level.loops[i], Dimension::r, Dimension::outY);
        if (level.loops[i].dimension == Dimension::x) fillOutput(tables, level.loops[i], Dimension::s, Dimension::outX);
    }
    const Loop& driving = level.loops[level.driving];
    tables.tail = tailWidth(driving, level.extents[indexOf(driving.dimension)], level.width);
    return tables;
}

enum class Position : std::uint8_t { first, middle, last };

/// Iterations of one loop that are alike.
struct State {
    Position position = Position::first;
    std::int64_t count = 1;
    bool unrolled = false;
    bool partial = false;  // "short": the row, or the chunk, is not full
    bool ragged = false;   // the last chunk of the row is not full
};

struct States {
    std::array<State, 3> states{};
    std::size_t count = 0;

    void add(const State& state) { states[count++] = state; }
};

States temporalStates(const Loop& loop, std::int64_t extent) {
    States states;
    states.add({.unrolled = extent <= loop.size, .partial = extent < loop.size});
    const std::int64_t steps = (extent - loop.size) / loop.offset;
    if (loop.size < extent && steps > 0) states.add({.position = Position::middle, .count = steps});
    if (extent >= loop.size && steps * loop.offset + loop.size < extent)
        states.add({.position = Position::last, .partial = true});
    return states;
}

States spatialStates(const Loop& loop, std::int64_t extent, std::int64_t width) {
    States states;
    const std::int64_t reach = loop.size + loop.offset * (width - 1);
    states.add({.unrolled = extent <= reach, .partial = extent < reach, .ragged = extent < reach});
    if (extent <= reach) return states;
    const std::int64_t rowStep = loop.offset * width;
    const std::int64_t rows = ((extent - loop.size) / loop.offset + 1) / width - 1;
    if (rows > 0) states.add({.position = Position::middle, .count = rows});
    if ((rows + 1) * rowStep + reach > extent && rows * rowStep + reach != extent) {
        const std::int64_t rest = extent - (rows + 1) * rowStep;
        const std::int64_t chunks = rest < loop.size ? 1 : (rest - loop.size) / loop.offset + 1;
        states.add(
            {.position = Position::last, .partial = true, .ragged = (chunks - 1) * loop.offset + loop.size < rest});
    }
    return states;
}

/// A unit of the row: the first one is `lead`, the partial one `tail`.
struct Role {
    bool lead = false;
    bool tail = false;
};
constexpr Role kLead{true, false};
constexpr Role kLeadTail{true, true};
constexpr Role kMiddle{false, false};
constexpr Role kLast{false, true};

Dimension outputOf(Dimension dimension) {
    if (dimension == Dimension::y) return Dimension::outY;
    return dimension == Dimension::x ? Dimension::outX : dimension;
}

/// One combination of the states of a level's loops.
class Case {
public:
    Case(const Level& level, const Tables& tables, const std::array<State, kLoops>& states)
        : level_(level), tables_(tables), states_(states) {
        for (std::size_t i = 0; i < level.count; ++i) {
            placeOf_[indexOf(level.loops[i].dimension)] = i;
            if (states[i].position != Position::first) moving_ = i;
        }
    }

    bool isFirst() const { return moving_ == kNone; }

    /// Elements of an operand that reach the row.
    std::int64_t fetched(const Tensor& tensor) const {
        if (moving_ != kNone && !tensor.has(level_.loops[moving_].dimension)) return 0;
        const bool restart = restarts(tensor);
        return row(tensor, [&](Role role) { return fetchedBy(tensor, role, restart); });
    }

    /// Elements of the output that leave the row.
    std::int64_t written(const Tensor& output) const {
        return row(output, [&](Role role) { return writtenBy(output, role, false); });
    }

    std::int64_t macsOfRow(const Tensor& output) const {
        bool partial = false;
        bool ragged = false;
        for (std::size_t i = 0; i < level_.count; ++i) {
            if (!level_.loops[i].spatial) continue;
            partial = partial || states_[i].partial;
            ragged = states_[i].ragged;
        }
        if (!partial) return times(level_.width, macs(output, kLead, false));
        if (tables_.tail == 1) return macs(output, ragged ? kLeadTail : kLead, false);
        const std::int64_t last = ragged ? 1 : 0;
        const std::int64_t whole = 1 + std::max<std::int64_t>(tables_.tail - last - 1, 0);
        return plus(times(macs(output, kLead, false), whole), last == 0 ? 0 : macs(output, kLast, true));
    }

    /// Multiply-accumulates of the unit that takes longest.
    std::int64_t criticalMacs(const Tensor& output) const {
        const Flags flags = flagsOf(output);
        const bool edge = flags.spatial && flags.partial && tables_.tail == 1 && flags.ragged;
        return macs(output, edge ? kLeadTail : kLead, false);
    }

private:
    static constexpr std::size_t kNone = kLoops;

    struct Flags {
        bool spatial = false;
        bool partial = false;
        bool ragged = false;
    };

    Flags flagsOf(const Tensor& tensor) const {
        Flags flags;
        for (std::size_t i = 0; i < tensor.count; ++i) {
            const std::size_t place = placeOf_[indexOf(tensor.dimensions[i])];
            if (!level_.loops[place].spatial) continue;
            flags.spatial = true;
            flags.partial = flags.partial || states_[place].partial;
            flags.ragged = states_[place].ragged;
        }
        return flags;
    }

    template <typename Volume>
    std::int64_t row(const Tensor& tensor, const Volume& volume) const {
        const Flags flags = flagsOf(tensor);
        if (!flags.spatial) return volume(kLead);
        if (!flags.partial)
            return level_.width == 1 ? volume(kLead) : plus(volume(kLead), times(level_.width - 1, volume(kMiddle)));
        if (tables_.tail == 1) return volume(flags.ragged ? kLeadTail : kLead);
        const std::int64_t last = flags.ragged ? 1 : 0;
        const std::int64_t middle = std::max<std::int64_t>(tables_.tail - last - 1, 0);
        std::int64_t sum = volume(kLead);
        if (middle > 0) sum = plus(sum, times(middle, volume(kMiddle)));
        if (last > 0) sum = plus(sum, volume(kLast));
        return sum;
    }

    bool restarts(const Tensor& tensor) const {
        if (moving_ == kNone) return false;
        for (std::size_t i = moving_ + 1; i < level_.count; ++i)
            if (states_[i].position == Position::first && !states_[i].unrolled && tensor.has(level_.loops[i].dimension))
                return true;
        return false;
    }

    std::int64_t fetchedBy(const Tensor& tensor, Role role, bool restart) const {
        std::int64_t volume = 1;
        for (std::size_t i = 0; i < tensor.count; ++i) {
            const std::size_t place = placeOf_[indexOf(tensor.dimensions[i])];
            volume = times(volume, moving_ == kNone ? filled(place, role) : refreshed(place, role, restart));
        }
        return volume;
    }

    std::int64_t filled(std::size_t place, Role role) const {
        const std::size_t d = indexOf(level_.loops[place].dimension);
        const bool edge = states_[place].partial && (!level_.loops[place].spatial || tables_.tail == 1 || role.tail);
        return edge ? tables_.edge[d] : tables_.whole[d];
    }

    std::int64_t refreshed(std::size_t place, Role role, bool restart) const {
        const std::size_t d = indexOf(level_.loops[place].dimension);
        const State& state = states_[place];
        const bool moves = place == moving_ && !restart;
        if (!level_.loops[place].spatial) {
            if (state.position == Position::first) return state.partial ? tables_.edge[d] : tables_.whole[d];
            if (!moves) return tables_.whole[d];
            if (tables_.fresh[d] == 0) throw NoCost{"a loop of the mapping moves on by nothing new"};
            return tables_.fresh[d];
        }
        const std::int64_t full = role.tail ? tables_.edge[d] : tables_.whole[d];
        if (role.lead) return full;
        const std::int64_t fresh = role.tail ? tables_.edgeFresh[d] : tables_.fresh[d];
        if (state.position == Position::first) return place <= moving_ ? full : fresh;
        return moves ? fresh : full;
    }

    /// `asMacs`: the tail of a first row counts whole, as it does in the row's multiply-accumulates.
    std::int64_t outputExtent(std::size_t place, Role role, bool asMacs) const {
        const Dimension dimension = level_.loops[place].dimension;
        const std::size_t d = indexOf(dimension);
        const std::size_t out = indexOf(outputOf(dimension));
        const State& state = states_[place];
        if (!level_.loops[place].spatial) return state.partial ? tables_.edge[out] : tables_.whole[out];
        const std::int64_t own = role.lead ? tables_.whole[out] : tables_.fresh[out];
        if (state.position == Position::last) {
            if (tables_.tail == 1) return tables_.edge[d];
            return role.tail ? tables_.edgeFresh[out] : own;
        }
        if (state.position == Position::first && state.partial && role.tail)
            return tables_.tail == 1 || asMacs ? tables_.edge[out] : tables_.edgeFresh[out];
        return own;
    }

    std::int64_t reducedExtent(std::size_t place, Role role) const {
        const std::size_t d = indexOf(level_.loops[place].dimension);
        const State& state = states_[place];
        if (!level_.loops[place].spatial) return state.partial ? tables_.edge[d] : tables_.whole[d];
        const std::int64_t own = role.lead ? tables_.whole[d] : tables_.fresh[d];
        if (state.position == Position::last) {
            if (tables_.tail == 1) return tables_.edge[d];
            return role.tail ? tables_.edgeFresh[d] : own;
        }
        return state.position == Position::first && state.partial && role.tail ? tables_.edge[d] : own;
    }

    std::int64_t writtenBy(const Tensor& output, Role role, bool asMacs) const {
        std::int64_t volume = 1;
        for (std::size_t i = 0; i < output.count; ++i)
            volume = times(volume, outputExtent(placeOf_[indexOf(output.dimensions[i])], role, asMacs));
        return volume;
    }

    std::int64_t macs(const Tensor& output, Role role, bool asMacs) const {
        std::int64_t volume = writtenBy(output, role, asMacs);
        for (std::size_t i = 0; i < level_.count; ++i)
            if (!output.has(level_.loops[i].dimension)) volume = times(volume, reducedExtent(i, role));
        return volume;
    }

    const Level& level_;
    const Tables& tables_;
    const std::array<State, kLoops>& states_;
    std::array<std::size_t, kLoops> placeOf_{};
    std::size_t moving_ = kNone;
};

/// Counters of the outermost level.
struct Counters {
    std::int64_t inputs = 0;
    std::int64_t weights = 0;
    std::int64_t outputs = 0;
    std::int64_t macs = 0;
    std::int64_t l2 = 0;
    std::int64_t firstIn = 0;   // double-buffered operands of the first tile
    std::int64_t firstOut = 0;  // and its outputs
};

std::int32_t wrapped(std::int64_t value) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value)));
}

std::int64_t ceilOfNatural(std::int64_t value, std::int64_t divisor) {
    return value / divisor + (value > 0 && value % divisor != 0 ? 1 : 0);
}

class Published {
public:
    Published(const Layer& layer, const Dataflow& dataflow, const Array& array)
        : layer_(layer),
          array_(array),
          tensors_(layer.kind == LayerKind::dsconv ? kDepthwiseTensors : kConvolutionTensors),
          levels_(levelsOf(layer, dataflow, array)) {
        for (std::size_t i = 0; i < levels_.count; ++i) {
            tables_[i] = tablesOf(levels_.levels[i]);
            if (i > 0) runtimes_[i].fill(kUnknown);
        }
    }

    LayerCost cost() {
        LayerCost cost;
        cost.cycles = runtime(0, levels_.levels[0].extents);
        cost.l2Bytes = wrapped(counters_.l2);
        cost.l1Bytes = localBytes();
        cost.macs = counters_.macs;
        cost.energy = energyInNanojoules() / 1e9;
        cost.l2Reads = static_cast<double>(counters_.inputs) + static_cast<double>(counters_.weights);
        cost.l2Writes = static_cast<double>(counters_.outputs);
        cost.offChipBytes = cost.l2Reads + cost.l2Writes;
        return cost;
    }

private:
    static constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();

    using Actual = std::array<std::int64_t, kLoops>;

    /// Cycles of one tile of a level.
    std::int64_t runtime(std::size_t number, const Actual& extents) {
        const Level& level = levels_.levels[number];
        std::array<States, kLoops> all;
        for (std::size_t i = 0; i < level.count; ++i) {
            const Loop& loop = level.loops[i];
            const std::int64_t extent = extents[indexOf(loop.dimension)];
            all[i] = loop.spatial ? spatialStates(loop, extent, level.width) : temporalStates(loop, extent);
        }
        std::array<std::size_t, kLoops> chosen{};
        std::array<State, kLoops> states{};
        for (std::size_t i = 0; i < level.count; ++i) states[i] = all[i].states[0];
        std::int64_t cycles = 0;
        for (;;) {
            cycles = plus(cycles, timeOf(number, states));
            std::size_t next = level.count;
            while (next-- > 0) {
                chosen[next] = chosen[next] + 1 == all[next].count ? 0 : chosen[next] + 1;
                states[next] = all[next].states[chosen[next]];
                if (chosen[next] != 0) break;
            }
            if (next >= level.count) return cycles;
        }
    }

    /// Iterations of a case; they are counted in 32 bits.
    static std::int32_t occurrences(const Level& level, const std::array<State, kLoops>& states) {
        std::int32_t count = 1;
        for (std::size_t i = 0; i < level.count; ++i) count = wrapped(count * states[i].count);
        if (count <= 0) throw NoCost{"its iterations do not fit into the 32-bit counter of the published model"};
        return count;
    }

    std::int64_t delay(std::int64_t elements) const {
        const std::int64_t sends = elements / array_.nocBandwidth + (elements % array_.nocBandwidth != 0 ? 1 : 0);
        return array_.nocHops * array_.nocHopLatency + sends - 1;
    }

    std::int64_t timeOf(std::size_t number, const std::array<State, kLoops>& states) {
        const Level& level = levels_.levels[number];
        const Case tile(level, tables_[number], states);
        const std::int64_t count = occurrences(level, states);
        const std::int64_t inputs = tile.fetched(tensors_.input);
        const std::int64_t weights = tile.fetched(tensors_.weight);
        const std::int64_t outputs = tile.written(tensors_.output);
        const std::int64_t computing = number + 1 == levels_.count
                                           ? ceilOfNatural(tile.criticalMacs(tensors_.output), array_.simdLanes)
                                           : longestInside(number, states);
        const std::int64_t in = delay(plus(inputs, weights));
        const std::int64_t out = delay(outputs);
        std::int64_t step = tile.isFirst() ? plus(computing, in) : std::max({computing, in, out});
        if (number == 0) {
            if (computing == 0) throw NoCost{"a tile of it takes no time in the published model"};
            if (tile.isFirst()) {
                counters_.firstIn = times(2, plus(inputs, weights));
                counters_.firstOut = times(2, outputs);
                counters_.l2 = plus(counters_.firstIn, counters_.firstOut);
            }
            step = std::max({step, counters_.firstIn / array_.offchipBandwidth / 2,
                             counters_.firstOut / array_.offchipBandwidth / 2});
            counters_.inputs = plus(counters_.inputs, times(count, inputs));
            counters_.weights = plus(counters_.weights, times(count, weights));
            counters_.outputs = plus(counters_.outputs, times(count, outputs));
            counters_.macs = plus(counters_.macs, times(count, tile.macsOfRow(tensors_.output)));
        }
        return times(count, step);
    }

    /// The longest of the tiles that the units of a row work on.
    std::int64_t longestInside(std::size_t number, const std::array<State, kLoops>& states) {
        const Level& level = levels_.levels[number];
        const State& driving = states[level.driving];
        if (!driving.partial || !driving.ragged) return std::max<std::int64_t>(0, inside(number, states, false));
        std::int64_t longest = std::max<std::int64_t>(0, inside(number, states, true));
        if (tables_[number].tail > 1) longest = std::max(longest, inside(number, states, false));
        return longest;
    }

    std::int64_t inside(std::size_t number, const std::array<State, kLoops>& states, bool tail) {
        const Level& level = levels_.levels[number];
        const Tables& tables = tables_[number];
        Actual extents = levels_.levels[number + 1].extents;
        std::size_t edges = 0;
        for (std::size_t i = 0; i < level.count; ++i) {
            const std::size_t d = indexOf(level.loops[i].dimension);
            const bool edge = states[i].partial && (!level.loops[i].spatial || tables.tail == 1 || tail);
            extents[d] = edge ? tables.edge[d] : tables.whole[d];
            if (edge) edges |= std::size_t{1} << d;
        }
        // Which dimensions are at their edge says everything about a tile inside.
        std::int64_t& known = runtimes_[number + 1][edges];
        if (known == kUnknown) known = runtime(number + 1, extents);
        return known;
    }

    std::int64_t localBytes() const {
        const Extents& whole = tables_[levels_.count - 1].whole;
        std::int64_t sum = 0;
        for (const Tensor* tensor : {&tensors_.input, &tensors_.weight, &tensors_.output}) {
            std::int64_t volume = 1;
            for (std::size_t i = 0; i < tensor->count; ++i)
                volume = times(volume, whole[indexOf(tensor->dimensions[i])]);
            sum = plus(sum, volume);
        }
        return wrapped(times(2, sum));
    }

    double sizeOf(const Tensor& tensor) const {
        double size = 1;
        for (std::size_t i = 0; i < tensor.count; ++i)
            size *= static_cast<double>(extentOf(layer_, tensor.dimensions[i]));
        return size;
    }

    /// Access energies of a shared and a local buffer relative to a multiply-accumulate, and that one's energy in nJ:
    /// MAESTRO's, commit e1d8efd.
    double energyInNanojoules() const {
        constexpr double kShared = 18.61;
        constexpr double kLocal = 1.68;
        constexpr double kUnit = 0.00023;
        const auto macs = static_cast<double>(counters_.macs);
        const auto inputs = static_cast<double>(counters_.inputs);
        const auto weights = static_cast<double>(counters_.weights);
        double sum = 0;
        for (const double accesses :
             {inputs, sizeOf(tensors_.input), weights, sizeOf(tensors_.weight), static_cast<double>(counters_.outputs)})
            sum += kShared * accesses;
        if (levels_.count == 1)
            for (const double accesses : {macs, inputs, macs, weights, macs, macs}) sum += kLocal * accesses;
        return sum * kUnit;
    }

    const Layer& layer_;
    const Array& array_;
    const Tensors& tensors_;
    Levels levels_;
    std::array<Tables, kMaxClusters + 1> tables_{};
    std::array<std::array<std::int64_t, std::size_t{1} << kLoops>, kMaxClusters + 1> runtimes_;
    Counters counters_;
};

}  // namespace

LayerCost publishedCost(const Layer& layer, const Dataflow& dataflow, const Array& array) {
    if (layer.strideY != 1 || layer.strideX != 1 || layer.padY != 0 || layer.padX != 0)
        throw NoCost{"the published model knows neither strides nor padding"};
    if (layer.groups != 1 || layer.batch != 1) throw NoCost{"the published model knows neither groups nor batches"};
    return Published(layer, dataflow, array).cost();
}

}  // namespace tessera::cost

#include "core/cost/levels.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace tessera::cost {

namespace {

constexpr std::int64_t kLargestAmount = 2'147'483'647;
constexpr std::array kUnrolledInOrder{Dimension::c, Dimension::k, Dimension::r,
                                      Dimension::s, Dimension::x, Dimension::y};

/// Turns amounts of a mapping into numbers for one layer on one array.
struct Resolver {
    const Layer& layer;
    const Dataflow& dataflow;
    const Array& array;

    std::int64_t operator()(const Amount& amount) const {
        const std::int64_t value = valueOf(amount);
        if (value < 1 || value > kLargestAmount)
            throw NoCost{fmt::format("a size of the mapping is {}; it must be from 1 to {}", value, kLargestAmount)};
        return value;
    }

private:
    std::int64_t valueOf(const Amount& amount) const {
        if (const auto* number = std::get_if<std::int64_t>(&amount)) return *number;
        if (const auto* dimension = std::get_if<Dimension>(&amount)) return extentOf(layer, *dimension);
        const auto& name = std::get<std::string>(amount);
        if (const auto found = dataflow.constants.find(name); found != dataflow.constants.end()) return found->second;
        if (name == "ClusterSz") return array.clusterSize;
        throw NoCost{fmt::format("the mapping does not define its constant {}", inQuotes(name))};
    }
};

const Loop* find(const Level& level, Dimension dimension) {
    const auto* const end = level.loops.begin() + level.count;
    const auto* const found =
        std::find_if(level.loops.begin(), end, [dimension](const Loop& loop) { return loop.dimension == dimension; });
    return found == end ? nullptr : found;
}

void append(Level& level, const Loop& loop) {
    if (find(level, loop.dimension) != nullptr)
        throw NoCost{fmt::format("the mapping has two directives on {} in one level", nameOf(loop.dimension))};
    level.loops[level.count++] = loop;
}

void prepend(Level& level, const Loop& loop) {
    std::copy_backward(level.loops.begin(), level.loops.begin() + level.count, level.loops.begin() + level.count + 1);
    level.loops[0] = loop;
    ++level.count;
}

/// The size of the window directive in directives [first, last), written out or else that of the whole layer.
std::int64_t windowSize(const Resolver& resolve, const Directive* first, const Directive* last, Dimension window) {
    for (; first != last; ++first)
        if (first->dimension == window) return resolve(first->size);
    return extentOf(resolve.layer, window);
}

Level writtenLevel(const Resolver& resolve, const Directive* first, const Directive* last) {
    Level level;
    for (const Directive* directive = first; directive != last; ++directive) {
        Loop loop{.dimension = loopOf(directive->dimension),
                  .spatial = directive->kind == DirectiveKind::spatial,
                  .size = resolve(directive->size),
                  .offset = resolve(directive->offset)};
        if (directive->dimension == Dimension::outY) loop.size += windowSize(resolve, first, last, Dimension::r) - 1;
        if (directive->dimension == Dimension::outX) loop.size += windowSize(resolve, first, last, Dimension::s) - 1;
        append(level, loop);
    }
    return level;
}

void complete(Level& level, const Level* above, LayerKind kind) {
    if (above != nullptr)
        for (std::size_t i = 0; i < above->count; ++i)
            if (Loop loop = above->loops[i]; find(level, loop.dimension) == nullptr) {
                loop.spatial = false;
                prepend(level, loop);
            }
    for (const Dimension dimension : kUnrolledInOrder) {
        if (dimension == Dimension::k && kind == LayerKind::dsconv) continue;
        const std::int64_t extent = level.extents[indexOf(dimension)];
        if (find(level, dimension) == nullptr) append(level, {dimension, false, extent, extent});
    }
}

void findDriving(Level& level, std::size_t number) {
    std::size_t spatial = 0;
    for (std::size_t i = level.count; i-- > 0;)
        if (level.loops[i].spatial) {
            level.driving = i;
            ++spatial;
        }
    if (spatial == 0) throw NoCost{fmt::format("level {} of the mapping has no SpatialMap", number)};
    if (spatial > 2)
        throw NoCost{fmt::format("level {} of the mapping has {} SpatialMaps; 2 are the most", number, spatial)};
}

/// Units of every level: those of the first are what the array has room for.
void setWidths(Levels& levels, const Array& array) {
    std::int64_t inside = 1;
    for (std::size_t i = 1; i < levels.count; ++i) inside = times(inside, levels.levels[i].width);
    levels.levels[0].width = array.pes / inside;
    if (levels.levels[0].width == 0)
        throw NoCost{fmt::format("{} processing elements do not make one cluster of {}", array.pes, inside)};
}

}  // namespace

std::int64_t extentOf(const Layer& layer, Dimension dimension) {
    switch (dimension) {
        case Dimension::k:
            return layer.k;
        case Dimension::c:
            return layer.c;
        case Dimension::y:
            return layer.y;
        case Dimension::x:
            return layer.x;
        case Dimension::r:
            return layer.r;
        case Dimension::s:
            return layer.s;
        case Dimension::outY:
            return outputRows(layer);
        case Dimension::outX:
            return outputColumns(layer);
    }
    return 1;
}

Levels levelsOf(const Layer& layer, const Dataflow& dataflow, const Array& array) {
    const Resolver resolve{layer, dataflow, array};
    Levels levels;
    std::array<std::int64_t, kLoops> extents{};
    for (std::size_t i = 0; i < kLoops; ++i) extents[i] = extentOf(layer, static_cast<Dimension>(i));
    const Directive* next = dataflow.directives.data();
    const Directive* const end = next + dataflow.directives.size();
    std::int64_t width = 1;
    for (const Level* above = nullptr;; above = &levels.levels[levels.count++]) {
        if (levels.count > kMaxClusters)
            throw NoCost{fmt::format("the mapping has more than {} clusters", kMaxClusters)};
        const Directive* const cut = std::find_if(
            next, end, [](const Directive& directive) { return directive.kind == DirectiveKind::cluster; });
        Level& level = levels.levels[levels.count];
        level = writtenLevel(resolve, next, cut);
        level.width = width;
        level.extents = extents;
        complete(level, above, layer.kind);
        findDriving(level, levels.count);
        for (std::size_t i = 0; i < level.count; ++i) {
            std::int64_t& extent = extents[indexOf(level.loops[i].dimension)];
            extent = std::min(extent, level.loops[i].size);
        }
        if (cut == end) break;
        width = resolve(cut->size);
        next = cut + 1;
    }
    ++levels.count;
    setWidths(levels, array);
    return levels;
}

}  // namespace tessera::cost

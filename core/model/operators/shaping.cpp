#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/model/operators/backward.h"
#include "core/model/operators/broadcasting.h"
#include "core/model/operators/examples.h"
#include "core/model/operators/families.h"
#include "core/model/operators/rule_context.h"

/// Operators that move or relabel elements without computing.
namespace tessera::model {

namespace {

/// Elements of the first output by their places in the first input.
void pick(RuleContext& node, const std::vector<std::size_t>& places) {
    const Elements* const x = node.elements(0);
    Elements result;
    result.reserve(places.size());
    for (const std::size_t place : places) result.push_back((*x)[place]);
    node.setElements(0, std::move(result));
}

// Reshape -------------------------------------------------------------------------------------------------------------

/// The entries of a target shape: a size, kUnknown, or one of these.
constexpr std::int64_t kInferred = -2;

/// Reads the target: sizes, 0 = copied from the input, -1 = inferred.
Dims targetOf(const RuleContext& node, const Elements& given, std::vector<bool>& copied) {
    const bool allowZero = node.integer("allowzero", 0) != 0;
    Dims target;
    bool inferred = false;
    for (std::size_t i = 0; i < given.size(); ++i) {
        copied.push_back(false);
        if (!isKnownElement(given[i])) {
            target.push_back(kUnknown);
            continue;
        }
        const std::int64_t size = wholeOf(given[i]);
        if (size < -1 || size > kMaxElements) node.fail(fmt::format("a target size of {}", size), "-1, 0 or a size");
        if (size == -1 && std::exchange(inferred, true)) node.fail("-1 twice in the target shape", "-1 at most once");
        if (size == 0 && !allowZero) {
            if (node.rank(0) && i >= *node.rank(0))
                node.fail(fmt::format("a 0 for axis {} of {}", i, toText(node.shape(0))), "an axis that the input has");
            copied.back() = true;
            target.push_back(node.dim(0, i));
            continue;
        }
        target.push_back(size == -1 ? kInferred : size);
    }
    return target;
}

/// Elements that the input holds for each element of the target's known sizes; axes that were copied cancel out.
/// kUnknown where either side is not known.
std::int64_t productExcept(const RuleContext& node, const Dims& dims, const std::vector<bool>& left) {
    std::int64_t result = 1;
    for (std::size_t i = 0; i < dims.size(); ++i)
        if (dims[i] != kInferred && (i >= left.size() || !left[i])) result = node.times(result, dims[i]);
    return result;
}

void resolve(const RuleContext& node, Dims& target, const std::vector<bool>& copied) {
    const Shape& input = node.shape(0);
    if (!input) {
        std::replace(target.begin(), target.end(), kInferred, kUnknown);
        return;
    }
    const auto open = std::find(target.begin(), target.end(), kInferred);
    const auto unknowns = std::count_if(target.begin(), target.end(), [&](const std::int64_t& size) {
        return size == kUnknown && !copied[static_cast<std::size_t>(&size - target.data())];
    });
    // One size that is not known follows from the others, whether it was left to be inferred or depends on data.
    const bool followsFromRest = (open != target.end() ? 1 : 0) + unknowns == 1;
    const bool inferred = open != target.end();
    std::vector<bool> excluded = copied;
    if (followsFromRest && !inferred)
        for (std::size_t i = 0; i < target.size(); ++i)
            if (target[i] == kUnknown && !copied[i]) excluded[i] = true;
    const std::int64_t rest = productExcept(node, target, excluded);
    const std::int64_t given = productExcept(node, *input, copied);
    const bool known = rest != kUnknown && given != kUnknown;
    const auto refuse = [&] {
        Dims shown = target;
        std::replace(shown.begin(), shown.end(), kInferred, kUnknown);
        node.fail(fmt::format("a reshape of {} to {}", toText(input), toText(shown)), "as many elements as before");
    };
    std::int64_t missing = kUnknown;
    if (known && followsFromRest) {
        if (rest == 0 ? given != 0 : given % rest != 0) refuse();
        missing = rest == 0 ? (inferred ? 0 : kUnknown) : given / rest;
    } else if (known && !inferred && unknowns == 0 && rest != given) {
        refuse();
    }
    for (std::size_t i = 0; i < target.size(); ++i)
        if (target[i] == kInferred || (target[i] == kUnknown && !copied[i])) target[i] = missing;
}

void reshapeRule(RuleContext& node) {
    node.setLike(0, 0);
    node.output(0).symbols.clear();
    node.set(0, node.type(0), std::nullopt);
    Elements given;
    if (node.has(1)) {
        node.needRank(1, 1);
        const std::int64_t size = node.dim(1, 0);
        if (size > static_cast<std::int64_t>(kMaxDimensions))
            node.failInput(1, fmt::format("{} elements", size), fmt::format("at most {}", kMaxDimensions));
        if (const Elements* const elements = node.elements(1))
            given = *elements;
        else if (size != kUnknown)
            given.assign(static_cast<std::size_t>(size), std::nan(""));
        else
            return;
    } else {
        const auto attribute = node.integers("shape");
        if (!attribute) node.fail("no target shape", "the shape to make");
        if (attribute->size() > kMaxDimensions)
            node.failAttribute("shape", fmt::format("{} dimensions", attribute->size()),
                               fmt::format("at most {}", kMaxDimensions));
        given.assign(attribute->begin(), attribute->end());
    }
    std::vector<bool> copied;
    Dims target = targetOf(node, given, copied);
    resolve(node, target, copied);
    node.set(0, node.type(0), std::move(target));
}

void flattenRule(RuleContext& node) {
    node.set(0, node.type(0), Dims{kUnknown, kUnknown});
    const Shape& input = node.shape(0);
    if (!input) return;
    const auto rank = static_cast<std::int64_t>(input->size());
    const std::int64_t given = node.integer("axis", 1);
    if (given < -rank || given > rank)
        node.failAttribute("axis", fmt::format("axis {}", given), fmt::format("an axis from {} to {}", -rank, rank));
    const auto axis = static_cast<std::size_t>(given < 0 ? given + rank : given);
    Dims result{1, 1};
    for (std::size_t i = 0; i < input->size(); ++i) {
        std::int64_t& into = result[i < axis ? 0 : 1];
        into = node.times(into, (*input)[i]);
    }
    node.set(0, node.type(0), std::move(result));
}

// Squeeze and Unsqueeze -----------------------------------------------------------------------------------------------

void squeezeRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    const Shape& input = node.shape(0);
    const RuleContext::IntegerList list = node.list("axes", 1);
    if (!input || (list.given && !list.values)) return;
    if (!list.given && std::find(input->begin(), input->end(), kUnknown) != input->end()) return;
    const std::vector<std::size_t> axes = node.axes(list, input->size());
    Dims result;
    for (std::size_t i = 0; i < input->size(); ++i) {
        const std::int64_t size = (*input)[i];
        const bool listed = std::binary_search(axes.begin(), axes.end(), i);
        if (listed && size != 1 && size != kUnknown)
            node.failAt(list.source, fmt::format("axis {} of size {}", i, size), "axes of size 1");
        if (list.given ? !listed : size != 1) result.push_back(size);
    }
    node.set(0, node.type(0), std::move(result));
}

void unsqueezeRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    const RuleContext::IntegerList list = node.list("axes", 1);
    if (!list.given) node.fail("no axes", "the axes to insert");
    const Shape& input = node.shape(0);
    if (!input || !list.values) return;
    const std::size_t rank = input->size() + list.values->size();
    if (rank > kMaxDimensions) node.fail(fmt::format("{} dimensions", rank), fmt::format("at most {}", kMaxDimensions));
    const std::vector<std::size_t> axes = node.axes(list, rank);
    Dims result;
    std::size_t from = 0;
    for (std::size_t i = 0; i < rank; ++i)
        result.push_back(std::binary_search(axes.begin(), axes.end(), i) ? 1 : (*input)[from++]);
    node.set(0, node.type(0), std::move(result));
}

// Transpose -----------------------------------------------------------------------------------------------------------

/// The permutation; reversed axes where none is given.
std::vector<std::size_t> permutationOf(const RuleContext& node, std::size_t rank) {
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto given = node.integers("perm");
    if (!given) {
        std::reverse(order.begin(), order.end());
        return order;
    }
    if (given->size() != rank)
        node.failAttribute("perm", fmt::format("a list of {}", given->size()), fmt::format("a list of {}", rank));
    std::vector<bool> seen(rank, false);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::int64_t axis = (*given)[i];
        if (axis < 0 || axis >= static_cast<std::int64_t>(rank) || seen[static_cast<std::size_t>(axis)])
            node.failAttribute("perm", toText(*given), fmt::format("each of 0 to {} once", rank - 1));
        order[i] = static_cast<std::size_t>(axis);
        seen[order[i]] = true;
    }
    return order;
}

void transposeRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    const Shape& input = node.shape(0);
    if (!input) {
        if (const auto given = node.integers("perm"); given && given->size() <= kMaxDimensions)
            node.set(0, node.type(0), Dims(given->size(), kUnknown));
        return;
    }
    Dims result;
    for (const std::size_t axis : permutationOf(node, input->size())) result.push_back((*input)[axis]);
    node.set(0, node.type(0), std::move(result));
}

void foldTranspose(RuleContext& node) {
    if (node.elements(0) == nullptr) return;
    const Dims own = stepsOf(*node.shape(0));
    Dims steps;
    for (const std::size_t axis : permutationOf(node, own.size())) steps.push_back(own[axis]);
    pick(node, stridedIndices(*node.output(0).shape, steps));
}

// Concat and Split ----------------------------------------------------------------------------------------------------

void concatRule(RuleContext& node) {
    node.setLike(0, 0);
    node.output(0).symbols.clear();
    node.set(0, node.type(0), std::nullopt);
    for (std::size_t i = 0; i < node.inputs(); ++i)
        if (!node.has(i)) node.failInput(i, "nothing", "an input, which this operator needs");
    if (!node.hasAttribute("axis") && node.opset() >= 4) node.failAttribute("axis", "missing", "an axis");
    Shape result;
    std::size_t axis = 0;
    bool sizesKnown = true;
    for (std::size_t i = 0; i < node.inputs(); ++i) {
        const Shape& part = node.shape(i);
        if (!part) {
            sizesKnown = false;
            continue;
        }
        if (!result) {
            result = part;
            axis = node.axisAttribute("axis", 1, part->size());
            continue;
        }
        node.needRank(i, result->size());
        for (std::size_t k = 0; k < part->size(); ++k) {
            std::int64_t& size = (*result)[k];
            if (k == axis)
                size = node.plus(size, (*part)[k]);
            else if (size == kUnknown)
                size = (*part)[k];
            else if ((*part)[k] != kUnknown && (*part)[k] != size)
                node.failInput(i, toText(part), fmt::format("{} in dimension {}", size, k + 1));
        }
    }
    if (result && !sizesKnown) (*result)[axis] = kUnknown;
    node.set(0, node.type(0), std::move(result));
}

/// Blocks of consecutive elements, taken from the inputs in turn.
void foldConcat(RuleContext& node) {
    const Shape& shape = node.output(0).shape;
    const std::size_t axis = node.axisAttribute("axis", 1, shape->size());
    const auto outer = static_cast<std::size_t>(
        elementCount(Dims(shape->begin(), shape->begin() + static_cast<std::ptrdiff_t>(axis))).value_or(0));
    // Many empty parts make little but take long.
    constexpr std::size_t kMaxBlocks = std::size_t{1} << 20;
    if (outer * node.inputs() > kMaxBlocks) return;
    Elements result;
    result.reserve(static_cast<std::size_t>(elementCount(shape).value_or(0)));
    for (std::size_t row = 0; row < outer; ++row) {
        for (std::size_t i = 0; i < node.inputs(); ++i) {
            const auto size = elementCount(node.shape(i));
            if (!size) return;
            const std::size_t block = static_cast<std::size_t>(*size) / outer;
            const Elements* const part = node.elements(i);
            for (std::size_t k = 0; k < block; ++k)
                result.push_back(part == nullptr ? std::nan("") : (*part)[row * block + k]);
        }
    }
    node.setElements(0, std::move(result));
}

/// Sizes of the parts; empty where they are not known.
std::optional<Integers> partsOf(const RuleContext& node, std::int64_t size) {
    const RuleContext::IntegerList list = node.list("split", 1);
    const std::size_t count = node.outputs();
    if (list.values) {
        if (list.values->size() != count)
            node.failAt(list.source, fmt::format("{} sizes", list.values->size()),
                        fmt::format("{}, as many as outputs", count));
        std::int64_t total = 0;
        for (const std::int64_t part : *list.values) {
            if (part < 0) node.failAt(list.source, fmt::format("a size of {}", part), "sizes of 0 or more");
            total = node.plus(total, part);
        }
        if (size != kUnknown && total != size)
            node.failAt(list.source, fmt::format("sizes of {} in total", total), fmt::format("{}", size));
        return list.values;
    }
    const std::int64_t given = node.integer("num_outputs", static_cast<std::int64_t>(count));
    if (given != static_cast<std::int64_t>(count))
        node.failAttribute("num_outputs", fmt::format("{}", given), fmt::format("{}, as many as outputs", count));
    if (list.given || size == kUnknown) return std::nullopt;
    const bool uneven = size % given != 0;
    if (uneven && !node.hasAttribute("num_outputs"))
        node.fail(fmt::format("{} elements for {} equal outputs", size, count), "a size that the outputs divide");
    // The last part is smaller where the size does not divide.
    const std::int64_t each = size / given + (uneven ? 1 : 0);
    Integers parts;
    for (std::int64_t left = size; parts.size() < count; left -= parts.back())
        parts.push_back(std::clamp<std::int64_t>(each, 0, std::max<std::int64_t>(left, 0)));
    return parts;
}

void splitRule(RuleContext& node) {
    for (std::size_t i = 0; i < node.outputs(); ++i) node.set(i, node.type(0), std::nullopt);
    const Shape& input = node.shape(0);
    if (!input) return;
    const std::size_t axis = node.axisAttribute("axis", 0, input->size());
    const auto parts = partsOf(node, (*input)[axis]);
    for (std::size_t i = 0; i < node.outputs(); ++i) {
        Dims shape = *input;
        shape[axis] = parts ? (*parts)[i] : kUnknown;
        node.set(i, node.type(0), std::move(shape));
    }
}

void foldSplit(RuleContext& node) {
    const Elements* const x = node.elements(0);
    if (x == nullptr) return;
    const Dims& input = *node.shape(0);
    const std::size_t axis = node.axisAttribute("axis", 0, input.size());
    const Dims steps = stepsOf(input);
    std::int64_t start = 0;
    for (std::size_t i = 0; i < node.outputs(); ++i) {
        const Dims& shape = *node.output(i).shape;
        Elements part;
        for (const std::size_t place : stridedIndices(shape, steps, start)) part.push_back((*x)[place]);
        start += shape[axis] * steps[axis];
        node.setElements(i, std::move(part));
    }
}

// Slice ---------------------------------------------------------------------------------------------------------------

/// One axis of a slice, resolved against its size.
struct SliceAxis {
    std::int64_t start = 0, step = 1, size = kUnknown;
};

struct SliceLists {
    RuleContext::IntegerList starts, ends, axes, steps;
};

SliceLists sliceLists(const RuleContext& node) {
    SliceLists lists;
    lists.starts = node.list("starts", 1);
    lists.ends = node.list("ends", 2);
    lists.axes = node.list("axes", 3);
    lists.steps = node.list("steps", 4);
    if (!lists.starts.given || !lists.ends.given) node.fail("no starts and ends", "starts and ends");
    const auto check = [&](const RuleContext::IntegerList& list, const RuleContext::IntegerList& like) {
        if (list.values && like.values && list.values->size() != like.values->size())
            node.failAt(list.source, fmt::format("a list of {}", list.values->size()),
                        fmt::format("a list of {}", like.values->size()));
    };
    check(lists.ends, lists.starts);
    check(lists.axes, lists.starts);
    check(lists.steps, lists.starts);
    return lists;
}

/// numpy's slicing: negative positions count from the end, those outside are moved to the edge.
SliceAxis sliced(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t size) {
    constexpr std::int64_t kFar = std::int64_t{1} << 60;
    start = std::clamp(start, -kFar, kFar);
    end = std::clamp(end, -kFar, kFar);
    if (start < 0) start += size;
    if (end < 0) end += size;
    SliceAxis axis{.start = 0, .step = step, .size = 0};
    if (step > 0) {
        start = std::clamp<std::int64_t>(start, 0, size);
        end = std::clamp<std::int64_t>(end, 0, size);
        if (end > start) axis.size = (end - start - 1) / step + 1;
    } else {
        start = std::clamp<std::int64_t>(start, -1, size - 1);
        end = std::clamp<std::int64_t>(end, -1, size - 1);
        // -step may not exist for the smallest number; a step beyond the size takes one element.
        const std::int64_t back = step < -kFar ? kFar : -step;
        if (start > end) axis.size = (start - end - 1) / back + 1;
    }
    axis.start = start;
    return axis;
}

/// By axis of the input; empty where it is not known which axes are sliced.
std::optional<std::vector<SliceAxis>> sliceOf(const RuleContext& node) {
    const SliceLists lists = sliceLists(node);
    const Dims& input = *node.shape(0);
    std::vector<SliceAxis> result;
    for (const std::int64_t size : input) result.push_back({.start = 0, .step = 1, .size = size});
    const auto& some = lists.starts.values ? lists.starts : lists.ends;
    if (!some.values && !lists.axes.values) return std::nullopt;
    if (lists.axes.given && !lists.axes.values) return std::nullopt;
    const std::size_t count = lists.axes.values ? lists.axes.values->size() : some.values->size();
    if (count > input.size())
        node.failAt(some.source, fmt::format("a list of {}", count), fmt::format("at most {}", input.size()));
    std::vector<bool> seen(input.size(), false);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t axis =
            lists.axes.values ? node.axis((*lists.axes.values)[i], input.size(), lists.axes.source) : i;
        if (seen[axis]) node.failAt(lists.axes.source, fmt::format("axis {} twice", axis), "distinct axes");
        seen[axis] = true;
        const std::int64_t step = lists.steps.values ? (*lists.steps.values)[i] : 1;
        if (step == 0) node.failAt(lists.steps.source, "a step of 0", "steps other than 0");
        const bool known = lists.starts.values && lists.ends.values && (!lists.steps.given || lists.steps.values);
        const std::int64_t size = input[axis];
        const std::int64_t last = std::numeric_limits<std::int32_t>::max();
        if (known && size != kUnknown)
            result[axis] = sliced((*lists.starts.values)[i], (*lists.ends.values)[i], step, size);
        else if (!known || step != 1 || (*lists.starts.values)[i] != 0 || (*lists.ends.values)[i] < last)
            result[axis].size = kUnknown;
    }
    return result;
}

void sliceRule(RuleContext& node) {
    node.setLike(0, 0);
    node.set(0, node.type(0), std::nullopt);
    const Shape& input = node.shape(0);
    if (!input) {
        (void)sliceLists(node);
        return;
    }
    const auto axes = sliceOf(node);
    Dims result(input->size(), kUnknown);
    for (std::size_t i = 0; axes && i < axes->size(); ++i) {
        result[i] = (*axes)[i].size;
        if (result[i] != kUnknown || (*input)[i] != kUnknown) node.output(0).symbols.erase(i);
    }
    node.set(0, node.type(0), std::move(result));
}

void foldSlice(RuleContext& node) {
    if (node.elements(0) == nullptr) return;
    const auto axes = sliceOf(node);
    if (!axes || elementCount(node.output(0).shape) == 0) {
        if (axes) node.setElements(0, {});
        return;
    }
    Dims steps = stepsOf(*node.shape(0));
    std::int64_t start = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        start += (*axes)[i].start * steps[i];
        steps[i] = (*axes)[i].size > 1 ? steps[i] * (*axes)[i].step : 0;
    }
    pick(node, stridedIndices(*node.output(0).shape, steps, start));
}

// Expand, Tile, Pad ---------------------------------------------------------------------------------------------------

void expandRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    node.needRank(1, 1);
    const std::int64_t rank = node.dim(1, 0);
    if (rank > static_cast<std::int64_t>(kMaxDimensions))
        node.failInput(1, fmt::format("{} elements", rank), fmt::format("at most {}", kMaxDimensions));
    const Elements* const given = node.elements(1);
    if (given == nullptr && rank == kUnknown) return;
    Dims target(given == nullptr ? static_cast<std::size_t>(rank) : given->size(), kUnknown);
    for (std::size_t i = 0; given != nullptr && i < target.size(); ++i) {
        if (!isKnownElement((*given)[i])) continue;
        target[i] = wholeOf((*given)[i]);
        if (target[i] < 0 || target[i] > kMaxElements)
            node.failInput(1, fmt::format("a size of {}", target[i]), "sizes of 0 or more");
    }
    node.set(0, node.type(0), broadcast(node, node.shape(0), target));
}

void foldExpand(RuleContext& node) {
    if (node.elements(0) != nullptr) pick(node, broadcastIndices(*node.shape(0), *node.output(0).shape));
}

void tileRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    const Shape& input = node.shape(0);
    const auto repeats = node.integersOf(1);
    if (!input) return;
    // Opset 1 tiled one axis: inputs are tiles and axis.
    if (node.inputs() == 3) {
        const auto tiles = node.scalarOf(1), axis = node.scalarOf(2);
        Dims result = *input;
        if (!tiles || !axis) {
            result.assign(result.size(), kUnknown);
        } else {
            std::int64_t& size = result[node.axis(wholeOf(*axis), result.size(), "input 3")];
            size = node.times(size, std::max<std::int64_t>(wholeOf(*tiles), 0));
        }
        node.set(0, node.type(0), std::move(result));
        return;
    }
    Dims result(input->size(), kUnknown);
    if (repeats && repeats->size() != input->size())
        node.failInput(1, fmt::format("{} repeats", repeats->size()), fmt::format("{}, one per axis", input->size()));
    for (std::size_t i = 0; repeats && i < result.size(); ++i) {
        if ((*repeats)[i] < 0) node.failInput(1, fmt::format("{} repeats", (*repeats)[i]), "repeats of 0 or more");
        result[i] = node.times((*input)[i], (*repeats)[i]);
    }
    node.set(0, node.type(0), std::move(result));
}

void foldTile(RuleContext& node) {
    const Elements* const x = node.elements(0);
    if (x == nullptr || node.inputs() == 3) return;
    const Dims& input = *node.shape(0);
    const Dims& output = *node.output(0).shape;
    const Dims own = stepsOf(input);
    const Dims rows = stepsOf(output);
    const auto count = static_cast<std::size_t>(elementCount(output).value_or(0));
    Elements result(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t place = 0;
        for (std::size_t axis = 0; axis < input.size(); ++axis)
            place += static_cast<std::int64_t>(i) / rows[axis] % output[axis] % input[axis] * own[axis];
        result[i] = (*x)[static_cast<std::size_t>(place)];
    }
    node.setElements(0, std::move(result));
}

void padRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    const Shape& input = node.shape(0);
    RuleContext::IntegerList pads;
    if (node.has(1) || !node.hasAttribute("paddings")) {
        // Two entries per axis: the limit of a list of axes does not hold.
        const Elements* const given = node.elements(1);
        if (given != nullptr && given->size() > 2 * kMaxDimensions)
            node.failInput(1, fmt::format("{} pads", given->size()), "two per axis");
        if (node.has(1) && (given == nullptr || !std::all_of(given->begin(), given->end(), isKnownElement))) {
            if (input) node.set(0, node.type(0), Dims(input->size(), kUnknown));
            return;
        }
        if (node.has(1)) {
            pads = {.given = true, .values = Integers(), .source = "input 2"};
            for (const double pad : *given) pads.values->push_back(wholeOf(pad));
        } else {
            pads = {.given = true, .values = node.integers("pads"), .source = "attribute 'pads'"};
        }
    } else {
        pads = {.given = true, .values = node.integers("paddings"), .source = "attribute 'paddings'"};
    }
    if (!pads.values) node.fail("no pads", "the elements to add at each side");
    if (!input) return;
    std::vector<std::size_t> axes(input->size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    if (node.has(3)) {
        const auto given = node.integersOf(3);
        if (!given) {
            node.set(0, node.type(0), Dims(input->size(), kUnknown));
            return;
        }
        if (given->size() > input->size())
            node.failInput(3, fmt::format("{} axes", given->size()), fmt::format("at most {}", input->size()));
        axes.clear();
        for (const std::int64_t axis : *given) axes.push_back(node.axis(axis, input->size(), "input 4"));
    }
    if (pads.values->size() != 2 * axes.size())
        node.failAt(pads.source, fmt::format("{} pads", pads.values->size()),
                    fmt::format("{}, two per axis", 2 * axes.size()));
    Dims result = *input;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        std::int64_t& size = result[axes[i]];
        const std::int64_t before = (*pads.values)[i], after = (*pads.values)[i + axes.size()];
        for (const std::int64_t pad : {before, after})
            if (pad > kMaxElements || pad < -kMaxElements)
                node.failAt(pads.source, fmt::format("{}", pad), "pads within 2^53");
        if (size == kUnknown) continue;
        if (size + before + after < 0)
            node.failAt(pads.source, fmt::format("pads of {} and {} for {} elements", before, after, size),
                        "pads that leave a size of 0 or more");
        size = size + before + after;
    }
    node.set(0, node.type(0), std::move(result));
}

// Resize --------------------------------------------------------------------------------------------------------------

/// Sizes by scales: rounded down, as ONNX has it.
Dims scaled(const RuleContext& node, const std::vector<double>& scales, const std::vector<std::size_t>& axes,
            const std::string& source) {
    Dims result = *node.shape(0);
    if (scales.size() != axes.size())
        node.failAt(source, fmt::format("{} scales", scales.size()), fmt::format("{}, one per axis", axes.size()));
    for (std::size_t i = 0; i < axes.size(); ++i) {
        std::int64_t& size = result[axes[i]];
        if (!isKnownElement(scales[i])) {
            size = kUnknown;
            continue;
        }
        if (!(scales[i] > 0) || std::isinf(scales[i]))
            node.failAt(source, fmt::format("a scale of {}", scales[i]), "scales above 0");
        if (size == kUnknown) continue;
        const double exact = static_cast<double>(size) * scales[i];
        if (exact > 0x1p53) node.failAt(source, fmt::format("a scale of {}", scales[i]), "at most 2^53 elements");
        // Scales are kept in single precision: 2.9999999 elements are 3.
        size = static_cast<std::int64_t>(std::floor(exact + 1e-6 * std::max(1.0, exact) * 0.1));
    }
    return result;
}

std::vector<std::size_t> resizedAxes(const RuleContext& node, std::size_t rank) {
    std::vector<std::size_t> axes;
    const auto given = node.integers("axes");
    if (given && given->size() > rank)
        node.failAttribute("axes", fmt::format("{} axes", given->size()), fmt::format("at most {}", rank));
    if (given)
        for (const std::int64_t axis : *given) axes.push_back(node.axis(axis, rank, "attribute 'axes'"));
    else
        for (std::size_t i = 0; i < rank; ++i) axes.push_back(i);
    return axes;
}

void setScaled(RuleContext& node, std::size_t scales) {
    const Shape& input = node.shape(0);
    const Elements* const given = node.elements(scales);
    if (given == nullptr) {
        node.set(0, node.type(0), Dims(input->size(), kUnknown));
        return;
    }
    if (given->size() > kMaxDimensions)
        node.failInput(scales, fmt::format("{} scales", given->size()), fmt::format("at most {}", kMaxDimensions));
    node.set(0, node.type(0),
             scaled(node, *given, resizedAxes(node, input->size()), fmt::format("input {}", scales + 1)));
}

void setSizes(RuleContext& node, std::size_t input) {
    const std::size_t rank = *node.rank(0);
    const std::vector<std::size_t> axes = resizedAxes(node, rank);
    const auto sizes = node.integersOf(input);
    Dims result = *node.shape(0);
    if (sizes && sizes->size() != axes.size())
        node.failInput(input, fmt::format("{} sizes", sizes->size()), fmt::format("{}, one per axis", axes.size()));
    // Other policies keep the proportions; their sizes are a bound only.
    const std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (sizes && (*sizes)[i] < 1) node.failInput(input, fmt::format("a size of {}", (*sizes)[i]), "sizes above 0");
        result[axes[i]] = sizes && policy == "stretch" ? (*sizes)[i] : kUnknown;
    }
    node.set(0, node.type(0), std::move(result));
}

void resizeRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    if (!node.shape(0)) return;
    // Opset 10 has scales second; later ones have the region second, scales third and sizes fourth.
    const bool hasSizes = node.has(3);
    const bool hasScales = node.inputs() == 2 || (node.has(2) && elementCount(node.shape(2)) != 0);
    if (hasSizes)
        setSizes(node, 3);
    else if (hasScales)
        setScaled(node, node.inputs() == 2 ? 1 : 2);
    else
        node.fail("neither scales nor sizes", "one of both");
}

void upsampleRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    const Shape& input = node.shape(0);
    if (!input) return;
    if (node.has(1)) {
        setScaled(node, 1);
        return;
    }
    auto scales = node.reals("scales");
    if (!scales && node.hasAttribute("height_scale"))
        scales = std::vector<double>{1, 1, node.real("height_scale", 1), node.real("width_scale", 1)};
    if (!scales) node.failAttribute("scales", "missing", "one scale per axis");
    node.set(0, node.type(0), scaled(node, *scales, resizedAxes(node, input->size()), "attribute 'scales'"));
}

/// Per element: nearest moves, linear interpolates with 7 operations in a plane, cubic with 4 x 4 products and sums.
std::optional<std::int64_t> resizeFlops(const CountContext& op) {
    const std::string mode = op.text("mode");
    const std::int64_t perElement = mode == "linear" || mode == "bilinear" ? 7 : mode == "cubic" ? 32 : 0;
    return times(op.outElements(0), perElement);
}

// Depth and space -----------------------------------------------------------------------------------------------------

std::int64_t blockOf(const RuleContext& node) {
    const std::int64_t block = node.integer("blocksize", 0);
    if (block < 1 || block > (std::int64_t{1} << 26))
        node.failAttribute("blocksize", fmt::format("{}", block), "a number above 0");
    node.needRank(0, 4);
    return block;
}

std::int64_t divided(const RuleContext& node, std::int64_t size, std::int64_t by) {
    if (size != kUnknown && size % by != 0)
        node.failAttribute("blocksize", fmt::format("{} elements in blocks of {}", size, by), "whole blocks");
    return size == kUnknown ? kUnknown : size / by;
}

void depthToSpaceRule(RuleContext& node) {
    const std::int64_t block = blockOf(node);
    node.set(0, node.type(0),
             Dims{node.dim(0, 0), divided(node, node.dim(0, 1), block * block), node.times(node.dim(0, 2), block),
                  node.times(node.dim(0, 3), block)});
}

void spaceToDepthRule(RuleContext& node) {
    const std::int64_t block = blockOf(node);
    node.set(0, node.type(0),
             Dims{node.dim(0, 0), node.times(node.dim(0, 1), block * block), divided(node, node.dim(0, 2), block),
                  divided(node, node.dim(0, 3), block)});
}

void centerCropPadRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    const Shape& input = node.shape(0);
    if (!input) return;
    const auto sizes = node.integersOf(1);
    const std::vector<std::size_t> axes = resizedAxes(node, input->size());
    Dims result = *input;
    if (sizes && sizes->size() != axes.size())
        node.failInput(1, fmt::format("{} sizes", sizes->size()), fmt::format("{}, one per axis", axes.size()));
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (sizes && (*sizes)[i] < 0) node.failInput(1, fmt::format("a size of {}", (*sizes)[i]), "sizes of 0 or more");
        result[axes[i]] = sizes ? (*sizes)[i] : kUnknown;
    }
    node.set(0, node.type(0), std::move(result));
}

/// Columns N x (C * block) x L back to an image of N x C x sizes.
void col2ImRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    node.needRank(0, 3);
    const auto sizes = node.integersOf(1), block = node.integersOf(2);
    if (!sizes || !block) return;
    std::int64_t volume = 1;
    for (const std::int64_t size : *block) {
        if (size < 1) node.failInput(2, fmt::format("a size of {}", size), "sizes above 0");
        volume = node.times(volume, size);
    }
    for (const std::int64_t size : *sizes)
        if (size < 1) node.failInput(1, fmt::format("a size of {}", size), "sizes above 0");
    const std::int64_t columns = node.dim(0, 1);
    if (columns != kUnknown && columns % volume != 0)
        node.failInput(0, fmt::format("{} rows", columns), fmt::format("a multiple of {}", volume));
    Dims result{node.dim(0, 0), columns == kUnknown ? kUnknown : columns / volume};
    result.insert(result.end(), sizes->begin(), sizes->end());
    node.set(0, node.type(0), std::move(result));
}

/// A grid of N x H x W x 2, or of N x D x H x W x 3.
void affineGridRule(RuleContext& node) {
    node.set(0, node.type(0), std::nullopt);
    const auto sizes = node.integersOf(1);
    if (!sizes) return;
    if (sizes->size() != 4 && sizes->size() != 5)
        node.failInput(1, fmt::format("{} sizes", sizes->size()), "4 or 5 sizes");
    for (const std::int64_t size : *sizes)
        if (size < 1) node.failInput(1, fmt::format("a size of {}", size), "sizes above 0");
    Dims result{sizes->front()};
    result.insert(result.end(), sizes->begin() + 2, sizes->end());
    result.push_back(static_cast<std::int64_t>(sizes->size()) - 2);
    node.set(0, node.type(0), std::move(result));
}

void reverseSequenceRule(RuleContext& node) {
    node.setLike(0, 0);
    node.needRankAtLeast(0, 2);
}

void triluRule(RuleContext& node) {
    node.setLike(0, 0);
    node.needRankAtLeast(0, 2);
}

void foldTrilu(RuleContext& node) {
    const Elements* const x = node.elements(0);
    const Dims& shape = *node.shape(0);
    const double offset = node.has(1) ? node.scalarOf(1).value_or(std::nan("")) : 0;
    if (x == nullptr || !isKnownElement(offset)) return;
    const bool upper = node.integer("upper", 1) != 0;
    const auto columns = static_cast<std::size_t>(shape.back());
    const auto rows = static_cast<std::size_t>(shape[shape.size() - 2]);
    Elements result = *x;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto row = static_cast<double>(i / columns % rows), column = static_cast<double>(i % columns);
        if (upper ? column - row < offset : column - row > offset) result[i] = 0;
    }
    node.setElements(0, std::move(result));
}

// Rows ----------------------------------------------------------------------------------------------------------------

std::vector<OperatorKind> relabellingRows() {
    constexpr OperatorClass kMemory = OperatorClass::memory;
    return {
        {.id = "Reshape",
         .title = "Reshape",
         .group = kMemory,
         .inputs = {1, 2},
         .shape = reshapeRule,
         .backward = {.rule = backward::reshape},
         .fold = foldCopy,
         .example = {.inputs = {floats({2, 3, 4}), list({0, -1})}, .outputs = {floats({2, 12})}}},
        {.id = "Flatten",
         .title = "Flatten to a matrix",
         .group = kMemory,
         .shape = flattenRule,
         .backward = {.rule = backward::reshape},
         .fold = foldCopy,
         .example = {.inputs = {floats({2, 3, 4})},
                     .attributes = {{"axis", std::int64_t{2}}},
                     .outputs = {floats({6, 4})}}},
        {.id = "Squeeze",
         .title = "Remove axes of size 1",
         .group = kMemory,
         .inputs = {1, 2},
         .shape = squeezeRule,
         .backward = {.rule = backward::reshape},
         .fold = foldCopy,
         .example = {.inputs = {floats({1, 3, 1, 4}), list({-2})}, .outputs = {floats({1, 3, 4})}}},
        {.id = "Unsqueeze",
         .title = "Insert axes of size 1",
         .group = kMemory,
         .inputs = {1, 2},
         .shape = unsqueezeRule,
         .backward = {.rule = backward::reshape},
         .fold = foldCopy,
         .example = {.inputs = {floats({3, 4}), list({0, -1})}, .outputs = {floats({1, 3, 4, 1})}}},
        {.id = "Transpose",
         .title = "Transpose",
         .group = kMemory,
         .shape = transposeRule,
         .backward = {.rule = backward::transpose},
         .fold = foldTranspose,
         .example = {.inputs = {floats({2, 3}, {1, 2, 3, 4, 5, 6})},
                     .attributes = {{"perm", Integers{1, 0}}},
                     .outputs = {floats({3, 2}, {1, 4, 2, 5, 3, 6})}}},
        {.id = "DepthToSpace",
         .title = "Channels to space",
         .group = kMemory,
         .shape = depthToSpaceRule,
         .backward = {.rule = backward::move},
         .example = {.inputs = {floats({1, 8, 2, 3})},
                     .attributes = {{"blocksize", std::int64_t{2}}},
                     .outputs = {floats({1, 2, 4, 6})}}},
        {.id = "SpaceToDepth",
         .title = "Space to channels",
         .group = kMemory,
         .shape = spaceToDepthRule,
         .backward = {.rule = backward::move},
         .example = {.inputs = {floats({1, 2, 4, 6})},
                     .attributes = {{"blocksize", std::int64_t{2}}},
                     .outputs = {floats({1, 8, 2, 3})}}},
        {.id = "CenterCropPad",
         .title = "Crop or pad around the centre",
         .group = kMemory,
         .inputs = {2, 2},
         .shape = centerCropPadRule,
         .backward = {.rule = backward::move},
         .example = {.inputs = {floats({3, 8, 8}), list({4, 10})},
                     .attributes = {{"axes", Integers{1, 2}}},
                     .outputs = {floats({3, 4, 10})}}},
        {.id = "Col2Im",
         .title = "Columns to an image",
         .inputs = {3, 3},
         .shape = col2ImRule,
         .backward = {.rule = backward::move},
         .cost = "add, for each input element",
         .flopsPerInput = 1,
         .example = {.inputs = {floats({1, 8, 9}), list({4, 4}), list({2, 2})},
                     .outputs = {floats({1, 2, 4, 4})},
                     .flops = 72}},
        {.id = "AffineGrid",
         .title = "Grid of an affine map",
         .inputs = {2, 2},
         .shape = affineGridRule,
         .backward = {.rule = backward::linear, .cost = "as the forward pass"},
         .cost = "multiply and add, for each of up to 3 coordinates",
         .flopsPerOutput = 6,
         .example = {.inputs = {floats({1, 2, 3}), list({1, 3, 4, 5})},
                     .outputs = {floats({1, 4, 5, 2})},
                     .flops = 240}},
        {.id = "ReverseSequence",
         .title = "Reverse the starts of sequences",
         .group = kMemory,
         .inputs = {2, 2},
         .shape = reverseSequenceRule,
         .backward = {.rule = backward::move},
         .example = {.inputs = {floats({4, 2}), wholes({2})}, .outputs = {floats({4, 2})}}},
        {.id = "Trilu",
         .title = "Triangle of a matrix",
         .group = kMemory,
         .inputs = {1, 2},
         .shape = triluRule,
         .backward = {.rule = backward::move},
         .fold = foldTrilu,
         .example = {.inputs = {floats({2, 2}, {1, 2, 3, 4})}, .outputs = {floats({2, 2}, {1, 2, 0, 4})}}},
    };
}

std::vector<OperatorKind> movingRows() {
    constexpr OperatorClass kMemory = OperatorClass::memory;
    return {
        {.id = "Concat",
         .title = "Concatenation",
         .group = kMemory,
         .inputs = {1, Arity::kAny},
         .shape = concatRule,
         .backward = {.rule = backward::concatenate},
         .fold = foldConcat,
         .example = {.inputs = {floats({2, 1}, {1, 2}), floats({2, 2}, {3, 4, 5, 6})},
                     .attributes = {{"axis", std::int64_t{-1}}},
                     .outputs = {floats({2, 3}, {1, 3, 4, 2, 5, 6})}}},
        {.id = "Split",
         .title = "Split",
         .group = kMemory,
         .inputs = {1, 2},
         .outputs = {1, Arity::kAny},
         .shape = splitRule,
         .backward = {.rule = backward::split, .anyOutput = true},
         .fold = foldSplit,
         .example = {.inputs = {floats({2, 3}, {1, 2, 3, 4, 5, 6}), list({1, 2})},
                     .attributes = {{"axis", std::int64_t{1}}},
                     .outputs = {floats({2, 1}, {1, 4}), floats({2, 2}, {2, 3, 5, 6})}}},
        {.id = "Slice",
         .title = "Slice",
         .group = kMemory,
         .inputs = {1, 5},
         .shape = sliceRule,
         .backward = {.rule = backward::move},
         .fold = foldSlice,
         .example = {.inputs = {floats({2, 3}, {1, 2, 3, 4, 5, 6}), list({-1}), list({-9}), list({1}), list({-2})},
                     .outputs = {floats({2, 2}, {3, 1, 6, 4})}}},
        {.id = "Expand",
         .title = "Broadcast to a shape",
         .group = kMemory,
         .inputs = {2, 2},
         .shape = expandRule,
         .backward = {.rule = backward::expand},
         .fold = foldExpand,
         .example = {.inputs = {floats({2, 1}, {1, 2}), list({2})}, .outputs = {floats({2, 2}, {1, 1, 2, 2})}}},
        {.id = "Tile",
         .title = "Repeat",
         .group = kMemory,
         .inputs = {2, 3},
         .shape = tileRule,
         .backward = {.rule = backward::lookUp, .cost = "add", .flops = 1},
         .fold = foldTile,
         .example = {.inputs = {floats({1, 2}, {1, 2}), list({2, 2})},
                     .outputs = {floats({2, 4}, {1, 2, 1, 2, 1, 2, 1, 2})}}},
        {.id = "Pad",
         .title = "Padding",
         .group = kMemory,
         .inputs = {1, 4},
         .shape = padRule,
         .backward = {.rule = backward::move},
         .example = {.inputs = {floats({2, 3}), list({0, 1, 1, 2})}, .outputs = {floats({3, 6})}}},
        {.id = "Resize",
         .title = "Resize",
         .group = kMemory,
         .inputs = {1, 4},
         .shape = resizeRule,
         .backward = {.rule = backward::resample, .cost = "as the forward pass, and add"},
         .cost = "nearest: nothing; linear: 7 for a bilinear interpolation; cubic: 32",
         .flops = resizeFlops,
         .example = {.inputs = {floats({1, 2, 4, 4}), leftOut(), floats({4}, {1, 1, 2, 1.5})},
                     .attributes = {{"mode", std::string("linear")}},
                     .outputs = {floats({1, 2, 8, 6})},
                     .flops = 672}},
        {.id = "Upsample",
         .title = "Upsample",
         .group = kMemory,
         .inputs = {1, 2},
         .shape = upsampleRule,
         .backward = {.rule = backward::resample, .cost = "as the forward pass, and add"},
         .cost = "nearest: nothing; linear: 7 for a bilinear interpolation",
         .flops = resizeFlops,
         .example = {.inputs = {floats({1, 2, 4, 4}), floats({4}, {1, 1, 2, 2})}, .outputs = {floats({1, 2, 8, 8})}}},
    };
}

}  // namespace

std::vector<OperatorKind> shapingKinds() {
    std::vector<OperatorKind> kinds = relabellingRows();
    for (OperatorKind& row : movingRows()) kinds.push_back(std::move(row));
    return kinds;
}

}  // namespace tessera::model

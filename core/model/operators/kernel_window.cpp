#include "core/model/operators/kernel_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/text.h"

namespace tessera::model {

namespace {

Integers listOf(const RuleContext& node, const std::string& name, std::size_t size, std::int64_t otherwise,
                std::int64_t min) {
    const auto given = node.integers(name);
    if (!given) {
        const Integers same(size, otherwise);
        return same;
    }
    if (given->size() != size)
        node.failAttribute(name, fmt::format("a list of {}", given->size()), fmt::format("a list of {}", size));
    for (const std::int64_t value : *given) {
        if (value < min)
            node.failAttribute(name, fmt::format("{}", value), min == 1 ? "numbers above 0" : "numbers of 0 or more");
        if (value > kMaxElements) node.failAttribute(name, fmt::format("{}", value), "numbers up to 2^53");
    }
    return *given;
}

KernelWindow::Padding paddingOf(const RuleContext& node) {
    const std::string name = node.text("auto_pad", "NOTSET");
    if (name == "NOTSET" || name.empty()) return KernelWindow::Padding::given;
    if (name == "SAME_UPPER") return KernelWindow::Padding::sameUpper;
    if (name == "SAME_LOWER") return KernelWindow::Padding::sameLower;
    if (name == "VALID") return KernelWindow::Padding::valid;
    node.failAttribute("auto_pad", inQuotes(name), "'NOTSET', 'SAME_UPPER', 'SAME_LOWER' or 'VALID'");
}

std::int64_t divideUp(std::int64_t a, std::int64_t b) {
    return a / b + (a % b > 0 ? 1 : 0);
}

}  // namespace

KernelWindow kernelWindow(const RuleContext& node, Integers kernel) {
    KernelWindow window;
    const std::size_t size = kernel.size();
    window.kernel = std::move(kernel);
    window.strides = listOf(node, "strides", size, 1, 1);
    window.dilations = listOf(node, "dilations", size, 1, 1);
    window.padding = paddingOf(node);
    window.ceil = node.integer("ceil_mode", 0) != 0;
    const Integers pads = listOf(node, "pads", 2 * size, 0, 0);
    const bool given = window.padding == KernelWindow::Padding::given;
    const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(size);
    window.before = given ? Integers(pads.begin(), middle) : Integers(size, 0);
    window.after = given ? Integers(middle, pads.end()) : Integers(size, 0);
    return window;
}

std::optional<Integers> kernelShape(const RuleContext& node) {
    const auto given = node.integers("kernel_shape");
    if (!given) return std::nullopt;
    if (given->size() > kMaxDimensions)
        node.failAttribute("kernel_shape", fmt::format("a list of {}", given->size()),
                           fmt::format("at most {}", kMaxDimensions));
    return listOf(node, "kernel_shape", given->size(), 1, 1);
}

std::int64_t reach(const RuleContext& node, const KernelWindow& window, std::size_t axis) {
    const std::int64_t kernel = window.kernel[axis];
    if (kernel == kUnknown) return kUnknown;
    return node.plus(node.times(window.dilations[axis], kernel - 1), 1);
}

std::int64_t slide(const RuleContext& node, const KernelWindow& window, std::size_t axis, std::int64_t size) {
    using Padding = KernelWindow::Padding;
    const std::int64_t stride = window.strides[axis];
    if (size == kUnknown) return kUnknown;
    if (window.padding == Padding::sameUpper || window.padding == Padding::sameLower) return divideUp(size, stride);
    const std::int64_t taken = reach(node, window, axis);
    if (taken == kUnknown) return kUnknown;
    const std::int64_t padded = node.plus(node.plus(size, window.before[axis]), window.after[axis]);
    if (taken > padded)
        node.fail(fmt::format("a window of {} over {} elements with padding", taken, padded),
                  "a window that fits into its input");
    const std::int64_t room = padded - taken;
    if (!window.ceil) return room / stride + 1;
    const std::int64_t windows = divideUp(room, stride) + 1;
    const bool startsBehind = (windows - 1) > (size + window.before[axis] - 1) / stride;
    return startsBehind ? windows - 1 : windows;
}

}  // namespace tessera::model

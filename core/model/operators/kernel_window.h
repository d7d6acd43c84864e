#pragma once

#include <cstddef>
#include <cstdint>

#include "core/model/operators/rule_context.h"

namespace tessera::model {

/// The sliding window of a convolution or pooling: its checked attributes, one entry per spatial axis.
struct KernelWindow {
    enum class Padding : std::uint8_t { given, sameUpper, sameLower, valid };

    Integers kernel, strides, dilations;
    Integers before, after;  ///< pads
    Padding padding = Padding::given;
    bool ceil = false;
};

/// Reads `strides`, `dilations`, `pads`, `auto_pad` and `ceil_mode`; throws where one has a wrong length or is not
/// positive. `kernel` may hold kUnknown.
KernelWindow kernelWindow(const RuleContext& node, Integers kernel);

/// The list attribute `kernel_shape`, checked; empty where it is not given.
std::optional<Integers> kernelShape(const RuleContext& node);

/// Elements that the window takes along an axis: dilation * (kernel - 1) + 1.
std::int64_t reach(const RuleContext& node, const KernelWindow& window, std::size_t axis);

/// Windows along an axis of `size` elements. With `ceil`, windows that would start behind the elements and the padding
/// before them are left out, as PyTorch and ONNX's later versions do. Throws where no window fits.
std::int64_t slide(const RuleContext& node, const KernelWindow& window, std::size_t axis, std::int64_t size);

}  // namespace tessera::model

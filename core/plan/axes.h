#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/configuration.h"

namespace tessera::plan {

/// An axis of the space of configurations, in the order in which texts name them: degrees of parallelism first.
enum class Axis : std::uint8_t {
    tensor,
    pipeline,
    data,
    context,
    expert,
    expertTensor,
    micro,
    chunks,
    zero,
    recompute,
    schedule,
    order,
    dtype,
    group
};
inline constexpr std::size_t kAxes = 14;

/// What an axis is called and takes: options, texts, documents, tables and pictures have it from here.
struct AxisRow {
    Axis axis;
    std::string_view id;     ///< "tp": in options and short texts
    std::string_view key;    ///< "tensor": of what documents and points say of it
    std::string_view head;   ///< "TP": over columns; empty: the title
    std::string_view title;  ///< "Tensor-parallel degree"
    std::string_view about;  ///< what it counts or says; continues a sentence
    /// What a configuration has of it: a number, or a word; neither of data types and groups, which a problem names.
    int Configuration::*number = nullptr;
    std::string_view (*word)(const Configuration& configuration) = nullptr;
    std::string_view otherwise = "1";  ///< what it is where a text leaves it out
    bool isAlwaysSaid = false;         ///< even where it is that
    /// Words of its values from 0; empty: whole numbers.
    std::vector<std::string_view> words = {};
    /// Values to choose from where nobody names any; empty: all.
    std::vector<int> free = {};

    /// Whether accelerators share work by it.
    bool isDegree() const { return axis <= Axis::expertTensor; }
};
/// All axes, in the order of `Axis`.
std::span<const AxisRow> axes();
const AxisRow& rowOf(Axis axis);
/// The degrees of parallelism of layers: tp, pp, dp, cp, ep.
inline std::span<const AxisRow> layerDegrees() {
    return axes().first(static_cast<std::size_t>(Axis::expert) + 1);
}

/// "8", "full": what a configuration has of an axis, as texts say it; empty where they leave it out.
std::string valueText(const Configuration& configuration, const AxisRow& axis);

}  // namespace tessera::plan

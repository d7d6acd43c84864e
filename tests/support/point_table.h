#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/base/random.h"
#include "core/explore/point_table.h"

/// Points of a made-up exploration for tests of pictures and views.
namespace tessera::test {

/// Cost and time over a width, a depth and a kind: the wider the faster and dearer, with a front of both. The same
/// points for the same number; more points are these and others.
inline explore::PointTable madeUpPoints(std::size_t count) {
    using Column = explore::PointColumn;
    explore::PointTable table{.title = "Designs"};
    const auto column = [](const char* id, const char* title, Column::Role role, Column::Better better) {
        Column its{.id = id, .title = title};
        its.role = role;
        its.better = better;
        return its;
    };
    Column width = column("width", "Width", Column::Role::variable, Column::Better::neither);
    Column depth = column("depth", "Depth", Column::Role::variable, Column::Better::neither);
    Column kind = column("kind", "Kind", Column::Role::variable, Column::Better::neither);
    Column cost = column("cost", "Cost", Column::Role::objective, Column::Better::lower);
    Column time = column("time", "Time", Column::Role::objective, Column::Better::lower);
    Column rate = column("rate", "Rate", Column::Role::metric, Column::Better::higher);
    Column memory = column("memory", "Memory", Column::Role::constraint, Column::Better::lower);
    width.log = true;
    kind.words = {"plain", "fused", "sparse"};
    cost.unit = "$";
    time.measure = Measure::seconds;
    rate.unit = "samples/s";
    memory.measure = Measure::bytes;
    RandomStream random(7);
    for (std::size_t i = 0; i < count; ++i) {
        const double w = std::pow(2.0, 1 + 8 * random.uniform()), d = 1 + std::floor(12 * random.uniform());
        const auto k = static_cast<double>(random.below(3));
        width.values.push_back(w);
        depth.values.push_back(d);
        kind.values.push_back(k);
        const double noise = 1 + 0.6 * random.uniform();
        cost.values.push_back((20 + 0.4 * w + 3 * d) * (1 + 0.2 * k) * noise);
        time.values.push_back(1e-3 * (4 + 600 / w + d) / (1 + 0.3 * k) * noise);
        rate.values.push_back(1 / time.values.back());
        memory.values.push_back(1e6 * (w + 40 * d));
        table.reasons.emplace_back(i % 97 == 96 ? "memory is above the limit" : "");
        table.marks.push_back(0);
    }
    table.columns = {std::move(cost),  std::move(time),  std::move(rate), std::move(memory),
                     std::move(width), std::move(depth), std::move(kind)};
    return table;
}

inline std::shared_ptr<const explore::PointTable> sharedPoints(explore::PointTable table) {
    return std::make_shared<const explore::PointTable>(std::move(table));
}

}  // namespace tessera::test

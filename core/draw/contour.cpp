#include "core/draw/contour.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace tessera::report {

namespace {

/// Walks the segments of a level: each joins two edges of the grid, and an edge has at most two segments.
class Isolines {
public:
    Isolines(const std::vector<double>& values, std::size_t columns, std::size_t rows, double level)
        : values_(values), columns_(columns), rows_(rows), level_(level) {}

    std::vector<std::vector<Point>> trace() {
        for (std::size_t row = 0; row + 1 < rows_; ++row)
            for (std::size_t column = 0; column + 1 < columns_; ++column) cross(column, row);
        std::vector<std::vector<Point>> lines;
        // Open lines first, from an end; what is left is closed.
        for (const bool open : {true, false})
            for (const auto& [edge, ends] : joined_)
                if (!ends.empty() && (!open || ends.size() == 1)) lines.push_back(follow(edge));
        return lines;
    }

private:
    using Edge = std::size_t;  ///< twice the point at its lower end, +1 where it goes up

    double at(std::size_t column, std::size_t row) const { return values_[row * columns_ + column]; }
    Edge across(std::size_t column, std::size_t row) const { return 2 * (row * columns_ + column); }
    Edge up(std::size_t column, std::size_t row) const { return across(column, row) + 1; }

    void cross(std::size_t column, std::size_t row) {
        const std::array corners{at(column, row), at(column + 1, row), at(column + 1, row + 1), at(column, row + 1)};
        double mean = 0;
        for (const double corner : corners) mean += corner / 4;
        if (std::isnan(mean)) return;
        const std::array edges{across(column, row), up(column + 1, row), across(column, row + 1), up(column, row)};
        std::vector<Edge> cut;
        for (std::size_t side = 0; side < 4; ++side)
            if ((corners[side] >= level_) != (corners[(side + 1) % 4] >= level_)) cut.push_back(edges[side]);
        if (cut.size() == 2) join(cut[0], cut[1]);
        if (cut.size() != 4) return;
        // A saddle: its middle belongs together with the corners that are on its side.
        const bool withFirst = (corners[0] >= level_) == (mean >= level_);
        join(cut[0], cut[withFirst ? 1 : 3]);
        join(cut[2], cut[withFirst ? 3 : 1]);
    }

    void join(Edge one, Edge other) {
        joined_[one].push_back(other);
        joined_[other].push_back(one);
    }

    static void part(std::vector<Edge>& from, Edge other) {
        for (std::size_t i = 0; i < from.size(); ++i)
            if (from[i] == other) {
                from.erase(from.begin() + static_cast<std::ptrdiff_t>(i));
                return;
            }
    }

    std::vector<Point> follow(Edge edge) {
        std::vector<Point> line{placeOn(edge)};
        for (auto* ends = &joined_[edge]; !ends->empty(); ends = &joined_[edge]) {
            const Edge next = ends->front();
            part(*ends, next);
            part(joined_[next], edge);
            edge = next;
            line.push_back(placeOn(edge));
        }
        return line;
    }

    Point placeOn(Edge edge) const {
        const std::size_t point = edge / 2;
        const bool goesUp = edge % 2 == 1;
        const std::size_t column = point % columns_, row = point / columns_;
        const double from = values_[point], to = values_[goesUp ? point + columns_ : point + 1];
        const double share = (level_ - from) / (to - from);
        return {static_cast<double>(column) + (goesUp ? 0 : share), static_cast<double>(row) + (goesUp ? share : 0)};
    }

    const std::vector<double>& values_;
    std::size_t columns_, rows_;
    double level_;
    std::map<Edge, std::vector<Edge>> joined_;
};

}  // namespace

std::vector<std::vector<Point>> isolines(const std::vector<double>& values, std::size_t columns, std::size_t rows,
                                         double level) {
    if (values.size() < columns * rows) return {};
    return Isolines(values, columns, rows, level).trace();
}

}  // namespace tessera::report

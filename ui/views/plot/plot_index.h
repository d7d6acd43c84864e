#pragma once

#include <QPointF>
#include <QRectF>
#include <cstddef>
#include <optional>
#include <vector>

namespace tessera::ui {

/// Finds the point next to the mouse among very many: a grid of cells, each with the points in it.
class PlotIndex {
public:
    struct Entry {
        int series = 0, point = 0;
        QPointF at;
    };

    /// Forgets everything; points will be inside `area`.
    void clear(const QRectF& area);
    void add(const Entry& entry);
    /// The nearest point within `reach` pixels; empty = none.
    std::optional<Entry> nearest(QPointF at, double reach) const;

private:
    int column(double x) const;
    int row(double y) const;
    int cellOf(int column, int row) const;  ///< -1 = outside
    QRectF area_;
    int columns_ = 0;
    std::vector<std::vector<Entry>> cells_;
};

}  // namespace tessera::ui

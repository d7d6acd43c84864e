#include "ui/views/plot/plot_index.h"

#include <cmath>

namespace tessera::ui {

namespace {

constexpr double kCell = 32;  ///< pixels

}  // namespace

void PlotIndex::clear(const QRectF& area) {
    area_ = area;
    columns_ = static_cast<int>(area.width() / kCell) + 1;
    cells_.assign(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(area.height() / kCell + 1), {});
}

void PlotIndex::add(const Entry& entry) {
    const int cell = cellOf(column(entry.at.x()), row(entry.at.y()));
    if (cell >= 0) cells_[static_cast<std::size_t>(cell)].push_back(entry);
}

std::optional<PlotIndex::Entry> PlotIndex::nearest(QPointF at, double reach) const {
    std::optional<Entry> best;
    double min = reach * reach;
    for (int r = row(at.y() - reach); r <= row(at.y() + reach); ++r)
        for (int c = column(at.x() - reach); c <= column(at.x() + reach); ++c) {
            const int cell = cellOf(c, r);
            if (cell < 0) continue;
            for (const Entry& entry : cells_[static_cast<std::size_t>(cell)]) {
                const QPointF away = entry.at - at;
                const double distance = QPointF::dotProduct(away, away);
                if (distance > min) continue;
                min = distance;
                best = entry;
            }
        }
    return best;
}

int PlotIndex::column(double x) const {
    return static_cast<int>(std::floor((x - area_.left()) / kCell));
}

int PlotIndex::row(double y) const {
    return static_cast<int>(std::floor((y - area_.top()) / kCell));
}

int PlotIndex::cellOf(int column, int row) const {
    if (column < 0 || row < 0 || column >= columns_) return -1;
    const int cell = row * columns_ + column;
    return cell < static_cast<int>(cells_.size()) ? cell : -1;
}

}  // namespace tessera::ui

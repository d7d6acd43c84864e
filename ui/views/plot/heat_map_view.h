#pragma once

#include "core/draw/picture.h"
#include "ui/views/plot/picture_view.h"

namespace tessera::ui {

/// A report::HeatMap with zoom, a legend, keyboard cursor (arrows), hover card and context menu. Of more cells than
/// pixels, neighbours share a pixel that shows their most frequent category.
class HeatMapView : public PictureView {
    Q_OBJECT

public:
    explicit HeatMapView(QWidget* parent = nullptr);
    void setHeatMap(report::HeatMap map);
    const report::HeatMap& heatMap() const;
    void setSelected(int row, int column);        ///< -1 = none
    void setPinned(const QVector<int>& columns);  ///< columns with a pin in their head
    QRect cellRect(int row, int column) const;    ///< in widget coordinates, for tests and hover cards

signals:
    void cellSelected(int row, int column);
    /// Enter, context menu or a click that no second one follows on a cell: the owner shows what can be done there.
    void cellActivated(int row, int column, const QPoint& globalPosition);

private:
    struct Implementation;
    Implementation* d_;
};

}  // namespace tessera::ui

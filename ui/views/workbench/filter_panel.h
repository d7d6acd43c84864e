#pragma once

#include <QRect>
#include <QRectF>
#include <QWidget>
#include <cstdint>
#include <vector>

#include "ui/views/workbench/point_selection.h"

namespace tessera::ui {

/// The range of every value as a slider with two ends, over how often values come: what is asked of points. The same
/// ranges as the brushes of all pictures. A drag moves the nearer end, a double-click lets go. With the keyboard, up
/// and down choose a value, left and right move its lower end (with Shift its upper end), Delete lets go.
class FilterPanel : public QWidget {
    Q_OBJECT

public:
    explicit FilterPanel(PointSelection& selection, QWidget* parent = nullptr);

    /// The values that have a slider, from the top.
    const std::vector<std::size_t>& columns() const { return columns_; }
    /// Where a slider's track stands.
    QRectF trackOf(std::size_t row) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void currentMoved(const QRect& row);  ///< of the keyboard, to where it should be seen

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;
    bool event(QEvent* event) override;

private:
    void fill();
    void count();
    int rowAt(QPointF at) const;
    PointSelection::Range rangeOf(std::size_t row) const;
    void setRange(std::size_t row, PointSelection::Range range);
    double placeOf(std::size_t row, double value) const;  ///< from 0 to 1
    double valueAt(std::size_t row, double place) const;
    void announceRow();
    void paintRow(QPainter& painter, std::size_t row) const;

    PointSelection& selection_;
    std::vector<std::size_t> columns_;
    struct Ends {
        double low = 0, high = 1;
        bool logarithmic = false;
        std::vector<std::uint8_t> stretches = {};  ///< by point: of the track; the one after the last = none
        std::vector<double> all = {}, shown = {};  ///< points by stretches
    };
    std::vector<Ends> ends_;
    int current_ = 0;
    int dragged_ = -1;
    bool upper_ = false;  ///< which end is dragged
    bool stale_ = true;
};

}  // namespace tessera::ui

#pragma once

#include <QStringList>
#include <QVector>
#include <functional>
#include <optional>

#include "core/draw/chart_layout.h"
#include "core/draw/picture.h"
#include "ui/views/plot/picture_view.h"

class QMenu;

namespace tessera::ui {

/// An interactive chart of a report::Chart. Wheel and rubber-band
/// zoom, reset, crosshair with values, series toggles, context menu with exports. 100,000 points stay at 20 frames per
/// second: series are replaced at most 20 times per second, decimated to 2 points per pixel, hit-tested in an index of
/// ours.
class PlotWidget : public PictureView {
    Q_OBJECT

public:
    explicit PlotWidget(QWidget* parent = nullptr);

    /// Shows a chart. May be called at any rate; keeps the zoom while the chart's id stays.
    void setChart(report::Chart chart);
    const report::Chart& chart() const;
    /// A soft dot and this text in the corner while a run works; empty = none.
    void setLive(const QString& text);
    /// Sets whether points offer "Explain this number"; they do where the signal is connected.
    void setExplainable(bool on);
    /// Ringed; -1 = none. `series` and `point` index the chart.
    void setSelected(int series, int point);
    /// A point of the chart.
    struct Place {
        int series = -1, point = -1;
    };
    /// Points with a ring and a letter.
    struct Pin {
        Place place;
        QString letter;
    };
    void setPins(const QVector<Pin>& pins);
    /// Marks a point that another view has under its mouse, without a signal.
    void setHovered(Place place);
    /// What the card beside a point says, instead of its values.
    void setCard(std::function<QStringList(int series, int point)> card);
    /// Sets whether a drag brushes: draws a rectangle for `brushed` instead of zooming. With Ctrl it always does.
    void setBrushing(bool on);
    /// Values that are brushed now, drawn as a light area; empty along an axis = all of it.
    void setBrush(std::optional<report::Stretch> x, std::optional<report::Stretch> y);

signals:
    void pointClicked(int series, int point);
    /// A context menu opens at a point: what else can be done with it may be put on top.
    void menuOpened(int series, int point, QMenu* menu);
    void pointHovered(int series, int point);  ///< -1, -1 when the mouse left
    /// A rectangle was drawn: values along x and y, the lower first.
    void brushed(const report::Stretch& x, const report::Stretch& y);
    /// "Explain this number" was chosen at a point.
    void explainRequested(int series, int point);

private:
    struct Implementation;
    Implementation* d_;
};

}  // namespace tessera::ui

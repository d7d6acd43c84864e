#pragma once

#include <QWidget>

#include "ui/editors/hardware_kind.h"
#include "ui/views/exportable.h"

class QComboBox;
class QLabel;
class QStackedLayout;
class QSvgRenderer;

namespace tessera::ui {

class PlotWidget;

/// A drawing of a fleet, laid out for the width of its place, so that its letters stay legible.
class FleetView : public QWidget {
    Q_OBJECT

public:
    explicit FleetView(QWidget* parent = nullptr);
    void setFleet(const hardware::Fleet& fleet);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void draw();

    hardware::Fleet fleet_;
    QSvgRenderer* renderer_;
    QRect ink_;  ///< of the page
};

/// What the document that is edited would be: the roofline of an accelerator, the drawing and totals of a fleet. Stays
/// as it was, greyed, while something is wrong.
class HardwarePicture : public QWidget {
    Q_OBJECT

public:
    explicit HardwarePicture(QWidget* parent = nullptr);
    void setPreview(const Preview& preview);
    /// The document is wrong: the picture is the last one that could be drawn.
    void setStale(bool stale);
    QVector<Exportable> exportables() const;
    QString dataType() const;
    void setDataType(const QString& type);

private:
    void showAccelerator(const hardware::Accelerator& accelerator);
    void showFleet(const hardware::Fleet& fleet);
    void drawRoofline();

    Preview preview_;
    QLabel *totals_, *stale_;
    QComboBox* types_;
    PlotWidget* plot_;
    FleetView* drawing_;
};

}  // namespace tessera::ui

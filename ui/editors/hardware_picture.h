#pragma once

#include <QWidget>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/draw/theme.h"
#include "ui/editors/hardware_kind.h"
#include "ui/views/exportable.h"

class QComboBox;
class QLabel;
class QStackedLayout;
class QSvgRenderer;

namespace tessera::ui {

class PlotWidget;
class TableModel;
class TableView;

/// A drawing of a fleet or platform, laid out for the width of its place, so that its letters stay legible.
class FleetView : public QWidget {
    Q_OBJECT

public:
    explicit FleetView(QWidget* parent = nullptr);
    /// Draws SVG for a theme and a width.
    using Drawing = std::function<std::string(const report::Theme& colours, double width)>;
    void setDrawing(Drawing drawing);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void draw();

    Drawing drawing_;
    QSvgRenderer* renderer_;
    QRect ink_;  ///< of the page
};

/// Preview of the document that is edited: the roofline of an accelerator, the drawing and totals of a fleet or
/// platform, the areas of a template, a group drawn from a workload. Stays as it was, greyed, while something is wrong.
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

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrangeCharts();
    void showAccelerator(const hardware::Accelerator& accelerator);
    void showFleet(const hardware::Fleet& fleet);
    void showPlatform(const hardware::Platform& platform);
    void showTemplate(const CountedTemplate& counted);
    void showWorkload(const DrawnWorkload& drawn);
    void drawRoofline();

    Preview preview_;
    QLabel *totals_, *stale_;
    QComboBox* types_;
    PlotWidget* plot_;
    PlotWidget* parts_;  ///< of the accelerator that bounds a template
    FleetView* drawing_;
    std::shared_ptr<std::vector<cost::Job>> jobs_;  ///< what the table shows
    TableModel* jobModel_;
    TableView* jobTable_;
};

}  // namespace tessera::ui

#pragma once

#include <utility>

#include "core/base/timeline.h"
#include "ui/views/plot/picture_view.h"

namespace tessera::ui {

/// A Timeline: lanes of 22 px, time ruler on top, names inside when they fit, hover card otherwise, idle
/// hatched; wheel zooms at the cursor, drag pans, rubber band with Shift, keyboard walks along events. 100,000 events
/// stay fluid.
class GanttView : public PictureView {
    Q_OBJECT

public:
    explicit GanttView(QWidget* parent = nullptr);
    void setTimeline(Timeline timeline);
    /// Shows or hides the timeline's notes in the picture; exports always have them.
    void setNotesVisible(bool visible);
    const Timeline& timeline() const;
    std::pair<double, double> visibleRange() const;  ///< seconds
    void setSelected(int event);                     ///< -1 = none

signals:
    void eventSelected(int event);
    void visibleRangeChanged(double from, double to);  ///< seconds, so that another view can follow
public slots:
    void showRange(double from, double to);

private:
    struct Implementation;
    Implementation* d_;
};

}  // namespace tessera::ui

#pragma once

#include <vector>

#include "core/draw/parallel_layout.h"
#include "ui/views/plot/picture_view.h"

namespace tessera::ui {

/// A report::ParallelPicture with a brush on each axis: a drag along an axis keeps the lines that cross it there, a
/// click on it lets go. With the keyboard, left and right choose an axis, up and down move the brush's lower end (with
/// Shift its upper end), Escape lets all go.
class ParallelView : public PictureView {
    Q_OBJECT

public:
    explicit ParallelView(QWidget* parent = nullptr);

    /// Brushes stay while the axes are the same.
    void setPicture(report::ParallelPicture picture);
    const report::ParallelPicture& picture() const;
    void setSelected(int row, int pinned);  ///< -1 = none
    /// Values from `low` to `high` of an axis; no brush where `low` is above `high`.
    void setBrush(std::size_t axis, double low, double high);
    void clearBrushes();
    std::vector<bool> shown() const;  ///< by row; empty = all
    bool isBrushed() const;
    const report::ParallelLayout& layout();  ///< where things stand now

signals:
    void brushed();
    void rowClicked(int row);

private:
    struct Implementation;
    Implementation* d_;
};

}  // namespace tessera::ui

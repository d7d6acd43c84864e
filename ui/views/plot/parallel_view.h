#pragma once

#include <QStringList>
#include <functional>
#include <optional>
#include <vector>

#include "core/draw/parallel_layout.h"
#include "ui/views/plot/picture_view.h"

namespace tessera::ui {

/// A report::ParallelPicture with a brush on each axis: a drag along an axis keeps the lines that cross it there, a
/// click on it lets go. An axis is moved by a drag of its title, and inverted by a double-click on it. With the
/// keyboard, left and right choose an axis (with Ctrl they move it), up and down move the brush's lower end (with Shift
/// its upper end), I inverts the axis, Delete hides it, Escape clears all brushes.
class ParallelView : public PictureView {
    Q_OBJECT

public:
    explicit ParallelView(QWidget* parent = nullptr);

    /// Brushes, and the order of the axes, stay while the axes are the same.
    void setPicture(report::ParallelPicture picture);
    const report::ParallelPicture& picture() const;
    /// Other colours of the same lines, as in a report::ParallelPicture.
    void setTones(std::vector<std::uint8_t> tones, report::ColourKey key);
    void setSelected(int row, int pinned);  ///< -1 = none
    void setHovered(int row);               ///< under the mouse of another view, without a signal
    /// What the card beside a line says.
    void setCard(std::function<QStringList(int row)> card);
    /// Rows that are shown, where more than the brushes decides; empty = those in all brushes.
    void setShown(std::vector<std::uint8_t> shown);

    /// Values from `low` to `high` of an axis, infinite where an end is open; no brush where `low` is above `high`.
    void setBrush(std::size_t axis, double low, double high);
    std::optional<report::Stretch> brush(std::size_t axis) const;
    /// All brushes at once, without a signal.
    void setBrushes(std::vector<std::optional<report::Stretch>> brushes);
    void clearBrushes();
    std::vector<std::uint8_t> shown() const;  ///< by row; empty = all
    bool isBrushed() const;

    /// The axes that are seen, from the left.
    const std::vector<std::size_t>& order() const;
    void setOrder(std::vector<std::size_t> order);
    void moveAxis(std::size_t axis, std::size_t place);  ///< to a place from the left
    bool isInverted(std::size_t axis) const;
    void setInverted(std::size_t axis, bool on);

    const report::ParallelLayout& layout();  ///< where things stand now

signals:
    void brushed();
    void rowClicked(int row);
    void rowHovered(int row);  ///< -1 = none
    void arranged();           ///< axes were moved, inverted or hidden

private:
    struct Implementation;
    Implementation* d_;
};

}  // namespace tessera::ui

#pragma once

#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QUndoStack>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/draw/chart_layout.h"
#include "core/explore/point_table.h"
#include "core/report/points.h"
#include "ui/models/facts.h"

namespace tessera::ui {

/// What is looked at of the points of an exploration, shared by all that shows them: ranges of values that are brushed,
/// points that were kept or excluded step by step, the point under the mouse, the chosen one, and two that are
/// compared. Knows nothing of how they are drawn, and has no object per point.
class PointSelection : public QObject {
    Q_OBJECT

public:
    using Range = report::Stretch;  ///< of values, both ends included; infinite where an end is open
    using Table = std::shared_ptr<const explore::PointTable>;
    /// A compared point.
    enum class Pin : std::uint8_t { a, b };

    explicit PointSelection(QObject* parent = nullptr);

    /// Commands that keep and exclude go there; without one, into a stack of its own.
    void setUndoStack(QUndoStack* stack);
    QUndoStack& undoStack() const { return *undo_; }

    /// Shows other points. Where the columns are the same, ranges stay; where it is the same points and more, so does
    /// everything else.
    void setTable(Table table);
    const explore::PointTable& table() const { return *table_; }
    const Table& shared() const { return table_; }
    std::size_t size() const { return table_->size(); }

    // Brushed ranges.
    /// No range where `low` is above `high`.
    void setRange(std::size_t column, std::optional<Range> range);
    std::optional<Range> range(std::size_t column) const;
    const std::map<std::size_t, Range>& ranges() const { return ranges_; }
    void setRanges(const std::map<std::size_t, Range>& ranges);
    void clearRanges() { setRanges({}); }
    bool isBrushed() const { return !ranges_.empty(); }

    // Steps that can be undone.
    void keep();     ///< excludes all that are not shown, and clears the brushes
    void exclude();  ///< excludes what is shown, and clears the brushes
    void showAll();  ///< takes all back, and clears the brushes
    bool isReduced() const { return kept_ < size(); }
    std::size_t step() const { return step_; }  ///< another number whenever other points are excluded
    /// What is asked of points: the brushed ranges, within those that points were kept by.
    std::map<std::size_t, Range> askedRanges() const;

    const report::PointStates& states() const { return states_; }
    bool isShown(std::size_t point) const { return report::stateOf(states_, point) == report::PointState::shown; }
    std::size_t shownCount() const { return shown_; }
    std::size_t keptCount() const { return kept_; }  ///< that are not excluded
    std::vector<int> shownPoints() const;

    // Single points; -1 = none.
    int chosen() const { return chosen_; }
    int hovered() const { return hovered_; }
    int pinned(Pin pin) const { return pin == Pin::a ? a_ : b_; }
    void choose(int point);
    void hover(int point);
    void setPin(Pin pin, int point);

    // Looks that all pictures share.
    std::optional<std::size_t> colour() const { return colour_; }  ///< column; empty = by what points are
    void setColour(std::optional<std::size_t> column);
    /// Values of the scatter, which "front" and "knee" mean.
    std::size_t x() const { return x_; }
    std::size_t y() const { return y_; }
    void setAxes(std::size_t x, std::size_t y);

    /// Name and telling values of a point, for a card beside the mouse.
    QStringList cardOf(int point) const;

signals:
    void tableChanged();
    void filtered();  ///< other points are shown
    void reduced();   ///< other points are excluded; `filtered` follows
    void chosenChanged(int point);
    void hoveredChanged(int point);
    void pinsChanged();
    void colourChanged();
    void axesChanged();
    void stepsChanged();  ///< other steps can be undone

private:
    friend class KeepStep;
    struct Kept {
        std::vector<std::uint8_t> flags;  ///< by point: 1 = not excluded; empty = all
        std::map<std::size_t, Range> ranges = {};
        std::map<std::size_t, Range> keptBy = {};
    };
    void push(const QString& title, Kept after);
    void apply(const Kept& kept);
    void refilter();
    bool isValid(int point) const { return point >= 0 && static_cast<std::size_t>(point) < size(); }

    Table table_;
    std::map<std::size_t, Range> ranges_;
    std::map<std::size_t, Range> keptBy_;  ///< ranges of the steps that kept
    std::vector<std::uint8_t> flags_;
    std::size_t step_ = 0;
    report::PointStates states_;
    std::size_t shown_ = 0, kept_ = 0;
    int chosen_ = -1, hovered_ = -1, a_ = -1, b_ = -1;
    std::optional<std::size_t> colour_;
    std::size_t x_ = 0, y_ = 0;
    QPointer<QUndoStack> undo_;
};

}  // namespace tessera::ui

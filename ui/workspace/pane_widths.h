#pragma once

#include <QMainWindow>
#include <QObject>
#include <QVariantMap>
#include <vector>

class QDockWidget;

namespace tessera::ui {

/// Keeps the panes at the sides of a window at the width that a person gave them, whatever document is shown and
/// whatever size the window went through. Only where the user moves the bar between does a pane get another width.
class PaneWidths : public QObject {
    Q_OBJECT

public:
    explicit PaneWidths(QMainWindow& window);

    /// A pane that is `first` pixels wide at first, and never less than `min` nor, at a side, more than `max`.
    void add(QDockWidget& pane, int min, int first, int max);
    int width(const QDockWidget& pane) const;  ///< that it is to have
    /// Resets all panes to their first widths.
    void reset();
    /// Gives the panes their widths, as far as the window has room.
    void apply();

    /// Widths by the names of the panes, for settings; wrong values are ignored, and others brought within the limits.
    QVariantMap save() const;
    void restore(const QVariantMap& widths);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Pane {
        QDockWidget* dock;
        int min, first, max;
        int width;   ///< that it is to have
        int before;  ///< that it had when the mouse went down
    };
    void limit(const Pane& pane) const;
    void applySoon();
    void takeFromBar();
    static bool isAtSide(const QMainWindow& window, const QDockWidget& dock);

    QMainWindow& window_;
    std::vector<Pane> panes_;
    bool pending_ = false;
};

}  // namespace tessera::ui

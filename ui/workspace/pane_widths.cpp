#include "ui/workspace/pane_widths.h"

#include <QDockWidget>
#include <QEvent>
#include <QTimer>
#include <algorithm>
#include <utility>

namespace tessera::ui {

PaneWidths::PaneWidths(QMainWindow& window) : QObject(&window), window_(window) {
    window.installEventFilter(this);
}

void PaneWidths::add(QDockWidget& pane, int min, int first, int max) {
    panes_.push_back({&pane, min, first, max, first, first});
    const auto relimit = [this, at = panes_.size() - 1] {
        limit(panes_[at]);
        applySoon();
    };
    connect(&pane, &QDockWidget::dockLocationChanged, this, relimit);
    connect(&pane, &QDockWidget::topLevelChanged, this, relimit);
    connect(&pane, &QDockWidget::visibilityChanged, this, &PaneWidths::applySoon);
    limit(panes_.back());
}

bool PaneWidths::isAtSide(const QMainWindow& window, const QDockWidget& dock) {
    const Qt::DockWidgetArea area =
        window.dockWidgetArea(const_cast<QDockWidget*>(&dock));  // Qt takes no const pointer
    return !dock.isFloating() && (area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea);
}

/// The limits hold at a side; elsewhere a pane is as wide as there is room.
void PaneWidths::limit(const Pane& pane) const {
    pane.dock->setMinimumWidth(pane.min);
    pane.dock->setMaximumWidth(isAtSide(window_, *pane.dock) ? pane.max : QWIDGETSIZE_MAX);
}

int PaneWidths::width(const QDockWidget& pane) const {
    const auto found = std::find_if(panes_.begin(), panes_.end(), [&](const Pane& each) { return each.dock == &pane; });
    return found == panes_.end() ? pane.width() : found->width;
}

void PaneWidths::reset() {
    for (Pane& pane : panes_) pane.width = pane.first;
    apply();
}

void PaneWidths::apply() {
    QList<QDockWidget*> docks;
    QList<int> widths;
    for (const Pane& pane : panes_) {
        if (pane.dock->isHidden() || !isAtSide(window_, *pane.dock) || pane.dock->width() == pane.width) continue;
        docks.append(pane.dock);
        widths.append(pane.width);
    }
    if (!docks.isEmpty()) window_.resizeDocks(docks, widths, Qt::Horizontal);
}

/// Once for many changes, and after the window's own layout has answered them.
void PaneWidths::applySoon() {
    if (std::exchange(pending_, true)) return;
    QTimer::singleShot(0, this, [this] {
        pending_ = false;
        apply();
    });
}

/// What changed while the mouse was down was moved by hand: the bar between panes belongs to the window itself, which
/// gets the mouse there.
void PaneWidths::takeFromBar() {
    for (Pane& pane : panes_)
        if (pane.dock->isVisible() && isAtSide(window_, *pane.dock) && pane.dock->width() != pane.before)
            pane.width = std::clamp(pane.dock->width(), pane.min, pane.max);
}

bool PaneWidths::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &window_ && event->type() == QEvent::Resize) applySoon();
    if (watched == &window_ && event->type() == QEvent::MouseButtonPress)
        for (Pane& pane : panes_) pane.before = pane.dock->width();
    if (watched == &window_ && event->type() == QEvent::MouseButtonRelease) takeFromBar();
    return QObject::eventFilter(watched, event);
}

QVariantMap PaneWidths::save() const {
    QVariantMap widths;
    for (const Pane& pane : panes_) widths.insert(pane.dock->objectName(), pane.width);
    return widths;
}

void PaneWidths::restore(const QVariantMap& widths) {
    for (Pane& pane : panes_)
        if (const int width = widths.value(pane.dock->objectName()).toInt(); width > 0)
            pane.width = std::clamp(width, pane.min, pane.max);
    apply();
}

}  // namespace tessera::ui

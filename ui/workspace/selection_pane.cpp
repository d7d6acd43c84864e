#include "ui/workspace/selection_pane.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QEvent>

namespace tessera::ui {

namespace {

/// A selection comes of a click or key that was not longer ago, in milliseconds.
constexpr qint64 kAnswer = 1000;

}  // namespace

SelectionPane::SelectionPane(QDockWidget& dock) : QObject(&dock), dock_(&dock) {
    qApp->installEventFilter(this);
    connect(dock.toggleViewAction(), &QAction::triggered, this, [this](bool shown) { dismissed_ = !shown; });
}

void SelectionPane::selectedIn(const QWidget& part) {
    if (dismissed_ || !dock_->isHidden() || !answersSomebodyIn(part)) return;
    dock_->show();
}

bool SelectionPane::answersSomebodyIn(const QWidget& part) const {
    if (touched_ == nullptr || !since_.isValid() || since_.elapsed() > kAnswer) return false;
    return touched_ == &part || part.isAncestorOf(touched_);
}

bool SelectionPane::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonRelease:
        case QEvent::KeyPress:
            if (watched->isWidgetType()) {
                touched_ = static_cast<QWidget*>(watched);
                since_.start();
            }
            break;
        case QEvent::Close:
            if (watched == dock_) dismissed_ = true;
            break;
        default:
            break;
    }
    return false;
}

}  // namespace tessera::ui

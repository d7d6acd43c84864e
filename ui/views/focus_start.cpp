#include "ui/views/focus_start.h"

#include <QFocusEvent>
#include <QPointer>
#include <QWidget>

namespace tessera::ui {

namespace {

bool canTakeFocus(const QWidget& widget) {
    return widget.isVisible() && widget.isEnabled() && widget.focusPolicy() != Qt::NoFocus;
}

/// Hands on the focus that its parent is given.
class FocusStart : public QObject {
public:
    FocusStart(QWidget& whole, QWidget& start) : QObject(&whole), start_(&start) { whole.installEventFilter(this); }
    QWidget* start() const { return start_; }

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::FocusIn)
            if (QWidget* target = focusStart(*static_cast<QWidget*>(watched)); target != nullptr && target != watched)
                target->setFocus(static_cast<QFocusEvent*>(event)->reason());
        return false;
    }

private:
    QPointer<QWidget> start_;
};

}  // namespace

void setFocusStart(QWidget& whole, QWidget& start) {
    new FocusStart(whole, start);
}

QWidget* focusStart(QWidget& whole) {
    for (const QObject* child : whole.children())
        if (const auto* chosen = dynamic_cast<const FocusStart*>(child))
            if (chosen->start() != nullptr && canTakeFocus(*chosen->start())) return chosen->start();
    if (canTakeFocus(whole)) return &whole;
    for (QWidget* part : whole.findChildren<QWidget*>())
        if (canTakeFocus(*part)) return part;
    return nullptr;
}

}  // namespace tessera::ui

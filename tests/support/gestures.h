#pragma once

#include <QAction>
#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QMenu>
#include <QPointF>
#include <QStringList>
#include <QWheelEvent>
#include <QWidget>

namespace tessera::test {

/// Turns the wheel over a widget.
inline void wheel(QWidget& widget, QPointF at, int turns) {
    QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, 120 * turns}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(&widget, &event);
}

/// Opens the context menu of a widget as the mouse would; null where there is none. Close it with `delete`.
inline QMenu* contextMenu(QWidget& widget, const QPoint& at) {
    for (QMenu* old : widget.findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly)) delete old;
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget.mapToGlobal(at));
    QCoreApplication::sendEvent(&widget, &event);
    return widget.findChild<QMenu*>(QString(), Qt::FindDirectChildrenOnly);
}

/// The texts of a menu and its submenus ("PNG/2× size…").
inline QStringList textsOf(const QMenu& menu, const QString& before = {}) {
    QStringList texts;
    for (const QAction* action : menu.actions()) {
        if (action->isSeparator()) continue;
        texts << before + action->text();
        if (action->menu() != nullptr) texts << textsOf(*action->menu(), before + action->text() + QLatin1Char('/'));
    }
    return texts;
}

inline QAction* actionNamed(const QMenu& menu, const QString& text) {
    for (QAction* action : menu.actions())
        if (action->text() == text) return action;
    return nullptr;
}

}  // namespace tessera::test

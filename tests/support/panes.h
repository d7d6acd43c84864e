#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <QTest>

namespace tessera::test {

/// Moves the bar beside a pane at the left until the pane is `width` wide, as a person does.
inline void dragBar(QMainWindow& window, const QDockWidget& pane, int width) {
    const QPoint from(pane.geometry().right() + 2, pane.geometry().center().y());
    const QPoint to = from + QPoint(width - pane.width(), 0);
    const auto send = [&](QEvent::Type type, const QPoint& at, Qt::MouseButton button, Qt::MouseButtons buttons) {
        QMouseEvent event(type, at, window.mapToGlobal(at), button, buttons, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &event);
    };
    send(QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton);
    send(QEvent::MouseMove, to, Qt::NoButton, Qt::LeftButton);
    QTest::qWait(50);  // the window moves it a little later
    send(QEvent::MouseButtonRelease, to, Qt::LeftButton, Qt::NoButton);
}

}  // namespace tessera::test

#pragma once

#include <QDockWidget>
#include <QWidget>

namespace tessera::ui {

/// The head of a dock: its name, and two quiet buttons that take it out of the window and hide it. Tab passes them by:
/// both are in the View menu.
class DockTitle : public QWidget {
    Q_OBJECT

public:
    explicit DockTitle(QDockWidget& dock);
    /// Takes the dock out of the window, and puts it back.
    QAction* floating() const { return floating_; }

private:
    QAction* floating_;
};

}  // namespace tessera::ui

#pragma once

#include <QDockWidget>
#include <QWidget>

namespace tessera::ui {

/// The head of a dock: its name, and two quiet buttons that take it out of the window and hide it.
class DockTitle : public QWidget {
    Q_OBJECT

public:
    explicit DockTitle(QDockWidget& dock);
};

}  // namespace tessera::ui

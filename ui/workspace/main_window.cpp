#include "ui/workspace/main_window.h"

#include <QCloseEvent>

#include "ui/views/document.h"

namespace tessera::ui {

struct MainWindow::Implementation {
    Options options;
};

MainWindow::MainWindow(const Options& options, QWidget* parent)
    : QMainWindow(parent), d_(new Implementation{options}) {}
MainWindow::~MainWindow() = default;
Document* MainWindow::open(const QString& /*kind*/, const QString& /*key*/) {
    return nullptr;
}
void MainWindow::importFile(const QString& /*path*/) {}
Document* MainWindow::currentDocument() const {
    return nullptr;
}
void MainWindow::closeEvent(QCloseEvent* event) {
    QMainWindow::closeEvent(event);
}
void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    QMainWindow::dragEnterEvent(event);
}
void MainWindow::dropEvent(QDropEvent* event) {
    QMainWindow::dropEvent(event);
}

}  // namespace tessera::ui

#include "ui/workspace/window/main_window.h"

#include <QCloseEvent>
#include <QDropEvent>
#include <QMimeData>

#include "ui/views/document.h"
#include "ui/workspace/window/main_window_parts.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

MainWindow::MainWindow(const Options& options, QWidget* parent)
    : QMainWindow(parent), d_(std::make_unique<Implementation>(*this, options)) {
    d_->build();
}

MainWindow::~MainWindow() = default;

Document* MainWindow::open(const QString& kind, const QString& key) {
    return d_->open(kind, key);
}

void MainWindow::importFile(const QString& path) {
    d_->whenBegun([this, path] { d_->importFile(path); });
}

void MainWindow::runStudyNamed(const QString& name) {
    d_->whenBegun([this, name] { d_->runStudyNamed(name); });
}

Document* MainWindow::currentDocument() const {
    return d_->area->current();
}

JobQueue& MainWindow::jobs() {
    return *d_->jobs;
}

History& MainWindow::history() {
    return *d_->history;
}

QAction* MainWindow::actionNamed(const QString& name) const {
    return d_->actions.value(name);
}

void MainWindow::showMessage(const QString& sentence) {
    d_->say(MessagesPanel::Tone::warning, sentence);
}

QStringList MainWindow::notices() const {
    QStringList sentences;
    for (const NoticeBar* bar : findChildren<NoticeBar*>())
        if (!bar->isHidden()) sentences.append(bar->sentence() + u" · "_s + bar->choices().join(u" · "_s));
    return sentences;
}

void MainWindow::chooseInNotice(int notice, int choice) {
    QVector<NoticeBar*> open;
    for (NoticeBar* bar : findChildren<NoticeBar*>())
        if (!bar->isHidden()) open.append(bar);
    if (NoticeBar* bar = open.value(notice)) bar->choose(choice);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!d_->mayClose()) {
        event->ignore();
        return;
    }
    d_->saveSession();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    for (const QUrl& url : event->mimeData()->urls())
        if (url.isLocalFile())
            importFile(url.toLocalFile());
        else
            showMessage(u"Only files of this computer can be opened: %1"_s.arg(url.toDisplayString().left(256)));
}

}  // namespace tessera::ui

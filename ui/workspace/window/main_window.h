#pragma once

#include <QMainWindow>
#include <QVector>
#include <filesystem>
#include <memory>

namespace tessera::ui {

class Document;
class History;
class JobQueue;

class MainWindow;

/// A kind of page in the tabs of the window: a row of its table.
struct DocumentKind {
    QString id;                                                 ///< what `Document::kind` says
    Document* (*make)(MainWindow& window, const QString& key);  ///< the page of a key, as yet without a parent
};
/// The kinds of documents that the window has.
const QVector<DocumentKind>& documentKinds();

/// The application's window: library, documents, inspector, jobs and messages, command palette.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    struct Options {
        std::filesystem::path history = {};  ///< empty = the one used last, at first the default place
        bool restoreSession = true;
        bool recordHistory = true;
        QVector<DocumentKind> documents = documentKinds();
    };
    explicit MainWindow(const Options& options, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens a document, or brings the open one to the front: of a kind in the table, or "calibration", the study of
    /// this machine. nullptr where it opens later (the study of a run, "run/12") or is no document.
    Document* open(const QString& kind, const QString& key);
    /// Imports a dropped or given file by its content: a model, hardware, study or exported runs.
    void importFile(const QString& path);
    /// Runs a bundled study, or a study's file, and shows its progress.
    void runStudyNamed(const QString& name);
    Document* currentDocument() const;

    JobQueue& jobs();
    History& history();
    /// An action of the menus by its name ("run", "reset-layout", …), or nullptr.
    QAction* actionNamed(const QString& name) const;
    /// Says a sentence in the Messages dock.
    void showMessage(const QString& sentence);
    /// Texts and choices of the bars above the documents.
    QStringList notices() const;
    void chooseInNotice(int notice, int choice);

signals:
    void ready();  ///< the session is back and the window answers

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui

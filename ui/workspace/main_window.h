#pragma once

#include <QMainWindow>
#include <filesystem>
#include <memory>

namespace tessera::ui {

class Document;

/// The application's window: library, documents, inspector, jobs and messages, command palette.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    struct Options {
        std::filesystem::path history;  ///< empty = the default place
        bool restoreSession = true;
        bool recordHistory = true;
    };
    explicit MainWindow(const Options& options, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens a document, or brings the open one to the front. Kinds: "welcome", "model", "hardware", "study", "run",
    /// "compare", "history", "report".
    Document* open(const QString& kind, const QString& key);
    /// Imports a dropped or given file by its content: a model, hardware, study or exported runs.
    void importFile(const QString& path);
    Document* currentDocument() const;

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui

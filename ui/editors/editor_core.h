#pragma once

#include <QObject>
#include <QTimer>
#include <any>
#include <functional>

#include "ui/editors/edited_file.h"
#include "ui/editors/edited_json.h"
#include "ui/editors/problem.h"
#include "ui/editors/recovery.h"

namespace tessera::ui {

/// Result of reading a document: its problems, or what can be shown of it.
struct CheckOutcome {
    Problems problems;
    std::any preview;
};

/// Common part of every editor of a JSON document: the document with its undo steps, its file, checking after every
/// edit on another thread, and edits kept for the case that the program ends without saving.
class EditorCore : public QObject {
    Q_OBJECT

public:
    /// Runs on another thread; must not throw.
    using Check = std::function<CheckOutcome(const Json& document, const std::string& file)>;

    EditorCore(QString documentKind, Check check, QObject* parent = nullptr);
    /// Forgets what is kept for recovery: by now the edits are saved or given up.
    ~EditorCore() override;

    /// Begins with a document that was read or made. Edits of an earlier session are brought back at once, as a step
    /// that can be undone.
    void start(const EditedFile& file, const Json& json);
    bool isStarted() const { return started_; }

    EditedJson& document() { return document_; }
    const Json& json() const { return document_.json(); }
    const Json& saved() const { return saved_; }  ///< as it was opened or saved
    const EditedFile& file() const { return file_; }
    const Problems& problems() const { return outcome_.problems; }
    const std::any& preview() const { return outcome_.preview; }
    bool isModified() const { return !document_.undoStack()->isClean(); }
    /// True while the newest edit is not checked yet.
    bool isChecking() const { return checked_ != wanted_; }

    /// Rewrites what a document that lay at `from` refers to, so that it is found from everywhere.
    using KeepReferences = void (*)(Json& document, const std::filesystem::path& from);
    /// Writes the document and makes it the file that is edited; one that moves to another folder keeps its references,
    /// and a `name` that is not empty becomes the document's. Throws FileError, and leaves everything as it was.
    void saveTo(const EditedFile& file, KeepReferences keepReferences, const QString& name = {});
    /// Returns the edits of an earlier session that were brought back; nothing where there were none.
    const std::optional<Recovery>& recovery() const { return recovery_; }
    /// Returns whether the file has changed since those edits were made.
    bool isFileOfAnotherState() const { return recovery_ && recovery_->base != base_; }
    /// Takes a field away that no control shows.
    void takeOut(const QString& field);
    /// The document as it is in its file, without any edit.
    void discardEdits();
    /// Sets the document's display name, for a list of lost edits.
    void setTitle(const QString& title) { title_ = title; }
    /// Checks again although nothing was edited: something outside changed.
    void recheck();

signals:
    void started();
    void checked();
    void modifiedChanged();
    void fileChanged();

private:
    void edited();
    void check();
    void keep();
    void rebase();

    QString kind_, title_;
    QString recoveryId_;
    Json saved_;        ///< the document as it was opened or saved
    std::string base_;  ///< its fingerprint
    Check check_;
    EditedJson document_;
    EditedFile file_;
    CheckOutcome outcome_;
    std::optional<Recovery> recovery_;
    QTimer checkTimer_, keepTimer_;
    int wanted_ = 0, checked_ = 0;
    bool started_ = false, wasModified_ = false, kept_ = false;
    bool checking_ = false;  ///< one check at a time, the newest state next
};

}  // namespace tessera::ui

#pragma once

#include <QJsonObject>
#include <QKeySequence>
#include <QVector>
#include <functional>
#include <string>

#include "ui/editors/editor_core.h"
#include "ui/editors/editor_frame.h"
#include "ui/views/exportable.h"

class QAction;
class QPushButton;

namespace tessera::ui {

class EditorDocument;

/// Content of an EditorDocument: what is edited, its frame and actions, and what its kind of document differs in.
struct EditorContent {
    /// `kind` is the document's kind and the frame's icon, `saveTitle` the title of the dialog that asks for a name.
    EditorContent(EditorDocument* document, const QString& kind, EditorCore::Check check, const QString& saveTitle);
    virtual ~EditorContent() = default;

    /// Reads the document's key on a thread, and starts.
    void open(Opened (*read)(const QString& key));
    /// Begins with what was read or made, or shows why that cannot be edited.
    void start(const Opened& opened);
    /// Adds an action, which does nothing before the start.
    QAction* addAction(const QString& title, const QString& icon, const QKeySequence& keys, std::function<void()> run);
    bool write(const EditedFile& file);
    /// Shows title, state and values of the document.
    void showDocument();
    /// The document as a file.
    Exportable documentExport(const QString& title) const;

    virtual QString name() const = 0;            ///< of the document; may be empty
    virtual QString kindTitle() const = 0;       ///< "Fleet"
    virtual std::string folder() const = 0;      ///< of the library, where such documents are
    virtual QString keyPrefix() const = 0;       ///< that begins the keys of such documents of the library
    virtual QString proposedName() const = 0;    ///< where the document is saved under another name
    virtual void build(const Json& opened) = 0;  ///< makes fields and picture
    virtual void focusFirst() = 0;
    virtual void showValues() = 0;                      ///< beyond the fields, which show theirs
    virtual void showChecked() = 0;                     ///< problems and picture
    virtual void goTo(const std::string& field) = 0;    ///< shows the field of a path
    virtual void offerChoices() = 0;                    ///< see EditorDocument
    virtual void saveInto(const EditedFile& file) = 0;  ///< by `core`; throws FileError
    virtual bool isComplete() { return true; }          ///< false where it cannot be saved, and says why
    virtual QJsonObject ownView() const = 0;            ///< of the saved view, beyond where it is scrolled to
    virtual void restoreOwnView(const QJsonObject& view) = 0;

    EditorDocument* document;
    EditorCore core;
    EditorFrame* frame;
    QPushButton* saveButton;
    QString saveTitle;
    QVector<QAction*> actions;
    QJsonObject pendingView;
    bool built = false;  ///< the fields are there
};

}  // namespace tessera::ui

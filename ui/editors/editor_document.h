#pragma once

#include <memory>

#include "ui/views/document.h"

namespace tessera::ui {

struct EditorContent;

/// A document of fields in an EditorFrame, which is saved into the library or any other file. Its edits are undone by
/// the usual keys wherever the focus is. Kinds of documents differ in their EditorContent.
class EditorDocument : public Document {
    Q_OBJECT

public:
    using Document::Document;
    ~EditorDocument() override;
    QUndoStack* undoStack() override;
    bool isModified() const override;
    bool save() override;
    QVector<QAction*> documentActions() override;
    QJsonObject saveView() const override;
    void restoreView(const QJsonObject& view) override;
    bool showPlace(const QString& place) override;  ///< a field's path, such as "groups[1].count"
    /// Updates the offered files after a change outside: a file was saved into the library, opened, or is gone.
    void offerChoices();

    /// Saves into the user's folder of the library under a name, replacing what is there, and goes on with that file;
    /// without a name, asks for one. False where it is not saved.
    bool saveAs(const QString& name);
    bool saveAs();
    /// Saves into any file, and goes on with it.
    bool saveTo(const QString& path);

protected:
    /// Takes the content, once, and returns it.
    template <typename Content>
    Content* hold(std::unique_ptr<Content> content) {
        Content* const its = content.get();
        content_ = std::move(content);
        return its;
    }
    /// Deletes the frame. The last that a derived document does: a field that loses the focus meanwhile still finds it.
    void takeDown();
    void keyPressEvent(QKeyEvent* event) override;

private:
    friend struct EditorContent;
    std::unique_ptr<EditorContent> content_;
};

}  // namespace tessera::ui

#pragma once

#include "ui/views/document.h"

namespace tessera::ui {

/// A document of fields whose edits are undone by the usual keys wherever the focus is.
class EditorDocument : public Document {
    Q_OBJECT

public:
    using Document::Document;
    /// Updates the offered files after a change outside: a file was saved into the library, opened, or is gone.
    virtual void offerChoices() = 0;

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace tessera::ui

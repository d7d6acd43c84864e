#include "ui/editors/editor_document.h"

#include <QKeyEvent>
#include <QUndoStack>

namespace tessera::ui {

void EditorDocument::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Undo))
        undoStack()->undo();
    else if (event->matches(QKeySequence::Redo))
        undoStack()->redo();
    else
        Document::keyPressEvent(event);
}

}  // namespace tessera::ui

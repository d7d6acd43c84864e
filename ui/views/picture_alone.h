#pragma once

class QWidget;

namespace tessera::ui {

/// Says that a widget is a picture that can be shown alone: F, a double-click and the window's action do so.
void setStandsAlone(QWidget& picture);

/// Shows a picture over the whole page that it is on, or puts it back where it is alone. The page is the document
/// around it, else its window. Escape and a button above it put it back, and so does what hides its own place.
void toggleAlone(QWidget& picture);
bool isAlone(const QWidget& picture);

/// The picture on a page that is meant where none is named: the one that is alone, has the focus or the mouse, else the
/// largest that is seen. Null where there is none.
QWidget* pictureOn(QWidget& page);

}  // namespace tessera::ui

#pragma once

class QWidget;

namespace tessera::ui {

/// Where the keyboard begins in a widget that is given the focus as a whole: a page's picture, a pane's list. Other
/// than past a focus proxy, Tab still comes to what stands before it, and a start that is hidden keeps nobody waiting.
void setFocusStart(QWidget& whole, QWidget& start);

/// What takes the focus that `whole` is given: its start, or else the first of its parts that can be used. nullptr =
/// nothing in it can.
QWidget* focusStart(QWidget& whole);

}  // namespace tessera::ui

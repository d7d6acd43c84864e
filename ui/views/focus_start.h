#pragma once

class QWidget;

namespace tessera::ui {

/// Sets the child that receives the keyboard focus first when a widget is given it as a whole: a page's picture, a
/// pane's list. Unlike with a focus proxy, Tab still comes to the widgets before it, and a hidden start is skipped.
void setFocusStart(QWidget& whole, QWidget& start);

/// Widget that takes the focus that `whole` is given: its start, or else the first of its parts that can be used.
/// nullptr = nothing in it can.
QWidget* focusStart(QWidget& whole);

}  // namespace tessera::ui

#pragma once

#include <QString>
#include <string>

/// Text of strangers on its way out of the window.
namespace tessera::ui {

/// On one line, cut, control characters shown.
QString shownText(const std::string& text);
/// As the stem of a file's name: letters and digits of any language in lower case, "_", and dashes between them.
QString fileStem(const QString& text);
/// To the clipboard, control characters but tabs and the ends of lines shown: it may be pasted into a terminal.
void copyText(const QString& text);

}  // namespace tessera::ui

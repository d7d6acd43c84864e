#pragma once

#include <QString>
#include <concepts>
#include <string>
#include <string_view>

/// Texts on their way out of the window.
namespace tessera::ui {

/// Converts a text unchanged; for what this program wrote or read as one line.
inline QString toQt(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Formats a plain number for people: "25,557,032".
QString countText(double number);
template <std::integral Whole>
QString countText(Whole number) {
    return countText(static_cast<double>(number));
}
/// Formats a count with its noun: "1 group", "2 groups".
QString counted(double count, std::string_view one, std::string_view many);
template <std::integral Whole>
QString counted(Whole count, std::string_view one, std::string_view many) {
    return counted(static_cast<double>(count), one, many);
}

/// Filter of a file dialog: "Fleets (*.json);;All files (*)"; all files alone where there is no title.
QString fileFilter(const QString& title, const QString& patterns = QStringLiteral("*.json"));
/// "*.onnx *.json ...": the models that can be read.
QString modelPatterns();

/// A text of strangers: on one line, cut, control characters shown.
QString shownText(const std::string& text, std::size_t max = 256);
/// Converts a text to the stem of a file's name: letters and digits of any language in lower case, "_", and dashes
/// between them.
QString fileStem(const QString& text);
/// Copies a text to the clipboard, control characters but tabs and the ends of lines shown: it may be pasted into a
/// terminal.
void copyText(const QString& text);

/// Of a tooltip: the text with the ends of its lines, nothing in it taken for marks.
QString tipText(const QString& text);

/// "12.3 %".
QString shareText(double part);

}  // namespace tessera::ui

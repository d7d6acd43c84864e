#pragma once

#include <QString>

namespace tessera::ui {

/// Kind of a file, by its content.
struct ImportedFile {
    QString path;  ///< absolute
    QString
        kind;  ///< of the document that shows it: "model", "hardware", "study"; "runs" = exported runs; empty = none
    QString problem;  ///< a sentence where the file is nothing that Tessera knows, or cannot be read
};

/// Looks into a file. Reads it whole: call it off the UI thread.
ImportedFile examineFile(const QString& path);

/// The file filter of "Open…".
QString openFilter();

}  // namespace tessera::ui

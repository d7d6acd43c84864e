#pragma once

#include <QString>
#include <QVector>
#include <QWidget>
#include <functional>
#include <string>

#include "core/draw/theme.h"

class QMenu;

namespace tessera::ui {

/// A picture or table that can leave the window. Each function is called when its format is chosen; an empty one means
/// that there is no such format.
struct Exportable {
    QString name;                                               ///< stem of the file: "resnet50-types"
    QString id = {};                                            ///< of a row of the catalogue, as on the command line
    QString title = {};                                         ///< for menus; empty = its name
    std::function<std::string(const report::Theme&)> svg = {};  ///< SVG, PNG and PDF come from this
    std::function<std::string()> csv = {};
    std::function<std::string()> json = {};  ///< a document, or a Chrome trace
    QString jsonTitle = {};                  ///< "Chrome trace"
    std::function<std::string()> dot = {};
    std::function<std::string()> file = {};  ///< what another program reads, in a suffix of its own
    QString fileSuffix = {};                 ///< "toml"
    QString fileTitle = {};                  ///< "torchtitan"
};

/// Adds "Copy as image", "PNG…" (with scale), "SVG…", "PDF…", "CSV…" and so on, each through a file dialog, converting
/// in the background; failures are shown as a sentence.
void addExportActions(QMenu& menu, QWidget& owner, const std::function<Exportable()>& what);
/// Asks for a place with a file dialog and writes one format there, in the background; failures are shown as a
/// sentence. What has no such format is ignored.
void askAndExport(QWidget& owner, const Exportable& what, const QString& format);
/// Writes one format ("png", "svg", "pdf", "csv", "json", "dot", or the suffix of its file) without a dialog. Throws
/// FileError, UsageError.
void exportTo(const Exportable& what, const QString& format, const QString& path, double scale = 2.0);

}  // namespace tessera::ui

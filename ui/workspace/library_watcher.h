#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QStringList>
#include <QTimer>
#include <optional>

#include "ui/workspace/library_data.h"

namespace tessera::ui {

/// Keeps the library's contents true to its files: reads them at the start and whenever one of the folders changes,
/// on another thread, and reports where something is different. Many changes at once are one reading.
class LibraryWatcher : public QObject {
    Q_OBJECT

public:
    explicit LibraryWatcher(QObject* parent = nullptr);

    /// Reads soon, also where no change was noticed.
    void refresh();

signals:
    void read(const tessera::ui::LibraryContents& contents);

private:
    void look();
    void watch(const QStringList& paths);
    void readAll();

    QFileSystemWatcher watcher_;
    QTimer soon_;
    std::optional<LibraryContents> contents_;
    bool busy_ = false, again_ = false;
};

}  // namespace tessera::ui

#include "ui/workspace/library_watcher.h"

#include <QSet>
#include <filesystem>
#include <system_error>

#include "ui/editors/edited_file.h"
#include "ui/models/background.h"

namespace tessera::ui {

namespace fs = std::filesystem;

namespace {

constexpr int kCoalesce = 150;               // milliseconds from the first change to the reading
constexpr qsizetype kMaxWatchedFiles = 500;  // for changes inside of files; new and gone ones are seen anyway

/// The folder, or the nearest one around it that exists: there it will appear.
fs::path existing(fs::path folder) {
    std::error_code ignored;
    while (!fs::is_directory(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
    return folder.has_relative_path() ? folder : fs::path();
}

/// The folders of the library, and the user's files in them.
QStringList pathsToWatch() {
    QSet<QString> folders;
    QStringList files;
    for (const fs::path& around : ownFolders())
        for (const char* kind : {"", "accelerators", "fleets", "platforms", "templates", "workloads", "studies"}) {
            const fs::path folder = *kind == '\0' ? around : around / kind;
            if (const fs::path there = existing(folder); !there.empty())
                folders.insert(QString::fromStdString(there.string()));
            std::error_code error;
            for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
                if (files.size() >= kMaxWatchedFiles) break;
                if (entry->path().extension() == ".json") files << QString::fromStdString(entry->path().string());
            }
        }
    return QStringList(folders.begin(), folders.end()) + files;
}

}  // namespace

LibraryWatcher::LibraryWatcher(QObject* parent) : QObject(parent) {
    soon_.setSingleShot(true);
    soon_.setInterval(kCoalesce);
    connect(&soon_, &QTimer::timeout, this, &LibraryWatcher::look);
    connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, &LibraryWatcher::refresh);
    connect(&watcher_, &QFileSystemWatcher::fileChanged, this, &LibraryWatcher::refresh);
    look();
}

void LibraryWatcher::refresh() {
    if (!soon_.isActive()) soon_.start();
}

void LibraryWatcher::look() {
    again_ = busy_;
    if (busy_) return;
    busy_ = true;
    // First watched, then read: what changes in between is read again.
    inBackground(this, pathsToWatch, [this](const QStringList& paths) {
        watch(paths);
        readAll();
    });
}

void LibraryWatcher::watch(const QStringList& paths) {
    const QStringList now = watcher_.directories() + watcher_.files();
    const QSet<QString> before(now.begin(), now.end());
    const QSet<QString> after(paths.begin(), paths.end());
    const QStringList gone = (before - after).values();
    const QStringList added = (after - before).values();
    if (!gone.isEmpty()) watcher_.removePaths(gone);
    if (!added.isEmpty()) watcher_.addPaths(added);
}

void LibraryWatcher::readAll() {
    inBackground(
        this, readLibrary,
        [this](const LibraryContents& contents) {
            busy_ = false;
            if (again_) refresh();
            again_ = false;
            if (contents_ == contents) return;
            contents_ = contents;
            emit read(contents);
        },
        [this](const QString&) { busy_ = false; });
}

}  // namespace tessera::ui

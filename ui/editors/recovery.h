#pragma once

#include <QDateTime>
#include <QString>
#include <QVector>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/json.h"

/// Edits that are not saved yet, kept in files so that they outlive a program that ends without asking.
namespace tessera::ui {

/// The edits of one document.
struct Recovery {
    QString id;         ///< of its file
    QString kind, key;  ///< of the document
    QString title;      ///< for people
    Json json;          ///< the document with its edits
    std::string base;   ///< SHA-256 of the document without them
    QDateTime when;
};

/// Under which id a document keeps its edits. One that was never saved has an id of its own, which its key names when
/// it is opened again; others are known by their key.
QString recoveryId(const QString& kind, const QString& key);
/// The key that opens the document again, with its edits.
QString keyOf(const Recovery& recovery);
/// Hash of a document's content.
std::string fingerprint(const Json& json);

/// The edits kept under an id, where there are any that can be read and no other program is at work on them.
std::optional<Recovery> findRecovery(const QString& id);
/// Keeps edits, soon and on another thread, in the order of the calls. Failures are silent: this is the second line of
/// defence.
void keepRecovery(const Recovery& recovery);
/// Forgets the edits of an id, likewise.
void dropRecovery(const QString& id);
/// All edits of programs that are gone, the newest first. Reads files: call it off the UI thread.
QVector<Recovery> lostEdits();

}  // namespace tessera::ui

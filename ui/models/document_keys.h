#pragma once

#include <QString>
#include <QStringList>
#include <QUrl>

namespace tessera::ui {

/// The key of a study document that begins with these inputs; empty = still to be chosen, of the data type the engine's
/// own. Names of files may hold any characters.
inline QString newStudyKey(const QString& engine, const QString& model, const QString& hardware = {},
                           const QString& dtype = {}) {
    QStringList query;
    const auto add = [&](const char* name, const QString& value) {
        if (value.isEmpty()) return;
        query.append(QLatin1String(name) + QLatin1Char('=') +
                     QString::fromLatin1(QUrl::toPercentEncoding(value, QByteArrayLiteral(":/"))));
    };
    add("model", model);
    add("hardware", hardware);
    add("dtype", dtype);
    const QString key = QStringLiteral("new/") + engine;
    return query.isEmpty() ? key : key + QLatin1Char('?') + query.join(QLatin1Char('&'));
}

/// The key of the study that searches on from a run's result, by the run's key: "run/7", "job/2".
inline QString searchedOnKey(const QString& run) {
    return run + QStringLiteral("/searched-on");
}
inline bool isSearchedOn(const QString& key) {
    return key.endsWith(QLatin1String("/searched-on"));
}

}  // namespace tessera::ui

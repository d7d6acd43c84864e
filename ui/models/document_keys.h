#pragma once

#include <QString>
#include <QStringList>
#include <QUrl>
#include <QVector>
#include <utility>

namespace tessera::ui {

/// The key of a study document that begins with these inputs, empty = still to be chosen, and parameters by their names
/// ("dtype", "fp32"; of a flag "true"; of a document its text). Names of files may hold any characters.
inline QString newStudyKey(const QString& engine, const QString& model, const QString& hardware = {},
                           const QVector<std::pair<QString, QString>>& parameters = {}) {
    QStringList query;
    const auto add = [&](const QString& name, const QString& value) {
        if (value.isEmpty()) return;
        query.append(name + QLatin1Char('=') +
                     QString::fromLatin1(QUrl::toPercentEncoding(value, QByteArrayLiteral(":/"))));
    };
    add(QStringLiteral("model"), model);
    add(QStringLiteral("hardware"), hardware);
    for (const auto& [name, value] : parameters) add(name, value);
    const QString key = QStringLiteral("new/") + engine;
    return query.isEmpty() ? key : key + QLatin1Char('?') + query.join(QLatin1Char('&'));
}

/// The key of a study whose jobs are the layers of a model.
inline QString jobsKey(const QString& engine, const QString& model) {
    return newStudyKey(engine, {}, {}, {{QStringLiteral("workload"), model}});
}

/// The key of an exploration of a study, given as its file: what varies is still to be said.
inline QString exploringKey(const QString& study) {
    return newStudyKey(QStringLiteral("explore"), {}, {}, {{QStringLiteral("study"), study}});
}

/// The key of the study that measures this machine, with fewer shapes: enough for a first look.
inline QString calibrationKey(const QString& model) {
    return newStudyKey(QStringLiteral("calibrate"), model, {}, {{QStringLiteral("quick"), QStringLiteral("true")}});
}

/// The key of the study that searches on from a run's result, by the run's key: "run/7", "job/2".
inline QString searchedOnKey(const QString& run) {
    return run + QStringLiteral("/searched-on");
}
inline bool isSearchedOn(const QString& key) {
    return key.endsWith(QLatin1String("/searched-on"));
}

}  // namespace tessera::ui

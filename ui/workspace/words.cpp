#include "ui/workspace/words.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <array>

#include "core/base/text.h"

namespace tessera::ui {

namespace {

struct StatusRow {
    store::RunStatus status;
    const char* text;
    const char* icon;
    const char* token;
};

constexpr std::array kStatuses{
    StatusRow{store::RunStatus::queued, QT_TRANSLATE_NOOP("words", "Waiting"), "queued", "secondary"},
    StatusRow{store::RunStatus::running, QT_TRANSLATE_NOOP("words", "Running"), "run", "accent"},
    StatusRow{store::RunStatus::paused, QT_TRANSLATE_NOOP("words", "Paused"), "pause", "warning"},
    StatusRow{store::RunStatus::interrupted, QT_TRANSLATE_NOOP("words", "Interrupted"), "interrupted", "warning"},
    StatusRow{store::RunStatus::done, QT_TRANSLATE_NOOP("words", "Done"), "done", "good"},
    StatusRow{store::RunStatus::failed, QT_TRANSLATE_NOOP("words", "Failed"), "failed", "bad"},
    StatusRow{store::RunStatus::cancelled, QT_TRANSLATE_NOOP("words", "Cancelled"), "cancel", "secondary"},
};

const StatusRow& rowOf(store::RunStatus status) {
    for (const StatusRow& row : kStatuses)
        if (row.status == status) return row;
    return kStatuses.front();
}

QString words(const char* text) {
    return QCoreApplication::translate("words", text);
}

}  // namespace

QString momentText(std::int64_t milliseconds) {
    const QDateTime moment = QDateTime::fromMSecsSinceEpoch(milliseconds);
    const QDateTime now = QDateTime::currentDateTime();
    const qint64 ago = moment.secsTo(now);
    if (ago >= 0 && ago < 60) return words("just now");
    if (ago >= 0 && ago < 3600) return words("%1 min ago").arg(ago / 60);
    const QLocale locale;
    const QString time = locale.toString(moment.time(), QStringLiteral("HH:mm"));
    if (moment.date() == now.date()) return words("today %1").arg(time);
    if (moment.date() == now.date().addDays(-1)) return words("yesterday %1").arg(time);
    const bool thisYear = moment.date().year() == now.date().year();
    return locale.toString(moment.date(), thisYear ? QStringLiteral("d MMM") : QStringLiteral("d MMM yyyy"));
}

QString statusText(store::RunStatus status) {
    return words(rowOf(status).text);
}

QString statusIcon(store::RunStatus status) {
    return QLatin1String(rowOf(status).icon);
}

std::string_view statusToken(store::RunStatus status) {
    return rowOf(status).token;
}

QString firstNames(const QStringList& names, qsizetype most) {
    const QString first = names.mid(0, most).join(QStringLiteral(", "));
    return names.size() <= most ? first : words("%1 and %2 more").arg(first).arg(names.size() - most);
}

QString shown(const std::string& text) {
    return QString::fromStdString(escaped(text));
}

}  // namespace tessera::ui

#include "ui/workspace/words.h"

#include <QDateTime>
#include <QLocale>

#include "core/base/text.h"
#include "core/study/study.h"
#include "ui/models/text.h"

namespace tessera::ui {

namespace {}  // namespace

QString momentText(std::int64_t milliseconds) {
    const QDateTime moment = QDateTime::fromMSecsSinceEpoch(milliseconds);
    const QDateTime now = QDateTime::currentDateTime();
    const qint64 ago = moment.secsTo(now);
    if (ago >= 0 && ago < 60) return tr("just now");
    if (ago >= 0 && ago < 3600) return tr("%1 min ago").arg(ago / 60);
    const QLocale locale;
    const QString time = locale.toString(moment.time(), QStringLiteral("HH:mm"));
    if (moment.date() == now.date()) return tr("today %1").arg(time);
    if (moment.date() == now.date().addDays(-1)) return tr("yesterday %1").arg(time);
    const bool thisYear = moment.date().year() == now.date().year();
    return locale.toString(moment.date(), thisYear ? QStringLiteral("d MMM") : QStringLiteral("d MMM yyyy"));
}

QString engineText(const std::string& engine) {
    for (const study::Engine& row : study::engines())
        if (row.id == engine) return toQt(row.title);
    return shown(engine);
}

QString firstNames(const QStringList& names, qsizetype max) {
    const QString first = names.mid(0, max).join(QStringLiteral(", "));
    return names.size() <= max ? first : tr("%1 and %2 more").arg(first).arg(names.size() - max);
}

QString shown(const std::string& text) {
    return toQt(escaped(text));
}

}  // namespace tessera::ui

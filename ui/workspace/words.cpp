#include "ui/workspace/words.h"

#include <QDateTime>
#include <QLocale>

#include "core/base/text.h"
#include "core/study/study.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {}  // namespace

QString momentText(std::int64_t milliseconds) {
    const QDateTime moment = QDateTime::fromMSecsSinceEpoch(milliseconds);
    const QDateTime now = QDateTime::currentDateTime();
    const qint64 ago = moment.secsTo(now);
    if (ago >= 0 && ago < 60) return u"just now"_s;
    if (ago >= 0 && ago < 3600) return u"%1 min ago"_s.arg(ago / 60);
    const QLocale locale;
    const QString time = locale.toString(moment.time(), u"HH:mm"_s);
    if (moment.date() == now.date()) return u"today %1"_s.arg(time);
    if (moment.date() == now.date().addDays(-1)) return u"yesterday %1"_s.arg(time);
    const bool thisYear = moment.date().year() == now.date().year();
    return locale.toString(moment.date(), thisYear ? u"d MMM"_s : u"d MMM yyyy"_s);
}

QString engineText(const std::string& engine) {
    for (const study::Engine& row : study::engines())
        if (row.id == engine) return toQt(row.title);
    return shown(engine);
}

QString firstNames(const QStringList& names, qsizetype max) {
    const QString first = names.mid(0, max).join(u", "_s);
    return names.size() <= max ? first : u"%1 and %2 more"_s.arg(first).arg(names.size() - max);
}

QString shown(const std::string& text) {
    return toQt(escaped(text));
}

}  // namespace tessera::ui

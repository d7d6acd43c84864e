#include "ui/models/recent_files.h"

#include <QSettings>
#include <algorithm>

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

const QString kSetting = u"recent/files"_s;
constexpr int kLongestPath = 4096;

}  // namespace

RecentFiles::RecentFiles(QObject* parent) : QObject(parent) {
    const QStringList saved = QSettings().value(kSetting).toStringList();
    for (const QString& line : saved) {
        const auto bar = line.indexOf(QLatin1Char('|'));
        if (bar <= 0 || line.size() > kLongestPath || entries_.size() >= kMax) continue;
        const QStringList kind = line.left(bar).split(QLatin1Char('/'));
        entries_.append({.kind = kind.front(), .path = line.mid(bar + 1), .icon = kind.value(1, kind.front())});
    }
}

QVector<RecentFiles::Entry> RecentFiles::entries(const QString& kind) const {
    QVector<Entry> some;
    std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(some),
                 [&](const Entry& entry) { return entry.kind == kind; });
    return some;
}

void RecentFiles::add(const QString& kind, const QString& path) {
    if (!entries_.isEmpty() && entries_.front().kind == kind && entries_.front().path == path) return;
    Entry added{.kind = kind, .path = path, .icon = kind};
    for (const Entry& entry : entries_)
        if (entry.path == path && entry.kind == kind) added.icon = entry.icon;
    entries_.removeIf([&](const Entry& entry) { return entry.path == path; });
    entries_.prepend(added);
    if (entries_.size() > kMax) entries_.resize(kMax);
    save();
}

void RecentFiles::setIcon(const QString& path, const QString& icon) {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.path == path; });
    if (found == entries_.end() || found->icon == icon) return;
    found->icon = icon;
    save();
}

void RecentFiles::remove(const QString& path) {
    entries_.removeIf([&](const Entry& entry) { return entry.path == path; });
    save();
}

void RecentFiles::clear() {
    entries_.clear();
    save();
}

void RecentFiles::save() {
    QStringList lines;
    for (const Entry& entry : entries_)
        lines.append(entry.kind + QLatin1Char('/') + entry.icon + QLatin1Char('|') + entry.path);
    QSettings().setValue(kSetting, lines);
    emit changed();
}

}  // namespace tessera::ui

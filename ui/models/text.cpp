#include "ui/models/text.h"

#include <QClipboard>
#include <QGuiApplication>

#include "core/base/escape.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/model/readers/readers.h"
#include "core/study/metric.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

QString countText(double number) {
    return toQt(formatCount(number));
}

QString counted(double count, std::string_view one, std::string_view many) {
    return toQt(formatCounted(count, one, many));
}

QString fileFilter(const QString& title, const QString& patterns) {
    const QString all = u"All files (*)"_s;
    return title.isEmpty() ? all : u"%1 (%2);;%3"_s.arg(title, patterns, all);
}

QString modelPatterns() {
    QStringList patterns;
    for (const std::string_view suffix : model::modelSuffixes()) patterns << QLatin1Char('*') + toQt(suffix);
    return patterns.join(QLatin1Char(' '));
}

QString shownText(const std::string& text, std::size_t max) {
    return QString::fromStdString(escaped(text, max));
}

QString tipText(const QString& text) {
    return text.trimmed().toHtmlEscaped().replace(QLatin1Char('\n'), QLatin1String("<br>"));
}

QString shareText(double part) {
    return QString::fromStdString(study::percentText(part));
}

QString fileStem(const QString& text) {
    constexpr int kLongest = 60;
    QString stem;
    for (const QChar letter : text.toLower()) {
        if (stem.size() >= kLongest) break;
        if (letter.isLetterOrNumber() || letter == QLatin1Char('_')) {
            stem += letter;
        } else if (!stem.isEmpty() && !stem.endsWith(QLatin1Char('-'))) {
            stem += QLatin1Char('-');
        }
    }
    while (stem.endsWith(QLatin1Char('-'))) stem.chop(1);
    return stem.isEmpty() ? u"tessera"_s : stem;
}

void copyText(const QString& text) {
    QString shown;
    for (qsizetype begin = 0; begin <= text.size();) {
        qsizetype end = begin;
        while (end < text.size() && text[end] != QLatin1Char('\n') && text[end] != QLatin1Char('\t')) ++end;
        shown += QString::fromStdString(escaped(text.mid(begin, end - begin).toStdString(), kUncut));
        if (end < text.size()) shown += text[end];
        begin = end + 1;
    }
    QGuiApplication::clipboard()->setText(shown);
}

}  // namespace tessera::ui

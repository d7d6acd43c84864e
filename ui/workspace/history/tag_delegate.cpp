#include "ui/workspace/history/tag_delegate.h"

#include <QApplication>
#include <QCompleter>
#include <QLineEdit>
#include <QPainter>
#include <algorithm>

#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

/// Completes the last of several words with commas between them.
class LastWordCompleter : public QCompleter {
public:
    using QCompleter::QCompleter;
    QStringList splitPath(const QString& path) const override { return {path.section(QLatin1Char(','), -1).trimmed()}; }
    QString pathFromIndex(const QModelIndex& index) const override {
        const QString before = static_cast<const QLineEdit*>(widget())->text().section(QLatin1Char(','), 0, -2);
        const QString word = QCompleter::pathFromIndex(index);
        return before.isEmpty() ? word : before + u", "_s + word;
    }
};

}  // namespace

void TagDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    const QStringList tags = cell.text.split(u", "_s, Qt::SkipEmptyParts);
    cell.text.clear();
    const QStyle* style = cell.widget != nullptr ? cell.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
    const QFont font = theme().font(Theme::Text::caption);
    const QFontMetrics metrics(font);
    const int space = theme().spacing();
    const int end = option.rect.right() - space;
    int x = option.rect.left() + 2 * space;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setFont(font);
    for (qsizetype i = 0; i < tags.size(); ++i) {
        const int left = end - x;
        const bool isLast = i + 1 == tags.size();
        // What has no room is a number of further tags.
        const QString more = u"+%1"_s.arg(tags.size() - i);
        const int reserve = isLast ? 0 : metrics.horizontalAdvance(more) + space;
        const int full = metrics.horizontalAdvance(tags[i]) + 2 * space;
        if (full + reserve > left && i > 0) {
            painter->setPen(theme().colour("secondary"));
            painter->drawText(QRect(x, option.rect.top(), left, option.rect.height()), Qt::AlignVCenter, more);
            break;
        }
        const int width = std::min(full, left - reserve);
        if (width < 4 * space) break;
        const int height = metrics.height() + 2;
        const QRect frame(x, option.rect.center().y() - height / 2, width, height);
        painter->setPen(theme().colour("control"));
        painter->drawRoundedRect(QRectF(frame).adjusted(0.5, 0.5, -0.5, -0.5), space, space);
        painter->setPen(theme().colour("text"));
        painter->drawText(frame, Qt::AlignCenter, metrics.elidedText(tags[i], Qt::ElideRight, width - 2 * space + 1));
        x += width + space;
    }
    painter->restore();
}

QWidget* TagDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& /*option*/,
                                   const QModelIndex& /*index*/) const {
    auto* editor = new QLineEdit(parent);
    editor->setAccessibleName(u"Tags"_s);
    editor->setPlaceholderText(u"words, with commas between them"_s);
    auto* completer = new LastWordCompleter(tags_, editor);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    editor->setCompleter(completer);
    return editor;
}

}  // namespace tessera::ui

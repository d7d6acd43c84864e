#include "ui/workspace/two_tone_delegate.h"

#include <QApplication>
#include <QPainter>

#include "ui/theme/theme.h"

namespace tessera::ui {

namespace {

/// The text with an ellipsis after two thirds of the room: names of one family differ after what they share, and at
/// their ends.
QString fitting(const QFontMetrics& metrics, const QString& text, int room) {
    if (metrics.horizontalAdvance(text) <= room) return text;
    const QString ellipsis(QChar(0x2026));
    const int letters = room - metrics.horizontalAdvance(ellipsis);
    QString first = metrics.elidedText(text, Qt::ElideRight, letters * 2 / 3 + metrics.horizontalAdvance(ellipsis));
    if (!first.endsWith(ellipsis)) return ellipsis;
    first.chop(1);
    QString last = metrics.elidedText(text.mid(first.size()), Qt::ElideLeft, room - metrics.horizontalAdvance(first));
    return first + last;
}

/// At the right of the area; returns where what stands before it ends.
int drawBadge(QPainter& painter, const QRect& area, const QString& text) {
    const QFont font = theme().font(Theme::Text::caption);
    const QFontMetrics metrics(font);
    const int width = metrics.horizontalAdvance(text) + 2 * theme().spacing();
    const QRect frame(area.right() - width, area.center().y() - metrics.height() / 2, width, metrics.height());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(font);
    painter.setPen(theme().colour("secondary"));
    painter.drawRoundedRect(QRectF(frame).adjusted(0.5, 0.5, -0.5, -0.5), theme().spacing(), theme().spacing());
    painter.drawText(frame, Qt::AlignCenter, text);
    painter.restore();
    return frame.left() - theme().spacing();
}

}  // namespace

void TwoToneDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem row = option;
    initStyleOption(&row, index);
    const QString text = row.text;
    row.text.clear();
    const QStyle* style = row.widget != nullptr ? row.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &row, painter, row.widget);

    row.text = text;
    QRect area = style->subElementRect(QStyle::SE_ItemViewItemText, &row, row.widget);
    // The style's padding would cut descenders in a dense list: the row's whole height is used.
    area.setTop(option.rect.top());
    area.setBottom(option.rect.bottom());
    area.setRight(option.rect.right() - theme().spacing(2));
    area.adjust(theme().spacing() / 2, 0, 0, 0);
    if (const QString badge = index.data(kBadgeRole).toString(); !badge.isEmpty())
        area.setRight(drawBadge(*painter, area, badge));
    const QString aside = index.data(kAsideRole).toString();
    const QFont captionFont = theme().font(Theme::Text::caption, false, true);
    const QFontMetrics captionMetrics(captionFont);
    const int room = area.width();
    const int wanted = QFontMetrics(row.font).horizontalAdvance(text);
    // The name comes first; the aside is there whole or not at all: a number cut short would be another number.
    const int asideWidth = captionMetrics.horizontalAdvance(aside);
    const bool hasAside = !aside.isEmpty() && asideWidth + theme().spacing(2) <= room - wanted;
    const bool enabled = row.state.testFlag(QStyle::State_Enabled);
    painter->save();
    painter->setFont(row.font);
    painter->setPen(theme().colour(enabled ? "text" : "disabled"));
    const int textRoom = hasAside ? room - asideWidth - theme().spacing(2) : room;
    painter->drawText(area, Qt::AlignVCenter | Qt::AlignLeft, fitting(QFontMetrics(row.font), text, textRoom));
    if (hasAside) {
        painter->setFont(captionFont);
        painter->setPen(theme().colour("secondary"));
        painter->drawText(area, Qt::AlignVCenter | Qt::AlignRight, aside);
    }
    painter->restore();
}

QSize TwoToneDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(std::max(rowHeight_ > 0 ? rowHeight_ : theme().spacing(6), option.fontMetrics.height()));
    return size;
}

}  // namespace tessera::ui

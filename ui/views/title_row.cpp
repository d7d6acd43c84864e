#include "ui/views/title_row.h"

#include <QFontMetrics>
#include <QStyleOptionHeader>

#include "ui/theme/theme.h"

namespace tessera::ui {

TitleRow::TitleRow(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
    setSectionsClickable(true);
}

QSize TitleRow::sizeHint() const {
    if (count() == 0) return QHeaderView::sizeHint();
    if (height_ == 0) height_ = sectionSizeFromContents(0).height();
    return {length(), height_};
}

void TitleRow::changeEvent(QEvent* event) {
    height_ = 0;
    QHeaderView::changeEvent(event);
}

void TitleRow::initStyleOptionForIndex(QStyleOptionHeader* option, int section) const {
    QHeaderView::initStyleOptionForIndex(option, section);
    const int arrow = option->sortIndicator != QStyleOptionHeader::None ? theme().spacing(4) : 0;
    // The style keeps a margin of its own.
    const int room = sectionSize(section) - 2 * kSideOfCell - arrow - theme().spacing(1);
    option->text =
        QFontMetrics(theme().font(Theme::Text::caption, true)).elidedText(option->text, Qt::ElideMiddle, room);
}

}  // namespace tessera::ui

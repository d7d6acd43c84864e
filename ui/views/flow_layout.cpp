#include "ui/views/flow_layout.h"

#include <QWidget>
#include <algorithm>

namespace tessera::ui {

namespace {

bool isStretch(const QLayoutItem& item) {
    return const_cast<QLayoutItem&>(item).spacerItem() != nullptr;  // asks, and changes nothing
}

/// What is hidden takes no room.
bool isSkipped(const QLayoutItem& item) {
    return item.isEmpty() && !isStretch(item);
}

}  // namespace

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent) {
    setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout() {
    qDeleteAll(items_);
}

void FlowLayout::addStretch() {
    addItem(new QSpacerItem(0, 0, QSizePolicy::Expanding, QSizePolicy::Minimum));
}

void FlowLayout::insertWidget(int index, QWidget* widget) {
    addChildWidget(widget);
    items_.insert(index, new QWidgetItem(widget));
    invalidate();
}

void FlowLayout::addItem(QLayoutItem* item) {
    items_.append(item);
    invalidate();
}

int FlowLayout::count() const {
    return static_cast<int>(items_.size());
}

QLayoutItem* FlowLayout::itemAt(int index) const {
    return items_.value(index);
}

QLayoutItem* FlowLayout::takeAt(int index) {
    if (index < 0 || index >= items_.size()) return nullptr;
    QLayoutItem* item = items_.takeAt(index);
    invalidate();
    return item;
}

int FlowLayout::heightForWidth(int width) const {
    return arrange(QRect(0, 0, width, 0), false);
}

/// All of it on one line.
QSize FlowLayout::sizeHint() const {
    QSize size(0, 0);
    int shown = 0;
    for (const QLayoutItem* item : items_) {
        if (isSkipped(*item) || isStretch(*item)) continue;
        const QSize its = item->sizeHint();
        size = {size.width() + its.width() + (shown++ > 0 ? spacing() : 0), std::max(size.height(), its.height())};
    }
    const QMargins margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

/// Every part on a line of its own.
QSize FlowLayout::minimumSize() const {
    QSize size(0, 0);
    for (const QLayoutItem* item : items_)
        if (!isSkipped(*item)) size = size.expandedTo(item->minimumSize());
    const QMargins margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

/// The height that the lines take; `moves` says whether the parts are brought to their places.
int FlowLayout::arrange(const QRect& rect, bool moves) const {
    const QRect area = rect.marginsRemoved(contentsMargins());
    int y = area.top();
    for (qsizetype first = 0; first < items_.size();) {
        int used = 0, height = 0, stretches = 0;
        qsizetype end = first;
        for (; end < items_.size(); ++end) {
            const QLayoutItem& item = *items_[end];
            if (isSkipped(item)) continue;
            if (isStretch(item)) {
                ++stretches;
                continue;
            }
            const QSize size = item.sizeHint();
            const int more = size.width() + (used > 0 ? spacing() : 0);
            if (used > 0 && used + more > area.width()) break;
            used += more;
            height = std::max(height, size.height());
        }
        const int free = std::max(0, area.width() - used);
        int x = area.left();
        for (qsizetype i = first; moves && i < end; ++i) {
            QLayoutItem& item = *items_[i];
            if (isSkipped(item)) continue;
            if (isStretch(item)) {
                x += free / stretches;
                continue;
            }
            const QSize size = item.sizeHint().boundedTo({area.width(), height});
            item.setGeometry({{x, y + (height - size.height()) / 2}, size});
            x += size.width() + spacing();
        }
        y += height + (end < items_.size() ? spacing() : 0);
        first = end;
    }
    return y - rect.top() + contentsMargins().bottom();
}

}  // namespace tessera::ui

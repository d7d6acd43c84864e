#pragma once

#include <QStyledItemDelegate>

namespace tessera::ui {

/// Draws a row with its icon and name, and what belongs to it smaller and grey at the right: a count, a kind, a key.
class TwoToneDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    /// Role of the grey text.
    static constexpr int kAsideRole = Qt::UserRole + 40;
    /// A word or two in a frame behind the name, which is cut before them.
    static constexpr int kBadgeRole = Qt::UserRole + 41;

    using QStyledItemDelegate::QStyledItemDelegate;
    void setRowHeight(int height) { rowHeight_ = height; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    int rowHeight_ = 0;
};

}  // namespace tessera::ui

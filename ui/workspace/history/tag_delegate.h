#pragma once

#include <QStyledItemDelegate>

namespace tessera::ui {

/// Tags in a cell: each in a frame of its own, and written in place with commas between them, where those that are
/// known are offered.
class TagDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void setTags(const QStringList& tags) { tags_ = tags; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    QStringList tags_;
};

}  // namespace tessera::ui

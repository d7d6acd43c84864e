#pragma once

#include <QLayout>
#include <QVector>

namespace tessera::ui {

/// Parts of a bar in lines: what has no room on a line goes to the next, so that no bar makes its page wider. On a line
/// that holds it, a stretch pushes what comes behind it to the right end.
class FlowLayout : public QLayout {
    Q_OBJECT

public:
    explicit FlowLayout(QWidget* parent = nullptr);
    ~FlowLayout() override;

    void addStretch();
    /// Inserts a widget in front of what is at `index`.
    void insertWidget(int index, QWidget* widget);

    void addItem(QLayoutItem* item) override;
    int count() const override;
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    int arrange(const QRect& rect, bool moves) const;

    QVector<QLayoutItem*> items_;
};

}  // namespace tessera::ui

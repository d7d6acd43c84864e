#pragma once

#include <QWidget>

namespace tessera::ui {

/// Plain text on one line that ends in an ellipsis where there is no room; the whole is its tooltip then.
class ElidedLabel : public QWidget {
    Q_OBJECT

public:
    explicit ElidedLabel(const QString& text = {}, QWidget* parent = nullptr);
    void setText(const QString& text);
    QString text() const { return text_; }
    void setToken(const char* token);  ///< the colour, "text" at first
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void updateToolTip();
    QString text_;
    const char* token_ = "text";
};

}  // namespace tessera::ui

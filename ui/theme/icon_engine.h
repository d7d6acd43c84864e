#pragma once

#include <QByteArray>
#include <QIconEngine>
#include <string>
#include <string_view>

namespace tessera::ui {

/// Draws a line icon (SVG that uses `currentColor`) in a token's colour of the moment, at any size and scale.
class LineIconEngine : public QIconEngine {
public:
    LineIconEngine(QString name, std::string_view token);
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override;
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override;
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal scale) override;
    QIconEngine* clone() const override;
    QString key() const override { return QStringLiteral("tessera-line"); }
    QString iconName() override { return name_; }
    bool isNull() override { return svg_.isEmpty(); }

private:
    QColor colourIn(QIcon::Mode mode) const;

    QString name_;
    std::string token_;
    QByteArray svg_;
};

}  // namespace tessera::ui

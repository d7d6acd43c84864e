#pragma once

#include <QFont>
#include <QPainter>
#include <QPixmap>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/draw/drawing.h"
#include "ui/models/text.h"

/// Paints what `core/report` lays out, so that the window shows the same pictures as an export.
namespace tessera::ui {

/// Letters of a picture, by their height and weight.
QFont pictureFont(int size, bool strong);
/// Measures texts with those letters.
const report::TextWidth& pictureWidth();

void paintDrawing(QPainter& painter, const report::Drawing& drawing);
/// Some of a drawing's shapes, which open no clip that they do not close.
void paintShapes(QPainter& painter, std::span<const report::Shape> shapes);

inline QRectF toRect(const report::Rect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}

/// The whole of a text that was cut at this place; empty where there is none.
QString cutTextAt(const report::Drawing& drawing, QPointF position);

/// A small card with values beside a place, inside `bounds`; the first line is its title.
void paintCard(QPainter& painter, QPointF beside, const QStringList& lines, const QRectF& bounds);

/// A ring around a thing, which is seen on every colour.
void paintRing(QPainter& painter, const QRectF& ring, std::string_view colour, double width);

/// The ring that shows which view has the keyboard.
void paintFocusRing(QPainter& painter, const QWidget& widget);

/// A picture that is painted again only when something changed; everything that follows the mouse goes above it.
class PictureCache {
public:
    void clear() { pixmap_ = {}; }
    /// Draws the kept picture, after `paint` where it is missing or of another size or sharpness.
    void draw(QPainter& painter, const QWidget& widget, const std::function<void(QPainter&)>& paint);

private:
    QPixmap pixmap_;
};

/// Informs assistive technology what the current thing of a custom-painted view is.
void announce(QWidget& widget, const QString& name, const QString& description);

}  // namespace tessera::ui

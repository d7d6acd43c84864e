#include "ui/theme/icon_engine.h"

#include <QFile>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

LineIconEngine::LineIconEngine(QString name, std::string_view token) : name_(std::move(name)), token_(token) {
    QFile file(u":/tessera/icons/%1.svg"_s.arg(name_));
    if (file.open(QIODevice::ReadOnly)) svg_ = file.readAll();
}

QColor LineIconEngine::colourIn(QIcon::Mode mode) const {
    return theme().dataColour(mode == QIcon::Disabled ? "disabled" : std::string_view(token_));
}

void LineIconEngine::paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State /*state*/) {
    if (svg_.isEmpty()) return;
    QByteArray coloured = svg_;
    coloured.replace("currentColor", colourIn(mode).name().toLatin1());
    QSvgRenderer renderer(coloured);
    const int side = qMin(rect.width(), rect.height());
    const QRectF square(rect.x() + (rect.width() - side) / 2, rect.y() + (rect.height() - side) / 2, side, side);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    renderer.render(painter, square);
    painter->restore();
}

QPixmap LineIconEngine::pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) {
    return scaledPixmap(size, mode, state, 1.0);
}

QPixmap LineIconEngine::scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal /*scale*/) {
    if (size.isEmpty()) return {};  // a tab that is squeezed to nothing asks for that
    // `size` is in pixels of the device already; QIcon sets the ratio on what it gets.
    const QString cached =
        u"tessera-icon/%1/%2/%3x%4"_s.arg(name_, colourIn(mode).name()).arg(size.width()).arg(size.height());
    QPixmap pixmap;
    if (QPixmapCache::find(cached, &pixmap)) return pixmap;
    pixmap = QPixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect(QPoint(0, 0), size), mode, state);
    painter.end();
    QPixmapCache::insert(cached, pixmap);
    return pixmap;
}

QIconEngine* LineIconEngine::clone() const {
    return new LineIconEngine(*this);
}

}  // namespace tessera::ui

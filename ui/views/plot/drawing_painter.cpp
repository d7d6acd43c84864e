#include "ui/views/plot/drawing_painter.h"

#include <QAccessible>
#include <QFontMetricsF>
#include <QImage>
#include <QPaintEngine>
#include <QPainterPath>
#include <QVector>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <variant>

#include "ui/models/text.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/segment_painter.h"

namespace tessera::ui {

namespace {

QPolygonF polygon(const std::vector<report::Point>& points) {
    QPolygonF list;
    list.reserve(static_cast<qsizetype>(points.size()));
    for (const report::Point& point : points) list.append({point.x, point.y});
    return list;
}

/// Shapes one after another; colours are looked up once each.
class Painting {
public:
    explicit Painting(QPainter& painter) : painter_(painter) {}

    void operator()(const report::Box& box) {
        const QRectF area = toRect(box.area);
        painter_.setOpacity(box.opacity);
        painter_.setPen(box.stroke.empty() ? QPen(Qt::NoPen) : QPen(colour(box.stroke), 1));
        painter_.setBrush(brush(box.fill, box.hatched));
        if (box.radius > 0) return painter_.drawRoundedRect(area, box.radius, box.radius);
        painter_.drawRect(area);
    }

    void operator()(const report::Path& path) {
        if (path.points.size() < 2) return;
        painter_.setOpacity(path.opacity);
        QPen pen(Qt::NoPen);
        if (!path.stroke.empty()) {
            pen = QPen(colour(path.stroke), path.width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
            if (path.dashed) pen.setDashPattern({6 / path.width, 4 / path.width});
        }
        painter_.setPen(pen);
        painter_.setBrush(brush(path.fill, path.hatched));
        if (!path.fill.empty())
            painter_.drawPolygon(polygon(path.points));
        else if (isThin(path))
            drawSegments(path);
        else
            painter_.drawPolyline(polygon(path.points));
    }

    /// Lines of a few segments come by the hundred; Qt paints segments ten times as fast as a polyline with joins,
    /// which is invisible in a thin one.
    static bool isThin(const report::Path& path) {
        constexpr std::size_t kFewPoints = 16;
        return path.width < 2 && path.opacity == 1 && !path.dashed && path.points.size() <= kFewPoints;
    }
    void drawSegments(const report::Path& path) {
        QVector<QLineF> segments;
        for (std::size_t i = 1; i < path.points.size(); ++i)
            segments.append(QLineF(path.points[i - 1].x, path.points[i - 1].y, path.points[i].x, path.points[i].y));
        painter_.drawLines(segments);
    }

    void operator()(const report::Segments& segments) {
        QVector<QLineF> lines;
        lines.reserve(static_cast<qsizetype>(segments.points.size() / 2));
        for (std::size_t i = 1; i < segments.points.size(); i += 2)
            lines.append(
                QLineF(segments.points[i - 1].x, segments.points[i - 1].y, segments.points[i].x, segments.points[i].y));
        painter_.setOpacity(segments.opacity);
        painter_.setPen(QPen(colour(segments.stroke), segments.width, Qt::SolidLine, Qt::FlatCap));
        painter_.drawLines(lines);
    }

    void operator()(const report::Marker& marker) {
        painter_.setOpacity(marker.opacity);
        painter_.setPen(Qt::NoPen);
        painter_.setBrush(colour(marker.fill));
        const QPointF at(marker.at.x, marker.at.y);
        const double r = marker.radius;
        if (marker.shape == report::MarkerShape::circle) return painter_.drawEllipse(at, r, r);
        QPolygonF outline;
        for (const report::Point& corner : report::cornersOf(marker.shape, marker.at, r))
            outline.append(QPointF(corner.x, corner.y));
        painter_.drawPolygon(outline);
    }

    void operator()(const report::Label& label) {
        const QString line = toQt(label.text);
        painter_.setOpacity(1);
        painter_.setFont(pictureFont(label.size, label.strong));
        painter_.setPen(colour(label.colour));
        double back = 0;
        if (label.anchor != report::Anchor::start)
            back = pictureWidth()(label.text, label.size, label.strong) *
                   (label.anchor == report::Anchor::end ? 1.0 : 0.5);
        if (label.halo) {
            QPainterPath letters;
            letters.addText(QPointF(label.at.x - back, label.at.y), painter_.font(), line);
            painter_.strokePath(letters,
                                QPen(theme().colour("surface"), 3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        }
        if (label.angle == 0) return painter_.drawText(QPointF(label.at.x - back, label.at.y), line);
        painter_.save();
        painter_.translate(label.at.x, label.at.y);
        painter_.rotate(label.angle);
        painter_.drawText(QPointF(-back, 0), line);
        painter_.restore();
    }

    void operator()(const report::Clip& clip) {
        if (clip.area) {
            painter_.save();
            painter_.setClipRect(toRect(*clip.area), Qt::IntersectClip);
        } else {
            painter_.restore();
        }
    }

private:
    QColor colour(const std::string& name) {
        const auto [found, fresh] = colours_.try_emplace(name);
        if (fresh) found->second = theme().dataColour(name);
        return found->second;
    }
    QBrush brush(const std::string& fill, bool hatched) {
        if (fill.empty()) return Qt::NoBrush;
        return hatched ? QBrush(colour(fill), Qt::BDiagPattern) : QBrush(colour(fill));
    }

    QPainter& painter_;
    std::map<std::string, QColor> colours_;
};

/// How many shapes, from the first one on, are lines, where these are so many that Qt takes too long; 0 = not so.
std::size_t manyLines(std::span<const report::Shape> shapes) {
    constexpr std::size_t kMany = 100;
    std::size_t count = 0, points = 0;
    for (; count < shapes.size(); ++count) {
        const auto* const segments = std::get_if<report::Segments>(&shapes[count]);
        if (segments == nullptr) break;
        points += segments->points.size();
    }
    return points / 2 >= kMany ? count : 0;
}

/// Paints shapes that are all lines as dots of an image; false where the painter has no such dots, or lines go too far.
bool paintManyLines(QPainter& painter, std::span<const report::Shape> lines) {
    const QTransform all = painter.deviceTransform();
    if (painter.paintEngine()->type() != QPaintEngine::Raster || all.type() > QTransform::TxScale || all.m11() <= 0 ||
        all.m11() != all.m22())
        return false;
    QPolygonF ends;
    double widest = 0;
    for (const report::Shape& shape : lines) {
        const auto& segments = std::get<report::Segments>(shape);
        ends += polygon(segments.points);
        widest = std::max(widest, segments.width);
    }
    const QRectF area = all.mapRect(ends.boundingRect().adjusted(-widest, -widest, widest, widest));
    constexpr double kMaxDots = 5e7;
    if (!(area.width() * area.height() < kMaxDots)) return false;
    const QRect dots = area.toAlignedRect();
    QImage image(dots.size(), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    const QTransform toImage = all * QTransform::fromTranslate(-dots.x(), -dots.y());
    for (const report::Shape& shape : lines) {
        const auto& segments = std::get<report::Segments>(shape);
        paintSegments(image, segments, theme().dataColour(segments.stroke), toImage);
    }
    image.setDevicePixelRatio(all.m11());
    painter.setOpacity(1);
    painter.drawImage(all.inverted().map(QPointF(dots.topLeft())), image);
    return true;
}

}  // namespace

QFont pictureFont(int size, bool strong) {
    using Text = Theme::Text;
    const Text role = size >= 16 ? Text::panelTitle : size >= 13 ? Text::base : Text::caption;
    return theme().font(role, strong, true);
}

const report::TextWidth& pictureWidth() {
    static const report::TextWidth kMeasure = [](std::string_view line, int size, bool strong) {
        const QFontMetricsF metrics(pictureFont(size, strong));
        return metrics.horizontalAdvance(toQt(line));
    };
    return kMeasure;
}

void paintDrawing(QPainter& painter, const report::Drawing& drawing) {
    paintShapes(painter, drawing.shapes);
}

void paintShapes(QPainter& painter, std::span<const report::Shape> shapes) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    Painting painting(painter);
    while (!shapes.empty()) {
        std::size_t done = manyLines(shapes);
        if (done == 0 || !paintManyLines(painter, shapes.first(done))) {
            std::visit(painting, shapes.front());
            done = 1;
        }
        shapes = shapes.subspan(done);
    }
    painter.restore();
}

QString cutTextAt(const report::Drawing& drawing, QPointF position) {
    for (const report::Shape& shape : drawing.shapes) {
        const auto* const label = std::get_if<report::Label>(&shape);
        if (label == nullptr || label->full.empty() || label->full == label->text) continue;
        const double width = pictureWidth()(label->text, label->size, label->strong);
        const double left = label->anchor == report::Anchor::start ? 0
                            : label->anchor == report::Anchor::end ? width
                                                                   : width / 2;
        QRectF area(label->at.x - left, label->at.y - label->size, width, label->size * 1.3);
        if (label->angle != 0) area = QRectF(label->at.x - 3, label->at.y, label->size * 1.3, width);
        if (area.contains(position)) return toQt(label->full);
    }
    return {};
}

void paintCard(QPainter& painter, QPointF beside, const QStringList& lines, const QRectF& bounds) {
    if (lines.isEmpty()) return;
    const QFontMetricsF metrics(pictureFont(11, false));
    const QFontMetricsF strong(pictureFont(11, true));
    const double max = std::max(80.0, std::min(bounds.width() - 24, 420.0));
    QStringList shown;
    double width = 0;
    for (const QString& line : lines) {
        const QFontMetricsF& its = shown.isEmpty() ? strong : metrics;
        shown.append(its.elidedText(line, Qt::ElideMiddle, max));
        width = std::max(width, its.horizontalAdvance(shown.last()));
    }
    const double step = std::ceil(metrics.height()) + 1;
    const double pad = theme().spacing(2);
    QRectF card(beside.x() + 14, beside.y() + 14, width + 2 * pad, step * static_cast<double>(shown.size()) + 2 * pad);
    if (card.right() > bounds.right()) card.moveRight(std::max(bounds.left() + card.width(), beside.x() - 14));
    if (card.bottom() > bounds.bottom()) card.moveBottom(std::max(bounds.top() + card.height(), beside.y() - 14));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme().colour("border"));
    painter.setBrush(theme().colour("raised"));
    painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), theme().radius(), theme().radius());
    double y = card.top() + pad + metrics.ascent();
    for (int i = 0; i < shown.size(); ++i, y += step) {
        painter.setFont(pictureFont(11, i == 0));
        painter.setPen(theme().colour(i == 0 ? "text" : "secondary"));
        painter.drawText(QPointF(card.left() + pad, y), shown[i]);
    }
    painter.restore();
}

void paintRing(QPainter& painter, const QRectF& ring, std::string_view colour, double width) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    for (const auto& [token, thickness] :
         {std::pair{std::string_view("surface"), width + 2}, std::pair{colour, width}}) {
        painter.setPen(QPen(theme().colour(token), thickness));
        painter.drawRoundedRect(ring, 2, 2);
    }
    painter.restore();
}

void paintFocusRing(QPainter& painter, const QWidget& widget) {
    if (!widget.hasFocus()) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().colour("accent"), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5), theme().radius(), theme().radius());
    painter.restore();
}

void PictureCache::draw(QPainter& painter, const QWidget& widget, const std::function<void(QPainter&)>& paint) {
    const double ratio = std::max(1.0, std::max(painter.deviceTransform().m11(), 0.0));
    const QSize size = (QSizeF(widget.size()) * ratio).toSize();
    if (size.isEmpty()) return;
    if (pixmap_.isNull() || pixmap_.size() != size) {
        pixmap_ = QPixmap(size);
        pixmap_.setDevicePixelRatio(ratio);
        pixmap_.fill(Qt::transparent);
        QPainter inside(&pixmap_);
        paint(inside);
    }
    painter.drawPixmap(QPointF(0, 0), pixmap_);
}

void announce(QWidget& widget, const QString& name, const QString& description) {
    // Where nothing is drawn yet, it keeps the name that it was given.
    if (!name.isEmpty() && widget.accessibleName() != name) widget.setAccessibleName(name);
    if (widget.accessibleDescription() == description) return;
    widget.setAccessibleDescription(description);
    if (!QAccessible::isActive()) return;
    QAccessibleEvent event(&widget, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

}  // namespace tessera::ui

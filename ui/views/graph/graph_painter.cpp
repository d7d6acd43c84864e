#include "ui/views/graph/graph_painter.h"

#include <QFontMetricsF>
#include <QPainterPathStroker>
#include <algorithm>
#include <cmath>

#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {

namespace {

// Below these scales a card shows its title only, then nothing but its colour.
constexpr double kAllText = 0.6;
constexpr double kTitleText = 0.22;
constexpr double kWidest = 230;
constexpr double kNarrowest = 124;
constexpr double kSide = 16;
constexpr double kStripe = 4;
constexpr double kSmallestLetters = 9;  // pixels of the screen

QColor withAlpha(QColor colour, double alpha) {
    colour.setAlphaF(static_cast<float>(std::clamp(alpha, 0.0, 1.0)));
    return colour;
}

bool isWide(const QString& text) {
    return !text.isEmpty();
}

double radiusOf(const report::Card& card, const QRectF& front) {
    return card.pill ? front.height() / 2 : theme().radius();
}

void paintTip(QPainter& painter, const QPainterPath& path, double width) {
    constexpr double kLength = 8;
    const double half = 2.6 + width / 2;
    const QPointF tip = path.pointAtPercent(1);
    const double before = std::max(0.0, path.percentAtLength(path.length() - kLength));
    const QPointF from = path.pointAtPercent(before);
    const QPointF along = tip - from;
    const double length = std::hypot(along.x(), along.y());
    if (length < 0.1) return;
    const QPointF unit = along / length;
    const QPointF normal(-unit.y(), unit.x());
    const QPointF base = tip - unit * kLength;
    painter.drawPolygon(QPolygonF({tip, base + normal * half, base - normal * half}));
}

}  // namespace

QFont cardTitleFont() {
    return theme().font(Theme::Text::base, true);
}

QFont cardLineFont() {
    return theme().font(Theme::Text::caption);
}

QSizeF cardSize(const report::Card& card) {
    const QFontMetricsF title(cardTitleFont());
    const QFontMetricsF line(cardLineFont());
    const double badge = card.badge.empty() ? 0 : line.horizontalAdvance(toQt(card.badge)) + 10;
    double width = title.horizontalAdvance(toQt(card.title)) + 2 * badge;
    width = std::max(width, line.horizontalAdvance(toQt(card.subtitle)));
    width = std::max(width, line.horizontalAdvance(toQt(card.caption)));
    const double behind = card.behind * report::kCardOffset;
    const int lines = 1 + static_cast<int>(isWide(toQt(card.subtitle))) + static_cast<int>(isWide(toQt(card.caption)));
    return {std::clamp(std::ceil(width) + 2 * kSide, kNarrowest, kWidest) + behind, report::cardHeight(lines) + behind};
}

double frameHeadWidth(const report::CardFrame& frame) {
    const QFontMetricsF title(cardTitleFont());
    const QFontMetricsF line(cardLineFont());
    return std::min(kWidest,
                    title.horizontalAdvance(toQt(frame.title)) + line.horizontalAdvance(toQt(frame.badge)) + 3 * kSide);
}

void GraphPainter::setPicture(const report::GraphPicture* picture) {
    picture_ = picture;
    arrows_.clear();
    if (picture == nullptr) return;
    for (const report::Arrow& arrow : picture->arrows) {
        QPainterPath path;
        if (arrow.points.size() >= 4) {
            path.moveTo(toPoint(arrow.points[0]));
            for (std::size_t i = 1; i + 2 < arrow.points.size(); i += 3)
                path.cubicTo(toPoint(arrow.points[i]), toPoint(arrow.points[i + 1]), toPoint(arrow.points[i + 2]));
        }
        arrows_.append(path);
    }
}

void GraphPainter::paint(QPainter& painter, const QRectF& visible, double scale,
                         const GraphHighlight& highlight) const {
    if (picture_ == nullptr) return;
    painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < picture_->frames.size(); ++i)
        if (toRect(picture_->frames[i].place).intersects(visible))
            paintFrame(painter, picture_->frames[i], scale, static_cast<int>(i) == highlight.frame);
    const QColor quiet = theme().colour("disabled");
    for (std::size_t i = 0; i < picture_->arrows.size(); ++i)
        if (arrows_[static_cast<qsizetype>(i)].controlPointRect().adjusted(-4, -4, 4, 4).intersects(visible))
            paintArrow(painter, i, quiet, 0);
    for (std::size_t i = 0; i < picture_->arrows.size(); ++i) {
        const report::Arrow& arrow = picture_->arrows[i];
        const int card = highlight.card >= 0 ? highlight.card : highlight.hovered;
        if (card >= 0 && (static_cast<int>(arrow.from) == card || static_cast<int>(arrow.to) == card))
            paintArrow(painter, i, theme().colour("accent"), 0.5);
    }
    for (std::size_t i = 0; i < picture_->cards.size(); ++i) {
        const report::Card& card = picture_->cards[i];
        const int index = static_cast<int>(i);
        if (toRect(card.place).adjusted(-6, -6, 6, 6).intersects(visible))
            paintCard(painter, card, scale, index == highlight.card, index == highlight.hovered,
                      highlight.found.contains(index));
    }
}

void GraphPainter::paintFrame(QPainter& painter, const report::CardFrame& frame, double scale, bool selected) const {
    const QRectF place = toRect(frame.place);
    const QColor colour = theme().dataColour(frame.colour);
    painter.setBrush(withAlpha(theme().colour("secondary"), theme().isDark() ? 0.10 : 0.05));
    QPen pen(selected ? theme().colour("accent") : withAlpha(colour, 0.5), selected ? 2 : 1);
    pen.setCosmetic(true);
    painter.setPen(pen);
    painter.drawRoundedRect(place, theme().radius() + 2, theme().radius() + 2);
    QFont font = cardTitleFont();
    const double pixels = font.pixelSize() > 0 ? font.pixelSize() : 13;
    // Titles of frames stay readable from far away, as long as they fit.
    const double letters = std::clamp(std::max(12.0, 11 / scale), 1.0, std::max(12.0, place.height() / 6));
    if (letters * scale < kSmallestLetters * 0.7) return;
    painter.save();
    painter.translate(place.topLeft());
    painter.scale(letters / pixels, letters / pixels);
    const double unit = pixels / letters;
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const double width = place.width() * unit;
    const double badge = frame.badge.empty() ? 0 : metrics.horizontalAdvance(toQt(frame.badge)) + 10;
    const QRectF head(12 * unit, 0, width - 24 * unit, std::max(report::kFrameHead * unit, 1.7 * pixels));
    painter.setPen(theme().colour("secondary"));
    painter.drawText(head, Qt::AlignRight | Qt::AlignVCenter, toQt(frame.badge));
    painter.setPen(theme().colour("text"));
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(toQt(frame.title), Qt::ElideMiddle, head.width() - badge));
    painter.restore();
}

void GraphPainter::paintArrow(QPainter& painter, std::size_t index, const QColor& colour, double more) const {
    const QPainterPath& path = arrows_[static_cast<qsizetype>(index)];
    if (path.isEmpty()) return;
    const report::Arrow& arrow = picture_->arrows[index];
    QPen pen(colour, arrow.width + more);
    pen.setCapStyle(Qt::FlatCap);
    if (arrow.dashed) pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    paintTip(painter, path, arrow.width);
}

void GraphPainter::paintCard(QPainter& painter, const report::Card& card, double scale, bool selected, bool hovered,
                             bool found) const {
    const QRectF front = toRect(report::frontOf(card));
    const double radius = radiusOf(card, front);
    const QColor colour = theme().dataColour(card.colour);
    // On a full colour the edge is what separates the cards of a stack.
    const bool isFull = card.fill > 0.55;
    QPen border(isFull ? theme().colour(hovered ? "text" : "surface") : withAlpha(colour, hovered ? 1.0 : 0.7),
                hovered ? 1.5 : 1.0);
    border.setCosmetic(true);
    for (int i = card.behind; i >= 0; --i) {
        const QRectF place = front.translated(i * report::kCardOffset, i * report::kCardOffset);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme().colour("surface"));
        painter.drawRoundedRect(place, radius, radius);
        painter.setPen(border);
        painter.setBrush(withAlpha(colour, scale < kTitleText ? std::max(card.fill, 0.5) : card.fill));
        painter.drawRoundedRect(place, radius, radius);
    }
    painter.setPen(Qt::NoPen);
    double y = front.top() + theme().radius();
    for (const report::Stripe& stripe : card.stripes) {
        const double height = stripe.share * (front.height() - 2 * theme().radius());
        painter.setBrush(theme().dataColour(stripe.colour));
        painter.drawRoundedRect(QRectF(front.left() + 4, y, kStripe, height), 1, 1);
        y += height;
    }
    paintTexts(painter, card, scale);
    if (!selected && !found) return;
    QPen ring(theme().colour(selected ? "accent" : "warning"), selected ? 2.5 : 2);
    ring.setCosmetic(true);
    painter.setPen(ring);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(front.adjusted(-2.5, -2.5, 2.5, 2.5), radius + 2.5, radius + 2.5);
}

void GraphPainter::paintTexts(QPainter& painter, const report::Card& card, double scale) const {
    if (scale < kTitleText) return;
    const QRectF front = toRect(report::frontOf(card));
    const report::CardInk ink = report::inkOf(card, report::Theme(theme().kind()));
    const QRectF inside = front.adjusted(kSide - 4, 0, -(kSide - 6), 0);
    const QFont titleFont = cardTitleFont();
    const QFont lineFont = cardLineFont();
    const QFontMetricsF titleMetrics(titleFont);
    const QFontMetricsF lineMetrics(lineFont);
    const double badge = card.badge.empty() ? 0 : lineMetrics.horizontalAdvance(toQt(card.badge)) + 8;
    painter.setFont(titleFont);
    painter.setPen(theme().dataColour(ink.title));
    if (scale < kAllText) {
        const double pixels = std::max(1.0, titleMetrics.height());
        const double grown =
            std::min({front.height() * 0.8 / pixels, 12 / scale / pixels,
                      inside.width() / std::max(1.0, titleMetrics.horizontalAdvance(toQt(card.title)))});
        const double factor = std::max(1.0, grown);
        painter.save();
        painter.translate(inside.center());
        painter.scale(factor, factor);
        const QRectF place(-inside.width() / 2 / factor, -pixels, inside.width() / factor, 2 * pixels);
        painter.drawText(place, Qt::AlignCenter,
                         titleMetrics.elidedText(toQt(card.title), Qt::ElideMiddle, place.width() + 0.5));
        painter.restore();
        return;
    }
    const report::CardLines lines = report::linesOf(card);
    const auto line = [&](const std::string& text, double baseline, const QFontMetricsF& metrics, double width) {
        if (text.empty()) return;
        const QString shown = metrics.elidedText(toQt(text), Qt::ElideMiddle, width + 0.5);
        painter.drawText(QPointF(inside.center().x() - metrics.horizontalAdvance(shown) / 2, front.top() + baseline),
                         shown);
    };
    line(card.title, lines.title, titleMetrics, inside.width() - 2 * badge);
    painter.setFont(lineFont);
    painter.setPen(theme().dataColour(ink.lines));
    line(card.subtitle, lines.subtitle, lineMetrics, inside.width());
    line(card.caption, lines.caption, lineMetrics, inside.width());
    if (card.badge.empty()) return;
    QFont badgeFont = lineFont;
    badgeFont.setWeight(QFont::DemiBold);
    painter.setFont(badgeFont);
    painter.setPen(theme().dataColour(ink.title));
    painter.drawText(front.adjusted(0, 3, -8, 0), Qt::AlignRight | Qt::AlignTop, toQt(card.badge));
}

void GraphPainter::paintOverview(QPainter& painter) const {
    if (picture_ == nullptr) return;
    painter.setPen(Qt::NoPen);
    for (const report::CardFrame& frame : picture_->frames) {
        painter.setBrush(withAlpha(theme().colour("secondary"), 0.12));
        painter.drawRect(toRect(frame.place));
    }
    for (const report::Card& card : picture_->cards) {
        painter.setBrush(withAlpha(theme().dataColour(card.colour), std::max(card.fill, 0.6)));
        painter.drawRect(toRect(card.place));
    }
}

int GraphPainter::arrowAt(const QPointF& point, double reach) const {
    for (qsizetype i = 0; i < arrows_.size(); ++i) {
        // A straight arrow has a rectangle without width: it is widened before it can hold a point.
        if (!arrows_[i].controlPointRect().adjusted(-reach, -reach, reach, reach).contains(point)) continue;
        QPainterPathStroker stroker;
        stroker.setWidth(2 * reach);
        if (stroker.createStroke(arrows_[i]).contains(point)) return static_cast<int>(i);
    }
    return -1;
}

}  // namespace tessera::ui

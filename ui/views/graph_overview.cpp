#include "ui/views/graph_overview.h"

#include <QFontMetricsF>
#include <QString>
#include <algorithm>
#include <vector>

#include "ui/theme/theme.h"

namespace tessera::ui {

namespace {

constexpr QSizeF kSize(168, 128);
constexpr double kGap = 12;
constexpr double kInside = 12;
constexpr QSizeF kSmallestWidget(480, 320);  ///< with room for the map

QColor translucent(const char* token, float alpha) {
    QColor colour = theme().colour(token);
    colour.setAlphaF(alpha);
    return colour;
}

void paintGround(QPainter& painter, const QRectF& place) {
    painter.setPen(theme().colour("border"));
    painter.setBrush(translucent("raised", 0.94F));
    painter.drawRoundedRect(place, theme().radius(), theme().radius());
}

}  // namespace

bool GraphOverview::isUseful() const {
    constexpr double kSlack = 4;
    return camera_.picture.width() > 0 && camera_.picture.height() > 0 &&
           camera_.widget.width() > kSmallestWidget.width() && camera_.widget.height() > kSmallestWidget.height() &&
           !camera_.visible().adjusted(-kSlack, -kSlack, kSlack, kSlack).contains(camera_.bounds());
}

QRectF GraphOverview::place() const {
    return {camera_.widget.width() - kSize.width() - kGap, camera_.widget.height() - kSize.height() - kGap,
            kSize.width(), kSize.height()};
}

double GraphOverview::zoom() const {
    return std::min((kSize.width() - kInside) / camera_.picture.width(),
                    (kSize.height() - kInside) / camera_.picture.height());
}

QPointF GraphOverview::origin() const {
    const QSizeF size = camera_.picture * zoom();
    return place().center() - QPointF(size.width() / 2, size.height() / 2);
}

void GraphOverview::paint(QPainter& painter, const GraphPainter& picture) const {
    paintGround(painter, place());
    painter.save();
    painter.setClipRect(place().adjusted(1, 1, -1, -1));
    painter.translate(origin());
    painter.scale(zoom(), zoom());
    picture.paintOverview(painter);
    painter.restore();
    constexpr double kBeyond = 40;  // of the picture, that the frame of what is seen may reach
    QRectF view = camera_.visible().intersected(camera_.bounds().adjusted(-kBeyond, -kBeyond, kBeyond, kBeyond));
    view = QRectF(view.topLeft() * zoom() + origin(), view.size() * zoom());
    painter.setPen(QPen(theme().colour("accent"), 1.5));
    painter.setBrush(translucent("accent", 0.10F));
    painter.drawRoundedRect(view.intersected(place().adjusted(2, 2, -2, -2)), 2, 2);
}

void paintLegend(QPainter& painter, const report::GraphPicture& picture, const QSizeF& widget, double room) {
    if (picture.legend.empty()) return;
    constexpr double kRow = 24;
    constexpr double kSwatch = 10;
    constexpr double kBefore = 14;  // of a swatch
    constexpr double kAfter = 5;
    const QFont font = theme().font(Theme::Text::caption);
    const QFontMetricsF metrics(font);
    struct Part {
        QString text;
        QPointF place;  ///< of its left end, from the corner of the legend
        const report::LegendEntry* entry = nullptr;
    };
    std::vector<Part> parts{{QString::fromStdString(picture.legendTitle), {kSwatch, 0}, nullptr}};
    double x = kSwatch + metrics.horizontalAdvance(parts.front().text);
    double width = x;
    double y = 0;
    for (const report::LegendEntry& entry : picture.legend) {
        const QString text = QString::fromStdString(entry.name);
        const double length = kSwatch + kAfter + metrics.horizontalAdvance(text);
        if (x + kBefore + length + kSwatch > room) {
            x = kSwatch - kBefore;
            y += kRow;
        }
        parts.push_back({text, {x + kBefore, y}, &entry});
        x += kBefore + length;
        width = std::max(width, x);
    }
    const QRectF place(kGap, widget.height() - y - kRow - kGap, width + kSwatch, y + kRow);
    paintGround(painter, place);
    painter.setFont(font);
    for (const Part& part : parts) {
        QRectF line(place.topLeft() + part.place, QSizeF(width, kRow));
        if (part.entry != nullptr) {
            QColor colour = theme().dataColour(part.entry->colour);
            colour.setAlphaF(static_cast<float>(part.entry->fill));
            painter.setPen(Qt::NoPen);
            painter.setBrush(colour);
            painter.drawRoundedRect(QRectF(line.left(), line.center().y() - kSwatch / 2, kSwatch, kSwatch), 2, 2);
            line.translate(kSwatch + kAfter, 0);
        }
        painter.setPen(theme().colour(part.entry != nullptr ? "text" : "secondary"));
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, part.text);
    }
}

}  // namespace tessera::ui

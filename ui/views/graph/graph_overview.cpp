#include "ui/views/graph/graph_overview.h"

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

namespace {

constexpr double kLegendRow = 24, kSwatch = 10, kAfterSwatch = 5;

/// Where the parts of a legend stand, in rows of at most `room` pixels.
struct LegendParts {
    struct Part {
        QString text;
        QPointF place;  ///< of its left end, from the corner of the legend
        const report::LegendEntry* entry = nullptr;
    };
    std::vector<Part> parts;
    QSizeF size;
};

LegendParts legendParts(const report::GraphPicture& picture, double room) {
    constexpr double kBefore = 14;  // of a swatch
    const QFontMetricsF metrics(theme().font(Theme::Text::caption));
    LegendParts all;
    all.parts.push_back({QString::fromStdString(picture.legendTitle), {kSwatch, 0}, nullptr});
    double x = kSwatch + metrics.horizontalAdvance(all.parts.front().text);
    double width = x;
    double y = 0;
    for (const report::LegendEntry& entry : picture.legend) {
        const QString text = QString::fromStdString(entry.name);
        const double length = kSwatch + kAfterSwatch + metrics.horizontalAdvance(text);
        if (x + kBefore + length + kSwatch > room) {
            x = kSwatch - kBefore;
            y += kLegendRow;
        }
        all.parts.push_back({text, {x + kBefore, y}, &entry});
        x += kBefore + length;
        width = std::max(width, x);
    }
    all.size = {width + kSwatch, y + kLegendRow};
    return all;
}

}  // namespace

double legendHeight(const report::GraphPicture& picture, double room) {
    return picture.legend.empty() ? 0 : legendParts(picture, room).size.height() + 2 * kGap;
}

void paintLegend(QPainter& painter, const report::GraphPicture& picture, const QSizeF& widget, double room) {
    if (picture.legend.empty()) return;
    const LegendParts all = legendParts(picture, room);
    const QRectF place(QPointF(kGap, widget.height() - all.size.height() - kGap), all.size);
    paintGround(painter, place);
    painter.setFont(theme().font(Theme::Text::caption));
    for (const LegendParts::Part& part : all.parts) {
        QRectF line(place.topLeft() + part.place, QSizeF(all.size.width(), kLegendRow));
        if (part.entry != nullptr) {
            QColor colour = theme().dataColour(part.entry->colour);
            colour.setAlphaF(static_cast<float>(part.entry->fill));
            painter.setPen(Qt::NoPen);
            painter.setBrush(colour);
            painter.drawRoundedRect(QRectF(line.left(), line.center().y() - kSwatch / 2, kSwatch, kSwatch), 2, 2);
            line.translate(kSwatch + kAfterSwatch, 0);
        }
        painter.setPen(theme().colour(part.entry != nullptr ? "text" : "secondary"));
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, part.text);
    }
}

}  // namespace tessera::ui

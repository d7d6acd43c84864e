#include "ui/views/plot/segment_painter.h"

#include <QRgb>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace tessera::ui {

namespace {

/// Every channel of a colour, times `share` of 255.
std::uint32_t scaled(std::uint32_t colour, std::uint32_t share) {
    // Two channels at a time, each rounded like x / 255.
    const auto pair = [share](std::uint32_t two) {
        const std::uint32_t product = two * share;
        return ((product + ((product >> 8) & 0xff00ff) + 0x800080) >> 8) & 0xff00ff;
    };
    return pair(colour & 0xff00ff) | pair((colour >> 8) & 0xff00ff) << 8;
}

/// Dots of an image by rows, or by columns where the image lies on its side.
struct Dots {
    std::uint32_t* first;
    std::ptrdiff_t along, across;  ///< from a dot to the next one
    int length, breadth;           ///< dots in the two directions
};

/// A line in dots, from `from` to `to` in the direction that it goes further in, and `slope` per dot in the other one.
struct Line {
    double from, to, start, slope;
};

/// Places within a row are counted in parts of a dot, which is as exact as a channel of a colour and much quicker.
void paint(const Dots& dots, const Line& line, double width, std::uint32_t colour) {
    constexpr int kParts = 256;
    const double cut = width / 2 * std::sqrt(1 + line.slope * line.slope);  // half a row's dots within the line
    const int half = static_cast<int>(kParts * cut), reach = half + kParts / 2, max = std::min(kParts, 2 * half);
    const int last = std::min(dots.length, static_cast<int>(std::ceil(line.to))) - 1;
    for (int row = static_cast<int>(std::max(0.0, line.from)); row <= last; ++row) {
        const double begin = std::max(line.from, static_cast<double>(row)), end = std::min(line.to, row + 1.0);
        const int middle = static_cast<int>(kParts * (line.start + line.slope * ((begin + end) / 2 - line.from)));
        const int share = static_cast<int>(255 * (end - begin));
        const int right = std::min(dots.breadth - 1, (middle + half) / kParts);
        std::uint32_t* dot = dots.first + row * dots.along;
        for (int at = std::max(0, (middle - half) / kParts); at <= right; ++at) {
            const int inside = std::min(max, reach - std::abs(at * kParts + kParts / 2 - middle));
            if (inside <= 0) continue;
            const std::uint32_t over = scaled(colour, static_cast<std::uint32_t>(share * inside) / kParts);
            std::uint32_t& its = dot[at * dots.across];
            its = over + scaled(its, 255 - (over >> 24));
        }
    }
}

}  // namespace

void paintSegments(QImage& image, const report::Segments& segments, const QColor& colour, const QTransform& toDots) {
    QColor its = colour;
    its.setAlphaF(static_cast<float>(its.alphaF() * segments.opacity));
    const std::uint32_t dye = qPremultiply(its.rgba());
    const double width = segments.width * toDots.m11();
    auto* const first = reinterpret_cast<std::uint32_t*>(image.bits());
    const std::ptrdiff_t perRow = image.bytesPerLine() / static_cast<std::ptrdiff_t>(sizeof(std::uint32_t));
    const Dots upright{first, perRow, 1, image.height(), image.width()};
    const Dots aside{first, 1, perRow, image.width(), image.height()};
    for (std::size_t i = 1; i < segments.points.size(); i += 2) {
        QPointF a = toDots.map(QPointF(segments.points[i - 1].x, segments.points[i - 1].y));
        QPointF b = toDots.map(QPointF(segments.points[i].x, segments.points[i].y));
        const bool steep = std::fabs(b.y() - a.y()) > std::fabs(b.x() - a.x());
        if (!steep) {
            a = a.transposed();
            b = b.transposed();
        }
        if (a.y() > b.y()) std::swap(a, b);
        if (!(b.y() > a.y())) continue;  // a dot, or no place
        paint(steep ? upright : aside, {a.y(), b.y(), a.x(), (b.x() - a.x()) / (b.y() - a.y())}, width, dye);
    }
}

}  // namespace tessera::ui

#include "core/draw/parallel_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera::report {

namespace {

constexpr double kTitleRoom = 30;
constexpr double kNameRoom = 34;  ///< an axis' title and its largest value
constexpr double kFoot = 18;
constexpr double kSide = 56;
/// From this ratio of the largest to the smallest value on, an axis is logarithmic.
constexpr double kManyfold = 50;
constexpr std::size_t kMaxPlain = 300;  ///< lines in the background

/// The values of an axis from the least to the most; never of no length.
struct Extent {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
};

Extent extentOf(const ParallelPicture& picture, std::size_t axis) {
    Extent extent;
    for (const ParallelPicture::Row& row : picture.rows) {
        if (axis >= row.values.size() || !std::isfinite(row.values[axis])) continue;
        extent.low = std::min(extent.low, row.values[axis]);
        extent.high = std::max(extent.high, row.values[axis]);
    }
    return extent;
}

Scale scaleOf(const Extent& extent, double top, double bottom) {
    Scale scale{.logarithmic = extent.low > 0 && extent.high > kManyfold * extent.low,
                .stretch = {},
                .from = bottom,
                .to = top};
    const double low = scale.coordinate(extent.low), high = scale.coordinate(extent.high);
    scale.stretch = low < high ? Stretch{low, high} : Stretch{low - 0.5, low + 0.5};
    return scale;
}

class Drawer {
public:
    Drawer(const ParallelPicture& picture, const ParallelView& view, Size size, const TextWidth& measure)
        : picture_(picture), view_(view), size_(size), measure_(measure) {}

    ParallelLayout draw() {
        out_.drawing.width = size_.width;
        out_.drawing.height = size_.height;
        out_.drawing.title = picture_.title;
        label({0, 17}, picture_.title, size_.width * 2 / 3, "text", 16, true, Anchor::start);
        out_.top = kTitleRoom + kNameRoom;
        out_.bottom = std::max(out_.top + 10, size_.height - kFoot);
        out_.empty = picture_.rows.empty() || picture_.axes.size() < 2;
        if (out_.empty) {
            label({0, 44}, picture_.empty, size_.width, "secondary", 13, false, Anchor::start);
            return std::move(out_);
        }
        const double between = std::max(1.0, size_.width - 2 * kSide) / static_cast<double>(picture_.axes.size() - 1);
        for (std::size_t axis = 0; axis < picture_.axes.size(); ++axis) {
            out_.x.push_back(kSide + between * static_cast<double>(axis));
            out_.scales.push_back(scaleOf(extentOf(picture_, axis), out_.top, out_.bottom));
        }
        const std::vector<bool> chosen = brushed(picture_, view_);
        const bool brushes = std::find(chosen.begin(), chosen.end(), false) != chosen.end();
        std::size_t left = 0;
        for (const bool front : {false, true}) {
            const std::size_t step = stepOf(chosen, front);
            std::size_t plain = 0;
            for (std::size_t row = 0; row < picture_.rows.size(); ++row) {
                if (chosen[row] != front) continue;
                const bool skipped = isPlain(row, front) && plain++ % step != 0;
                left += skipped ? 1 : 0;
                if (!skipped) line(row, front, brushes);
            }
        }
        if (left > 0)
            label({size_.width, 17},
                  fmt::format("{} of {} lines drawn", formatCount(static_cast<double>(picture_.rows.size() - left)),
                              formatCount(static_cast<double>(picture_.rows.size()))),
                  size_.width / 3, "secondary", 11, false, Anchor::end);
        for (const std::optional<std::size_t>& row : {view_.pinned, view_.selected})
            if (row && *row < picture_.rows.size()) strong(*row, row == view_.selected);
        for (std::size_t axis = 0; axis < picture_.axes.size(); ++axis) axisAt(axis, between);
        return std::move(out_);
    }

private:
    void label(Point at, const std::string& text, double room, const char* colour, int size, bool strong,
               Anchor anchor) {
        std::string shown = fitted(text, room, size, strong, measure_);
        out_.drawing.shapes.push_back(Label{.at = at,
                                            .text = shown,
                                            .colour = colour,
                                            .anchor = anchor,
                                            .size = size,
                                            .strong = strong,
                                            .full = shown == text ? std::string() : text});
    }

    /// One of the many that nothing tells apart.
    bool isPlain(std::size_t row, bool chosen) const { return !chosen || picture_.rows[row].colour.empty(); }
    /// Of very many plain lines every so-manieth is drawn: they cover each other, and take long to paint.
    std::size_t stepOf(const std::vector<bool>& chosen, bool front) const {
        std::size_t plain = 0;
        for (std::size_t row = 0; row < chosen.size(); ++row)
            if (chosen[row] == front && isPlain(row, front)) ++plain;
        return std::max<std::size_t>(1, (plain + kMaxPlain - 1) / kMaxPlain);
    }

    std::vector<Point> pointsOf(std::size_t row) const {
        std::vector<Point> points;
        const std::vector<double>& values = picture_.rows[row].values;
        for (std::size_t axis = 0; axis < out_.scales.size() && axis < values.size(); ++axis)
            if (std::isfinite(values[axis])) points.push_back({out_.x[axis], out_.scales[axis].pixel(values[axis])});
        return points;
    }

    void line(std::size_t row, bool chosen, bool brushes) {
        const std::string& colour = picture_.rows[row].colour;
        // Opaque: Qt takes ten times as long for lines that shine through.
        Path path{.points = pointsOf(row), .stroke = "border", .width = 1};
        if (chosen && !colour.empty()) {
            path.stroke = colour;
            path.width = 1.5;
        } else if (chosen && brushes) {
            path.stroke = "secondary";
        }
        out_.drawing.shapes.push_back(std::move(path));
    }

    void strong(std::size_t row, bool selected) {
        std::vector<Point> points = pointsOf(row);
        for (const Point& at : points)
            out_.drawing.shapes.push_back(Marker{.at = at, .radius = 3.5, .fill = selected ? "text" : "secondary"});
        out_.drawing.shapes.push_back(Path{
            .points = std::move(points), .stroke = selected ? "text" : "secondary", .width = 2, .dashed = !selected});
    }

    void axisAt(std::size_t axis, double between) {
        const double x = out_.x[axis];
        const Axis& its = picture_.axes[axis];
        const Scale& scale = out_.scales[axis];
        out_.drawing.shapes.push_back(
            Path{.points = {{x, out_.top}, {x, out_.bottom}}, .stroke = "control", .width = 1.5});
        const bool first = axis == 0, last = axis + 1 == picture_.axes.size();
        const Anchor anchor = first ? Anchor::start : last ? Anchor::end : Anchor::middle;
        const double at = first ? x - kSide : last ? x + kSide : x;
        const double room = first || last ? kSide + between / 2 - 8 : between - 12;
        label({at, kTitleRoom + 10}, its.title, room, "text", 11, true, anchor);
        const auto endText = [&](double value) {
            return axis < picture_.endText.size() ? picture_.endText[axis](value) : tickText(value, its);
        };
        label({at, kTitleRoom + 26}, endText(scale.value(scale.to)), room, "secondary", 11, false, anchor);
        label({at, out_.bottom + 14}, endText(scale.value(scale.from)) + (scale.logarithmic ? ", log" : ""), room,
              "secondary", 11, false, anchor);
        if (axis >= view_.brushes.size() || !view_.brushes[axis]) return;
        const double from = std::clamp(scale.pixel(view_.brushes[axis]->low), out_.top, out_.bottom);
        const double to = std::clamp(scale.pixel(view_.brushes[axis]->high), out_.top, out_.bottom);
        const Rect area{x - 7, std::min(from, to) - 1, 14, std::fabs(from - to) + 2};
        out_.drawing.shapes.push_back(Box{.area = area, .fill = "accent", .radius = 3, .opacity = 0.25});
        out_.drawing.shapes.push_back(Box{.area = area, .stroke = "accent", .radius = 3});
    }

    const ParallelPicture& picture_;
    const ParallelView& view_;
    Size size_;
    const TextWidth& measure_;
    ParallelLayout out_;
};

}  // namespace

std::vector<bool> brushed(const ParallelPicture& picture, const ParallelView& view) {
    std::vector<bool> inside(picture.rows.size(), true);
    for (std::size_t axis = 0; axis < std::min(view.brushes.size(), picture.axes.size()); ++axis) {
        if (!view.brushes[axis]) continue;
        for (std::size_t row = 0; row < picture.rows.size(); ++row) {
            const std::vector<double>& values = picture.rows[row].values;
            inside[row] = inside[row] && axis < values.size() && values[axis] >= view.brushes[axis]->low &&
                          values[axis] <= view.brushes[axis]->high;
        }
    }
    return inside;
}

ParallelLayout layOut(const ParallelPicture& picture, const ParallelView& view, Size size, const TextWidth& measure) {
    return Drawer(picture, view, size, measure).draw();
}

std::string toSvg(const ParallelPicture& picture, const Theme& theme, Size size) {
    return toSvg(layOut(picture, {}, size, estimatedWidth).drawing, theme);
}

}  // namespace tessera::report

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/draw/chart_builder.h"

namespace tessera::report {

std::vector<std::vector<Point>> ChartBuilder::boundLine(const Series& series) const {
    const Rect& plot = out_.plot;
    const double first = chart_.horizontal ? plot.y : plot.x;
    const double last = chart_.horizontal ? plot.bottom() : plot.right();
    std::vector<std::vector<Point>> lines;
    const bool perCategory = isCategorical() && hasBars_ && !series.x.empty();
    if (!perCategory && series.x.size() > 1) {
        for (const std::vector<Point>& part : curveOf(series, out_)) lines.push_back(part);
        return lines;
    }
    for (std::size_t i = 0; i < series.y.size(); ++i) {
        if (!isShown(series.y[i], chart_.y)) continue;
        const double at = std::clamp(out_.y.pixel(series.y[i]), lowEnd() - 4, highEnd() + 4);
        if (perCategory) {
            if (i >= series.x.size() || !isShown(series.x[i], chart_.x)) continue;
            const double middle = out_.x.pixelOf(series.x[i]);
            const double half = std::max(1.0, step() / 2 - 1);
            lines.push_back({place(middle - half, at), place(middle + half, at)});
        } else {
            lines.push_back({place(first, at), place(last, at)});
            break;
        }
    }
    return lines;
}

void ChartBuilder::bandArea(const Series& series) {
    Series lower = series;
    lower.y = series.low;
    lower.y.resize(series.y.size(), kNothing);
    const std::vector<std::vector<Point>> above = curveOf(series, out_);
    const std::vector<std::vector<Point>> below = curveOf(lower, out_);
    if (above.size() != 1 || below.size() != 1) return;  // a curve with holes has no area
    Path area{.points = above[0], .fill = colourOf(series), .opacity = 0.14};
    area.points.insert(area.points.end(), below[0].rbegin(), below[0].rend());
    out_.back.shapes.push_back(std::move(area));
}

void ChartBuilder::regions() {
    begin(out_.back);
    for (std::size_t s = 0; s < chart_.series.size(); ++s)
        if (chart_.series[s].mark == Mark::band && !hidden(s)) bandArea(chart_.series[s]);
    impossible(out_.back, false);
    end(out_.back);
}

void ChartBuilder::cutAtBounds() {
    const bool large = std::any_of(chart_.series.begin(), chart_.series.end(), [](const Series& series) {
        return series.mark == Mark::points && !series.radii.empty();
    });
    if (!large) return;
    begin(out_.front);
    impossible(out_.front, true);
    boundLines();
    end(out_.front);
}

void ChartBuilder::impossible(Drawing& drawing, bool cover) const {
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
        const Series& series = chart_.series[s];
        if (series.mark != Mark::bound || hidden(s)) continue;
        const double far = series.cannotBeBelow ? out_.y.from : out_.y.to;
        for (const std::vector<Point>& line : boundLine(series)) {
            if (line.size() < 2) continue;
            Path region{.points = line, .fill = "border", .hatched = true};
            const Point& last = line.back();
            const Point& first = line.front();
            region.points.push_back(chart_.horizontal ? Point{far, last.y} : Point{last.x, far});
            region.points.push_back(chart_.horizontal ? Point{far, first.y} : Point{first.x, far});
            if (cover) {
                Path ground = region;
                ground.fill = "surface";
                ground.hatched = false;
                drawing.shapes.push_back(std::move(ground));
            }
            drawing.shapes.push_back(std::move(region));
        }
    }
}

void ChartBuilder::boundLines() {
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
        const Series& series = chart_.series[s];
        if (series.mark != Mark::bound || hidden(s)) continue;
        for (std::vector<Point>& line : boundLine(series))
            out_.front.shapes.push_back(
                Path{.points = std::move(line), .stroke = "text", .width = 1.2, .dashed = series.dashed});
    }
}

void ChartBuilder::boundTexts() {
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
        const Series& series = chart_.series[s];
        if (series.mark != Mark::bound || hidden(s)) continue;
        const std::vector<std::vector<Point>> lines = boundLine(series);
        if (lines.empty() || lines.front().empty()) continue;
        boundText(s, lines);
    }
}

std::optional<double> ChartBuilder::clearOfCurves(double y, double w) const {
    const Rect& plot = out_.plot;
    for (const double x : {plot.right() - w - 4, plot.x + 4, plot.x + (plot.width - w) / 2})
        if (const Rect area{x, y, w, 14}; isFree(area) && !isCrossed(area)) return x;
    return std::nullopt;
}

/// True if one of the lines may pass through the area: by the box around each of their pieces.
bool ChartBuilder::meets(const std::vector<std::vector<Point>>& lines, const Rect& area) {
    for (const std::vector<Point>& part : lines)
        for (std::size_t i = 1; i < part.size(); ++i) {
            const auto [left, right] = std::minmax(part[i - 1].x, part[i].x);
            const auto [top, bottom] = std::minmax(part[i - 1].y, part[i].y);
            if (left < area.right() && area.x < right && top < area.bottom() && area.y < bottom) return true;
        }
    return false;
}

bool ChartBuilder::isCrossed(const Rect& area) const {
    for (const ChartLayout::Bar& bar : out_.bars) {
        const Rect& its = bar.area;
        if (its.x < area.right() && area.x < its.right() && its.y < area.bottom() && area.y < its.bottom()) return true;
    }
    constexpr std::size_t kMaxPoints = 10'000;  // longer curves take longer than a frame may
    if (!lines_) {
        lines_.emplace();
        for (std::size_t s = 0; s < chart_.series.size(); ++s)
            if (!hidden(s) && isCurve(chart_.series[s]) && length(chart_.series[s]) <= kMaxPoints)
                for (std::vector<Point>& part : curveOf(chart_.series[s], out_)) lines_->push_back(std::move(part));
    }
    return meets(*lines_, area);
}

bool ChartBuilder::meetsBound(const Rect& area) const {
    for (const Series& series : chart_.series) {
        const auto s = static_cast<std::size_t>(&series - chart_.series.data());
        if (series.mark == Mark::bound && !hidden(s) && meets(boundLine(series), area)) return true;
    }
    return false;
}

void ChartBuilder::boundText(std::size_t s, const std::vector<std::vector<Point>>& lines) {
    const Series& series = chart_.series[s];
    const Rect& plot = out_.plot;
    const bool one = series.y.size() == 1;
    std::string text = escaped(series.name);
    if (one) text += (text.empty() ? "" : " ") + valueText(chart_, series, 0);
    const std::vector<Point>& line = lines.front();
    text = fit(text, plot.width * 0.6);
    const double w = width(text);
    Point at;
    if (chart_.horizontal) {  // beside the line, below the plot's top
        const bool left = line.front().x + 6 + w > plot.right();
        at = {left ? line.front().x - 6 - w : line.front().x + 6, plot.y + 4};
        if (hasBars_) at.y = plot.y - 4;
    } else if (lines.size() > 1 || series.x.size() > 1) {
        const Point& end = lines.back().back();
        at = {std::min(end.x, plot.right()) - w - 4, end.y - 6};
    } else {
        const double y = line.front().y;
        const std::optional<double> x = clearOfCurves(y - 15, w);
        const bool hasRoomBeyond = series.cannotBeBelow && y + kLine < plot.bottom();
        at = {x.value_or(plot.right() - w - 4), x || !hasRoomBeyond ? y - 5 : y + kLine - 3};
    }
    at.x = std::clamp(at.x, plot.x + 2, std::max(plot.x + 2, size_.width - w));
    if (!chart_.horizontal && at.y < plot.y + 10) at.y += kLine;
    at.y = std::clamp(at.y, plot.y - 4, plot.bottom() - 4);
    Rect area{at.x, at.y - 10, w, 14};
    for (int tries = 0; tries < 8 && !isFree(area); ++tries) area.y += 14;
    taken_.push_back(area);
    out_.front.shapes.push_back(
        Label{.at = {at.x, area.y + 10}, .text = text, .colour = "text", .full = escaped(series.name)});
    out_.keys.push_back({s, area});
}

void ChartBuilder::directLabels() {
    if (!direct_) return;
    struct Wanted {
        std::size_t series;
        double y;
    };
    std::vector<Wanted> wanted;
    const Rect& plot = out_.plot;
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
        if (!isCurve(chart_.series[s]) || (hidden(s) && !view_.allKeys)) continue;
        wanted.push_back({s, endOf(chart_.series[s])});  // that of a hidden curve stays where it was
    }
    std::stable_sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) { return a.y < b.y; });
    double min = plot.y + 2;
    for (Wanted& label : wanted) {
        label.y = std::max(label.y, min);
        min = label.y + kDirectLine;
    }
    double max = plot.bottom();
    for (std::size_t i = wanted.size(); i-- > 0;) {
        Wanted& label = wanted[i];
        label.y = std::min(label.y, max);
        max = label.y - kDirectLine;
    }
    for (const Wanted& label : wanted) {
        const Series& series = chart_.series[label.series];
        const double x = plot.right() + kGap;
        const std::string text = fit(series.name, size_.width - x, true);
        out_.front.shapes.push_back(Label{.at = {x, label.y + 4},
                                          .text = text,
                                          .colour = hidden(label.series) ? "disabled" : colourOf(series),
                                          .strong = true,
                                          .full = escaped(series.name)});
        out_.keys.push_back({label.series, {x - 2, label.y - 8, width(text, true) + 4, kLine}});
    }
}

double ChartBuilder::endOf(const Series& series) const {
    double y = out_.plot.y + out_.plot.height / 2;
    for (std::size_t i = length(series); i-- > 0;) {
        if (!shown(series, i) || out_.x.pixel(series.x[i]) > out_.plot.right() + 1) continue;
        return std::clamp(out_.y.pixel(series.y[i]), out_.plot.y, out_.plot.bottom());
    }
    return y;
}

}  // namespace tessera::report

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/draw/chart_builder.h"

namespace tessera::report {

std::string ChartBuilder::barText(std::size_t s, std::size_t category) const {
    return valueText(chart_, chart_.series[s], static_cast<std::size_t>(pointAt_[s][category]));
}

std::string ChartBuilder::totalText(std::size_t category) const {
    if (category < chart_.endTexts.size()) return chart_.endTexts[category];
    const auto [up, down] = stack(category);
    return up + down != 0 ? formatQuantity(up + down, chart_.y.measure) : "";
}

std::size_t ChartBuilder::largest(std::size_t from, std::size_t to) const {
    std::size_t best = from;
    double max = -1;
    for (std::size_t c = from; c < to; ++c) {
        double sum = 0;
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            const double value = barValue(s, c);
            sum += std::isnan(value) ? 0 : std::fabs(value);
        }
        if (sum > max) {
            max = sum;
            best = c;
        }
    }
    return best;
}

void ChartBuilder::bars() {
    if (!hasBars_) return;
    const auto [from, to] = categoriesInSight();
    const std::size_t per = wholeSteps(kMinBar / step());
    folded_ = per > 1;
    for (std::size_t i = from; i <= to; i += per) {
        const std::size_t category = folded_ ? largest(i, std::min(i + per, to + 1)) : i;
        band(category, out_.x.pixelOf(static_cast<double>(i) - 0.5), step() * static_cast<double>(per));
    }
}

double ChartBuilder::barThickness(double band, double slots) const {
    const double gap = band < 6 ? std::min(1.0, band * 0.2) : std::max(2.0, band * 0.24);
    const double max = chart_.horizontal ? (slots > 1 ? 1.2 : 1) : slots > 1 ? 2 : 2.5;  // room for their values
    return std::min((band - gap) / slots, kThickestBar * max);
}

void ChartBuilder::band(std::size_t category, double start, double thickness) {
    std::vector<std::size_t> side;
    bool stacked = false;
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
        const bool stands = side_ > 1 || !std::isnan(barValue(s, category));
        if (chart_.series[s].mark == Mark::bars && !hidden(s) && stands) side.push_back(s);
        stacked = stacked || chart_.series[s].mark == Mark::stackedBars;
    }
    const double slots = static_cast<double>(side.size()) + (stacked ? 1 : 0);
    if (slots == 0) return;
    const double bar = barThickness(thickness, slots);
    double at = start + (thickness - bar * slots) / 2;
    for (const std::size_t s : side) {
        single(s, category, at, slots > 1 ? bar - std::min(1.0, bar * 0.1) : bar);
        at += bar;
    }
    if (stacked) pile(category, at, bar);
}

Rect ChartBuilder::barRect(double at, double thickness, double from, double to) const {
    const double low = std::min(from, to);
    const double size = std::fabs(to - from);
    return chart_.horizontal ? Rect{low, at, size, thickness} : Rect{at, low, thickness, size};
}

void ChartBuilder::single(std::size_t s, std::size_t category, double at, double thickness) {
    const double value = barValue(s, category);
    if (std::isnan(value)) return;
    const Series& series = chart_.series[s];
    const auto point = static_cast<std::size_t>(pointAt_[s][category]);
    const Rect area = barRect(at, thickness, base(), inPlot(value));
    if (series.asPoint) return interval(s, point, area, at + thickness / 2);
    box(s, point, area, thickness);
    errorBar(series, point, at + thickness / 2, std::min(thickness / 4, 5.0));
}

/// A value that is known with an error: where it may lie, and where it most likely does.
void ChartBuilder::interval(std::size_t s, std::size_t point, const Rect& area, double middle) {
    constexpr double kStroke = 6, kRadius = 5, kCap = 5, kShade = 0.4;
    const Series& series = chart_.series[s];
    const bool has = point < series.low.size() && point < series.high.size();
    if (has && isShown(series.low[point], chart_.y) && isShown(series.high[point], chart_.y))
        out_.front.shapes.push_back(
            Path{.points = {place(middle, inPlot(series.low[point])), place(middle, inPlot(series.high[point]))},
                 .stroke = colourOf(series),
                 .width = kStroke,
                 .opacity = kShade});
    errorBar(series, point, middle, kCap);
    out_.front.shapes.push_back(Marker{.at = place(middle, inPlot(series.y[point])),
                                       .shape = shapeOf(series, s),
                                       .radius = kRadius,
                                       .fill = colourOf(series),
                                       .opacity = opacityOf(series),
                                       .tip = tip(series, point)});
    out_.bars.push_back({s, point, area});
}

void ChartBuilder::box(std::size_t s, std::size_t point, const Rect& area, double thickness) {
    const Series& series = chart_.series[s];
    const std::string name = series.name.empty() ? "" : escaped(series.name) + ": ";
    const bool outlined = series.dashed && thickness > 6;
    out_.back.shapes.push_back(Box{
        .area = area,
        .fill = colourOf(series),
        .radius = thickness > 8 && series.mark == Mark::bars ? std::min(3.0, std::min(area.width, area.height) / 2) : 0,
        .opacity = outlined ? 0.45 : opacityOf(series),
        .print = chart_.series.size() > 1 && series.mark == Mark::stackedBars ? static_cast<int>(s) : 0,
        .tip = categories_ <= 2000 ? tip(series, point) : ""});
    if (outlined) {
        const Rect& r = area;
        out_.back.shapes.push_back(
            Path{.points = {{r.x, r.y}, {r.right(), r.y}, {r.right(), r.bottom()}, {r.x, r.bottom()}, {r.x, r.y}},
                 .stroke = colourOf(series),
                 .dashed = true});
    }
    out_.bars.push_back({s, point, area});
}

void ChartBuilder::pile(std::size_t category, double at, double thickness) {
    double up = 0;
    double down = 0;
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
        if (chart_.series[s].mark != Mark::stackedBars) continue;
        const double value = barValue(s, category);
        if (std::isnan(value) || value == 0) continue;
        double& sum = value > 0 ? up : down;
        const double from = sum == 0 ? base() : inPlot(sum);
        sum += value;
        box(s, static_cast<std::size_t>(pointAt_[s][category]), barRect(at, thickness, from, inPlot(sum)), thickness);
    }
}

void ChartBuilder::barTexts() {
    if (!hasBars_ || folded_) return;
    valuesFit_ = valuesFit();
    std::vector<double> ends(categories_, kNothing);  ///< of the last bar
    std::vector<bool> piled(categories_, false);
    std::vector<Rect> whole(categories_);
    std::vector<std::size_t> segments(categories_, 0);
    for (const ChartLayout::Bar& bar : out_.bars)
        ++segments[static_cast<std::size_t>(chart_.series[bar.series].x[bar.point])];
    for (const ChartLayout::Bar& bar : out_.bars) {
        const Series& series = chart_.series[bar.series];
        const auto category = static_cast<std::size_t>(series.x[bar.point]);
        ends[category] = series.y[bar.point];
        if (series.mark == Mark::bars) {
            const Rect reach = withPoints(withError(bar), category);
            const bool isBare = reach.right() == bar.area.right();
            endText(reach, valueText(chart_, series, bar.point), series.y[bar.point] < 0,
                    !isBare         ? ""
                    : series.dashed ? "text"
                                    : lettersOn(colourOf(series)));
        } else {
            if (segments[category] > 1) segmentText(bar, series);  // else it says what stands at the end
            extend(whole[category], bar.area);
            piled[category] = true;
        }
    }
    for (std::size_t c = 0; c < categories_; ++c) {
        if (piled[c]) {
            const auto [up, down] = stack(c);
            endText(whole[c], totalText(c), up == 0 && down < 0);
        } else if (std::isnan(ends[c]) && c < chart_.endTexts.size()) {
            insteadText(c);
        }
    }
}

Rect ChartBuilder::withError(const ChartLayout::Bar& bar) const {
    const Series& series = chart_.series[bar.series];
    if (bar.point >= series.low.size() || bar.point >= series.high.size()) return bar.area;
    if (!isShown(series.low[bar.point], chart_.y) || !isShown(series.high[bar.point], chart_.y)) return bar.area;
    Rect whole = bar.area;
    const auto [from, to] = std::minmax({inPlot(series.low[bar.point]), inPlot(series.high[bar.point])});
    extend(whole, chart_.horizontal ? Rect{from, whole.y, to - from, whole.height}
                                    : Rect{whole.x, from, whole.width, to - from});
    return whole;
}

Rect ChartBuilder::withPoints(Rect bar, std::size_t category) const {
    constexpr double kAround = 6;
    if (!chart_.horizontal) return bar;
    std::vector<double> places;
    for (std::size_t s = 0; s < chart_.series.size(); ++s)
        for (std::size_t i = 0; chart_.series[s].mark == Mark::points && !hidden(s) && i < length(chart_.series[s]);
             ++i)
            if (chart_.series[s].x[i] == static_cast<double>(category) && shown(chart_.series[s], i))
                places.push_back(inPlot(chart_.series[s].y[i]));
    std::sort(places.begin(), places.end());
    constexpr double kText = 110;  // a mark behind the text would leave room for it
    for (const double place : places)
        if (place + kAround > bar.right() && place - kAround < bar.right() + kText) bar.width = place + kAround - bar.x;
    return bar;
}

void ChartBuilder::insteadText(std::size_t category) {
    const std::string& text = chart_.endTexts[category];
    const Rect& plot = out_.plot;
    const double middle = out_.x.pixelOf(static_cast<double>(category));
    const bool inside =
        chart_.horizontal ? middle >= plot.y && middle <= plot.bottom() : middle >= plot.x && middle <= plot.right();
    if (text.empty() || !inside || step() < 10) return;
    const Point at = chart_.horizontal ? Point{base() + 6, middle + 4} : Point{middle, base() - 4};
    const std::string shownText = fit(text, chart_.horizontal ? plot.right() - at.x : step());
    out_.front.shapes.push_back(
        Label{.at = at, .text = shownText, .anchor = chart_.horizontal ? Anchor::start : Anchor::middle, .full = text});
}

bool ChartBuilder::valuesFit() const {
    // Bars that stand side by side are no further apart than they are thick.
    const auto slots = static_cast<double>(side_);
    const double room = side_ > 1 ? barThickness(step(), slots) : step() * 0.95;
    if (chart_.horizontal || room < 12) return chart_.horizontal;
    const auto [from, to] = categoriesInSight();
    for (std::size_t c = from; c <= to; ++c) {
        if (width(totalText(c), true) > room) return false;
        for (std::size_t s = 0; s < chart_.series.size(); ++s)
            if (chart_.series[s].mark == Mark::bars && !std::isnan(barValue(s, c)) && width(barText(s, c), true) > room)
                return false;
    }
    return true;
}

void ChartBuilder::extend(Rect& whole, const Rect& area) {
    if (whole.width == 0 && whole.height == 0) {
        whole = area;
        return;
    }
    const double right = std::max(whole.right(), area.right());
    const double bottom = std::max(whole.bottom(), area.bottom());
    whole.x = std::min(whole.x, area.x);
    whole.y = std::min(whole.y, area.y);
    whole.width = right - whole.x;
    whole.height = bottom - whole.y;
}

void ChartBuilder::endText(const Rect& bar, const std::string& text, bool negative, const std::string& inside) {
    const Rect& plot = out_.plot;
    if (chart_.horizontal) {
        if (bar.height < 10 || bar.y + bar.height / 2 < plot.y || bar.y + bar.height / 2 > plot.bottom()) return;
        if (bar.right() < plot.x - 1 || bar.x > plot.right()) return;
        const double room = negative ? bar.x - plot.x : size_.width - std::min(bar.right(), plot.right()) - kGap;
        const std::string shownText = fit(text, room, true);
        constexpr double kAside = 6;
        const double wide = width(shownText, true);
        const bool isInSight = bar.x >= plot.x - 1 && bar.right() <= plot.right();
        if (!negative && !inside.empty() && isInSight && bar.width > wide + 2 * kAside &&
            meetsBound({bar.right(), bar.y, wide + 2 * kAside, bar.height})) {
            out_.front.shapes.push_back(Label{.at = {bar.right() - kAside, bar.y + bar.height / 2 + 4},
                                              .text = shownText,
                                              .colour = inside,
                                              .anchor = Anchor::end,
                                              .strong = true});
            return;
        }
        out_.front.shapes.push_back(
            Label{.at = {negative ? bar.x - 6 : std::min(bar.right(), plot.right()) + 6, bar.y + bar.height / 2 + 4},
                  .text = shownText,
                  .colour = "text",
                  .anchor = negative ? Anchor::end : Anchor::start,
                  .strong = true});
        return;
    }
    const double middle = bar.x + bar.width / 2;
    if (!valuesFit_) return;
    if (middle < plot.x || middle > plot.right() || bar.bottom() < plot.y) return;
    double y = negative ? bar.bottom() + 12 : std::max(bar.y, plot.y) - 4;
    const double wide = width(text, true);
    const auto area = [&](double at) { return Rect{middle - wide / 2, at - 10, wide, 14}; };
    // A bound close above the bar would strike the text through: it stands beyond that.
    bool isBeyond = false;
    if (constexpr double kMost = 20; !negative && meetsBound(area(y)))
        for (double lift = 2; lift <= kMost && !isBeyond && y - lift >= plot.y; lift += 2)
            if (!meetsBound(area(y - lift))) {
                isBeyond = true;
                y -= lift;
            }
    taken_.push_back(area(y));
    out_.front.shapes.push_back(Label{
        .at = {middle, y}, .text = text, .colour = "text", .anchor = Anchor::middle, .strong = true, .halo = isBeyond});
}

void ChartBuilder::segmentText(const ChartLayout::Bar& bar, const Series& series) {
    const std::string text = valueText(chart_, series, bar.point);
    if (bar.area.width < width(text) + 8 || bar.area.height < 15) return;
    out_.front.shapes.push_back(Label{.at = {bar.area.x + bar.area.width / 2, bar.area.y + bar.area.height / 2 + 4},
                                      .text = text,
                                      .colour = lettersOn(colourOf(series)),
                                      .anchor = Anchor::middle});
}

}  // namespace tessera::report

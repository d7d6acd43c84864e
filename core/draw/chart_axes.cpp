#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/draw/axis.h"
#include "core/draw/chart_builder.h"

namespace tessera::report {

bool ChartBuilder::ranges(bool withHidden) {
    Hull x;
    Hull y;
    bool anything = false;
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
        const Series& series = chart_.series[s];
        if ((hidden(s) && !withHidden) || isBars(series)) continue;
        const bool bound = series.mark == Mark::bound;
        for (std::size_t i = 0; i < series.y.size(); ++i) {
            const bool placed = i < series.x.size();
            if (!isShown(series.y[i], chart_.y) || (placed ? !isShown(series.x[i], chart_.x) : !bound)) continue;
            if (placed) x.add(series.x[i]);
            y.add(series.y[i]);
            anything = anything || !bound || placed;
            for (const auto* const ends : {&series.low, &series.high})
                if (i < ends->size() && isShown((*ends)[i], chart_.y)) y.add((*ends)[i]);
        }
    }
    for (std::size_t category = 0; hasBars_ && category < categories_; ++category) {
        const auto [up, down] = stack(category);
        if (up > 0) y.add(std::min(up, 1e301));
        if (down < 0) y.add(std::max(down, -1e301));
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            const double value = barValue(s, category);
            if (std::isnan(value)) continue;
            anything = true;
            if (chart_.series[s].mark == Mark::bars) addWithErrors(y, s, category, value);
        }
    }
    if (!anything || (isCategorical() && categories_ == 0) || y.empty()) return false;
    out_.x.logarithmic = chart_.x.logarithmic && !isCategorical();
    out_.y.logarithmic = chart_.y.logarithmic;
    const bool points = std::any_of(chart_.series.begin(), chart_.series.end(),
                                    [](const Series& series) { return series.mark == Mark::points; });
    out_.wholeX = isCategorical() ? Stretch{-0.5, static_cast<double>(categories_) - 0.5}
                                  : padded(x, chart_.x, chart_.x.fromZero, points ? kPointRoom : 0);
    out_.wholeY = padded(y, chart_.y, chart_.y.fromZero || hasBars_, 0.05);
    out_.x.stretch = isCategorical() ? out_.wholeX : home(chart_.x, out_.wholeX);
    out_.y.stretch = home(chart_.y, out_.wholeY);
    if (view_.x) out_.x.stretch = *view_.x;
    if (view_.y) out_.y.stretch = *view_.y;
    return true;
}

void ChartBuilder::addWithErrors(Hull& hull, std::size_t s, std::size_t category, double value) {
    hull.add(value);
    const auto point = static_cast<std::size_t>(pointAt_[s][category]);
    for (const auto* const ends : {&chart_.series[s].low, &chart_.series[s].high})
        if (point < ends->size() && isShown((*ends)[point], chart_.y)) hull.add((*ends)[point]);
}

Stretch ChartBuilder::padded(const Hull& hull, const Axis& axis, bool fromZero, double part) {
    if (axis.logarithmic) {
        const double low = std::log10(hull.low);
        const double high = std::log10(hull.high);
        const double more = std::max((high - low) * part, high - low < 1e-9 ? 0.5 : 0.0);
        return {low - (fromZero && more < 0.5 ? 0.15 * (high - low) : more), high + more};
    }
    double low = fromZero ? std::min(0.0, hull.low) : hull.low;
    double high = fromZero ? std::max(0.0, hull.high) : hull.high;
    const double size = std::max(std::fabs(low), std::fabs(high));
    if (high - low <= size * 1e-9) {
        const double more = size > 0 ? size * 0.1 : 0.5;
        if (size == 0) return {fromZero ? 0.0 : -more, 2 * more};
        low -= fromZero && low >= 0 ? 0 : more;
        high += fromZero && high <= 0 ? 0 : more;
    }
    const double more = (high - low) * part;
    return {fromZero && low == 0 ? low : low - more, fromZero && high == 0 ? high : high + more};
}

Stretch ChartBuilder::home(const Axis& axis, const Stretch& whole) {
    if (!axis.focus || !isShown(axis.focus->low, axis) || !isShown(axis.focus->high, axis)) return whole;
    const Stretch wanted = padded({axis.focus->low, axis.focus->high}, axis, false, 0.05);
    const Stretch seen{std::max(wanted.low, whole.low), std::min(wanted.high, whole.high)};
    return seen.low < seen.high ? seen : whole;
}

std::string ChartBuilder::axisTitle(const Axis& axis) const {
    if (axis.title.empty()) return axis.logarithmic ? "log" : "";
    return axis.title + (axis.logarithmic ? " (log)" : "");
}

std::vector<double> ChartBuilder::places(const Scale& scale, const Axis& axis, int max) const {
    const Stretch& s = scale.stretch;
    if (!axis.categories.empty()) {
        std::vector<double> all;
        const double from = std::max(0.0, std::ceil(s.low)), to = std::floor(s.high);
        const auto every = static_cast<double>(wholeSteps((to - from + 1) / max));
        for (double place = from; place <= to && place < static_cast<double>(axis.categories.size()); place += every)
            all.push_back(place);
        return all;
    }
    if (scale.logarithmic) return ticks(std::pow(10.0, s.low), std::pow(10.0, s.high), true, max);
    return ticks(s.low, s.high, false, max);
}

std::string ChartBuilder::categoryName(std::size_t index) const {
    return index < chart_.x.categories.size() ? chart_.x.categories[index] : std::to_string(index);
}

std::pair<std::size_t, std::size_t> ChartBuilder::categoriesInSight() const {
    const double last = static_cast<double>(categories_) - 1;
    const double from = std::clamp(std::ceil(out_.x.stretch.low - 0.5), 0.0, last);
    const double to = std::clamp(std::floor(out_.x.stretch.high + 0.5), from, last);
    return {static_cast<std::size_t>(from), static_cast<std::size_t>(to)};
}

double ChartBuilder::widestName(std::size_t max) const {
    const auto [from, to] = categoriesInSight();
    double widest = 0;
    const std::size_t step = std::max<std::size_t>(1, (to - from + 1) / max);
    for (std::size_t i = from; i <= to; i += step) widest = std::max(widest, width(categoryName(i)));
    return widest;
}

void ChartBuilder::margins() {
    Rect& plot = out_.plot;
    const std::string yTitle = axisTitle(chart_.y);
    const std::string xTitle = axisTitle(chart_.x);
    if (chart_.horizontal) {
        const double names = isNamed() ? widestName(200) : widestTick(out_.x, chart_.x);
        plot.x = std::min(names, size_.width * kWidestName) + kGap;
        const bool bounded = std::any_of(chart_.series.begin(), chart_.series.end(),
                                         [](const Series& series) { return series.mark == Mark::bound; });
        plot.y = top_ + (xTitle.empty() && !bounded ? 2 : kLine);
        plot.width = size_.width - plot.x - std::max(textMargin(), 24.0);
        plot.height = bottom_ - plot.y - kLine - (yTitle.empty() ? 4 : kLine + 4);
    } else {
        plot.y = top_ + (yTitle.empty() ? 6 : kLine + 6);
        plot.height = std::max(20.0, bottom_ - plot.y - 2 * kLine);
        setScales();  // the widest tick depends on how many there are
        plot.x = widestTick(out_.y, chart_.y) + kGap;
        plot.width = size_.width - plot.x - labelMargin();
        plot.height = bottom_ - plot.y - (isNamed() ? nameHeight() : kLine) - (xTitle.empty() ? 4 : kLine + 4);
    }
    plot.width = std::max(20.0, plot.width);
    plot.height = std::max(20.0, plot.height);
    setScales();
    axisTitles(xTitle, yTitle);
}

void ChartBuilder::setScales() {
    const Rect& plot = out_.plot;
    Scale& across = chart_.horizontal ? out_.y : out_.x;
    Scale& down = chart_.horizontal ? out_.x : out_.y;
    across.from = plot.x;
    across.to = plot.right();
    down.from = chart_.horizontal ? plot.y : plot.bottom();
    down.to = chart_.horizontal ? plot.bottom() : plot.y;
}

void ChartBuilder::axisTitles(const std::string& xTitle, const std::string& yTitle) {
    const Rect& plot = out_.plot;
    const std::string& upper = chart_.horizontal ? xTitle : yTitle;
    const std::string& lower = chart_.horizontal ? yTitle : xTitle;
    out_.back.shapes.push_back(Label{.at = {0, plot.y - kGap - 1}, .text = fit(upper, size_.width), .full = upper});
    out_.back.shapes.push_back(
        Label{.at = {plot.right(), bottom_ - 5}, .text = fit(lower, plot.width), .anchor = Anchor::end, .full = lower});
}

double ChartBuilder::widestTick(const Scale& scale, const Axis& axis) const {
    double widest = 0;
    for (const std::string& text :
         tickTexts(places(scale, axis, axis.categories.empty() ? kMaxTicks : kMaxNamed), axis))
        widest = std::max(widest, width(text));
    return widest;
}

double ChartBuilder::textMargin() const {
    double widest = 0;
    if (!hasBars_ || categories_ > 400) return widest;
    for (std::size_t c = 0; c < categories_; ++c) widest = std::max(widest, width(totalText(c), true));
    for (std::size_t s = 0; s < chart_.series.size(); ++s)
        for (std::size_t c = 0; chart_.series[s].mark == Mark::bars && c < categories_; ++c)
            if (!std::isnan(barValue(s, c))) widest = std::max(widest, width(barText(s, c), true));
    return std::min(widest + 2 * kGap, size_.width * kWidestName);
}

double ChartBuilder::labelMargin() const {
    if (!direct_) return 16;
    double widest = 0;
    for (const Series& series : chart_.series)
        if (isCurve(series)) widest = std::max(widest, width(series.name, true));
    return std::min(widest + 2 * kGap, size_.width * kWidestName);
}

double ChartBuilder::step() const {
    const double pixels = chart_.horizontal ? out_.plot.height : out_.plot.width;
    return pixels / out_.x.stretch.length();
}

double ChartBuilder::nameHeight() {
    const double widest = widestName(400);
    turned_ = widest + kGap > step();
    if (!turned_) return kLine;
    // In a low picture, bars need it more.
    const double room = (bottom_ - out_.plot.y) / 3;
    nameRoom_ = std::min({widest, size_.height * 0.28, std::max(kShortestName, room)});
    return nameRoom_ + kGap;
}

void ChartBuilder::grid() {
    const Rect& plot = out_.plot;
    valueGrid(out_.y, chart_.y, chart_.horizontal);
    if (isNamed())
        names();
    else
        valueGrid(out_.x, chart_.x, !chart_.horizontal);
    // The base line: where bars stand on, or the axis.
    const bool zero = !out_.y.logarithmic && out_.y.stretch.low <= 0 && out_.y.stretch.high >= 0;
    const double base = zero ? out_.y.pixel(0) : out_.y.from;
    out_.back.shapes.push_back(Path{.points = chart_.horizontal
                                                  ? std::vector<Point>{{base, plot.y}, {base, plot.bottom()}}
                                                  : std::vector<Point>{{plot.x, base}, {plot.right(), base}},
                                    .stroke = "border"});
}

void ChartBuilder::valueGrid(const Scale& scale, const Axis& axis, bool across) {
    const Rect& plot = out_.plot;
    std::vector<double> values;
    std::vector<std::string> labels;
    for (int max = axis.categories.empty() ? kMaxTicks : kMaxNamed; max > 0; --max) {  // fewer where texts would touch
        values = places(scale, axis, max);
        labels = tickTexts(values, axis);
        double needed = 0;
        for (const std::string& label : labels) needed = std::max(needed, across ? width(label) + kGap : kLine);
        if (values.size() < 2 || std::fabs(scale.pixel(values[1]) - scale.pixel(values[0])) >= needed) break;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double at = scale.pixel(values[i]);
        if (!std::isfinite(at)) continue;
        const bool isX = across != chart_.horizontal;
        if (!isX)
            out_.back.shapes.push_back(Path{.points = across ? std::vector<Point>{{at, plot.y}, {at, plot.bottom()}}
                                                             : std::vector<Point>{{plot.x, at}, {plot.right(), at}},
                                            .stroke = "grid-line"});
        else
            out_.back.shapes.push_back(
                Path{.points = across ? std::vector<Point>{{at, plot.bottom()}, {at, plot.bottom() + 4}}
                                      : std::vector<Point>{{plot.x - 4, at}, {plot.x, at}},
                     .stroke = "border"});
        if (across) {
            const double half = width(labels[i]) / 2;
            const double x = std::clamp(at, half, std::max(half, size_.width - half));
            out_.back.shapes.push_back(
                Label{.at = {x, plot.bottom() + kLine}, .text = labels[i], .anchor = Anchor::middle});
        } else {
            out_.back.shapes.push_back(Label{.at = {plot.x - kGap, at + 4}, .text = labels[i], .anchor = Anchor::end});
        }
    }
}

void ChartBuilder::names() {
    const Rect& plot = out_.plot;
    const auto [from, to] = categoriesInSight();
    const double needed = chart_.horizontal || turned_ ? kUpright : 1;
    const std::size_t every = wholeSteps(needed / step());
    for (std::size_t i = from; i <= to; i += every) {
        const double at = out_.x.pixelOf(static_cast<double>(i));
        const bool inside =
            chart_.horizontal ? at >= plot.y && at <= plot.bottom() : at >= plot.x && at <= plot.right();
        if (!inside) continue;
        const std::string& name = categoryName(i);
        if (chart_.horizontal)
            out_.back.shapes.push_back(Label{.at = {plot.x - kGap, at + 4},
                                             .text = fitName(i, every, plot.x - kGap),
                                             .colour = "text",
                                             .anchor = Anchor::end,
                                             .full = escaped(name)});
        else if (turned_)
            out_.back.shapes.push_back(Label{.at = {at - 4, plot.bottom() + 6},
                                             .text = fitName(i, every, nameRoom_),
                                             .angle = 90,
                                             .full = escaped(name)});
        else
            out_.back.shapes.push_back(Label{.at = {at, plot.bottom() + kLine},
                                             .text = fitName(i, every, std::max(step(), 20.0)),
                                             .anchor = Anchor::middle,
                                             .full = escaped(name)});
    }
}

}  // namespace tessera::report

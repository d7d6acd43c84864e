#include "core/report/chart_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "core/base/text.h"

namespace tessera::report {

namespace {

constexpr int kCaption = 11;
constexpr int kTitle = 16;
constexpr double kTitleHeight = 30;
constexpr double kLine = 16;  ///< from one caption's base line to the next
constexpr double kGap = 8;
constexpr double kWidestName = 0.3;  ///< of the picture: names of categories, direct labels
constexpr double kThickestBar = 22;
constexpr double kLeastBar = 2;  ///< thinner bars are folded
constexpr double kUpright = 13;  ///< a line of text turned by 90°
constexpr std::size_t kMostDirect = 4;
constexpr std::size_t kFewPoints = 24;  ///< a curve of so few points shows them
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

bool isBars(const Series& series) {
    return series.mark == Mark::bars || series.mark == Mark::stackedBars;
}
bool isCurve(const Series& series) {
    return series.mark == Mark::line || series.mark == Mark::steps;
}

std::string colourOf(const Series& series) {
    if (series.mark == Mark::bound) return "text";
    return series.dimmed ? "disabled" : series.colour.empty() ? "accent" : series.colour;
}
double opacityOf(const Series& series) {
    return series.dimmed ? 0.35 : 1;
}

/// Grows to hold values.
struct Hull {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    bool empty() const { return low > high; }
};

/// At least 1, whatever is divided by what.
std::size_t wholeSteps(double steps) {
    return steps < 1e9 ? static_cast<std::size_t>(std::max(1.0, std::ceil(steps))) : 1'000'000'000;
}

class Builder {
public:
    Builder(const Chart& chart, const ChartView& view, Size size, const TextWidth& measure)
        : chart_(chart), view_(view), size_(size), measure_(measure) {}

    ChartLayout build() {
        out_.back.width = out_.front.width = size_.width;
        out_.back.height = out_.front.height = size_.height;
        out_.back.title = out_.front.title = chart_.title;
        title();
        tabulate();
        legend();
        notes();
        if (!ranges()) return nothing();
        margins();
        grid();
        regions();
        begin(out_.back);
        bars();
        end(out_.back);
        begin(out_.front);
        curves();
        points();
        boundLines();
        end(out_.front);
        barTexts();
        boundTexts();
        directLabels();
        return std::move(out_);
    }

private:
    double width(const std::string& text, bool strong = false) const { return measure_(text, kCaption, strong); }
    std::string fit(const std::string& text, double most, bool strong = false) const {
        return fitted(text, most, kCaption, strong, measure_);
    }
    std::string fitMiddle(const std::string& text, double most) const {
        return fittedInTheMiddle(text, most, kCaption, false, measure_);
    }
    bool hidden(std::size_t series) const { return series < view_.hidden.size() && view_.hidden[series]; }
    bool elsewhere(std::size_t series) const { return series < view_.elsewhere.size() && view_.elsewhere[series]; }
    bool isCategorical() const { return !chart_.x.categories.empty() || hasBars_; }
    std::size_t length(const Series& series) const { return std::min(series.x.size(), series.y.size()); }
    bool shown(const Series& series, std::size_t i) const {
        return isShown(series.x[i], chart_.x) && isShown(series.y[i], chart_.y);
    }
    /// The place on the other axis of a value along x (true) or y.
    Point place(double x, double y) const { return chart_.horizontal ? Point{y, x} : Point{x, y}; }

    void title() {
        const std::string line = fitted(chart_.title, size_.width, kTitle, true, measure_);
        out_.back.shapes.push_back(Label{.at = {0, 18},
                                         .text = line,
                                         .colour = "text",
                                         .size = kTitle,
                                         .strong = true,
                                         .full = escaped(chart_.title)});
        top_ = kTitleHeight;
        bottom_ = size_.height;
    }

    /// Values of bars by category, and the number of categories.
    void tabulate() {
        categories_ = chart_.x.categories.size();
        for (const Series& series : chart_.series) hasBars_ = hasBars_ || isBars(series);
        if (!hasBars_) return;
        side_ = std::max<std::size_t>(1, barsSideBySide(chart_, view_.hidden));
        for (const Series& series : chart_.series)
            for (std::size_t i = 0; isBars(series) && chart_.x.categories.empty() && i < length(series); ++i)
                if (series.x[i] >= 0 && series.x[i] < 1e6)
                    categories_ = std::max(categories_, static_cast<std::size_t>(series.x[i]) + 1);
        pointAt_.assign(chart_.series.size(), {});
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            const Series& series = chart_.series[s];
            if (!isBars(series) || hidden(s)) continue;
            pointAt_[s].assign(categories_, -1);
            for (std::size_t i = 0; i < length(series); ++i)
                if (isShown(series.y[i], chart_.y) && series.x[i] >= 0 &&
                    series.x[i] < static_cast<double>(categories_))
                    pointAt_[s][static_cast<std::size_t>(series.x[i])] = static_cast<std::int64_t>(i);
        }
    }

    double barValue(std::size_t series, std::size_t category) const {
        if (pointAt_[series].empty() || pointAt_[series][category] < 0) return kNothing;
        return chart_.series[series].y[static_cast<std::size_t>(pointAt_[series][category])];
    }

    /// The stack of a category: how far it goes up and down.
    std::pair<double, double> stack(std::size_t category) const {
        double up = 0;
        double down = 0;
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            if (chart_.series[s].mark != Mark::stackedBars) continue;
            const double value = barValue(s, category);
            if (value > 0) up += value;
            if (value < 0) down += value;
        }
        return {up, down};
    }

    // ---- what stands around the plot ----

    bool isDirect() const {
        std::size_t curves = 0;
        for (const Series& series : chart_.series) {
            if (isCurve(series)) ++curves;
            if (isBars(series) || series.mark == Mark::points) return false;
        }
        return curves > 1 && curves <= kMostDirect;
    }

    void legend() {
        direct_ = isDirect();
        if (direct_) return;
        std::vector<std::size_t> listed;
        for (std::size_t s = 0; s < chart_.series.size(); ++s)
            if (chart_.series[s].mark != Mark::bound && !chart_.series[s].name.empty() && (view_.allKeys || !hidden(s)))
                listed.push_back(s);
        if (listed.size() < 2) return;
        double x = 0;
        top_ += 12;
        for (const std::size_t s : listed) {
            const std::string text = fit(chart_.series[s].name, size_.width / 3);
            const double needed = 16 + width(text);
            if (x > 0 && x + needed > size_.width) {
                x = 0;
                top_ += kLine;
            }
            key(s, {x, top_}, text);
            x += needed + 2 * kGap;
        }
        top_ += kGap;
    }

    void key(std::size_t s, Point at, const std::string& text) {
        const Series& series = chart_.series[s];
        const std::string colour = hidden(s) ? "disabled" : colourOf(series);
        if (isBars(series))
            out_.back.shapes.push_back(Box{.area = {at.x, at.y - 9, 10, 10},
                                           .fill = series.dashed ? "surface" : colour,
                                           .stroke = series.dashed ? colour : "",
                                           .radius = 2,
                                           .opacity = opacityOf(series)});
        else if (series.mark == Mark::points)
            out_.back.shapes.push_back(
                Marker{.at = {at.x + 5, at.y - 4}, .shape = shapeOf(s), .fill = colour, .opacity = opacityOf(series)});
        else
            out_.back.shapes.push_back(Path{.points = {{at.x, at.y - 4}, {at.x + 11, at.y - 4}},
                                            .stroke = colour,
                                            .width = 2,
                                            .dashed = series.dashed});
        out_.back.shapes.push_back(Label{.at = {at.x + 15, at.y},
                                         .text = text,
                                         .colour = hidden(s) ? "disabled" : "secondary",
                                         .full = escaped(series.name)});
        out_.keys.push_back({s, {at.x, at.y - 12, 16 + width(text), kLine}});
    }

    void notes() {
        if (!view_.wholeTexts) return;
        std::vector<std::string> lines;
        for (const std::string& note : chart_.notes)
            for (std::string& line : wrapped(note, size_.width, kCaption, measure_)) lines.push_back(std::move(line));
        bottom_ -= kLine * static_cast<double>(lines.size());
        double y = bottom_ + 12;
        for (const std::string& line : lines) {
            out_.back.shapes.push_back(Label{.at = {0, y}, .text = line});
            y += kLine;
        }
    }

    ChartLayout nothing() {
        out_.empty = true;
        out_.plot = {0, top_, size_.width, std::max(1.0, bottom_ - top_)};
        const std::string sentence = chart_.empty.empty() ? "There is nothing to show yet." : chart_.empty;
        const std::vector<std::string> lines = wrapped(sentence, size_.width * 0.8, 13, measure_);
        double y = out_.plot.y + out_.plot.height / 2 - 9 * (static_cast<double>(lines.size()) - 1);
        for (const std::string& line : lines) {
            out_.back.shapes.push_back(
                Label{.at = {size_.width / 2, y}, .text = line, .anchor = Anchor::middle, .size = 13});
            y += 18;
        }
        return std::move(out_);
    }

    // ---- axes ----

    bool ranges() {
        Hull x;
        Hull y;
        bool anything = false;
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            const Series& series = chart_.series[s];
            if (hidden(s) || isBars(series)) continue;
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
        out_.x.stretch = isCategorical() ? Stretch{-0.5, static_cast<double>(categories_) - 0.5}
                                         : padded(x, chart_.x, chart_.x.fromZero, 0);
        out_.y.stretch = padded(y, chart_.y, chart_.y.fromZero || hasBars_, 0.05);
        if (view_.x) out_.x.stretch = *view_.x;
        if (view_.y) out_.y.stretch = *view_.y;
        return true;
    }

    void addWithErrors(Hull& hull, std::size_t s, std::size_t category, double value) {
        hull.add(value);
        const auto point = static_cast<std::size_t>(pointAt_[s][category]);
        for (const auto* const ends : {&chart_.series[s].low, &chart_.series[s].high})
            if (point < ends->size() && isShown((*ends)[point], chart_.y)) hull.add((*ends)[point]);
    }

    static Stretch padded(const Hull& hull, const Axis& axis, bool fromZero, double part) {
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

    std::string axisTitle(const Axis& axis) const {
        if (axis.title.empty()) return axis.logarithmic ? "log" : "";
        return axis.title + (axis.logarithmic ? " (log)" : "");
    }

    /// Values of the ticks in sight.
    std::vector<double> places(const Scale& scale, int most) const {
        const Stretch& s = scale.stretch;
        if (scale.logarithmic) return ticks(std::pow(10.0, s.low), std::pow(10.0, s.high), true, most);
        return ticks(s.low, s.high, false, most);
    }

    static std::vector<std::string> texts(const std::vector<double>& values, const Axis& axis) {
        std::vector<std::string> list;
        std::unordered_set<std::string> different;
        for (const double value : values) different.insert(list.emplace_back(tickText(value, axis)));
        if (different.size() == list.size()) return list;
        for (std::size_t i = 0; i < list.size(); ++i) list[i] = exactNumber(values[i]);  // zoomed in very far
        return list;
    }

    bool isNamed() const { return isCategorical(); }
    std::string categoryName(std::size_t index) const {
        return index < chart_.x.categories.size() ? chart_.x.categories[index] : std::to_string(index);
    }
    std::pair<std::size_t, std::size_t> categoriesInSight() const {
        const double last = static_cast<double>(categories_) - 1;
        const double from = std::clamp(std::ceil(out_.x.stretch.low - 0.5), 0.0, last);
        const double to = std::clamp(std::floor(out_.x.stretch.high + 0.5), from, last);
        return {static_cast<std::size_t>(from), static_cast<std::size_t>(to)};
    }
    double widestName(std::size_t most) const {
        const auto [from, to] = categoriesInSight();
        double widest = 0;
        const std::size_t step = std::max<std::size_t>(1, (to - from + 1) / most);
        for (std::size_t i = from; i <= to; i += step) widest = std::max(widest, width(categoryName(i)));
        return widest;
    }

    void margins() {
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

    void setScales() {
        const Rect& plot = out_.plot;
        Scale& across = chart_.horizontal ? out_.y : out_.x;
        Scale& down = chart_.horizontal ? out_.x : out_.y;
        across.from = plot.x;
        across.to = plot.right();
        down.from = chart_.horizontal ? plot.y : plot.bottom();
        down.to = chart_.horizontal ? plot.bottom() : plot.y;
    }

    void axisTitles(const std::string& xTitle, const std::string& yTitle) {
        const Rect& plot = out_.plot;
        const std::string& upper = chart_.horizontal ? xTitle : yTitle;
        const std::string& lower = chart_.horizontal ? yTitle : xTitle;
        out_.back.shapes.push_back(Label{.at = {0, plot.y - kGap - 1}, .text = fit(upper, size_.width), .full = upper});
        out_.back.shapes.push_back(Label{
            .at = {plot.right(), bottom_ - 5}, .text = fit(lower, plot.width), .anchor = Anchor::end, .full = lower});
    }

    double widestTick(const Scale& scale, const Axis& axis) const {
        double widest = 0;
        for (const std::string& text : texts(places(scale, 5), axis)) widest = std::max(widest, width(text));
        return widest;
    }

    /// Room to the right of horizontal bars for their values.
    double textMargin() const {
        double widest = 0;
        if (!hasBars_ || categories_ > 400) return widest;
        for (std::size_t c = 0; c < categories_; ++c) widest = std::max(widest, width(totalText(c), true));
        for (std::size_t s = 0; s < chart_.series.size(); ++s)
            for (std::size_t c = 0; chart_.series[s].mark == Mark::bars && c < categories_; ++c)
                if (!std::isnan(barValue(s, c))) widest = std::max(widest, width(barText(s, c), true));
        return std::min(widest + 2 * kGap, size_.width * kWidestName);
    }

    double labelMargin() const {
        if (!direct_) return 16;
        double widest = 0;
        for (const Series& series : chart_.series)
            if (isCurve(series)) widest = std::max(widest, width(series.name, true));
        return std::min(widest + 2 * kGap, size_.width * kWidestName);
    }

    double step() const {
        const double pixels = chart_.horizontal ? out_.plot.height : out_.plot.width;
        return pixels / out_.x.stretch.length();
    }

    /// Names of categories below: in a row where they fit, else turned.
    double nameHeight() {
        const double widest = widestName(400);
        turned_ = widest + kGap > step();
        return turned_ ? std::min(widest, size_.height * 0.28) + kGap : kLine;
    }

    void grid() {
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

    /// Grid lines and texts of a continuous axis; `across` = its values run from left to right.
    void valueGrid(const Scale& scale, const Axis& axis, bool across) {
        const Rect& plot = out_.plot;
        std::vector<double> values;
        std::vector<std::string> labels;
        for (int most = 5; most > 0; --most) {  // fewer where texts would touch
            values = places(scale, most);
            labels = texts(values, axis);
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
                out_.back.shapes.push_back(
                    Label{.at = {plot.x - kGap, at + 4}, .text = labels[i], .anchor = Anchor::end});
            }
        }
    }

    void names() {
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
                                                 .text = fitMiddle(name, plot.x - kGap),
                                                 .colour = "text",
                                                 .anchor = Anchor::end,
                                                 .full = escaped(name)});
            else if (turned_)
                out_.back.shapes.push_back(Label{.at = {at - 4, plot.bottom() + 6},
                                                 .text = fitMiddle(name, size_.height * 0.28),
                                                 .angle = 90,
                                                 .full = escaped(name)});
            else
                out_.back.shapes.push_back(Label{.at = {at, plot.bottom() + kLine},
                                                 .text = fitMiddle(name, std::max(step(), 20.0)),
                                                 .anchor = Anchor::middle,
                                                 .full = escaped(name)});
        }
    }

    // ---- inside the plot ----

    void begin(Drawing& drawing) const { drawing.shapes.push_back(Clip{out_.plot}); }
    static void end(Drawing& drawing) { drawing.shapes.push_back(Clip{}); }

    double base() const { return out_.y.logarithmic ? out_.y.from : std::clamp(out_.y.pixel(0), lowEnd(), highEnd()); }
    double lowEnd() const { return std::min(out_.y.from, out_.y.to); }
    double highEnd() const { return std::max(out_.y.from, out_.y.to); }
    double inPlot(double value) const { return std::clamp(out_.y.pixel(value), lowEnd() - 2, highEnd() + 2); }

    std::string barText(std::size_t s, std::size_t category) const {
        return valueText(chart_, chart_.series[s], static_cast<std::size_t>(pointAt_[s][category]));
    }
    std::string totalText(std::size_t category) const {
        const auto [up, down] = stack(category);
        return up + down != 0 ? formatQuantity(up + down, chart_.y.measure) : "";
    }

    /// One category of each run of neighbours that share a bar: the largest.
    std::size_t largest(std::size_t from, std::size_t to) const {
        std::size_t best = from;
        double most = -1;
        for (std::size_t c = from; c < to; ++c) {
            double sum = 0;
            for (std::size_t s = 0; s < chart_.series.size(); ++s) {
                const double value = barValue(s, c);
                sum += std::isnan(value) ? 0 : std::fabs(value);
            }
            if (sum > most) {
                most = sum;
                best = c;
            }
        }
        return best;
    }

    void bars() {
        if (!hasBars_) return;
        const auto [from, to] = categoriesInSight();
        const std::size_t per = wholeSteps(kLeastBar / step());
        folded_ = per > 1;
        for (std::size_t i = from; i <= to; i += per) {
            const std::size_t category = folded_ ? largest(i, std::min(i + per, to + 1)) : i;
            band(category, out_.x.pixelOf(static_cast<double>(i) - 0.5), step() * static_cast<double>(per));
        }
    }

    void band(std::size_t category, double start, double thickness) {
        std::vector<std::size_t> side;
        bool stacked = false;
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            const bool stands = side_ > 1 || !std::isnan(barValue(s, category));
            if (chart_.series[s].mark == Mark::bars && !hidden(s) && stands) side.push_back(s);
            stacked = stacked || chart_.series[s].mark == Mark::stackedBars;
        }
        const double slots = static_cast<double>(side.size()) + (stacked ? 1 : 0);
        if (slots == 0) return;
        const double gap = thickness < 6 ? std::min(1.0, thickness * 0.2) : std::max(2.0, thickness * 0.24);
        const double bar = std::min((thickness - gap) / slots, kThickestBar * (slots > 1           ? 1.2
                                                                               : chart_.horizontal ? 1
                                                                                                   : 2.5));
        double at = start + (thickness - bar * slots) / 2;
        for (const std::size_t s : side) {
            single(s, category, at, slots > 1 ? bar - std::min(1.0, bar * 0.1) : bar);
            at += bar;
        }
        if (stacked) pile(category, at, bar);
    }

    Rect barRect(double at, double thickness, double from, double to) const {
        const double low = std::min(from, to);
        const double size = std::fabs(to - from);
        return chart_.horizontal ? Rect{low, at, size, thickness} : Rect{at, low, thickness, size};
    }

    void single(std::size_t s, std::size_t category, double at, double thickness) {
        const double value = barValue(s, category);
        if (std::isnan(value)) return;
        const Series& series = chart_.series[s];
        const auto point = static_cast<std::size_t>(pointAt_[s][category]);
        const Rect area = barRect(at, thickness, base(), inPlot(value));
        box(s, point, area, thickness);
        errorBar(series, point, at + thickness / 2, std::min(thickness / 4, 5.0));
    }

    void box(std::size_t s, std::size_t point, const Rect& area, double thickness) {
        const Series& series = chart_.series[s];
        const std::string name = series.name.empty() ? "" : escaped(series.name) + ": ";
        const bool outlined = series.dashed && thickness > 6;
        out_.back.shapes.push_back(Box{
            .area = area,
            .fill = colourOf(series),
            .radius =
                thickness > 8 && series.mark == Mark::bars ? std::min(3.0, std::min(area.width, area.height) / 2) : 0,
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

    std::string tip(const Series& series, std::size_t point) const {
        std::string text = point < series.x.size() && isCategorical()
                               ? escaped(categoryName(static_cast<std::size_t>(std::max(0.0, series.x[point]))))
                               : "";
        if (!series.name.empty()) text += (text.empty() ? "" : ", ") + escaped(series.name);
        return text + ": " + valueText(chart_, series, point);
    }

    void pile(std::size_t category, double at, double thickness) {
        double up = 0;
        double down = 0;
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            if (chart_.series[s].mark != Mark::stackedBars) continue;
            const double value = barValue(s, category);
            if (std::isnan(value) || value == 0) continue;
            double& sum = value > 0 ? up : down;
            const double from = sum == 0 ? base() : inPlot(sum);
            sum += value;
            box(s, static_cast<std::size_t>(pointAt_[s][category]), barRect(at, thickness, from, inPlot(sum)),
                thickness);
        }
    }

    void errorBar(const Series& series, std::size_t point, double middle, double cap) {
        if (point >= series.low.size() || point >= series.high.size()) return;
        if (!isShown(series.low[point], chart_.y) || !isShown(series.high[point], chart_.y)) return;
        const double low = inPlot(series.low[point]);
        const double high = inPlot(series.high[point]);
        for (const auto& [a, b] : {std::pair{place(middle, low), place(middle, high)},
                                   std::pair{place(middle - cap, low), place(middle + cap, low)},
                                   std::pair{place(middle - cap, high), place(middle + cap, high)}})
            out_.front.shapes.push_back(Path{.points = {a, b}, .stroke = "text"});
    }

    void barTexts() {
        if (!hasBars_ || folded_) return;
        valuesFit_ = valuesFit();
        std::vector<double> ends(categories_, kNothing);
        std::vector<Rect> whole(categories_);
        for (const ChartLayout::Bar& bar : out_.bars) {
            const Series& series = chart_.series[bar.series];
            const auto category = static_cast<std::size_t>(series.x[bar.point]);
            if (series.mark == Mark::bars) {
                endText(bar.area, valueText(chart_, series, bar.point), series.y[bar.point] < 0);
            } else {
                segmentText(bar, series);
                extend(whole[category], bar.area);
                ends[category] = series.y[bar.point];
            }
        }
        for (std::size_t c = 0; c < categories_; ++c)
            if (!std::isnan(ends[c])) {
                const auto [up, down] = stack(c);
                endText(whole[c], totalText(c), up == 0 && down < 0);
            }
    }

    /// Whether the value of every upright bar finds room above it; some without theirs would look wrong.
    bool valuesFit() const {
        const double room = step() * 0.95 / static_cast<double>(side_);
        if (chart_.horizontal || room < 12) return chart_.horizontal;
        const auto [from, to] = categoriesInSight();
        for (std::size_t c = from; c <= to; ++c) {
            if (width(totalText(c), true) > room) return false;
            for (std::size_t s = 0; s < chart_.series.size(); ++s)
                if (chart_.series[s].mark == Mark::bars && !std::isnan(barValue(s, c)) &&
                    width(barText(s, c), true) > room)
                    return false;
        }
        return true;
    }

    static void extend(Rect& whole, const Rect& area) {
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

    void endText(const Rect& bar, const std::string& text, bool negative) {
        const Rect& plot = out_.plot;
        if (chart_.horizontal) {
            if (bar.height < 10 || bar.y + bar.height / 2 < plot.y || bar.y + bar.height / 2 > plot.bottom()) return;
            if (bar.right() < plot.x - 1 || bar.x > plot.right()) return;
            const double room = negative ? bar.x - plot.x : size_.width - std::min(bar.right(), plot.right()) - kGap;
            const std::string shownText = fit(text, room, true);
            out_.front.shapes.push_back(Label{
                .at = {negative ? bar.x - 6 : std::min(bar.right(), plot.right()) + 6, bar.y + bar.height / 2 + 4},
                .text = shownText,
                .colour = "text",
                .anchor = negative ? Anchor::end : Anchor::start,
                .strong = true});
            return;
        }
        const double middle = bar.x + bar.width / 2;
        if (!valuesFit_) return;
        if (middle < plot.x || middle > plot.right() || bar.bottom() < plot.y) return;
        out_.front.shapes.push_back(Label{.at = {middle, negative ? bar.bottom() + 12 : std::max(bar.y, plot.y) - 4},
                                          .text = text,
                                          .colour = "text",
                                          .anchor = Anchor::middle,
                                          .strong = true});
    }

    void segmentText(const ChartLayout::Bar& bar, const Series& series) {
        const std::string text = valueText(chart_, series, bar.point);
        if (bar.area.width < width(text) + 8 || bar.area.height < 15) return;
        out_.front.shapes.push_back(Label{.at = {bar.area.x + bar.area.width / 2, bar.area.y + bar.area.height / 2 + 4},
                                          .text = text,
                                          .colour = lettersOn(colourOf(series)),
                                          .anchor = Anchor::middle});
    }

    void curves() {
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            const Series& series = chart_.series[s];
            if (hidden(s) || !isCurve(series)) continue;
            if (!elsewhere(s))
                for (std::vector<Point>& part : curveOf(series, out_))
                    out_.front.shapes.push_back(Path{.points = std::move(part),
                                                     .stroke = colourOf(series),
                                                     .width = series.dimmed ? 1.2 : 2,
                                                     .dashed = series.dashed,
                                                     .opacity = opacityOf(series)});
            if (length(series) <= kFewPoints) markers(s, 3);
            for (std::size_t i = 0; !series.low.empty() && i < length(series); ++i)
                if (shown(series, i)) errorBar(series, i, out_.x.pixel(series.x[i]), 4);
        }
    }

    void markers(std::size_t s, double radius) {
        const Series& series = chart_.series[s];
        for (const PlacedPoint& point : pointsOf(series, out_))
            out_.front.shapes.push_back(Marker{.at = point.at,
                                               .shape = shapeOf(s),
                                               .radius = radius,
                                               .fill = colourOf(series),
                                               .opacity = opacityOf(series),
                                               .tip = length(series) <= 2000 ? tip(series, point.point) : ""});
    }

    void points() {
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            const Series& series = chart_.series[s];
            if (hidden(s) || series.mark != Mark::points) continue;
            if (!elsewhere(s)) markers(s, series.dimmed ? 2 : 3.5);
            for (std::size_t i = 0; !series.low.empty() && i < length(series); ++i)
                if (shown(series, i)) errorBar(series, i, out_.x.pixel(series.x[i]), 4);
            if (series.valueTexts.size() <= kFewPoints) pointTexts(series);
        }
    }

    void pointTexts(const Series& series) {
        for (const PlacedPoint& point : pointsOf(series, out_)) {
            if (point.point >= series.valueTexts.size() || series.valueTexts[point.point].empty()) continue;
            const std::string text = fit(series.valueTexts[point.point], 160);
            const double w = width(text);
            const bool left = point.at.x + 8 + w > out_.plot.right();
            const Rect area{left ? point.at.x - 8 - w : point.at.x + 8, point.at.y - 7, w, 14};
            if (!isFree(area)) continue;
            taken_.push_back(area);
            out_.front.shapes.push_back(Label{.at = {area.x, area.y + 11}, .text = text, .colour = "text"});
        }
    }

    bool isFree(const Rect& area) const {
        return std::none_of(taken_.begin(), taken_.end(), [&](const Rect& other) {
            return area.x < other.right() && other.x < area.right() && area.y < other.bottom() &&
                   other.y < area.bottom();
        });
    }

    // ---- bounds ----

    /// The line of a bound: over the whole plot, along a curve, or across each category it is given for.
    std::vector<std::vector<Point>> boundLine(const Series& series) const {
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

    void regions() {
        begin(out_.back);
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
                out_.back.shapes.push_back(std::move(region));
            }
        }
        end(out_.back);
    }

    void boundLines() {
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            const Series& series = chart_.series[s];
            if (series.mark != Mark::bound || hidden(s)) continue;
            for (std::vector<Point>& line : boundLine(series))
                out_.front.shapes.push_back(
                    Path{.points = std::move(line), .stroke = "text", .width = 1.2, .dashed = series.dashed});
        }
    }

    void boundTexts() {
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            const Series& series = chart_.series[s];
            if (series.mark != Mark::bound || hidden(s)) continue;
            const std::vector<std::vector<Point>> lines = boundLine(series);
            if (lines.empty() || lines.front().empty()) continue;
            boundText(s, lines);
        }
    }

    void boundText(std::size_t s, const std::vector<std::vector<Point>>& lines) {
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
            at = {plot.right() - w - 4, line.front().y - 5};
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

    // ---- labels at the ends of curves ----

    void directLabels() {
        if (!direct_) return;
        struct Wanted {
            std::size_t series;
            double y;
        };
        std::vector<Wanted> wanted;
        const Rect& plot = out_.plot;
        for (std::size_t s = 0; s < chart_.series.size(); ++s) {
            if (!isCurve(chart_.series[s]) || (hidden(s) && !view_.allKeys)) continue;
            wanted.push_back({s, hidden(s) ? plot.bottom() : endOf(chart_.series[s])});
        }
        std::stable_sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) { return a.y < b.y; });
        double least = plot.y + 2;
        for (Wanted& label : wanted) {
            label.y = std::max(label.y, least);
            least = label.y + 14;
        }
        double most = plot.bottom();
        for (std::size_t i = wanted.size(); i-- > 0;) {
            Wanted& label = wanted[i];
            label.y = std::min(label.y, most);
            most = label.y - 14;
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

    /// The height at which a curve leaves the plot's right side.
    double endOf(const Series& series) const {
        double y = out_.plot.y + out_.plot.height / 2;
        for (std::size_t i = length(series); i-- > 0;) {
            if (!shown(series, i) || out_.x.pixel(series.x[i]) > out_.plot.right() + 1) continue;
            return std::clamp(out_.y.pixel(series.y[i]), out_.plot.y, out_.plot.bottom());
        }
        return y;
    }

    const Chart& chart_;
    const ChartView& view_;
    Size size_;
    const TextWidth& measure_;
    ChartLayout out_;
    double top_ = 0, bottom_ = 0;
    bool hasBars_ = false, direct_ = false, turned_ = false, folded_ = false, valuesFit_ = true;
    std::size_t categories_ = 0, side_ = 1;
    std::vector<std::vector<std::int64_t>> pointAt_;  ///< by series and category; -1 = none
    std::vector<Rect> taken_;                         ///< where texts stand
};

/// Collects a curve's pixels, keeping the lowest and highest of each column.
class Thinner {
public:
    void add(Point point) {
        const double column = std::floor(point.x);
        if (column != column_) flush();
        column_ = column;
        if (count_ == 0 || point.y < low_.y) {
            low_ = point;
            lowAt_ = count_;
        }
        if (count_ == 0 || point.y > high_.y) {
            high_ = point;
            highAt_ = count_;
        }
        ++count_;
    }
    void cut() {
        flush();
        if (!part_.empty()) parts_.push_back(std::move(part_));
        part_.clear();
    }
    std::vector<std::vector<Point>> take() {
        cut();
        return std::move(parts_);
    }

private:
    void flush() {
        if (count_ == 0) return;
        part_.push_back(lowAt_ <= highAt_ ? low_ : high_);
        if (lowAt_ != highAt_) part_.push_back(lowAt_ <= highAt_ ? high_ : low_);
        count_ = 0;
    }
    std::vector<std::vector<Point>> parts_;
    std::vector<Point> part_;
    Point low_, high_;
    double column_ = kNothing;
    std::size_t count_ = 0, lowAt_ = 0, highAt_ = 0;
};

/// Pixels far outside become near ones, so that no drawing surface meets numbers it cannot hold.
Point near(Point point, const Rect& plot) {
    return {std::clamp(point.x, plot.x - 4 * plot.width - 1e3, plot.right() + 4 * plot.width + 1e3),
            std::clamp(point.y, plot.y - 4 * plot.height - 1e3, plot.bottom() + 4 * plot.height + 1e3)};
}

Axis axisOf(const Scale& scale) {
    return {.title = "", .logarithmic = scale.logarithmic};
}

bool runsDown(const ChartLayout& layout) {
    return layout.x.from == layout.plot.y && layout.x.to == layout.plot.bottom();
}

}  // namespace

ChartLayout layOut(const Chart& chart, const ChartView& view, Size size, const TextWidth& measure) {
    return Builder(chart, view, {std::max(size.width, 80.0), std::max(size.height, 80.0)}, measure).build();
}

std::size_t barsSideBySide(const Chart& chart, const std::vector<bool>& hidden) {
    std::unordered_map<double, std::size_t> counts;
    std::size_t most = 0;
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
        if (chart.series[s].mark != Mark::bars || (s < hidden.size() && hidden[s])) continue;
        for (const double x : chart.series[s].x)
            if (std::isfinite(x)) most = std::max(most, ++counts[x]);
    }
    return most;
}

std::vector<std::vector<Point>> curveOf(const Series& series, const ChartLayout& layout) {
    Thinner thinner;
    const Axis x = axisOf(layout.x);
    const Axis y = axisOf(layout.y);
    const bool down = runsDown(layout);
    double before = kNothing;
    for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
        if (!isShown(series.x[i], x) || !isShown(series.y[i], y)) {
            thinner.cut();
            before = kNothing;
            continue;
        }
        const Point at{layout.x.pixel(series.x[i]), layout.y.pixel(series.y[i])};
        const auto add = [&](Point point) { thinner.add(near(down ? Point{point.y, point.x} : point, layout.plot)); };
        if (series.mark == Mark::steps && !std::isnan(before)) add({at.x, before});
        add(at);
        before = at.y;
    }
    return thinner.take();
}

std::vector<PlacedPoint> pointsOf(const Series& series, const ChartLayout& layout) {
    std::vector<PlacedPoint> placed;
    const Axis x = axisOf(layout.x);
    const Axis y = axisOf(layout.y);
    const bool down = runsDown(layout);
    const std::size_t count = std::min(series.x.size(), series.y.size());
    const auto columns = static_cast<std::size_t>(layout.plot.width * 2) + 2;
    const auto rows = static_cast<std::size_t>(layout.plot.height * 2) + 2;
    std::vector<bool> taken(count > 1000 ? columns * rows : 0);
    for (std::size_t i = 0; i < count; ++i) {
        if (!isShown(series.x[i], x) || !isShown(series.y[i], y)) continue;
        Point at{layout.x.pixel(series.x[i]), layout.y.pixel(series.y[i])};
        if (down) std::swap(at.x, at.y);
        if (at.x < layout.plot.x - 0.5 || at.x > layout.plot.right() + 0.5 || at.y < layout.plot.y - 0.5 ||
            at.y > layout.plot.bottom() + 0.5)
            continue;
        if (!taken.empty()) {
            const auto column = static_cast<std::size_t>((at.x - layout.plot.x + 0.5) * 2);
            const auto row = static_cast<std::size_t>((at.y - layout.plot.y + 0.5) * 2);
            const std::size_t cell = std::min(row, rows - 1) * columns + std::min(column, columns - 1);
            if (taken[cell]) continue;
            taken[cell] = true;
        }
        placed.push_back({i, at});
    }
    return placed;
}

}  // namespace tessera::report

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/draw/chart_builder.h"

namespace tessera::report {

namespace {

constexpr std::size_t kMaxAvoided =
    4000;  ///< points that texts keep away from; more would take longer than a frame may

bool touches(const std::vector<Rect>& marks, const Rect& area) {
    return std::any_of(marks.begin(), marks.end(), [&](const Rect& other) {
        return area.x < other.right() && other.x < area.right() && area.y < other.bottom() && other.y < area.bottom();
    });
}

constexpr double kArrowSide = 5;  ///< half of an arrow's size

}  // namespace

std::string ChartBuilder::tip(const Series& series, std::size_t point) const {
    std::string text = point < series.x.size() && isCategorical()
                           ? escaped(categoryName(static_cast<std::size_t>(std::max(0.0, series.x[point]))))
                           : "";
    if (!series.name.empty()) text += (text.empty() ? "" : ", ") + escaped(series.name);
    return text + ": " + valueText(chart_, series, point);
}

void ChartBuilder::errorBar(const Series& series, std::size_t point, double middle, double cap) {
    if (point >= series.low.size() || point >= series.high.size()) return;
    if (!isShown(series.low[point], chart_.y) || !isShown(series.high[point], chart_.y)) return;
    const double low = inPlot(series.low[point]);
    const double high = inPlot(series.high[point]);
    for (const auto& [a, b] : {std::pair{place(middle, low), place(middle, high)},
                               std::pair{place(middle - cap, low), place(middle + cap, low)},
                               std::pair{place(middle - cap, high), place(middle + cap, high)}})
        out_.front.shapes.push_back(Path{.points = {a, b}, .stroke = "text"});
}

void ChartBuilder::curves() {
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
    }
}

void ChartBuilder::markers(std::size_t s, double radius) {
    const Series& series = chart_.series[s];
    if (s < out_.counted.size() && out_.counted[s]) return;
    const bool drawn = !elsewhere(s) || series.mark != Mark::points;
    if (!drawn && !hasNamedPoints()) return;
    std::vector<Rect>& where = namesPoints(series) ? marks_ : clouds_;
    for (const PlacedPoint& point : pointsOf(series, out_)) {
        const double r = point.point < series.radii.size() ? series.radii[point.point] : radius;
        if (where.size() < kMaxAvoided) where.push_back({point.at.x - r, point.at.y - r, 2 * r, 2 * r});
        if (!drawn) continue;
        out_.front.shapes.push_back(
            Marker{.at = point.at,
                   .shape = shapeOf(series, s),
                   .radius = r,
                   .fill = fillOf(series, point.point < series.tones.size() ? series.tones[point.point] : kNoTone),
                   .opacity = opacityOf(series),
                   .tip = length(series) <= 2000 ? tip(series, point.point) : ""});
    }
}

void ChartBuilder::marks() {
    constexpr double kReach = 8;  // of a marker beyond its place
    const Rect& plot = out_.plot;
    out_.front.shapes.push_back(
        Clip{Rect{plot.x - kReach, plot.y - kReach, plot.width + 2 * kReach, plot.height + 2 * kReach}});
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
        const Series& series = chart_.series[s];
        if (hidden(s) || (series.mark != Mark::points && !isCurve(series))) continue;
        if (series.mark == Mark::points)
            markers(s, series.dimmed ? 2 : 3.5);
        else if (length(series) <= kFewPoints && !series.reference)
            markers(s, 3);
        for (std::size_t i = 0; !series.low.empty() && i < length(series); ++i)
            if (shown(series, i)) errorBar(series, i, out_.x.pixel(series.x[i]), 4);
    }
    end(out_.front);
}

bool ChartBuilder::hasNamedPoints() const {
    return std::any_of(chart_.series.begin(), chart_.series.end(), namesPoints);
}

bool ChartBuilder::namesPoints(const Series& series) {
    const std::size_t texts = std::max(series.labels.size(), series.valueTexts.size());
    return series.mark == Mark::points && texts > 0 && texts <= kFewPoints && series.radii.empty() && !series.dimmed;
}

std::string ChartBuilder::labelOf(const Series& series, std::size_t point) const {
    const std::vector<std::string>& texts = series.labels.empty() ? series.valueTexts : series.labels;
    return point < texts.size() ? escaped(texts[point]) : "";
}

std::optional<Rect> ChartBuilder::placeBeside(Point at, double radius, double w, bool must) {
    constexpr double kHeight = 14, kNear = 4;
    const double r = radius + kNear, up = at.y - r - kHeight, down = at.y + r, middle = at.y - kHeight / 2;
    const std::array kPlaces{Point{at.x + r, middle},       Point{at.x - r - w, middle},
                             Point{at.x - w / 2, up},       Point{at.x - w / 2, down},
                             Point{at.x + r - 2, up + 3},   Point{at.x - r - w + 2, up + 3},
                             Point{at.x + r - 2, down - 3}, Point{at.x - r - w + 2, down - 3}};
    const auto fits = [&](const Rect& area, int strictness) {
        const Rect& plot = out_.plot;
        if (area.x < plot.x || area.right() > plot.right() + kNear || area.y < plot.y - 2 ||
            area.bottom() > plot.bottom() || !isFree(area))
            return false;
        if (strictness > 0 && touches(marks_, area)) return false;
        return strictness < 2 || (!touches(clouds_, area) && !isCrossed(area));
    };
    for (int strictness = 2; strictness >= (must ? 0 : 2); --strictness)
        for (const Point& place : kPlaces)
            if (const Rect area{place.x, place.y, w, kHeight}; fits(area, strictness)) return area;
    return std::nullopt;
}

void ChartBuilder::label(const Rect& area, const std::string& text, const std::string& full) {
    taken_.push_back(area);
    out_.front.shapes.push_back(
        Label{.at = {area.x, area.y + 11}, .text = text, .colour = "text", .halo = true, .full = full});
}

void ChartBuilder::pointTexts() {
    constexpr std::size_t kAlways = 3;  // so few points are asked about: their names are wanted before all others
    constexpr double kWidest = 160;
    for (const bool must : {true, false})
        for (std::size_t s = chart_.series.size(); s-- > 0;) {  // what is drawn last matters most
            const Series& series = chart_.series[s];
            if (hidden(s) || !namesPoints(series) || (length(series) <= kAlways) != must) continue;
            for (const PlacedPoint& point : pointsOf(series, out_)) {
                const std::string whole = labelOf(series, point.point);
                const std::string text = fit(whole, kWidest);
                if (text.empty()) continue;
                if (const std::optional<Rect> area = placeBeside(point.at, 3.5, width(text), must))
                    label(*area, text, whole);
            }
        }
}

void ChartBuilder::edgeArrows() {
    struct Pointed {
        const Series* series;
        std::size_t point;
        Point target, at;
    };
    const Rect& plot = out_.plot;
    const auto isAcross = [&](Point target) { return target.x < plot.x || target.x > plot.right(); };
    std::vector<Pointed> arrows;
    for (std::size_t s = 0; s < chart_.series.size(); ++s) {
        const Series& series = chart_.series[s];
        if (hidden(s) || !series.edgeArrows) continue;
        for (std::size_t i = 0; i < length(series); ++i) {
            if (!shown(series, i)) continue;
            const Point target = place(out_.x.pixel(series.x[i]), out_.y.pixel(series.y[i]));
            const bool inside = target.x >= plot.x - 0.5 && target.x <= plot.right() + 0.5 &&
                                target.y >= plot.y - 0.5 && target.y <= plot.bottom() + 0.5;
            if (!inside) arrows.push_back({&series, i, target, edgeArrow(series, target)});
        }
    }
    // Names after all arrows, so that none lies over another's arrow.
    for (const Pointed& arrow : arrows) {
        std::string full = labelOf(*arrow.series, arrow.point);
        const bool outX = isAcross(arrow.target) != chart_.horizontal;
        full +=
            (full.empty() ? "" : ", ") +
            tickText(outX ? arrow.series->x[arrow.point] : arrow.series->y[arrow.point], outX ? chart_.x : chart_.y);
        const std::string text = fit(full, plot.width / 2);
        if (const std::optional<Rect> beside = placeBeside(arrow.at, kArrowSide, width(text), true))
            label(*beside, text, full);
    }
}

Point ChartBuilder::edgeArrow(const Series& series, Point target) {
    constexpr double kInset = 8, kStep = 16, kMaxSteps = 8;
    const Rect& plot = out_.plot;
    Point at{std::clamp(target.x, plot.x + kInset, plot.right() - kInset),
             std::clamp(target.y, plot.y + kInset, plot.bottom() - kInset)};
    const bool across = target.x < plot.x || target.x > plot.right();
    const double dx = across ? (target.x < plot.x ? -1 : 1) : 0;
    const double dy = across ? 0 : (target.y < plot.y ? -1 : 1);
    const auto area = [&] { return Rect{at.x - kArrowSide, at.y - kArrowSide, 2 * kArrowSide, 2 * kArrowSide}; };
    for (int step = 0; step < kMaxSteps && touches(marks_, area()); ++step)
        (across ? at.y : at.x) +=
            (across ? at.y : at.x) > (across ? plot.y : plot.x) + kStep * kMaxSteps ? -kStep : kStep;
    marks_.push_back(area());
    const double side = kArrowSide;
    out_.front.shapes.push_back(Path{.points = {{at.x + dx * side, at.y + dy * side},
                                                {at.x - dx * side + dy * side, at.y - dy * side + dx * side},
                                                {at.x - dx * side - dy * side, at.y - dy * side - dx * side}},
                                     .fill = colourOf(series)});
    return at;
}

bool ChartBuilder::isFree(const Rect& area) const {
    return !touches(taken_, area);
}

namespace {

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

namespace {

constexpr double kDense = 12;                  ///< pixels of line per pixel along x, from which on it is dense
constexpr double kDash = 6, kDashAndGap = 10;  ///< pixels along x

/// Whether the line in sight is so long for its way along x; false for lines that run back.
bool isDense(const std::vector<Point>& part, const Rect& plot) {
    double up = 0;
    double along = 1;
    for (std::size_t i = 1; i < part.size(); ++i) {
        const Point& a = part[i - 1];
        const Point& b = part[i];
        if (b.x < a.x) return false;
        if (b.x < plot.x || a.x > plot.right()) continue;
        up += std::fabs(std::clamp(b.y, plot.y, plot.bottom()) - std::clamp(a.y, plot.y, plot.bottom()));
        along += std::min(b.x, plot.right()) - std::max(a.x, plot.x);
    }
    return up > kDense * along;
}

/// How far a line reaches up and down in every column of pixels from `from` on.
std::vector<Hull> hullsOf(const std::vector<Point>& part, double from, double to) {
    std::vector<Hull> columns(static_cast<std::size_t>(std::max(0.0, to - from)) + 1);
    const auto columnAt = [&](double x) {
        return std::min(static_cast<std::size_t>(std::max(0.0, x - from)), columns.size() - 1);
    };
    for (std::size_t i = 1; i < part.size(); ++i) {
        const Point& a = part[i - 1];
        const Point& b = part[i];
        if (b.x < from || a.x > to) continue;
        const double slope = b.x > a.x ? (b.y - a.y) / (b.x - a.x) : 0;
        for (std::size_t column = columnAt(a.x); column <= columnAt(b.x); ++column) {
            const double left = from + static_cast<double>(column);
            columns[column].add(a.x >= left ? a.y : a.y + (left - a.x) * slope);
            columns[column].add(b.x <= left + 1 ? b.y : a.y + (left + 1 - a.x) * slope);
        }
    }
    return columns;
}

/// Adds what columns have in common as one rectangle, what halves of them have in common beyond it as others, and so
/// on.
void addCommon(const Rect* first, const Rect* last, Hull done, std::vector<Rect>& into) {
    double top = first->y;
    double bottom = first->bottom();
    for (const Rect* each = first; each != last; ++each) {
        top = std::max(top, each->y);
        bottom = std::min(bottom, each->bottom());
    }
    const auto add = [&](double from, double to) {
        if (to > from) into.push_back({first->x, from, (last - 1)->right() - first->x, to - from});
    };
    if (top < bottom) {
        add(top, done.empty() ? bottom : done.low);
        if (!done.empty()) add(done.high, bottom);
        done = {top, bottom};
    }
    if (last - first == 1) return;
    const Rect* const middle = first + (last - first) / 2;
    addCommon(first, middle, done, into);
    addCommon(middle, last, done, into);
}

/// The same area in fewer rectangles: wide ones are painted in a fraction of the time of narrow ones.
std::vector<Rect> merged(const std::vector<Rect>& columns) {
    constexpr std::size_t kMax = 64;
    std::vector<Rect> boxes;
    for (std::size_t from = 0, to = 0; from < columns.size(); from = to) {
        const auto isNext = [&](std::size_t i) { return columns[i].x - columns[i - 1].right() < columns[i].width / 2; };
        for (to = from + 1; to < columns.size() && to - from < kMax && isNext(to);) ++to;
        addCommon(columns.data() + from, columns.data() + to, {}, boxes);
    }
    return boxes;
}

}  // namespace

std::vector<Rect> areaCovered(const std::vector<Point>& part, double width, bool dashed, const Rect& plot,
                              double perPixel) {
    std::vector<Rect> covered;
    if (!isDense(part, plot)) return covered;
    const double from = std::floor(std::max(part.front().x, plot.x - width));
    const double to = std::min(part.back().x, plot.right() + width);
    const std::vector<Hull> columns = hullsOf(part, from, to);
    const auto columnAt = [&](double x) {
        const auto index = static_cast<std::size_t>(std::max(0.0, x - from));
        return columns[std::min(index, columns.size() - 1)];
    };
    for (double place = std::ceil(from * perPixel); place < (to + 1) * perPixel; ++place) {
        const double middle = (place + 0.5) / perPixel;
        if (dashed && std::fmod(middle - from, kDashAndGap) >= kDash) continue;
        Hull reach = columnAt(middle - width / 4);  // so that a line straight up is as wide as a line
        const Hull after = columnAt(middle + width / 4);
        if (reach.empty() || after.empty()) continue;
        reach.add(after.low);
        reach.add(after.high);
        const double top = std::max(reach.low - width / 2, plot.y);
        const double height = std::min(reach.high + width / 2, plot.bottom()) - top;
        if (height > 0) covered.push_back({place / perPixel, top, 1 / perPixel, height});
    }
    return merged(covered);
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

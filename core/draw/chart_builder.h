#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/draw/chart_layout.h"
#include "core/draw/colour_key.h"
#include "core/draw/measures.h"

/// Implementation of `layOut(Chart)`, private to chart_*.cpp: chart_layout.cpp (the whole, title, legend, notes),
/// chart_axes.cpp, chart_bars.cpp, chart_curves.cpp, chart_density.cpp, chart_field.cpp and chart_bounds.cpp.
namespace tessera::report {

inline constexpr int kTitle = 16;
inline constexpr double kTitleHeight = 30;
inline constexpr double kWidestName = 0.3;   ///< of the picture: names of categories, direct labels
inline constexpr double kShortestName = 44;  ///< pixels of a turned one
inline constexpr double kThickestBar = 22;
inline constexpr double kMinBar = 2;    ///< thinner bars are folded
inline constexpr double kUpright = 13;  ///< a line of text turned by 90°
inline constexpr std::size_t kMaxDirect = 4;
inline constexpr std::size_t kMaxDirectTall = 8;  ///< in a picture that is high enough
inline constexpr double kDirectLine = 14;
inline constexpr double kPointRoom = 0.03;     ///< of an axis, beyond points
inline constexpr std::size_t kFewPoints = 24;  ///< a curve of so few points shows them
inline constexpr int kMaxTicks = 5;            ///< of an axis
inline constexpr int kMaxNamed = 24;           ///< of one whose places have names
inline constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

inline bool isBars(const Series& series) {
    return series.mark == Mark::bars || series.mark == Mark::stackedBars;
}
inline bool isCurve(const Series& series) {
    return series.mark == Mark::line || series.mark == Mark::steps;
}

inline std::string colourOf(const Series& series) {
    if (series.mark == Mark::bound) return "text";
    return series.dimmed ? "disabled" : series.colour.empty() ? "accent" : series.colour;
}
inline double opacityOf(const Series& series) {
    return series.dimmed ? 0.35 : series.opacity;
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

/// Rounds up to whole steps, from 1 to 1e9.
inline std::size_t wholeSteps(double steps) {
    return steps < 1e9 ? static_cast<std::size_t>(std::max(1.0, std::ceil(steps))) : 1'000'000'000;
}

/// Lays one chart out.
class ChartBuilder {
public:
    ChartBuilder(const Chart& chart, const ChartView& view, Size size, const TextWidth& measure)
        : chart_(chart), view_(view), size_(size), measure_(measure) {}
    ChartLayout build();

private:
    /// Of what has a tone in a series; the series' own colour where its points have none.
    std::string fillOf(const Series& series, std::size_t tone) const {
        return series.tones.empty() || chart_.key.palette.empty() ? colourOf(series) : colourOf(chart_.key, tone);
    }
    double width(const std::string& text, bool strong = false) const { return measure_(text, kCaption, strong); }
    std::string fit(const std::string& text, double max, bool strong = false) const;
    /// The name of a category, `every` of which are written.
    std::string fitName(std::size_t category, std::size_t every, double max) const;
    bool hidden(std::size_t series) const { return series < view_.hidden.size() && view_.hidden[series]; }
    /// True if only bounds are left to draw and the legend can show the rest again.
    bool allHidden() const;
    bool elsewhere(std::size_t series) const { return series < view_.elsewhere.size() && view_.elsewhere[series]; }
    bool isCategorical() const { return !chart_.x.categories.empty() || hasBars_; }
    std::size_t length(const Series& series) const { return std::min(series.x.size(), series.y.size()); }
    bool shown(const Series& series, std::size_t i) const;
    /// The place on the other axis of a value along x (true) or y.
    Point place(double x, double y) const { return chart_.horizontal ? Point{y, x} : Point{x, y}; }
    void title();
    /// Values of bars by category, and the number of categories.
    void tabulate();
    double barValue(std::size_t series, std::size_t category) const;
    /// The stack of a category: how far it goes up and down.
    std::pair<double, double> stack(std::size_t category) const;

    // ---- what stands around the plot ----

    bool isDirect() const;
    void legend();
    void key(std::size_t s, Point at, const std::string& text);
    void notes();
    ChartLayout nothing();

    // ---- axes ----

    /// Computes the ranges of the axes; false where there is nothing. Hidden series do not count unless `withHidden`.
    bool ranges(bool withHidden);
    void addWithErrors(Hull& hull, std::size_t s, std::size_t category, double value);
    static Stretch padded(const Hull& hull, const Axis& axis, bool fromZero, double part);
    /// Initial range of an axis: its focus, else everything.
    static Stretch home(const Axis& axis, const Stretch& whole);
    std::string axisTitle(const Axis& axis) const;
    /// Values of the ticks in sight.
    std::vector<double> places(const Scale& scale, const Axis& axis, int max) const;
    bool isNamed() const { return isCategorical(); }
    std::string categoryName(std::size_t index) const;
    std::pair<std::size_t, std::size_t> categoriesInSight() const;
    double widestName(std::size_t max) const;
    void margins();
    void setScales();
    void axisTitles(const std::string& xTitle, const std::string& yTitle);
    double widestTick(const Scale& scale, const Axis& axis) const;
    /// Room to the right of horizontal bars for their values.
    double textMargin() const;
    double labelMargin() const;
    double step() const;
    /// Names of categories below: in a row where they fit, else turned.
    double nameHeight();
    void grid();
    /// Grid lines and texts of a continuous axis; `across` = its values run from left to right.
    void valueGrid(const Scale& scale, const Axis& axis, bool across);
    void names();

    // ---- inside the plot ----

    void begin(Drawing& drawing) const { drawing.shapes.push_back(Clip{out_.plot}); }
    static void end(Drawing& drawing) { drawing.shapes.push_back(Clip{}); }
    double base() const { return out_.y.logarithmic ? out_.y.from : std::clamp(out_.y.pixel(0), lowEnd(), highEnd()); }
    double lowEnd() const { return std::min(out_.y.from, out_.y.to); }
    double highEnd() const { return std::max(out_.y.from, out_.y.to); }
    double inPlot(double value) const { return std::clamp(out_.y.pixel(value), lowEnd() - 2, highEnd() + 2); }
    std::string barText(std::size_t s, std::size_t category) const;
    std::string totalText(std::size_t category) const;
    /// One category of each run of neighbours that share a bar: the largest.
    std::size_t largest(std::size_t from, std::size_t to) const;
    void bars();
    /// Thickness of one of the bars that share a band of a category.
    double barThickness(double band, double slots) const;
    void band(std::size_t category, double start, double thickness);
    Rect barRect(double at, double thickness, double from, double to) const;
    void single(std::size_t s, std::size_t category, double at, double thickness);
    void interval(std::size_t s, std::size_t point, const Rect& area, double middle);
    void box(std::size_t s, std::size_t point, const Rect& area, double thickness);
    std::string tip(const Series& series, std::size_t point) const;
    void pile(std::size_t category, double at, double thickness);
    void errorBar(const Series& series, std::size_t point, double middle, double cap);
    void barTexts();
    /// True if the value of every upright bar fits above it; some without theirs would look wrong.
    bool valuesFit() const;
    static void extend(Rect& whole, const Rect& area);
    /// A bar together with its error bar.
    Rect withError(const ChartLayout::Bar& bar) const;
    /// A bar that runs to the right, together with the points of its category that its text would lie on.
    Rect withPoints(Rect bar, std::size_t category) const;
    /// `inside`: the colour of a text that stands in the bar, since a bound crosses the place behind it.
    void endText(const Rect& bar, const std::string& text, bool negative, const std::string& inside = {});
    bool meetsBound(const Rect& area) const;
    static bool meets(const std::vector<std::vector<Point>>& lines, const Rect& area);
    /// Draws the placeholder text of a category without bars.
    void insteadText(std::size_t category);
    void segmentText(const ChartLayout::Bar& bar, const Series& series);
    /// Hexagons in place of very many points.
    void density();
    /// Values below all else.
    void field();
    /// What the colours of points mean.
    void colourKey();
    void curves();
    void markers(std::size_t s, double radius);
    /// Points and the markers of short curves, whole also at the plot's edge.
    void marks();
    /// Label of a point; empty = none.
    std::string labelOf(const Series& series, std::size_t point) const;
    /// True if the points of a series are labelled one by one.
    static bool namesPoints(const Series& series);
    bool hasNamedPoints() const;
    void pointTexts();
    /// Arrows at the edge for points out of sight, with their names.
    void edgeArrows();
    /// Draws the arrow at the edge nearest to a point outside, and returns where.
    Point edgeArrow(const Series& series, Point target);
    /// Finds a place beside a mark where a text of this size overlaps nothing: preferably no text, mark, point or
    /// curve; with `must` at least no text.
    std::optional<Rect> placeBeside(Point at, double radius, double w, bool must);
    void label(const Rect& area, const std::string& text, const std::string& full);
    bool isFree(const Rect& area) const;

    // ---- bounds ----

    /// The line of a bound: over the whole plot, along a curve, or across each category it is given for.
    std::vector<std::vector<Point>> boundLine(const Series& series) const;
    /// The area between the lower and the upper curve of a band.
    void bandArea(const Series& series);
    void regions();
    /// The hatched sides of bounds; with `cover` what was drawn there is hidden.
    void impossible(Drawing& drawing, bool cover) const;
    /// Large points whose middle is at a bound would reach beyond it.
    void cutAtBounds();
    void boundLines();
    void boundTexts();
    void boundText(std::size_t s, const std::vector<std::vector<Point>>& lines);
    /// x at which a text of width `w` at height `y` overlaps no curve: right, left or middle; empty if there is none.
    std::optional<double> clearOfCurves(double y, double w) const;
    bool isCrossed(const Rect& area) const;

    // ---- labels at the ends of curves ----

    void directLabels();
    /// The height at which a curve leaves the plot's right side.
    double endOf(const Series& series) const;
    const Chart& chart_;
    const ChartView& view_;
    Size size_;
    const TextWidth& measure_;
    ChartLayout out_;
    double top_ = 0, bottom_ = 0;
    double nameRoom_ = 0;  ///< for turned names of categories
    bool hasBars_ = false, direct_ = false, turned_ = false, folded_ = false, valuesFit_ = true;
    std::size_t categories_ = 0, side_ = 1;
    std::vector<std::vector<std::int64_t>> pointAt_;                ///< by series and category; -1 = none
    std::vector<Rect> taken_;                                       ///< where texts stand
    std::vector<Rect> marks_, clouds_;                              ///< where named points and all others stand
    mutable std::optional<std::vector<std::vector<Point>>> lines_;  ///< of curves, once they were requested
};

}  // namespace tessera::report

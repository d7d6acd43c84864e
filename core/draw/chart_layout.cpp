#include "core/draw/chart_layout.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/text.h"
#include "core/draw/chart_builder.h"

namespace tessera::report {

ChartLayout ChartBuilder::build() {
    out_.back.width = out_.front.width = size_.width;
    out_.back.height = out_.front.height = size_.height;
    out_.back.title = out_.front.title = chart_.title;
    title();
    tabulate();
    legend();
    colourKey();
    notes();
    // Where all curves are hidden the axes stay, and with them the names to click on.
    if (!ranges(false) && !(allHidden() && ranges(true))) return nothing();
    margins();
    field();
    grid();
    regions();
    begin(out_.back);
    bars();
    end(out_.back);
    begin(out_.front);
    density();
    curves();
    boundLines();
    end(out_.front);
    marks();
    cutAtBounds();
    edgeArrows();
    barTexts();
    pointTexts();
    boundTexts();
    directLabels();
    return std::move(out_);
}

std::string ChartBuilder::fit(const std::string& text, double max, bool strong) const {
    return fitted(text, max, kCaption, strong, measure_);
}

std::string ChartBuilder::fitName(std::size_t category, std::size_t every, double max) const {
    std::vector<std::string> names;
    if (category >= every) names.push_back(categoryName(category - every));
    if (category + every < categories_) names.push_back(categoryName(category + every));
    return fittedApart(categoryName(category), {names.begin(), names.end()}, max, kCaption, measure_);
}

bool ChartBuilder::shown(const Series& series, std::size_t i) const {
    return isShown(series.x[i], chart_.x) && isShown(series.y[i], chart_.y);
}

void ChartBuilder::title() {
    const std::string line = fitted(chart_.title, size_.width - view_.titleRoomLess, kTitle, true, measure_);
    out_.back.shapes.push_back(Label{
        .at = {0, 18}, .text = line, .colour = "text", .size = kTitle, .strong = true, .full = escaped(chart_.title)});
    top_ = chart_.title.empty() ? 4 : kTitleHeight;
    bottom_ = size_.height;
}

void ChartBuilder::tabulate() {
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
            if (isShown(series.y[i], chart_.y) && series.x[i] >= 0 && series.x[i] < static_cast<double>(categories_))
                pointAt_[s][static_cast<std::size_t>(series.x[i])] = static_cast<std::int64_t>(i);
    }
}

bool ChartBuilder::allHidden() const {
    bool any = false;
    for (std::size_t s = 0; view_.allKeys && s < chart_.series.size(); ++s) {
        if (chart_.series[s].mark == Mark::bound) continue;
        if (!hidden(s)) return false;
        any = true;
    }
    return any;
}

double ChartBuilder::barValue(std::size_t series, std::size_t category) const {
    if (pointAt_[series].empty() || pointAt_[series][category] < 0) return kNothing;
    return chart_.series[series].y[static_cast<std::size_t>(pointAt_[series][category])];
}

std::pair<double, double> ChartBuilder::stack(std::size_t category) const {
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

bool ChartBuilder::isDirect() const {
    std::size_t curves = 0;
    for (const Series& series : chart_.series) {
        if (isCurve(series)) ++curves;
        if (isBars(series) || series.mark == Mark::points) return false;
    }
    const bool tall = size_.height > 2 * kDirectLine * static_cast<double>(curves);
    return curves > 1 && curves <= (tall ? kMaxDirectTall : kMaxDirect);
}

void ChartBuilder::legend() {
    direct_ = isDirect();
    if (direct_) return;
    std::vector<std::size_t> listed;
    for (std::size_t s = 0; s < chart_.series.size(); ++s)
        if (chart_.series[s].mark != Mark::bound && !chart_.series[s].name.empty() && (view_.allKeys || !hidden(s)))
            listed.push_back(s);
    // Bars are named by their categories; points among them by the legend alone.
    const bool marked = hasBars_ && listed.size() == 1 && chart_.series[listed.front()].mark == Mark::points;
    if (listed.size() < 2 && !marked) return;
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

void ChartBuilder::key(std::size_t s, Point at, const std::string& text) {
    const Series& series = chart_.series[s];
    const std::string colour = hidden(s) ? "disabled" : colourOf(series);
    if (isBars(series))
        out_.back.shapes.push_back(Box{.area = {at.x, at.y - 9, 10, 10},
                                       .fill = series.dashed ? "surface" : colour,
                                       .stroke = series.dashed ? colour : "",
                                       .radius = 2,
                                       .opacity = opacityOf(series)});
    else if (series.mark == Mark::points)
        out_.back.shapes.push_back(Marker{
            .at = {at.x + 5, at.y - 4}, .shape = shapeOf(series, s), .fill = colour, .opacity = opacityOf(series)});
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

void ChartBuilder::notes() {
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

ChartLayout ChartBuilder::nothing() {
    out_.empty = true;
    out_.plot = {0, top_, size_.width, std::max(1.0, bottom_ - top_)};
    const std::string sentence = allHidden() ? "Everything is hidden. Click a name to show it again." : chart_.empty;
    const std::vector<std::string> lines = wrapped(sentence, size_.width * 0.8, 13, measure_);
    double y = out_.plot.y + out_.plot.height / 2 - 9 * (static_cast<double>(lines.size()) - 1);
    for (const std::string& line : lines) {
        out_.back.shapes.push_back(
            Label{.at = {size_.width / 2, y}, .text = line, .anchor = Anchor::middle, .size = 13});
        y += 18;
    }
    return std::move(out_);
}

ChartLayout layOut(const Chart& chart, const ChartView& view, Size size, const TextWidth& measure) {
    return ChartBuilder(chart, view, {std::max(size.width, 80.0), std::max(size.height, 80.0)}, measure).build();
}

std::size_t barsSideBySide(const Chart& chart, const std::vector<bool>& hidden) {
    std::unordered_map<double, std::size_t> counts;
    std::size_t max = 0;
    for (std::size_t s = 0; s < chart.series.size(); ++s) {
        if (chart.series[s].mark != Mark::bars || (s < hidden.size() && hidden[s])) continue;
        for (const double x : chart.series[s].x)
            if (std::isfinite(x)) max = std::max(max, ++counts[x]);
    }
    return max;
}

}  // namespace tessera::report

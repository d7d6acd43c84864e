#include "core/report/hardware_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "core/draw/drawing.h"
#include "core/draw/picture.h"
#include "core/study/metric.h"

namespace tessera::report {

namespace {

constexpr double kBoxHeight = 76;
constexpr double kLevelHeight = 56;
constexpr double kPageGap = 16;
constexpr double kNarrowest = 120;
constexpr std::size_t kMaxGroups = 24;
constexpr double kDotSize = 6;

std::string rateText(BytesPerSecond rate) {
    return formatQuantity(toBitsPerSecond(rate), Measure::bitsPerSecond);
}

/// Draws a fleet: inner nodes of its topology as bars above, groups as boxes below, links as brackets underneath.
class FleetDrawer {
public:
    FleetDrawer(const hardware::Fleet& fleet, double width) : fleet_(fleet), width_(std::max(width, kNarrowestPage)) {}

    Drawing draw() {
        drawing_.width = width_;
        drawing_.title = fleet_.name;
        label({0, 18}, fitted(fleet_.name, width_, 16, true, estimatedWidth), "text", Anchor::start, 16, true);
        order();
        const std::size_t shown = std::min(order_.size(), kMaxGroups);
        const bool more = shown < order_.size();
        const auto slots = static_cast<double>(std::max<std::size_t>(1, shown + (more ? 1 : 0)));
        perRow_ = std::max(1.0, std::min(slots, std::floor((width_ + kPageGap) / (kNarrowest + kPageGap))));
        boxWidth_ = std::min(260.0, (width_ - kPageGap * (perRow_ - 1)) / perRow_);
        const bool oneRow = slots <= perRow_;
        const int depth = oneRow ? depthOf(root()) : 1;
        top_ = 44 + kLevelHeight * depth;
        for (std::size_t i = 0; i < shown; ++i) group(i);
        double bottom = top_ + (kBoxHeight + kPageGap) * std::ceil(slots / perRow_);
        if (more)
            label({slot(shown).x + 8, slot(shown).y + 24}, fmt::format("and {} more groups", order_.size() - shown));
        if (oneRow)
            node(root(), 44);
        else
            label({0, 52}, "All groups are joined by one network.");
        bottom = links(bottom, oneRow);
        drawing_.height = bottom + 4;
        return std::move(drawing_);
    }

private:
    struct Node {
        const hardware::TopologyNode* given = nullptr;
    };

    void label(Point at, std::string text, const std::string& colour = "secondary", Anchor anchor = Anchor::start,
               int size = 11, bool strong = false) {
        drawing_.shapes.push_back(Label{
            .at = at, .text = std::move(text), .colour = colour, .anchor = anchor, .size = size, .strong = strong});
    }

    /// The topology, or one node over all groups.
    const hardware::TopologyNode& root() {
        if (fleet_.topology) return *fleet_.topology;
        if (flat_.children.empty())
            for (const hardware::Group& group : fleet_.groups)
                flat_.children.push_back({.group = group.name, .children = {}, .rate = std::nullopt, .latency = {}});
        return flat_;
    }

    void collect(const hardware::TopologyNode& node) {
        if (!node.group.empty()) {
            const auto found = std::find_if(fleet_.groups.begin(), fleet_.groups.end(),
                                            [&](const hardware::Group& group) { return group.name == node.group; });
            if (found != fleet_.groups.end() && place_.emplace(node.group, order_.size()).second)
                order_.push_back(static_cast<std::size_t>(found - fleet_.groups.begin()));
        }
        for (const hardware::TopologyNode& child : node.children) collect(child);
    }
    void order() {
        collect(root());
        for (std::size_t i = 0; i < fleet_.groups.size(); ++i)
            if (place_.emplace(fleet_.groups[i].name, order_.size()).second) order_.push_back(i);
    }

    static int depthOf(const hardware::TopologyNode& node) {
        int depth = 0;
        for (const hardware::TopologyNode& child : node.children) depth = std::max(depth, depthOf(child));
        return node.children.empty() ? 0 : depth + 1;
    }

    Rect slot(std::size_t index) const {
        const auto i = static_cast<double>(index);
        const double row = std::floor(i / perRow_);
        return {(i - row * perRow_) * (boxWidth_ + kPageGap), top_ + row * (kBoxHeight + kPageGap), boxWidth_,
                kBoxHeight};
    }

    void group(std::size_t index) {
        const hardware::Group& group = fleet_.groups[order_[index]];
        const Rect box = slot(index);
        const double inside = box.width - 20;
        drawing_.shapes.push_back(Box{.area = box, .fill = "raised", .stroke = "border", .radius = 6});
        label({box.x + 10, box.y + 19},
              fitted(fmt::format("{} × {}", group.count, escaped(group.name)), inside, 13, true, estimatedWidth),
              "text", Anchor::start, 13, true);
        label({box.x + 10, box.y + 35}, fitted(group.accelerator.name, inside, 11, false, estimatedWidth));
        if (const auto rate = hardware::networkRate(group))
            label({box.x + 10, box.y + 51},
                  fitted("network " + rateText(*rate) + " each", inside, 11, false, estimatedWidth));
        const auto max = static_cast<std::int64_t>(inside / (kDotSize + 3));
        const std::int64_t dots = std::min(group.count, max);
        const std::string colour(kCategories.at(order_[index] % kCategories.size()));
        for (std::int64_t i = 0; i < dots; ++i)
            drawing_.shapes.push_back(Box{
                .area = {box.x + 10 + static_cast<double>(i) * (kDotSize + 3), box.bottom() - 15, kDotSize, kDotSize},
                .fill = colour,
                .radius = 1.5,
                .opacity = dots < group.count && i + 3 >= dots ? 0.3 : 1});
    }

    /// Draws a node and returns the middle of its upper edge.
    Point node(const hardware::TopologyNode& node, double y) {
        if (node.children.empty()) {
            const auto found = place_.find(node.group);
            if (found == place_.end() || found->second >= kMaxGroups) return {-1, y};
            const Rect box = slot(found->second);
            return {box.x + box.width / 2, box.y};
        }
        std::vector<Point> below;
        double left = width_;
        double right = 0;
        for (const hardware::TopologyNode& child : node.children) {
            const Point end = this->node(child, y + kLevelHeight);
            if (end.x < 0) continue;
            below.push_back(end);
            left = std::min(left, end.x);
            right = std::max(right, end.x);
        }
        if (below.empty()) return {-1, y};
        const std::string text = node.rate ? rateText(*node.rate) : "network";
        const double middle = (left + right) / 2;
        const double wide = std::max(right - left + 40, estimatedWidth(text, 11, false) + 20);
        const double x = std::clamp(middle - wide / 2, 0.0, std::max(0.0, width_ - wide));
        for (const Point& end : below)
            drawing_.shapes.push_back(Path{.points = {{end.x, y + 24}, end}, .stroke = "control", .width = 1.5});
        drawing_.shapes.push_back(Box{.area = {x, y, wide, 24}, .fill = "surface", .stroke = "border", .radius = 12});
        label({x + wide / 2, y + 16}, text, "text", Anchor::middle);
        return {middle, y};
    }

    double links(double bottom, bool oneRow) {
        std::size_t shown = 0;
        for (const hardware::Link& link : fleet_.links) {
            const auto from = place_.find(link.from);
            const auto to = place_.find(link.to);
            if (from == place_.end() || to == place_.end() || ++shown > kMaxGroups) continue;
            const std::string text =
                rateText(link.rate) + (link.latency.value > 0 ? ", latency " + formatSeconds(link.latency) : "");
            if (!oneRow || from->second >= kMaxGroups || to->second >= kMaxGroups) {
                label({0, bottom + 12},
                      fitted(link.from + " to " + link.to + ": " + text, width_, 11, false, estimatedWidth));
                bottom += 16;
                continue;
            }
            const double a = slot(from->second).x + boxWidth_ / 2;
            const double b = slot(to->second).x + boxWidth_ / 2;
            const double edge = top_ + kBoxHeight;
            drawing_.shapes.push_back(Path{.points = {{a, edge}, {a, bottom + 4}, {b, bottom + 4}, {b, edge}},
                                           .stroke = "control",
                                           .width = 1.5,
                                           .dashed = true});
            label({(a + b) / 2, bottom + 18}, text, "text", Anchor::middle);
            bottom += 24;
        }
        return bottom;
    }

    const hardware::Fleet& fleet_;
    double width_;
    Drawing drawing_;
    hardware::TopologyNode flat_;
    std::vector<std::size_t> order_;            ///< groups from left to right
    std::map<std::string, std::size_t> place_;  ///< of a group by name
    double top_ = 0, boxWidth_ = 0, perRow_ = 1;
};

}  // namespace

Chart roofline(const hardware::Accelerator& accelerator, const std::string& dtype) {
    Chart chart;
    chart.id = "roofline";
    chart.title =
        fmt::format("Roofline of {}, {}", accelerator.name.empty() ? "the accelerator" : accelerator.name, dtype);
    chart.x = {.title = "Arithmetic intensity, FLOP per byte", .measure = Measure::count, .logarithmic = true};
    chart.y = {.title = "Reachable rate", .measure = Measure::flopsPerSecond, .logarithmic = true};
    chart.empty =
        fmt::format("Give the accelerator a peak rate in {} and a memory bandwidth to see its roofline.", dtype);
    const auto peak = accelerator.peakFlops.find(dtype);
    if (peak == accelerator.peakFlops.end() || !(peak->second.value > 0)) return chart;
    std::vector<const hardware::MemoryLevel*> levels;
    for (const hardware::MemoryLevel& level : accelerator.memory)
        if (level.bandwidth && level.bandwidth->value > 0) levels.push_back(&level);
    if (levels.empty()) return chart;
    const double top = peak->second.value;
    const auto ridge = [&](const hardware::MemoryLevel& level) { return top / level.bandwidth->value; };
    const double from = std::min(ridge(*levels.front()), ridge(*levels.back())) / 100;
    const double to = std::max(ridge(*levels.front()), ridge(*levels.back())) * 100;
    for (const hardware::MemoryLevel* level : levels) {
        const bool outer = level == levels.front();  // nothing is faster than out of the fastest level
        Series series;
        series.id = level->name;
        series.name =
            fmt::format("{} {}", level->name, formatQuantity(level->bandwidth->value, Measure::bytesPerSecond));
        series.mark = outer ? Mark::bound : Mark::line;
        series.colour = "secondary";
        series.dashed = !outer;
        series.cannotBeBelow = false;
        series.x = {from, ridge(*level)};
        series.y = {from * level->bandwidth->value, top};
        if (outer) {
            series.x.push_back(to);
            series.y.push_back(top);
            series.name = fmt::format("peak {}, {}", formatQuantity(top, Measure::flopsPerSecond), series.name);
        }
        chart.series.push_back(std::move(series));
    }
    return chart;
}

std::string fleetDrawing(const hardware::Fleet& fleet, const Theme& theme, double width) {
    return toSvg(FleetDrawer(fleet, width).draw(), theme);
}

}  // namespace tessera::report

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/theme.h"
#include "core/report/plan_links.h"
#include "core/report/plan_pictures.h"
#include "core/study/metric.h"

namespace tessera::report {

namespace {

using study::PlannedGroup;
using study::PlanOutcome;

constexpr double kCellGap = 2, kNodePad = 5, kNodeTitle = 15, kLeftOfNodes = 14;
constexpr double kHeader = 84, kGroupTitle = 26, kBelowNode = 4, kLinkTrunk = 4;
constexpr double kLane = 10, kLaneText = 18;  ///< of links between groups
constexpr std::size_t kMaxLanes = 4;
/// From here down nodes are too small for a line of text of their own.
constexpr double kSmallCell = 9;
constexpr double kLeastNode = 58;  ///< "stages 12–14" cut, "stage 127" whole
constexpr std::array kCellSizes{150.0, 132.0, 116.0, 100.0, 88.0, 76.0, 64.0, 54.0, 46.0, 38.0,
                                32.0,  26.0,  22.0,  18.0,  15.0, 12.0, 10.0, 8.0,  6.0,  5.0};
/// From here up cells say their value.
constexpr double kTellingCell = 38;
constexpr double kLargeCell = 100;  ///< in larger letters
/// Larger nodes, such as pods, are drawn in blocks.
constexpr std::int64_t kMaxDrawnNodes = 1024, kMaxPerNode = 80, kBlock = 64;
/// The ends of the ramp are too light or too dark for one of the two themes.
constexpr double kRampFrom = 0.12, kRampTo = 0.78;

double usedBy(const plan::EvaluatedStage& stage) {
    return stage.memory.total() + stage.allowance;
}

/// Nodes of a group in rows.
struct NodeGrid {
    std::int64_t perNode = 1, nodes = 1, shown = 1, columns = 1, perRow = 1;
    double cell = 0, wide = 0, high = 0, gap = 0;
    bool isSmall() const { return cell < kSmallCell; }
    std::int64_t rows() const { return (shown + perRow - 1) / perRow; }
    double height() const { return static_cast<double>(rows()) * (high + gap); }
};

/// How nodes are drawn: the size of cells, and whether those of a node stand in one line.
struct ClusterScale {
    double cell = 0;
    bool flat = false;
};

NodeGrid gridOf(const PlannedGroup& group, ClusterScale scale, double width, std::int64_t perStage) {
    const double cell = scale.cell;
    NodeGrid grid{.perNode = group.perNode > kMaxPerNode ? kBlock : std::max<std::int64_t>(group.perNode, 1),
                  .cell = cell};
    grid.nodes = (group.count + grid.perNode - 1) / grid.perNode;
    grid.shown = std::min(grid.nodes, kMaxDrawnNodes);
    grid.columns = scale.flat ? grid.perNode : std::min<std::int64_t>(grid.perNode, grid.perNode > 8 ? 8 : 4);
    const std::int64_t whole = (grid.perNode + grid.columns - 1) / grid.columns;
    const auto rows = static_cast<double>(whole);
    const double pad = grid.isSmall() ? 3 : kNodePad;
    const double gap = grid.isSmall() ? 1 : kCellGap;
    grid.wide = static_cast<double>(grid.columns) * (cell + gap) - gap + 2 * pad;
    grid.high = rows * (cell + gap) - gap + 2 * pad;
    if (!grid.isSmall()) {
        grid.wide = std::max(grid.wide, kLeastNode);
        grid.high += kNodeTitle;
    }
    grid.gap = grid.isSmall() ? 7 : 12;
    grid.perRow = std::max<std::int64_t>(1, static_cast<std::int64_t>((width - kLeftOfNodes) / (grid.wide + grid.gap)));
    // A stage is not broken over two rows where that can be.
    const std::int64_t nodesOfStage = perStage / grid.perNode;
    if (nodesOfStage > 1 && grid.perRow > nodesOfStage) grid.perRow -= grid.perRow % nodesOfStage;
    return grid;
}

/// Draws the nodes of a fleet, an accelerator a cell.
class ClusterDrawer {
public:
    ClusterDrawer(const PlanOutcome& outcome, const plan::Evaluated& its, ClusterColour colour, double width,
                  const TextWidth& measure)
        : outcome_(outcome), its_(its), colour_(colour), width_(width), measure_(measure) {
        for (std::size_t s = 0; s < its_.stages.size(); ++s) {
            low_ = std::min(low_, valueOf(s));
            high_ = std::max(high_, valueOf(s));
        }
        lanes_ = linkLanes(outcome_, its_.configuration);
        // Of many, those in use are asked about first.
        std::stable_sort(lanes_.begin(), lanes_.end(), [](const auto& a, const auto& b) { return a.inUse > b.inUse; });
        if (lanes_.size() > kMaxLanes) lanes_.resize(kMaxLanes);
        left_ = static_cast<double>(lanes_.size()) * kLane;
        taps_.resize(outcome_.groups.size());
    }

    Drawing draw() {
        drawing_.width = width_;
        drawing_.title = fmt::format("{} on {}", outcome_.model, outcome_.fleet);
        text({0, 18}, fitted(planLabel(its_.configuration), width_, 16, true, measure_), "text", 16, true);
        text({0, 36}, fitted(stageText(), width_, 11, false, measure_));
        legend(62);
        double top = kHeader;
        const ClusterScale scale = bestScale();
        for (std::size_t g = 0; g < outcome_.groups.size(); ++g) top = group(g, laneTexts(g, top), scale);
        for (std::size_t l = 0; l < lanes_.size(); ++l) lane(l);
        drawing_.height = top;
        return std::move(drawing_);
    }

private:
    double text(Point at, std::string what, const std::string& colour = "secondary", int size = 11, bool strong = false,
                Anchor anchor = Anchor::start, bool halo = false) {
        const double wide = measure_(what, size, strong);
        drawing_.shapes.push_back(Label{.at = at,
                                        .text = std::move(what),
                                        .colour = colour,
                                        .anchor = anchor,
                                        .size = size,
                                        .strong = strong,
                                        .halo = halo});
        return wide;
    }

    std::string stageText() const {
        const plan::Configuration& at = its_.configuration;
        std::string what = at.tensor > 1 ? fmt::format(": {} tensor parallel", at.tensor) : std::string();
        if (at.context > 1) what += fmt::format("{}{} context parallel", what.empty() ? ": " : " × ", at.context);
        return fmt::format(
            "A stage of a replica takes {}{}; {}, {}", formatCounted(at.perStage(), "accelerator", "accelerators"),
            what, formatCounted(at.pipeline, "stage", "stages"), formatCounted(at.data, "replica", "replicas"));
    }

    bool isMemory() const { return colour_ == ClusterColour::memory; }

    /// Share of the memory, or seconds of a micro-batch.
    double valueOf(std::size_t stage) const {
        const plan::EvaluatedStage& its = its_.stages[stage];
        if (!isMemory()) return its.forward + its.backward;
        return its.capacity > 0 ? usedBy(its) / its.capacity : 0;
    }
    std::string valueText(double value) const { return isMemory() ? study::percentText(value) : formatSeconds(value); }
    bool isEven() const {
        constexpr double kAlike = 0.01;
        return high_ - low_ < kAlike * std::max(high_, 1e-12);
    }
    std::string colourOf(double share) const {
        return quantityColour(isEven() ? 0.5 : kRampFrom + (kRampTo - kRampFrom) * share);
    }

    void legend(double y) {
        constexpr int kSteps = 6;
        constexpr double kStep = 20;
        double x = text({0, y}, isMemory() ? "Memory in use" : "Time of a micro-batch, both passes") + 10;
        if (!isEven()) x += text({x, y}, valueText(low_), "text") + 6;
        for (int i = 0; i < (isEven() ? 1 : kSteps); ++i) {
            drawing_.shapes.push_back(
                Box{.area = {x, y - 10, kStep, 12}, .fill = colourOf(static_cast<double>(i) / (kSteps - 1))});
            x += kStep;
        }
        x += 6;
        x += text({x, y}, valueText(high_), "text") + 22;
        if (its_.configuration.accelerators() < allAccelerators()) {
            drawing_.shapes.push_back(Box{.area = {x, y - 10, kStep, 12}, .fill = "surface", .stroke = "border"});
            text({x + kStep + 6, y}, "not in use");
        }
    }

    std::int64_t allAccelerators() const {
        std::int64_t sum = 0;
        for (const PlannedGroup& each : outcome_.groups) sum += each.count;
        return sum;
    }

    /// Accelerators of a group that hold the same stage.
    std::int64_t stageSize(std::size_t group) const {
        for (const plan::Part& part : its_.configuration.parts)
            if (part.group == group) return its_.configuration.perStage() * part.replicas;
        return 1;
    }

    NodeGrid gridOfGroup(std::size_t group, ClusterScale scale) const {
        return gridOf(outcome_.groups[group], scale, width_ - left_, stageSize(group));
    }

    /// Whether every group in lines takes one row, and has nodes of more than a line.
    bool canBeFlat(double cell) const {
        for (std::size_t g = 0; g < outcome_.groups.size(); ++g) {
            const NodeGrid grid = gridOfGroup(g, {cell, true});
            if (grid.rows() > 1 || outcome_.groups[g].perNode > kMaxPerNode ||
                kLeftOfNodes + static_cast<double>(grid.shown) * (grid.wide + grid.gap) > width_ - left_)
                return false;
        }
        return true;
    }

    /// The largest cells with which all groups take no more height than the picture has.
    ClusterScale bestScale() const {
        constexpr double kMaxHeight = 0.3, kLeastHeight = 290;  // as much as a window of 1280×800 shows
        const double max = std::max(kMaxHeight * width_, kLeastHeight);
        for (const double cell : kCellSizes)
            for (const bool flat : {false, true}) {
                double height = kHeader + static_cast<double>(lanes_.size()) * kLaneText;
                double widest = 0;
                for (std::size_t g = 0; g < outcome_.groups.size(); ++g) {
                    const NodeGrid grid = gridOfGroup(g, {cell, flat});
                    height += kGroupTitle + grid.height() + 10;
                    widest = std::max(widest, kLeftOfNodes + grid.wide);
                }
                if (height <= max && widest <= width_ - left_ && (!flat || canBeFlat(cell))) return {cell, flat};
            }
        return {kCellSizes.back()};
    }

    /// The stage that an accelerator of a group holds, from 0; none where it is not in use.
    std::optional<std::size_t> stageOf(std::size_t group, std::int64_t accelerator, std::int64_t& replica) const {
        const plan::Configuration& at = its_.configuration;
        std::int64_t before = 0, replicasBefore = 0;
        for (const plan::Part& part : at.parts) {
            if (part.group == group) {
                const std::int64_t place = accelerator / at.perStage();
                if (place >= std::int64_t{part.stages} * part.replicas) return std::nullopt;
                const bool areNeighbours = at.order == physical::RankOrder::dataLast;  // stages of a replica
                const std::int64_t stage = areNeighbours ? place % part.stages : place / part.replicas;
                replica = replicasBefore + (areNeighbours ? place / part.stages : place % part.replicas);
                return static_cast<std::size_t>(before + stage);
            }
            if (at.isStacked())
                before += part.stages;
            else
                replicasBefore += part.replicas;
        }
        return std::nullopt;
    }

    std::string tipOf(std::size_t stage, std::int64_t replica) const {
        const plan::EvaluatedStage& its = its_.stages[stage];
        return fmt::format("stage {}, {}; replica {}; {} of {} of memory; {} a micro-batch", stage + 1,
                           formatCounted(its.layers, "layer", "layers"), replica + 1,
                           formatQuantity(usedBy(its), Measure::bytes), formatQuantity(its.capacity, Measure::bytes),
                           formatSeconds(its.forward + its.backward));
    }

    void node(std::size_t group, std::int64_t first, std::int64_t count, Point corner, const NodeGrid& grid) {
        const Rect area{corner.x, corner.y, grid.wide, grid.high};
        drawing_.shapes.push_back(Box{.area = area, .fill = "raised", .stroke = "border", .radius = 4});
        std::optional<std::size_t> min, max;
        const double pad = grid.isSmall() ? 3 : kNodePad, gap = grid.isSmall() ? 1 : kCellGap;
        const double top = area.y + pad + (grid.isSmall() ? 0 : kNodeTitle);
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t row = i / grid.columns, column = i % grid.columns;
            const Rect at{area.x + pad + static_cast<double>(column) * (grid.cell + gap),
                          top + static_cast<double>(row) * (grid.cell + gap), grid.cell, grid.cell};
            std::int64_t replica = 0;
            const std::optional<std::size_t> stage = stageOf(group, first + i, replica);
            if (!stage) {
                drawing_.shapes.push_back(Box{.area = at, .fill = "surface", .stroke = "border"});
                continue;
            }
            const std::size_t told = hasStages() ? *stage : static_cast<std::size_t>(replica);
            min = std::min(min.value_or(told), told);
            max = std::max(max.value_or(told), told);
            const double share = isEven() ? 0 : (valueOf(*stage) - low_) / (high_ - low_);
            const std::string fill = colourOf(share);
            drawing_.shapes.push_back(Box{.area = at, .fill = fill, .radius = 2, .tip = tipOf(*stage, replica)});
            if (grid.cell >= kTellingCell) {
                const int size = grid.cell >= kLargeCell ? 15 : 11;
                const std::string value = fitted(valueText(valueOf(*stage)), grid.cell - 4, size, false, measure_);
                text({at.x + at.width / 2, at.y + at.height / 2 + 0.36 * size}, value, lettersOn(fill), size, false,
                     Anchor::middle);
            }
        }
        if (min) nodeTitle(area, *min + 1, *max + 1, grid);
    }

    /// Where all hold the one stage, nodes are told by their replicas.
    bool hasStages() const { return its_.configuration.pipeline > 1; }

    void nodeTitle(const Rect& area, std::size_t first, std::size_t last, const NodeGrid& grid) {
        const std::string numbers = first == last ? fmt::format("{}", first) : fmt::format("{}–{}", first, last);
        if (grid.isSmall()) {
            if (measure_(numbers, 11, true) <= area.width)
                text({area.x + area.width / 2, area.y + area.height / 2 + 4}, numbers, "text", 11, true, Anchor::middle,
                     true);
            return;
        }
        text({area.x + kNodePad, area.y + kNodeTitle - 2},
             fitted(fmt::format("{}{} {}", hasStages() ? "stage" : "replica", first == last ? "" : "s", numbers),
                    area.width - 2 * kNodePad, 11, false, measure_));
    }

    std::string groupText(const PlannedGroup& its, const NodeGrid& grid) const {
        const auto rate = [](double bytes) { return formatQuantity(bytes, Measure::bytesPerSecond); };
        std::vector<std::string> parts;
        const std::string links =
            its.linkRate > 0 ? fmt::format(" joined by links of {} each", rate(its.linkRate)) : "";
        if (its.perNode > grid.perNode)
            parts.push_back(
                fmt::format("{}{}, drawn in blocks of {}", its.nodes() > 1 ? "nodes" : "all", links, grid.perNode));
        else if (its.perNode > 1)
            parts.push_back(fmt::format("{} of {}{}", formatCounted(its.nodes(), "node", "nodes"), its.perNode, links));
        if (hasNetwork(its)) parts.push_back(fmt::format("network of {} each", rate(its.networkRate)));
        return joined(parts, "; ");
    }

    static bool hasNetwork(const PlannedGroup& its) { return its.networkRate > 0 && its.nodes() > 1; }

    void line(Point from, Point to, const std::string& colour = "control", double width = 1.2) {
        drawing_.shapes.push_back(Path{.points = {from, to}, .stroke = colour, .width = width});
    }

    /// The network below each row of nodes, and what joins the rows.
    void network(double top, const NodeGrid& grid) {
        double last = top;
        const double trunk = left_ + kLinkTrunk;
        for (std::int64_t row = 0; row < grid.rows(); ++row) {
            const std::int64_t count = std::min(grid.perRow, grid.shown - row * grid.perRow);
            const double bottom = top + static_cast<double>(row) * (grid.high + grid.gap) + grid.high;
            last = bottom + kBelowNode;
            double right = 0;
            for (std::int64_t i = 0; i < count; ++i) {
                right = left_ + kLeftOfNodes + static_cast<double>(i) * (grid.wide + grid.gap) + grid.wide / 2;
                line({right, bottom}, {right, last});
            }
            line({trunk, last}, {right, last});
        }
        line({trunk, top + grid.high + kBelowNode}, {trunk, last});
    }

    /// What links say, above the second of the groups that they join. Returns where that group begins.
    double laneTexts(std::size_t group, double top) {
        for (const LinkLane& its : lanes_) {
            if (its.groups[1] != group) continue;
            text({left_ + kLinkTrunk, top + 10}, fitted(its.text, width_ - left_ - kLinkTrunk, 11, false, measure_),
                 its.inUse ? "accent" : "secondary");
            top += kLaneText;
        }
        return top;
    }

    /// A link between groups, beside their networks.
    void lane(std::size_t number) {
        const LinkLane& its = lanes_[number];
        const double x = kLinkTrunk + kLane * static_cast<double>(number);
        const std::string colour = its.inUse ? "accent" : "control";
        line({x, taps_[its.groups.front()].y}, {x, taps_[its.groups.back()].y}, colour, its.inUse ? 2 : 1.2);
        for (const std::size_t group : its.groups) {
            line({x, taps_[group].y}, taps_[group], colour, its.inUse ? 2 : 1.2);
            drawing_.shapes.push_back(
                Marker{.at = {x, taps_[group].y}, .radius = 2.5, .fill = colour, .tip = its.text});
        }
    }

    double group(std::size_t index, double top, ClusterScale scale) {
        const PlannedGroup& its = outcome_.groups[index];
        const NodeGrid grid = gridOfGroup(index, scale);
        const std::string name =
            fmt::format("{} × {}{}", formatCount(its.count), its.accelerator,
                        its.name == its.accelerator ? std::string() : " (" + escaped(its.name, 40) + ")");
        const double after = left_ + text({left_, top + 14}, name, "text", 13, true) + 12;
        text({after, top + 14}, fitted(groupText(its, grid), std::max(width_ - after, 0.0), 11, false, measure_));
        top += kGroupTitle;
        const bool hasTrunk = hasNetwork(its) && its.perNode <= grid.perNode;
        if (hasTrunk) network(top, grid);
        taps_[index] = hasTrunk ? Point{left_ + kLinkTrunk, top + grid.high + kBelowNode}
                                : Point{left_ + kLeftOfNodes, top + grid.high / 2};
        for (std::int64_t n = 0; n < grid.shown; ++n) {
            const std::int64_t row = n / grid.perRow, column = n % grid.perRow;
            const Point corner{left_ + kLeftOfNodes + static_cast<double>(column) * (grid.wide + grid.gap),
                               top + static_cast<double>(row) * (grid.high + grid.gap)};
            node(index, n * grid.perNode, std::min(grid.perNode, its.count - n * grid.perNode), corner, grid);
        }
        top += grid.height();
        if (grid.shown < grid.nodes) {
            text({left_, top + 10},
                 fmt::format("and {} more", formatCounted(grid.nodes - grid.shown, "node", "nodes")));
            top += 18;
        }
        return top + 10;
    }

    const PlanOutcome& outcome_;
    const plan::Evaluated& its_;
    ClusterColour colour_;
    double width_;
    const TextWidth& measure_;
    std::vector<LinkLane> lanes_;
    std::vector<Point> taps_;  ///< where links reach the groups
    double left_ = 0;          ///< of what is no link between groups
    double low_ = std::numeric_limits<double>::infinity(), high_ = 0;
    Drawing drawing_;
};

}  // namespace

Drawing planClusterDrawing(const PlanOutcome& outcome, const std::string& rank, ClusterColour colour, double width,
                           const TextWidth& measure) {
    const plan::Evaluated* its = outcome.ranked(rank);
    if (its != nullptr) return ClusterDrawer(outcome, *its, colour, width, measure).draw();
    Drawing drawing{.width = width, .height = 40, .title = outcome.fleet, .shapes = {}};
    drawing.shapes.push_back(Label{.at = {0, 18}, .text = kNoPlan});
    return drawing;
}

}  // namespace tessera::report

#include "core/report/plan_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/draw/theme.h"
#include "core/study/metric.h"

namespace tessera::report {

namespace {

using study::PlanOutcome;

constexpr std::size_t kMostBars = 12;
constexpr const char* kNothingFits =
    "Nothing fits, so there is no configuration to show. The headline says what is missing.";

/// A share of a step's time.
struct TimeRow {
    std::string_view id, name;
    double plan::TimeShares::*member;
    std::size_t colour;
};
constexpr std::array kTimeRows{TimeRow{"compute", "Compute", &plan::TimeShares::compute, 0},
                               TimeRow{"tensor", "Tensor parallelism", &plan::TimeShares::tensor, 1},
                               TimeRow{"context", "Context parallelism", &plan::TimeShares::context, 2},
                               TimeRow{"expert", "Expert parallelism", &plan::TimeShares::expert, 3},
                               TimeRow{"pipeline", "Between stages", &plan::TimeShares::pipeline, 4},
                               TimeRow{"bubble", "Bubble", &plan::TimeShares::bubble, 5},
                               TimeRow{"data", "Gradients and parameters", &plan::TimeShares::data, 6},
                               TimeRow{"optimizer", "Optimizer", &plan::TimeShares::optimizer, 7},
                               TimeRow{"start", "Start of the step", &plan::TimeShares::start, 7}};

/// What fills the memory of a stage.
struct MemoryRow {
    std::string_view id, name;
    double (*bytes)(const plan::EvaluatedStage& stage);
    std::size_t colour;
};
constexpr std::array kMemoryRows{
    MemoryRow{"parameters", "Weights, gradients, optimizer",
              [](const plan::EvaluatedStage& stage) { return stage.memory.parameters; }, 0},
    MemoryRow{"activations", "Activations in flight",
              [](const plan::EvaluatedStage& stage) { return stage.memory.activations; }, 1},
    MemoryRow{"working", "Layer or head at work",
              [](const plan::EvaluatedStage& stage) { return stage.memory.working; }, 2},
    MemoryRow{"software", "Software beside the model",
              [](const plan::EvaluatedStage& stage) { return stage.allowance; }, 5}};

Measure measureOf(plan::Objective objective) {
    switch (objective) {
        case plan::Objective::time:
            return Measure::seconds;
        case plan::Objective::energy:
            return Measure::joules;
        case plan::Objective::memory:
            return Measure::bytes;
        case plan::Objective::price:
        case plan::Objective::accelerators:
            break;
    }
    return Measure::count;
}

std::string titleOf(plan::Objective objective) {
    constexpr std::array<std::string_view, plan::kObjectives> kTitles{
        "Step time", "Price of a step (USD)", "Energy of a step", "Accelerators in use", "Memory of the fullest one"};
    return std::string(kTitles.at(static_cast<std::size_t>(objective)));
}

double totalOf(const plan::EvaluatedStage& stage) {
    return stage.memory.total() + stage.allowance;
}

}  // namespace

std::string planLabel(const plan::Configuration& configuration) {
    std::string text =
        fmt::format("tp {} · pp {} · dp {}", configuration.tensor, configuration.pipeline, configuration.data);
    if (configuration.context > 1) text += fmt::format(" · cp {}", configuration.context);
    if (configuration.expert > 1) text += fmt::format(" · ep {}", configuration.expert);
    text += fmt::format(" · mb {}", configuration.micro);
    if (configuration.chunks > 1) text += fmt::format(" · vp {}", configuration.chunks);
    if (configuration.zero > 0) text += fmt::format(" · zero {}", configuration.zero);
    if (configuration.recompute != physical::Recompute::none)
        text += fmt::format(" · {}", physical::kRecomputeNames.of(configuration.recompute));
    return text;
}

Chart planTimeChart(const PlanOutcome& outcome) {
    Chart chart{.id = "step-time", .title = "What takes the step of the best configurations", .horizontal = true};
    chart.y = {.title = "Step time", .measure = Measure::seconds, .fromZero = true};
    chart.empty = kNothingFits;
    const std::size_t shown = std::min(outcome.configurations.size(), kMostBars);
    for (const TimeRow& row : kTimeRows) {
        Series series{.id = std::string(row.id),
                      .name = std::string(row.name),
                      .mark = Mark::stackedBars,
                      .colour = std::string(kCategories.at(row.colour))};
        bool isSeen = false;
        for (std::size_t i = 0; i < shown; ++i) {
            const double value = std::max(outcome.configurations[i].time.*row.member, 0.0);
            series.x.push_back(static_cast<double>(i));
            series.y.push_back(value);
            constexpr double kLeastShare = 5e-4;
            isSeen |= value > kLeastShare * outcome.configurations[i].scores.of(plan::Objective::time);
        }
        if (isSeen) chart.series.push_back(std::move(series));
    }
    for (std::size_t i = 0; i < shown; ++i) {
        const plan::Evaluated& each = outcome.configurations[i];
        chart.x.categories.push_back(planLabel(each.configuration));
        chart.endTexts.push_back(formatQuantity(each.scores.of(plan::Objective::time), Measure::seconds));
    }
    if (shown < outcome.configurations.size())
        chart.notes.push_back(fmt::format("The first {} of {} configurations.", shown, outcome.configurations.size()));
    return chart;
}

Chart planMemoryChart(const PlanOutcome& outcome) {
    Chart chart{.id = "memory", .title = "Memory of an accelerator by stage"};
    chart.x = {.title = "Stage"};
    chart.y = {.title = "Memory", .measure = Measure::bytes, .fromZero = true};
    chart.empty = kNothingFits;
    const plan::Evaluated* best = outcome.best();
    if (best == nullptr) return chart;
    for (std::size_t s = 0; s < best->stages.size(); ++s) chart.x.categories.push_back(fmt::format("{}", s + 1));
    for (const MemoryRow& row : kMemoryRows) {
        Series series{.id = std::string(row.id),
                      .name = std::string(row.name),
                      .mark = Mark::stackedBars,
                      .colour = std::string(kCategories.at(row.colour))};
        for (std::size_t s = 0; s < best->stages.size(); ++s) {
            series.x.push_back(static_cast<double>(s));
            series.y.push_back(row.bytes(best->stages[s]));
        }
        chart.series.push_back(std::move(series));
    }
    Series capacity{.id = "capacity", .name = "Capacity", .mark = Mark::bound, .cannotBeBelow = false};
    for (std::size_t s = 0; s < best->stages.size(); ++s) {
        if (best->stages[s].capacity <= 0) continue;
        capacity.x.push_back(static_cast<double>(s));
        capacity.y.push_back(best->stages[s].capacity);
    }
    if (!capacity.x.empty()) chart.series.push_back(std::move(capacity));
    chart.title = fmt::format("Memory of an accelerator by stage: {}", planLabel(best->configuration));
    return chart;
}

Chart planFrontChart(const PlanOutcome& outcome) {
    const auto [first, second] = outcome.frontOf;
    Chart chart{.id = "front", .title = fmt::format("{} against {}", titleOf(second), lowered(titleOf(first)))};
    chart.x = {.title = titleOf(first), .measure = measureOf(first)};
    chart.y = {.title = titleOf(second), .measure = measureOf(second)};
    chart.empty = kNothingFits;
    if (outcome.front.empty()) return chart;
    Series front{
        .id = "front", .name = "No other is better in both", .mark = Mark::line, .colour = std::string(kCategories[0])};
    const std::size_t last = outcome.front.size() - 1;
    for (std::size_t i = 0; i < outcome.front.size(); ++i) {
        const study::FrontPoint& point = outcome.front[i];
        front.x.push_back(point.first);
        front.y.push_back(point.second);
        front.valueTexts.push_back(point.text);
        front.labels.push_back(i == 0 || i == last ? point.text : std::string());
    }
    chart.series.push_back(std::move(front));
    return chart;
}

Chart planSensitivityChart(const PlanOutcome& outcome) {
    Chart chart{.id = "sensitivity", .title = "What a tenth more of a resource would gain", .horizontal = true};
    chart.y = {.title = "Shorter step (%)", .fromZero = true};
    chart.empty = kNothingFits;
    const plan::Evaluated* best = outcome.best();
    if (best == nullptr) return chart;
    constexpr std::array<std::string_view, 5> kTitles{"Peak FLOP/s", "Memory bandwidth", "Memory capacity",
                                                      "Links inside a node", "Network between nodes"};
    Series gain{.id = "gain", .name = "Shorter step", .mark = Mark::bars, .colour = std::string(kCategories[0])};
    const double step = best->scores.of(plan::Objective::time);
    for (const plan::Sensitivity& each : outcome.sensitivities) {
        gain.x.push_back(static_cast<double>(chart.x.categories.size()));
        const double percent = each.seconds > 0 ? 100 * std::max(1 - each.seconds / step, 0.0) : 0;
        gain.y.push_back(percent);
        gain.valueTexts.push_back(fmt::format("{:.1f} %", percent));
        chart.x.categories.emplace_back(kTitles.at(static_cast<std::size_t>(each.resource)));
    }
    chart.series.push_back(std::move(gain));
    chart.notes = {"Of the listed configurations, judged again; a new search may find more."};
    return chart;
}

Chart planCountChart(const PlanOutcome& outcome) {
    Chart chart{
        .id = "configurations",
        .title = fmt::format("What became of {} configurations", formatCount(static_cast<double>(outcome.counted.all))),
        .horizontal = true};
    chart.y = {.title = "Configurations", .fromZero = true};
    Series counts{.id = "count", .name = "Configurations", .mark = Mark::bars, .colour = std::string(kCategories[0])};
    const auto add = [&](const char* name, std::int64_t count) {
        if (count == 0) return;
        counts.x.push_back(static_cast<double>(chart.x.categories.size()));
        counts.y.push_back(static_cast<double>(count));
        counts.valueTexts.push_back(formatCount(static_cast<double>(count)));
        chart.x.categories.emplace_back(name);
    };
    add("fit and were compared", outcome.counted.fitting);
    add("cannot be faster than those, by a bound", outcome.counted.bounded);
    add("too slow for the deadline", outcome.counted.late);
    add("weights, gradients, optimizer do not fit", outcome.counted.parameters);
    add("activations do not fit", outcome.counted.activations);
    add("layer or head at work does not fit", outcome.counted.working);
    chart.series.push_back(std::move(counts));
    return chart;
}

namespace {

constexpr double kCell = 18, kLeastCell = 5, kCellGap = 2, kNodePad = 5, kNodeGap = 10, kNodeTitle = 15;
constexpr double kGroupTitle = 30, kLegend = 46;
constexpr std::int64_t kMostNodes = 160;

/// Draws the nodes of a fleet, an accelerator a cell.
class ClusterDrawer {
public:
    ClusterDrawer(const PlanOutcome& outcome, ClusterColour colour, double width)
        : outcome_(outcome), best_(*outcome.best()), colour_(colour), width_(width) {
        for (const plan::EvaluatedStage& stage : best_.stages)
            longest_ = std::max(longest_, stage.forward + stage.backward);
    }

    Drawing draw() {
        drawing_.width = width_;
        drawing_.title = fmt::format("{} on {}", outcome_.model, outcome_.fleet);
        text({0, 18}, fitted(planLabel(best_.configuration), width_, 16, true, estimatedWidth), "text", 16, true);
        legend();
        double top = kLegend + 12;
        for (std::size_t g = 0; g < outcome_.groups.size(); ++g) top = group(g, top);
        drawing_.height = top;
        return std::move(drawing_);
    }

private:
    void text(Point at, std::string what, const std::string& colour = "secondary", int size = 11, bool strong = false,
              Anchor anchor = Anchor::start) {
        drawing_.shapes.push_back(Label{
            .at = at, .text = std::move(what), .colour = colour, .anchor = anchor, .size = size, .strong = strong});
    }

    void legend() {
        constexpr int kSteps = 5;
        constexpr double kStep = 22;
        double x = 0;
        text({x, kLegend - 6}, colour_ == ClusterColour::memory ? "memory in use" : "time of the stage");
        x += 108;
        for (int i = 0; i <= kSteps; ++i) {
            drawing_.shapes.push_back(
                Box{.area = {x, kLegend - 16, kStep, 12}, .fill = quantityColour(static_cast<double>(i) / kSteps)});
            x += kStep;
        }
        text({x + 6, kLegend - 6}, colour_ == ClusterColour::memory ? "all of it" : "the slowest stage");
        x += 130;
        drawing_.shapes.push_back(Box{.area = {x, kLegend - 16, kStep, 12}, .fill = "surface", .stroke = "border"});
        text({x + kStep + 6, kLegend - 6}, "not in use");
    }

    /// The stage that an accelerator of a group holds, from 0; none where it is not in use.
    std::optional<std::size_t> stageOf(std::size_t group, std::int64_t accelerator, std::int64_t& replica) const {
        const plan::Configuration& at = best_.configuration;
        std::int64_t before = 0;
        for (const plan::Part& part : at.parts) {
            if (part.group == group) {
                const std::int64_t each = at.perStage() * part.replicas, stage = accelerator / each;
                if (stage >= part.stages) return std::nullopt;
                replica = accelerator % each / at.perStage();
                return static_cast<std::size_t>(before + stage);
            }
            if (at.isStacked()) before += part.stages;
        }
        return std::nullopt;
    }

    double shareOf(std::size_t stage) const {
        const plan::EvaluatedStage& its = best_.stages[stage];
        if (colour_ == ClusterColour::time) return longest_ > 0 ? (its.forward + its.backward) / longest_ : 0;
        return its.capacity > 0 ? totalOf(its) / its.capacity : 0;
    }

    std::string tipOf(std::size_t stage, std::int64_t replica) const {
        const plan::EvaluatedStage& its = best_.stages[stage];
        return fmt::format("stage {}, {}; replica {}; {} of memory; {} a micro-batch", stage + 1,
                           formatCounted(its.layers, "layer", "layers"), replica + 1,
                           formatQuantity(totalOf(its), Measure::bytes),
                           formatQuantity(its.forward + its.backward, Measure::seconds));
    }

    void node(std::size_t group, std::int64_t first, std::int64_t count, const Rect& area, double cell,
              std::int64_t columns) {
        drawing_.shapes.push_back(Box{.area = area, .fill = "raised", .stroke = "border", .radius = 4});
        std::optional<std::size_t> least, most;
        for (std::int64_t i = 0; i < count; ++i) {
            const Rect at{area.x + kNodePad + static_cast<double>(i % columns) * (cell + kCellGap),
                          area.y + kNodeTitle + kNodePad + static_cast<double>(i / columns) * (cell + kCellGap), cell,
                          cell};
            std::int64_t replica = 0;
            const std::optional<std::size_t> stage = stageOf(group, first + i, replica);
            if (!stage) {
                drawing_.shapes.push_back(Box{.area = at, .fill = "surface", .stroke = "border"});
                continue;
            }
            least = least ? std::min(*least, *stage) : *stage;
            most = most ? std::max(*most, *stage) : *stage;
            drawing_.shapes.push_back(
                Box{.area = at, .fill = quantityColour(shareOf(*stage)), .radius = 2, .tip = tipOf(*stage, replica)});
        }
        if (!least) return;
        const std::string name =
            *least == *most ? fmt::format("stage {}", *least + 1) : fmt::format("stages {}–{}", *least + 1, *most + 1);
        text({area.x + kNodePad, area.y + kNodeTitle - 2},
             fitted(name, area.width - 2 * kNodePad, 11, false, estimatedWidth), "secondary");
    }

    double group(std::size_t index, double top) {
        const study::PlannedGroup& its = outcome_.groups[index];
        const std::int64_t perNode = std::clamp<std::int64_t>(its.perNode, 1, 64);
        const std::int64_t nodes = (its.count + perNode - 1) / perNode, shown = std::min(nodes, kMostNodes);
        text({0, top + 14},
             fmt::format("{} × {}{}", formatCount(static_cast<double>(its.count)), its.accelerator,
                         its.name == its.accelerator ? std::string() : " (" + its.name + ")"),
             "text", 13, true);
        top += kGroupTitle - 6;
        const std::int64_t columns = std::min<std::int64_t>(perNode, perNode > 8 ? 8 : 4);
        const auto rows = static_cast<double>((perNode + columns - 1) / columns);
        // Smaller cells where there are many nodes.
        const double cell =
            std::clamp(kCell - 6 * std::log2(std::max(1.0, static_cast<double>(shown) / 24)), kLeastCell + 4, kCell);
        const double wide = std::max(static_cast<double>(columns) * (cell + kCellGap) - kCellGap + 2 * kNodePad, 62.0);
        const double high = kNodeTitle + rows * (cell + kCellGap) - kCellGap + 2 * kNodePad;
        const double perRow = std::max(1.0, std::floor((width_ + kNodeGap) / (wide + kNodeGap)));
        for (std::int64_t n = 0; n < shown; ++n) {
            const double row = std::floor(static_cast<double>(n) / perRow);
            const Rect area{(static_cast<double>(n) - row * perRow) * (wide + kNodeGap), top + row * (high + kNodeGap),
                            wide, high};
            node(index, n * perNode, std::min(perNode, its.count - n * perNode), area, cell, columns);
        }
        top += std::ceil(static_cast<double>(shown) / perRow) * (high + kNodeGap);
        if (shown < nodes) {
            text({0, top + 10},
                 fmt::format("and {} more", formatCounted(static_cast<double>(nodes - shown), "node", "nodes")));
            top += 18;
        }
        return top + 6;
    }

    const PlanOutcome& outcome_;
    const plan::Evaluated& best_;
    ClusterColour colour_;
    double width_;
    double longest_ = 0;
    Drawing drawing_;
};

}  // namespace

Drawing planClusterDrawing(const PlanOutcome& outcome, ClusterColour colour, double width) {
    if (outcome.best() == nullptr) {
        Drawing drawing{.width = width, .height = 40, .title = outcome.fleet, .shapes = {}};
        drawing.shapes.push_back(Label{.at = {0, 18}, .text = kNothingFits});
        return drawing;
    }
    return ClusterDrawer(outcome, colour, width).draw();
}

}  // namespace tessera::report

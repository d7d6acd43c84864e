#include "core/report/codesign_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/hardware/architecture.h"
#include "core/hardware/area.h"
#include "core/report/field_table.h"
#include "core/report/template_pictures.h"
#include "core/study/metric.h"
#include "core/study/schedule/study.h"

namespace tessera::report {

namespace {

using codesign::ModelResult;
using codesign::StageMemory;
using codesign::TimeParts;

struct TimePart {
    std::string_view id, name, colour;
    Seconds TimeParts::*time;
};
constexpr std::array kTimeParts{
    TimePart{"compute", "Computing", kCategories[0], &TimeParts::compute},
    TimePart{"tensor-all-reduce", "All-reduce of slices", kCategories[4], &TimeParts::tensorAllReduce},
    TimePart{"transfer", "Waiting for tensors", kCategories[1], &TimeParts::transfer},
    TimePart{"bubble", "Bubble", kCategories[5], &TimeParts::bubble},
    TimePart{"gradient-all-reduce", "All-reduce of gradients", kCategories[2], &TimeParts::gradientAllReduce},
    TimePart{"update", "Update", kCategories[3], &TimeParts::update}};

struct MemoryPart {
    std::string_view id, name, colour;
    Bytes StageMemory::*size;
};
constexpr std::array kMemoryParts{
    MemoryPart{"weights", "Weights and gradients", kCategories[0], &StageMemory::weights},
    MemoryPart{"optimizer", "Optimizer", kCategories[4], &StageMemory::optimizer},
    MemoryPart{"activations", "Activations", kCategories[1], &StageMemory::activations},
    MemoryPart{"stash", "Stored for micro-batches in flight", kCategories[2], &StageMemory::stashed},
    MemoryPart{"beside", "Fixed memory", kCategories[3], &StageMemory::beside}};

/// A model on a baseline; null where that is not known.
const ModelResult* modelOn(const codesign::Baseline& baseline, const std::string& model) {
    for (const ModelResult& each : baseline.models)
        if (each.model == model && each.feasible) return &each;
    return nullptr;
}

std::string stageName(std::size_t stage) {
    return fmt::format("Stage {}", stage + 1);
}

std::string layersText(const std::vector<std::string>& layers) {
    if (layers.empty()) return "no layers";
    const std::string first = escaped(layers.front(), 60);
    return layers.size() == 1 ? first : fmt::format("{} … {}", first, escaped(layers.back(), 60));
}

std::string unfitSentence(const ModelResult& model) {
    return fmt::format("{} does not fit: {}", modelTitle(model.model),
                       model.reason.empty() ? "no HBM of the template is large enough" : escaped(model.reason, 400));
}

template <typename Part>
Series partSeries(const Part& part) {
    return {.id = std::string(part.id),
            .name = std::string(part.name),
            .mark = Mark::stackedBars,
            .colour = std::string(part.colour)};
}

/// Parts that are nothing anywhere are not shown.
void addSeries(Chart& chart, Series series) {
    if (std::any_of(series.y.begin(), series.y.end(), [](double value) { return value > 0; }))
        chart.series.push_back(std::move(series));
}

}  // namespace

Chart explorationChart(const codesign::Result& result, bool byArea) {
    Chart chart{.id = byArea ? "exploration-area" : "exploration"};
    const auto reached = std::find_if(result.trace.begin(), result.trace.end(), [&](const codesign::TraceBucket& each) {
        return result.best && each.best >= result.best->objective;
    });
    chart.title = "Best throughput from large to small areas";
    if (reached != result.trace.end())
        chart.title = fmt::format("The best is found after {} of {} buckets, at {}", reached - result.trace.begin() + 1,
                                  result.trace.size(), formatQuantity(result.best->area.value, Measure::area));
    const bool rate = result.options.objective == codesign::Objective::mean;
    chart.x =
        byArea ? Axis{.title = "Area", .measure = Measure::area} : Axis{.title = "Buckets of area, from the largest"};
    chart.y = {.title = rate ? "Throughput (samples/s)" : "Throughput over the reference", .fromZero = true};
    chart.empty = "The search kept no steps.";
    Series max{.id = "most", .name = "best of the bucket", .mark = Mark::points, .colour = std::string(kCategories[5])};
    Series best{.id = "best", .name = "best so far", .mark = Mark::line, .colour = "accent"};
    for (std::size_t i = 0; i < result.trace.size(); ++i) {
        const codesign::TraceBucket& bucket = result.trace[i];
        const double x = byArea ? bucket.area.value : static_cast<double>(i + 1);
        const std::string text = fmt::format("{}, {} of {} evaluated", formatQuantity(bucket.area.value, Measure::area),
                                             formatCount(bucket.evaluated), formatCount(bucket.architectures));
        if (bucket.evaluated > 0) {
            max.x.push_back(x);
            max.y.push_back(bucket.max);
            max.valueTexts.push_back(text);
        }
        best.x.push_back(x);
        best.y.push_back(bucket.best);
        best.valueTexts.push_back(text);
    }
    if (!best.x.empty()) {
        chart.series.push_back(std::move(max));
        chart.series.push_back(std::move(best));
    }
    if (result.skippedByBound > 0)
        chart.notes.push_back(fmt::format("{} of {} points were evaluated; bounds ruled the others out.",
                                          formatCount(result.explored), formatCount(result.points)));
    return chart;
}

Timeline operatorTimeline(const ModelResult& model, bool backward) {
    static const codesign::PhaseSchedule kNone;
    const codesign::PhaseSchedule& phase =
        !model.schedule ? kNone : (backward ? model.schedule->backward : model.schedule->forward);
    Timeline timeline = study::coreTimeline(phase.operators);
    timeline.title = fmt::format("Operators of {}", modelTitle(model.model));
    if (!model.schedule) return timeline;
    timeline.title = fmt::format("{}, {} pass of one micro-batch: {}", escaped(model.schedule->layer, 60),
                                 backward ? "backward" : "forward", formatSeconds(phase.makespan));
    timeline.length = phase.makespan.value;
    timeline.notes.push_back(scheduleSentence(phase));
    return timeline;
}

std::string scheduleSentence(const codesign::PhaseSchedule& phase) {
    const double gain = phase.serial.value > 0 ? 1 - phase.makespan.value / phase.serial.value : 0;
    const double gap = phase.lowerBound.value > 0 ? phase.makespan.value / phase.lowerBound.value - 1 : 0;
    std::string text = gain > 5e-5
                           ? fmt::format("Branches that run side by side save {} of one operator after the other",
                                         study::percentText(gain))
                           : std::string("No schedule of the branches is better than one operator after the other");
    if (gain <= 5e-5 && !phase.optimal) text = "As long as one operator after the other";
    return text +
           (phase.optimal ? "; proven optimal." : fmt::format("; optimality gap ≤ {}.", study::percentText(gap)));
}

namespace {

/// Stages as cards from left to right, in rows; a card shows layers, replicas, load and memory.
class PlacementDrawer {
public:
    PlacementDrawer(const ModelResult& model, double width, const TextWidth& measure)
        : model_(model), measure_(measure), width_(std::max(width, kNarrowest)) {
        for (const codesign::StageResult& stage : model.stages) slowest_ = std::max(slowest_, stage.load.value);
        perRow_ = static_cast<std::size_t>(std::max(1.0, std::floor((width_ + kSpace) / (kMinCard + kSpace))));
        perRow_ = std::clamp<std::size_t>(perRow_, 1, std::max<std::size_t>(1, model.stages.size()));
        card_ = std::min(kMaxCard, (width_ + kSpace) / static_cast<double>(perRow_) - kSpace);
    }

    Drawing draw() {
        drawing_.width = width_;
        const std::int64_t used = model_.data * accelerators();
        drawing_.title = fmt::format(
            "{}: {} × {}{} on {}", modelTitle(model_.model), formatCounted(model_.pipeline, "stage", "stages"),
            formatCounted(model_.data, "replica", "replicas"),
            model_.tensorParallel > 1 ? fmt::format(", slices {} wide,", model_.tensorParallel) : std::string(),
            formatCounted(used, "accelerator", "accelerators"));
        label({0, 18}, drawing_.title, width_, "text", 16, true);
        label({0, 36},
              fmt::format("{}, {}",
                          model_.choice.microBatch > 0
                              ? "Micro-batches of " + formatCounted(model_.choice.microBatch, "sample", "samples")
                              : std::string("One micro-batch at a time in a stage"),
                          model_.choice.recompute ? "activations recomputed in the backward pass"
                                                  : "activations kept for the backward pass"),
              width_, "secondary", 11, false);
        legend();
        const std::size_t shown = std::min(model_.stages.size(), kMaxStages);
        for (std::size_t s = 0; s < shown; ++s) stage(s);
        const std::size_t rows = (shown + perRow_ - 1) / perRow_;
        double bottom = top(rows) - kSpace;
        if (shown < model_.stages.size()) {
            label({0, bottom + 20}, fmt::format("and {} more stages", model_.stages.size() - shown), width_,
                  "secondary", 11, false);
            bottom += 26;
        }
        drawing_.height = bottom + 6;
        return std::move(drawing_);
    }

private:
    static constexpr double kNarrowest = 300, kMinCard = 168, kMaxCard = 240, kSpace = 20, kHeight = 158, kHead = 74;
    static constexpr std::size_t kMaxStages = 64;

    std::int64_t accelerators() const {
        std::int64_t sum = 0;
        for (const codesign::StageResult& stage : model_.stages) sum += stage.accelerators;
        return sum;
    }
    double top(std::size_t row) const { return kHead + static_cast<double>(row) * (kHeight + kSpace); }

    void label(Point at, const std::string& text, double room, const char* colour, int size, bool strong,
               Anchor anchor = Anchor::start) {
        std::string shown = fitted(text, room, size, strong, measure_);
        drawing_.shapes.push_back(Label{.at = at,
                                        .text = shown,
                                        .colour = colour,
                                        .anchor = anchor,
                                        .size = size,
                                        .strong = strong,
                                        .full = shown == text ? std::string() : text});
    }

    void legend() {
        double x = 0;
        for (const MemoryPart& part : kMemoryParts) {
            const bool isThere = part.size != &StageMemory::beside ||
                                 std::any_of(model_.stages.begin(), model_.stages.end(),
                                             [](const auto& each) { return each.memory.beside.value > 0; });
            if (!isThere) continue;
            const double wide = measure_(part.name, 11, false);
            if (x + 14 + wide > width_) break;
            drawing_.shapes.push_back(Box{.area = {x, 48, 10, 10}, .fill = std::string(part.colour), .radius = 2});
            label({x + 14, 57}, std::string(part.name), wide + 2, "secondary", 11, false);
            x += 14 + wide + 16;
        }
    }

    /// One replica in front, the others behind it, each with a square per accelerator.
    void replicas(const Rect& box, const codesign::StageResult& stage) {
        constexpr double kSide = 11, kStep = 14;
        const auto wide = static_cast<std::int64_t>((box.width - 90) / kStep);
        const std::int64_t squares = std::clamp<std::int64_t>(stage.accelerators, 1, std::max<std::int64_t>(1, wide));
        const std::int64_t behind = std::min<std::int64_t>(model_.data - 1, 2);
        for (std::int64_t back = behind; back >= 0; --back)
            for (std::int64_t i = 0; i < squares; ++i)
                drawing_.shapes.push_back(
                    Box{.area = {box.x + 10 + static_cast<double>(i) * kStep + 3.0 * static_cast<double>(back),
                                 box.y + 50 - 3.0 * static_cast<double>(back), kSide, kSide},
                        .fill = back == 0 ? "accent" : "surface",
                        .stroke = back == 0 ? "surface" : "control",
                        .radius = 2});
        label({box.right() - 10, box.y + 60}, fmt::format("{} × {}", stage.accelerators, formatCount(model_.data)), 84,
              "secondary", 11, false, Anchor::end);
    }

    void bar(double y, const Rect& box, const std::string& name, const std::string& text) {
        label({box.x + 10, y}, name, 70, "secondary", 11, false);
        label({box.right() - 10, y}, text, box.width - 80, "text", 11, false, Anchor::end);
        drawing_.shapes.push_back(
            Box{.area = {box.x + 10, y + 5, box.width - 20, 8}, .fill = "grid-line", .radius = 2});
    }

    void memory(const Rect& box, const codesign::StageResult& stage) {
        const double y = box.y + 124;
        const double max = model_.hbm.value;
        bar(y, box, "Memory",
            fmt::format("{} of {}", memorySize(stage.memory.total()), hardware::bufferSize(model_.hbm)));
        double x = box.x + 10;
        for (const MemoryPart& part : kMemoryParts) {
            const double size = (stage.memory.*part.size).value;
            const double wide = max > 0 ? std::min(size / max, 1.0) * (box.width - 20) : 0;
            if (!(wide > 0)) continue;
            drawing_.shapes.push_back(Box{.area = {x, y + 5, std::min(wide, box.right() - 10 - x), 8},
                                          .fill = std::string(part.colour),
                                          .tip = fmt::format("{}: {}", part.name, memorySize(Bytes{size}))});
            x += wide;
        }
    }

    void stage(std::size_t index) {
        const codesign::StageResult& stage = model_.stages[index];
        const std::size_t row = index / perRow_, column = index % perRow_;
        const Rect box{static_cast<double>(column) * (card_ + kSpace), top(row), card_, kHeight};
        drawing_.shapes.push_back(Box{.area = box, .fill = "raised", .stroke = "border", .radius = 6});
        label({box.x + 10, box.y + 20}, stageName(index), box.width / 2 - 10, "text", 13, true);
        label({box.right() - 10, box.y + 20}, formatCounted(stage.layers.size(), "layer", "layers"), box.width / 2 - 10,
              "secondary", 11, false, Anchor::end);
        label({box.x + 10, box.y + 36}, layersText(stage.layers), box.width - 20, "secondary", 11, false);
        replicas(box, stage);
        bar(box.y + 88, box, "Load", formatSeconds(stage.load));
        const double share = slowest_ > 0 ? stage.load.value / slowest_ : 0;
        drawing_.shapes.push_back(Box{.area = {box.x + 10, box.y + 93, share * (box.width - 20), 8},
                                      .fill = share >= 1 ? "accent" : std::string(kCategories[5]),
                                      .radius = 2,
                                      .tip = fmt::format("forward {}, backward {} of one micro-batch",
                                                         formatSeconds(stage.forward), formatSeconds(stage.backward))});
        memory(box, stage);
        if (column + 1 < perRow_ && index + 1 < std::min(model_.stages.size(), kMaxStages)) arrow(box);
    }

    void arrow(const Rect& box) {
        const double y = box.y + 55, from = box.right() + 4, to = box.right() + kSpace - 4;
        drawing_.shapes.push_back(Path{.points = {{from, y}, {to, y}}, .stroke = "control", .width = 1.5});
        drawing_.shapes.push_back(
            Path{.points = {{to - 4, y - 4}, {to, y}, {to - 4, y + 4}}, .stroke = "control", .width = 1.5});
    }

    const ModelResult& model_;
    const TextWidth& measure_;
    double width_;
    double slowest_ = 0;
    std::size_t perRow_ = 1;
    double card_ = kMinCard;
    Drawing drawing_;
};

}  // namespace

Drawing placementDrawing(const ModelResult& model, double width, const TextWidth& measure) {
    if (!model.feasible || model.stages.empty()) {
        Drawing drawing{.width = std::max(width, 300.0), .height = 60, .title = unfitSentence(model), .shapes = {}};
        double y = 24;
        for (const std::string& line : wrapped(drawing.title, drawing.width, 13, measure)) {
            drawing.shapes.push_back(Label{.at = {0, y}, .text = line, .size = 13});
            y += 20;
        }
        drawing.height = y;
        return drawing;
    }
    return PlacementDrawer(model, width, measure).draw();
}

Chart timeChart(const codesign::Result& result, std::size_t model) {
    Chart chart{.id = "time-parts", .title = "Time breakdown of a batch", .horizontal = true};
    chart.x = {.title = ""};
    chart.y = {.title = "Time of a batch", .measure = Measure::seconds, .fromZero = true};
    chart.empty = "This model fits none of the architectures.";
    if (model >= result.perModel.size()) return chart;
    std::vector<const TimeParts*> rows;
    const ModelResult& own = result.perModel[model];
    if (own.feasible && result.best) {
        chart.x.categories.push_back(hardware::nameOf(result.best->architecture));
        rows.push_back(&own.time);
    }
    for (const codesign::Baseline& baseline : result.baselines)
        if (const ModelResult* its = modelOn(baseline, own.model)) {
            chart.x.categories.push_back(escaped(baseline.title, 60));
            rows.push_back(&its->time);
        }
    if (rows.empty()) {
        chart.empty = unfitSentence(own);
        return chart;
    }
    chart.title = fmt::format("A batch of {} takes {}", modelTitle(own.model), formatSeconds(rows.front()->total()));
    for (const TimePart& part : kTimeParts) {
        Series series = partSeries(part);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            series.x.push_back(static_cast<double>(i));
            series.y.push_back((rows[i]->*part.time).value);
        }
        addSeries(chart, std::move(series));
    }
    return chart;
}

Chart timeShareChart(const codesign::Result& result) {
    Chart chart{.id = "time-shares", .title = "Time breakdown of a batch, by model", .horizontal = true};
    chart.x = {.title = ""};
    chart.y = {.title = "Share of a batch (%)", .fromZero = true};
    chart.empty = "No model fits.";
    std::vector<const ModelResult*> rows;
    for (const ModelResult& model : result.perModel)
        if (model.feasible && model.time.total().value > 0) {
            chart.x.categories.push_back(modelTitle(model.model));
            rows.push_back(&model);
        }
    for (const TimePart& part : kTimeParts) {
        Series series = partSeries(part);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double seconds = (rows[i]->time.*part.time).value;
            const double share = seconds / rows[i]->time.total().value;
            series.x.push_back(static_cast<double>(i));
            series.y.push_back(100 * share);
            series.valueTexts.push_back(fmt::format("{}, {}", study::percentText(share), formatSeconds(seconds)));
        }
        addSeries(chart, std::move(series));
    }
    return chart;
}

Chart stageMemoryChart(const ModelResult& model) {
    Chart chart{.id = "stage-memory", .title = "Memory of every stage"};
    chart.x = {.title = ""};
    constexpr double kGibi = 1024.0 * 1024 * 1024;  // as the sizes of HBM are said
    chart.y = {.title = "Memory of one accelerator (GiB)", .fromZero = true};
    chart.empty = unfitSentence(model);
    if (!model.feasible) return chart;
    double max = 0;
    for (std::size_t s = 0; s < model.stages.size(); ++s) {
        chart.x.categories.push_back(stageName(s));
        max = std::max(max, model.stages[s].memory.total().value);
    }
    for (const MemoryPart& part : kMemoryParts) {
        Series series = partSeries(part);
        for (std::size_t s = 0; s < model.stages.size(); ++s) {
            series.x.push_back(static_cast<double>(s));
            series.y.push_back((model.stages[s].memory.*part.size).value / kGibi);
        }
        addSeries(chart, std::move(series));
    }
    chart.title = fmt::format("{} needs {} of {} at most", modelTitle(model.model), memorySize(Bytes{max}),
                              hardware::bufferSize(model.hbm));
    Series bound{
        .id = "hbm", .name = "HBM " + hardware::bufferSize(model.hbm), .mark = Mark::bound, .cannotBeBelow = false};
    bound.x = {0};
    bound.y = {model.hbm.value / kGibi};
    for (std::size_t s = 1; s < model.stages.size(); ++s) {
        bound.x.push_back(static_cast<double>(s));
        bound.y.push_back(model.hbm.value / kGibi);
    }
    chart.series.push_back(std::move(bound));
    return chart;
}

Chart areaPartsChart(const codesign::Result& result) {
    Chart chart{.id = "area-parts", .title = "What accelerators are made of", .horizontal = true};
    chart.x = {.title = ""};
    chart.y = {.title = "Area", .measure = Measure::area, .fromZero = true};
    chart.empty = "No architecture runs every model.";
    std::vector<hardware::Area> areas;
    std::vector<std::string> known;
    const auto add = [&](const codesign::Point& point, const std::string& name) {
        const std::string id = hardware::nameOf(point.architecture);
        if (std::find(known.begin(), known.end(), id) != known.end()) return;
        known.push_back(id);
        chart.x.categories.push_back(name.empty() ? id : name);
        areas.push_back(point.parts);
    };
    if (result.best) add(*result.best, {});
    for (const codesign::Baseline& baseline : result.baselines)
        add(baseline.point, baseline.id.starts_with("tpuv4-") && result.space.reference
                                ? escaped(result.space.reference->name, 40)
                                : escaped(baseline.title, 60));
    if (areas.empty()) return chart;
    for (const AreaPart& part : areaParts(areas)) {
        Series series = partSeries(part);
        for (std::size_t i = 0; i < areas.size(); ++i) {
            series.x.push_back(static_cast<double>(i));
            series.y.push_back((areas[i].*part.size).value);
        }
        addSeries(chart, std::move(series));
    }
    chart.title = fmt::format("{} takes {} of the {} that are allowed", known.front(),
                              formatQuantity(areas.front().total().value, Measure::area),
                              formatQuantity(result.areaBound.value, Measure::area));
    return chart;
}

Chart referenceSpeedupChart(const codesign::Result& result) {
    Chart chart{.id = "codesign-speedup", .title = "Throughput over the reference"};
    if (result.space.reference)
        chart.title = fmt::format("Throughput over {}", escaped(result.space.reference->name, 40));
    chart.x = {.title = ""};
    chart.y = {.title = "Speed-up", .fromZero = true};
    chart.empty = "The reference runs none of these models, so there is nothing to compare with.";
    Series expert{.id = "expert",
                  .name = "with the expert's placement",
                  .mark = Mark::bars,
                  .colour = std::string(kCategories[5])};
    Series solver{
        .id = "solver", .name = "with our placement", .mark = Mark::bars, .colour = std::string(kCategories[0])};
    for (const ModelResult& model : result.perModel) {
        const auto place = static_cast<double>(chart.x.categories.size());
        chart.x.categories.push_back(modelTitle(model.model));
        const auto add = [&](Series& series, const std::optional<double>& factor) {
            if (!factor) return;
            series.x.push_back(place);
            series.y.push_back(*factor);
            series.valueTexts.push_back(study::timesText(*factor));
        };
        add(expert, model.speedupOverExpert);
        add(solver, model.speedupOverSolver);
    }
    for (Series* series : {&expert, &solver}) addSeries(chart, std::move(*series));
    return chart;
}

Table exactModelTable(const codesign::Result& result) {
    std::vector<study::TrainedModel> rows = study::trainedModels(result);
    for (study::TrainedModel& row : study::modelsOnBaselines(result)) rows.push_back(std::move(row));
    return tableOf(study::modelFields(), rows, study::kExactTable);
}

Table exactStageTable(const codesign::Result& result) {
    std::vector<study::ModelStage> rows;
    for (const ModelResult& model : result.perModel)
        for (study::ModelStage& row : study::stagesOf(model)) rows.push_back(std::move(row));
    return tableOf(study::stageFields(), rows, study::kExactTable);
}

Table exactTraceTable(const codesign::Result& result) {
    Table table;
    table.columns = {{"area_mm2", true}, {"architectures", true}, {"evaluated", true}, {"most", true}, {"best", true}};
    for (const codesign::TraceBucket& bucket : result.trace)
        table.rows.push_back({exactNumber(bucket.area.value), std::to_string(bucket.architectures),
                              std::to_string(bucket.evaluated), exactNumber(bucket.max), exactNumber(bucket.best)});
    return table;
}

}  // namespace tessera::report

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/codesign/search/search.h"
#include "core/hardware/area.h"
#include "core/hardware/library.h"
#include "core/study/codesign/outcome.h"
#include "core/study/study.h"

/// Co-design results for tests of pictures and views.
namespace tessera::test {

inline constexpr std::int64_t kMebi = 1 << 20;

/// A search of a second.
inline study::Study smallCodesign() {
    study::Study study = study::newStudy("codesign");
    study.models = {"zoo:bert-base"};
    study.hardware = {"phaze"};
    study::setParameter(study, "accelerators", {"16"});
    study::setParameter(study, "global_batch", {"64"});
    study::setParameter(study, "search", {"random"});
    study::setParameter(study, "samples", {"12"});
    return study;
}

inline codesign::Point handMadePoint(const hardware::Template& space, std::int64_t tensorCores,
                                     std::int64_t vectorCores, std::int64_t side, std::int64_t mebibytes,
                                     double objective) {
    codesign::Point point;
    point.architecture = architectureOf(space, tensorCores, vectorCores, side, side, mebibytes * kMebi);
    point.parts = areaOf(point.architecture, space.area);
    point.area = point.parts.total();
    point.hbm = Bytes{static_cast<double>(objective > 1.2 ? space.hbm.values[1] : space.hbm.values[0])};
    point.objective = objective;
    point.throughput = {9000 * objective, 210 * objective};
    point.mfu = 0.1 + 0.3 * objective;
    point.energyPerSample = 1.2 - 0.3 * objective;
    return point;
}

/// A layer with two operators that run beside each other: 0.45 ms, where one after the other it takes 0.5 ms.
inline codesign::PhaseSchedule handMadePhase() {
    using codesign::CoreKind;
    using codesign::ScheduledOperator;
    codesign::PhaseSchedule phase{.makespan = Seconds{450e-6},
                                  .lowerBound = Seconds{440e-6},
                                  .serial = Seconds{500e-6},
                                  .optimal = false,
                                  .operators = {}};
    const auto add = [&](const char* name, CoreKind kind, double start, double finish, std::int64_t core) {
        ScheduledOperator each{.name = name, .kind = kind, .placed = {}};
        each.placed.start = start * 1e-6;
        each.placed.finish = finish * 1e-6;
        each.placed.allCores = core == 0;
        if (core > 0 && kind != CoreKind::vector) each.placed.tensorCore = core;
        if (core > 0 && kind != CoreKind::tensor) each.placed.vectorCore = core;
        phase.operators.push_back(each);
    };
    add("norm", CoreKind::vector, 0, 20, 0);
    add("query + bias", CoreKind::fused, 20, 120, 1);
    add("key + bias", CoreKind::fused, 20, 120, 2);
    add("scores", CoreKind::tensor, 120, 180, 0);
    add("softmax", CoreKind::vector, 180, 220, 0);
    add("mlp.up + gelu", CoreKind::fused, 220, 320, 0);
    add("mlp.down", CoreKind::tensor, 320, 420, 0);
    add("all-reduce", CoreKind::vector, 420, 450, 1);
    phase.operators.back().network = true;
    return phase;
}

/// `stages` equal stages of `layers` blocks, replicated; forward passes take as long as half a backward pass.
inline codesign::ModelResult handMadeModel(const std::string& name, std::int64_t stages, std::int64_t replicas,
                                           std::int64_t width, std::int64_t layers) {
    codesign::ModelResult model;
    model.model = name;
    model.feasible = true;
    model.pipeline = stages;
    model.data = replicas;
    model.tensorParallel = width;
    model.choice = {.microBatch = 2, .recompute = stages > 1};
    model.hbm = Bytes{0x1p35};
    model.mfu = 0.41;
    model.energyPerSample = 0.8;
    model.speedupOverExpert = 2.1;
    model.speedupOverSolver = 1.3;
    for (std::int64_t s = 0; s < stages; ++s) {
        codesign::StageResult stage;
        for (std::int64_t i = 0; i < layers / stages; ++i)
            stage.layers.push_back("block" + std::to_string(s * (layers / stages) + i));
        stage.accelerators = width;
        // The last stage is the slowest.
        stage.forward = Seconds{s + 1 == stages ? 0.012 : 0.01};
        stage.backward = stage.forward * 2;
        stage.load = stage.forward + stage.backward;
        stage.memory = {.weights = Bytes{4e9},
                        .optimizer = Bytes{8e9},
                        .activations = Bytes{3e9},
                        .stashed = Bytes{2e9 * static_cast<double>(stages - s - 1)},
                        .inFlight = stages - s};
        model.stages.push_back(stage);
    }
    const auto microBatches = static_cast<double>((4096 + 2 * replicas - 1) / (2 * replicas));
    const Seconds load = model.stages.back().load;
    model.time = {.compute = load * (0.8 * microBatches),
                  .tensorAllReduce = load * (width > 1 ? 0.1 * microBatches : 0),
                  .transfer = load * (width > 1 ? 0.1 * microBatches : 0.2 * microBatches),
                  .bubble = load * static_cast<double>(stages - 1),
                  .gradientAllReduce = Seconds{0.01},
                  .update = Seconds{0.002}};
    model.timePerBatch = model.time.total();
    model.throughput = 4096 / model.timePerBatch.value;
    model.throughputBound = model.throughput * 1.01;
    model.schedule = codesign::LayerSchedule{
        .layer = "block0", .copies = layers, .forward = handMadePhase(), .backward = handMadePhase()};
    return model;
}

/// A result made by hand: nine architectures on the front, three beside it, two models, the reference twice.
inline codesign::Result handMadeCodesign() {
    codesign::Result result;
    result.models = {"zoo:bert-large", "zoo:megatron-gpt-8.3b"};
    result.space = hardware::loadTemplate("phaze");
    result.areaBound = hardware::areaBound(result.space);
    const auto point = [&](std::int64_t tensorCores, std::int64_t vectorCores, std::int64_t side,
                           std::int64_t mebibytes, double objective) {
        return handMadePoint(result.space, tensorCores, vectorCores, side, mebibytes, objective);
    };
    result.front = {point(1, 1, 16, 2, 0.04),   point(1, 2, 32, 2, 0.12),    point(1, 4, 64, 2, 0.31),
                    point(1, 8, 128, 4, 0.72),  point(2, 8, 128, 4, 0.9),    point(4, 8, 128, 8, 1.05),
                    point(1, 16, 256, 8, 1.18), point(2, 16, 256, 16, 1.34), point(2, 64, 256, 16, 1.41)};
    result.best = result.front.back();
    result.evaluated = result.front;
    result.evaluated.push_back(point(4, 16, 128, 32, 1.12));
    result.evaluated.push_back(point(8, 8, 64, 64, 0.6));
    result.evaluated.push_back(point(8, 2, 128, 128, 1.0));
    std::sort(result.evaluated.begin(), result.evaluated.end(),
              [](const codesign::Point& a, const codesign::Point& b) { return a.area > b.area; });
    result.architectures = 59'748;
    result.points = 7'000'000;
    result.explored = 123'456;
    result.skippedByBound = result.points - result.explored;
    result.bound = result.best->objective;
    result.optimal = true;
    result.perModel = {handMadeModel(result.models[0], 1, 1024, 1, 24), handMadeModel(result.models[1], 4, 64, 4, 72)};
    double best = 0;
    for (int area = 278; area > 0; area -= 2) {
        codesign::TraceBucket bucket{.area = SquareMillimetres{static_cast<double>(area)}, .architectures = 200};
        for (const codesign::Point& each : result.evaluated)
            if (each.area.value >= area && each.area.value < area + 2) {
                ++bucket.evaluated;
                bucket.max = std::max(bucket.max, each.objective);
            }
        bucket.best = best = std::max(best, bucket.max);
        result.trace.push_back(bucket);
    }
    for (const char* placement : {"expert", "solver"}) {
        const bool solver = std::string(placement) == "solver";
        codesign::Baseline baseline{.id = std::string("tpuv4-") + placement,
                                    .title = solver ? "TPUv4, our placement" : "TPUv4, expert placement",
                                    .placement = placement,
                                    .point = point(8, 2, 128, 128, solver ? 1.0 : 0.62),
                                    .models = result.perModel};
        for (codesign::ModelResult& model : baseline.models) {
            model.schedule.reset();
            model.time.compute = model.time.compute * (solver ? 1.2 : 2);
            model.timePerBatch = model.time.total();
        }
        result.baselines.push_back(std::move(baseline));
    }
    result.assumptions = {"Vector cores are bounded by the same bandwidths as tensor cores."};
    return result;
}

/// The same as a whole result.
inline study::Result wholeCodesign(codesign::Result found = handMadeCodesign()) {
    study::Result result;
    result.study = study::newStudy("codesign");
    result.study.models = found.models;
    result.study.hardware = {"phaze"};
    result.assumptions = std::exchange(found.assumptions, {});
    result.outcome = study::CodesignOutcome{std::move(found)};
    return result;
}

}  // namespace tessera::test

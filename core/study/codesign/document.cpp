#include "core/study/codesign/document.h"

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/study/codesign/study.h"
#include "core/study/members.h"

namespace tessera::study {

namespace {

using codesign::CoreKind;
using codesign::ModelResult;

constexpr DocumentKind kKind{"tessera.codesign-result/1", "codesign"};

// Architectures and points --------------------------------------------------------------------------------------------

constexpr auto kArchitecture = [](auto& doc, auto& architecture) {
    doc.derived("name", [&] { return hardware::nameOf(architecture); });
    doc("num_tc", architecture.tensorCores, 1);
    doc("num_vc", architecture.vectorCores, 1);
    doc("pe_x", architecture.width, 1);
    doc("pe_y", architecture.height, 1);
    doc("glb_bytes", architecture.globalBuffer, kPositive);
    doc("l2_tc_bytes", architecture.tensorL2, kPositive);
    doc("l2_vc_bytes", architecture.vectorL2, kPositive);
    doc("glb_words_per_cycle", architecture.globalWords, kPositive);
    doc("hbm_bandwidth_bytes_per_s", architecture.hbmBandwidth, kPositive);
    doc("network_bandwidth_bytes_per_s", architecture.networkBandwidth, kPositive);
};

constexpr auto kAreaParts = [](auto& doc, auto& parts) {
    doc("tensor_cores_mm2", parts.tensorCores);
    doc("vector_cores_mm2", parts.vectorCores);
    doc("l2_mm2", parts.l2);
    doc("glb_mm2", parts.globalBuffer);
    // Where the template gives them.
    doc.unlessEmpty("hbm_interface_mm2", parts.hbmInterface, kNotNegative);
    doc.unlessEmpty("network_interface_mm2", parts.networkInterface, kNotNegative);
};

constexpr auto kPoint = [](auto& doc, auto& point) {
    doc.object("architecture", point.architecture, kArchitecture);
    doc("area_mm2", point.area);
    doc.object("area_parts", point.parts, kAreaParts);
    doc("hbm_bytes", point.hbm);
    doc("objective", point.objective, kNotNegative);
    doc("throughput_samples_per_s", point.throughput, kNotNegative);
    doc("mfu", point.mfu);
    doc("energy_j_per_sample", point.energyPerSample);
    doc("interface_power_w", point.interfacePower, kNotNegative);
};

// Models --------------------------------------------------------------------------------------------------------------

constexpr auto kStageMemory = [](auto& doc, auto& memory) {
    Bytes half = memory.weights / 2;
    doc("weights", half);
    doc.derived("gradients", half);
    if constexpr (kReads<decltype(doc)>) memory.weights = half * 2;
    doc("optimizer", memory.optimizer);
    doc("activations", memory.activations);
    doc("stash", memory.stashed);
    doc.derived("total", memory.total());
};

constexpr auto kStage = [](auto& doc, auto& stage) {
    doc("layers", stage.layers);
    doc("accelerators", stage.accelerators, 1);
    doc("forward_s", stage.forward);
    doc("backward_s", stage.backward);
    doc("load_s", stage.load);
    doc.object("memory_bytes", stage.memory, kStageMemory);
    doc("in_flight", stage.memory.inFlight);
};

/// Kinds of operators, and whether they wait for the network.
using KindOfOperator = std::pair<CoreKind, bool>;
constexpr std::array kOperatorKinds{std::pair(KindOfOperator(CoreKind::tensor, false), std::string_view("tensor")),
                                    std::pair(KindOfOperator(CoreKind::vector, false), std::string_view("vector")),
                                    std::pair(KindOfOperator(CoreKind::fused, false), std::string_view("fused")),
                                    std::pair(KindOfOperator(CoreKind::vector, true), std::string_view("network"))};

constexpr auto kOperator = [](auto& doc, auto& op) {
    doc("name", op.name);
    KindOfOperator kind(op.network ? CoreKind::vector : op.kind, op.network);
    doc("kind", kind, kOperatorKinds);
    if constexpr (kReads<decltype(doc)>) {
        op.kind = kind.first;
        op.network = kind.second;
    }
    doc("start_s", op.placed.start);
    doc("finish_s", op.placed.finish);
    doc("all_cores", op.placed.allCores);
    doc("tensor_core", op.placed.tensorCore, 1);
    doc("vector_core", op.placed.vectorCore, 1);
};

constexpr auto kPhase = [](auto& doc, auto& phase) {
    doc("makespan_s", phase.makespan);
    doc("lower_bound_s", phase.lowerBound);
    doc("serial_s", phase.serial);
    doc("optimal", phase.optimal);
    doc.list("operators", phase.operators, kOperator);
};

constexpr auto kLayerSchedule = [](auto& doc, auto& schedule) {
    doc("layer", schedule.layer);
    doc("copies", schedule.copies, 1);
    doc.object("forward", schedule.forward, kPhase);
    doc.object("backward", schedule.backward, kPhase);
};

constexpr auto kTimeParts = [](auto& doc, auto& time) {
    doc("compute", time.compute);
    doc("tensor_all_reduce", time.tensorAllReduce);
    doc("transfer", time.transfer);
    doc("bubble", time.bubble);
    doc("gradient_all_reduce", time.gradientAllReduce);
    doc("update", time.update);
};

constexpr auto kEvent = [](auto& doc, auto& event) {
    doc("stage", event.stage);
    doc("micro_batch", event.microBatch);
    doc.derived("phase", nameOf(event.phase));
    doc("start_s", event.start);
    doc("finish_s", event.finish);
};

/// Follows from a model and the global batch.
constexpr auto kTimeline = [](auto& doc, auto& of) {
    const auto& [model, globalBatch] = of;
    const codesign::PipelineSchedule schedule = codesign::pipelineOf(*model, globalBatch);
    doc("stages", model->pipeline);
    doc("micro_batches", schedule.microBatches);
    doc("shown", schedule.shown);
    doc("length_s", schedule.length);
    doc.list("events", schedule.events, kEvent);
};

/// The timeline is there where the global batch is given.
constexpr auto kModel = [](auto& doc, auto& model, const std::optional<std::int64_t>& globalBatch) {
    doc("feasible", model.feasible);
    if (!model.feasible) return doc("reason", model.reason);
    doc("throughput_samples_per_s", model.throughput);
    doc("throughput_bound_samples_per_s", model.throughputBound);
    doc("time_per_batch_s", model.timePerBatch);
    doc.group("strategy", [&](auto& strategy) {
        strategy("pipeline", model.pipeline, 1);
        strategy("data", model.data, 1);
        strategy("tensor", model.tensor, 1);
        strategy.list("stages", model.stages, kStage);
    });
    doc("micro_batch", model.choice.microBatch, 1);
    doc("recompute", model.choice.recompute);
    doc("hbm_bytes", model.hbm);
    doc("mfu", model.mfu);
    doc("energy_j_per_sample", model.energyPerSample);
    doc.orNull("speedup_over_tpuv4_expert", model.speedupOverExpert);
    doc.orNull("speedup_over_tpuv4_solver", model.speedupOverSolver);
    doc.object("time_parts_s", model.time, kTimeParts);
    doc.object("schedule", model.schedule, kLayerSchedule);
    if (globalBatch) doc.derived("timeline", std::pair(&model, *globalBatch), kTimeline);
};

constexpr auto kBaseline = [](auto& doc, auto& baseline) {
    doc("id", baseline.id);
    doc("title", baseline.title);
    doc("placement", baseline.placement);
    doc.object("point", baseline.point, kPoint);
    doc.byName("per_model", baseline.models, &ModelResult::model,
               [](auto& inner, auto& model) { kModel(inner, model, std::nullopt); });
};

// The whole -----------------------------------------------------------------------------------------------------------

constexpr auto kTrace = [](auto& doc, auto& row) {
    doc("area_mm2", row.area);
    doc("architectures", row.architectures);
    doc("evaluated", row.evaluated);
    doc("most", row.max);
    doc("best", row.best);
};

constexpr auto kTemplate = [](auto& doc, auto& space) {
    doc("id", space.id);
    doc("name", space.name);
    std::string reference = space.reference ? space.reference->name : "";
    doc("reference", reference);
    if constexpr (kReads<decltype(doc)>)
        if (!reference.empty()) space.reference = hardware::Reference{.name = reference};
    doc("clock_hz", space.rates.clock, kPositive);
    doc("hbm_bandwidth_bytes_per_s", space.rates.hbmBandwidth, kPositive);
    // Where any were searched.
    constexpr std::int64_t kFastest = hardware::kFastestInterface;
    doc.unlessEmpty("searched_hbm_bandwidths_bytes_per_s", space.hbmBandwidth.values, 1, kFastest);
    doc.unlessEmpty("searched_network_bandwidths_bytes_per_s", space.networkBandwidth.values, 1, kFastest);
};

constexpr auto kDocument = [](auto& doc, auto& outcome, auto& result) {
    auto& found = outcome.result;
    if constexpr (kReads<decltype(doc)>) found.options = codesignOptions(result.study);
    doc("models", found.models);
    doc.object("template", found.space, kTemplate);
    doc.derived("parameters", *result.study.parameters);
    doc("weights", found.options.weights, kNotNegative);
    doc("bandwidth_bytes_per_s", found.options.bandwidth, kPositive);
    doc("area_limit_mm2", found.areaBound);
    doc.derived("objective_unit", found.options.objective == codesign::Objective::mean ? "samples/s" : "x");
    doc.derived("feasible", found.best.has_value());
    doc.objectOrNull("best", found.best, kPoint);
    doc.list("pareto", found.front, kPoint);
    doc("architectures", found.architectures);
    doc("points", found.points);
    doc("explored", found.explored);
    doc("skipped_by_bound", found.skippedByBound);
    doc("optimal", found.optimal);
    doc("front_gap", found.frontGap, kNotNegative);
    doc("bound", found.bound);
    doc("ended_by", found.endedBy);
    const std::int64_t globalBatch = found.options.globalBatch;
    doc.byName("per_model", found.perModel, &ModelResult::model,
               [&](auto& inner, auto& model) { kModel(inner, model, globalBatch); });
    if (!found.perModel.empty() && found.perModel.front().feasible)
        doc.derived("timeline", std::pair(&found.perModel.front(), globalBatch), kTimeline);
    else
        doc.derived("timeline", nullptr);
    doc.list("evaluated", found.evaluated, kPoint);
    doc.list("trace", found.trace, kTrace);
    doc.list("baselines", found.baselines, kBaseline);
};

// What a search goes on from ------------------------------------------------------------------------------------------

constexpr auto kEvaluated = [](auto& doc, auto& row) {
    kPoint(doc, row.point);
    doc("index", row.architecture);
    doc("settled", row.refined);
};

constexpr auto kUnresolved = [](auto& doc, auto& row) {
    doc("index", row.architecture);
    doc("bound", row.bound, kNotNegative);
    doc("settled", row.refined);
};

constexpr auto kProgress = [](auto& doc, auto& progress) {
    doc("next", progress.next);
    doc("explored", progress.explored);
    doc.list("known", progress.evaluated, kEvaluated);
    doc.list("open", progress.unresolved, kUnresolved);
};

}  // namespace

void writeCodesignJson(const Result& result, const TextSink& write) {
    writeDocument<CodesignOutcome>(result, write, kKind, kDocument);
}

Result readCodesignResult(const JsonNode& document, const Study& study) {
    return readDocument<CodesignOutcome>(document, study, kKind, kDocument);
}

Json progressJson(const codesign::Progress& progress) {
    return jsonOf(progress, kProgress);
}

codesign::Progress readProgress(const JsonNode& node, std::size_t models) {
    auto progress = readMembers<codesign::Progress>(node, kProgress);
    for (const codesign::Progress::Evaluated& each : progress.evaluated)
        if (each.point.throughput.size() != models)
            node.at("known").fail(fmt::format("points of {} models", models), "others");
    return progress;
}

}  // namespace tessera::study

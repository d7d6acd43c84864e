#include "core/study/codesign/document.h"

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/study/codesign/study.h"
#include "core/study/document_schema.h"
#include "core/study/members.h"

namespace tessera::study {

namespace {

using codesign::CoreKind;
using codesign::ModelResult;

constexpr DocumentKind kKind{
    .schema = "tessera.codesign-result/1",
    .command = "codesign",
    .about = "Which accelerator of a template serves models best, and how each model is placed on a cluster of it.",
    .seeded = true};
constexpr std::string_view kFromOne = R"({"minimum": 1})";
constexpr std::string_view kAllFromZero = R"({"items": {"minimum": 0}})";
constexpr std::string_view kPhases = R"({"enum": ["forward", "backward", "all-reduce", "update"]})";
constexpr std::string_view kEnds = R"({"enum": ["done", "hysteresis", "samples", "stop"]})";
constexpr Key kParameters{
    "parameters", "Of the study, by name: the table of `tessera codesign --help`; those without a value are left out.",
    R"({"type": "object",
        "required": ["accelerators", "global_batch", "objective", "search", "estimator", "optimizer", "hysteresis",
                     "bucket", "samples"],
        "properties": {
            "accelerators": {"description": "Of the whole system.", "type": "integer", "minimum": 1},
            "global_batch": {"description": "Samples of a batch.", "type": "integer", "minimum": 1},
            "objective": {"description": "How models are weighed.", "enum": ["geomean", "mean", "worst"]},
            "search": {"description": "Which points were evaluated.", "enum": ["exhaustive", "hysteresis", "random"]},
            "estimator": {"description": "physical or phaze.", "type": "string"},
            "optimizer": {"description": "sgd, momentum, adam or mixed-adam.", "type": "string"},
            "hysteresis": {"description": "Buckets whose maxima must not rise.", "type": "integer", "minimum": 1},
            "bucket": {"description": "Width of a bucket of the hysteresis, mm².", "type": "number", "minimum": 0},
            "samples": {"description": "Architectures that a random search draws.", "type": "integer", "minimum": 1},
            "hbm_bandwidths": {"description": "Searched instead of the template's, bytes per second.",
                               "type": "array", "items": {"type": "number", "minimum": 1}, "minItems": 1},
            "network_bandwidths": {"description": "Searched instead of the template's, bytes per second.",
                                   "type": "array", "items": {"type": "number", "minimum": 1}, "minItems": 1}}})"};

// Architectures and points --------------------------------------------------------------------------------------------

constexpr Definition kArchitecture(
    "architecture", "One accelerator of the template.", [](auto& doc, auto& architecture) {
        doc.derived({"name",
                     "Cores, array, global buffer and bandwidths of its own in one word, such as "
                     "8tc-2vc-128x128-128MiB; unique among the template's architectures."},
                    [&] { return hardware::nameOf(architecture); });
        doc({"num_tc", "Tensor cores."}, architecture.tensorCores, 1);
        doc({"num_vc", "Vector cores."}, architecture.vectorCores, 1);
        doc({"pe_x", "Columns of a tensor core's array, and lanes of a vector core."}, architecture.width, 1);
        doc({"pe_y", "Rows of a tensor core's array."}, architecture.height, 1);
        doc({"glb_bytes", "Global buffer."}, architecture.globalBuffer, kPositive);
        doc({"l2_tc_bytes", "L2 of one tensor core."}, architecture.tensorL2, kPositive);
        doc({"l2_vc_bytes", "L2 of one vector core."}, architecture.vectorL2, kPositive);
        doc({"glb_words_per_cycle", "Words per cycle between the global buffer and all cores together."},
            architecture.globalWords, kPositive);
        doc({"hbm_bandwidth_bytes_per_s", "Of its HBM, where it is its own; else the template's."},
            architecture.hbmBandwidth, kPositive);
        doc({"network_bandwidth_bytes_per_s",
             "Between any two of it, where it is its own; else `bandwidth_bytes_per_s`."},
            architecture.networkBandwidth, kPositive);
    });

constexpr Definition kAreaParts("area", "By parts, in mm².", [](auto& doc, auto& parts) {
    doc({"tensor_cores_mm2", "Arrays without their L2.", kFromZero}, parts.tensorCores);
    doc({"vector_cores_mm2", "Lanes without their L2.", kFromZero}, parts.vectorCores);
    doc({"l2_mm2", "L2 of all cores.", kFromZero}, parts.l2);
    doc({"glb_mm2", "Global buffer.", kFromZero}, parts.globalBuffer);
    // Where the template gives them.
    doc.unlessEmpty({"hbm_interface_mm2", "Interface to the HBM, where the template gives its area."},
                    parts.hbmInterface, kNotNegative);
    doc.unlessEmpty({"network_interface_mm2", "Interface to other accelerators, where the template gives its area."},
                    parts.networkInterface, kNotNegative);
});

constexpr Definition kPoint("point", "An architecture with the best other parameters.", [](auto& doc, auto& point) {
    doc.object("architecture", point.architecture, kArchitecture);
    doc({"area_mm2", "Of the accelerator without its HBM.", kFromZero}, point.area);
    doc.object("area_parts", point.parts, kAreaParts);
    doc({"hbm_bytes", "The smallest HBM of the template that gives this objective.", kFromZero}, point.hbm);
    doc({"objective", "In the unit of `objective_unit`; 0 where a model does not fit."}, point.objective, kNotNegative);
    doc({"throughput_samples_per_s", "By model, in the order of `models`; 0 where it does not fit.", kAllFromZero},
        point.throughput, kNotNegative);
    doc({"mfu", "Model FLOPs utilisation, mean over the models.", kFromZero}, point.mfu);
    doc({"energy_j_per_sample", "Dynamic energy of cores and memories for one sample, mean over the models.",
         kFromZero},
        point.energyPerSample);
    doc({"interface_power_w", "Of the interfaces at their full rate, where the template gives their power."},
        point.interfacePower, kNotNegative);
});

// Models --------------------------------------------------------------------------------------------------------------

constexpr Definition kStageMemory(
    "memory", "Of one accelerator of the stage at its fullest.", [](auto& doc, auto& memory) {
        Bytes half = memory.weights / 2;
        doc({"weights", "Without their gradients.", kFromZero}, half);
        doc.derived({"gradients", "As much as the weights.", kFromZero}, half);
        if constexpr (kReads<decltype(doc)>) memory.weights = half * 2;
        doc({"optimizer", "State of the optimizer.", kFromZero}, memory.optimizer);
        doc({"activations", "Of the micro-batch at work.", kFromZero}, memory.activations);
        doc({"stash", "Kept for the micro-batches in flight.", kFromZero}, memory.stashed);
        doc.derived({"total", "Their sum; at most the HBM.", kFromZero}, memory.total());
    });

constexpr Definition kStage("stage", "A stage of the pipeline.", [](auto& doc, auto& stage) {
    doc({"layers", "Names of its layers, in order."}, stage.layers);
    doc({"accelerators", "Of one replica."}, stage.accelerators, 1);
    doc({"forward_s", "Forward pass of one micro-batch, transfers to it included.", kFromZero}, stage.forward);
    doc({"backward_s",
         "Backward pass of one micro-batch, transfers included; with a second forward pass where activations are "
         "recomputed.",
         kFromZero},
        stage.backward);
    doc({"load_s", "forward_s + backward_s; the greatest of all stages sets the pace.", kFromZero}, stage.load);
    doc.object("memory_bytes", stage.memory, kStageMemory);
    doc({"in_flight", "Micro-batches between their forward and backward pass, at most."}, stage.memory.inFlight);
});

/// Kinds of operators, and whether they wait for the network.
using KindOfOperator = std::pair<CoreKind, bool>;
constexpr std::array kOperatorKinds{std::pair(KindOfOperator(CoreKind::tensor, false), std::string_view("tensor")),
                                    std::pair(KindOfOperator(CoreKind::vector, false), std::string_view("vector")),
                                    std::pair(KindOfOperator(CoreKind::fused, false), std::string_view("fused")),
                                    std::pair(KindOfOperator(CoreKind::vector, true), std::string_view("network"))};

constexpr Definition kOperator("operator", "When and where an operator runs.", [](auto& doc, auto& op) {
    doc({"name", "Parts that are fused are joined with ' + '."}, op.name);
    KindOfOperator kind(op.network ? CoreKind::vector : op.kind, op.network);
    doc({"kind", "Cores that it needs; `network` is an all-reduce."}, kind, kOperatorKinds);
    if constexpr (kReads<decltype(doc)>) {
        op.kind = kind.first;
        op.network = kind.second;
    }
    doc({"start_s", "From the beginning of the phase.", kFromZero}, op.placed.start);
    doc({"finish_s", "From the beginning of the phase.", kFromZero}, op.placed.finish);
    doc({"all_cores", "It runs on all cores, with nothing beside it; then it has no core of its own."},
        op.placed.allCores);
    doc({"tensor_core", "From 1."}, op.placed.tensorCore, 1);
    doc({"vector_core", "From 1; of a fused operator the same number as tensor_core."}, op.placed.vectorCore, 1);
});

constexpr Definition kPhase("phase", "One phase of the layer on one accelerator.", [](auto& doc, auto& phase) {
    doc({"makespan_s", "When the last operator ends.", kFromZero}, phase.makespan);
    doc({"lower_bound_s", "No schedule is shorter.", kFromZero}, phase.lowerBound);
    doc({"serial_s",
         "One operator after the other, each in its faster form; makespan_s below it is the gain of parallel branches.",
         kFromZero},
        phase.serial);
    doc({"optimal", "Proved: no schedule is shorter."}, phase.optimal);
    doc.list({"operators", "In the order of the operator graph."}, phase.operators, kOperator);
});

constexpr Definition kLayerSchedule(
    "schedule",
    "Operator schedule of the layer that most of the model's time goes to, for one micro-batch on one accelerator.",
    [](auto& doc, auto& schedule) {
        doc({"layer", "Name of the first of the equal layers."}, schedule.layer);
        doc({"copies", "Equal layers of the model."}, schedule.copies, 1);
        doc.object("forward", schedule.forward, kPhase);
        doc.object("backward", schedule.backward, kPhase);
    });

constexpr Definition kTimeParts(
    "parts", "Time breakdown of a batch; the parts add up to time_per_batch_s.", [](auto& doc, auto& time) {
        doc({"compute", "Operators of the slowest stage over all its micro-batches, second forward passes included.",
             kFromZero},
            time.compute);
        doc({"tensor_all_reduce", "All-reduce of tensor-parallel slices in it.", kFromZero}, time.tensorAllReduce);
        doc({"transfer", "Waiting for tensors of other stages.", kFromZero}, time.transfer);
        doc({"bubble", "Filling and draining the pipeline.", kFromZero}, time.bubble);
        doc({"gradient_all_reduce", "Over replicas.", kFromZero}, time.gradientAllReduce);
        doc({"update", "Update of the first stage's weights.", kFromZero}, time.update);
    });

constexpr auto kEvent = [](auto& doc, auto& event) {
    doc({"stage", "From 0, the model's input."}, event.stage);
    doc({"micro_batch", "From 0."}, event.microBatch);
    doc.derived(
        {"phase", "`all-reduce` and `update` end the batch, without a micro-batch of their own (micro_batch is 0).",
         kPhases},
        nameOf(event.phase));
    doc({"start_s", "From the beginning of the batch.", kFromZero}, event.start);
    doc({"finish_s", "From the beginning of the batch.", kFromZero}, event.finish);
};

/// Follows from a model and the global batch.
constexpr Definition kTimeline(
    "timeline",
    "1F1B schedule of one replica, events by stage, then start. Of long batches only the first micro-batches stand "
    "here: `shown`.",
    [](auto& doc, auto& of) {
        const auto& [model, globalBatch] = of;
        codesign::PipelineSchedule schedule;
        if constexpr (!kDescribes<decltype(doc)>) schedule = codesign::pipelineOf(*model, globalBatch);
        doc({"stages", "Of the pipeline.", kFromOne}, model->pipeline);
        doc({"micro_batches", "Of one replica in a batch.", kFromOne}, schedule.microBatches);
        doc({"shown", "Micro-batches that `events` holds: all, or the first ones.", kFromOne}, schedule.shown);
        doc({"length_s", "When the last event ends; the whole batch where `shown` is all.", kFromZero},
            schedule.length);
        doc.list(
            {"events",
             "Forward and backward passes of micro-batches, by stage, then start; events of one stage never overlap."},
            schedule.events, kEvent);
    });

/// The timeline is there where the global batch is given.
constexpr auto kModel = [](auto& doc, auto& model, const std::optional<std::int64_t>& globalBatch) {
    doc({"feasible", "It fits some HBM of the template with some parameters."}, model.feasible);
    if (!doc.where(model.feasible))
        return doc({"reason", "Why it does not fit; only where `feasible` is false."}, model.reason);
    doc({"throughput_samples_per_s", "Samples of the global batch per second.", kFromZero}, model.throughput);
    doc({"throughput_bound_samples_per_s", "No operator schedules give more on this architecture.", kFromZero},
        model.throughputBound);
    doc({"time_per_batch_s", "Of one global batch.", kFromZero}, model.timePerBatch);
    doc.group({"strategy", "How the model is distributed."}, [&](auto& strategy) {
        strategy({"pipeline", "Stages p."}, model.pipeline, 1);
        strategy({"data", "Replicas d."}, model.data, 1);
        strategy({"tensor", "Tensor-parallel degree t."}, model.tensorParallel, 1);
        strategy.list({"stages", "From the model's input to its output."}, model.stages, kStage);
    });
    doc({"micro_batch", "Samples."}, model.choice.microBatch, 1);
    doc({"recompute", "Activations are computed again in the backward pass instead of kept."}, model.choice.recompute);
    doc({"hbm_bytes", "The smallest HBM of the template that gives this throughput.", kFromZero}, model.hbm);
    doc({"mfu",
         "Model FLOPs utilisation: FLOPs of forward and backward pass without recomputation, over those of all tensor "
         "cores of all accelerators in the time of a batch.",
         kFromZero},
        model.mfu);
    doc({"energy_j_per_sample", "Dynamic energy of cores and memories.", kFromZero}, model.energyPerSample);
    doc.orNull({"speedup_over_tpuv4_expert",
                "Throughput over that of the template's reference with the expert's placement; null where there is "
                "none or it does not fit."},
               model.speedupOverExpert);
    doc.orNull({"speedup_over_tpuv4_solver", "The same with our placement on the reference."}, model.speedupOverSolver);
    doc.object("time_parts_s", model.time, kTimeParts);
    doc.object("schedule", model.schedule, kLayerSchedule);
    if (globalBatch) doc.derived("timeline", std::pair(&model, *globalBatch), kTimeline);
};

constexpr Definition kBaseline("baseline", "An architecture to compare with.", [](auto& doc, auto& baseline) {
    doc({"id", "tpuv4-expert, tpuv4-solver, spotlight-NAME-solver, …: never changes."}, baseline.id);
    doc({"title", "For people."}, baseline.title);
    doc({"placement", "Whose placement of the models.", R"({"enum": ["expert", "solver"]})"}, baseline.placement);
    doc.object("point", baseline.point, kPoint);
    doc.byName({"per_model", "By the model's name; without stages' schedules and timelines."}, baseline.models,
               &ModelResult::model, [](auto& inner, auto& model) { kModel(inner, model, std::nullopt); });
});

// The whole -----------------------------------------------------------------------------------------------------------

constexpr Definition kTrace(
    "trace", "A bucket of areas, as Fig. 9 of the paper steps through them.", [](auto& doc, auto& row) {
        doc({"area_mm2", "Where the bucket begins.", kFromZero}, row.area);
        doc({"architectures", "In it."}, row.architectures);
        doc({"evaluated", "Of them; the others were ruled out by bounds or not reached."}, row.evaluated);
        doc({"most", "Greatest objective among those evaluated; 0 where none was.", kFromZero}, row.max);
        doc({"best", "Greatest objective of this and all buckets before, that is of larger areas.", kFromZero},
            row.best);
    });

constexpr auto kTemplate = [](auto& doc, auto& space) {
    doc({"id", "The file's stem."}, space.id);
    doc({"name", "For people."}, space.name);
    std::string reference = space.reference ? space.reference->name : "";
    doc({"reference", "Accelerator whose area is the bound; empty where there is none."}, reference);
    if constexpr (kReads<decltype(doc)>)
        if (!reference.empty()) space.reference = hardware::Reference{.name = reference};
    doc("clock_hz", space.rates.clock, kPositive);
    doc("hbm_bandwidth_bytes_per_s", space.rates.hbmBandwidth, kPositive);
    // Where any were searched.
    constexpr std::int64_t kFastest = hardware::kFastestInterface;
    doc.unlessEmpty({"searched_hbm_bandwidths_bytes_per_s", "Of the HBM, where they are searched.", kSomeEntries},
                    space.hbmBandwidth.values, 1, kFastest);
    doc.unlessEmpty({"searched_network_bandwidths_bytes_per_s",
                     "Between any two accelerators, where they are searched.", kSomeEntries},
                    space.networkBandwidth.values, 1, kFastest);
};

constexpr auto kDocument = [](auto& doc, auto& outcome, auto& result) {
    auto& found = outcome.result;
    if constexpr (kReads<decltype(doc)>) found.options = codesignOptions(result.study);
    doc({"models", "As the user named them.", kSomeEntries}, found.models);
    doc.object({"template", "What was searched."}, found.space, kTemplate);
    doc.derived(kParameters, *result.study.parameters);
    doc({"weights", "Of the models in the objective."}, found.options.weights, kNotNegative);
    doc({"bandwidth_bytes_per_s", "Between any two accelerators that have none of their own."}, found.options.bandwidth,
        kPositive);
    doc({"area_limit_mm2", "No accelerator is larger.", kFromZero}, found.areaBound);
    doc.derived({"objective_unit", "What `objective` counts: 'samples/s', or 'x' for multiples of the reference."},
                found.options.objective == codesign::Objective::mean ? "samples/s" : "x");
    doc.derived({"feasible", "Some point runs every model."}, found.best.has_value());
    doc.objectOrNull({"best", "Null where nothing fits."}, found.best, kPoint);
    doc.list({"pareto", "Area against objective at the best other parameters, by rising area; the last one is `best`."},
             found.front, kPoint);
    doc({"architectures", "Of the template within the area limit."}, found.architectures);
    doc({"points", "Architectures × HBM × micro-batch × tensor-parallel degree × recomputation, over all models."},
        found.points);
    doc({"explored", "Of the points: evaluated."}, found.explored);
    doc({"skipped_by_bound",
         "Of the points: ruled out by bounds. With `explored` all of them where the search is exhaustive and ran to "
         "its end."},
        found.skippedByBound);
    doc({"optimal", "Proved: `best` is the optimum."}, found.optimal);
    doc({"front_gap", "No architecture of the search lies above `pareto` by more than this share of its objective."},
        found.frontGap, kNotNegative);
    doc({"bound", "No point of the search has a greater objective.", kFromZero}, found.bound);
    doc({"ended_by", "`done`: every point is decided.", kEnds}, found.endedBy);
    const std::int64_t globalBatch = found.options.globalBatch;
    doc.byName(
        {"per_model", "By the model's name, on `best`. Where `feasible` is false only it and `reason` are given."},
        found.perModel, &ModelResult::model, [&](auto& inner, auto& model) { kModel(inner, model, globalBatch); });
    if constexpr (kDescribes<decltype(doc)>) found.perModel.emplace_back();
    if (doc.where(!found.perModel.empty() && found.perModel.front().feasible))
        doc.derived(
            {"timeline", "1F1B of the first model on `best`; the same as in `per_model`. Null where nothing fits."},
            std::pair(&found.perModel.front(), globalBatch), kTimeline);
    else
        doc.derived("timeline", nullptr);
    doc.list({"evaluated", "Evaluated architectures, by falling area: a sample of them where there are very many."},
             found.evaluated, kPoint);
    doc.list({"trace", "By falling area."}, found.trace, kTrace);
    doc.list({"baselines", "In a fixed order."}, found.baselines, kBaseline);
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

Json codesignSchema() {
    return documentSchema<CodesignOutcome>(kKind, kDocument);
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

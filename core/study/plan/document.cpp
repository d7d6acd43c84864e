#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/plan/axes.h"
#include "core/study/document_schema.h"
#include "core/study/members.h"
#include "core/study/plan/fields.h"
#include "core/study/plan/study.h"

namespace tessera::study {

namespace {

using plan::Axis;
using plan::Objective;

constexpr DocumentKind kKind{
    .schema = "tessera.plan-result/1",
    .command = "plan",
    .nameOfStudy = "study_name",
    .about = "The parallel configurations in which a model is trained best on a fleet, with what each takes."};
constexpr NumberRule kRound = kNotNegative.asWhole();

constexpr auto kGroup = [](auto& doc, auto& group) {
    doc({"name", "As the fleet calls it."}, group.name);
    doc({"accelerator", "Its description."}, group.accelerator);
    doc({"count", "Accelerators."}, group.count, 1);
    doc({"per_node", "Accelerators that links join."}, group.perNode, 1);
    doc({"memory_bytes", "Of an accelerator; 0 where it is not known."}, group.capacity, kRound);
    doc({"peak_flops", "Of an accelerator in the first data type."}, group.peak, kRound);
    doc({"link_bytes_per_s", "Of an accelerator inside its node, per direction; 0 where there is nothing."},
        group.linkRate, kRound);
    doc({"network_bytes_per_s", "Of an accelerator beyond its node, per direction; 0 where there is nothing."},
        group.networkRate, kRound);
    doc.orNull({"price_per_hour_usd", "Of an accelerator; null where it is not known."}, group.pricePerHour,
               kNotNegative);
};

constexpr auto kLatent = [](auto& doc, auto& latent) {
    doc({"query_rank", "Of the vector that queries come from."}, latent.queryRank, kRound);
    doc({"key_rank", "Of the vector that keys and values come from."}, latent.keyRank, kRound);
    doc({"rotary_size", "Of a head: what is rotated, beside its own part."}, latent.rotarySize, kRound);
    doc({"plain_size", "Of a head: its own part of queries and keys."}, latent.plainSize, kRound);
    doc({"value_size", "Of a head: values."}, latent.valueSize, kRound);
};

constexpr auto kWindow = [](auto& doc, auto& window) {
    doc({"size", "Tokens that a token attends to, itself among them."}, window.size, kRound);
    doc({"layers", "That have it."}, window.layers, kRound);
    doc({"every", "Every so many layers end with one that attends to all tokens; 0 where there is no such order."},
        window.every, kRound);
    doc.unlessEmpty({"chunked",
                     "The sequence is cut into chunks of this size, within which tokens attend; left out where the "
                     "window slides."},
                    window.chunked);
};

constexpr auto kRest = [](auto& doc, auto& rest) {
    doc({"attention", "Of a layer, with its norms."}, rest.attention, kRound);
    doc({"feed_forward", "Of a layer without experts."}, rest.feedForward, kRound);
    doc({"mixture", "Of a layer with experts, but for these."}, rest.mixture, kRound);
    doc({"expert", "Of a routed expert."}, rest.expert, kRound);
    doc({"ends", "Of the model, around its layers."}, rest.ends, kRound);
};

constexpr auto kShape = [](auto& doc, auto& shape) {
    doc({"layers", "Of the model."}, shape.layers, kRound);
    doc({"hidden", "Width of a layer."}, shape.hidden, kRound);
    doc({"heads", "Of attention."}, shape.heads, kRound);
    doc({"kv_heads", "Of keys and values."}, shape.keyHeads, kRound);
    doc({"head_size", "Of a head."}, shape.headSize, kRound);
    doc({"ffn", "Width of the feed-forward network."}, shape.ffn, kRound);
    doc({"sequence", "Tokens of a sample."}, shape.sequence, kRound);
    doc({"vocabulary", "Words."}, shape.vocabulary, kRound);
    doc.unlessEmpty({"embedding_width", "Of the table of tokens, where it is not that of a layer."},
                    shape.embeddingWidth, kRound);
    doc({"gated", "The feed-forward network has three matrices."}, shape.gated);
    doc({"biased", "Biases, layer normalisation and dropout."}, shape.biased);
    doc({"causal", "Tokens see those before them alone."}, shape.causal);
    doc({"tied", "The head shares the embedding's matrix."}, shape.tied);
    doc({"positions", "Rows of the table of learned positions; 0 where there is none."}, shape.positions, kRound);
    doc({"head_norms", "Queries and keys of every head are normalised."}, shape.headNorms);
    doc({"embedding_norm", "The embedding is normalised."}, shape.embeddingNorm);
    doc({"segments", "Vectors embedded beside tokens and positions."}, shape.segments, kRound);
    doc({"head_share", "Of the tokens that the head predicts."}, shape.headShare, kNotNegative);
    doc({"experts", "Routed ones of a layer; 0 where there are none."}, shape.experts, kRound);
    doc({"experts_per_token", "Of a layer."}, shape.expertsPerToken, kRound);
    doc({"expert_ffn", "Width of an expert."}, shape.expertFfn, kRound);
    doc({"shared_experts", "Of a layer, that every token meets."}, shape.sharedExperts, kRound);
    doc({"dense_layers", "First layers without experts."}, shape.denseLayers, kRound);
    doc.object({"rest_parameters",
                "Parameters in no matmul of a layer and in no table; left out where they are those of the family."},
               shape.rest, kRest);
    doc.object({"sliding_window",
                "Layers that attend to the last tokens, or within chunks, alone; left out where there are none."},
               shape.window, kWindow);
    doc.object({"latent", "Attention by low-rank vectors; left out where there is none."}, shape.latent, kLatent);
};

constexpr auto kPart = [](auto& doc, auto& part) {
    doc({"group", "Which of the groups, from 0."}, part.group);
    doc({"stages", "Of the pipeline that it holds."}, part.stages, 1);
    doc({"replicas", "That it holds."}, part.replicas, 1);
    doc({"micro_batches", "Of each of these replicas and step."}, part.microBatches, 1);
};

/// The number of an axis, `min` or more.
constexpr auto kNumber = [](auto& doc, plan::Axis axis, auto& value, auto... range) {
    const plan::AxisRow& row = plan::rowOf(axis);
    doc({row.key, fmt::format("{}: {}.", row.title, row.about)}, value, range...);
};

constexpr auto kConfiguration = [](auto& doc, auto& each) {
    doc({"dtype", "Which of the data types, from 0."}, each.dtype);
    kNumber(doc, Axis::tensor, each.tensor, 1);
    kNumber(doc, Axis::pipeline, each.pipeline, 1);
    kNumber(doc, Axis::data, each.data, 1);
    kNumber(doc, Axis::context, each.context, 1);
    kNumber(doc, Axis::expert, each.expert, 1);
    doc.unlessEmpty(
        {"whole_experts", "Tensor parallelism leaves experts whole, which are shared among what it splits."},
        each.wholeExperts);
    kNumber(doc, Axis::chunks, each.chunks, 1);
    kNumber(doc, Axis::micro, each.micro, 1);
    doc({"schedule", "Order of the micro-batches in the pipeline."}, each.schedule, physical::kPipelineScheduleNames);
    doc({"recompute", "Activations that are computed again."}, each.recompute, plan::kRecomputationNames);
    kNumber(doc, Axis::zero, each.zero, 0, 3);
    doc.unlessEmpty({"order", "Of ranks, from the innermost; left out where it is tp-cp-dp-pp."}, each.order,
                    physical::kRankOrderNames);
    doc.list({"parts", "Groups that it uses: along the pipeline, or with whole replicas each.", kSomeEntries},
             each.parts, kPart);
};

constexpr auto kStage = [](auto& doc, auto& stage) {
    doc({"group", "Which of the groups, from 0."}, stage.group);
    doc({"layers", "Of the model."}, stage.layers, 0);
    doc.unlessEmpty({"layer_numbers",
                     "Which they are, from 0, of a network whose layers have costs of their own; left out of "
                     "transformers.",
                     R"({"items": {"minimum": 0}})"},
                    stage.numbers);
    doc.unlessEmpty({"recomputed_attention", "Layers whose attention is computed again."}, stage.recomputed.selective,
                    0);
    doc.unlessEmpty({"recomputed", "Layers that are computed again."}, stage.recomputed.full, 0);
    doc({"forward_s", "Forward pass of a micro-batch."}, stage.forward, kNotNegative);
    doc({"backward_s", "Backward pass of a micro-batch."}, stage.backward, kNotNegative);
    for (const StageMemoryTerm& term : kStageMemoryTerms) doc({term.key, term.about}, term.of(stage), kNotNegative);
    doc({"capacity_bytes", "Memory of the accelerator; 0 where it is not known."}, stage.capacity, kNotNegative);
};

constexpr auto kScore = [](auto& doc, auto& scores, Objective objective) {
    const ObjectiveRow& row = rowOf(objective);
    const NumberRule rule = objective == Objective::time           ? kPositive
                            : objective == Objective::accelerators ? kRound
                                                                   : kNotNegative;
    doc({row.key, row.about}, scores.of(objective), rule);
};

constexpr auto kScores = [](auto& doc, auto& scores) {
    for (const ObjectiveRow& row : kObjectiveRows) kScore(doc, scores, row.objective);
};

constexpr auto kTime = [](auto& doc, auto& time) {
    for (const StepTimeTerm& term : kStepTimeTerms) doc({term.key, term.about}, time.*term.seconds);
};

constexpr auto kEvaluated = [](auto& doc, auto& each) {
    doc.object({"configuration", "Degrees of parallelism, schedule, memory savings."}, each.configuration,
               kConfiguration);
    doc.derived({"layers_per_stage", "From the model's input to its output."}, [&] {
        std::vector<int> layers;
        for (const plan::EvaluatedStage& stage : each.stages) layers.push_back(stage.layers);
        return layers;
    });
    kScore(doc, each.scores, Objective::time);
    doc({"low_s", "Lower end of the interval in which 90 % of measured runs lie."}, each.low, kNotNegative);
    doc({"high_s", "Its upper end."}, each.high, kNotNegative);
    doc({kThroughput.key, kThroughput.about}, each.*kThroughput.value, kNotNegative);
    doc({kUtilisation.key, kUtilisation.about}, each.*kUtilisation.value, kNotNegative);
    for (const Objective objective : {Objective::accelerators, Objective::memory, Objective::price, Objective::energy})
        kScore(doc, each.scores, objective);
    doc({"transfer_s", "Of a micro-batch from stage to stage."}, each.transfer, kNotNegative);
    if (doc.has("wait_s", each.wait > 0))
        doc({"wait_s",
             "Of a stage after each pass of a micro-batch, for what it sends; left out where transfers run beside "
             "computation, and in older versions."},
            each.wait, kNotNegative);
    doc.object({"time", "What takes the step's seconds, of the mean stage; they add up to the step."}, each.time,
               kTime);
    doc.list({"stages", "Of the pipeline.", kSomeEntries}, each.stages, kStage);
};

constexpr Definition kEvaluatedKind{"evaluated", "A configuration and what it takes.", kEvaluated};

constexpr auto kCounted = [](auto& doc, auto& counted) {
    doc({"all", "Configurations of the space."}, counted.all);
    doc.group({"rejected", "For want of memory by what takes most of it, for time."}, [&](auto& inner) {
        inner({"parameters", "Weights, gradients and optimizer do not fit."}, counted.parameters);
        inner({"activations", "Activations do not fit."}, counted.activations);
        inner({"working", "The layer or head at work does not fit."}, counted.working);
        inner({"deadline", "Too slow for the deadline."}, counted.late);
    });
    doc({"bounded", "Cannot beat what was found before, by a lower bound of their time."}, counted.bounded);
    doc({"compared", "Fit and were compared."}, counted.fitting);
};

constexpr auto kLink = [](auto& doc, auto& link) {
    doc({"from", "Which of the groups, from 0."}, link.from);
    doc({"to", "The other one."}, link.to);
    doc({"bytes_per_s", "Of an accelerator of either, per direction."}, link.rate, kRound);
};

constexpr auto kScaled = [](auto& doc, auto& scaled) {
    doc({"times", "Of the accelerators of each group."}, scaled.times, kPositive);
    doc({"accelerators", "That there are."}, scaled.accelerators, 1);
    doc.unlessEmpty({"configuration", "The best; left out where nothing fits."}, scaled.configuration);
    doc.object({"best", "What it takes; left out where nothing fits."}, scaled.best, kScores);
    doc({"low_s", "Lower end of the interval in which 90 % of measured runs lie; 0 where nothing fits."}, scaled.low,
        kNotNegative);
    doc({"high_s", "Its upper end."}, scaled.high, kNotNegative);
    doc({"tokens_per_s", "Of all accelerators; 0 where nothing fits."}, scaled.tokensPerSecond, kNotNegative);
    doc.unlessEmpty({"misfit", "Why nothing fits."}, scaled.misfit);
};

constexpr auto kMeasured = [](auto& doc, auto& run) {
    doc({"id", "Of its row in data/measured/training.csv."}, run.id);
    doc({"source", "Who measured it: a key of the table of sources beside it."}, run.source);
    doc({"software", "In the words of the source."}, run.software);
    doc({"accelerator", "Its description."}, run.accelerator);
    doc({"dtype", "Of the matmuls."}, run.dtype);
    doc({"accelerators", "In use."}, run.accelerators, 1);
    doc({"global_batch", "Samples of a step; 0 where the source does not say it, as below."}, run.globalBatch, kRound);
    kNumber(doc, Axis::micro, run.microBatch, kRound);
    for (const Axis axis : {Axis::tensor, Axis::pipeline, Axis::data, Axis::context, Axis::expert, Axis::chunks})
        kNumber(doc, axis, run.degrees[static_cast<std::size_t>(axis)], 0);
    doc({"tokens_per_s_per_accelerator", "As measured."}, run.tokensPerSecond, kPositive);
    doc.orNull({"predicted", "The same by a model that has not seen it; null where it cannot be predicted."},
               run.predicted, kPositive);
};

constexpr auto kDocument = [](auto& doc, auto& outcome, auto& result) {
    doc({"model", "Its name."}, outcome.model);
    doc({"fleet", "Its name."}, outcome.fleet);
    doc.derived(kParametersKey, *result.study.parameters);
    doc.group({"problem", "What is trained, on what."}, [&](auto& inner) {
        inner({"parameters", "Of the model."}, outcome.parameters, kRound);
        inner({"active_parameters", "That a token meets."}, outcome.activeParameters, kRound);
        inner({"layers", "Of the model."}, outcome.layers, 1);
        inner({"sequence", "Tokens of a sample."}, outcome.sequence, kRound);
        inner({"global_batch", "Samples of a step."}, outcome.globalBatch, kRound);
        inner({"software", "Stack whose constants count."}, outcome.software);
        inner({"dtypes", "Data types to choose from."}, outcome.dtypes);
        inner.orNull({"tokens", "To train on."}, outcome.tokens, kPositive);
        inner.orNull({"deadline_s", "For all of them, or for a step."}, outcome.deadline, kPositive);
        inner.list({"groups", "Of the fleet.", kSomeEntries}, outcome.groups, kGroup);
    });
    doc.object({"model_shape", "What the model is made of; older versions leave it out."}, outcome.shape, kShape);
    doc({"objective", "What is minimised."}, outcome.objective);
    doc.derived({"feasible", "Some configuration fits."}, [&] { return outcome.best() != nullptr; });
    doc({"optimal", "Why the search ended: proof where every configuration was looked at or ruled out by a bound."},
        outcome.ended);
    doc.object({"counted", "Configurations by what became of them."}, outcome.counted, kCounted);
    doc.list({"configurations", "The best, best first; empty where nothing fits."}, outcome.configurations,
             kEvaluatedKind);
    doc.list({"fleets", "Those of the study, where there are several; empty where there is one."}, outcome.fleets,
             [](auto& row, auto& fleet) {
                 row({"name", "Its name."}, fleet.name);
                 row({"accelerators", "That it has."}, fleet.accelerators);
                 row.unlessEmpty({"configuration", "The best; left out where nothing fits."}, fleet.configuration);
                 row.object({"best", "What it takes; left out where nothing fits."}, fleet.best, kScores);
             });
    doc.group({"front", "Configurations that are non-dominated (Pareto-optimal) in both values."}, [&](auto& inner) {
        inner("x", outcome.frontOf.first, plan::kObjectiveNames);
        inner("y", outcome.frontOf.second, plan::kObjectiveNames);
        inner.list({"points", "By x, rising."}, outcome.front, [](auto& row, auto& point) {
            row("configuration", point.text);
            row("x", point.first);
            row("y", point.second);
            kScores(row, point.scores);
        });
    });
    doc.list({"sensitivity", "The step of the fastest of these configurations with 10 % more of one resource."},
             outcome.sensitivities, [](auto& row, auto& each) {
                 row("resource", each.resource, plan::kResourceNames);
                 row({"step_time_s", "0 where none fits."}, each.seconds, kNotNegative);
             });
    if (doc.has("links", !outcome.links.empty()))
        doc.list({"links", "Between groups of the fleet; left out where there is one group."}, outcome.links, kLink);
    if (doc.has("scaling", !outcome.scaling.empty()))
        doc.list({"scaling",
                  "The best on other numbers of the fleet's accelerators, rising; left out where nothing "
                  "fits the fleet, and in older versions."},
                 outcome.scaling, kScaled);
    if (doc.has("measured", !outcome.measured.empty()))
        doc.list({"measured",
                  "Published runs of the model on accelerators of the fleet in a data type of the study, "
                  "those of a similar number of accelerators first; left out where there are none."},
                 outcome.measured, kMeasured);
    if (doc.has("measured_elsewhere", !outcome.measuredElsewhere.empty()))
        doc.list({"measured_elsewhere",
                  "Data types outside of the study, with published runs on the same "
                  "accelerators; left out where there are none."},
                 outcome.measuredElsewhere, [](auto& row, auto& each) {
                     row("dtype", each.dtype);
                     row("runs", each.runs, 1);
                 });
    doc.object({"limits", "Largest value of each for which some configuration still fits; omitted unless requested."},
               outcome.limits, [](auto& inner, auto& limits) {
                   inner({"sequence", "Tokens of a sample, a multiple of 1024."}, limits.sequence);
                   inner({"layers", "Of the same width."}, limits.layers);
                   inner({"micro_batch", "Samples."}, limits.micro);
                   inner({"accelerators", "Fewest in use."}, limits.accelerators);
               });
    doc.object({"asked", "The configuration that the study evaluates; left out where there is none."}, outcome.asked,
               [](auto& inner, auto& asked) {
                   inner({"given", "As the user named it."}, asked.given);
                   inner.unlessEmpty({"misfit", "Why it cannot be."}, asked.misfit);
                   inner.object({"best", "The best of what is left open."}, asked.evaluated, kEvaluatedKind);
               });
    doc.object(
        {"shortage", "Where nothing fits: why, and what would."}, outcome.shortage, [](auto& inner, auto& shortage) {
            inner({"reason", "A sentence."}, shortage.reason);
            inner.orNull({"memory_bytes", "Of an accelerator with which the closest configuration fits."},
                         shortage.memory, kNotNegative);
            inner.orNull({"times_accelerators", "Of each group, with which some configuration fits."},
                         shortage.timesAccelerators, 1);
            inner.orNull({"fastest_step_s", "Where all are too slow for the deadline."}, shortage.step, kNotNegative);
        });
};

}  // namespace

void writePlanJson(const Result& result, const TextSink& write) {
    writeDocument<PlanOutcome>(result, write, kKind, kDocument);
}

Result readPlanResult(const JsonNode& document, const Study& study) {
    return readDocument<PlanOutcome>(document, study, kKind, kDocument);
}

Json planSchema() {
    return documentSchema<PlanOutcome>(kKind, kDocument);
}

}  // namespace tessera::study

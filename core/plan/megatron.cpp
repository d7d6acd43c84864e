// Arguments of Megatron-LM. Names are those of megatron/training/arguments.py of Megatron Core 0.15.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/plan/framework_rows.h"

namespace tessera::plan {

namespace {

constexpr std::string_view kMegatron = "Megatron-LM";

/// "t*4", one layer as "t", none as "".
std::string layerRun(int layers) {
    if (layers < 2) return layers == 1 ? "t" : "";
    return fmt::format("t*{}", layers);
}

/// E is the embedding, t a layer, L the head, | the end of a piece.
std::string pipelineLayoutOf(const std::vector<int>& pieces) {
    std::vector<std::string> runs;
    for (const int layers : pieces) runs.push_back(layerRun(layers));
    runs.front() = "E" + runs.front();
    runs.back() += "L";
    return joined(runs, "|");
}

bool areEqual(std::vector<int>::const_iterator begin, std::vector<int>::const_iterator end) {
    return std::adjacent_find(begin, end, std::not_equal_to<>()) == end;
}

/// Lines of a bash array: a flag with its value each, in groups below comments.
class ArgumentText {
public:
    void group(std::string_view title) { text_ += fmt::format("    # {}\n", title); }
    void add(std::string_view flag) { text_ += fmt::format("    --{}\n", flag); }
    template <typename Value>
    void add(std::string_view flag, const Value& value) {
        text_ += fmt::format("    --{} {}\n", flag, value);
    }
    void addIf(bool condition, std::string_view flag) {
        if (condition) add(flag);
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

/// A left border, which the token itself is beside.
void addWindow(ArgumentText& arguments, const physical::SlidingWindow& window) {
    arguments.add("window-size", fmt::format("{},0", whole(window.size - 1)));
    if (window.every > 0) arguments.add("window-attn-skip-freq", whole(window.every));
}

void addAttention(ArgumentText& arguments, const physical::Transformer& shape) {
    arguments.add("num-attention-heads", whole(shape.heads));
    if (shape.latent) {
        arguments.add("multi-latent-attention");
        if (shape.latent->queryRank > 0) arguments.add("q-lora-rank", whole(shape.latent->queryRank));
        arguments.add("kv-lora-rank", whole(shape.latent->keyRank));
        arguments.add("qk-head-dim", whole(shape.latent->plainSize));
        arguments.add("qk-pos-emb-head-dim", whole(shape.latent->rotarySize));
        arguments.add("v-head-dim", whole(shape.latent->valueSize));
        return;
    }
    arguments.add("kv-channels", whole(shape.headSize));
    if (shape.keyHeads < shape.heads) {
        arguments.add("group-query-attention");
        arguments.add("num-query-groups", whole(shape.keyHeads));
    }
}

void addExperts(ArgumentText& arguments, const FrameworkPlan& plan) {
    const physical::Transformer& shape = plan.shape;
    if (shape.experts < 1) return;
    arguments.add("num-experts", whole(shape.experts));
    arguments.add("moe-router-topk", whole(shape.expertsPerToken));
    arguments.add("moe-ffn-hidden-size", whole(shape.expertFfn));
    if (shape.sharedExperts > 0)
        arguments.add("moe-shared-expert-intermediate-size", whole(shape.sharedExperts * shape.expertFfn));
    if (shape.denseLayers > 0)
        arguments.add("moe-layer-freq", fmt::format("'([0]*{}+[1]*{})'", whole(shape.denseLayers),
                                                    whole(shape.layers - shape.denseLayers)));
    arguments.add("moe-token-dispatcher-type", "alltoall");
    arguments.addIf(plainTypeOf(plan.dtype) == "bf16", "moe-grouped-gemm");
}

void addModel(ArgumentText& arguments, const FrameworkPlan& plan) {
    const physical::Transformer& shape = plan.shape;
    arguments.group("model");
    arguments.add("num-layers", whole(shape.layers));
    arguments.add("hidden-size", whole(shape.hidden));
    arguments.add("ffn-hidden-size", whole(shape.ffn));
    addAttention(arguments, shape);
    if (shape.window && !shape.window->chunked) addWindow(arguments, *shape.window);
    arguments.add("seq-length", whole(shape.sequence));
    arguments.add("max-position-embeddings", whole(std::max(shape.sequence, shape.positions)));
    arguments.add("position-embedding-type", shape.positions > 0 ? "learned_absolute" : "rope");
    arguments.add("vocab-size", whole(shape.vocabulary));
    arguments.add("normalization", shape.biased ? "LayerNorm" : "RMSNorm");
    arguments.addIf(shape.gated, "swiglu");
    arguments.addIf(!shape.biased, "disable-bias-linear");
    arguments.addIf(!shape.tied, "untie-embeddings-and-output-weights");
    arguments.addIf(shape.headNorms, "qk-layernorm");
    addExperts(arguments, plan);
}

void addLayers(ArgumentText& arguments, const MegatronLayers& layers) {
    if (!layers.layout.empty()) {
        arguments.add("pipeline-model-parallel-layout", fmt::format("'{}'", layers.layout));
        return;
    }
    if (layers.virtualStages > 1) arguments.add("num-virtual-stages-per-pipeline-rank", layers.virtualStages);
    if (layers.first > 0) arguments.add("decoder-first-pipeline-num-layers", layers.first);
    if (layers.last > 0) arguments.add("decoder-last-pipeline-num-layers", layers.last);
    arguments.addIf(layers.headsCount, "account-for-embedding-in-pipeline-split");
    arguments.addIf(layers.headsCount, "account-for-loss-in-pipeline-split");
}

void addSharding(ArgumentText& arguments, int zero) {
    if (zero == 0) return;
    if (zero == 1) {
        arguments.add("use-distributed-optimizer");
        arguments.add("overlap-grad-reduce");
        arguments.add("overlap-param-gather");
        return;
    }
    arguments.add("use-megatron-fsdp");
    arguments.add("data-parallel-sharding-strategy", zero == 2 ? "optim_grads" : "optim_grads_params");
    arguments.add("ckpt-format", "fsdp_dtensor");
}

void addParallelism(ArgumentText& arguments, const FrameworkPlan& plan) {
    const Configuration& configuration = plan.configuration;
    arguments.group("parallelism");
    arguments.add("tensor-model-parallel-size", configuration.tensor);
    arguments.addIf(configuration.tensor > 1, "sequence-parallel");
    arguments.add("pipeline-model-parallel-size", configuration.pipeline);
    addLayers(arguments, megatronLayersOf(plan));
    arguments.add("context-parallel-size", configuration.context);
    if (plan.shape.experts > 0) {
        arguments.add("expert-model-parallel-size", configuration.expert);
        arguments.add("expert-tensor-parallel-size", configuration.expertTensor());
    }
    arguments.addIf(configuration.order == physical::RankOrder::dataLast, "use-tp-pp-dp-mapping");
    addSharding(arguments, configuration.zero);
}

void addPrecision(ArgumentText& arguments, std::string_view dtype) {
    if (plainTypeOf(dtype) != "fp32") arguments.add(plainTypeOf(dtype));
    if (dtype == "fp8") arguments.add("fp8-format", "hybrid");
    if (dtype == "mxfp8") {
        arguments.add("fp8-format", "e4m3");
        arguments.add("fp8-recipe", "mxfp8");
    }
    if (dtype == "nvfp4") arguments.add("fp4-format", "e2m1");
}

void addStep(ArgumentText& arguments, const FrameworkPlan& plan) {
    arguments.group("step");
    arguments.add("micro-batch-size", plan.configuration.micro);
    arguments.add("global-batch-size", whole(plan.globalBatch));
    addPrecision(arguments, plan.dtype);
    const MegatronRecompute recompute = megatronRecomputeOf(plan).value();
    if (!recompute.granularity.empty()) arguments.add("recompute-granularity", recompute.granularity);
    if (recompute.method.empty()) return;
    arguments.add("recompute-method", recompute.method);
    arguments.add("recompute-num-layers", recompute.layers);
}

/// Before Blackwell, tensor and context parallelism need one connection, sharded weights more.
std::string connectionsText(const Configuration& configuration) {
    const bool splits = configuration.tensor > 1 || configuration.context > 1;
    return splits && configuration.zero < 2 ? "export CUDA_DEVICE_MAX_CONNECTIONS=1  # before Blackwell\n\n" : "";
}

std::string megatronText(const FrameworkPlan& plan) {
    ArgumentText arguments;
    addModel(arguments, plan);
    addParallelism(arguments, plan);
    addStep(arguments, plan);
    const Nodes nodes = nodesOf(plan);
    const std::string launch = nodes.count > 0
                                   ? fmt::format("--nnodes {} --nproc-per-node {}", nodes.count, nodes.perNode)
                                   : std::string("--nnodes ... --nproc-per-node ...");
    return fmt::format(
        "# shellcheck shell=bash disable=SC2034\n"
        "{}"
        "# Arguments as of Megatron Core 0.15. Learning rate, data, tokenizer and checkpoints are yours:\n"
        "#   source THIS_FILE\n"
        "#   torchrun {} {} \"${{PLAN_ARGS[@]}}\" ...\n\n"
        "{}PLAN_ARGS=(\n{})\n",
        planComment(plan), launch, plan.shape.causal ? "pretrain_gpt.py" : "pretrain_bert.py",
        connectionsText(plan.configuration), arguments.text());
}

/// Its arguments know windows of all layers, or of all but every so many, and no chunks.
std::string windowMisfit(const physical::Transformer& shape) {
    if (!shape.window) return {};
    if (shape.window->chunked) {
        if (shape.window->size >= shape.sequence) return {};
        return fmt::format("{} has sliding windows of attention, not attention within chunks of {} tokens", kMegatron,
                           whole(shape.window->size));
    }
    if (shape.window->every > 0 || shape.window->layers == shape.layers) return {};
    return fmt::format("{} has sliding windows in all layers or in all but every so many, not in {} of {}", kMegatron,
                       whole(shape.window->layers), whole(shape.layers));
}

std::string megatronLmMisfit(const FrameworkPlan& plan) {
    std::string misfit = megatronMisfit(plan, kMegatron);
    return misfit.empty() ? windowMisfit(plan.shape) : misfit;
}

std::string headsMisfit(const FrameworkPlan& plan, std::string_view framework) {
    const double keyHeads = plan.shape.keyHeads, tensor = plan.configuration.tensor;
    if (plan.shape.latent || std::fmod(keyHeads, tensor) == 0 || std::fmod(tensor, keyHeads) == 0) return {};
    return fmt::format("{} splits {} heads of keys and values by a tensor parallelism that divides them, not by {}",
                       framework, whole(keyHeads), plan.configuration.tensor);
}

std::string widthMisfit(const FrameworkPlan& plan, std::string_view framework) {
    if (plan.shape.tableWidth() == plan.shape.hidden) return {};
    return fmt::format("{} has embeddings as wide as its layers, {}, not of {}", framework, whole(plan.shape.hidden),
                       whole(plan.shape.tableWidth()));
}

std::string typeMisfit(const FrameworkPlan& plan, std::string_view framework) {
    constexpr std::string_view kKnown[] = {"bf16", "fp16", "fp32", "tf32", "fp8", "mxfp8", "nvfp4"};
    if (std::find(std::begin(kKnown), std::end(kKnown), plan.dtype) == std::end(kKnown))
        return fmt::format("{} does not train in {}", framework, plan.dtype);
    if (plan.dtype == "fp16" && plan.configuration.expert > 1)
        return fmt::format("{} takes expert parallelism in bf16, not in fp16", framework);
    return {};
}

}  // namespace

MegatronLayers megatronLayersOf(const FrameworkPlan& plan) {
    const std::vector<int> pieces = pieceLayersOf(plan);
    MegatronLayers said;
    said.virtualStages = plan.configuration.chunks;
    if (areEqual(pieces.begin(), pieces.end())) return said;
    const bool middleEqual = pieces.size() == 2 || areEqual(pieces.begin() + 1, pieces.end() - 1);
    const int middle = pieces.size() > 2 ? pieces[1] : pieces.back();
    // The flags of single stages take one of at least a layer.
    if (said.virtualStages == 1 && middleEqual && std::min(pieces.front(), pieces.back()) > 0) {
        if (pieces.front() != middle) said.first = pieces.front();
        if (pieces.back() != middle) said.last = pieces.back();
    } else if (middleEqual && pieces.front() == middle - 1 && pieces.back() == middle - 1) {
        said.headsCount = true;
    } else {
        said.layout = pipelineLayoutOf(pieces);
    }
    return said;
}

std::optional<MegatronRecompute> megatronRecomputeOf(const FrameworkPlan& plan) {
    if (const std::optional<Recomputation> all = recomputationOf(plan)) {
        if (*all == Recomputation::none) return MegatronRecompute();
        if (*all == Recomputation::selective) return MegatronRecompute{.granularity = "selective"};
        return MegatronRecompute{.granularity = "full", .method = "uniform", .layers = 1};
    }
    const RecomputedLayers& first = plan.recomputed.front();
    const bool areAlike = std::all_of(plan.recomputed.begin(), plan.recomputed.end(),
                                      [&](const RecomputedLayers& each) { return each == first; });
    if (!areAlike || first.selective > 0 || first.full % plan.configuration.chunks != 0) return std::nullopt;
    return MegatronRecompute{
        .granularity = "full", .method = "block", .layers = first.full / plan.configuration.chunks};
}

namespace {

std::string recomputeMisfit(const FrameworkPlan& plan, std::string_view framework) {
    if (megatronRecomputeOf(plan)) return {};
    const auto [min, max] =
        std::minmax_element(plan.recomputed.begin(), plan.recomputed.end(),
                            [](const RecomputedLayers& a, const RecomputedLayers& b) { return a.full < b.full; });
    if (std::any_of(plan.recomputed.begin(), plan.recomputed.end(),
                    [](const RecomputedLayers& each) { return each.selective > 0; }))
        return fmt::format("{} recomputes attention of all layers or of none; this plan does so with some", framework);
    if (min->full == max->full)
        return fmt::format("{} recomputes equally many layers of each of {} virtual stages, not {} of a stage",
                           framework, plan.configuration.chunks, max->full);
    return fmt::format("{} recomputes equally many layers of every stage; this plan recomputes {} to {}", framework,
                       min->full, max->full);
}

}  // namespace

std::string megatronMisfit(const FrameworkPlan& plan, std::string_view framework) {
    const Configuration& configuration = plan.configuration;
    const bool known = configuration.schedule == physical::PipelineSchedule::oneForwardOneBackward ||
                       configuration.schedule == physical::PipelineSchedule::interleaved;
    if (configuration.pipeline > 1 && !known)
        return fmt::format("{} runs pipelines as 1f1b or interleaved, not as {}", framework,
                           physical::nameOf(configuration.schedule));
    if (configuration.zero > 1 && configuration.pipeline > 1)
        return fmt::format("{} does not shard gradients or weights (ZeRO {}) together with a pipeline", framework,
                           configuration.zero);
    for (const std::string& misfit :
         {replicasMisfit(plan, framework), headsMisfit(plan, framework), widthMisfit(plan, framework),
          typeMisfit(plan, framework), recomputeMisfit(plan, framework)})
        if (!misfit.empty()) return misfit;
    return {};
}

Framework megatronFramework() {
    return {.id = "megatron-lm",
            .title = kMegatron,
            .about = "A plan as arguments of Megatron-LM, for a shell to source",
            .suffix = ".sh",
            .misfit = megatronLmMisfit,
            .text = megatronText};
}

}  // namespace tessera::plan

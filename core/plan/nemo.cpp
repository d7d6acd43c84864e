// Overrides of a recipe of NVIDIA NeMo, which trains by Megatron-Bridge. Names are those of its ConfigContainer
// (src/megatron/bridge/training/config.py, mixed_precision.py) of Megatron-Bridge 0.2, and of Megatron Core's
// TransformerConfig.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/text.h"
#include "core/plan/framework_rows.h"

namespace tessera::plan {

namespace {

constexpr std::string_view kNemo = "NeMo";

/// Recipes of mixed precision by data type.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kPrecisions{{
    {"bf16", "bf16_mixed"},
    {"fp16", "fp16_mixed"},
    {"fp8", "bf16_with_fp8_delayed_scaling_mixed"},
    {"mxfp8", "bf16_with_mxfp8_mixed"},
    {"nvfp4", "bf16_with_nvfp4_mixed"},
}};

std::string_view precisionOf(std::string_view dtype) {
    const auto* const found =
        std::find_if(kPrecisions.begin(), kPrecisions.end(), [&](const auto& row) { return row.first == dtype; });
    return found == kPrecisions.end() ? std::string_view() : found->second;
}

/// "model.tensor_model_parallel_size=8", a line each. A recipe's own value is reset where a plan has none.
class OverrideText {
public:
    template <typename Value>
    void add(std::string_view key, const Value& value) {
        text_ += fmt::format("{}={}\n", key, value);
    }
    void addOrNull(std::string_view key, int value, bool given) {
        if (given)
            add(key, value);
        else
            add(key, "null");
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

void addStages(OverrideText& overrides, const FrameworkPlan& plan) {
    const MegatronLayers layers = megatronLayersOf(plan);
    overrides.add("model.pipeline_model_parallel_size", plan.configuration.pipeline);
    overrides.addOrNull("model.virtual_pipeline_model_parallel_size", layers.virtualStages, layers.virtualStages > 1);
    overrides.addOrNull("model.num_layers_in_first_pipeline_stage", layers.first, layers.first > 0);
    overrides.addOrNull("model.num_layers_in_last_pipeline_stage", layers.last, layers.last > 0);
    overrides.add("model.account_for_embedding_in_pipeline_split", layers.headsCount);
    overrides.add("model.account_for_loss_in_pipeline_split", layers.headsCount);
    overrides.add("model.pipeline_model_parallel_layout", layers.layout.empty() ? std::string("null") : layers.layout);
}

void addShards(OverrideText& overrides, int zero) {
    constexpr std::array<std::string_view, 4> kStrategies{"no_shard", "optim", "optim_grads", "optim_grads_params"};
    overrides.add("ddp.use_distributed_optimizer", zero > 0);
    overrides.add("optimizer.use_distributed_optimizer", zero > 0);
    overrides.add("ddp.use_megatron_fsdp", zero > 1);
    overrides.add("ddp.data_parallel_sharding_strategy", kStrategies.at(static_cast<std::size_t>(zero)));
    if (zero > 1) overrides.add("checkpoint.ckpt_format", "fsdp_dtensor");
}

void addRecompute(OverrideText& overrides, const MegatronRecompute& recompute) {
    const auto orNull = [](std::string_view word) { return word.empty() ? "null" : word; };
    overrides.add("model.recompute_granularity", orNull(recompute.granularity));
    overrides.add("model.recompute_method", orNull(recompute.method));
    overrides.addOrNull("model.recompute_num_layers", recompute.layers, !recompute.method.empty());
}

std::string nemoText(const FrameworkPlan& plan) {
    const Configuration& configuration = plan.configuration;
    OverrideText overrides;
    overrides.add("model.tensor_model_parallel_size", configuration.tensor);
    overrides.add("model.sequence_parallel", configuration.tensor > 1);
    addStages(overrides, plan);
    overrides.add("model.context_parallel_size", configuration.context);
    if (plan.shape.experts > 0) {
        overrides.add("model.expert_model_parallel_size", configuration.expert);
        overrides.add("model.expert_tensor_parallel_size", configuration.expertTensor());
    }
    addShards(overrides, configuration.zero);
    if (configuration.order == physical::RankOrder::dataLast) overrides.add("dist.use_tp_pp_dp_mapping", "true");
    addRecompute(overrides, megatronRecomputeOf(plan).value());
    overrides.add("mixed_precision", precisionOf(plan.dtype));
    overrides.add("model.seq_length", whole(plan.shape.sequence));
    overrides.add("dataset.sequence_length", whole(plan.shape.sequence));
    overrides.add("train.micro_batch_size", configuration.micro);
    overrides.add("train.global_batch_size", whole(plan.globalBatch));
    return fmt::format(
        "{}# Overrides as of Megatron-Bridge 0.2 for a recipe of this model: {}\n"
        "#   mapfile -t overrides < <(grep -v '^#' THIS_FILE)\n"
        "#   torchrun ... run_recipe.py --recipe ... \"${{overrides[@]}}\"\n{}",
        planComment(plan), shapeText(plan), overrides.text());
}

std::string nemoMisfit(const FrameworkPlan& plan) {
    if (!plan.shape.causal) return fmt::format("{} has recipes of decoders, not of encoders such as BERT", kNemo);
    const Configuration& configuration = plan.configuration;
    // src/megatron/bridge/training/config.py: neither is to be used with the mapping.
    if (configuration.order == physical::RankOrder::dataLast && (configuration.context > 1 || configuration.expert > 1))
        return fmt::format("{} takes ranks in the order {} without context and expert parallelism", kNemo,
                           physical::kRankOrderNames.of(configuration.order));
    if (precisionOf(plan.dtype).empty()) return fmt::format("{} has no recipe of precision for {}", kNemo, plan.dtype);
    return megatronMisfit(plan, kNemo);
}

}  // namespace

Framework nemoFramework() {
    return {.id = "nemo",
            .title = "NeMo, Megatron-Bridge",
            .about = "A plan as overrides of a recipe of NeMo (Megatron-Bridge)",
            .suffix = ".txt",
            .misfit = nemoMisfit,
            .text = nemoText};
}

}  // namespace tessera::plan

// Configuration of DeepSpeed. Names are those of its documentation of the configuration ("DeepSpeed Configuration
// JSON"), of deepspeed/runtime/config.py and, for tensor parallelism, of "Automatic Tensor Parallel Training" of 0.18.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/plan/framework_rows.h"

namespace tessera::plan {

namespace {

using Document = nlohmann::ordered_json;

Document zeroSection(int stage) {
    Document section{{"stage", stage}};
    if (stage > 0) {
        section["overlap_comm"] = true;
        section["contiguous_gradients"] = true;
    }
    return section;
}

void addPipeline(Document& document, const FrameworkPlan& plan) {
    if (plan.configuration.pipeline == 1) return;
    document["pipeline"] = {
        {"stages", plan.configuration.pipeline},
        {"activation_checkpoint_interval", recomputationOf(plan) == Recomputation::full ? 1 : 0},
    };
}

void addCheckpoints(Document& document, const FrameworkPlan& plan) {
    if (recomputationOf(plan) != Recomputation::full) return;
    document["activation_checkpointing"] = {
        {"partition_activations", false},
        {"cpu_checkpointing", false},
        {"contiguous_memory_optimization", false},
        {"number_checkpoints", *std::max_element(plan.layers.begin(), plan.layers.end())},
    };
}

std::string deepspeedText(const FrameworkPlan& plan) {
    const Configuration& configuration = plan.configuration;
    Document document{
        {"train_batch_size", whole(plan.globalBatch)},
        {"train_micro_batch_size_per_gpu", configuration.micro},
        {"gradient_accumulation_steps", configuration.microBatches()},
        {"zero_optimization", zeroSection(configuration.zero)},
        {"bf16", {{"enabled", plan.dtype == "bf16"}}},
        {"fp16", {{"enabled", plan.dtype == "fp16"}}},
    };
    if (configuration.tensor > 1) document["tensor_parallel"] = {{"autotp_size", configuration.tensor}};
    addPipeline(document, plan);
    addCheckpoints(document, plan);
    return document.dump(2) + "\n";
}

std::string pipelineMisfit(const FrameworkPlan& plan) {
    const Configuration& configuration = plan.configuration;
    if (configuration.pipeline == 1) return {};
    if (configuration.schedule != physical::PipelineSchedule::oneForwardOneBackward)
        return fmt::format("DeepSpeed runs pipelines as 1f1b, not as {}", physical::nameOf(configuration.schedule));
    if (configuration.zero > 1)
        return fmt::format("DeepSpeed does not shard gradients or weights (ZeRO {}) together with a pipeline",
                           configuration.zero);
    const auto [min, max] = std::minmax_element(plan.layers.begin(), plan.layers.end());
    if (*max - *min > 1)
        return fmt::format(
            "DeepSpeed's configuration does not place layers: its stages are as even as can be, and this plan has {} "
            "to {} layers per stage",
            *min, *max);
    return {};
}

std::string tensorMisfit(const Configuration& configuration) {
    if (configuration.tensor == 1) return {};
    if (configuration.pipeline > 1)
        return "DeepSpeed alone does not split tensors together with a pipeline; Megatron-DeepSpeed does, by "
               "Megatron-LM's arguments";
    if (configuration.zero > 2) return "DeepSpeed 0.18 does not split tensors together with sharded weights (ZeRO 3)";
    return {};
}

std::string deepspeedMisfit(const FrameworkPlan& plan) {
    const Configuration& configuration = plan.configuration;
    if (configuration.context > 1)
        return fmt::format(
            "DeepSpeed splits sequences by heads of attention (Ulysses), in the model's code, and has no context "
            "parallelism of {}",
            configuration.context);
    if (configuration.expert > 1)
        return "DeepSpeed 0.18 takes expert parallelism from the model's code (ep_size of its layers), not from its "
               "configuration";
    if (plan.dtype != "bf16" && plan.dtype != "fp16" && plan.dtype != "fp32")
        return fmt::format("DeepSpeed's configuration has bf16, fp16 and fp32, not {}", plan.dtype);
    if (recomputationOf(plan) == Recomputation::selective)
        return "DeepSpeed computes whole layers again, or what the model's code says, not attention alone";
    for (const std::string& misfit :
         {pipelineMisfit(plan), tensorMisfit(configuration), replicasMisfit(plan, "DeepSpeed"),
          orderMisfit(plan, "DeepSpeed"), stagesRecomputeMisfit(plan, "DeepSpeed")})
        if (!misfit.empty()) return misfit;
    return {};
}

}  // namespace

Framework deepspeedFramework() {
    return {.id = "deepspeed",
            .title = "DeepSpeed",
            .about = "A plan as a configuration of DeepSpeed",
            .suffix = ".json",
            .misfit = deepspeedMisfit,
            .text = deepspeedText};
}

}  // namespace tessera::plan

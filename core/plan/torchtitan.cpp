// Configuration of torchtitan. Names are those of torchtitan/config/job_config.py of torchtitan 0.2, the last one that
// reads TOML; what it refuses is in distributed/parallel_dims.py and in the parallelize functions of its models.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/base/text.h"
#include "core/plan/framework_rows.h"

namespace tessera::plan {

namespace {

using physical::PipelineSchedule;

constexpr std::array<std::pair<PipelineSchedule, std::string_view>, 4> kSchedules{{
    {PipelineSchedule::gpipe, "GPipe"},
    {PipelineSchedule::oneForwardOneBackward, "1F1B"},
    {PipelineSchedule::interleaved, "Interleaved1F1B"},
    {PipelineSchedule::zbV, "ZBVZeroBubble"},
}};

std::string_view scheduleWord(PipelineSchedule schedule) {
    const auto* const found =
        std::find_if(kSchedules.begin(), kSchedules.end(), [&](const auto& row) { return row.first == schedule; });
    return found == kSchedules.end() ? std::string_view() : found->second;
}

/// Modules of every piece of the pipeline, as torchtitan's decoders call them.
std::string modulesText(const FrameworkPlan& plan) {
    const std::vector<int> pieces = pieceLayersOf(plan);
    std::string text = "module_fqns_per_model_part = [\n";
    int layer = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        std::vector<std::string> modules;
        if (i == 0) modules.emplace_back("\"tok_embeddings\"");
        for (int k = 0; k < pieces[i]; ++k) modules.push_back(fmt::format("\"layers.{}\"", layer++));
        if (i + 1 == pieces.size()) modules.insert(modules.end(), {"\"norm\"", "\"output\""});
        text += fmt::format("    [{}],\n", joined(modules, ", "));
    }
    return text + "]\n";
}

std::string parallelismSection(const FrameworkPlan& plan) {
    const Configuration& configuration = plan.configuration;
    const bool shards = configuration.zero > 1;
    std::string text = "[parallelism]\n";
    text += fmt::format("data_parallel_replicate_degree = {}\n", shards ? 1 : configuration.data);
    text += fmt::format("data_parallel_shard_degree = {}\n", shards ? configuration.data : 1);
    if (shards)
        text += fmt::format("fsdp_reshard_after_forward = \"{}\"\n", configuration.zero == 3 ? "always" : "never");
    text += fmt::format("tensor_parallel_degree = {}\n", configuration.tensor);
    text += fmt::format("context_parallel_degree = {}\n", configuration.context);
    if (configuration.expert > 1)
        text += fmt::format("expert_parallel_degree = {}\nexpert_tensor_parallel_degree = {}\n", configuration.expert,
                            configuration.expertTensor());
    text += fmt::format("pipeline_parallel_degree = {}\n", configuration.pipeline);
    if (configuration.pipeline > 1)
        text += fmt::format("pipeline_parallel_schedule = \"{}\"\npipeline_parallel_microbatch_size = {}\n{}",
                            scheduleWord(configuration.schedule), configuration.micro, modulesText(plan));
    return text;
}

std::string trainingSection(const FrameworkPlan& plan) {
    const Configuration& configuration = plan.configuration;
    // A pipeline takes all samples of a step at once and cuts them; without one they are gathered step by step.
    const int local = configuration.micro * (configuration.pipeline > 1 ? configuration.microBatches() : 1);
    return fmt::format(
        "[training]\nlocal_batch_size = {}\nglobal_batch_size = {}\nseq_len = {}\nmixed_precision_param = \"{}\"\n",
        local, whole(plan.globalBatch), whole(plan.shape.sequence),
        plainTypeOf(plan.dtype) == "bf16" ? "bfloat16" : "float32");
}

std::string quantizationSections(const FrameworkPlan& plan) {
    if (plan.dtype == "fp8")
        return "[model]\nconverters = [\"quantize.linear.float8\"]\n\n"
               "[quantize.linear.float8]\nenable_fsdp_float8_all_gather = true\n"
               "precompute_float8_dynamic_scale_for_fsdp = true\nfilter_fqns = [\"output\"]\n\n";
    if (plan.dtype == "mxfp8")
        return "[model]\nconverters = [\"quantize.linear.mx\"]\n\n"
               "[quantize.linear.mx]\nfilter_fqns = [\"output\"]\n\n";
    return {};
}

std::string torchtitanText(const FrameworkPlan& plan) {
    std::string text = planComment(plan);
    text += fmt::format(
        "# Names as of torchtitan 0.2. Learning rate, data, checkpoints, and name and flavor of the model, are yours:\n"
        "# {}\n\n",
        shapeText(plan));
    text += quantizationSections(plan);
    text += parallelismSection(plan) + "\n";
    text += trainingSection(plan) + "\n";
    const Recomputation recompute = recomputationOf(plan).value();
    text += fmt::format("[activation_checkpoint]\nmode = \"{}\"\n", kRecomputationNames.of(recompute));
    if (recompute == Recomputation::selective) text += "selective_ac_option = \"op\"\n";
    return text;
}

/// What its replicas share or do not.
std::string shardingMisfit(const FrameworkPlan& plan) {
    const Configuration& configuration = plan.configuration;
    if (configuration.zero == 1)
        return "torchtitan shards the optimizer together with gradients (ZeRO 2 or 3), not alone (ZeRO 1)";
    if (configuration.zero > 1) return {};
    if (configuration.context > 1)
        return "torchtitan shards weights among the parts of a sequence; with context parallelism it runs ZeRO 2 or 3";
    const bool alone = configuration.tensor == 1 && configuration.pipeline == 1 && configuration.expert == 1;
    if (!alone && configuration.data > 1)
        return "torchtitan keeps whole copies of the weights (ZeRO 0) only where nothing else is parallel";
    if (!alone && plan.dtype != "fp32")
        return fmt::format("torchtitan computes in {} only where weights are sharded (ZeRO 2 or 3)", plan.dtype);
    return {};
}

std::string torchtitanTypeMisfit(const FrameworkPlan& plan) {
    constexpr std::string_view kKnown[] = {"bf16", "fp32", "fp8", "mxfp8"};
    if (std::find(std::begin(kKnown), std::end(kKnown), plan.dtype) != std::end(kKnown)) return {};
    return fmt::format("torchtitan trains in bf16, fp32, fp8 and mxfp8, not in {}", plan.dtype);
}

std::string expertsMisfit(const Configuration& configuration) {
    if (configuration.expert == 1)
        return configuration.wholeExperts ? "torchtitan leaves experts whole only with expert parallelism" : "";
    const std::int64_t taken = configuration.wholeExperts ? configuration.perStage() : configuration.context;
    if (configuration.expert % taken == 0) return {};
    return fmt::format("torchtitan takes an expert parallelism that {} parallelism divides: {} does not {}",
                       configuration.wholeExperts ? "tensor x context" : "context", taken, configuration.expert);
}

std::string torchtitanMisfit(const FrameworkPlan& plan) {
    const Configuration& configuration = plan.configuration;
    if (!plan.shape.causal) return "torchtitan has decoders, no encoders such as BERT";
    if (configuration.pipeline > 1 && scheduleWord(configuration.schedule).empty())
        return fmt::format("torchtitan runs pipelines as 1f1b, interleaved, gpipe or zb-v, not as {}",
                           physical::nameOf(configuration.schedule));
    if (const std::string misfit = expertsMisfit(configuration); !misfit.empty()) return misfit;
    for (const std::string& misfit :
         {torchtitanTypeMisfit(plan), shardingMisfit(plan), replicasMisfit(plan, "torchtitan"),
          orderMisfit(plan, "torchtitan"), stagesRecomputeMisfit(plan, "torchtitan")})
        if (!misfit.empty()) return misfit;
    return {};
}

}  // namespace

Framework torchtitanFramework() {
    return {.id = "torchtitan",
            .title = "torchtitan",
            .about = "A plan as a configuration of torchtitan",
            .suffix = ".toml",
            .misfit = torchtitanMisfit,
            .text = torchtitanText};
}

}  // namespace tessera::plan

#include "core/plan/axes.h"

#include <fmt/format.h>

#include <initializer_list>

#include "core/physical/pipeline.h"

namespace tessera::plan {

namespace {

using physical::PipelineSchedule;

constexpr std::string_view kAsOutside = "as tp", kNoPipeline = "no pipeline";

std::vector<std::string_view> wordsOf(const auto& names) {
    const std::vector<std::string_view> all = names.all();
    return {all.begin(), all.end()};
}

template <typename Enum>
std::vector<int> valuesOf(std::initializer_list<Enum> values) {
    std::vector<int> numbers;
    for (const Enum value : values) numbers.push_back(static_cast<int>(value));
    return numbers;
}

std::vector<AxisRow> allAxes() {
    return {
        {Axis::tensor, "tp", "tensor", "TP", "Tensor-parallel degree", "accelerators that split every matmul",
         &Configuration::tensor, nullptr, "1", true},
        {Axis::pipeline, "pp", "pipeline", "PP", "Pipeline stages", "accelerators that hold some of the layers each",
         &Configuration::pipeline, nullptr, "1", true},
        {Axis::data, "dp", "data", "DP", "Data-parallel replicas",
         "copies of the model that train on samples of their own", &Configuration::data, nullptr, "1", true},
        {Axis::context, "cp", "context", "CP", "Context-parallel degree", "accelerators that split the sequence",
         &Configuration::context},
        {Axis::expert, "ep", "expert", "EP", "Expert-parallel degree",
         "accelerators, among replicas and parts of the sequence, that share the experts of a layer",
         &Configuration::expert},
        {Axis::expertTensor, "etp", "expert_tensor", "ETP", "Tensor-parallel degree of experts",
         "accelerators that split an expert: as tp, or 1", nullptr,
         [](const Configuration& at) { return at.wholeExperts ? std::string_view("1") : kAsOutside; }, kAsOutside},
        {Axis::micro, "mb", "micro_batch", "", "Micro-batch", "samples of one forward pass of a replica",
         &Configuration::micro, nullptr, "1", true},
        {Axis::chunks, "vp", "virtual_stages", "VP", "Virtual stages",
         "pieces of a stage that run in turns, of the interleaved schedule", &Configuration::chunks},
        {Axis::zero, "zero", "zero", "", "ZeRO stage", "1 shards the optimizer's state, 2 gradients, 3 weights (FSDP)",
         &Configuration::zero, nullptr, "0"},
        {Axis::recompute, "recompute", "recompute", "", "Recomputation",
         "activations that are computed again in the backward pass; per-stage: of as few layers of each stage as fit",
         nullptr, [](const Configuration& at) { return kRecomputationNames.of(at.recompute); },
         kRecomputationNames.of(Recomputation::none), false, wordsOf(kRecomputationNames),
         valuesOf({Recomputation::none, Recomputation::selective, Recomputation::full})},
        {Axis::schedule, "schedule", "schedule", "", "Schedule", "order of the micro-batches in the pipeline", nullptr,
         [](const Configuration& at) { return at.pipeline > 1 ? physical::nameOf(at.schedule) : kNoPipeline; },
         kNoPipeline, false, wordsOf(physical::kPipelineScheduleNames),
         valuesOf({PipelineSchedule::oneForwardOneBackward, PipelineSchedule::interleaved})},
        {Axis::order, "order", "rank_order", "", "Order of ranks",
         "which accelerators are neighbours, from the innermost", nullptr,
         [](const Configuration& at) { return physical::kRankOrderNames.of(at.order); },
         physical::kRankOrderNames.of(physical::RankOrder::pipelineLast), false, wordsOf(physical::kRankOrderNames)},
        {Axis::dtype, "dtype", "dtype", "", "Data type", "of the matmuls; one of those of --dtype"},
        {Axis::group, "group", "group", "", "Group", "of the fleet; only configurations that use no other group"},
    };
}

}  // namespace

std::span<const AxisRow> axes() {
    static const std::vector<AxisRow> kRows = allAxes();
    return kRows;
}

const AxisRow& rowOf(Axis axis) {
    return axes()[static_cast<std::size_t>(axis)];
}

std::string valueText(const Configuration& configuration, const AxisRow& axis) {
    std::string text(axis.otherwise);
    if (axis.number != nullptr) text = fmt::format("{}", configuration.*axis.number);
    if (axis.word != nullptr) text = axis.word(configuration);
    return text != axis.otherwise || axis.isAlwaysSaid ? text : std::string();
}

}  // namespace tessera::plan

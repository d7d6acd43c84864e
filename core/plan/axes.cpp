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
        {.axis = Axis::tensor,
         .id = "tp",
         .key = "tensor",
         .head = "TP",
         .title = "Tensor-parallel degree",
         .about = "accelerators that split every matmul",
         .number = &Configuration::tensor,
         .isAlwaysSaid = true},
        {.axis = Axis::pipeline,
         .id = "pp",
         .key = "pipeline",
         .head = "PP",
         .title = "Pipeline stages",
         .about = "accelerators that hold some of the layers each",
         .number = &Configuration::pipeline,
         .isAlwaysSaid = true},
        {.axis = Axis::data,
         .id = "dp",
         .key = "data",
         .head = "DP",
         .title = "Data-parallel replicas",
         .about = "copies of the model that train on samples of their own",
         .number = &Configuration::data,
         .isAlwaysSaid = true},
        {.axis = Axis::context,
         .id = "cp",
         .key = "context",
         .head = "CP",
         .title = "Context-parallel degree",
         .about = "accelerators that split the sequence",
         .number = &Configuration::context},
        {.axis = Axis::expert,
         .id = "ep",
         .key = "expert",
         .head = "EP",
         .title = "Expert-parallel degree",
         .about = "accelerators, among replicas and parts of the sequence, that share the experts of a layer",
         .number = &Configuration::expert},
        {.axis = Axis::expertTensor,
         .id = "etp",
         .key = "expert_tensor",
         .head = "ETP",
         .title = "Tensor-parallel degree of experts",
         .about = "accelerators that split an expert: as tp, or 1",
         .word = [](const Configuration& at) { return at.wholeExperts ? std::string_view("1") : kAsOutside; },
         .otherwise = kAsOutside},
        {.axis = Axis::micro,
         .id = "mb",
         .key = "micro_batch",
         .title = "Micro-batch",
         .about = "samples of one forward pass of a replica",
         .number = &Configuration::micro,
         .isAlwaysSaid = true},
        {.axis = Axis::chunks,
         .id = "vp",
         .key = "virtual_stages",
         .head = "VP",
         .title = "Virtual stages",
         .about = "pieces of a stage that run in turns, of the interleaved schedule",
         .number = &Configuration::chunks},
        {.axis = Axis::zero,
         .id = "zero",
         .key = "zero",
         .title = "ZeRO stage",
         .about = "1 shards the optimizer's state, 2 gradients, 3 weights (FSDP)",
         .number = &Configuration::zero,
         .otherwise = "0"},
        {.axis = Axis::recompute,
         .id = "recompute",
         .key = "recompute",
         .title = "Recomputation",
         .about = "activations that are computed again in the backward pass; per-stage: of as few layers of each stage "
                  "as fit",
         .word = [](const Configuration& at) { return kRecomputationNames.of(at.recompute); },
         .otherwise = kRecomputationNames.of(Recomputation::none),
         .words = wordsOf(kRecomputationNames),
         .free = valuesOf({Recomputation::none, Recomputation::selective, Recomputation::full})},
        {.axis = Axis::schedule,
         .id = "schedule",
         .key = "schedule",
         .title = "Schedule",
         .about = "order of the micro-batches in the pipeline",
         .word = [](const Configuration& at) { return at.pipeline > 1 ? physical::nameOf(at.schedule) : kNoPipeline; },
         .otherwise = kNoPipeline,
         .words = wordsOf(physical::kPipelineScheduleNames),
         .free = valuesOf({PipelineSchedule::oneForwardOneBackward, PipelineSchedule::interleaved})},
        {.axis = Axis::order,
         .id = "order",
         .key = "rank_order",
         .title = "Order of ranks",
         .about = "which accelerators are neighbours, from the innermost",
         .word = [](const Configuration& at) { return physical::kRankOrderNames.of(at.order); },
         .otherwise = physical::kRankOrderNames.of(physical::RankOrder::pipelineLast),
         .words = wordsOf(physical::kRankOrderNames)},
        {.axis = Axis::dtype,
         .id = "dtype",
         .key = "dtype",
         .title = "Data type",
         .about = "of the matmuls; one of those of --dtype"},
        {.axis = Axis::group,
         .id = "group",
         .key = "group",
         .title = "Group",
         .about = "of the fleet; only configurations that use no other group"},
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

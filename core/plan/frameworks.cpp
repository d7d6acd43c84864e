#include "core/plan/frameworks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/plan/framework_rows.h"
#include "core/plan/judge.h"

namespace tessera::plan {

namespace {

std::vector<Framework>& allFrameworks() {
    static std::vector<Framework> all{megatronFramework(), nemoFramework(), deepspeedFramework(),
                                      torchtitanFramework()};
    return all;
}

/// Pieces that a stage's layers are cut into.
int piecesOfStage(const Configuration& configuration) {
    constexpr int kPiecesOfV = 2;
    switch (configuration.schedule) {
        case physical::PipelineSchedule::interleaved:
            return configuration.chunks;
        case physical::PipelineSchedule::zbV:
            return kPiecesOfV;
        default:
            return 1;
    }
}

/// Layers of a piece of a stage. What is left over goes to the last pieces of the first stage, whose first one holds
/// the embedding, and to the first ones of the others.
int layersOfPiece(int layers, int pieces, int piece, bool firstStage) {
    const int over = layers % pieces;
    const bool more = firstStage ? piece >= pieces - over : piece < over;
    return layers / pieces + (more ? 1 : 0);
}

}  // namespace

const std::vector<Framework>& frameworks() {
    return allFrameworks();
}

void addFramework(const Framework& framework) {
    allFrameworks().push_back(framework);
}

std::string exported(const FrameworkPlan& plan, const Framework& framework) {
    if (const std::string misfit = framework.misfit(plan); !misfit.empty()) throw UsageError(misfit);
    return framework.text(plan);
}

std::string_view plainTypeOf(std::string_view dtype) {
    if (dtype == "fp16") return "fp16";
    return dtype == "fp32" || dtype == "tf32" ? "fp32" : "bf16";
}

std::vector<int> pieceLayersOf(const FrameworkPlan& plan) {
    const int pieces = piecesOfStage(plan.configuration);
    const std::size_t stages = plan.layers.size();
    const bool turns = plan.configuration.schedule == physical::PipelineSchedule::zbV;
    std::vector<int> layers;
    for (int piece = 0; piece < pieces; ++piece)
        for (std::size_t i = 0; i < stages; ++i) {
            const std::size_t stage = turns && piece == 1 ? stages - 1 - i : i;
            layers.push_back(layersOfPiece(plan.layers[stage], pieces, piece, stage == 0));
        }
    return layers;
}

std::string replicasMisfit(const FrameworkPlan& plan, std::string_view framework) {
    const std::vector<Part>& parts = plan.configuration.parts;
    const auto differs = [&](const Part& part) { return part.microBatches != parts.front().microBatches; };
    const auto other = std::find_if(parts.begin(), parts.end(), differs);
    if (other == parts.end()) return {};
    return fmt::format("{} gives every replica equally many micro-batches; this plan gives some {} and others {}",
                       framework, parts.front().microBatches, other->microBatches);
}

std::optional<Recomputation> recomputationOf(const FrameworkPlan& plan) {
    if (plan.configuration.recompute != Recomputation::perStage) return plan.configuration.recompute;
    return alikeOf(plan.layers, plan.recomputed);
}

std::string stagesRecomputeMisfit(const FrameworkPlan& plan, std::string_view framework) {
    if (recomputationOf(plan)) return {};
    return fmt::format("{} recomputes all stages alike; this plan recomputes some layers of a stage and keeps others",
                       framework);
}

std::string orderMisfit(const FrameworkPlan& plan, std::string_view framework) {
    if (plan.configuration.order == physical::RankOrder::pipelineLast) return {};
    return fmt::format("{} takes ranks in the order {}, not {}", framework,
                       physical::kRankOrderNames.of(physical::RankOrder::pipelineLast),
                       physical::kRankOrderNames.of(plan.configuration.order));
}

Nodes nodesOf(const FrameworkPlan& plan) {
    Nodes nodes;
    for (const Machines& each : plan.machines) {
        if (nodes.perNode != 0 && nodes.perNode != each.perNode) return {};
        nodes.count += each.nodes();
        nodes.perNode = each.perNode;
    }
    return nodes;
}

std::string planComment(const FrameworkPlan& plan) {
    std::vector<std::string> nodes;
    for (const Machines& each : plan.machines) {
        nodes.push_back(fmt::format("{} of {} {}", formatCounted(each.nodes(), "node", "nodes"), each.perNode,
                                    escaped(each.accelerator)));
    }
    return fmt::format("# {} on {}: {}\n# Ranks: {}\n", escaped(plan.model), escaped(plan.fleet),
                       shortText(plan.configuration), joined(nodes, ", then "));
}

std::string shapeText(const FrameworkPlan& plan) {
    const physical::Transformer& shape = plan.shape;
    std::string text =
        fmt::format("{} layers, hidden size {}, {} heads, {} of keys and values, feed-forward {}, vocabulary {}",
                    whole(shape.layers), whole(shape.hidden), whole(shape.heads), whole(shape.keyHeads),
                    whole(shape.ffn), whole(shape.vocabulary));
    if (shape.experts > 0)
        text += fmt::format(", {} experts of {}, {} for a token", whole(shape.experts), whole(shape.expertFfn),
                            whole(shape.expertsPerToken));
    return text;
}

}  // namespace tessera::plan

#include "core/codesign/search/layer_operators.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/model/operators/operator_table.h"

namespace tessera::codesign {

namespace {

using model::kNoTensor;
using model::OperatorClass;
using model::TensorIndex;

std::int64_t whole(double value) {
    return std::max<std::int64_t>(1, std::llround(value));
}

/// What a gradient is of, in the attributes of a row of gradients.
std::string_view gradientOf(const model::Operator& op) {
    const auto* name = model::attributeAs<std::string>(op.attributes, "of");
    return name == nullptr ? std::string_view() : std::string_view(*name);
}

/// What an operator does on a vector core; nullptr where no row says it.
const cost::VectorKind* vectorKindOf(const model::Operator& op) {
    const std::string_view of = gradientOf(op);
    return of.empty() ? cost::vectorKindOf(op.type, false) : cost::vectorKindOf(of, true);
}

bool isLookUp(const model::Operator& op) {
    return op.type == "Gather" || op.type == "LookUpGradient";
}

}  // namespace

std::size_t WorkTable::indexOf(const cost::CoreWork& work) {
    const auto found = std::find(works_.begin(), works_.end(), work);
    if (found != works_.end()) return static_cast<std::size_t>(found - works_.begin());
    works_.push_back(work);
    return works_.size() - 1;
}

LayerOperators::LayerOperators(const model::TrainingGraph& training, double wordBytes, WorkTable& works)
    : training_(training), wordBytes_(wordBytes), works_(works) {
    for (std::size_t i = 0; i < training.graph.operators.size(); ++i)
        roles_.push_back(roleOf(static_cast<std::int32_t>(i)));
    findSources();
}

LayerOperators::Role LayerOperators::roleOf(std::int32_t op) const {
    const model::Operator& of = training_.graph.operators[toIndex(op)];
    // What depends on stored values and shapes only is computed once, before the training.
    const bool computed = std::any_of(of.outputs.begin(), of.outputs.end(), [&](TensorIndex output) {
        return output != kNoTensor && training_.graph.tensor(output).role == model::TensorRole::activation;
    });
    if (!computed) return Role::free;
    if (countOf(op).macs.value_or(0) > 0) return Role::tensor;
    const model::OperatorKind* const kind = model::kindOf(of);
    if (kind == nullptr) return Role::vector;
    if (kind->group == OperatorClass::communication) return of.type == "Replicate" ? Role::free : Role::network;
    if (isLookUp(of)) return Role::vector;
    const bool moves = kind->group == OperatorClass::memory || kind->group == OperatorClass::control;
    const bool relabels = of.type == "Identity" || of.type == "Cast" || of.type == "MoveGradient";
    return moves || relabels ? Role::free : Role::vector;
}

void LayerOperators::findSources() {
    const model::Graph& graph = training_.graph;
    std::vector<std::vector<std::int32_t>> sources(graph.tensors.size());  // operators, not free, that a tensor is of
    readers_.resize(graph.operators.size());
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
        const auto number = static_cast<std::int32_t>(i);
        std::set<std::int32_t> from;
        for (const TensorIndex input : graph.operators[i].inputs)
            if (input != kNoTensor) from.insert(sources[toIndex(input)].begin(), sources[toIndex(input)].end());
        const bool free = roles_[i] == Role::free;
        if (!free)
            for (const std::int32_t source : from) readers_[toIndex(source)].push_back(number);
        for (const TensorIndex output : graph.operators[i].outputs) {
            if (output == kNoTensor) continue;
            if (free)
                sources[toIndex(output)].assign(from.begin(), from.end());
            else
                sources[toIndex(output)] = {number};
        }
        poll();
    }
}

model::OperatorCount LayerOperators::countOf(std::int32_t op) const {
    return model::countOf(training_.graph, training_.graph.operators[toIndex(op)]);
}

std::optional<double> LayerOperators::elementsOf(TensorIndex tensor) const {
    const auto count = model::elementCount(training_.graph.tensor(tensor).shape);
    return count ? std::optional(real(*count)) : std::nullopt;
}

double LayerOperators::outputElements(std::int32_t op) const {
    const std::vector<TensorIndex>& outputs = training_.graph.operators[toIndex(op)].outputs;
    return outputs.empty() || outputs.front() == kNoTensor ? 0 : elementsOf(outputs.front()).value_or(0);
}

bool LayerOperators::isElementwise(std::int32_t op, double elements) const {
    if (roles_[toIndex(op)] != Role::vector || outputElements(op) != elements) return false;
    const model::Operator& of = training_.graph.operators[toIndex(op)];
    const model::OperatorKind* const kind = model::kindOf(of);
    return kind != nullptr && kind->group == OperatorClass::vector && !isLookUp(of);
}

/// Rows and columns are those of the output; the summed extent follows from the multiply-accumulates, whatever the
/// operands' layout.
cost::Gemm LayerOperators::gemmOf(std::int32_t op) const {
    const model::Operator& of = training_.graph.operators[toIndex(op)];
    const std::vector<std::int64_t>& shape = *training_.graph.tensor(of.outputs.front()).shape;
    const double elements = outputElements(op);
    const double macs = real(*countOf(op).macs);
    cost::Gemm gemm;
    gemm.k = whole(macs / elements);
    const bool images = of.type->starts_with("Conv");
    if (images && of.type != "ConvolutionWeightGradient" && shape.size() > 2) {
        gemm.n = shape[1];
        gemm.m = whole(elements / real(gemm.n));
    } else if (images || shape.size() < 2) {
        gemm.m = shape.empty() ? 1 : shape.front();
        gemm.n = whole(elements / real(gemm.m));
    } else {
        gemm.n = shape.back();
        gemm.m = shape[shape.size() - 2];
        gemm.batch = whole(elements / (real(gemm.m) * real(gemm.n)));
        const auto& second = of.inputs.size() > 1 && of.inputs[1] != kNoTensor
                                 ? training_.graph.tensor(of.inputs[1]).shape
                                 : std::nullopt;
        if (second && second->size() == 2) {  // one matrix for all rows
            gemm.m *= gemm.batch;
            gemm.batch = 1;
        }
    }
    return gemm;
}

double LayerOperators::cyclesOf(std::int32_t op, double elements) const {
    const model::Operator& of = training_.graph.operators[toIndex(op)];
    if (const cost::VectorKind* kind = vectorKindOf(of)) return cost::cyclesPerElement(*kind);
    return std::max(1.0, real(countOf(op).flopsVector.value_or(0)) / elements);
}

cost::VectorWork LayerOperators::vectorOf(std::int32_t op) const {
    const model::Operator& of = training_.graph.operators[toIndex(op)];
    if (isLookUp(of)) {
        const bool backward = of.type == "LookUpGradient";
        const double elements = backward ? elementsOf(of.inputs.front()).value_or(1) : outputElements(op);
        return cost::vectorWork(*cost::vectorKindNamed(backward ? "embedding-gradient" : "embedding"), whole(elements));
    }
    cost::VectorWork work;
    double max = outputElements(op);
    std::vector<TensorIndex> seen;
    for (const TensorIndex input : of.inputs) {
        if (input == kNoTensor || !model::isFloat(training_.graph.tensor(input).type)) continue;
        if (std::find(seen.begin(), seen.end(), input) != seen.end()) continue;
        seen.push_back(input);
        work.reads += elementsOf(input).value_or(0);
        max = std::max(max, elementsOf(input).value_or(0));
    }
    for (const TensorIndex output : of.outputs)
        if (output != kNoTensor) work.writes += elementsOf(output).value_or(0);
    work.elements = whole(max);
    work.cyclesPerElement = cyclesOf(op, std::max(1.0, max));
    return work;
}

double LayerOperators::bytesReduced(std::int32_t op) const {
    return outputElements(op) * wordBytes_;
}

double LayerOperators::macsOf(const std::vector<std::int32_t>& operators) const {
    double macs = 0;
    for (const std::int32_t op : operators) macs += real(countOf(op).macs.value_or(0));
    return macs;
}

LayerPhase LayerOperators::phaseOf(const std::vector<std::int32_t>& operators, const std::string& file) const {
    std::vector<std::int32_t> here;  // the operators that are not free, ascending
    for (const std::int32_t op : operators) {
        if (roles_[toIndex(op)] == Role::free) continue;
        here.push_back(op);
        const model::Operator& of = training_.graph.operators[toIndex(op)];
        for (const TensorIndex output : of.outputs)
            if (output != kNoTensor && !elementsOf(output))
                throw DataError({.file = file, .line = 0, .column = 0, .where = "node " + inQuotes(of.name)},
                                "a tensor of unknown shape",
                                "known shapes; bind symbolic dimensions with --dim NAME=N");
    }
    std::sort(here.begin(), here.end());
    // The place of an operator in `here`; behind all where it is not there.
    const auto placeOf = [&](std::int32_t op) {
        const auto place = std::lower_bound(here.begin(), here.end(), op);
        return place != here.end() && *place == op ? static_cast<std::size_t>(place - here.begin()) : here.size();
    };
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> groups(here.size(), kNone);  // by place: position in `phase`
    LayerPhase phase;
    for (std::size_t at = 0; at < here.size(); ++at) {
        if (groups[at] != kNone) continue;
        const std::int32_t op = here[at];
        const std::size_t group = phase.operators.size();
        groups[at] = group;
        LayerOperator& made = phase.operators.emplace_back();
        made.name = training_.graph.operators[toIndex(op)].name;
        if (roles_[toIndex(op)] == Role::network) {
            made.kind = CoreKind::vector;
            made.reduced = Bytes{bytesReduced(op)};
            continue;
        }
        if (roles_[toIndex(op)] == Role::vector) {
            made.kind = CoreKind::vector;
            made.work = works_.indexOf({.gemm = {}, .vector = vectorOf(op)});
            continue;
        }
        const cost::Gemm gemm = gemmOf(op);
        const double elements = outputElements(op);
        std::optional<cost::VectorWork> behind;
        for (std::int32_t last = op;;) {
            std::vector<std::size_t> next;  // places
            for (const std::int32_t reader : readers_[toIndex(last)])
                if (const std::size_t place = placeOf(reader); place < here.size()) next.push_back(place);
            if (next.size() != 1 || groups[next.front()] != kNone || !isElementwise(here[next.front()], elements))
                break;
            const cost::VectorWork one = vectorOf(here[next.front()]);
            if (!behind) behind = cost::VectorWork{.elements = one.elements, .cyclesPerElement = 0, .reads = elements};
            behind->cyclesPerElement += one.cyclesPerElement;
            behind->reads += std::max(0.0, one.reads - elements);
            // What others read besides is still written.
            if (readers_[toIndex(last)].size() > 1) behind->writes += elements;
            last = here[next.front()];
            groups[next.front()] = group;
            made.name += " + " + training_.graph.operators[toIndex(last)].name;
        }
        if (behind) behind->writes += elements;
        made.kind = behind ? CoreKind::fused : CoreKind::tensor;
        made.work = works_.indexOf({.gemm = gemm, .vector = behind});
    }
    for (std::size_t at = 0; at < here.size(); ++at)
        for (const std::int32_t reader : readers_[toIndex(here[at])])
            if (const std::size_t to = placeOf(reader); to < here.size() && groups[to] != groups[at])
                phase.edges.emplace_back(groups[at], groups[to]);
    std::sort(phase.edges.begin(), phase.edges.end());
    phase.edges.erase(std::unique(phase.edges.begin(), phase.edges.end()), phase.edges.end());
    return phase;
}

}  // namespace tessera::codesign

#include "core/partition/physical_costs.h"

#include <algorithm>
#include <cmath>

#include "core/base/number.h"
#include "core/model/training.h"
#include "core/partition/array.h"
#include "core/physical/topology.h"
#include "core/physical/training_predictor.h"

namespace tessera::partition {

namespace {

using physical::Collective;

/// The largest of `parts` parts of a whole extent, as a share of it.
double largestShare(double extent, std::int64_t parts) {
    if (parts <= 1 || !(extent > 1)) return 1;
    return std::ceil(extent / static_cast<double>(parts)) / extent;
}

/// Shares of a layer that one accelerator has.
struct ShardShares {
    double rows = 1, in = 1, out = 1;

    double of(Extent extent) const {
        switch (extent) {
            case Extent::whole:
                return 1;
            case Extent::rows:
                return rows;
            case Extent::in:
                return in;
            case Extent::out:
                return out;
            case Extent::rowsAndOut:
                return rows * out;
        }
        return 1;
    }
};

ShardShares sharesOf(const PhysicalLayer& layer, const Degrees& parts) {
    const double rows = std::min(static_cast<double>(parts.batch), std::max(layer.rows, 1.0));
    return {1 / rows, largestShare(layer.in, parts.in), largestShare(layer.out, parts.out)};
}

std::vector<std::int64_t> sizesOfLevels(const hardware::Group& group) {
    std::vector<std::int64_t> sizes;
    for (const hardware::TopologyLevel& level : group.levels) sizes.push_back(level.size);
    return sizes;
}

std::vector<std::int64_t> spanOf(const Sharding& sharding, std::int64_t Degrees::*cut) {
    std::vector<std::int64_t> span;
    for (const Degrees& level : sharding) span.push_back(level.*cut);
    return span;
}

/// Numbers of layouts that shardings lead to, each once, and the place of each sharding's among them.
struct LayoutsOf {
    template <typename NumberOf>
    LayoutsOf(const std::vector<Sharding>& shardings, const NumberOf& numberOf) {
        std::map<std::int32_t, std::size_t> known;
        for (const Sharding& sharding : shardings) {
            const std::int32_t number = numberOf(sharding);
            const auto [found, isNew] = known.try_emplace(number, numbers.size());
            if (isNew) numbers.push_back(number);
            place.push_back(found->second);
        }
    }

    std::vector<std::int32_t> numbers;
    std::vector<std::size_t> place;
};

}  // namespace

PhysicalCosts::PhysicalCosts(const model::LayerGraph& layers, const model::Graph* graph, const hardware::Group& group,
                             const Options& options)
    : options_(options),
      times_(physical::deviceOf(group.accelerator), options.dtype),
      sizes_(sizesOfLevels(group)),
      layerCount_(layers.layers.size()),
      width_(bytesOfDtype(options.dtype).value_or(2)),
      collectives_(group.levels) {
    vertices_ = physicalLayersOf(layers, graph, options.batch, width_, true);
    if (graph != nullptr) {
        for (const model::TensorIndex input : graph->inputs)
            inputs_ += static_cast<double>(model::elementCount(graph->tensor(input).shape).value_or(0));
        inputs_ *= options.batch / static_cast<double>(std::max<std::int64_t>(graph->batch, 1));
    }
    addGathered(layers, options.batch);
    nameKinds();
    if (options.transformer) scaleTo(*options.transformer, group);
}

/// The step of a transformer is known as a whole, by a model that was fitted to runs of transformers; which part of it
/// a cut makes smaller, the graph says. So kernels and the gradient all-reduce are scaled until data parallelism takes
/// what that model says.
void PhysicalCosts::scaleTo(physical::TrainingRun transformer, const hardware::Group& group) {
    Sharding all;
    std::int64_t accelerators = 1;
    for (const std::int64_t size : sizes_) {
        all.push_back({.batch = size, .in = 1, .out = 1});
        accelerators *= size;
    }
    transformer.accelerator = group.accelerator.id;
    transformer.accelerators = static_cast<int>(accelerators);
    transformer.perNode = sizes_.empty() ? 1 : static_cast<int>(sizes_.front());
    if (group.levels.size() > 1)
        if (const auto rate = hardware::effectiveBandwidth(group.levels[1]))
            transformer.networkBytesPerSecond = rate->value * transformer.perNode;
    transformer.dtype = options_.dtype;
    transformer.globalBatch = options_.batch;
    transformer.microBatch = options_.batch / static_cast<double>(accelerators);
    transformer.dataParallel = transformer.accelerators;
    transformer.tensorParallel = transformer.pipelineParallel = transformer.contextParallel = 1;
    transformer.optimizer = std::string(model::optimizerKind(options_.optimizer).id);
    transformer.software = "fused";
    const physical::ReplicaStep whole = physical::replicaStepOf(transformer, physical::deviceIn(group));
    double computed = 0, reduction = 0;
    for (std::int32_t vertex = 0; vertex < signedIndex(layerCount_); ++vertex) {
        const ShardTimes shard = this->shard(vertex, all);
        computed += shard.compute();
        reduction += shard.reduction;
    }
    if (computed > 0) computeScale_ = whole.computed / computed;
    if (reduction > 0) reductionScale_ = whole.exposed / (times_.exposed() * reduction);
    inputs_ = 0;  // tokens are no work for a host
}

/// A tensor that several layers with weights read is gathered once: a vertex between its maker and them.
void PhysicalCosts::addGathered(const model::LayerGraph& layers, double batch) {
    std::map<std::int32_t, std::vector<std::size_t>> readers;
    for (std::size_t e = 0; e < layers.edges.size(); ++e)
        if (vertices_[toIndex(layers.edges[e].to)].isWeighted) readers[layers.edges[e].from].push_back(e);
    readsCopy_.assign(layerCount_, false);
    std::map<std::size_t, std::int32_t> copyOf;
    for (const auto& [from, list] : readers) {
        if (list.size() < 2) continue;
        const PhysicalLayer& reader = vertices_[toIndex(layers.edges[list.front()].to)];
        PhysicalLayer copy;
        copy.cutsRows = true;
        copy.rows = reader.rows;
        copy.in = reader.in;
        copy.out = kInfinity;
        for (const std::size_t e : list) {
            copy.cutsRows = copy.cutsRows && vertices_[toIndex(layers.edges[e].to)].cutsRows;
            copy.rows = std::min(copy.rows, vertices_[toIndex(layers.edges[e].to)].rows);
            copy.inElements = std::max(copy.inElements, layers.edges[e].elements * batch);
            copyOf[e] = static_cast<std::int32_t>(vertices_.size());
            readsCopy_[toIndex(layers.edges[e].to)] = true;
        }
        edges_.push_back({from, static_cast<std::int32_t>(vertices_.size()), copy.inElements});
        vertices_.push_back(copy);
    }
    readsCopy_.resize(vertices_.size(), false);
    for (std::size_t e = 0; e < layers.edges.size(); ++e) {
        const model::LayerEdge& edge = layers.edges[e];
        const auto copy = copyOf.find(e);
        edges_.push_back(
            {copy == copyOf.end() ? edge.from : copy->second, edge.to, edge.elements * batch, copy != copyOf.end()});
    }
}

void PhysicalCosts::nameKinds() {
    std::vector<std::size_t> firsts;
    for (std::size_t v = 0; v < vertices_.size(); ++v) {
        const auto same = std::find_if(firsts.begin(), firsts.end(), [&](std::size_t first) {
            return isGathered(signedIndex(first)) == isGathered(signedIndex(v)) && readsCopy_[first] == readsCopy_[v] &&
                   vertices_[first].isAlike(vertices_[v]);
        });
        kinds_.push_back(static_cast<std::int32_t>(same - firsts.begin()));
        if (same == firsts.end()) firsts.push_back(v);
    }
    std::map<std::tuple<std::int32_t, std::int32_t, double, bool>, std::int32_t> known;
    for (Edge& edge : edges_)
        edge.alike =
            known
                .try_emplace({kinds_[toIndex(edge.from)], kinds_[toIndex(edge.to)], edge.elements, edge.isCopy},
                             static_cast<std::int32_t>(known.size()))
                .first->second;
}

bool PhysicalCosts::allows(std::int32_t vertex, const Sharding& sharding) const {
    const PhysicalLayer& layer = vertices_[toIndex(vertex)];
    const Degrees parts = productOf(sharding);
    return static_cast<double>(parts.batch) <= layer.rows && static_cast<double>(parts.in) <= layer.in &&
           static_cast<double>(parts.out) <= layer.out;
}

double PhysicalCosts::kernelSeconds(const LayerKernel& kernel, const PhysicalLayer& layer, const Degrees& parts) const {
    const ShardShares shares = sharesOf(layer, parts);
    physical::NetworkOperator op = kernel.op;
    op.batch.fixed *= shares.of(kernel.batch);
    op.m.fixed *= shares.of(kernel.m);
    op.n.fixed *= shares.of(kernel.n);
    op.k.fixed *= shares.of(kernel.k);
    const double all = shares.rows * shares.in * shares.out;
    double moved = all;
    const double whole = layer.inElements + layer.outElements + layer.weights;
    if (kernel.isProductOfLayer && whole > 0) {
        const double in = layer.isWeighted ? shares.in : shares.out;
        moved = (layer.inElements * shares.rows * in + layer.outElements * shares.rows * shares.out +
                 layer.weights * (layer.isWeighted ? shares.in : 1) * shares.out) /
                whole;
    }
    op.values.fixed *= moved;
    op.again.fixed *= all;
    op.table *= shares.out;
    return times_.kernel(op);
}

double PhysicalCosts::collective(Collective operation, const Sharding& sharding, std::int64_t Degrees::*cut,
                                 double bytes) const {
    return collectives_.seconds(collectives_.operation(operation, spanOf(sharding, cut)), bytes);
}

ShardTimes PhysicalCosts::shard(std::int32_t vertex, const Sharding& sharding) const {
    const PhysicalLayer& layer = vertices_[toIndex(vertex)];
    const Degrees parts = productOf(sharding);
    const double word = times_.wordBytes();
    ShardTimes shard;
    if (isGathered(vertex)) {
        const double held = layer.inElements / static_cast<double>(parts.batch * parts.in);
        // Gradients that the readers make are summed over the copies, and scattered.
        shard.partialSums = collective(Collective::reduceScatter, sharding, &Degrees::out, held * word);
        shard.activations = held * (1 - 1 / static_cast<double>(parts.out));
        shard.memory = shard.activations * width_;
        return shard;
    }
    const ShardShares shares = sharesOf(layer, parts);
    const double slowest = computeScale_ * times_.slowest(static_cast<double>(parts.parts()));
    for (const LayerKernel& kernel : layer.kernels)
        (kernel.op.backward ? shard.backward : shard.forward) += slowest * kernelSeconds(kernel, layer, parts);
    const double weightShare = shares.in * shares.out;
    if (layer.isWeighted) {
        const double made = layer.outElements * shares.rows * shares.out;
        const double read = layer.inElements * shares.rows * shares.in;
        shard.partialSums = collective(Collective::reduceScatter, sharding, &Degrees::in, made * word);
        if (!readsCopy_[toIndex(vertex)]) {
            shard.partialSums += collective(Collective::reduceScatter, sharding, &Degrees::out, read * word);
            shard.activations += read * (1 - shares.out);
        }
    }
    // Gradients are summed in buckets of several layers, so that each takes its part of what all of them take.
    const double updated = layer.updatedBy(shares.rows), all = updatedBy(parts.batch);
    if (updated > 0)
        shard.reduction =
            reductionScale_ * updated / all *
            collective(Collective::allReduce, sharding, &Degrees::batch, all * weightShare * times_.gradientBytes());
    shard.update = computeScale_ * times_.update(updated * weightShare, model::optimizerKind(options_.optimizer).id);
    shard.parameters = layer.parameters * weightShare;
    shard.activations += layer.stored * shares.rows * weightShare;
    shard.memory = shard.parameters * (2 * width_ + model::stateBytesPerParameter(options_.optimizer)) +
                   shard.activations * width_;
    return shard;
}

double PhysicalCosts::updatedBy(std::int64_t parts) const {
    const auto [found, isNew] = updatedBy_.try_emplace(parts, 0);
    if (!isNew) return found->second;
    for (const PhysicalLayer& layer : vertices_)
        found->second += layer.updatedBy(1 / std::min(static_cast<double>(parts), std::max(layer.rows, 1.0)));
    return found->second;
}

JointCost PhysicalCosts::cost(const ShardTimes& shard) const {
    const double own = shard.compute() + shard.partialSums;
    return {own + times_.exposed() * shard.reduction, own + shard.reduction - shard.backward, shard.memory};
}

double PhysicalCosts::step(double seconds) const {
    double accelerators = 1;
    for (const std::int64_t size : sizes_) accelerators *= static_cast<double>(size);
    const std::int64_t node = sizes_.empty() ? 1 : std::min<std::int64_t>(sizes_.front(), 1 << 20);
    return times_.fed(seconds, inputs_ / accelerators, static_cast<int>(node));
}

// Hand-overs
// -----------------------------------------------------------------------------------------------------------

PhysicalCosts::Layout PhysicalCosts::reads(std::int32_t vertex, const Sharding& sharding) const {
    const bool whole = vertices_[toIndex(vertex)].isWeighted || isGathered(vertex);
    Layout layout;
    for (const Degrees& level : sharding) layout.emplace_back(level.batch, whole ? level.in : level.out);
    return layout;
}

PhysicalCosts::Layout PhysicalCosts::makes(std::int32_t vertex, const Sharding& sharding) const {
    Layout layout;
    for (const Degrees& level : sharding) layout.emplace_back(level.batch * level.in, level.out);
    return isGathered(vertex) ? reads(vertex, sharding) : layout;
}

PhysicalCosts::Layout PhysicalCosts::gradientMade(std::int32_t vertex, const Sharding& sharding) const {
    if (!vertices_[toIndex(vertex)].isWeighted && !isGathered(vertex)) return reads(vertex, sharding);
    Layout layout;
    for (const Degrees& level : sharding) layout.emplace_back(level.batch * level.out, level.in);
    return layout;
}

std::int32_t PhysicalCosts::number(Layout layout) const {
    const auto [found, isNew] = layouts_.try_emplace(std::move(layout), static_cast<std::int32_t>(layoutList_.size()));
    if (isNew) layoutList_.push_back(found->first);
    return found->second;
}

/// A tensor that is cut in as many parts as there are accelerators first changes what it is cut by, where that is
/// needed, and is then gathered where fewer parts are wanted. Levels do so side by side.
const PhysicalCosts::Passage& PhysicalCosts::passage(std::int32_t from, std::int32_t to) const {
    const auto [found, isNew] = passages_.try_emplace({from, to});
    if (!isNew) return found->second;
    const Layout& made = layoutList_[toIndex(from)];
    const Layout& read = layoutList_[toIndex(to)];
    std::vector<std::int64_t> exchange, gather;
    double gathered = 1;
    for (std::size_t l = 0; l < made.size(); ++l) {
        const auto [madeRows, madeChannels] = made[l];
        const auto [rows, channels] = read[l];
        const std::int64_t parts = madeRows * madeChannels;
        gathered *= static_cast<double>(rows * channels);
        gather.push_back(std::max<std::int64_t>(parts / (rows * channels), 1));
        if (madeRows % rows == 0 && madeChannels % channels == 0)
            exchange.push_back(1);
        else if (madeRows < rows && rows % madeRows == 0 && madeChannels % (rows / madeRows) == 0)
            exchange.push_back(rows / madeRows);
        else if (madeChannels < channels && channels % madeChannels == 0 && madeRows % (channels / madeChannels) == 0)
            exchange.push_back(channels / madeChannels);
        else
            exchange.push_back(parts);
    }
    found->second = {collectives_.operation(Collective::allToAll, exchange),
                     collectives_.operation(Collective::allGather, gather), gathered};
    return found->second;
}

double PhysicalCosts::passSeconds(std::int32_t from, std::int32_t to, double elements) const {
    const Passage& way = passage(from, to);
    if (way.exchange < 0 && way.gather < 0) return 0;
    double parts = 1;
    for (const auto& [rows, channels] : layoutList_[toIndex(from)]) parts *= static_cast<double>(rows * channels);
    const double bytes = elements * times_.wordBytes();
    return collectives_.seconds(way.exchange, bytes / parts) + collectives_.seconds(way.gather, bytes / way.gathered);
}

double PhysicalCosts::handOver(const Edge& edge, const Sharding& from, const Sharding& to) const {
    return handOvers(edge, {from}, {to}).front();
}

std::vector<double> PhysicalCosts::handOvers(const Edge& edge, const std::vector<Sharding>& from,
                                             const std::vector<Sharding>& to) const {
    const LayoutsOf made(from, [&](const Sharding& s) { return number(makes(edge.from, s)); });
    const LayoutsOf read(to, [&](const Sharding& s) { return number(reads(edge.to, s)); });
    std::vector<double> table;
    table.reserve(from.size() * to.size());
    if (edge.isCopy) {
        for (const std::size_t copy : made.place)
            for (const std::size_t wanted : read.place) {
                const Layout& has = layoutList_[toIndex(made.numbers[copy])];
                const Layout& needs = layoutList_[toIndex(read.numbers[wanted])];
                bool holds = true;
                for (std::size_t l = 0; l < has.size(); ++l)
                    holds = holds && needs[l].first % has[l].first == 0 && needs[l].second % has[l].second == 0;
                table.push_back(holds ? 0 : kInfinity);
            }
        return table;
    }
    // The gradient is wanted where the maker reads it: its rows and outputs, a copy for each cut of its inputs.
    const LayoutsOf gradient(to, [&](const Sharding& s) { return number(gradientMade(edge.to, s)); });
    const LayoutsOf wanted(from, [&](const Sharding& s) {
        Layout layout;
        for (const Degrees& level : s) layout.emplace_back(level.batch, level.out);
        return number(std::move(layout));
    });
    const auto secondsOf = [&](const LayoutsOf& one, const LayoutsOf& other) {
        std::vector<double> seconds;
        for (const std::int32_t before : one.numbers)
            for (const std::int32_t after : other.numbers) seconds.push_back(passSeconds(before, after, edge.elements));
        return seconds;
    };
    const std::vector<double> forward = secondsOf(made, read), backward = secondsOf(gradient, wanted);
    for (std::size_t f = 0; f < from.size(); ++f)
        for (std::size_t t = 0; t < to.size(); ++t)
            table.push_back(forward[made.place[f] * read.numbers.size() + read.place[t]] +
                            backward[gradient.place[t] * wanted.numbers.size() + wanted.place[f]]);
    return table;
}

}  // namespace tessera::partition

#include "core/plan/network_layers.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/physical/device.h"
#include "core/physical/network_model.h"
#include "core/physical/topology.h"

namespace tessera::plan {

using codesign::LayerCosts;
using codesign::PlacementProblem;
using hardware::TopologyLevel;
using physical::Recompute;

namespace {

/// Accelerators of each level that neighbours by number span, innermost first.
std::vector<std::int64_t> spanOf(const std::vector<TopologyLevel>& levels, std::int64_t neighbours) {
    std::vector<std::int64_t> span;
    for (const TopologyLevel& level : levels) {
        span.push_back(std::min(level.size, neighbours));
        neighbours = (neighbours - 1) / span.back() + 1;
    }
    return span;
}

double secondsOver(const std::vector<TopologyLevel>& levels, physical::Collective operation,
                   const physical::SpanningGroup& group, double bytes) {
    const physical::Prediction prediction = physical::collectiveOver(levels, operation, group, bytes);
    if (!prediction.estimate) throw UsageError(prediction.refused);
    return prediction.estimate->value;
}

/// The same graph with floating-point tensors of a data type's size.
model::Graph withWords(model::Graph graph, std::string_view dtype) {
    const bool wide = physical::bytesOf(dtype) >= 4;
    for (model::Tensor& tensor : graph.tensors)
        if (model::isFloat(tensor.type)) tensor.type = wide ? model::DataType::float32 : model::DataType::bfloat16;
    return graph;
}

double knownBytes(const std::optional<double>& bytes, const std::string& model) {
    if (bytes) return *bytes;
    throw DataError(Place{.file = model}, "tensors of unknown shape",
                    "a model whose shapes are all known; bind symbolic dimensions with --dim NAME=N");
}

/// A layer of the graph at its batch.
struct NetworkLayer {
    std::vector<std::size_t> forward, backward;  ///< kernels, by their place in the folded ones
    double parameters = 0;                       ///< bytes
    double stored = 0;                           ///< bytes that the backward pass reads
    double entering = 0;                         ///< bytes that enter from other layers
};

/// What layers cost at any micro-batch and number of replicas.
class NetworkCosts {
public:
    NetworkCosts(const model::Graph& graph, const hardware::Group& group, NetworkTraining training)
        : training_(std::move(training)),
          device_(physical::deviceOf(group.accelerator)),
          levels_(physical::levelsOf(group)),
          system_(physical::measuredSystemOf(device_.id, device_.linkBytesPerSecond)),
          batch_(static_cast<double>(std::max<std::int64_t>(graph.batch, 1))) {
        if (!(physical::peakOf(device_, training_.dtype) > 0))
            throw UsageError("the accelerator " + inQuotes(device_.id) + " has no peak for " +
                             inQuotes(training_.dtype));
        if (!(device_.bandwidth > 0))
            throw UsageError("the accelerator " + inQuotes(device_.id) + " has no bandwidth of its memory");
        std::vector<model::TrainingLayer> layers =
            model::forwardLayersOf(graph, model::headOf(graph), model::Stretch::byWeights);
        const model::TrainingGraph step =
            model::trainingOf(withWords(graph, training_.dtype), {.optimizer = training_.optimizer});
        work_ = physical::networkWorkOf(step);
        count(model::countTraining(step));
        setLayers(model::layersOf(step, std::move(layers)));
    }

    const std::vector<std::string>& names() const { return names_; }
    const codesign::LayerGraph& graph() const { return graph_; }
    double parameters() const { return parameters_; }
    double sampleFlop() const { return sampleFlop_; }

    /// The same on the accelerators of a group of a problem, whose links and network are those of this group times what
    /// its rates are of this group's; the outermost level joins what there are.
    NetworkCosts on(const PlanGroup& group) const {
        NetworkCosts other = *this;
        const physical::Device& device = group.variants.front().setting.device;
        const auto times = [](TopologyLevel& level, double rate) {
            if (level.bandwidth && rate > 0) level.bandwidth = BytesPerSecond{level.bandwidth->value * rate};
        };
        if (linkRate_ > 0) times(other.levels_.front(), device.linkBytesPerSecond / linkRate_);
        if (networkRate_ > 0)
            for (std::size_t i = 1; i < levels_.size(); ++i) times(other.levels_[i], group.networkRate / networkRate_);
        std::int64_t inner = 1;
        for (std::size_t i = 0; i + 1 < levels_.size(); ++i) inner *= levels_[i].size;
        other.levels_.back() = ofSize(levels_.back(), (group.count - 1) / inner + 1);
        other.device_ = device;
        other.training_.accelerators = group.count;
        other.linkRate_ = device.linkBytesPerSecond;
        other.networkRate_ = group.networkRate;
        return other;
    }

    double spread() const {
        const physical::NetworkCost cost = physical::networkCost(work_, runOf({}), device_);
        return physical::networkFit(-1).spread[static_cast<std::size_t>(cost.likeness)];
    }

    /// With a share of the replicas where they do not all lie here.
    PlacementProblem problem(const Configuration& like, const std::optional<GroupShare>& share = {}) const {
        const physical::TrainingRun run = runOf(like);
        const physical::NetworkParameters& parameters = physical::networkFit(-1).parameters;
        const physical::NetworkCost cost = physical::networkCost(work_, run, device_);
        const physical::NetworkStep step = physical::networkStep(cost, parameters);
        const double scale = like.micro / batch_;
        std::vector<double> seconds;
        for (const physical::NetworkKernel& kernel : cost.kernels)
            seconds.push_back(physical::networkKernelTime(cost, kernel, parameters).seconds);
        double all = 0, held = 0;
        for (const NetworkLayer& layer : layers_) {
            all += sumOf(seconds, layer.forward) + sumOf(seconds, layer.backward);
            held += layer.parameters;
        }
        // The host's launches and the slowest of equal accelerators.
        const double slowed = all > 0 ? step.computing / all : 1;
        const int replicas = share ? share->replicas : like.data;
        const double once = step.update + parameters.exposed * reduction(replicas, share, cost.gradients);
        const bool again = like.recompute == Recomputation::full;
        codesign::DegreeCosts costs{.degree = 1, .layers = {}, .edges = {}};
        PlacementProblem made;
        for (const NetworkLayer& layer : layers_) {
            LayerCosts& its = costs.layers.emplace_back();
            its.weights = {layer.parameters};
            its.activations = {scale * (again ? layer.entering : layer.stored)};
            its.forward = {slowed * sumOf(seconds, layer.forward)};
            its.backward = Seconds{slowed * sumOf(seconds, layer.backward)} + (again ? its.forward : Seconds{});
            if (held > 0) its.update = {once * layer.parameters / held};
            if (again) made.beside = std::max(made.beside, Bytes{scale * layer.stored});
        }
        for (const double bytes : edges_) costs.edges.push_back({scale * bytes});
        made.byDegree = {std::move(costs)};
        made.accelerators = training_.accelerators;
        made.microBatches = static_cast<std::int64_t>(training_.globalBatch / like.micro);
        constexpr double kMaxMemory = 1e18;
        made.memory = {device_.memory > 0 ? device_.memory : kMaxMemory};
        made.bandwidth = {rateBetween(like.data)};
        made.optimizerState = model::stateBytesPerParameter(training_.optimizer) / wordBytes();
        made.steady =
            codesign::SteadyPipeline{.replicas = replicas, .filling = fillingOf(like, scale, made.microBatches)};
        return made;
    }

private:
    /// A level that joins more units or fewer; a torus grows along its first dimension, and keeps its size where fewer
    /// are in use.
    static TopologyLevel ofSize(TopologyLevel level, std::int64_t size) {
        if (!level.dims.empty()) {
            if (size <= level.size) return level;
            const std::int64_t times = (size - 1) / level.size + 1;
            level.dims.front() *= times;
            size = level.size * times;
        }
        level.size = size;
        return level;
    }

    void count(const model::TrainingCounts& counts) {
        parameters_ = static_cast<double>(counts.parameters.value_or(0));
        for (const model::Phase phase : {model::Phase::forward, model::Phase::backward})
            sampleFlop_ +=
                static_cast<double>(counts.phases[static_cast<std::size_t>(phase)].flopsMatrix.value_or(0)) / batch_;
    }

    double wordBytes() const { return physical::bytesOf(training_.dtype) >= 4 ? 4 : 2; }

    static double sumOf(const std::vector<double>& seconds, const std::vector<std::size_t>& kernels) {
        double sum = 0;
        for (const std::size_t kernel : kernels) sum += seconds[kernel];
        return sum;
    }

    void setLayers(const model::TrainingLayers& made) {
        const physical::NetworkCost cost = physical::networkCost(work_, runOf({}), device_);
        const bool alone = cost.profile == physical::SoftwareProfile::eager;
        const physical::NetworkKernels& kernels = alone ? work_.alone : work_.joined;
        const auto kernelsOf = [&](const std::vector<std::int32_t>& operators) {
            std::vector<std::size_t> found;
            for (const std::int32_t op : operators) {
                const auto at = static_cast<std::size_t>(op);
                if (kernels.kernelOf[at] >= 0 && kernels.leads[at])
                    found.push_back(static_cast<std::size_t>(kernels.kernelOf[at]));
            }
            return found;
        };
        for (const model::TrainingLayer& layer : made.layers) {
            names_.push_back(layer.name);
            layers_.push_back({.forward = kernelsOf(layer.forward),
                               .backward = kernelsOf(layer.backward),
                               .parameters = knownBytes(layer.parameterBytes, training_.model),
                               .stored = knownBytes(layer.storedBytes, training_.model)});
        }
        graph_.layers = layers_.size();
        for (const model::TrainingEdge& edge : made.edges) {
            graph_.edges.push_back({static_cast<std::size_t>(edge.from), static_cast<std::size_t>(edge.to)});
            edges_.push_back(knownBytes(edge.bytes, training_.model));
            layers_[static_cast<std::size_t>(edge.to)].entering += edges_.back();
        }
    }

    /// A step of one micro-batch on each replica.
    physical::TrainingRun runOf(const Configuration& like) const {
        physical::TrainingRun run{.model = training_.model};
        run.accelerator = device_.id;
        run.accelerators = like.data;
        run.perNode = static_cast<int>(std::min<std::int64_t>(levels_.front().size, like.data));
        run.dtype = training_.dtype;
        run.microBatch = like.micro;
        run.globalBatch = static_cast<double>(like.micro) * like.data;
        run.dataParallel = like.data;
        run.optimizer = std::string(model::optimizerKind(training_.optimizer).id);
        run.software = training_.software;
        return run;
    }

    /// Of gradients among so many replicas here, and those of other groups beyond all levels.
    double reduction(int replicas, const std::optional<GroupShare>& share, double bytes) const {
        if (replicas < 2 && !share) return 0;
        std::vector<TopologyLevel> levels = levels_;
        std::vector<std::int64_t> span = spanOf(levels_, replicas);
        if (share) {
            const auto groups = static_cast<std::int64_t>(share->groups);
            levels.push_back({.name = "between groups", .size = groups, .bandwidth = BytesPerSecond{share->rate}});
            span.push_back(groups);
        }
        return secondsOver(levels, physical::Collective::allReduce, {.span = span, .system = system_}, bytes);
    }

    /// The level that messages between neighbouring stages cross at worst where there are so many accelerators.
    std::size_t levelOf(std::int64_t accelerators) const {
        std::int64_t joined = 1;
        for (std::size_t i = 0; i < levels_.size(); ++i)
            if (joined *= levels_[i].size; joined >= accelerators) return i;
        return levels_.size() - 1;
    }

    double hop(int replicas, std::int64_t stages, double bytes) const {
        const std::size_t level = levelOf(stages * replicas);
        std::vector<std::int64_t> span(level + 1, 1);
        std::int64_t below = 1;  // accelerators that may send beside each other
        for (std::size_t i = 0; i < level; ++i) below *= levels_[i].size;
        span.back() = 2;
        const physical::SpanningGroup group{
            .span = span, .concurrent = std::min<std::int64_t>(replicas, below), .system = system_};
        return secondsOver(levels_, physical::Collective::sendReceive, group, bytes);
    }

    /// The slowest tensor goes from each stage to the next and its gradient back.
    std::vector<Seconds> fillingOf(const Configuration& like, double scale, std::int64_t microBatches) const {
        const double max = edges_.empty() ? 0 : scale * *std::max_element(edges_.begin(), edges_.end());
        const std::int64_t stages =
            std::min(static_cast<std::int64_t>(layers_.size()), training_.accelerators / like.data);
        std::vector<Seconds> filling{Seconds{}};
        std::optional<std::size_t> level;
        double seconds = 0;
        for (std::int64_t count = 2; count <= stages; ++count) {
            if (const std::size_t crossed = levelOf(count * like.data); level != crossed) {
                level = crossed;
                seconds = hop(like.data, count, max);
            }
            const auto each = codesign::microBatchesOfReplica(microBatches, like.data);
            const physical::StepLayout layout{.pipeline = static_cast<int>(count),
                                              .microBatches = static_cast<double>(each)};
            filling.push_back(Seconds{physical::hopSeconds1F1B(layout, seconds)});
        }
        return filling;
    }

    /// Bytes/s between neighbouring stages at worst; 1 where nobody knows and nothing crosses.
    double rateBetween(int replicas) const {
        const std::size_t level = levelOf(std::min<std::int64_t>(training_.accelerators, 2LL * replicas));
        return hardware::effectiveBandwidth(levels_[level]).value_or(BytesPerSecond{1}).value;
    }

    NetworkTraining training_;
    physical::Device device_;
    std::vector<TopologyLevel> levels_;
    std::string_view system_;                ///< whose collectives were measured; of faster links it is the same
    double batch_;                           ///< of the graph
    double linkRate_ = 0, networkRate_ = 0;  ///< bytes/s of the group of a problem that they are on; 0: nobody says
    double parameters_ = 0, sampleFlop_ = 0;
    physical::NetworkWork work_;
    std::vector<std::string> names_;
    std::vector<NetworkLayer> layers_;
    codesign::LayerGraph graph_;
    std::vector<double> edges_;  ///< bytes
};

LayeredModel layeredOf(const std::shared_ptr<const NetworkCosts>& costs) {
    LayeredModel layered;
    layered.names = costs->names();
    layered.graph = costs->graph();
    layered.recomputes = {Recompute::none, Recompute::full};
    layered.spread = costs->spread();
    layered.parameters = costs->parameters();
    layered.sampleFlop = costs->sampleFlop();
    layered.problem = [costs](const Configuration& like) { return costs->problem(like); };
    layered.shared = [costs](const Configuration& like, const GroupShare& share) {
        return costs->problem(like, share);
    };
    layered.on = [costs](const PlanGroup& group) {
        return layeredOf(std::make_shared<const NetworkCosts>(costs->on(group)));
    };
    return layered;
}

}  // namespace

LayeredModel networkLayers(const model::Graph& graph, const hardware::Group& group, const NetworkTraining& training) {
    return layeredOf(std::make_shared<const NetworkCosts>(graph, group, training));
}

}  // namespace tessera::plan

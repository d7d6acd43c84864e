#include "core/physical/step.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/elementary.h"
#include "core/hardware/level.h"
#include "core/physical/collective.h"
#include "core/physical/collective_table.h"
#include "core/physical/kernel.h"

namespace tessera::physical {

StageLayers stageLayersOf(const Transformer& model, const StepLayout& layout) {
    const double pieces = static_cast<double>(layout.pipeline) * layout.chunks, layers = model.layers;
    if (layout.pipeline == 1) return {layers, layers, layers};
    const auto divides = [](double number, double by) { return std::fmod(number, by) == 0; };
    const double stages = layout.pipeline;
    if (divides(layers, stages)) return {layers / stages, layers / stages, layers / stages};
    if (divides(layers + 2, pieces) || divides(layers + 2, stages)) {
        const double full = (layers + 2) / stages;
        return {full, full - 1, full - 1};
    }
    const double full = std::ceil(layers / stages);
    return {full, std::max(layers - full * (stages - 1), std::floor(layers / stages)), full};
}

LayerShare layerShareOf(const StepSetting& setting) {
    const StepLayout& layout = setting.layout;
    const double bytes = bytesOf(setting.dtype);
    return {.samples = layout.micro,
            .tensor = static_cast<double>(layout.tensor),
            .context = static_cast<double>(layout.context),
            .expert = static_cast<double>(layout.expert),
            .wholeExperts = layout.wholeExperts,
            .inputBytes = bytes > 0 ? bytes : 2,
            .activationBytes = std::max(bytes, 2.0),
            .sequenceParallel = layout.sequenceParallel,
            .fusedAttention = setting.stack.fusedAttention,
            .fusedKernels = setting.stack.fusedKernels};
}

void PassSeconds::add(const PassSeconds& other, double factor) {
    for (double PassSeconds::*field :
         {&PassSeconds::products, &PassSeconds::attention, &PassSeconds::bytes, &PassSeconds::permuted,
          &PassSeconds::kernels, &PassSeconds::inside, &PassSeconds::network, &PassSeconds::contextInside,
          &PassSeconds::contextNetwork, &PassSeconds::exchange, &PassSeconds::exchangeNetwork})
        this->*field += factor * other.*field;
}

namespace {

/// Devices that a collective joins: `inner` of them are `stride` devices apart each, and so are the first ones of
/// `outer` such rows by `outerStride`, which no row reaches. One row unless it says so.
struct DeviceGroup {
    double inner = 1, stride = 1;
    double outer = 1, outerStride = 1;
    bool apart = false;  ///< no node joins all of them, however few there are

    double members() const { return inner * outer; }
    /// Of these, in a node of so many devices.
    double within(double perNode) const {
        const double rows = outer > 1 ? std::clamp(std::floor(perNode / outerStride), 1.0, outer) : 1;
        const double joined = rows * std::clamp(std::floor(perNode / stride), 1.0, inner);
        return apart && joined >= members() ? std::max(std::floor(members() / 2), 1.0) : joined;
    }
    /// Groups alike that share a node's way to the network.
    double sharing(double perNode) const {
        if (outer <= 1) return std::min(stride, perNode);
        if (outerStride < perNode) return outerStride / inner;
        return stride * inner <= perNode ? perNode / inner : std::min(stride, perNode);
    }
};

/// Collectives between the devices of a setting.
class StepNetwork {
public:
    StepNetwork(const Device& device, double perNode, double nodeBytesPerSecond)
        : perNode_(perNode), nodeRate_(nodeBytesPerSecond), neighbours_(device.neighbours) {
        system_ = measuredSystemOf(device.id, device.linkBytesPerSecond);
        const bool linked = device.linkBytesPerSecond > 0;
        // Without links all go by the host, whose lanes carry both directions of two devices at once.
        links_.linkBytesPerSecond = linked ? device.linkBytesPerSecond : std::max(device.hostBytesPerSecond, 8e9) / 2;
        links_.latencySeconds = linked ? 0 : 20e-6;
    }

    /// `copies`: of each token in an exchange.
    GroupSeconds seconds(Collective operation, const DeviceGroup& group, double bytes, double copies = 1) const {
        const double n = group.members(), within = group.within(perNode_);
        if (n < 2 || bytes <= 0) return {};
        if (within >= n) return {insideSeconds(operation, n, bytes), 0};
        const double passes = operation == Collective::allReduce ? 2 : 1;
        const double start = 20e-6 + 8e-6 * std::log2(n / within);
        if (operation == Collective::allToAll) {
            // A token goes to another node once, however many of its experts are there (as in DeepSeek's DeepEP).
            const double leaving = std::min((n - within) / n, (n / within - 1) / std::max(copies, 1.0));
            return {start, bytes * leaving / (nodeRate_ / perNode_)};
        }
        // A ring through all members leaves a node by as many cards as the group has members there.
        const double rate = nodeRate_ / group.sharing(perNode_);
        return {start, passes * bytes * (n - 1) / n / rate};
    }

    /// A message to the next of a group, the mean over its hops, of which some leave the node.
    GroupSeconds hop(const DeviceGroup& group, double bytes) const {
        const bool within = group.inner * group.stride <= perNode_;
        const double leaving = within ? 0 : std::min(group.stride / perNode_, 1.0);
        constexpr double kNetworkStart = 10e-6;
        const double inside = leaving < 1 ? insideSeconds(Collective::sendReceive, 2, bytes) : 0;
        return {(1 - leaving) * inside + leaving * kNetworkStart, leaving * bytes / (nodeRate_ / perNode_)};
    }

private:
    double insideSeconds(Collective operation, double members, double bytes) const {
        const int count = static_cast<int>(std::min(members, 1e6));
        Interconnect links = links_;
        links.linkBytesPerSecond *=
            hardware::shareOfLinks(neighbours_, operation == Collective::sendReceive ? 1 : members - 1);
        const Prediction prediction = predictCollective({.system = system_,
                                                         .operation = operation,
                                                         .accelerators = count,
                                                         .perNode = count,
                                                         .bytes = bytes,
                                                         .interconnect = links});
        return prediction.estimate ? prediction.estimate->value : bytes / links.linkBytesPerSecond;
    }

    double perNode_, nodeRate_;
    std::int64_t neighbours_;
    std::string system_;
    Interconnect links_;
};

constexpr double kKernelStart = 1.6e-6;     // s, of an element-wise kernel on the device
constexpr double kAttentionRamp = 600;      // tokens at which fused attention reaches half of its share
constexpr double kAttentionBackward = 3.0;  // seconds of the backward pass over the forward one, fused
constexpr double kLogitsBytes = 12;         // each way: three passes of 4 bytes
constexpr double kOptimizerBytes = 28;      // read and written a parameter: mixed-precision Adam in one kernel
constexpr double kStreamShare = 0.85;       // of the bandwidth, reached by kernels that only stream
// Numbers of 16 bits read and written to add a gradient to the sum of those before: two in, one out of PyTorch's
// (torch/csrc/autograd/functions/accumulate_grad.h); where the product itself adds to a sum of 32 bits
// (`gradient_accumulation_fusion` of Megatron-LM), that is read and written instead of 16 bits written.
constexpr double kAddedNumbers = 3;
constexpr double kTensorLaunches = 0.2;  // of a pass, times the square of the other processes, that it waits
constexpr double kMaxProcesses = 8;      // for them (assumed: passes of 8 processes are half as long again)
constexpr double kHeadLaunches = 40;     // of a micro-batch beside its layers: data, loss, hooks of autograd

}  // namespace

/// The seconds of a setting's layers.
struct StepModel::Data {
public:
    explicit Data(const StepSetting& setting)
        : setting_(setting),
          share_(layerShareOf(setting)),
          network_(setting.device, setting.perNode, setting.nodeBytesPerSecond),
          machine_(machineFor(setting.device, setting.dtype)),
          products_(parametersFor(setting.device, setting.dtype)),
          sixteenBits_(share_.activationBytes > 2 ? setting.dtype : "bf16"),
          wideMachine_(machineFor(setting.device, sixteenBits_)),
          wideProducts_(parametersFor(setting.device, sixteenBits_)),
          embedding_(parametersOf(setting.model).embedding) {
        forEachLayer([&](const LayerWork& layer, double share) {
            addLayer(passes_, layer, share);
            kinds_.push_back({share, layer.parameters - layer.expertParameters, layer.expertParameters});
            layerParameters_ += share * (layer.parameters - layer.expertParameters);
            layerExperts_ += share * layer.expertParameters;
        });
        addHead(passes_);
    }

    const StepPasses& passes() const { return passes_; }

    GroupSeconds gather(const StepLayout& layout) const {
        GroupSeconds sum;
        if (layout.zero < 3) return sum;
        for (const LayerKind& kind : kinds_) {
            const GroupSeconds gathered = ofAlike(Collective::allGather, layout, kind.parameters, kind.experts);
            sum.inside += kind.share * gathered.inside;
            sum.network += kind.share * gathered.network;
        }
        return sum;
    }

    GroupSeconds reduction(const StepLayout& layout, double layers) const {
        if (layout.zero >= 3) return {};
        GroupSeconds reduced = ofAlike(Collective::allReduce, layout, heldParameters(layers), layers * layerExperts_);
        if (layout.zero == 2 && !addsWhole(layout)) {
            reduced.inside *= layout.microBatches;
            reduced.network *= layout.microBatches;
        }
        return reduced;
    }

    AddedGradients accumulation(const StepLayout& layout) const {
        const bool hasSum = layout.zero < 2 || (layout.zero == 2 && addsWhole(layout));
        if (!setting_.training || !hasSum || setting_.stack.profile == SoftwareProfile::tuned) return {};
        const double added = 1 - 1 / std::max(layout.microBatches, 1.0);
        const double seconds = added * kAddedNumbers * share_.activationBytes / (kStreamShare * bandwidth());
        const double head = setting_.model.headShare > 0 ? setting_.model.vocabulary * setting_.model.tableWidth() : 0;
        return {.layer = seconds * (layerParameters_ + layerExperts_), .head = seconds * head / share_.tensor};
    }

    GroupSeconds transfer(const StepLayout& layout) const {
        if (layout.pipeline < 2) return {};
        const double between = layout.order == RankOrder::pipelineLast ? layout.data : 1;
        const DeviceGroup group{static_cast<double>(layout.pipeline),
                                static_cast<double>(layout.tensor) * layout.context * between};
        // Devices of a tensor group send a part each.
        const double bytes =
            tokensOf(setting_.model, share_) * setting_.model.hidden * share_.activationBytes / share_.tensor;
        return network_.hop(group, bytes);
    }

    double optimizer(const StepLayout& layout, double layers) const {
        if (!setting_.updates) return 0;
        double held = heldParameters(layers), experts = layers * layerExperts_;
        if (layout.zero >= 1) {
            held /= layout.alike();
            experts /= layout.alikeExperts();
        }
        return (held + experts) * kOptimizerBytes / (kStreamShare * bandwidth());
    }

    StepWork work(const StepLayout& layout) const {
        StepWork work;
        static_cast<StepPasses&>(work) = passes_;
        work.layout = layout;
        work.layers = setting_.model.layers;
        work.stages = stageLayersOf(setting_.model, layout);
        work.training = setting_.training;
        work.alternates = setting_.stack.alternates;
        work.hopsWait = waitsForHops(setting_.stack, layout.schedule);
        const GroupSeconds gathered = gather(layout), hop = transfer(layout);
        work.gather = gathered.inside;
        work.gatherNetwork = gathered.network;
        work.transfer = hop.inside;
        work.transferNetwork = hop.network;
        if (!setting_.training) return work;
        work.accumulation = accumulation(layout);
        const GroupSeconds reduced = reduction(layout, work.stages.fullest);
        work.reduction = reduced.inside;
        work.reductionNetwork = reduced.network;
        work.optimizer = optimizer(layout, work.stages.fullest);
        return work;
    }

private:
    /// FSDP2 adds gradients up whole through a pipeline.
    bool addsWhole(const StepLayout& layout) const {
        return setting_.stack.sharding == StackSharding::fsdp2 && layout.pipeline > 1;
    }

    /// A sort of layers: its share of all, and the parameters that a device holds of one, of experts apart.
    struct LayerKind {
        double share = 0, parameters = 0, experts = 0;
    };

    static bool isBlockScaled(std::string_view dtype) {
        const Dtype* const type = pricedDtype(dtype);
        return type != nullptr && type->isBlockScaled;
    }

    static ProductParameters parametersFor(const Device& device, std::string_view dtype) {
        ProductParameters parameters = productParametersOf(device, isBlockScaled(dtype) ? "fp8" : dtype);
        // FP8 products were measured with the scaling of their inputs, which a step counts as bytes.
        if (bytesOf(dtype) == 1 || isBlockScaled(dtype))
            parameters.parameters.launch = productParametersOf(device, "bf16").parameters.launch;
        return parameters;
    }

    /// Share of the boost clock that a card holds under products where its power is cut below that of its kind: the
    /// clock goes as the root of power (class assumed). Kinds by their 16-bit FLOP/s a watt on full power; Blackwell
    /// has it in the GB300, at 1,400 W.
    static double sustainedShare(const Device& device) {
        struct Kind {
            std::string_view prefix;
            double flopPerJoule;
        };
        constexpr std::array<Kind, 6> kKinds{{{"a100", 0.78e12},
                                              {"h100", 1.413e12},
                                              {"l4", 1.034e12},
                                              {"b200", 1.786e12},
                                              {"b300", 1.786e12},
                                              {"gb", 1.786e12}}};
        if (device.watts <= 0) return 1;
        for (const Kind& kind : kKinds)
            if (device.id.starts_with(kind.prefix))
                return std::min(1.0, std::sqrt(kind.flopPerJoule * device.watts / peakOf(device, "bf16")));
        return 1;
    }

    /// A few large engines work on many tiles at once: they count as many units as those that parameters come from.
    static Machine machineFor(const Device& device, std::string_view dtype) {
        constexpr double kFew = 32, kMany = 108;
        Machine machine = machineOf(device, dtype);
        if (machine.units < kFew) machine.units = kMany;
        if (productParametersOf(device, dtype).basis == KernelBasis::transferred)
            machine.peak *= sustainedShare(device);
        return machine;
    }

    double productSeconds(const Product& product) const {
        return narrowFactor() * gemmSeconds(product, machine_, products_.parameters);
    }
    /// Finding scales, casting and transposing beside products of 8 bits and fewer (assumed, of the order of what
    /// megatron-bridge's rows take over the kernels alone); blocks of 32 have more scales.
    double narrowFactor() const {
        if (setting_.dtype == "fp8") return 1.3;
        return isBlockScaled(setting_.dtype) ? 1.4 : 1;
    }
    double wideSeconds(const Product& product) const {
        return gemmSeconds(product, wideMachine_, wideProducts_.parameters);
    }
    double bandwidth() const { return setting_.device.bandwidth; }

    DeviceGroup tensorGroup() const { return {static_cast<double>(setting_.layout.tensor), 1}; }
    DeviceGroup contextGroup() const {
        return {static_cast<double>(setting_.layout.context), static_cast<double>(setting_.layout.tensor)};
    }
    /// Replicas and the parts of a sequence hold the same parameters.
    static DeviceGroup dataGroup(const StepLayout& layout) {
        const double t = layout.tensor, c = layout.context, d = layout.data;
        if (layout.order == RankOrder::pipelineLast) return {.inner = d * c, .stride = t, .apart = layout.apart};
        return {.inner = c, .stride = t, .outer = d, .outerStride = t * c * layout.pipeline, .apart = layout.apart};
    }
    /// The devices that hold the same experts: one of each copy of all experts. Where data parallelism is outermost, a
    /// copy takes what a stage of a replica has (as Megatron Core asks for).
    DeviceGroup expertDataGroup(const StepLayout& layout) const {
        const double copies = layout.alikeExperts(), copy = share_.expert * (share_.wholeExperts ? 1 : share_.tensor);
        if (layout.order == RankOrder::pipelineLast) return {.inner = copies, .stride = copy, .apart = layout.apart};
        return {
            .inner = 1, .stride = copy, .outer = copies, .outerStride = copy * layout.pipeline, .apart = layout.apart};
    }
    /// A collective on parameters of devices that hold them alike.
    GroupSeconds ofAlike(Collective operation, const StepLayout& layout, double parameters, double experts) const {
        GroupSeconds sum = network_.seconds(operation, dataGroup(layout), parameters * share_.activationBytes);
        if (experts <= 0) return sum;
        const GroupSeconds its = network_.seconds(operation, expertDataGroup(layout), experts * share_.activationBytes);
        sum.inside += its.inside;
        sum.network += its.network;
        return sum;
    }

    /// Calls `use` with a layer without experts and with one with experts, and the share of the layers that are such.
    template <typename Use>
    void forEachLayer(const Use& use) const {
        const Transformer& model = setting_.model;
        const double dense = model.experts > 0 ? model.denseLayers : model.layers;
        for (const bool routed : {false, true}) {
            const double share = (routed ? model.layers - dense : dense) / model.layers;
            if (share > 0) use(layerWorkOf(model, share_, routed), share);
        }
    }

    void addLayer(StepPasses& work, const LayerWork& layer, double share) {
        PassSeconds forward = forwardOf(layer), backward = backwardOf(layer);
        if (setting_.layout.recompute == Recompute::full) backward.add(forward, 1);
        if (setting_.layout.recompute == Recompute::selective) backward.add(selectiveOf(layer, forward), 1);
        work.forward.add(forward, share);
        work.backward.add(backward, share);
        work.weightShare += share * weightShareOf(layer);
    }

    /// What selective recomputation computes again: attention, or every second product (keys, the result of attention,
    /// one of the feed-forward part) and all that is no product but attention.
    PassSeconds selectiveOf(const LayerWork& layer, const PassSeconds& forward) const {
        if (!setting_.stack.keepsEverySecond) return attentionOf(layer);
        const Transformer& model = setting_.model;
        const double query = model.heads * model.headSize, key = model.keyHeads * model.headSize;
        const double part = layer.expertParameters > 0 ? model.expertsPerToken * model.expertFfn : model.ffn;
        const double all = 2 * query + 2 * key + (model.gated ? 3 : 2) * part;
        PassSeconds again = forward;
        again.attention = 0;
        again.products *= (query + key + part) / all;
        // Sums over split tensors are kept.
        again.inside = forward.contextInside + (forward.inside - forward.contextInside) / 2;
        again.network = forward.contextNetwork + (forward.network - forward.contextNetwork) / 2;
        return again;
    }

    double tensorLaunches() const {
        const double others = std::min<double>(setting_.layout.tensor, kMaxProcesses) - 1;
        return kTensorLaunches * others * others;
    }

    /// Where no token is dropped, the host waits for the numbers of tokens and launches the experts' kernels then.
    double expertKernels(const LayerWork& layer) const {
        constexpr double kDropping = 20, kDropless = 250;
        if (layer.permutedBytes <= 0) return 0;
        return setting_.dropsTokens ? kDropping : kDropless;
    }

    /// Share of a layer's backward pass that makes gradients of weights: by FLOP, so that no faster part of the
    /// hardware changes it, less a tenth for what is no product.
    double weightShareOf(const LayerWork& layer) const {
        constexpr double kInProducts = 0.9, kFusedBackward = 2.5;
        const auto flopOf = [](const Product& product) {
            return 2 * product.batch * product.m * product.n * product.k;
        };
        double weights = 0, scores = layer.attentionFlop;
        for (const Product& product : layer.products) weights += flopOf(product);
        for (const Product& product : layer.scores) scores += flopOf(product);
        double backward = 2 * weights + kFusedBackward * scores;
        if (setting_.layout.recompute != Recompute::none) backward += scores;
        if (setting_.layout.recompute == Recompute::full) backward += weights;
        return kInProducts * weights / backward;
    }

    PassSeconds attentionOf(const LayerWork& layer) const {
        PassSeconds pass;
        for (const Product& product : layer.scores) pass.products += wideSeconds(product);
        // Fused attention ramps up with the keys of a block of queries.
        const Transformer& model = setting_.model;
        const double s = (model.causal ? 2 : 1) * keysOf(model);
        pass.attention = layer.attentionFlop / (wideMachine_.peak * s / (s + kAttentionRamp));
        pass.bytes = layer.scoreForwardBytes / bandwidth();
        return pass;
    }

    PassSeconds forwardOf(const LayerWork& layer) const {
        PassSeconds pass = attentionOf(layer);
        for (const Product& product : layer.products) pass.products += productSeconds(product);
        const bool fused = share_.fusedKernels;
        const double small = fused ? 8 : 14;
        pass.bytes += layer.forwardBytes / bandwidth() + small * kKernelStart;
        pass.permuted = layer.permutedBytes / bandwidth();
        pass.kernels = expertKernels(layer) + static_cast<double>(layer.products.size() + layer.scores.size()) + small +
                       tensorLaunches();
        addCollectives(pass, layer, 2);
        return pass;
    }

    PassSeconds backwardOf(const LayerWork& layer) const {
        PassSeconds pass;
        if (!setting_.training) return pass;
        for (const Product& product : layer.products)
            pass.products += productSeconds(inputGradientOf(product)) + productSeconds(weightGradientOf(product));
        for (const Product& product : layer.scores)
            pass.products += wideSeconds(inputGradientOf(product)) + wideSeconds(weightGradientOf(product));
        pass.attention = kAttentionBackward * attentionOf(layer).attention;
        const double small = share_.fusedKernels ? 12 : 22;
        pass.bytes = (layer.backwardBytes + layer.scoreBackwardBytes) / bandwidth() + small * kKernelStart;
        pass.permuted = layer.permutedBytes / bandwidth();
        pass.kernels = expertKernels(layer) + 2 * static_cast<double>(layer.products.size() + layer.scores.size()) +
                       small + tensorLaunches();
        addCollectives(pass, layer, 2);
        return pass;
    }

    /// All-reduces of tensor parallelism, keys and values of context parallelism, exchanges of experts.
    void addCollectives(PassSeconds& pass, const LayerWork& layer, double passes) const {
        // Whole experts get the parts of the tokens that devices have anyway.
        if (share_.wholeExperts && layer.expertParameters > 0 && !(setting_.model.sharedExperts > 0)) passes /= 2;
        const double width = tokensOf(setting_.model, share_) * share_.activationBytes;
        const GroupSeconds reduced =
            network_.seconds(Collective::allReduce, tensorGroup(), width * setting_.model.hidden);
        pass.inside += passes * reduced.inside;
        pass.network += passes * reduced.network;
        const double keys = 2 * std::max(setting_.model.keyHeads / share_.tensor, 1.0) * setting_.model.headSize;
        const GroupSeconds gathered =
            network_.seconds(Collective::allGather, contextGroup(), width * keys * share_.context);
        pass.inside += gathered.inside;
        pass.network += gathered.network;
        pass.contextInside += gathered.inside;
        pass.contextNetwork += gathered.network;
        if (layer.exchangedBytes <= 0) return;
        const DeviceGroup experts{share_.expert, share_.wholeExperts ? 1 : share_.tensor};
        const GroupSeconds exchanged =
            network_.seconds(Collective::allToAll, experts, layer.exchangedBytes, setting_.model.expertsPerToken);
        pass.exchange += 2 * exchanged.inside;
        pass.exchangeNetwork += 2 * exchanged.network;
    }

    /// Products from the width of the table to that of the layers and back.
    std::vector<Product> widthProducts() const {
        const Transformer& model = setting_.model;
        if (widthProductOf(model) <= 0) return {};
        const double tokens = tokensOf(model, share_), bytes = share_.activationBytes;
        return {{1, tokens, model.hidden, model.embeddingWidth, bytes, bytes},
                {1, tokens, model.embeddingWidth, model.hidden, bytes, bytes}};
    }

    void addHead(StepPasses& work) const {
        const Transformer& model = setting_.model;
        const double tokens = std::max(tokensOf(model, share_) * model.headShare, 1.0), t = share_.tensor;
        const Product logits{1,
                             tokens,
                             std::max(model.vocabulary / t, 1.0),
                             model.tableWidth(),
                             share_.activationBytes,
                             share_.activationBytes};
        const double embedding = 3 * tokensOf(model, share_) * model.hidden * share_.activationBytes / bandwidth();
        const double softmax = kLogitsBytes * tokens * model.vocabulary / t / (kStreamShare * bandwidth());
        work.headForward.bytes = embedding;
        work.headForward.kernels = work.headBackward.kernels = kHeadLaunches;
        if (model.headShare > 0) work.headForward.products = wideSeconds(logits) + softmax;
        for (const Product& product : widthProducts()) work.headForward.products += wideSeconds(product);
        if (!setting_.training) return;
        const auto backward = [&](const Product& product) {
            return wideSeconds(inputGradientOf(product)) + wideSeconds(weightGradientOf(product));
        };
        work.headBackward = work.headForward;
        work.headBackward.products = model.headShare > 0 ? backward(logits) + softmax : 0;
        for (const Product& product : widthProducts()) work.headBackward.products += backward(product);
    }

    /// Of a stage, with the embedding and without routed experts.
    double heldParameters(double layers) const { return layers * layerParameters_ + embedding_ / share_.tensor; }

    StepSetting setting_;
    LayerShare share_;
    StepNetwork network_;
    Machine machine_;
    ProductParameters products_;
    std::string sixteenBits_;
    Machine wideMachine_;
    ProductParameters wideProducts_;
    double embedding_;
    StepPasses passes_;
    std::vector<LayerKind> kinds_;
    double layerParameters_ = 0, layerExperts_ = 0;  // of a mean layer, those of routed experts apart
};

StepModel::StepModel(const StepSetting& setting) : data_(std::make_unique<Data>(setting)) {}
StepModel::~StepModel() = default;
StepModel::StepModel(StepModel&&) noexcept = default;
StepModel& StepModel::operator=(StepModel&&) noexcept = default;

const StepPasses& StepModel::passes() const {
    return data_->passes();
}
GroupSeconds StepModel::gather(const StepLayout& layout) const {
    return data_->gather(layout);
}
GroupSeconds StepModel::reduction(const StepLayout& layout, double layers) const {
    return data_->reduction(layout, layers);
}
AddedGradients StepModel::accumulation(const StepLayout& layout) const {
    return data_->accumulation(layout);
}
GroupSeconds StepModel::transfer(const StepLayout& layout) const {
    return data_->transfer(layout);
}
double StepModel::optimizer(const StepLayout& layout, double layers) const {
    return data_->optimizer(layout, layers);
}
StepWork StepModel::work(const StepLayout& layout) const {
    return data_->work(layout);
}

StepWork stepWorkOf(const StepSetting& setting) {
    return StepModel(setting).work(setting.layout);
}

namespace {

/// `added`: seconds of gradients, which take as much longer in a step as products do.
double passSecondsOf(const PassSeconds& pass, const StepConstants& c, bool alternates, double added = 0) {
    const double device = (pass.products + added) * c.products + pass.attention / c.attention +
                          (pass.bytes + pass.permuted * c.permutation) / c.bandwidth;
    const double exposed =
        c.tensor * (pass.inside + pass.exchange + pass.exchangeNetwork / c.network) + pass.network / c.network;
    const double host = pass.kernels * c.host, work = device + exposed;
    if (!alternates) return std::max(work, host);
    // Where the device waits for the host in some parts of a pass and the host for the device in others, the slower
    // alone is too little. Of the orders 2 to 6, vTrain's tables without any fifth of their rows agree most with 3 (of
    // one fifth with 3.5).
    return elementary::pow(work * work * work + host * host * host, 1.0 / 3);
}

/// Computation beside a transfer: the longer of the two, and of the shorter what the stack does not hide.
double besideSeconds(double computed, double moved, double exposed) {
    return std::max(computed, moved) + exposed * std::min(computed, moved);
}

/// One step of equal layers and a head on the last stage; `layer` and `head` are both passes of either.
double stepPipelineSeconds(const StepWork& work, double layer, double head, const StepTimes& times, int passes) {
    const double longest = std::max(work.stages.fullest * layer, work.stages.last * layer + head);
    return pipelineSecondsOf(work.layout, {.longest = longest,
                                           .all = work.layers * layer + head,
                                           .stage = times.stage,
                                           .transfer = times.transfer,
                                           .waits = work.hopsWait,
                                           .passes = passes});
}

/// What bounds a device in a step, of the mean stage.
void setBusySeconds(StepTimes& times, const StepWork& work, const StepConstants& c) {
    const double stages = work.layout.pipeline, micros = work.layout.microBatches;
    const auto add = [&](const PassSeconds& pass, double count) {
        times.products += count * (pass.products * c.products + pass.attention / c.attention);
        times.memory += count * (pass.bytes + pass.permuted * c.permutation) / c.bandwidth;
    };
    for (const PassSeconds* pass : {&work.forward, &work.backward}) add(*pass, micros * work.layers / stages);
    for (const PassSeconds* pass : {&work.headForward, &work.headBackward}) add(*pass, micros / stages);
    const double added = work.layers * work.accumulation.layer + work.accumulation.head;
    times.memory += micros / stages * added * c.products + work.optimizer;
}

}  // namespace

LayerTimes layerTimesOf(const StepWork& work, const StepConstants& c) {
    const double gather = work.gather + work.gatherNetwork / c.network;
    const AddedGradients& added = work.accumulation;
    LayerTimes times{
        .forward = besideSeconds(passSecondsOf(work.forward, c, work.alternates), gather, c.data),
        // Backward, parameters are gathered again and gradients scattered.
        .backward = besideSeconds(passSecondsOf(work.backward, c, work.alternates, added.layer), 2 * gather, c.data),
        .weights = 0,
        .headForward = passSecondsOf(work.headForward, c, work.alternates),
        .headBackward = passSecondsOf(work.headBackward, c, work.alternates, added.head)};
    times.weights = work.weightShare * times.backward;
    return times;
}

bool waitsForHops(const StackTraits& stack, PipelineSchedule schedule) {
    return !stack.hidesHops || schedule != PipelineSchedule::interleaved;
}

namespace {

/// The same load where each transfer is a part of the pass that sends it.
PipelineLoad withHopsInPasses(const StepLayout& layout, PipelineLoad load) {
    const double chunks = chunksOf(layout.schedule, layout.chunks), sent = chunks * load.transfer;
    // The first of two stages sends no gradients on and the second no activations, which pace both passes where these
    // are apart.
    const bool sendsOnce = layout.pipeline == 2 && chunks == 1 && layout.schedule != PipelineSchedule::gpipe;
    load.longest += (sendsOnce ? 1 : load.passes) * sent;
    load.all += load.passes * (layout.pipeline * chunks - 1) * load.transfer;
    load.stage.forward += sent;
    load.stage.backwardInput += sent;
    load.transfer = 0;
    return load;
}

}  // namespace

double pipelineSecondsOf(const StepLayout& layout, const PipelineLoad& given) {
    const double p = layout.pipeline, m = layout.microBatches;
    if (layout.pipeline == 1) return m * given.all;
    const PipelineLoad load = given.waits ? withHopsInPasses(layout, given) : given;
    const double hop = load.transfer, longest = load.longest;
    const PipelineStage& s = load.stage;
    // Gradients of weights fill idle time, those of `rounds` micro-batches for each other stage, as far as there are
    // any.
    const PipelineStage& computed = given.stage;
    const double both = computed.forward + computed.backwardInput + computed.backwardWeight;
    // Where nothing is said of a stage, all of it may be those.
    const double weights = given.all / p * (both > 0 ? computed.backwardWeight / both : 1),
                 chained = load.all / p - weights;
    const double full = m * longest + 1.6 * (p - 1) * hop;
    const auto filling = [&](double rounds) { return std::min(rounds * (p - 1), m - 1) * s.backwardWeight; };
    switch (layout.schedule) {
        case PipelineSchedule::interleaved:
            return m * longest + (p - 1) * (load.all / p / layout.chunks + 2 * hop);
        case PipelineSchedule::zbH1:
        case PipelineSchedule::zb1p:
            return m * longest + std::max((p - 1) * (s.forward + s.backwardInput + 4 * hop) - filling(1), 0.0);
        case PipelineSchedule::zbH2:
            return m * longest + std::max((p - 1) * (s.forward + s.backwardInput + 2 * hop) - filling(2), 0.0);
        // Few micro-batches do not fill the way of the first one, through all stages and back, behind which the others
        // come, in the V twice as dense, and the last gradients of weights.
        case PipelineSchedule::zb2p:
            return std::max(full, (p + m - 1) * chained + weights + 2 * (p - 1) * hop);
        case PipelineSchedule::zbV:
            return std::max(full, (p + (m - 1) / 2) * chained + weights / 2 + 4 * (p - 1) * hop);
        default:
            return (m - 1) * longest + load.all + 2 * (p - 1) * hop;
    }
}

double hopSeconds1F1B(const StepLayout& layout, double hop) {
    return pipelineSecondsOf(layout, {.transfer = hop, .waits = true});
}

StepTimes stepTimesOf(const StepWork& work, const StepConstants& c) {
    const LayerTimes layer = layerTimesOf(work, c);
    StepTimes times;
    setBusySeconds(times, work, c);
    times.transfer = work.transfer + work.transferNetwork / c.network;
    const double full = work.stages.fullest;
    times.stage = {full * layer.forward, full * (layer.backward - layer.weights), full * layer.weights};
    times.forward =
        stepPipelineSeconds(work, layer.forward, layer.headForward, {.stage = {}, .transfer = times.transfer}, 1);
    if (!work.training) {
        times.step = times.forward + c.start;
        times.forward = times.step;
        return times;
    }
    times.step = stepPipelineSeconds(work, layer.both(), layer.head(), times, 2) +
                 c.data * (work.reduction + work.reductionNetwork / c.network) + work.optimizer + c.start;
    return times;
}

}  // namespace tessera::physical

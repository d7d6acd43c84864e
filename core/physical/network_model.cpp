#include "core/physical/network_model.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/elementary.h"
#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/hardware/level.h"
#include "core/model/optimizer.h"
#include "core/physical/collective.h"

namespace tessera::physical {
namespace {

/// The optimizer of a run; gradient descent where it names none that is timed.
const model::OptimizerKind& networkOptimizer(std::string_view name) {
    const model::OptimizerKind* const found = findRow(model::kOptimizers, name);
    return found == nullptr || found->words == 0 ? model::optimizerKind(model::Optimizer::sgd) : *found;
}

/// Bytes of on-chip memory a second over FLOP/s: 0.19 of a Bow IPU, 0.22 of an SN30.
constexpr double kOnChipBytesPerFlop = 0.2;

std::string_view networkDtype(const TrainingRun& run, const Device& device) {
    if (!run.dtype.empty()) return run.dtype;
    return device.peaks.contains("fp16") ? "fp16" : "bf16";
}

/// Bytes of an activation: products in less than 16 bits read activations of 16.
double networkWordBytes(std::string_view dtype) {
    return std::max(bytesOf(dtype), 2.0);
}

/// NetworkCost::words.
std::uint8_t networkWords(const Device& device, std::string_view dtype) {
    if (networkWordBytes(dtype) < 4) return 0;
    return dtype == "tf32" && device.peaks.contains("tf32") ? 1 : 2;
}

/// Bytes of the gradient of a parameter that is summed.
double gradientWord(const NetworkCost& cost) {
    return cost.profile == SoftwareProfile::tuned && cost.words == 0 ? 2 : 4;
}

SoftwareProfile networkProfile(const TrainingRun& run, NetworkMachine machine) {
    const SoftwareStack* stack = softwareStackOf(run.software);
    const SoftwareProfile profile = stack == nullptr ? SoftwareProfile::fused : stack->profile;
    // Machines other than GPUs run what a compiler made of the whole graph.
    return machine != NetworkMachine::gpu ? SoftwareProfile::tuned : profile;
}

double networkBandwidth(const Device& device, NetworkMachine machine) {
    return machine == NetworkMachine::onChip ? peakOf(device, "fp16") * kOnChipBytesPerFlop : device.bandwidth;
}

/// True for cards whose links join two of them.
bool isBridged(const Device& device) {
    return device.id.find("pcie") != std::string::npos || device.id == "a30" || device.id == "a40";
}

/// Share of its peak that a GPU sustains within its power. Watts for a TFLOP/s of 64 lanes of FP32 a multiprocessor,
/// which every generation so far needs about 19 of at full clock (V100, A100, H100 SXM: 19 to 21); with fewer, the
/// clock falls as a T4's does (8.6 W, 0.53 of its peak in kernels/t4.csv).
double sustainedShare(double fp32, double units, double watts) {
    if (!(watts > 0) || !(fp32 > 0)) return 1;
    constexpr double kFullClock = 19, kExponent = 0.8, kTwiceTheLanes = 0.3e12;
    const double perTera = watts / (fp32 * 1e-12) * (fp32 / units > kTwiceTheLanes ? 2 : 1);
    return std::min(1.0, elementary::pow(perTera / kFullClock, kExponent));
}

/// The machine as products see it: a GPU at the clock that its power sustains, unless its own products are known; few
/// large arrays as units of 2 TFLOP/s.
Machine networkMachine(const Device& device, std::string_view dtype, NetworkMachine kind,
                       const ProductParameters& products) {
    Machine machine = machineOf(device, dtype);
    machine.bandwidth = networkBandwidth(device, kind);
    constexpr double kPeakOfUnit = 2e12;
    if (kind != NetworkMachine::gpu)
        machine.units = std::max(1.0, peakOf(device, "bf16") / kPeakOfUnit);
    else if (products.basis == KernelBasis::transferred && !device.sustained.contains(dtype))
        machine.peak *= sustainedShare(peakOf(device, "fp32"), device.units, device.watts);
    return machine;
}

/// Samples of a pass of one replica.
double networkSamples(const TrainingRun& run) {
    constexpr double kSamplesUnsaid = 32;
    const double replicas = run.dataParallel ? *run.dataParallel : run.accelerators;
    if (run.microBatch > 0) return run.microBatch;
    return run.globalBatch > 0 ? std::max(run.globalBatch / replicas, 1.0) : kSamplesUnsaid;
}

double reductionSeconds(const TrainingRun& run, const Device& device, double bytes) {
    if (run.accelerators < 2) return 0;
    constexpr double kHostRate = 12e9, kNetworkOfOne = 12.5e9;
    const double host = device.hostBytesPerSecond > 0 ? device.hostBytesPerSecond : kHostRate;
    const bool isLinked = device.linkBytesPerSecond > 0 && !(isBridged(device) && run.accelerators > 2);
    const int perNode = std::min(run.perNode, run.accelerators);
    const double link =
        isLinked ? device.linkBytesPerSecond * hardware::shareOfLinks(device.neighbours, std::max(perNode - 1, 1))
                 : host;
    // Pods of machines with links of their own span nodes by them.
    const double own = networkMachineOf(device) == NetworkMachine::gpu ? kNetworkOfOne : link / 2;
    const double network = run.networkBytesPerSecond > 0 ? run.networkBytesPerSecond : own * perNode;
    const Prediction prediction = predictCollective({.operation = Collective::allReduce,
                                                     .accelerators = run.accelerators,
                                                     .perNode = perNode,
                                                     .bytes = bytes,
                                                     .interconnect = Interconnect{link, network}});
    return prediction.estimate ? prediction.estimate->value : 2 * bytes / network;
}

/// Seconds of products and of their FLOP. The bytes of a convolution are those of its data and not those of the
/// windows, so they count apart.
NetworkKernel productKernel(const NetworkOperator& op, double samples, const Machine& machine,
                            const GemmParameters& gemm) {
    NetworkKernel kernel{.backward = op.backward,
                         .isWindowed = op.windowed,
                         .isDirect = op.family == NetworkFamily::groupedConvolution,
                         .count = op.count,
                         .share = std::clamp(gemm.bandwidth, 0.5, 0.9)};
    if (op.family == NetworkFamily::memory || op.family == NetworkFamily::lookUp) return kernel;
    Machine computing = machine;
    computing.bandwidth = 1e3 * machine.bandwidth;
    GemmParameters parameters = gemm;
    parameters.launch = 0;
    const Product product{std::max(op.batch.at(samples), 1.0), std::max(op.m.at(samples), 1.0),
                          std::max(op.n.at(samples), 1.0), std::max(op.k.at(samples), 1.0)};
    kernel.product = op.steps * gemmSeconds(product, computing, parameters);
    const double flop = 2 * op.steps * product.batch * product.m * product.n * product.k;
    kernel.floor = flop / machine.peak;
    kernel.direct = flop;
    return kernel;
}

/// Elements of a table that have a gradient: at most those looked up.
double touched(const NetworkOperator& op, double samples) {
    return std::min(op.table, std::max(op.values.at(samples), 0.0) / 3);
}

/// Parameters that are updated and whose gradients are summed.
double updatedParameters(const NetworkWork& work, double samples) {
    double parameters = work.parameters;
    for (const NetworkOperator& op : work.alone.folded) parameters -= op.count * (op.table - touched(op, samples));
    return std::max(parameters, 0.0);
}

/// What kernels need of a run beyond the machine: bytes of an activation and FLOP/s in FP32.
struct NetworkWords {
    double bytes = 2;
    double vectors = 0;
};

NetworkKernel networkKernel(const NetworkOperator& op, double samples, const Machine& machine,
                            const GemmParameters& gemm, const NetworkWords& words) {
    NetworkKernel kernel = productKernel(op, samples, machine, gemm);
    kernel.direct /= words.vectors;
    const double moved = std::max(op.values.at(samples), 0.0);
    // Tables are kept in FP32.
    kernel.bytes = (op.family == NetworkFamily::lookUp ? 4 * (moved + touched(op, samples)) : words.bytes * moved) /
                   machine.bandwidth;
    kernel.again = std::max(op.again.at(samples), 0.0) * words.bytes / machine.bandwidth;
    return kernel;
}

void addKernels(NetworkCost& cost, const NetworkWork& work, const TrainingRun& run, const Device& device) {
    const std::string_view dtype = networkDtype(run, device);
    const double samples = networkSamples(run), bytes = networkWordBytes(dtype);
    const ProductParameters products = productParametersOf(device, dtype);
    const Machine machine = networkMachine(device, dtype, cost.machine, products);
    const bool isEager = cost.profile == SoftwareProfile::eager;
    const double vectors = peakOf(device, "fp32");
    for (const NetworkOperator& op : (isEager ? work.alone : work.joined).folded)
        if (!op.backward || cost.training)
            cost.kernels.push_back(networkKernel(op, samples, machine, products.parameters, {bytes, vectors}));
}

/// Millions of elements of input that a host prepares for its devices, by the measure of a host of a V100. A host is
/// taken to be as fast as its links to devices; loaders of fused and tuned stacks do part of it on the devices.
double fedElements(const TrainingRun& run, const Device& device, SoftwareProfile profile, double elements) {
    constexpr double kReference = 16e9;
    const double host = device.hostBytesPerSecond > 0 ? device.hostBytesPerSecond : kReference;
    const double share = profile == SoftwareProfile::eager ? 1 : profile == SoftwareProfile::fused ? 0.5 : 0.25;
    constexpr int kMaxOfHost = 16;  // what is joined beyond, such as a rack, has several hosts
    return 1e-6 * share * elements * std::min({run.perNode, run.accelerators, kMaxOfHost}) * kReference / host;
}

/// Expected largest of n values of a normal distribution, in standard deviations, within 0.05 for up to 4096.
double largestOf(double n) {
    return n < 2 ? 0 : 0.57 * elementary::pow(elementary::log(n) / elementary::log(2), 0.77);
}

double bytesShare(const NetworkParameters& p, SoftwareProfile profile) {
    switch (profile) {
        case SoftwareProfile::eager:
            return p.eagerBytes;
        case SoftwareProfile::fused:
            return p.fusedBytes;
        case SoftwareProfile::tuned:
            return p.tunedBytes;
    }
    return p.fusedBytes;
}

double productFactor(const NetworkCost& cost, const NetworkParameters& p) {
    const double words = cost.words == 0 ? p.half : cost.words == 1 ? p.tensor32 : p.single;
    if (cost.machine == NetworkMachine::array) return p.array;
    return cost.machine == NetworkMachine::onChip ? p.onChip : words;
}

/// Generations and networks of the measured runs.
constexpr std::array<std::string_view, 8> kMeasuredGenerations{"v100",   "a100",  "a30",   "tpu-v2",
                                                               "tpu-v3", "gaudi", "gc200", "bow"};
constexpr std::array<std::string_view, 6> kMeasuredFamilies{"resnet18",  "resnet34",  "resnet50",
                                                            "resnet101", "resnet152", "resnext50"};

NetworkClass networkClassOf(const TrainingRun& run, const Device& device, const NetworkWork& work) {
    const NetworkMachine machine = networkMachineOf(device);
    if (machine == NetworkMachine::array) return NetworkClass::array;
    if (machine == NetworkMachine::onChip) return NetworkClass::onChip;
    const bool convolves =
        std::any_of(work.joined.folded.begin(), work.joined.folded.end(),
                    [](const NetworkOperator& op) { return op.family == NetworkFamily::convolution; });
    if (!convolves) return NetworkClass::looked;
    const bool isKnown = std::any_of(kMeasuredGenerations.begin(), kMeasuredGenerations.end(),
                                     [&](std::string_view generation) { return device.id.starts_with(generation); }) &&
                         std::any_of(kMeasuredFamilies.begin(), kMeasuredFamilies.end(),
                                     [&](std::string_view family) { return run.model.ends_with(family); });
    if (!isKnown) return NetworkClass::generation;
    return run.accelerators > run.perNode ? NetworkClass::nodes : NetworkClass::node;
}

}  // namespace

NetworkMachine networkMachineOf(const Device& device) {
    constexpr double kLargeCache = 200e6, kSlowMemory = 500e9;
    if (device.cache >= kLargeCache && device.bandwidth < kSlowMemory) return NetworkMachine::onChip;
    const bool isGpu = device.vendor == "NVIDIA" || device.vendor == "AMD" ||
                       (device.vendor == "Intel" && !device.id.starts_with("gaudi"));
    return isGpu ? NetworkMachine::gpu : NetworkMachine::array;
}

NetworkCost networkCost(const TrainingRun& run, const Device& device) {
    return networkCost(*networkWork(run.model, run.dims), run, device);
}

NetworkCost networkCost(const NetworkWork& work, const TrainingRun& run, const Device& device) {
    NetworkCost cost{.machine = networkMachineOf(device)};
    cost.profile = networkProfile(run, cost.machine);
    cost.likeness = networkClassOf(run, device, work);
    cost.training = run.training && run.metric != RunMetric::forward;
    const std::string_view dtype = networkDtype(run, device);
    cost.words = networkWords(device, dtype);
    addKernels(cost, work, run, device);
    const double samples = networkSamples(run);
    const double replicas = run.dataParallel ? *run.dataParallel : run.accelerators;
    cost.samples = run.globalBatch > 0 ? run.globalBatch : samples * replicas;
    cost.passes = std::max(1.0, std::round(cost.samples / (samples * replicas)));
    cost.devices = run.accelerators;
    cost.feed = fedElements(run, device, cost.profile, work.inputs * samples * cost.passes);
    if (!cost.training) return cost;
    const double parameters = updatedParameters(work, samples);
    cost.gradients = parameters * gradientWord(cost);
    cost.reduction = reductionSeconds(run, device, cost.gradients);
    const model::OptimizerKind& optimizer = networkOptimizer(lowered(run.optimizer));
    const bool isEager = cost.profile == SoftwareProfile::eager;
    const double words = isEager ? 3 * optimizer.kernels : optimizer.words;
    cost.update = 4 * words * parameters / networkBandwidth(device, cost.machine);
    cost.updateKernels = isEager ? optimizer.kernels * work.parameterTensors : 1;
    return cost;
}

namespace {

struct NetworkPasses {
    double forward = 0, backward = 0, kernels = 0;
    double products = 0, memory = 0;
};

/// Seconds of products, no fewer than their FLOP take at peak. Windows of 3 x 3 in FP32 take Winograd's algorithm
/// of 2.25 times fewer FLOP (Lavin and Gray, CVPR 2016), which in kernels/v100.csv is worth 0.45 of the time.
double productSeconds(const NetworkCost& cost, const NetworkKernel& kernel, double factor) {
    constexpr double kFewerFlop = 2.25, kWindowed = 0.45;
    const bool isFast = kernel.isWindowed && cost.words == 2 && cost.machine == NetworkMachine::gpu;
    if (!isFast) return std::max(kernel.product * factor, kernel.floor);
    return std::max(kernel.product * factor * kWindowed, kernel.floor / kFewerFlop);
}

NetworkPasses networkPasses(const NetworkCost& cost, const NetworkParameters& p) {
    NetworkPasses passes;
    for (const NetworkKernel& kernel : cost.kernels) {
        const NetworkKernelTime time = networkKernelTime(cost, kernel, p);
        const double seconds = kernel.count * time.seconds;
        (kernel.backward ? passes.backward : passes.forward) += seconds;
        (time.byProducts ? passes.products : passes.memory) += seconds;
        passes.kernels += kernel.count;
    }
    return passes;
}

/// A step and the preparation of the next one's samples go on beside each other; they wait for each other where they
/// take about as long.
double fedSeconds(double step, double feed) {
    const double ratio = feed / step;
    return step * elementary::exp(elementary::log(1 + ratio * ratio * ratio) / 3);
}

}  // namespace

NetworkKernelTime networkKernelTime(const NetworkCost& cost, const NetworkKernel& kernel, const NetworkParameters& p) {
    const double statistics = cost.profile == SoftwareProfile::tuned ? p.statistics : 1;
    // A program on chip has no kernels to start.
    const double gap = cost.machine == NetworkMachine::onChip ? 0 : p.gap;
    double product = productSeconds(cost, kernel, productFactor(cost, p));
    if (kernel.isDirect) product = std::min(product, std::max(kernel.direct / p.direct, kernel.floor));
    const double share = product > 0 ? kernel.share : bytesShare(p, cost.profile);
    const double moved = (kernel.bytes + kernel.again * statistics) / share;
    return {std::max(product, moved) + gap, product > moved};
}

NetworkStep networkStep(const NetworkCost& cost, const NetworkParameters& p) {
    const NetworkPasses passes = networkPasses(cost, p);
    const bool isEager = cost.profile == SoftwareProfile::eager;
    const double device = cost.passes * (passes.forward + passes.backward);
    // An operator of a network goes through its layer and the recording of gradients (assumed).
    constexpr double kLaunchesOfOperator = 6;
    const double launches = isEager ? kLaunchesOfOperator * cost.passes * passes.kernels * p.host : 0;
    const double computing = std::max(device, launches) * (1 + p.straggler * largestOf(cost.devices));
    const double hidden = cost.reduction - passes.backward;  // behind the last backward pass
    const double reduction = std::max(p.exposed * cost.reduction, hidden);
    const double update =
        std::max(cost.update / bytesShare(p, cost.profile), isEager ? cost.updateKernels * p.host : 0);
    const double feed = p.feed * cost.feed;
    return {.seconds = fedSeconds(computing + reduction + update, feed),
            .products = cost.passes * passes.products,
            .memory = cost.passes * passes.memory + update,
            .computing = computing,
            .update = update,
            .exposed = reduction,
            .feed = feed};
}

const NetworkFit& networkFit(int leftOut) {
    const std::span<const NetworkFit> fits = networkFits();
    const auto found =
        std::find_if(fits.begin(), fits.end(), [&](const NetworkFit& fit) { return fit.leftOut == leftOut; });
    return found == fits.end() ? fits.front() : *found;
}

NetworkTimes::NetworkTimes(const Device& device, std::string_view dtype) : device_(device) {
    if (!(peakOf(device, dtype) > 0))
        throw UsageError("The accelerator " + inQuotes(device.id) + " has no peak for " + inQuotes(dtype) + ".");
    if (!(device.bandwidth > 0))
        throw UsageError("The accelerator " + inQuotes(device.id) + " has no bandwidth of its memory.");
    cost_.machine = networkMachineOf(device);
    cost_.profile = networkProfile({}, cost_.machine);
    wordBytes_ = networkWordBytes(dtype);
    cost_.words = networkWords(device, dtype);
    parameters_ = networkFit(-1).parameters;
    products_ = productParametersOf(device, dtype);
    machine_ = networkMachine(device, dtype, cost_.machine, products_);
}

double NetworkTimes::kernel(const NetworkOperator& op) const {
    const NetworkKernel kernel =
        networkKernel(op, 0, machine_, products_.parameters, {wordBytes_, peakOf(device_, "fp32")});
    return kernel.count * networkKernelTime(cost_, kernel, parameters_).seconds;
}

double NetworkTimes::update(double parameters, std::string_view optimizer) const {
    const double seconds = 4 * networkOptimizer(optimizer).words * parameters / machine_.bandwidth;
    return seconds / bytesShare(parameters_, cost_.profile);
}

double NetworkTimes::wordBytes() const {
    return wordBytes_;
}

double NetworkTimes::gradientBytes() const {
    return gradientWord(cost_);
}

double NetworkTimes::slowest(double accelerators) const {
    return 1 + parameters_.straggler * largestOf(accelerators);
}

double NetworkTimes::fed(double seconds, double elements, int acceleratorsOfHost) const {
    TrainingRun run;
    run.accelerators = run.perNode = acceleratorsOfHost;
    return fedSeconds(seconds, parameters_.feed * fedElements(run, device_, cost_.profile, elements));
}

}  // namespace tessera::physical

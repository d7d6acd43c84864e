#include "core/predict/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/elementary.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/physical/software.h"
#include "core/predict/physical_step.h"

namespace tessera::predict {

namespace {

constexpr double kSecondsPerHour = 3600;
constexpr std::int64_t kLargestPower = 65536;
constexpr const char* kNetwork = "network_bits_per_s";  // the accelerator's field

std::string bytesText(double bytes) {
    return formatQuantity(bytes, Measure::bytes);
}

/// The classes of numbers, the surest first; a number without a class is assumed.
constexpr std::array<std::string_view, 5> kSurest{"measured", "fitted", "transferred", "datasheet", "assumed"};
std::ptrdiff_t weakness(std::string_view reliability) {
    const auto* found = std::find(kSurest.begin(), kSurest.end(), reliability);
    return (found == kSurest.end() ? &kSurest.back() : found) - kSurest.begin();
}

/// What the parts of a step rest on.
class Reliance {
public:
    explicit Reliance(const Machine& machine)
        : accelerator_(machine.accelerator), noise_(elementary::log(1 + machine.noise)) {}

    /// What a field's own entry says of it. Nothing is known about how far a user's own number can be trusted.
    std::string classOf(const std::string& path) const {
        const auto found = accelerator_.provenance.find(path);
        const bool hasClass = found != accelerator_.provenance.end() && !found->second.reliability.empty();
        return hasClass && found->second.reliability != hardware::kOwnNumber ? found->second.reliability : "assumed";
    }
    /// A part of the step by numbers of this class, with the spread of the class or its own, and what the machine's
    /// calibration was off by.
    void add(Seconds time, const std::string& reliability, std::optional<double> spread = {}) {
        if (!(time.value > 0)) return;
        weakest_ = weaker(weakest_, reliability);
        parts_.push_back({.time = time, .spread = spread.value_or(spreadOf(reliability)) + noise_});
    }
    static std::string weaker(const std::string& a, const std::string& b) { return weakness(a) < weakness(b) ? b : a; }

    RelativeError error() const { return errorOf(weakest_, spreadOf(parts_)); }

private:
    const hardware::Accelerator& accelerator_;
    double noise_;
    std::string weakest_ = "measured";
    std::vector<UncertainTime> parts_;
};

/// The class of the rates that bound operators without a measured kernel.
std::string rooflineClass(const Reliance& reliance, const std::vector<OperatorCost>& costs, const Machine& machine) {
    std::string weakest = "measured";
    std::vector<bool> levels(machine.accelerator.memory.size(), false);
    bool computes = false;
    for (const OperatorCost& cost : costs) {
        if (cost.way == Way::measured || cost.seconds <= 0) continue;
        if (cost.standsIn) weakest = "assumed";
        if (cost.level >= 0)
            levels[static_cast<std::size_t>(cost.level)] = true;
        else
            computes = true;
    }
    if (computes) weakest = Reliance::weaker(weakest, reliance.classOf("peak_flops." + machine.dtype));
    for (std::size_t level = 0; level < levels.size(); ++level)
        if (levels[level])
            weakest =
                Reliance::weaker(weakest, reliance.classOf(fmt::format("memory[{}].bandwidth_bytes_per_s", level)));
    return weakest;
}

/// Measured kernels are as sure as the paper's. How sure a roofline is tell the kernels that were measured on the same
/// accelerator; where there are none, it is no surer than a datasheet, since what kernels reach of measured rates is
/// not known.
void addComputation(const Workload& workload, const OperatorShares& shares, const std::vector<OperatorCost>& costs,
                    const Machine& machine, double batch, const DataPlaces& places, Reliance& reliance) {
    reliance.add(shares.measuredTime, "measured");
    const std::string reliability = rooflineClass(reliance, costs, machine);
    const std::optional<double> residual = rooflineResidual(workload, machine, costs, batch, places);
    const double spread =
        residual ? std::max(*residual, spreadOf("measured")) : std::max(spreadOf("datasheet"), spreadOf(reliability));
    reliance.add(shares.time - shares.measuredTime, reliability, spread);
}

/// Stacks that fuse attention make its scores again, in data types of 16 bits and fewer.
Scores scoresBy(const Options& options, const Workload& workload) {
    constexpr double kFusedBytes = 2;
    if (options.costModel == CostModel::paper || workload.precision.bytes > kFusedBytes) return Scores::stored;
    const physical::SoftwareStack* stack = physical::softwareStackOf(options.software);
    const bool isEager = stack != nullptr && stack->profile == physical::SoftwareProfile::eager;
    return isEager ? Scores::stored : Scores::madeAgain;
}

/// A user's own number: nothing is known about how far it can be trusted. A price takes no part in times.
bool hasOwnNumber(const Machine& machine) {
    return std::any_of(
        machine.accelerator.provenance.begin(), machine.accelerator.provenance.end(), [](const auto& entry) {
            return entry.second.reliability == hardware::kOwnNumber && entry.first != "price_per_hour_usd";
        });
}

}  // namespace

Options paperOptions() {
    Options options;
    options.costModel = CostModel::paper;
    return options;
}

std::vector<std::int64_t> powersOfTwo() {
    std::vector<std::int64_t> powers;
    for (std::int64_t power = 1; power <= kLargestPower; power *= 2) powers.push_back(power);
    return powers;
}

// Stages of a cut model -----------------------------------------------------------------------------------------------

/// The stages of model parallelism; one stage that is all of it otherwise.
struct Predictor::Cut {
    std::vector<LiveRanges> live;  ///< by stage; empty = the whole model's
    std::vector<double> crossing;  ///< bytes of one sample from each stage to the next
    bool isPhysical = false;       ///< operators take what the physical model says
};

/// What a batch takes, on the device that has most of it.
struct Predictor::Fit {
    Demand demand;
    Placement placement;
};

/// How long a step with a batch takes.
struct Predictor::Step {
    DataPlaces places;
    std::vector<OperatorCost> costs;
    Seconds load, compute, communication, total;
    std::string collective;        ///< empty where nothing is sent
    std::string communicationBy;   ///< the accelerator's field that its time rests on; empty = measured sums
    std::optional<double> watts;   ///< of one device, by the physical model
    std::optional<double> spread;  ///< of the logarithm of its time, likewise
    double shared = 0;             ///< of it, with other accelerators
    std::string_view reliability;  ///< of the kernels, likewise
};

Predictor::Predictor(const Workload& workload, Options options)
    : workload_(workload),
      options_(std::move(options)),
      memoryModel_(memoryModelNamed(options_.memoryModel)),
      scores_(scoresBy(options_, workload)),
      live_(workload, scores_) {
    if (options_.candidates.empty()) options_.candidates = powersOfTwo();
    const bool named = !options_.collective.empty();
    if (named) collectiveNamed(options_.collective);
    if (options_.asynchronous && (!named || !collectiveNamed(options_.collective).asynchronous))
        throw UsageError("asynchronous training needs a parameter server: --collective parameter-server");
    if (options_.asynchronous && options_.parallelism == Parallelism::model)
        throw UsageError("asynchronous training is for data parallelism");
    if (options_.parallelism == Parallelism::model && memoryModel_.id == "closed-form")
        throw UsageError("the closed form of the memory model is of a whole model; model parallelism cuts it");
}

Predictor::Cut Predictor::cutOf(const Machine& machine, std::int64_t devices) const {
    const auto batch = static_cast<double>(options_.batch.value_or(options_.candidates.front()));
    Cut cut;
    cut.isPhysical = options_.costModel == CostModel::physical && isWithoutKernels(workload_, machine, batch);
    if (options_.parallelism == Parallelism::data || devices == 1) return cut;
    const std::vector<OperatorCost> costs = operatorCosts(workload_, machine, batch);
    std::vector<double> weights(workload_.crossing.size(), 0);
    for (std::size_t i = 0; i < costs.size(); ++i)
        if (workload_.operators[i].source >= 0)
            weights[static_cast<std::size_t>(workload_.operators[i].source)] += costs[i].seconds;
    const std::vector<std::int32_t> stages = cutChain(weights, devices);
    for (std::size_t i = 0; i + 1 < stages.size(); ++i)
        if (stages[i] != stages[i + 1]) cut.crossing.push_back(workload_.crossing[i]);
    for (std::int32_t stage = 0; !stages.empty() && stage <= stages.back(); ++stage)
        cut.live.emplace_back(workload_, stages, stage, scores_);
    return cut;
}

Predictor::Fit Predictor::fitOf(const Machine& machine, const Cut& cut, double batch, std::int64_t devices) const {
    Fit worst;
    double largest = -1;
    const std::size_t stages = std::max<std::size_t>(1, cut.live.size());
    for (std::size_t stage = 0; stage < stages; ++stage) {
        Demand demand = memoryModel_.demand(workload_, cut.live.empty() ? live_ : cut.live[stage], batch);
        double buffer = options_.workspace;
        // What arrives from a neighbour before it is added: a ring's share of the gradients.
        if (options_.parallelism == Parallelism::data && devices > 1)
            buffer += gradientsSent().value / static_cast<double>(devices);
        demand.bytes[slotOf(Category::ephemeral)] += buffer;
        const double sum = sumOf(demand.bytes);
        Placement placement = place(demand.bytes, machine.accelerator, *machine.policy);
        const double excess = placement.shortage ? placement.shortage->excess : 0;
        const double max = worst.placement.shortage ? worst.placement.shortage->excess : 0;
        if (excess < max || (excess == max && sum <= largest)) continue;
        largest = sum;
        worst = {demand, std::move(placement)};
    }
    return worst;
}

std::vector<BatchMemory> Predictor::triedBatches(const Machine& machine, const Cut& cut, std::int64_t devices) const {
    std::vector<BatchMemory> tried;
    for (const std::int64_t batch : options_.candidates) {
        const Fit fit = fitOf(machine, cut, static_cast<double>(batch), devices);
        BatchMemory& memory = tried.emplace_back();
        memory.batch = batch;
        memory.fits = !fit.placement.shortage.has_value();
        for (const LevelUse& level : fit.placement.levels) memory.levels.push_back(level.bytes);
        // Memory never shrinks as the batch grows.
        if (!memory.fits) break;
    }
    return tried;
}

std::optional<std::int64_t> Predictor::bestOf(const Machine& machine, const std::vector<BatchMemory>& tried) {
    const std::vector<hardware::MemoryLevel>& levels = machine.accelerator.memory;
    Occupancy limit;
    for (const hardware::MemoryLevel& level : levels)
        (level.onChip ? limit.onChip : limit.offChip) += level.capacity ? level.capacity->value : 0;
    std::vector<BatchCandidate> candidates;
    for (const BatchMemory& memory : tried) {
        BatchCandidate& candidate =
            candidates.emplace_back(BatchCandidate{.batch = memory.batch, .estimate = {}, .fits = memory.fits});
        for (std::size_t i = 0; i < memory.levels.size(); ++i)
            (levels[i].onChip ? candidate.estimate.onChip : candidate.estimate.offChip) += sumOf(memory.levels[i]);
    }
    const std::optional<std::size_t> chosen = chooseBatch(candidates, limit);
    return chosen ? std::optional(candidates[*chosen].batch) : std::nullopt;
}

/// By the rule of the options, of those that were tried and fit.
std::optional<std::int64_t> Predictor::chosenBatch(const Machine& machine, const Cut& cut,
                                                   const std::vector<BatchMemory>& tried, std::int64_t devices) const {
    if (options_.batchRule == BatchRule::memory) return bestOf(machine, tried);
    constexpr double kSame = 1 - 1e-9;  // up to rounding
    std::optional<std::int64_t> best;
    double max = 0;
    for (const BatchMemory& memory : tried) {
        if (!memory.fits) continue;
        const auto batch = static_cast<double>(memory.batch);
        const Step step = stepOf(machine, cut, fitOf(machine, cut, batch, devices), batch, devices, Caches::ignored);
        const double throughput = batch / step.total.value;
        if (best && throughput < max * kSame) continue;
        best = memory.batch;
        max = std::max(max, throughput);
    }
    return best;
}

void Predictor::addThroughputs(const Machine& machine, const Cut& cut, Prediction& prediction) const {
    if (options_.batch) return;
    const bool dataParallel = options_.parallelism == Parallelism::data;
    const double together = dataParallel ? static_cast<double>(prediction.devices) : 1;
    for (BatchMemory& tried : prediction.batches) {
        if (!tried.fits) continue;
        const auto batch = static_cast<double>(tried.batch);
        const Fit fit = fitOf(machine, cut, batch, prediction.devices);
        tried.throughput = batch * together / stepOf(machine, cut, fit, batch, prediction.devices).total.value;
    }
}

std::optional<std::int64_t> Predictor::bestBatch(const Machine& machine, const Cut& cut, std::int64_t devices) const {
    return bestOf(machine, triedBatches(machine, cut, devices));
}

// Communication -------------------------------------------------------------------------------------------------------

Bytes Predictor::gradientsSent() const {
    constexpr double kBitsPerByte = 8;
    const double bits = options_.gradientBits.value_or(kBitsPerByte * workload_.precision.bytes);
    return compressed(workload_.gradientBytes / workload_.precision.bytes, bits, options_.gradientDensity);
}

const Collective* Predictor::collectiveFor(const Machine& machine) const {
    if (!options_.collective.empty()) return &collectiveNamed(options_.collective);
    return &collectiveNamed(machine.accelerator.allReduce.empty() ? "ring" : "measured");
}

Seconds Predictor::allReduceTime(const Machine& machine, const Collective& collective, std::int64_t devices) const {
    const AllReduce exchange{.bytes = gradientsSent(),
                             .devices = devices,
                             .rate = machine.accelerator.network,
                             .latency = machine.accelerator.networkLatency.value_or(Seconds{}),
                             .measured = &machine.accelerator.allReduce};
    const std::optional<Seconds> time = collective.time(exchange);
    if (time) return *time;
    throw DataError(
        {.file = machine.accelerator.file, .field = std::string(collective.needs)}, "missing",
        fmt::format("what the prediction engine's collective '{}' needs for {} devices", collective.id, devices));
}

// Infeasibility -------------------------------------------------------------------------------------------------------

std::string Predictor::shortageSentence(const Machine& machine, const Cut& cut, const Fit& fit, double batch,
                                        std::int64_t devices) const {
    const Shortage& shortage = *fit.placement.shortage;
    std::string text =
        fmt::format("batch {} needs {} more than the {} of {}'s {}: ", formatCount(batch), bytesText(shortage.excess),
                    bytesText(shortage.capacity), escaped(machine.accelerator.name), escaped(shortage.level));
    const LevelUse* level = nullptr;
    for (const LevelUse& use : fit.placement.levels)
        if (use.level == shortage.level) level = &use;
    std::vector<std::string> unused;
    for (std::size_t i = 0; i < machine.accelerator.memory.size(); ++i)
        if (levelBounding(i, machine.accelerator.memory) < 0)
            unused.push_back(escaped(machine.accelerator.memory[i].name));
    std::vector<std::string> parts;
    for (std::size_t c = 0; c < kCategories; ++c)
        if (level->bytes[c] > 0)
            parts.push_back(fmt::format("{} of {}", bytesText(level->bytes[c]), titleOf(static_cast<Category>(c))));
    text += joined(parts, ", ");
    if (!unused.empty())
        text +=
            fmt::format("; nothing is placed in {}, whose bandwidth the file does not give", joined(unused, " or "));
    const double activations = level->bytes[slotOf(Category::inputOutput)];
    const std::optional<std::int64_t> smaller =
        batch > 1 ? bestBatch(machine, cut, devices) : std::optional<std::int64_t>();
    if (smaller && static_cast<double>(*smaller) < batch)
        return text + fmt::format("; batch {} fits", formatCount(*smaller));
    if (activations > shortage.excess)
        return text + "; recomputing activations, a shorter sequence or smaller samples would help";
    return text +
           (options_.parallelism == Parallelism::data
                ? "; even without activations it does not fit: model parallelism over several devices would help, or "
                  "an "
                  "optimizer with less state"
                : "; even without activations it does not fit: more devices would help, or an optimizer with less "
                  "state");
}

// Decision ------------------------------------------------------------------------------------------------------------

void Predictor::addDecision(Prediction& prediction, const Machine& machine) const {
    const auto devices = static_cast<double>(prediction.devices);
    if (machine.accelerator.pricePerHourUsd) {
        prediction.pricePerHourUsd = *machine.accelerator.pricePerHourUsd * devices;
        if (*prediction.pricePerHourUsd > 0)
            prediction.samplesPerUsd = prediction.throughput * kSecondsPerHour / *prediction.pricePerHourUsd;
    }
    if (machine.accelerator.power && !prediction.joulesPerSample)
        prediction.joulesPerSample = machine.accelerator.power->value * devices / prediction.throughput;
    if (!options_.samples) return;
    prediction.trainingTime = Seconds{*options_.samples / prediction.throughput};
    if (prediction.pricePerHourUsd)
        prediction.trainingCostUsd = *prediction.pricePerHourUsd * prediction.trainingTime->value / kSecondsPerHour;
    if (prediction.joulesPerSample) prediction.trainingEnergy = Joules{*prediction.joulesPerSample * *options_.samples};
}

void Predictor::addBaselines(Prediction& prediction, const Machine& machine, double devices) const {
    const auto batch = static_cast<double>(prediction.batch);
    const double flops = workload_.flops(batch);
    // The whole step as one kernel against the slowest known memory.
    double bytes = 0;
    for (const StepOperator& op : workload_.operators) bytes += op.bytes.at(batch);
    const std::vector<hardware::MemoryLevel>& memory = machine.accelerator.memory;
    const auto slowest =
        std::find_if(memory.rbegin(), memory.rend(), [](const auto& level) { return level.bandwidth.has_value(); });
    const Seconds whole = rooflineTime(Flops{flops}, flops / bytes, machine.peak, *slowest->bandwidth);
    prediction.baselines.push_back({.id = "roofline", .throughput = batch * devices / whole.value});

    // The measured model that is most like this one.
    const auto nearest =
        [&](const hardware::Accelerator& of) -> std::pair<const hardware::Benchmark*, const BenchmarkModel*> {
        std::pair<const hardware::Benchmark*, const BenchmarkModel*> best{nullptr, nullptr};
        double min = std::numeric_limits<double>::infinity();
        for (const hardware::Benchmark& benchmark : of.benchmarks)
            for (const BenchmarkModel& model : options_.benchmarks) {
                if (model.model != benchmark.model || !(model.flopsPerSample > 0) || !(model.parameters > 0)) continue;
                const double distance =
                    std::fabs(elementary::log(std::max(workload_.flops(1), 1.0) / model.flopsPerSample)) +
                    std::fabs(elementary::log(std::max(workload_.parameters, 1.0) / model.parameters));
                if (distance >= min) continue;
                min = distance;
                best = {&benchmark, &model};
            }
        return best;
    };
    Baseline& scaled = prediction.baselines.emplace_back(Baseline{.id = "utilization", .throughput = {}});
    if (!options_.reference)
        scaled.missing = "a reference accelerator";
    else if (const auto [benchmark, model] = nearest(*options_.reference); benchmark == nullptr)
        scaled.missing = fmt::format("a measured model on {}", escaped(options_.reference->name));
    else
        scaled.throughput = benchmark->utilization * machine.peak.value * devices * batch / flops;
    Baseline& similar = prediction.baselines.emplace_back(Baseline{.id = "similarity", .throughput = {}});
    if (const auto [benchmark, model] = nearest(machine.accelerator); benchmark == nullptr)
        similar.missing = fmt::format("a measured model on {}", escaped(machine.accelerator.name));
    else
        similar.throughput = benchmark->utilization * machine.peak.value * devices / model->flopsPerSample;
}

void Predictor::addPhysicalTimes(const Machine& machine, double batch, std::int64_t devices, Step& step) const {
    const bool splitsBatch = options_.parallelism == Parallelism::data && devices > 1;
    PhysicalSetting setting{
        .batch = batch,
        .devices = splitsBatch ? devices : 1,
        .software = options_.software,
        .gradientShare = workload_.gradientBytes > 0 ? gradientsSent().value / workload_.gradientBytes : 1,
        .sum = {},
        .loads = !options_.dataset};
    // Measured sums say more than any model.
    const bool isNamed = !options_.collective.empty() || !machine.accelerator.allReduce.empty();
    if (splitsBatch && isNamed) setting.sum = allReduceTime(machine, *collectiveFor(machine), devices);
    PhysicalStep physical = physicalStep(workload_, machine, setting, step.places);
    step.costs = std::move(physical.costs);
    step.load = physical.load;
    step.compute = physical.compute;
    step.communication = physical.communication;
    step.total = physical.total;
    step.watts = physical.watts;
    step.spread = physical.spread;
    step.shared = physical.shared;
    step.reliability = kWayNames.of(physical.way);
    if (splitsBatch) step.collective = isNamed ? collectiveFor(machine)->id : kFastestCollective;
}

void Predictor::addPaperTimes(const Machine& machine, double batch, std::int64_t devices, Step& step) const {
    step.costs = operatorCosts(workload_, machine, batch, step.places);
    for (std::size_t i = 0; i < step.costs.size(); ++i)
        if (!workload_.operators[i].free) step.compute += Seconds{step.costs[i].seconds};
    if (devices == 1 || options_.parallelism != Parallelism::data) return;
    const Collective* const collective = collectiveFor(machine);
    step.collective = collective->id;
    step.communication = allReduceTime(machine, *collective, devices);
    if (collective->needs == kNetwork) step.communicationBy = kNetwork;
}

void Predictor::addCrossing(const Machine& machine, const Cut& cut, double batch, Step& step) const {
    if (cut.crossing.empty()) return;
    if (!machine.accelerator.network)
        throw DataError({.file = machine.accelerator.file, .field = kNetwork}, "missing",
                        "the rate of the links, which the prediction engine's model parallelism needs");
    // Activations forward, their gradients back (eq. 3).
    for (const double bytes : cut.crossing)
        step.communication += (Bytes{bytes * batch} / *machine.accelerator.network +
                               machine.accelerator.networkLatency.value_or(Seconds{})) *
                              2;
    step.collective = "point-to-point";
    step.communicationBy = kNetwork;
}

Predictor::Step Predictor::stepOf(const Machine& machine, const Cut& cut, const Fit& fit, double batch,
                                  std::int64_t devices, Caches caches) const {
    Step step;
    step.places = placesOf(fit.placement, machine.accelerator, *machine.policy);
    if (caches == Caches::ignored) step.places.caches = false;
    step.places.byOperands = options_.levelRule == LevelRule::operands;
    if (cut.isPhysical)
        addPhysicalTimes(machine, batch, devices, step);
    else
        addPaperTimes(machine, batch, devices, step);
    addCrossing(machine, cut, batch, step);
    const bool asynchronous = options_.asynchronous && devices > 1;
    if (options_.dataset) {
        const LoadingTime loading = loadingTime(*options_.dataset, machine.accelerator);
        step.load = (loading.load + loading.prepare) * batch;
    }
    if (!cut.isPhysical || asynchronous || options_.dataset || !cut.crossing.empty())
        step.total = stepTime(step.load, step.compute, step.communication, asynchronous);
    return step;
}

RelativeError Predictor::errorOfStep(const Machine& machine, const Step& step, const OperatorShares& shares,
                                     double batch) const {
    Reliance reliance(machine);
    if (step.spread)
        reliance.add(step.compute, hasOwnNumber(machine) ? "assumed" : std::string(step.reliability), step.spread);
    else
        addComputation(workload_, shares, step.costs, machine, batch, step.places, reliance);
    const bool byLinks = !step.communicationBy.empty();
    if (!step.collective.empty() && (byLinks || !step.spread))
        reliance.add(step.communication, byLinks ? reliance.classOf(step.communicationBy) : "measured");
    if (options_.dataset) reliance.add(step.load, reliance.classOf("host_bandwidth_bytes_per_s"));
    RelativeError error = reliance.error();
    error.shared = step.shared;
    return error;
}

/// The physical model knows a transformer as a whole, so that all ways to split it are judged.
bool Predictor::isPlanned(const Cut& cut, std::int64_t devices) const {
    return cut.isPhysical && devices > 1 && options_.parallelism == Parallelism::model && workload_.transformer;
}

/// The best batch of the candidates, each in its best configuration; a batch that splits worse may be smaller or
/// larger.
void Predictor::predictPlanned(Prediction& prediction, const Machine& machine) const {
    const std::vector<std::int64_t> candidates =
        options_.batch ? std::vector<std::int64_t>{*options_.batch} : options_.candidates;
    const std::vector<hardware::MemoryLevel>& memory = machine.accelerator.memory;
    // What is planned lies in the largest level.
    const auto largest = std::max_element(memory.begin(), memory.end(), [](const auto& a, const auto& b) {
        return a.capacity.value_or(Bytes{}).value < b.capacity.value_or(Bytes{}).value;
    });
    std::vector<LevelUse> levels;
    for (const hardware::MemoryLevel& level : memory)
        levels.push_back(
            {.level = level.name, .onChip = level.onChip, .capacity = level.capacity, .bandwidth = level.bandwidth});
    const auto at = static_cast<std::size_t>(largest - memory.begin());
    std::optional<PlannedStep> best;
    for (const std::int64_t batch : candidates) {
        const auto samples = static_cast<double>(batch);
        PlannedStep planned = plannedStep(
            workload_, machine,
            {.batch = samples, .devices = prediction.devices, .software = options_.software, .sum = {}}, {});
        BatchMemory& tried = prediction.batches.emplace_back();
        tried.batch = batch;
        tried.fits = planned.infeasible.empty();
        tried.levels.assign(memory.size(), {});
        if (!tried.levels.empty()) tried.levels[at] = planned.memory;
        if (!tried.fits) {
            if (!best) prediction.infeasible = planned.infeasible;
            continue;
        }
        tried.throughput = samples / planned.step.total.value;
        if (best && tried.throughput <= prediction.throughput) continue;
        prediction.infeasible.reset();
        prediction.batch = batch;
        prediction.throughput = tried.throughput;
        best = std::move(planned);
    }
    prediction.memory.levels = levels;
    if (!best) return;
    prediction.memory.bytes = best->memory;
    if (!levels.empty()) prediction.memory.levels[at].bytes = best->memory;
    const PhysicalStep& step = best->step;
    const auto samples = static_cast<double>(prediction.batch);
    prediction.operators = sharesOf(workload_, machine, step.costs, samples, options_.slowest);
    prediction.compute = step.compute;
    prediction.communication = step.communication;
    prediction.collective = plan::shortText(best->plan.configuration);
    prediction.step = step.total;
    prediction.software = options_.software;
    Reliance reliance(machine);
    reliance.add(step.total, hasOwnNumber(machine) ? "assumed" : std::string(kWayNames.of(step.way)), step.spread);
    prediction.error = reliance.error();
    if (step.watts)
        prediction.joulesPerSample =
            *step.watts * best->plan.scores.of(plan::Objective::accelerators) / prediction.throughput;
    addDecision(prediction, machine);
    addBaselines(prediction, machine, static_cast<double>(prediction.devices));
}

Prediction Predictor::predict(const Machine& machine, std::int64_t devices) const {
    Prediction prediction;
    prediction.accelerator = machine.id();
    prediction.name = machine.accelerator.name;
    prediction.devices = devices;
    prediction.policy = machine.policy->id;
    prediction.sources = machine.accelerator.provenance;

    const Cut cut = cutOf(machine, devices);
    prediction.dtype = machine.dtype;
    prediction.peak = machine.peak;
    if (isPlanned(cut, devices)) {
        predictPlanned(prediction, machine);
        return prediction;
    }
    prediction.batches = triedBatches(machine, cut, devices);
    const std::optional<std::int64_t> batch =
        options_.batch ? options_.batch : chosenBatch(machine, cut, prediction.batches, devices);
    const auto samples = static_cast<double>(batch.value_or(options_.candidates.front()));
    Fit fit = fitOf(machine, cut, samples, devices);
    prediction.memory.bytes = fit.demand.bytes;
    prediction.memory.levels = fit.placement.levels;
    if (fit.demand.at >= 0) prediction.memory.at = workload_.operators[static_cast<std::size_t>(fit.demand.at)].name;
    if (fit.placement.shortage) {
        prediction.infeasible = shortageSentence(machine, cut, fit, samples, devices);
        return prediction;
    }
    prediction.batch = static_cast<std::int64_t>(samples);

    const Step step = stepOf(machine, cut, fit, samples, devices);
    prediction.operators = sharesOf(workload_, machine, step.costs, samples, options_.slowest);
    prediction.compute = step.compute;
    prediction.communication = step.communication;
    prediction.collective = step.collective;
    prediction.load = step.load;
    prediction.step = step.total;
    prediction.error = errorOfStep(machine, step, prediction.operators, samples);
    if (step.spread) prediction.software = options_.software;
    prediction.overlap = prediction.load + prediction.compute + prediction.communication - prediction.step;
    const bool dataParallel = options_.parallelism == Parallelism::data;
    prediction.throughput = samples * (dataParallel ? static_cast<double>(devices) : 1.0) / prediction.step.value;
    if (step.watts) prediction.joulesPerSample = *step.watts * static_cast<double>(devices) / prediction.throughput;
    addThroughputs(machine, cut, prediction);
    addDecision(prediction, machine);
    addBaselines(prediction, machine, dataParallel ? static_cast<double>(devices) : 1.0);
    return prediction;
}

}  // namespace tessera::predict

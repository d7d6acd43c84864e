#include "core/predict/physical_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/physical/energy.h"
#include "core/physical/network_model.h"
#include "core/physical/training_predictor.h"
#include "core/plan/search.h"

namespace tessera::predict {

namespace {

/// The configuration as the physical model reads it.
physical::TrainingRun runOf(const Workload& workload, const Machine& machine, const PhysicalSetting& setting) {
    physical::TrainingRun run = workload.transformer.value_or(physical::TrainingRun{.model = workload.name});
    run.accelerator = machine.id();
    run.accelerators = static_cast<int>(setting.devices);
    run.perNode = static_cast<int>(std::min(setting.devices, kPerNode));
    // Machines of arrays span nodes by their own links.
    if (physical::networkMachineOf(machine.device) == physical::NetworkMachine::gpu)
        run.networkBytesPerSecond = physical::networkRateOf(machine.device) * run.perNode;
    run.dtype = machine.dtype;
    run.microBatch = setting.batch;
    run.globalBatch = setting.batch * static_cast<double>(setting.devices);
    run.dataParallel = run.accelerators;
    run.tensorParallel = run.pipelineParallel = run.contextParallel = 1;
    run.optimizer = std::string(model::optimizerKind(workload.optimizer).id);
    run.software = setting.software;
    return run;
}

/// The memory that bounds what moves bytes: the first outside of the chip, on chip where activations stay there.
std::int32_t boundingLevel(const Machine& machine, bool onChip) {
    const std::vector<hardware::MemoryLevel>& memory = machine.accelerator.memory;
    std::int32_t any = -1;
    for (std::size_t level = 0; level < memory.size(); ++level) {
        if (!memory[level].bandwidth) continue;
        if (any < 0) any = static_cast<std::int32_t>(level);
        if (memory[level].onChip == onChip) return static_cast<std::int32_t>(level);
    }
    return any;
}

/// Seconds of each operator of forward and backward passes; of a kernel of several operators the first takes the time.
void addKernelTimes(const Workload& workload, const physical::NetworkCost& cost,
                    const physical::NetworkParameters& parameters, std::int32_t level, PhysicalStep& step) {
    const bool alone = cost.profile == physical::SoftwareProfile::eager;
    const physical::NetworkKernels& kernels = alone ? workload.kernels.alone : workload.kernels.joined;
    for (std::size_t i = 0; i < step.costs.size(); ++i) {
        OperatorCost& its = step.costs[i];
        its.way = step.way;
        const std::int32_t kernel = kernels.kernelOf[i];
        if (kernel < 0) continue;
        its.joined = !kernels.leads[i];
        if (its.joined) continue;
        const physical::NetworkKernelTime time =
            physical::networkKernelTime(cost, cost.kernels[static_cast<std::size_t>(kernel)], parameters);
        its.seconds = time.seconds;
        its.level = time.byProducts ? -1 : level;
    }
}

/// Shares the update among its operators by the bytes that they move.
void addUpdateTimes(const Workload& workload, double seconds, double batch, std::int32_t level, PhysicalStep& step) {
    double bytes = 0;
    for (const StepOperator& op : workload.operators)
        if (op.phase == model::Phase::update && !op.free) bytes += op.bytes.at(batch);
    for (std::size_t i = 0; bytes > 0 && i < step.costs.size(); ++i) {
        const StepOperator& op = workload.operators[i];
        if (op.phase != model::Phase::update || op.free) continue;
        step.costs[i].seconds = seconds * op.bytes.at(batch) / bytes;
        step.costs[i].level = level;
    }
}

double sumOf(const std::vector<OperatorCost>& costs) {
    double sum = 0;
    for (const OperatorCost& cost : costs) sum += cost.seconds;
    return sum;
}

/// Scales the operators so that they take `seconds` together.
void scaleTo(double seconds, std::vector<OperatorCost>& costs) {
    const double sum = sumOf(costs);
    if (!(sum > 0)) return;
    for (OperatorCost& cost : costs) cost.seconds *= seconds / sum;
}

/// What lies outside of the chip moves from there; returns the seconds that this adds.
double addDistantOperands(const Workload& workload, const Machine& machine, double batch, const DataPlaces& places,
                          PhysicalStep& step) {
    double added = 0;
    for (std::size_t i = 0; i < step.costs.size(); ++i) {
        if (workload.operators[i].free) continue;
        const OperandTime moving = operandTime(workload.operators[i], machine, batch, places);
        if (moving.level < 0 || machine.accelerator.memory[static_cast<std::size_t>(moving.level)].onChip) continue;
        const double more = moving.time.value - step.costs[i].seconds;
        if (!(more > 0)) continue;
        step.costs[i].seconds += more;
        step.costs[i].level = moving.level;
        added += more;
    }
    return added;
}

std::optional<double> wattsOf(const physical::TrainingRun& run, const Machine& machine,
                              const physical::BusySeconds& busy) {
    if (!machine.accelerator.power) return std::nullopt;
    return physical::stepJoules(run, machine.device, busy) / busy.step / static_cast<double>(run.accelerators);
}

/// A step whose operators take what the kernels of the graph do, `computed` together where that is known otherwise.
struct GraphStep {
    PhysicalStep step;
    physical::NetworkStep times;
    double distant = 0;  ///< s that operators wait for data outside of the chip
};
GraphStep graphStepOf(const Workload& workload, const Machine& machine, const PhysicalSetting& setting,
                      const physical::TrainingRun& run, const DataPlaces& places, std::optional<double> computed) {
    const physical::NetworkFit& fit = physical::networkFit(-1);
    physical::NetworkCost cost = physical::networkCost(workload.kernels, run, machine.device);
    cost.reduction = setting.sum ? setting.sum->value : cost.reduction * setting.gradientShare;
    if (!setting.loads) cost.feed = 0;
    GraphStep made{.step = {}, .times = physical::networkStep(cost, fit.parameters)};
    PhysicalStep& step = made.step;
    step.costs.resize(workload.operators.size());
    const physical::ProductParameters products = physical::productParametersOf(machine.device, machine.dtype);
    step.way = products.basis == physical::KernelBasis::transferred ? Way::transferred : Way::fitted;
    const bool onChip = cost.machine == physical::NetworkMachine::onChip;
    const std::int32_t level = boundingLevel(machine, onChip);
    addKernelTimes(workload, cost, fit.parameters, level, step);
    scaleTo(made.times.computing, step.costs);
    addUpdateTimes(workload, made.times.update, setting.batch, level, step);
    if (computed) scaleTo(*computed, step.costs);
    if (onChip) made.distant = addDistantOperands(workload, machine, setting.batch, places, step);
    step.compute = Seconds{sumOf(step.costs)};
    step.spread = fit.spread[static_cast<std::size_t>(cost.likeness)] / kNinetieth;
    return made;
}

PhysicalStep networkStepOf(const Workload& workload, const Machine& machine, const PhysicalSetting& setting,
                           const DataPlaces& places) {
    const physical::TrainingRun run = runOf(workload, machine, setting);
    auto [step, times, distant] = graphStepOf(workload, machine, setting, run, places, std::nullopt);
    step.load = Seconds{times.feed};
    step.communication = Seconds{times.exposed};
    step.shared = kSharedByNetworks;
    step.total = Seconds{times.seconds + distant};
    step.watts = wattsOf(run, machine, {step.total.value, times.products, times.memory + distant});
    return std::move(step);
}

/// By the model of steps of transformers, whose stacks were fitted apart. Its operators' shares are those of the graph.
PhysicalStep transformerStepOf(const Workload& workload, const Machine& machine, const PhysicalSetting& setting,
                               const DataPlaces& places) {
    const physical::TrainingRun run = runOf(workload, machine, setting);
    const physical::ReplicaStep whole = physical::replicaStepOf(run, machine.device);
    auto [step, network, distant] = graphStepOf(workload, machine, setting, run, places, whole.computed);
    step.communication = setting.sum ? *setting.sum * whole.shown : Seconds{setting.gradientShare * whole.exposed};
    step.total = step.compute + step.communication;
    step.spread = whole.spread / kNinetieth;
    step.watts = wattsOf(run, machine, {step.total.value, whole.times.products, whole.times.memory + distant});
    return std::move(step);
}

}  // namespace

namespace {

CategoryBytes memoryOf(const plan::Evaluated& evaluated) {
    const auto fullest = std::max_element(
        evaluated.stages.begin(), evaluated.stages.end(),
        [](const auto& a, const auto& b) { return a.memory.total() + a.allowance < b.memory.total() + b.allowance; });
    CategoryBytes bytes{};
    bytes[slotOf(Category::weights)] = fullest->memory.parameters;
    bytes[slotOf(Category::inputOutput)] = fullest->memory.activations + fullest->memory.working;
    bytes[slotOf(Category::ephemeral)] = fullest->allowance;
    return bytes;
}

}  // namespace

PlannedStep plannedStep(const Workload& workload, const Machine& machine, const PhysicalSetting& setting,
                        const DataPlaces& places) {
    const physical::TrainingRun run = runOf(workload, machine, setting);
    const plan::Problem problem = plan::problemOf(machine.device, run, setting.batch);
    plan::SearchOptions options;
    options.top = 1;
    RunControl control;
    control.threads = 1;
    const plan::Found found = plan::search(problem, {}, options, control);
    PlannedStep planned;
    if (found.top.empty()) {
        planned.infeasible = found.closest
                                 ? fmt::format("no parallel configuration of {} fits: the closest ({}) needs {} of {}",
                                               formatCounted(setting.devices, "device", "devices"),
                                               plan::shortText(found.closest->first),
                                               formatQuantity(found.closest->second.total(), Measure::bytes),
                                               formatQuantity(found.closest->second.capacity, Measure::bytes))
                                 : std::string("no degrees of parallelism divide the model and the batch");
        return planned;
    }
    planned.plan = plan::evaluate(problem, found.top.front().configuration);
    planned.memory = memoryOf(planned.plan);
    const double total = planned.plan.scores.of(plan::Objective::time), computed = planned.plan.time.compute;
    PhysicalSetting alone = setting;
    alone.devices = 1;
    auto [step, network, distant] = graphStepOf(workload, machine, alone, run, places, computed);
    planned.step = std::move(step);
    planned.step.total = Seconds{total};
    planned.step.communication = Seconds{total - planned.step.compute.value};
    planned.step.spread = problem.groups.front().variants.front().spread / kNinetieth;
    if (machine.accelerator.power)
        planned.step.watts = planned.plan.scores.of(plan::Objective::energy) / total /
                             planned.plan.scores.of(plan::Objective::accelerators);
    return planned;
}

bool isWithoutKernels(const Workload& workload, const Machine& machine, double batch) {
    if (machine.kernels.empty()) return true;
    const std::vector<OperatorCost> costs = operatorCosts(workload, machine, batch);
    return std::none_of(costs.begin(), costs.end(), [](const OperatorCost& cost) { return cost.way == Way::measured; });
}

PhysicalStep physicalStep(const Workload& workload, const Machine& machine, const PhysicalSetting& setting,
                          const DataPlaces& places) {
    return workload.transformer ? transformerStepOf(workload, machine, setting, places)
                                : networkStepOf(workload, machine, setting, places);
}

}  // namespace tessera::predict

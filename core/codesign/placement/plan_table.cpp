#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/codesign/placement/placement.h"
#include "core/codesign/placement/placement_costs.h"
#include "core/codesign/placement/placement_lattice.h"
#include "core/codesign/placement/placement_search.h"
#include "core/codesign/placement/placement_table.h"
#include "core/codesign/placement/placement_walk.h"

namespace tessera::codesign {

namespace {

/// A first stage with the best division of what follows it.
struct CutChoice {
    std::uint32_t to = 0;
    Stage stage = {};
    std::size_t cheap = 0;
    double value = 0;                ///< the greatest load, or bytes
    std::int64_t accelerators = 1;   ///< of a replica
    double weights = 0, update = 0;  ///< of the first stage, where these end the batch

    bool isNoWorse(const CutChoice& other) const {
        return value <= other.value && accelerators <= other.accelerators && weights <= other.weights &&
               update <= other.update;
    }
};

/// By number of stages, all choices that no other beats in every respect.
using ChoicesByStages = std::vector<std::vector<CutChoice>>;

void keepChoice(std::vector<CutChoice>& choices, const CutChoice& choice) {
    for (const CutChoice& each : choices)
        if (each.isNoWorse(choice)) return;
    std::erase_if(choices, [&](const CutChoice& each) { return choice.isNoWorse(each); });
    choices.push_back(choice);
}

/// A table of all numbers of stages, filled.
template <typename Costs>
class FilledTable {
public:
    FilledTable(const CutLattice& lattice, const DegreeNumbers& numbers, const Costs& costs, std::size_t stages,
                const RunControl& control)
        : costs_(costs),
          table_(lattice, numbers, costs_, std::vector<double>(stages + 1, std::numeric_limits<double>::infinity()),
                 cheapCounts(lattice, numbers, stages)) {
        table_.fill(1, control);
    }
    FilledTable(const FilledTable&) = delete;
    FilledTable& operator=(const FilledTable&) = delete;

    StageTable<Costs>& table() { return table_; }

private:
    Costs costs_;
    StageTable<Costs> table_;
};

}  // namespace

struct PlanTable::Data {
    Data(const Placer& placer, PlacementProblem given, RunControl watching)
        : lattice(placer.lattice_), problem(std::move(given)), control(std::move(watching)) {
        checkProblem(lattice->graph(), problem);
        if (problem.byDegree.size() != 1) throw UsageError("a table of plans is of one tensor-parallel degree");
        numbers = std::make_unique<const DegreeNumbers>(*lattice, problem, problem.byDegree.front());
        while (maxStages < lattice->layers() &&
               acceleratorsOf(*numbers, maxStages + 1, std::min(maxStages + 1, numbers->cheap)) <= problem.accelerators)
            ++maxStages;
        byLoad.resize(maxStages + 1);
        byMemory.resize(maxStages + 1);
        if (maxStages == 0) return;
        loads = std::make_unique<FilledTable<LoadCosts>>(*lattice, *numbers, LoadCosts(problem), maxStages, control);
        collect(loads->table(), byLoad, !problem.steady);
    }

    template <typename Costs>
    void collect(StageTable<Costs>& table, ChoicesByStages& byStages, bool firstEnds) {
        table.eachPlan([&](std::uint32_t to, const Stage& stage, std::size_t stages, std::size_t cheap, double value) {
            CutChoice choice{.to = to,
                             .stage = stage,
                             .cheap = cheap,
                             .value = value,
                             .accelerators = acceleratorsOf(*numbers, stages, cheap)};
            for (std::size_t i = 0; firstEnds && i < lattice->layers(); ++i) {
                if (!lattice->contains(to, i)) continue;
                choice.weights += numbers->weights[i];
                choice.update += numbers->update[i];
            }
            keepChoice(byStages[stages], choice);
        });
    }

    double secondsOf(const CutChoice& choice, std::size_t stages, std::int64_t replicas) const {
        if (problem.steady) return choice.value + numbers->addedBy(stages);
        const auto count = static_cast<double>(replicas);
        const std::int64_t rounds = (problem.microBatches - 1) / replicas + static_cast<std::int64_t>(stages);
        return choice.value * static_cast<double>(rounds) +
               4 * choice.weights / problem.bandwidth.value * (count - 1) / count + choice.update;
    }

    bool isOf(std::int64_t stages, std::int64_t replicas) const {
        if (stages < 1 || static_cast<std::size_t>(stages) > maxStages || replicas < 1) return false;
        return replicas <= problem.microBatches && (!problem.steady || problem.steady->replicas == replicas);
    }

    /// The best choice by a value; null where a replica has too few accelerators for any.
    template <typename Value>
    const CutChoice* best(const std::vector<CutChoice>& choices, std::int64_t replicas, const Value& valueOf) const {
        const CutChoice* best = nullptr;
        for (const CutChoice& choice : choices) {
            if (choice.accelerators > problem.accelerators / replicas) continue;
            if (best == nullptr || valueOf(choice) < valueOf(*best)) best = &choice;
        }
        return best;
    }

    const CutChoice* fastest(std::int64_t stages, std::int64_t replicas) const {
        if (!isOf(stages, replicas)) return nullptr;
        const auto count = static_cast<std::size_t>(stages);
        return best(byLoad[count], replicas,
                    [&](const CutChoice& choice) { return secondsOf(choice, count, replicas); });
    }

    template <typename Costs>
    Plan planOf(StageTable<Costs>& table, const CutChoice& choice, std::int64_t stages, std::int64_t replicas) const {
        const FoundPlan found{
            0, replicas, choice.value,
            table.cutsOf(choice.to, choice.stage, static_cast<std::size_t>(stages), choice.cheap, choice.value)};
        return codesign::evaluate(lattice->graph(), problem, codesign::planOf(*lattice, problem, found));
    }

    std::shared_ptr<const CutLattice> lattice;
    PlacementProblem problem;
    RunControl control;
    std::unique_ptr<const DegreeNumbers> numbers;
    std::size_t maxStages = 0;
    std::unique_ptr<FilledTable<LoadCosts>> loads;
    std::unique_ptr<FilledTable<MemoryCosts>> memories;  ///< made when it is asked for
    ChoicesByStages byLoad, byMemory;
};

PlanTable::PlanTable(const Placer& placer, PlacementProblem problem, const RunControl& control)
    : data_(std::make_unique<Data>(placer, std::move(problem), control)) {}
PlanTable::~PlanTable() = default;
PlanTable::PlanTable(PlanTable&&) noexcept = default;
PlanTable& PlanTable::operator=(PlanTable&&) noexcept = default;

const PlacementProblem& PlanTable::problem() const {
    return data_->problem;
}

bool PlanTable::hasAll() const {
    return data_->lattice->allCuts() && !losesCheapStages(*data_->lattice, *data_->numbers, data_->maxStages);
}

std::optional<PlanTable::Fastest> PlanTable::fastest(std::int64_t stages, std::int64_t replicas) const {
    const CutChoice* fastest = data_->fastest(stages, replicas);
    if (fastest == nullptr) return std::nullopt;
    return Fastest{.time = {data_->secondsOf(*fastest, static_cast<std::size_t>(stages), replicas)},
                   .accelerators = replicas * fastest->accelerators};
}

std::optional<Plan> PlanTable::plan(std::int64_t stages, std::int64_t replicas) {
    const CutChoice* fastest = data_->fastest(stages, replicas);
    if (fastest == nullptr) return std::nullopt;
    return data_->planOf(data_->loads->table(), *fastest, stages, replicas);
}

std::optional<Plan> PlanTable::leanest(std::int64_t stages, std::int64_t replicas) {
    if (!data_->isOf(stages, replicas)) return std::nullopt;
    if (!data_->memories) {
        data_->memories = std::make_unique<FilledTable<MemoryCosts>>(
            *data_->lattice, *data_->numbers, MemoryCosts(data_->problem), data_->maxStages, data_->control);
        data_->collect(data_->memories->table(), data_->byMemory, false);
    }
    const CutChoice* leanest = data_->best(data_->byMemory[static_cast<std::size_t>(stages)], replicas,
                                           [](const CutChoice& choice) { return choice.value; });
    if (leanest == nullptr) return std::nullopt;
    return data_->planOf(data_->memories->table(), *leanest, stages, replicas);
}

}  // namespace tessera::codesign

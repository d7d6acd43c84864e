#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/enum_names.h"
#include "core/physical/step_memory.h"
#include "core/plan/configuration.h"
#include "core/plan/micro_batches.h"
#include "core/plan/problem.h"

namespace tessera::plan {

/// What a plan is chosen by; less is better.
enum class Objective : std::uint8_t {
    time,          ///< s of a step
    price,         ///< USD of a step
    energy,        ///< J of a step
    accelerators,  ///< number in use
    memory,        ///< bytes of the fullest accelerator
};
inline constexpr std::size_t kObjectives = 5;
inline constexpr EnumNames<Objective> kObjectiveNames{"time", "price", "energy", "accelerators", "memory"};

/// A configuration's value of each objective; a price that is not known is 0.
struct Scores {
    std::array<double, kObjectives> values = {};
    double of(Objective objective) const { return values[static_cast<std::size_t>(objective)]; }
    double& of(Objective objective) { return values[static_cast<std::size_t>(objective)]; }
};

/// A part of the memory of an accelerator.
enum class MemoryTerm : std::uint8_t { parameters, activations, working };
inline constexpr EnumNames<MemoryTerm> kMemoryTermNames{"parameters", "activations", "working"};

/// Why a configuration cannot be, in memory: of the division of layers whose fullest stage lacks least, that stage.
struct Shortage {
    int stage = 0;
    std::size_t group = 0;
    physical::StepMemory memory = {};
    double allowance = 0;  ///< of the software
    double capacity = 0;
    double total() const { return memory.total() + allowance; }
    double share() const { return total() / capacity; }  ///< of the capacity, above 1
    MemoryTerm largest() const;
};

struct Evaluated;

/// What is done with all layers of all stages alike; nothing where that is not the same.
std::optional<Recomputation> alikeOf(const std::vector<int>& layers, const std::vector<RecomputedLayers>& recomputed);

/// Options of a judgement: what it returns beside the step's time, price, energy and accelerators, and what divisions
/// may hold. Each costs time of its own; leave them out of searches that do not look at them.
struct Wanted {
    bool layers = false;                                     ///< of each stage
    bool memory = false;                                     ///< bytes of the fullest accelerator
    double bytes = std::numeric_limits<double>::infinity();  ///< maximum of an accelerator, whatever its memory
};

/// Result of judging a configuration: its value of each objective where it fits the memory, else what it lacks.
struct Judgement {
    bool fits = false;                              ///< some division of its layers fits the memory
    bool lacksAccelerators = false;                 ///< for any division of layers with costs of their own
    Scores scores = {};                             ///< where it fits; memory is 0 where it is not wanted
    std::vector<int> layers = {};                   ///< of each stage, where wanted
    std::vector<RecomputedLayers> recomputed = {};  ///< of each stage, where wanted
    /// Where stages recompute by themselves: what all layers of all of them do, if that is the same.
    std::optional<Recomputation> alike = {};
    /// Of each part where replicas lie side by side: how many of them run, and micro-batches of each.
    Shares shares = {};
    Shortage shortage = {};  ///< where it does not fit, of the division of layers that comes closest

    /// The configuration with what its parts share.
    Configuration shared(Configuration configuration) const;
};

/// Judges configurations of equal tensor, context and expert degree, micro-batch, recomputation and data type: what
/// these have in common is computed once. Not safe from several threads, since it remembers what configurations share.
///
/// Layers are alike (a mean layer where some have experts), the head is on the last stage. Of all numbers of layers per
/// stage that fit the memory, those count that make the step shortest: the pipeline's closed form, plus reduction and
/// update of the stage with most layers. Where stages recompute by themselves, so do of all ways to keep or recompute
/// their layers those that are shortest. Replicas side by side on unequal accelerators hold equal stages and take as
/// many micro-batches as make the slowest of them fastest; their memory counts as if the pipeline were full.
class Judge {
public:
    /// `like` gives what is common; its pipeline, data, ZeRO, schedule and parts do not count.
    Judge(const Problem& problem, const Configuration& like);
    ~Judge();
    Judge(Judge&&) noexcept;
    Judge& operator=(Judge&&) noexcept;

    Judgement judge(const Configuration& configuration, Wanted wanted = {});
    /// Of replicas side by side, with at most as many on each part as it says: of the numbers in all that `allows`,
    /// those that make the step shortest.
    Judgement judgeUpTo(const Configuration& configuration, const std::function<bool(int)>& allows, Wanted wanted = {});
    /// Minimum bytes of the fullest accelerator, of all divisions and shares that fit; nothing where none does.
    std::optional<double> minBytes(const Configuration& configuration);
    /// Scores that none of a configuration's divisions beats: stages as even as fractions of layers allow, nothing
    /// reduced, no update, nothing recomputed that some stages may keep; side by side, micro-batches shared in
    /// fractions among as many replicas as there may be. Of a pipeline through several groups memory, too, where it is
    /// wanted; 0 where nothing better is known: memory of others, energy of replicas side by side.
    Scores bound(const Configuration& configuration, Wanted wanted = {});
    /// Scores that none of the pipelines through the same groups beats whose parts have stages from those of `min` to
    /// those of `max`; memory is 0.
    Scores boundOfStages(const Configuration& min, const Configuration& max);
    /// All that is said of one, no accelerator with more than so many bytes. Throws UsageError for one that does not
    /// fit.
    Evaluated evaluate(const Configuration& configuration, double bytes = std::numeric_limits<double>::infinity());

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace tessera::plan

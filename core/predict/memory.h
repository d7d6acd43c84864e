#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/hardware/accelerator.h"
#include "core/predict/prediction.h"
#include "core/predict/workload.h"

namespace tessera::predict {

/// Memory that a step needs at one moment, by category, and the moment.
struct Demand {
    CategoryBytes bytes{};
    std::int32_t at = -1;  ///< the operator that runs then; -1 where no moment is meant
};

/// What attention does with its scores.
enum class Scores : std::uint8_t { stored, madeAgain };

/// Live tensors of a workload during a step, walked in schedule order.
class LiveRanges {
public:
    explicit LiveRanges(const Workload& workload, Scores scores = Scores::stored);
    /// Live tensors of one stage of a cut model: `stages` by forward operator.
    LiveRanges(const Workload& workload, const std::vector<std::int32_t>& stages, std::int32_t stage,
               Scores scores = Scores::stored);

    /// The moment of the step with the most live bytes, with `batch` samples; ties go to the first.
    Demand peak(double batch) const;

private:
    void walk(const Workload& workload, const std::vector<std::int32_t>* stages, std::int32_t stage, Scores scores);

    std::vector<std::array<Affine, kCategories>> live_;  ///< by position in the schedule
};

/// The closed form: all inputs and outputs of the forward pass at once, gradients of all parameters with 4 bytes for
/// each tensor of the optimizer state, and the largest gradient of an activation.
CategoryBytes closedForm(double inputElements, double outputElements, double largestLayerElements, double parameters,
                         double batch, const Precision& precision, std::size_t states);
CategoryBytes closedForm(const Workload& workload, double batch);

/// Memory estimator: a row of the table.
struct MemoryModel {
    std::string_view id;
    std::string_view description;
    Demand (*demand)(const Workload& workload, const LiveRanges& live, double batch);
};
const std::vector<MemoryModel>& memoryModels();
/// Throws UsageError.
const MemoryModel& memoryModelNamed(std::string_view id);

// Placement -----------------------------------------------------------------------------------------------------------

/// Levels that may hold a category.
enum class Holds : std::uint8_t { onChip, offChip, spill };

/// Placement of data by a platform's software: a row of the table.
struct PlacementPolicy {
    std::string_view id;
    std::string_view description;
    std::array<Holds, kCategories> holds;     ///< by Category
    std::array<Category, kCategories> order;  ///< in which categories take their place
};
const std::vector<PlacementPolicy>& placementPolicies();
/// The policy that the accelerator's file names, off-chip where it names none. Throws DataError for an unknown one, or
/// for a category that there is not.
const PlacementPolicy& policyOf(const hardware::Accelerator& accelerator);

/// A level that cannot hold what it must.
struct Shortage {
    std::string level;
    double capacity = 0;
    double excess = 0;  ///< bytes
    Category category = Category::inputOutput;
};

struct Placement {
    std::vector<LevelUse> levels;
    std::optional<Shortage> shortage;  ///< the largest
};
/// Fills the levels by a policy and the accelerator's own table. Where the kind of level that a policy wants is not
/// there, any level serves. Nothing is placed in levels of unknown bandwidth (`levelBounding`).
Placement place(const CategoryBytes& bytes, const hardware::Accelerator& accelerator, const PlacementPolicy& policy);

/// The level whose bandwidth bounds what another one holds: itself; where its bandwidth is not known, the next slower
/// one that has one, so that no time comes out too short. -1 where there is none: a faster level's says nothing.
std::int32_t levelBounding(std::size_t holding, const std::vector<hardware::MemoryLevel>& memory);

/// Places of a step's data: by category, the share of it in each level.
struct DataPlaces {
    std::array<std::vector<double>, kCategories> shares;
    std::vector<bool> occupied;  ///< by level: it holds a part of the step's data, so that it is no cache
    bool caches = true;          ///< levels that hold nothing work as caches
    /// Every operator moves its operands at the rate of the fastest level that they fit into, wherever the step's data
    /// lie: the cache-aware roofline of Centimani (section 5.2), which counts no state in a slower memory.
    bool byOperands = false;
};
/// Places of data that `placement` holds; a category without bytes lies where the policy would have put it first.
DataPlaces placesOf(const Placement& placement, const hardware::Accelerator& accelerator,
                    const PlacementPolicy& policy);

// Batch size ----------------------------------------------------------------------------------------------------------

/// Bytes on chip and off chip.
struct Occupancy {
    double onChip = 0;
    double offChip = 0;
};
struct BatchCandidate {
    std::int64_t batch = 1;
    Occupancy estimate;
    bool fits = true;
};
/// Both estimates below both limits (eq. 5).
bool within(const Occupancy& estimate, const Occupancy& limit);
/// Equation 5: 10·(on-chip left)² + (off-chip left)².
double objectiveOf(const Occupancy& estimate, const Occupancy& limit);
/// The index of the candidate that fits with the minimum objective; ties go to the larger batch. Empty where none fits.
std::optional<std::size_t> chooseBatch(const std::vector<BatchCandidate>& candidates, const Occupancy& limit);

}  // namespace tessera::predict

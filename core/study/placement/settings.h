#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/codesign/placement/placement_file.h"
#include "core/study/option_table.h"

/// What the parameters of a placement mean, and plans that users give.
namespace tessera::study {

struct PlacementSettings {
    std::optional<std::int64_t> accelerators = {};  ///< none: the file's, or all of the fleet
    std::optional<std::int64_t> globalBatch = {};
    codesign::OptimizerMemory rule = codesign::OptimizerMemory::reference;
    bool serialBranches = false;
    std::string plan = {};   ///< degrees or "file"; empty = none
    HeldJson planFile = {};  ///< see givenPlanJson

    // Of a model.
    std::optional<std::int64_t> sequence = {};  ///< none: the model's own
    std::string dtype = "bf16";
    std::string software = "fused";
    std::vector<std::int64_t> widths = {};        ///< tensor-parallel degrees; empty: all that there are
    std::vector<std::int64_t> microBatches = {};  ///< samples; empty: all that divide the batch
    std::vector<std::string> recomputes = {};     ///< words of physical::kRecomputeNames
    std::int64_t zero = 1;
};

const OptionTable<PlacementSettings>& placementTable();

/// Throws UsageError where the study gives a parameter that is only of a model, or only of a file of layers.
void checkPlacementParameters(const Study& study, bool isModel);

/// The word for the degrees that a file of layers fixes.
inline constexpr std::string_view kPlanOfFile = "file";

/// "8,4,16": stages, tensor-parallel degree, replicas; nothing for another text.
std::optional<codesign::Degrees> degreesNamed(const std::string& text);
/// Throws UsageError about `--plan` with a text that means nothing.
[[noreturn]] void refusePlan(const std::string& text);

/// What plans of a user are read against.
struct PlacedLayers {
    const codesign::LayerGraph& graph;
    const std::vector<std::int64_t>& ids;  ///< of the layers
    std::vector<std::int64_t> degrees;     ///< tensor-parallel ones that there are costs of
};

/// Width, replicas and the layers of each stage, as a result says them. Throws DataError.
codesign::Plan readGivenPlan(const JsonNode& root, const PlacedLayers& layers);
/// What a plan is: of a result all else is left out.
Json givenPlanJson(const JsonDocument& file);
/// Its JSON Schema.
Json givenPlanSchema();
/// The plan that `plan_file` holds and the file that it is of; nothing where there is none. Throws UsageError where
/// `plan` gives one as well.
struct GivenPlan {
    JsonDocument document;
    Input input;
};
std::optional<GivenPlan> givenPlanOf(const PlacementSettings& settings);

}  // namespace tessera::study

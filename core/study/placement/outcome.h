#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/codesign/placement/placement_file.h"
#include "core/codesign/search/search.h"
#include "core/physical/training_run.h"

namespace tessera::study {

/// What is chosen of a model beside its stages.
struct MicroBatchChoice {
    std::int64_t samples = 1;  ///< of a micro-batch
    physical::Recompute recompute = physical::Recompute::none;
};

/// Whose costs layers have where no file says them: those of a model on a fleet.
struct PlacedModelCosts {
    std::string fleet;
    std::string accelerator;  ///< of its description
    std::string dtype;
    std::string software;                       ///< stack or profile
    std::optional<std::int64_t> sequence = {};  ///< tokens of a sample
    std::int64_t zero = 0;                      ///< stage of ZeRO where there are several replicas
    std::vector<std::string> names = {};        ///< of the layers, by their ids from 0; empty where they are numbered
    MicroBatchChoice chosen = {};               ///< for the fastest plan, or the one that comes closest
};

/// A plan of the user's own beside the fastest one.
struct OwnPlan {
    std::string given;                            ///< the degrees, "file", or the name of the file that holds it
    std::optional<codesign::Plan> plan = {};      ///< evaluated; none where nothing of its degrees fits
    std::string misfit = {};                      ///< why it does not fit; empty where it does
    std::optional<MicroBatchChoice> chosen = {};  ///< of a model, for this plan
};

/// Result of the placement engine with the inputs needed to interpret it, so that a stored result is self-contained. A
/// result that was read back holds what its document says: of the layers the ids in its plans, of the costs the
/// degrees, of a plan that does not fit its fullest stage.
struct PlacementOutcome {
    std::string name;                         ///< of the model, as the file or the model has it; may be empty
    std::optional<PlacedModelCosts> of = {};  ///< none: the costs are those of a file
    std::vector<std::int64_t> layers;         ///< ids; plans hold indices into these
    std::int64_t layerCount = 0;              ///< of the model
    codesign::PlacementProblem problem;       ///< costs and the optimizer's state left out
    codesign::Optimizer optimizer = codesign::Optimizer::sgd;
    codesign::OptimizerMemory rule = codesign::OptimizerMemory::reference;
    std::optional<std::int64_t> globalBatch;  ///< samples
    /// Fields of an expert's placement in the file: ("fixedPP", 12), …
    std::vector<std::pair<std::string, double>> reported;
    std::size_t cuts = 0;  ///< sets of layers that plans may be cut at
    codesign::Placement placement;
    std::optional<OwnPlan> own = {};

    /// Samples per second; none without a plan or a global batch.
    std::optional<double> throughputOf(const std::optional<codesign::Plan>& plan) const;
    /// Largest possible slow-down of the plan against the fastest, as a share of the fastest's time; there must be a
    /// plan.
    double gap() const;
    /// Time of the user-supplied plan over that of the fastest; empty if one of them does not fit.
    std::optional<double> timesTheFastest() const;
    /// What of a plan's time is not its micro-batches going through the stages: sums of gradients, updates, and of a
    /// model messages that fill the pipeline and the start of a step.
    Seconds onceOf(const codesign::Plan& plan) const;
    /// The name of a layer of a model; empty where it has none.
    std::string layerName(std::int64_t id) const;
    /// The layers of a stage in words: ids with runs drawn together, "-1 to 5, 7", or the names of these layers.
    std::string layersText(const std::vector<std::size_t>& indices) const;
    /// Accelerators that the plan's replicas occupy together.
    static std::int64_t occupied(const codesign::Plan& plan);
};

}  // namespace tessera::study

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/codesign/placement/placement_file.h"
#include "core/codesign/search/search.h"

namespace tessera::study {

/// A plan of the user's own beside the fastest one.
struct OwnPlan {
    std::string given;                        ///< the degrees, "file", or the name of the file that holds it
    std::optional<codesign::Plan> plan = {};  ///< evaluated; none where nothing of its degrees fits
    std::string misfit = {};                  ///< why it does not fit; empty where it does
};

/// Result of the placement engine with the inputs needed to interpret it, so that a stored result is self-contained. A
/// result that was read back holds what its document says: of the layers the ids in its plans, of the costs the
/// degrees, of a plan that does not fit its fullest stage.
struct PlacementOutcome {
    std::string name;                    ///< of the model, as the file has it; may be empty
    std::vector<std::int64_t> layers;    ///< ids; plans hold indices into these
    std::int64_t layerCount = 0;         ///< of the model
    codesign::PlacementProblem problem;  ///< costs and the optimiser's state left out
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
    /// Accelerators that the plan's replicas occupy together.
    static std::int64_t occupied(const codesign::Plan& plan);
};

}  // namespace tessera::study

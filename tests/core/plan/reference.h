#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "core/physical/step.h"
#include "core/physical/step_memory.h"
#include "core/plan/configuration.h"
#include "core/plan/problem.h"
#include "core/plan/search.h"
#include "core/plan/space.h"

namespace tessera::plan {

/// What `core/plan` finds, found by trying everything on the models of `core/physical` themselves.
class PlanReference {
public:
    explicit PlanReference(const Problem& problem) : problem_(problem) {}

    /// Seconds of a step: the least of all divisions of layers that fit and of all shares of micro-batches. Nothing
    /// where no division fits.
    std::optional<double> leastSeconds(const Configuration& configuration);
    /// The least share of an accelerator's memory that the fullest stage takes, of all divisions.
    double leastShare(const Configuration& configuration);
    /// Scores of given layers by stage and given micro-batches of each part; nothing where they do not fit.
    std::optional<Scores> scoresOf(const Configuration& configuration, const std::vector<int>& layers);

private:
    /// A group as some configurations see it.
    struct Model {
        explicit Model(const physical::StepSetting& given) : setting(given), step(given), memory(given) {}
        physical::StepSetting setting;
        physical::StepModel step;
        physical::StageMemoryModel memory;
    };
    /// A part of a configuration, and the first stage that it holds.
    struct Held {
        const Part* part = nullptr;
        const GroupVariant* variant = nullptr;
        Model* model = nullptr;
        int first = 0;
        physical::StepLayout layout, memoryLayout;
        physical::LayerTimes times;
    };
    using ModelKey = std::tuple<std::size_t, double, std::size_t, int, int, int, int, int>;

    Model& modelOf(const Configuration& configuration, const Part& part);
    std::vector<Held> heldOf(const Configuration& configuration);
    double fullestShare(const Held& held, const std::vector<int>& layers) const;
    double hopOf(const Configuration& configuration, const std::vector<Held>& parts) const;
    /// Seconds of a pipeline through all of these parts.
    double secondsOf(const Configuration& configuration, const std::vector<Held>& parts, const std::vector<int>& layers,
                     double hop, int microBatches) const;
    double onceOf(const std::vector<Held>& parts, const std::vector<int>& layers) const;
    double stepOf(const Configuration& configuration, const std::vector<Held>& parts, const std::vector<int>& layers,
                  const std::vector<int>& microBatches) const;
    double leastOfShares(const Configuration& configuration, const std::vector<Held>& parts,
                         const std::vector<int>& layers) const;
    double joulesOf(const Held& held, const std::vector<int>& layers, double seconds) const;

    const Problem& problem_;
    std::map<ModelKey, std::unique_ptr<Model>> models_;
};

/// Calls `use` with every configuration of a space that has no fault, of degrees up to what the fleet has: on one
/// group, through two, with whole replicas side by side on any set, as many as each group holds.
void forEachConfiguration(const Problem& problem, const Space& space,
                          const std::function<void(const Configuration&)>& use);

}  // namespace tessera::plan

#pragma once

#include <array>
#include <functional>
#include <limits>
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
    static constexpr double kAnyBytes = std::numeric_limits<double>::infinity();

    explicit PlanReference(const Problem& problem) : problem_(problem) {}

    /// Seconds of a step: the least of all divisions of layers that fit, within some bytes of each accelerator, of all
    /// ways to recompute where stages do so by themselves, and of all shares of micro-batches. Nothing where no
    /// division fits.
    std::optional<double> leastSeconds(const Configuration& configuration, double bytes = kAnyBytes);
    /// The same of replicas side by side, of all numbers of them up to those of the parts that are allowed in all.
    std::optional<double> leastSecondsUpTo(const Configuration& configuration, const std::function<bool(int)>& allows,
                                           double bytes = kAnyBytes);
    /// The least share of an accelerator's memory that the fullest stage takes, of all divisions and ways to recompute.
    double minShare(const Configuration& configuration);
    /// Bytes of the fullest accelerator: the least within which `seconds` says that a step takes no longer than this.
    /// There are some.
    double minBytes(const Configuration& configuration, double longestStep,
                    const std::function<std::optional<double>(double bytes)>& seconds);
    /// Scores of given layers by stage, of them recomputed ones, and given micro-batches of each part; nothing where
    /// they do not fit.
    std::optional<Scores> scoresOf(const Configuration& configuration, const std::vector<int>& layers,
                                   const std::vector<RecomputedLayers>& recomputed);

private:
    /// A group as some configurations see it, with layers of one kind.
    struct Model {
        explicit Model(const physical::StepSetting& given) : setting(given), step(given), memory(given) {}
        physical::StepSetting setting;
        physical::StepModel step;
        physical::StageMemoryModel memory;
    };
    /// A part of a configuration with layers of one kind.
    struct Kind {
        Model* model = nullptr;
        physical::LayerTimes times = {};
    };
    /// A part of a configuration, and the first stage that it holds.
    struct Held {
        const Part* part = nullptr;
        const GroupVariant* variant = nullptr;
        int first = 0;
        physical::StepLayout layout = {}, memoryLayout = {}, passLayout = {};
        std::vector<Kind> kinds = {};
        std::vector<double> once = {};  ///< s that a stage adds to a step, by its layers
        const Model& model() const { return *kinds.front().model; }
        int end() const { return first + part->stages; }
    };
    using ModelKey = std::tuple<std::size_t, double, std::size_t, int, int, int, bool, int, int>;
    /// Layers of a stage by kind.
    using Mix = std::array<int, 3>;

    Model& modelOf(const Configuration& configuration, const Part& part, physical::Recompute recompute);
    /// The parts of a configuration, made once.
    const std::vector<Held>& heldOf(const Configuration& configuration);
    std::vector<Held> partsOf(const Configuration& configuration);
    /// Calls `use` with every way to make so many layers of the kinds of a part.
    static void forEachMix(const Held& held, int layers, const std::function<void(const Mix&)>& use);
    static Mix mixOf(const Held& held, int layers, const RecomputedLayers& recomputed);
    double bytesOf(const Held& held, int stage, const Mix& mix) const;
    static double secondsOf(const Held& held, int stage, const Mix& mix);
    /// Seconds of a stage of so many layers in the fastest way that fits; nothing where none does.
    std::optional<double> stageSeconds(const Held& held, int stage, int layers, double bytes) const;

    double hopOf(const Configuration& configuration, const std::vector<Held>& parts) const;
    /// Seconds of a pipeline through all stages, which take so long each.
    static double pipelineOf(const Configuration& configuration, const std::vector<Held>& parts,
                             const std::vector<double>& stages, const std::vector<int>& layers, double hop,
                             int microBatches);
    static double onceOf(const std::vector<Held>& parts, const std::vector<int>& layers);
    static double startOf(const std::vector<Held>& parts);
    double leastOfShares(const Configuration& configuration, const std::vector<Held>& parts,
                         const std::vector<std::vector<double>>& stages, const std::vector<int>& layers,
                         double hop) const;
    double joulesOf(const Held& held, const std::vector<Mix>& mixes, double seconds) const;

    const Problem& problem_;
    std::map<ModelKey, std::unique_ptr<Model>> models_;
    std::map<Configuration, std::vector<Held>> held_;
};

/// Whether replicas side by side may be so many in all.
bool allowsReplicas(const Problem& problem, const Space& space, Configuration configuration, int replicas);

/// Calls `use` with every configuration of a space that has no fault, of degrees up to what the fleet has: on one
/// group, through several, with whole replicas side by side on any set, as many as each group holds at most.
void forEachConfiguration(const Problem& problem, const Space& space,
                          const std::function<void(const Configuration&)>& use);

}  // namespace tessera::plan

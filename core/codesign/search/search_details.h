#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/codesign/search/model_search.h"
#include "core/codesign/search/search.h"

namespace tessera::codesign {

/// Evaluates architectures for several models at once and describes what was found.
class Scorer {
public:
    Scorer(const std::vector<Workload>& workloads, const hardware::Template& space, Options options,
           const RunControl& control);

    /// Micro-batches × tensor-parallel degrees × recomputation, over all models.
    std::int64_t choices() const;
    /// Upper bound of the objective of any point of an architecture; takes microseconds.
    double bound(const hardware::Architecture& architecture) const;
    /// The point of an architecture with the largest HBM, where its objective is above `floor`, each phase of a layer
    /// scheduled over so many states; adds up the points that were evaluated, and sets the bound of the objective where
    /// it is above `floor`. With `floor` 0, also points where a model does not fit.
    std::optional<Point> evaluate(const hardware::Architecture& architecture, SquareMillimetres area, double floor,
                                  std::int64_t states, double& bound, std::int64_t& explored) const;
    /// Finds the smallest HBM with the same objective.
    void chooseMemory(Point& point, std::int64_t states) const;
    /// Fills in models, baselines and assumptions.
    void describe(Result& result) const;

private:
    double objectiveOf(const std::vector<double>& throughputs) const;
    double neededOf(std::size_t model, const std::vector<double>& throughputs, double floor) const;
    double weightOf(std::size_t model) const { return options_.weights.empty() ? 1 : options_.weights[model]; }
    Bytes largestMemory() const;
    void setReference();
    void fillMeans(Point& point, const std::vector<ModelValue>& values) const;
    ModelResult resultOf(std::size_t model, const hardware::Architecture& architecture, const ModelValue& value,
                         Bytes hbm, std::int64_t states) const;
    void setSchedule(std::size_t model, const hardware::Architecture& architecture, ModelResult& result) const;
    void noteBandwidths(Result& result) const;
    void noteMemoryBound(std::size_t model, const ModelResult& made, Result& result) const;
    ModelValue expertValue(std::size_t model, const hardware::Architecture& architecture) const;
    Baseline baselineOf(const hardware::Architecture& architecture, bool expert) const;
    std::vector<Baseline> baselines() const;

    const hardware::Template& space_;
    Options options_;
    RunControl control_;
    std::shared_ptr<Memos> memos_;
    std::vector<std::unique_ptr<ModelSearch>> models_;
    std::vector<double> reference_;  ///< throughput of the template's reference by model; 1 where it has none
};

}  // namespace tessera::codesign

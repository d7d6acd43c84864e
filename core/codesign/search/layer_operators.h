#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/codesign/search/workload.h"
#include "core/cost/core_cost.h"
#include "core/model/counts.h"
#include "core/model/training.h"

namespace tessera::codesign {

/// Works, each once.
class WorkTable {
public:
    std::size_t indexOf(const cost::CoreWork& work);
    std::vector<cost::CoreWork> all() && { return std::move(works_); }

private:
    std::vector<cost::CoreWork> works_;
};

/// Turns operators of a training graph into those of an accelerator: products go to tensor cores, element-wise work to
/// vector cores, collectives to the network; what only relabels elements disappears, and a product is fused with the
/// element-wise operators behind it.
class LayerOperators {
public:
    LayerOperators(const model::TrainingGraph& training, double wordBytes, WorkTable& works);

    /// One phase of a layer; operators are in topological order. Throws DataError (`file`) for unknown shapes.
    LayerPhase phaseOf(const std::vector<std::int32_t>& operators, const std::string& file) const;
    double macsOf(const std::vector<std::int32_t>& operators) const;

private:
    enum class Role : std::uint8_t { free, tensor, vector, network };

    Role roleOf(std::int32_t op) const;
    model::OperatorCount countOf(std::int32_t op) const;
    std::optional<double> elementsOf(model::TensorIndex tensor) const;
    double outputElements(std::int32_t op) const;
    bool isElementwise(std::int32_t op, double elements) const;
    cost::Gemm gemmOf(std::int32_t op) const;
    cost::VectorWork vectorOf(std::int32_t op) const;
    double cyclesOf(std::int32_t op, double elements) const;
    double bytesReduced(std::int32_t op) const;
    void findSources();

    const model::TrainingGraph& training_;
    double wordBytes_;
    WorkTable& works_;
    std::vector<Role> roles_;
    /// Readers of each operator that is not free, each once, ascending.
    std::vector<std::vector<std::int32_t>> readers_;
};

}  // namespace tessera::codesign

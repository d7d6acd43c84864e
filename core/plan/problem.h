#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/hardware/fleet.h"
#include "core/physical/step.h"
#include "core/physical/step_parameters.h"
#include "core/physical/training_run.h"

namespace tessera::plan {

/// What a group's accelerators do in one data type, with the constants of the software.
struct GroupVariant {
    physical::StepSetting setting;  ///< of one accelerator; degrees are those of configurations
    physical::StepConstants constants;
    double spread = 0;     ///< 90 % of measured runs lie within this logarithm of time
    double allowance = 0;  ///< bytes that the software holds beside the model
};

/// A group of equal accelerators that share a network.
struct PlanGroup {
    std::string name;
    std::string accelerator;  ///< of its description ("h100")
    std::int64_t count = 1;
    int perNode = 1;                          ///< accelerators that links join
    double networkRate = 0;                   ///< bytes/s of one accelerator to other nodes, per direction
    std::optional<double> pricePerHour = {};  ///< USD of one accelerator
    std::vector<GroupVariant> variants = {};  ///< by data type

    /// USD of so many of its accelerators for some seconds; 0 where their price is not known.
    double priceOf(double accelerators, double seconds) const {
        constexpr double kSecondsOfHour = 3600;
        return accelerators * pricePerHour.value_or(0) / kSecondsOfHour * seconds;
    }
};

struct LayeredModel;

/// A model to train on a fleet.
struct Problem {
    physical::TrainingRun run;  ///< model, sequence, optimizer, software
    double globalBatch = 1;     ///< samples
    double sequence = 1;        ///< tokens of a sample
    std::vector<std::string> dtypes = {};
    std::vector<PlanGroup> groups = {};
    /// Bytes/s of one accelerator between two groups, per direction, by number of either.
    std::vector<std::vector<double>> between = {};
    /// Layers with costs of their own in place of a transformer's equal ones (layered.h), by group, whose accelerators
    /// they are on; none = a transformer.
    std::vector<std::shared_ptr<const LayeredModel>> layersByGroup = {};

    /// Of a transformer.
    const physical::Transformer& model() const { return groups.front().variants.front().setting.model; }
    /// Layers with costs of their own on a group; null = a transformer.
    const LayeredModel* layered(std::size_t group = 0) const {
        return layersByGroup.empty() ? nullptr : layersByGroup[group].get();
    }
    int layers() const;
    std::int64_t accelerators() const;
    double tokens() const { return globalBatch * sequence; }
};

/// The problem of training `run` (model, dimensions, software, optimizer) with a global batch on a fleet, in data types
/// of which configurations take one each. Links and network of a group are those of its levels: the innermost is a
/// node's, of the others the narrowest counts. Throws UsageError for a model that is no transformer, DataError where
/// the rate of a network that is needed is not known.
Problem problemOf(const hardware::Fleet& fleet, const physical::TrainingRun& run, double globalBatch,
                  const std::vector<std::string>& dtypes);

/// The same on equal accelerators that are in no fleet, `run` as it says their number, node and data type: links and
/// network are those that the physical model takes where nobody says (stepSettingsOf).
Problem problemOf(const physical::Device& device, const physical::TrainingRun& run, double globalBatch);

/// Model FLOP of a step, without what is computed again: 6 for each parameter that a token meets, and attention.
double modelFlopOf(const Problem& problem);

}  // namespace tessera::plan

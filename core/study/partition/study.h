#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/hardware/fleet.h"
#include "core/model/model.h"
#include "core/partition/partition.h"
#include "core/study/parameter.h"
#include "core/study/partition/outcome.h"
#include "core/study/result.h"
#include "core/study/study.h"

namespace tessera::study {

/// The partition engine's parameters: the one place that names its options, defaults and ranges.
const std::vector<Parameter>& partitionParameters();

/// Returns the fleet's file under the name that the user gave and those of its accelerators, each once; inline
/// accelerators stand in the fleet's file.
std::vector<InputFile> fleetFiles(const std::string& name, const hardware::Fleet& fleet);

/// The engine's options that a study's parameters mean. The parameters must be valid (see readParameter).
partition::Options partitionOptions(const Study& study);
/// The same on a fleet, with the costs and strategies that it takes where the study names none.
partition::Options partitionOptions(const Study& study, const hardware::Fleet& fleet);

/// Reason why a model cannot be partitioned although it can be read: a sentence, where it is one device's slice of a
/// tensor-parallel group.
std::optional<std::string> sliceProblem(const model::Model& model);

/// Takes the first of the known data types that every accelerator of the study's fleet has a peak for, or bf16.
void inferPartition(Study& study);

/// Inputs of a study, read.
struct PartitionInputs {
    std::shared_ptr<const model::Model> model;
    std::shared_ptr<const model::LayerGraph> layers;
    hardware::Fleet fleet;
    partition::Options options;  ///< as they hold on that fleet
    std::vector<std::string> warnings;
};
/// Reads them; tells the warnings, and answers to Cancel and to a pause, while it reads.
PartitionInputs readPartitionInputs(const Study& study, const RunContext& context);

/// Loads the study's model and fleet and solves. Throws like study::run.
Result runPartition(const Study& study, const RunContext& context);

/// Reads `tessera.partition-result/1`. Throws DataError.
Result readPartitionResult(const JsonNode& document, const Study& study);
/// The JSON Schema of the document.
Json partitionSchema();

/// See study::estimate.
Estimate estimatePartition(const Study& study);

}  // namespace tessera::study

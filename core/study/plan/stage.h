#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/study/result.h"

namespace tessera::study {

/// Names of the stages of the configurations of a plan: "1/3", the third stage of the best one.
std::vector<std::string> planStageNames(const Result& result);

/// Returns the files of the study that partitions a stage of a plan: the study, its model (the layers of the stage, of
/// the first and the last with what stands before and behind all layers) and its fleet (the accelerators of the stage
/// in all replicas, by levels of the network), the last two beside `out`. The batch is one micro-batch of each replica.
/// The inputs are those of this thread's files. Throws UsageError for a stage that there is not, one on a single
/// accelerator and a model without a graph, and what reading the inputs throws.
std::vector<std::pair<std::filesystem::path, std::string>> planStageFiles(const Result& result,
                                                                          const std::string& stage,
                                                                          const std::filesystem::path& out);

}  // namespace tessera::study

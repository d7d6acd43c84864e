#pragma once

#include <optional>
#include <string>

#include "core/study/explanation.h"
#include "core/study/partition/outcome.h"

namespace tessera::study {

/// See `explain`.
std::optional<Explanation> explainPartition(const Result& result, const PartitionOutcome& outcome,
                                            const std::string& path);

}  // namespace tessera::study

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/physical/training_run.h"

namespace tessera::study {

/// The model and dimensions of a run of a study's model ("zoo:bert-large", or a config.json of Hugging Face) where that
/// is a transformer which the physical model knows as a whole; nothing for other models and for the slice of one device
/// of several, with the reason in `refusal` where the model is a transformer of another kind.
std::optional<physical::TrainingRun> knownTransformer(const std::string& model,
                                                      const std::map<std::string, std::int64_t>& dimensions,
                                                      std::string& refusal);
std::optional<physical::TrainingRun> knownTransformer(const std::string& model,
                                                      const std::map<std::string, std::int64_t>& dimensions);

}  // namespace tessera::study

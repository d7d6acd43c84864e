#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/study/codesign/outcome.h"
#include "core/study/field.h"

/// Fields of a co-design's best accelerator, of models on it, of their stages and of other architectures.
namespace tessera::study {

/// A model on an architecture.
struct TrainedModel {
    const codesign::Result* result;
    const codesign::ModelResult* model;
    std::string on = {};  ///< the architecture's name or the baseline's title
};
/// A stage of a model's pipeline, from 0.
struct ModelStage {
    std::string model;
    const codesign::StageResult* stage;
    std::size_t number;
};
/// An architecture with its values.
struct DesignPoint {
    const codesign::Result* result;
    const codesign::Point* point;
};

/// Fields of results with a best accelerator.
const std::vector<Field<codesign::Result>>& bestFields();
const std::vector<Field<TrainedModel>>& modelFields();
const std::vector<Field<ModelStage>>& stageFields();
const std::vector<Field<DesignPoint>>& pointFields();

/// All models on the best accelerator, and on the baselines.
std::vector<TrainedModel> trainedModels(const codesign::Result& result);
std::vector<TrainedModel> modelsOnBaselines(const codesign::Result& result);
/// The stages of a model on the best accelerator.
std::vector<ModelStage> stagesOf(const codesign::ModelResult& model);

/// An amount of memory beside sizes of HBM, in their units, with three digits: "1.37 GiB".
std::string memorySize(Bytes size);

}  // namespace tessera::study

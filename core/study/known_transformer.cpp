#include "core/study/known_transformer.h"

#include <utility>

#include "core/base/input_files.h"
#include "core/model/readers/hf_config.h"
#include "core/model/zoo/zoo.h"
#include "core/model/zoo/zoo_name.h"
#include "core/physical/transformer.h"

namespace tessera::study {

std::optional<physical::TrainingRun> knownTransformer(const std::string& model,
                                                      const std::map<std::string, std::int64_t>& dimensions,
                                                      std::string& refusal) {
    const auto width = dimensions.find("tensor_parallel");
    const bool isSlice = width != dimensions.end() && width->second > 1;
    if (isSlice) return std::nullopt;
    const std::string place = placeOfInput(model);
    std::optional<model::TransformerSpec> spec = model::isZooName(place)
                                                     ? model::transformerSpecOf(place, dimensions)
                                                     : model::transformerSpecOfConfig(place, dimensions, refusal);
    if (!spec) return std::nullopt;
    physical::TrainingRun run{.model = std::move(spec->family), .dims = std::move(spec->dims)};
    if (!physical::transformerOf(run, refusal)) return std::nullopt;
    return run;
}

std::optional<physical::TrainingRun> knownTransformer(const std::string& model,
                                                      const std::map<std::string, std::int64_t>& dimensions) {
    std::string refusal;
    return knownTransformer(model, dimensions, refusal);
}

}  // namespace tessera::study

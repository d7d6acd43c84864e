// Seeds: data/studies/hbm-nvlink-price.json data/studies/s2-buffers-and-bandwidth.json
// Seeds: data/studies/bert-large-area-and-network.json data/studies/resnet50-batch-and-price.json
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/input_files.h"
#include "core/study/exploration/settings.h"
#include "core/study/exploration/study.h"

namespace {

using namespace tessera;
using namespace tessera::study;

void check(bool holds) {
    if (!holds) std::abort();
}

void explored(const std::string& bytes) {
    const Study study = readStudy(JsonDocument::parse(bytes, "input.json").root());
    if (study.engine != "explore") return;
    const ExplorationDefinition definition = definitionOf(study);
    const auto files = std::make_shared<InputFiles>();
    const InputScope inputs(files);
    const ExploredSpace space(definition.base, definition.variables);
    check(space.ownValues().size() == space.variables().size());
    methodProblem(definition, space, 1);
    beginOf(definition, space);
    explore::Point point;
    for (const explore::Variable& variable : space.chosen()) point.push_back(explore::valueAt(variable, 0.5));
    const std::vector<double> values = space.valuesAt(point);
    check(values.size() == space.variables().size());
    space.checkComputed(values);
    const PointStudy made = space.studyAt(values, files);
    check(made.study.engine == definition.base.engine);
}

}  // namespace

/// Any bytes as an exploration: one whose variables, objectives, constraints and first points are sound, and of which a
/// point can be made, or one sentence about what is wrong.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    try {
        explored(bytes);
    } catch (const std::runtime_error& error) {
        const bool known = dynamic_cast<const DataError*>(&error) != nullptr ||
                           dynamic_cast<const UsageError*>(&error) != nullptr ||
                           dynamic_cast<const FileError*>(&error) != nullptr;
        check(known && std::string(error.what()).find('\n') == std::string::npos);
    }
    return 0;
}

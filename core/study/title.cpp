#include "core/study/title.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/model/readers/readers.h"
#include "core/model/zoo/zoo_name.h"
#include "core/study/engine.h"

namespace tessera::study {

namespace {

constexpr std::string_view kOnnx = ".onnx";  ///< whose own names are those of the exporter

}  // namespace

std::string shortNames(const std::vector<std::string>& inputs) {
    const std::vector<std::string_view> suffixes = model::modelSuffixes();
    std::vector<std::string> names;
    for (const std::string& input : inputs) {
        const std::filesystem::path path(model::isZooName(input) ? input.substr(model::kZooPrefix.size()) : input);
        const bool isFile = std::find(suffixes.begin(), suffixes.end(), path.extension()) != suffixes.end();
        names.push_back(isFile ? path.stem().string() : path.filename().string());
    }
    return joined(names, ", ");
}

std::string modelTitle(const std::string& model) {
    constexpr std::size_t kLongest = 60;
    if (model::isZooName(model)) return escaped(model.substr(model::kZooPrefix.size()), kLongest);
    const std::string stem = std::filesystem::path(model).stem().string();
    return escaped(stem.empty() ? model : stem, kLongest);
}

std::string modelName(const std::string& input, const std::string& own) {
    const std::filesystem::path path(input);
    return path.extension() == kOnnx && !model::isZooName(input) ? path.stem().string() : own;
}

std::string titleOf(const Study& study) {
    if (!study.name.empty()) return study.name;
    const Engine* const engine = findEngine(study.engine);
    if (engine != nullptr && engine->inner != nullptr)
        if (const std::vector<Study> parts = partsOf(study); !parts.empty())
            return fmt::format("{} of {}", engine->title, titleOf(parts.front()));
    std::string title = shortNames(study.models.empty() ? study.workloads : study.models);
    if (!study.hardware.empty()) title += " on " + shortNames(study.hardware);
    const auto batch = study.parameters->find("batch");
    if (batch != study.parameters->end() && batch->is_number_integer())
        title += fmt::format(", batch {}", batch->get<std::int64_t>());
    return title.empty() && engine != nullptr ? std::string(engine->title) : title;
}

std::string titleOf(const Result& result) {
    if (!result.study.name.empty()) return result.study.name;
    const Engine& engine = engineOf(result);
    return engine.titleOf == nullptr ? titleOf(result.study) : engine.titleOf(result);
}

}  // namespace tessera::study

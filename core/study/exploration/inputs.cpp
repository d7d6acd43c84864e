#include "core/study/exploration/inputs.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/input_files.h"
#include "core/base/names.h"
#include "core/model/model.h"
#include "core/model/zoo/zoo_name.h"
#include "core/study/reading.h"
#include "core/study/workload_files.h"

namespace tessera::study {

std::vector<InputFile> filesOfAll(const std::vector<Study>& studies) {
    std::vector<InputFile> files;
    for (const Study& study : studies) {
        for (const std::string& name : study.models)
            if (const std::string place = placeOfInput(name); !model::isZooName(place))
                addFile(files, {.hardware = false, .name = name, .path = place});
        const Engine& engine = engineNamed(study.engine);
        if (engine.files == nullptr) continue;
        for (InputFile& file : engine.files(study)) addFile(files, std::move(file));
    }
    return files;
}

std::vector<Input> inputsOfAll(const std::vector<Study>& studies) {
    std::vector<Input> inputs;
    const auto add = [&](Input input) {
        if (std::find(inputs.begin(), inputs.end(), input) == inputs.end()) inputs.push_back(std::move(input));
    };
    for (const Study& study : studies)
        for (const std::string& name : study.models)
            if (const std::string place = placeOfInput(name); model::isZooName(place))
                add({name, model::sharedModel(place, loadingOf(study))->sha256});
    for (Input& input : inputsOf(filesOfAll(studies))) add(std::move(input));
    return inputs;
}

std::vector<model::ZooDimension> zooDimensionsOf(const Study& study) {
    if (study.models.size() != 1) return {};
    const std::string place = placeOfInput(study.models.front());
    if (!model::isZooName(place)) return {};
    const model::ZooEntry* const entry =
        findRow(model::zooEntries(), std::string_view(place).substr(model::kZooPrefix.size()));
    return entry == nullptr ? std::vector<model::ZooDimension>{} : entry->dimensions;
}

}  // namespace tessera::study

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/base/sha256.h"
#include "core/model/readers/native_json.h"
#include "core/model/zoo/zoo.h"
#include "core/model/zoo/zoo_name.h"
#include "core/store/database.h"
#include "core/store/recorder.h"
#include "core/study/reading.h"
#include "core/study/study.h"

namespace tessera::store {

namespace fs = std::filesystem;

namespace {

/// The bytes that a model's name stands for. Throws like model::loadModel.
std::string modelBytes(const study::Study& study, const std::string& name, const std::string& place) {
    if (!model::isZooName(place)) return readFile(place);
    return model::writeNativeJson(model::buildZooModel(name.substr(model::kZooPrefix.size()), study::loadingOf(study)));
}

/// Calls `found` with every input of a study that can be read now, where the context say, each once.
template <typename Found>
void readInputs(const study::Study& study, const study::RunContext& context, const Found& found) {
    const study::Reading reading(context, "reading the inputs", "the run");
    // What cannot be read any more is left out.
    const auto attempt = [](const auto& work) {
        try {
            work();
        } catch (const InterruptedError&) {
            throw;
        } catch (const std::exception&) {
            return;
        }
    };
    std::set<std::pair<InputContent::Kind, std::string>> seen;
    const auto take = [&](InputContent::Kind kind, const std::string& name, const auto& bytes) {
        if (!seen.emplace(kind, name).second) return;
        attempt([&] { found(kind, name, bytes()); });
    };
    for (const study::Study& part : study::partsOf(study)) {
        for (const std::string& name : part.models)
            take(InputContent::Kind::model, name, [&] { return modelBytes(part, name, placeOfInput(name)); });
        const study::Engine& engine = study::engineNamed(part.engine);
        if (engine.files == nullptr) continue;
        attempt([&] {
            for (const study::InputFile& file : engine.files(part))
                take(file.hardware ? InputContent::Kind::hardware : InputContent::Kind::model, file.name,
                     [&] { return readFile(file.path); });
        });
    }
}

/// The last part of a name as a file's name that is safe to use.
std::string fileName(const std::string& name, const std::string& suffix) {
    constexpr std::size_t kLongest = 64;
    std::string stem = name.substr(name.find_last_of("/:") + 1);
    for (char& c : stem)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-' && c != '_') c = '_';
    stem = stem.substr(0, kLongest);
    if (stem.empty() || stem.front() == '.') stem = "_" + stem;
    return stem.ends_with(suffix) ? stem : stem + suffix;
}

/// A fleet's accelerators where its file looks for them: paths relative to it. Names of the library are left alone.
void giveAccelerators(InputFiles& into, const fs::path& folder, const std::string& fleet,
                      const std::vector<InputContent>& inputs) {
    const Json document = Json::parse(fleet, nullptr, false);
    if (!document.is_object() || !document.contains("groups") || !document["groups"].is_array()) return;
    for (const Json& group : document["groups"]) {
        if (!group.is_object() || !group.contains("accelerator") || !group["accelerator"].is_string()) continue;
        const fs::path reference = group["accelerator"].get<std::string>();
        const fs::path inside = reference.lexically_normal();
        if (inside.empty() || inside.is_absolute() || *inside.begin() == "..") continue;
        for (const InputContent& input : inputs)
            if (input.kind == InputContent::Kind::hardware && input.name == inside.stem().string())
                into.give(folder / inside, input.bytes);
    }
}

/// The folder in which a hardware's file finds the table of kernels that it names, if it names one: beside it, or near
/// by, where the table is given.
fs::path giveKernels(InputFiles& into, const fs::path& folder, const InputContent& accelerator,
                     const std::vector<InputContent>& inputs) {
    constexpr std::ptrdiff_t kHighest = 4;  // folders that the table may stand above the accelerator
    const Json document = Json::parse(accelerator.bytes, nullptr, false);
    if (!document.is_object() || !document.contains("kernels") || !document["kernels"].is_string()) return folder;
    const fs::path table = fs::path(document["kernels"].get<std::string>()).lexically_normal();
    const std::ptrdiff_t up = std::count(table.begin(), table.end(), fs::path(".."));
    fs::path deep = folder;
    for (std::ptrdiff_t i = 0; i < std::min(up, kHighest); ++i) deep /= "in";
    const std::string stored = fs::path(accelerator.name).stem().string() + "/" + table.filename().string();
    for (const InputContent& input : inputs)
        if (input.name == stored && !table.is_absolute() && up <= kHighest) into.give(deep / table, input.bytes);
    return deep;
}

bool isAmong(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether a parameter names the file: a dataset, a dataflow.
bool isParameter(const study::Study& study, const std::string& name) {
    return std::any_of(study.parameters->begin(), study.parameters->end(),
                       [&](const Json& value) { return value.is_string() && value.get<std::string>() == name; });
}

/// What a workload's or platform's file names, where it looks for them: paths relative to it.
void giveNeighbours(InputFiles& into, const fs::path& folder, const study::Study& study,
                    const std::vector<InputContent>& inputs, InputContent::Kind kind) {
    for (const InputContent& input : inputs) {
        const fs::path inside = fs::path(input.name).lexically_normal();
        if (input.kind != kind || isAmong(study.workloads, input.name) || isAmong(study.hardware, input.name)) continue;
        if (inside.empty() || inside.is_absolute() || *inside.begin() == ".." || !inside.has_filename()) continue;
        into.give(folder / inside, input.bytes);
    }
}

}  // namespace

InputSet::InputSet(const study::Study& study, const study::RunContext& context) {
    readInputs(study, context, [&](InputContent::Kind kind, const std::string& name, std::string bytes) {
        std::string sha = sha256(bytes);
        inputs_.push_back({kind, name, std::move(sha), std::move(bytes)});
    });
}

std::vector<InputContent> InputSet::of(const study::Result& result) && {
    std::erase_if(inputs_, [&](const InputContent& input) {
        return std::find(result.inputs.begin(), result.inputs.end(), study::Input{input.name, input.sha256}) ==
               result.inputs.end();
    });
    return std::move(inputs_);
}

std::shared_ptr<InputFiles> storedInputs(const Store& store, RunId run) {
    const study::Study study = store.study(run);
    const std::vector<InputContent> stored = store.inputs(run);
    std::map<std::pair<InputContent::Kind, std::string>, std::string> present;
    readInputs(study, {}, [&](InputContent::Kind kind, const std::string& name, const std::string& bytes) {
        present[{kind, name}] = sha256(bytes);
    });
    const auto isChanged = [&](const InputContent& input) { return present[{input.kind, input.name}] != input.sha256; };
    const auto anyChanged = [&](InputContent::Kind kind) {
        return std::any_of(stored.begin(), stored.end(),
                           [&](const InputContent& input) { return input.kind == kind && isChanged(input); });
    };
    const bool hardwareChanged = anyChanged(InputContent::Kind::hardware);
    const bool modelsChanged = anyChanged(InputContent::Kind::model);

    auto files = std::make_shared<InputFiles>();
    int number = 0;
    const auto give = [&](const study::Study& part, const InputContent& input) {
        // One that is none on the disk.
        const fs::path folder = fs::path(fmt::format("inputs of run {}", run)) / fmt::format("{}", number++);
        const auto standIn = [&](const fs::path& where, const std::string& suffix) {
            const fs::path path = where / fileName(input.name, suffix);
            files->give(path, input.bytes);
            files->redirect(input.name, path.string());
        };
        const std::string ownSuffix = fs::path(input.name).has_extension() ? "" : ".json";
        const bool isModel = input.kind == InputContent::Kind::model;
        if (isModel && isAmong(part.workloads, input.name) && modelsChanged) {
            standIn(folder, ownSuffix);
            giveNeighbours(*files, folder, part, stored, input.kind);
        }
        if (isModel && part.workloads.empty() && isChanged(input))
            standIn(folder, model::isZooName(input.name) ? ".json" : "");
        if (!isModel && isChanged(input) && isParameter(part, input.name)) return standIn(folder, ownSuffix);
        // Hardware stands together with what its file names.
        if (isModel || !hardwareChanged || !isAmong(part.hardware, input.name)) return;
        standIn(giveKernels(*files, folder, input, stored), ".json");
        if (part.workloads.empty())
            giveAccelerators(*files, folder, input.bytes, stored);
        else
            giveNeighbours(*files, folder, part, stored, input.kind);
    };
    for (const study::Study& part : study::partsOf(study))
        for (const InputContent& input : stored) give(part, input);
    return files;
}

std::shared_ptr<InputFiles> storedInputs(const fs::path& history, RunId run) {
    return run == 0 || history.empty() ? nullptr : storedInputs(Store::open(history, OpenMode::readOnly), run);
}

}  // namespace tessera::store

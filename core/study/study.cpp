#include "core/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/hardware/library.h"
#include "core/model/zoo/zoo_name.h"
#include "core/study/reading.h"
#include "core/study/stored_form.h"

namespace tessera::study {

namespace {

/// Puts the parameters into the order and the form of the table, so that equal studies are equal bytes.
void sortParameters(Study& study, const std::vector<Parameter>& table) {
    Json sorted = Json::object();
    for (const Parameter& row : table) {
        const std::string name(row.name);
        const auto found = study.parameters->find(name);
        if (found != study.parameters->end() && !found->is_null()) sorted[name] = storedForm(row, std::move(*found));
    }
    study.parameters = std::move(sorted);
}

std::vector<std::string> readNames(const JsonNode& node) {
    std::vector<std::string> names;
    for (const JsonNode& child : node.elements(kMaxStudyInputs)) {
        if (child.text(kLongestInputName).empty()) child.fail("a name");
        names.push_back(besideOrGiven(node.document().file(), child.text(kLongestInputName)));
    }
    if (names.empty()) node.fail("at least one name", "an empty list");
    return names;
}

/// A list of inputs, as far as the engine takes them. Whether it takes several is for the run to say.
std::vector<std::string> readInputs(const JsonNode& study, const char* list, InputArity takes) {
    const bool needed = takes == InputArity::one || takes == InputArity::many;
    if (!needed && !study.has(list)) return {};
    if (takes != InputArity::none) return readNames(study.at(list));
    study.at(list).fail(fmt::format("a study without {}, which its engine does not take", list), "given");
}

/// Reads those members that are parameters.
void readParameters(Study& study, const JsonNode& node, const std::vector<Parameter>& table) {
    for (const auto& [name, child] : node.members())
        if (const Parameter* const row = findParameter(table, name))
            study.parameters[name] = readParameter(*row, child);
}

/// Study files of the library by name.
std::map<std::string, std::filesystem::path> bundledFiles() {
    std::map<std::string, std::filesystem::path> files = hardware::libraryFiles("studies", "\"tessera.study/");
    for (const Engine& engine : engines())
        if (!engine.studySchema.empty())
            files.merge(hardware::libraryFiles("studies", "\"" + std::string(engine.studySchema)));
    return files;
}

}  // namespace

std::string besideOrGiven(const std::string& studyFile, const std::string& name) {
    const std::filesystem::path path(name);
    if (model::isZooName(name) || path.is_absolute()) return name;
    const std::filesystem::path candidate = std::filesystem::path(studyFile).parent_path() / path;
    return isFile(candidate) ? candidate.string() : name;
}

Study newStudy(std::string_view engine) {
    Study study;
    study.engine = engineNamed(engine).id;
    for (const Parameter& row : engineNamed(engine).parameters()) {
        Json value = defaultOf(row);
        if (!value.is_null()) study.parameters[std::string(row.name)] = std::move(value);
    }
    return study;
}

void inferParameters(Study& study) {
    if (const auto infer = engineNamed(study.engine).infer) infer(study);
}

namespace {

/// Sets a parameter to what `valueOf` makes of its row.
template <typename ValueOf>
void setTo(Study& study, std::string_view name, const ValueOf& valueOf) {
    const std::vector<Parameter>& table = engineNamed(study.engine).parameters();
    const Parameter* row = findParameter(table, name);
    if (row == nullptr) {
        const std::vector<std::string> known = idsOf(table);
        throw UsageError(fmt::format("engine '{}' has no parameter {}; {}", study.engine, inQuotes(name),
                                     withClosest("did you mean {}?", name, known, "it has " + joined(known, ", "))));
    }
    study.parameters[std::string(name)] = valueOf(*row);
    sortParameters(study, table);
}

}  // namespace

void setParameter(Study& study, std::string_view name, const JsonNode& value) {
    setTo(study, name, [&](const Parameter& row) {
        if (value.isNull()) return defaultOf(row);
        const bool isDocument = row.kind == ParameterKind::document || row.kind == ParameterKind::list;
        return isDocument && value.isString() ? readParameterFile(row, value.text(kLongestInputName))
                                              : readParameter(row, value);
    });
}

void setParameter(Study& study, std::string_view name, const std::vector<std::string>& texts) {
    setTo(study, name, [&](const Parameter& row) { return parseParameter(row, texts); });
}

namespace {

/// Reads what a study of an engine holds beside its parameters, which stand at a node of their own, or among the rest.
Study readMembers(const JsonNode& node, const Engine& engine, const JsonNode* parameters) {
    Study study = newStudy(engine.id);
    study.name = node.textOr("name", "");
    study.models = readInputs(node, "models", engine.models);
    study.workloads = readInputs(node, "workloads", engine.workloads);
    study.hardware = readInputs(node, "hardware", engine.hardware);
    if (node.has("dimensions"))
        for (const auto& [name, child] : node.at("dimensions").members())
            study.dimensions[name] = child.whole(0, kMaxDimension);
    const std::vector<Parameter>& table = engine.parameters();
    if (parameters != nullptr) {
        parameters->allowOnly(idsOf(table));
        readParameters(study, *parameters, table);
    }
    if (node.has("seed"))
        study.seed = static_cast<std::uint64_t>(node.at("seed").whole(0, std::numeric_limits<std::int64_t>::max()));
    return study;
}

const std::vector<std::string> kMembers{"schema",   "engine",     "name",       "models", "workloads",
                                        "hardware", "dimensions", "parameters", "seed"};

/// "tessera.study/" of "tessera.study/1".
std::string_view kindOf(std::string_view schema) {
    return schema.substr(0, schema.find('/') + 1);
}

/// A study whose kind of file says its engine and has the parameters among the rest.
Study readOwnKind(const JsonNode& node, const Engine& engine) {
    const std::vector<Parameter>& table = engine.parameters();
    std::vector<std::string> known{"schema", "name", "seed"};
    for (const Parameter& row : table) known.emplace_back(row.name);
    node.allowOnly(known);
    Study study = readMembers(node, engine, nullptr);
    readParameters(study, node, table);
    sortParameters(study, table);
    return study;
}

}  // namespace

Study readStudyInside(const JsonNode& node) {
    if (node.has("schema") && node.at("schema").text() != kStudySchema)
        node.at("schema").fail(fmt::format("'{}'", kStudySchema));
    node.allowOnly(kMembers);
    const Engine& engine = engineNamed(node.at("engine").oneOf(idsOf(engines())));
    std::optional<JsonNode> parameters;
    if (node.has("parameters")) parameters = node.at("parameters");
    Study study = readMembers(node, engine, parameters ? &*parameters : nullptr);
    sortParameters(study, engine.parameters());
    return study;
}

Study readStudy(const JsonNode& node) {
    const std::string schema = node.at("schema").text();
    for (const Engine& engine : engines())
        if (!engine.studySchema.empty() && schema.starts_with(kindOf(engine.studySchema))) {
            if (schema != engine.studySchema) node.at("schema").fail(fmt::format("'{}'", engine.studySchema));
            return readOwnKind(node, engine);
        }
    return readStudyInside(node);
}

bool isStudySchema(std::string_view schema) {
    return schema.starts_with(kindOf(kStudySchema)) ||
           std::any_of(engines().begin(), engines().end(), [&](const Engine& engine) {
               return !engine.studySchema.empty() && schema.starts_with(kindOf(engine.studySchema));
           });
}

namespace {

Study loadStudyFile(const std::string& path) {
    const JsonDocument document = JsonDocument::load(path);
    Study study = readStudy(document.root());
    study.file.document = document;
    return study;
}

}  // namespace

Study loadStudy(const std::string& nameOrPath) {
    if (!namesFile(nameOrPath)) {
        const auto bundled = bundledFiles();
        const auto found = bundled.find(nameOrPath);
        if (found != bundled.end()) return loadStudyFile(found->second.string());
        std::vector<std::string> known;
        for (const auto& [name, path] : bundled) known.push_back(name);
        throw UsageError(fmt::format(
            "there is no study {}; {}", inQuotes(nameOrPath),
            withClosest("did you mean {}?", nameOrPath, known, "give a file or one of " + joined(known, ", "))));
    }
    return loadStudyFile(nameOrPath);
}

std::vector<std::pair<std::string, std::string>> bundledStudies() {
    std::vector<std::pair<std::string, std::string>> result;
    for (const auto& [name, path] : bundledFiles()) {
        try {
            result.emplace_back(name, readStudy(JsonDocument::load(path.string()).root()).name);
        } catch (const std::runtime_error&) {
            result.emplace_back(name, "");  // one of the user's own that is not finished: whoever opens it is told
        }
    }
    return result;
}

Json toJson(const Study& study) {
    Json json = {{"schema", kStudySchema}, {"engine", study.engine}};
    if (!study.name.empty()) json["name"] = study.name;
    // Lists that the engine does not take are left out: what every file has always held stays as it was.
    const Engine* engine = findEngine(study.engine);
    const auto put = [&](const char* name, const std::vector<std::string>& list, InputArity takes) {
        if (!list.empty() || takes == InputArity::one || takes == InputArity::many) json[name] = list;
    };
    put("models", study.models, engine == nullptr ? InputArity::one : engine->models);
    put("workloads", study.workloads, engine == nullptr ? InputArity::none : engine->workloads);
    put("hardware", study.hardware, engine == nullptr ? InputArity::one : engine->hardware);
    if (!study.dimensions.empty()) {
        Json dimensions = Json::object();
        for (const auto& [name, value] : study.dimensions) dimensions[name] = value;
        json["dimensions"] = std::move(dimensions);
    }
    json["parameters"] = *study.parameters;
    if (study.seed) json["seed"] = *study.seed;
    return json;
}

model::LoadOptions loadingOf(const Study& study) {
    model::LoadOptions options{.batch = {}, .dimensions = study.dimensions};
    if (!engineNamed(study.engine).loadsAtBatch) return options;
    if (const auto batch = study.parameters->find("batch"); batch != study.parameters->end() && batch->is_number())
        options.batch = static_cast<std::int64_t>(batch->get<double>());
    return options;
}

std::string contentHash(const Study& study) {
    Study anonymous = study;
    anonymous.name.clear();
    anonymous.seed.reset();
    const Engine& engine = engineNamed(study.engine);
    const std::vector<Parameter>& rows = engine.parameters();
    for (const std::string_view later : engine.laterParameters) {
        const Parameter* row = findParameter(rows, later);
        const std::string name(later);
        if (anonymous.parameters->value(name, Json()) == defaultOf(*row)) anonymous.parameters->erase(name);
    }
    sortParameters(anonymous, rows);
    return sha256(toText(toJson(anonymous)));
}

Result run(const Study& study, const RunContext& context) {
    const Engine& engine = engineNamed(study.engine);
    const InputScope inputs(context.files);
    // A study that was put together in the program gives the bytes that it gives once it is stored.
    Study stored = study;
    for (const Parameter& row : engine.parameters()) {
        const auto value = stored.parameters->find(std::string(row.name));
        if (value != stored.parameters->end()) *value = storedForm(row, std::move(*value));
    }
    return engine.run(stored, context);
}

}  // namespace tessera::study

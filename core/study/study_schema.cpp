#include "core/study/study_schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/study/document_schema.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

constexpr std::string_view kBeside = "Files that are named relative to it are looked for beside it first.";

bool needs(InputArity takes) {
    return takes == InputArity::one || takes == InputArity::many;
}

/// A list of the inputs of a sort: `what` is one called, `form` how it is named.
Json inputsSchema(InputArity takes, std::string_view what, std::string_view form) {
    const std::string_view count = takes == InputArity::one    ? "Exactly one"
                                   : takes == InputArity::many ? "At least one"
                                                               : "At most one";
    Json name = Json::object({{"type", "string"}, {"minLength", 1}, {"maxLength", kLongestInputName}});
    Json schema = Json::object();
    schema["description"] = fmt::format("{} {}: a file, or {}.", count, what, form);
    schema["type"] = "array";
    schema["items"] = std::move(name);
    schema["minItems"] = 1;
    schema["maxItems"] = takes == InputArity::many ? kMaxStudyInputs : 1;
    return schema;
}

/// The members that a study of every engine has: its kind first, `rest` last.
Json membersOf(std::string_view kind, const Json& rest, const Engine& engine) {
    Json members = Json::object();
    members["schema"] = Json::object({{"const", kind}, {"description", "Kind and version of the file."}});
    members["name"] =
        Json::object({{"description", "For people."}, {"type", "string"}, {"maxLength", 256}, {"default", ""}});
    members.update(rest);
    members["seed"] = Json::object(
        {{"description", engine.drawsNumbers ? "Of random numbers." : "The engine draws no random numbers."},
         {"type", "integer"},
         {"minimum", 0}});
    return members;
}

Json objectSchema(std::string_view about, const std::vector<std::string_view>& required, Json properties) {
    Json schema = Json::object({{"description", about}, {"type", "object"}});
    if (!required.empty()) schema["required"] = required;
    schema["additionalProperties"] = false;
    schema["properties"] = std::move(properties);
    return schema;
}

Json parametersSchema(const Engine& engine) {
    Json properties = Json::object();
    for (const Parameter& row : engine.parameters()) properties[std::string(row.name)] = schemaOf(row);
    return properties;
}

/// The schema of the studies of an engine.
Json formOf(const Engine& engine) {
    std::vector<std::string_view> required{"schema", "engine"};
    Json own = Json::object();
    own["engine"] = Json::object({{"const", engine.id}, {"description", "The engine that runs the study."}});
    const auto add = [&](std::string_view list, InputArity takes, std::string_view what, std::string_view form) {
        if (takes == InputArity::none) return;
        own[std::string(list)] = inputsSchema(takes, what, form);
        if (needs(takes)) required.push_back(list);
    };
    add("models", engine.models, "model", "zoo:NAME");
    add("workloads", engine.workloads, engine.workloadKind, "the name of a bundled one");
    add("hardware", engine.hardware, engine.hardwareKind, "the name of a bundled one");
    if (engine.models != InputArity::none || engine.workloads != InputArity::none)
        own["dimensions"] = Json::object(
            {{"description", "Values of symbolic dimensions of models, by name."},
             {"type", "object"},
             {"additionalProperties", Json::object({{"type", "integer"}, {"minimum", 0}, {"maximum", kMaxDimension}})},
             {"default", Json::object()}});
    own["parameters"] = objectSchema("One that is missing has its default.", {}, parametersSchema(engine));
    return objectSchema(engine.description, required, membersOf(kStudySchema, own, engine));
}

}  // namespace

Json studyFileSchema() {
    Json forms = Json::array();
    for (const Engine& engine : engines()) forms.push_back(formOf(engine));
    const std::string about =
        fmt::format("Inputs, parameters and seed of a run: everything that decides its result. {}", kBeside);
    return namedSchema({.schema = kStudySchema, .about = about}, Json::object({{"oneOf", std::move(forms)}}), {});
}

Json ownStudyFileSchema(const Engine& engine) {
    const Json members = membersOf(engine.studySchema, parametersSchema(engine), engine);
    return namedSchema({.schema = engine.studySchema},
                       objectSchema(fmt::format("{} {}", engine.description, kBeside), {"schema"}, members), {});
}

}  // namespace tessera::study

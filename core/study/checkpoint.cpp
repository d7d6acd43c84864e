#include "core/study/checkpoint.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/study/document_study.h"
#include "core/study/study.h"

namespace tessera::study {

namespace {

constexpr const char* kCheckpointSchema = "tessera.checkpoint/1";
constexpr const char* kName = "the run's checkpoint";

/// What a state was computed from.
Json frameOf(const Result& begun) {
    Json json = {
        {"schema", kCheckpointSchema}, {"tool_version", begun.version}, {"study_sha256", contentHash(begun.study)}};
    if (begun.study.seed) json["seed"] = *begun.study.seed;
    json["inputs"] = inputsJson(begun.inputs);
    return json;
}

}  // namespace

Json checkpointJson(const Result& begun, Json state) {
    Json json = frameOf(begun);
    json["state"] = std::move(state);
    return json;
}

std::function<void(Json state)> checkpointSink(const RunContext& context, const Result& begun) {
    if (!context.checkpoint) return {};
    return [&context, &begun](Json state) { context.checkpoint(checkpointJson(begun, std::move(state))); };
}

std::optional<JsonDocument> resumedState(const RunContext& context, const Result& begun) {
    if (context.resume->is_null()) return std::nullopt;
    const JsonDocument document = documentOf(*context.resume, kName);
    const JsonNode root = document.root();
    const std::string schema = root.at("schema").text();
    if (!schema.starts_with("tessera.")) root.at("schema").fail(fmt::format("'{}'", kCheckpointSchema));
    if (schema != kCheckpointSchema || root.at("tool_version").text() != begun.version) return std::nullopt;
    const Json frame = frameOf(begun);
    const auto isAsItWas = [&](const char* field, const char* expected, const char* found) {
        if (frame.contains(field) && root.at(field).json() != frame.at(field)) root.at(field).fail(expected, found);
    };
    isAsItWas("study_sha256", "the study that is to be continued", "of another study");
    isAsItWas("seed", "the seed that the run began with", "another one");
    isAsItWas("inputs", "the inputs as they were when the run began", "of other contents");
    return documentOf(root.at("state").json(), kName);
}

}  // namespace tessera::study

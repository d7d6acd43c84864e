#include "core/study/result.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/names.h"
#include "core/study/document_study.h"
#include "core/study/engine.h"

namespace tessera::study {

namespace {

constexpr std::size_t kLongestText = 1'000'000;

}  // namespace

Json inputsJson(const std::vector<Input>& inputs) {
    Json list = Json::array();
    for (const Input& input : inputs) list.push_back({{"name", input.name}, {"sha256", input.sha256}});
    return list;
}

Json documentHead(const std::string& schema, const std::string& command, const std::vector<Input>& inputs,
                  std::optional<std::uint64_t> seed) {
    Json json = {{"schema", schema}, {"tool_version", TESSERA_VERSION}, {"command", command}};
    if (seed) json["seed"] = *seed;
    json["inputs"] = inputsJson(inputs);
    return json;
}

void finishDocument(Json& document, const std::vector<std::string>& assumptions,
                    const std::vector<std::string>& warnings) {
    document["assumptions"] = assumptions;
    document["warnings"] = warnings;
}

void addOnce(std::vector<std::string>& sentences, const std::vector<std::string>& more) {
    std::set<std::string_view> seen(sentences.begin(), sentences.end());
    std::vector<std::string> added;
    for (const std::string& sentence : more)
        if (seen.insert(sentence).second) added.push_back(sentence);
    sentences.insert(sentences.end(), added.begin(), added.end());
}

void writeJson(const Result& result, const TextSink& write) {
    engineOf(result).write(result, write);
}

Json toJson(const Result& result) {
    std::string text;
    writeJson(result, [&](std::string_view part) { text += part; });
    return Json::parse(text);
}

Study studyOf(const JsonNode& document, const Study& study) {
    Study read = study;
    read.name = document.has("name") ? document.at("name").text(kLongestText) : "";
    read.seed.reset();
    if (document.has("seed"))
        read.seed = static_cast<std::uint64_t>(document.at("seed").whole(0, std::numeric_limits<std::int64_t>::max()));
    const JsonNode given = document.at("parameters");
    const std::vector<Parameter>& table = engineNamed(study.engine).parameters();
    given.allowOnly(idsOf(table));
    for (const auto& [name, value] : given.members()) readParameter(*findParameter(table, name), value);
    read.parameters = given.json();
    return read;
}

Result readResult(const JsonNode& document, const Study& study) {
    const Engine& engine = engineNamed(study.engine);
    if (document.at("schema").text() != engine.resultSchema)
        document.at("schema").fail("'" + std::string(engine.resultSchema) + "'");
    return engine.read(document, study);
}

}  // namespace tessera::study

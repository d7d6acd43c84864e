#include "core/study/document_study.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace tessera::study {

namespace {

constexpr std::size_t kLongestSentence = 1'000'000;
constexpr std::size_t kMaxDocumentInputs = 10'000;

}  // namespace

Json resultHead(const DocumentKind& kind, const Result& result) {
    Json json = documentHead(std::string(kind.schema), std::string(kind.command), result.inputs, result.study.seed);
    json["tool_version"] = result.version;
    if (!result.study.name.empty()) json[std::string(kind.nameOfStudy)] = result.study.name;
    return json;
}

std::vector<std::string> readSentences(const JsonNode& list, std::size_t max) {
    std::vector<std::string> sentences;
    for (const JsonNode& sentence : list.elements(max)) sentences.push_back(sentence.text(kLongestSentence));
    return sentences;
}

EndedBy readEndedBy(const JsonNode& word) {
    if (word.text().empty()) return EndedBy::search;
    std::vector<std::string> names;
    for (const EndedByRow& row : kEndedBy) names.emplace_back(row.name);
    return *endedByNamed(word.oneOf(names));
}

JsonDocument documentOf(const Json& json, const std::string& name) {
    return JsonDocument::parse(json.dump(-1, ' ', false, Json::error_handler_t::replace), name);
}

Json wholeWherePossible(double value) {
    if (value == std::floor(value) && std::fabs(value) < 0x1p53) return static_cast<std::int64_t>(value);
    return value;
}

Result readFrame(const JsonNode& document, const Study& study, const DocumentKind& kind) {
    Result result;
    result.study = studyOf(document, study);
    const std::string name(kind.nameOfStudy);
    result.study.name = document.has(name) ? document.at(name).text(kLongestSentence) : "";
    result.version = document.at("tool_version").text();
    for (const JsonNode& input : document.at("inputs").elements(kMaxDocumentInputs))
        result.inputs.push_back({input.at("name").text(kLongestSentence), input.at("sha256").text()});
    result.assumptions = readSentences(document.at("assumptions"));
    result.warnings = readSentences(document.at("warnings"));
    return result;
}

}  // namespace tessera::study

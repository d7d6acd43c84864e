#include "core/reproduce/reproduce.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/reproduce/reproduce_figures.h"

namespace tessera::study {

namespace {

/// Every row, and those that a program brings.
std::vector<Figure>& allFigures() {
    static std::vector<Figure> rows = [] {
        std::vector<Figure> all = accparFigures();
        for (const auto& more : {magmaFigures(), phazeFigures(), centimaniFigures()})
            all.insert(all.end(), more.begin(), more.end());
        return all;
    }();
    return rows;
}

}  // namespace

const std::vector<Figure>& figures() {
    return allFigures();
}

void addFigure(const Figure& figure) {
    allFigures().push_back(figure);
}

Reproduction reproduce(std::string_view name, const ReproductionOptions& options, const RunControl& control) {
    const Figure& figure = rowNamed(figures(), name, "there is no figure");
    if (options.costModel && !figure.hasCostModels)
        throw UsageError(fmt::format("option '--cost-model' is about AccPar's figures; {} {}", name,
                                     name.starts_with("centimani")
                                         ? "has no choice of one"
                                         : "always shows all of its cost models side by side"));
    return figure.recompute(figure, options, control);
}

Json toJson(const Reproduction& reproduction) {
    Json json = documentHead("tessera.reproduction/1", "reproduce", reproduction.inputs);
    json["name"] = reproduction.name;
    json["title"] = reproduction.title;
    if (!reproduction.costModel.empty()) json["cost_model"] = reproduction.costModel;
    Json& rows = json["rows"] = Json::array();
    for (const ReproductionRow& row : reproduction.rows) {
        Json entry = {{"item", row.item}, {"metric", row.metric}};
        if (row.levels) entry["levels"] = *row.levels;
        if (row.paper) entry["paper"] = *row.paper;
        std::visit([&](const auto& ours) { entry["ours"] = ours; }, row.ours);
        if (const double* ours = std::get_if<double>(&row.ours); ours != nullptr && row.paper && *row.paper != 0)
            entry["ratio"] = *ours / *row.paper;
        rows.push_back(std::move(entry));
    }
    Json& means = json["geometric_mean"] = Json::object();
    for (const ReproductionMean& mean : reproduction.geometricMeans) {
        Json entry = Json::object();
        if (mean.paper) entry["paper"] = *mean.paper;
        entry["ours"] = mean.ours;
        means[mean.metric] = std::move(entry);
    }
    json["notes"] = reproduction.notes;
    finishDocument(json, reproduction.assumptions, {});
    return json;
}

namespace {

constexpr std::size_t kMostRows = 1'000'000;
constexpr std::size_t kLongestText = 100'000;

std::optional<double> numberIn(const JsonNode& node, const std::string& key) {
    return node.has(key) ? std::optional(node.at(key).number()) : std::nullopt;
}

std::vector<std::string> textsIn(const JsonNode& node) {
    std::vector<std::string> texts;
    for (const JsonNode& text : node.elements(kMostRows)) texts.push_back(text.text(kLongestText));
    return texts;
}

}  // namespace

Reproduction readReproduction(const JsonNode& document) {
    Reproduction made;
    made.name = document.at("name").text(kLongestText);
    made.title = document.at("title").text(kLongestText);
    made.costModel = document.textOr("cost_model", "");
    for (const JsonNode& row : document.at("rows").elements(kMostRows)) {
        ReproductionRow& read = made.rows.emplace_back();
        read.item = row.at("item").text(kLongestText);
        read.metric = row.at("metric").text(kLongestText);
        if (row.has("levels")) read.levels = static_cast<int>(row.at("levels").whole(0, 1'000'000));
        read.paper = numberIn(row, "paper");
        if (const JsonNode ours = row.at("ours"); ours.isNumber())
            read.ours = ours.number();
        else
            read.ours = ours.text(kLongestText);
    }
    for (const auto& [metric, mean] : document.at("geometric_mean").members())
        made.geometricMeans.push_back({metric, numberIn(mean, "paper"), mean.at("ours").number()});
    made.notes = textsIn(document.at("notes"));
    for (const JsonNode& input : document.at("inputs").elements(kMostRows))
        made.inputs.push_back({input.at("name").text(kLongestText), input.at("sha256").text(kLongestText)});
    made.assumptions = textsIn(document.at("assumptions"));
    return made;
}

}  // namespace tessera::study

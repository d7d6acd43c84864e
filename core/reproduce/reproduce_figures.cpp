#include "core/reproduce/reproduce_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tessera::study {

Recomputation::Recomputation(const Figure& figure) {
    result_.name = figure.name;
    result_.title = figure.title;
}

void Recomputation::row(std::string item, std::string_view metric, double ours, std::optional<double> paper) {
    result_.rows.push_back({.item = std::move(item), .metric = std::string(metric), .paper = paper, .ours = ours});
}

void Recomputation::mean(std::string metric, double ours, std::optional<double> paper) {
    result_.geometricMeans.push_back({.metric = std::move(metric), .paper = paper, .ours = ours});
}

void Recomputation::note(std::string sentence) {
    result_.notes.push_back(std::move(sentence));
}

void Recomputation::verdict(std::string_view claim, bool holds, std::string_view ours, std::string_view where) {
    note(fmt::format("The paper: {}. {} that {}{}{}.", claim, where, holds ? "holds" : "does not appear",
                     ours.empty() ? "" : ": ", ours));
}

void Recomputation::restOn(const std::vector<Input>& inputs, const std::vector<std::string>& assumptions) {
    for (const Input& input : inputs)
        if (std::find(result_.inputs.begin(), result_.inputs.end(), input) == result_.inputs.end())
            result_.inputs.push_back(input);
    addOnce(result_.assumptions, assumptions);
}

Reproduction Recomputation::finish() && {
    return std::move(result_);
}

double geometricMean(const std::vector<double>& values) {
    double logarithms = 0;
    for (const double value : values) logarithms += std::log(value);
    return std::exp(logarithms / static_cast<double>(values.size()));
}

std::string percent(double share) {
    if (share < 1e-9) return "0 %";
    if (share < 1e-4) return "less than 0.01 %";
    return fmt::format("{:.2g} %", 100 * share);
}

}  // namespace tessera::study

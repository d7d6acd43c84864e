#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/json.h"
#include "core/base/run_control.h"
#include "core/partition/partition.h"
#include "core/study/result.h"

/// Tables and figures of papers, recomputed: the paper's number beside ours.
namespace tessera::study {

struct ReproductionRow {
    std::string item;                  ///< zoo name of the network, or a layer of it; or a case, such as "mix S2 16"
    std::string metric;                ///< strategy or algorithm in lower case, or what is reported of all of them
    std::optional<int> levels = {};    ///< where the figure varies the depth of the hierarchy
    std::optional<double> paper = {};  ///< empty where the paper prints no number
    std::variant<double, std::string> ours;
};

struct ReproductionMean {
    std::string metric;
    std::optional<double> paper;
    double ours = 0;
};

struct Reproduction {
    std::string name;
    std::string title;
    std::string costModel;  ///< empty where the figure has no choice of one
    std::vector<ReproductionRow> rows;
    std::vector<ReproductionMean> geometricMeans;  ///< empty where the paper has none
    std::vector<std::string> notes;
    std::vector<Input> inputs;
    std::vector<std::string> assumptions;
};

/// Options of recomputing a figure.
struct ReproductionOptions {
    std::optional<partition::CostModel> costModel = {};  ///< of AccPar's figures; empty = the paper's
    double budget = 1;                 ///< share of a figure's samples that its searches may spend; tests take less
    std::filesystem::path cache = {};  ///< folder where long searches are kept between runs; empty = none
};

/// A row of the table: a figure of a paper. A new one is one function and one row.
struct Figure {
    std::string_view name;
    std::string_view title;
    std::string_view source;
    Reproduction (*recompute)(const Figure& figure, const ReproductionOptions& options, const RunControl& control);
    bool hasCostModels = false;  ///< ReproductionOptions::costModel is a choice
};

const std::vector<Figure>& figures();
/// Adds one to those there are, for programs that bring their own. Before anything is looked up.
void addFigure(const Figure& figure);

/// Recomputes one figure. Throws UsageError (unknown name, with a hint), InterruptedError.
Reproduction reproduce(std::string_view name, const ReproductionOptions& options = {}, const RunControl& control = {});

/// `tessera.reproduction/1`, and its reader. Throws DataError.
Json toJson(const Reproduction& reproduction);
Reproduction readReproduction(const JsonNode& document);

}  // namespace tessera::study

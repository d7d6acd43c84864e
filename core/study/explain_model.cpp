#include "core/study/explain_model.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <utility>

#include "core/base/names.h"
#include "core/base/units.h"

namespace tessera::study {

namespace {

using model::MemoryUse;
using model::NodeTotals;

constexpr std::size_t kMaxTerms = 8;

/// A count of a model: how it is called, what adds it up.
struct Count {
    std::string_view id, title, formula;
    Measure measure;
    std::optional<double> NodeTotals::*value;
    bool perBatch;
};

constexpr std::array kCounts{
    Count{"parameters", "Parameters",
          "sum over stored tensors that are trained of their elements, each once; running statistics do not count",
          Measure::count, &NodeTotals::parameters, false},
    Count{"macs", "Multiply-accumulates",
          "sum over convolutions, matrix products and recurrent layers of their multiply-accumulates, without bias",
          Measure::count, &NodeTotals::macs, true},
    Count{"flops", "Work", "2 per multiply-accumulate + the element-wise work of all other operators", Measure::flops,
          &NodeTotals::flops, true},
    Count{"activations", "Activations", "sum over float outputs whose data depends on an input of their elements",
          Measure::count, &NodeTotals::activations, true}};

/// A class of memory: its rule.
struct MemoryRule {
    MemoryUse use;
    std::string_view title, formula;
    const Count* of;  ///< the count that it follows from; null = none
};

constexpr std::array kMemoryRules{
    MemoryRule{MemoryUse::weights, "Weights", "sum over trained tensors of elements × bytes as stored", kCounts.data()},
    MemoryRule{MemoryUse::gradients, "Gradients", "one per parameter, of the type in which the parameter is stored",
               kCounts.data()},
    MemoryRule{MemoryUse::optimizer, "State of the optimizer", "Adam: 2 moments × 4 bytes × parameters",
               kCounts.data()},
    MemoryRule{MemoryUse::activations, "Activations",
               "sum over outputs that the backward pass reads of elements × bytes, each once; of a table of layers "
               "over all outputs",
               nullptr},
    MemoryRule{MemoryUse::inputs, "Inputs", "sum over the inputs of one step of elements × bytes", nullptr},
    MemoryRule{MemoryUse::constants, "Constants and statistics",
               "sum over tensors that are stored but not trained of elements × bytes", nullptr}};

std::string shown(double value, Measure measure) {
    return measure == Measure::count ? formatCount(value) : formatQuantity(value, measure);
}

std::string_view unitOf(Measure measure) {
    return measure == Measure::bytes ? " B" : measure == Measure::flops ? " FLOP" : "";
}

std::string kindOf(const model::Model& of, const model::HierarchyItem& item) {
    const auto index = static_cast<std::size_t>(item.index);
    if (const model::Graph* graph = of.graph())
        return item.source == model::ItemSource::operation ? graph->operators[index].type : "";
    return std::string(nameOf(std::get<model::LayerGraph>(of.form).layers[index].kind));
}

/// What each kind of operators or layers adds, the most first.
std::vector<Explanation::Term> termsOf(const CountedModel& counted, const Count& count) {
    struct Part {
        double sum = 0;
        std::size_t items = 0;
    };
    std::map<std::string, Part> parts;
    for (std::size_t i = 0; i < counted.hierarchy.items.size(); ++i) {
        const NodeTotals& totals = counted.totals[static_cast<std::size_t>(counted.hierarchy.leaves[i])];
        const double value = (totals.*count.value).value_or(0);
        if (value == 0) continue;
        Part& part = parts[kindOf(counted.model, counted.hierarchy.items[i])];
        part.sum += value;
        ++part.items;
    }
    std::vector<std::pair<std::string, Part>> sorted(parts.begin(), parts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second.sum > b.second.sum; });
    std::vector<Explanation::Term> terms;
    if (count.perBatch) terms.push_back({"batch", formatCount(counted.batch), "chosen here"});
    Part rest;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        const auto& [kind, part] = sorted[i];
        if (i < kMaxTerms) {
            terms.push_back({fmt::format("{} × {}", formatCount(part.items), kind), shown(part.sum, count.measure),
                             "counted from the model"});
            continue;
        }
        rest.sum += part.sum;
        rest.items += part.items;
    }
    if (rest.items > 0)
        terms.push_back({fmt::format("{} others", formatCount(rest.items)), shown(rest.sum, count.measure),
                         "counted from the model"});
    return terms;
}

Explanation::Term modelTerm(const CountedModel& counted) {
    const std::string& sha = counted.model.sha256;
    return {"model", counted.model.source, sha.empty() ? "" : fmt::format("SHA-256 {}…", sha.substr(0, 12))};
}

Explanation explanation(const CountedModel& counted, std::string_view title, std::string_view formula, double value,
                        Measure measure) {
    Explanation made;
    made.title = fmt::format("{} of {}", title, counted.model.name);
    made.value = shown(value, measure);
    made.exact = exactNumber(value) + std::string(unitOf(measure));
    made.formula = formula;
    made.source = "Tessera's counting rules";
    return made;
}

}  // namespace

std::optional<Explanation> explainCount(const CountedModel& counted, std::string_view count) {
    const Count* const rule = findRow(kCounts, count);
    if (rule == nullptr) return std::nullopt;
    const std::optional<double> value = counted.totals.front().*(rule->value);
    if (!value) return std::nullopt;
    Explanation made = explanation(counted, rule->title, rule->formula, *value, rule->measure);
    made.terms = termsOf(counted, *rule);
    made.terms.push_back(modelTerm(counted));
    if (rule->perBatch) made.notes = {"Of the forward pass."};
    return made;
}

std::optional<Explanation> explainMemory(const CountedModel& counted, MemoryUse use) {
    for (const model::MemoryPart& part : model::trainingMemory(counted.model, counted.totals.front())) {
        if (part.use != use || !part.bytes) continue;
        const MemoryRule& rule = kMemoryRules.at(static_cast<std::size_t>(use));
        Explanation made = explanation(counted, rule.title, rule.formula, *part.bytes, Measure::bytes);
        if (rule.of != nullptr) {
            made.terms = {{std::string(rule.of->id),
                           formatCount((counted.totals.front().*(rule.of->value)).value_or(0)),
                           "counted from the model"}};
            if (rule.of->perBatch) made.terms.push_back({"batch", formatCount(counted.batch), "chosen here"});
        }
        made.terms.push_back(modelTerm(counted));
        made.notes = {"The whole model on one device: nothing is split, nothing is computed again to save memory."};
        return made;
    }
    return std::nullopt;
}

}  // namespace tessera::study

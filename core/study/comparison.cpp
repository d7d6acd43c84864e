#include "core/study/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/engine.h"

namespace tessera::study {

namespace {

constexpr std::size_t kMin = 2, kMax = 200;
constexpr std::size_t kMaxNamed = 3;  ///< values that a warning names one by one

using Runs = std::vector<const Result*>;

bool allEqual(const std::vector<std::string>& values) {
    return std::all_of(values.begin(), values.end(), [&](const std::string& value) { return value == values.front(); });
}

/// Fields of one run in the order in which they are shown, by section and name.
class Fields {
public:
    void add(const std::string& section, const std::string& field, const std::string& value) {
        list_.push_back({{section, field}, value});
    }
    const std::vector<std::pair<std::pair<std::string, std::string>, std::string>>& list() const { return list_; }

private:
    std::vector<std::pair<std::pair<std::string, std::string>, std::string>> list_;
};

std::string textOfValue(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number()) return exactNumber(value.get<double>());
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Fields fieldsOf(const Result& result) {
    Fields fields;
    const Study& study = result.study;
    const auto hashOf = [&](const std::string& name) -> std::string {
        for (const Input& input : result.inputs)
            if (input.name == name) return input.sha256;
        return "";
    };
    for (std::size_t m = 0; m < study.models.size(); ++m) {
        const std::string at = study.models.size() == 1 ? "" : fmt::format("[{}]", m);
        fields.add("Model", "file" + at, study.models[m]);
        fields.add("Model", "contents" + at, hashOf(study.models[m]));
    }
    for (const auto& [name, value] : study.dimensions) fields.add("Model", "dimension " + name, std::to_string(value));
    for (std::size_t w = 0; w < study.workloads.size(); ++w) {
        const std::string at = study.workloads.size() == 1 ? "" : fmt::format("[{}]", w);
        fields.add("Workload", "file" + at, study.workloads[w]);
        fields.add("Workload", "contents" + at, hashOf(study.workloads[w]));
    }
    const Engine& engine = engineOf(result);
    const std::vector<InputFact> facts = engine.facts == nullptr ? std::vector<InputFact>() : engine.facts(result);
    // What the hardware is called stands above its file, its numbers below.
    const auto isNumber = [](const InputFact& fact) { return fact.section == "Hardware" && fact.field != "name"; };
    for (const InputFact& fact : facts)
        if (!isNumber(fact)) fields.add(fact.section, fact.field, fact.value);
    for (std::size_t h = 0; h < study.hardware.size(); ++h) {
        const std::string at = study.hardware.size() == 1 ? "" : fmt::format("[{}]", h);
        fields.add("Hardware", "file" + at, study.hardware[h]);
        fields.add("Hardware", "contents" + at, hashOf(study.hardware[h]));
    }
    for (const InputFact& fact : facts)
        if (isNumber(fact)) fields.add(fact.section, fact.field, fact.value);
    const std::set<std::string> main = [&] {
        std::set<std::string> names(study.models.begin(), study.models.end());
        names.insert(study.hardware.begin(), study.hardware.end());
        names.insert(study.workloads.begin(), study.workloads.end());
        return names;
    }();
    for (const Input& input : result.inputs)
        if (!main.contains(input.name)) fields.add("Hardware", "contents of " + input.name, input.sha256);
    fields.add("Parameters", "engine", study.engine);
    for (const auto& [name, value] : study.parameters->items()) fields.add("Parameters", name, textOfValue(value));
    if (study.seed) fields.add("Parameters", "seed", std::to_string(*study.seed));
    fields.add("Parameters", "program version", result.version);
    return fields;
}

/// The union of all runs' fields, section by section; a field that only a later run has stands behind the one it
/// follows there.
std::vector<Comparison::Row> inputRows(const Runs& runs) {
    using Key = std::pair<std::string, std::string>;
    std::vector<Key> order;
    std::vector<std::map<Key, std::string>> values(runs.size());
    for (std::size_t r = 0; r < runs.size(); ++r) {
        auto place = order.begin();
        const Fields fields = fieldsOf(*runs[r]);
        for (const auto& [key, value] : fields.list()) {
            values[r][key] = value;
            const auto found = std::find(order.begin(), order.end(), key);
            place = std::next(found != order.end() ? found : order.insert(place, key));
        }
    }
    std::vector<Comparison::Row> rows;
    for (const Key& key : order) {
        Comparison::Row row{.section = key.first, .field = key.second, .values = {}, .same = false};
        for (const auto& run : values) {
            const auto found = run.find(key);
            row.values.push_back(found == run.end() ? "" : found->second);
        }
        row.same = allEqual(row.values);
        rows.push_back(std::move(row));
    }
    constexpr std::array<std::string_view, 4> kSections{"Model", "Workload", "Hardware", "Parameters"};
    std::stable_sort(rows.begin(), rows.end(), [&](const Comparison::Row& a, const Comparison::Row& b) {
        return std::find(kSections.begin(), kSections.end(), a.section) <
               std::find(kSections.begin(), kSections.end(), b.section);
    });
    return rows;
}

std::vector<Comparison::MetricRow> metricRows(const Runs& runs, std::size_t baseline) {
    std::vector<Comparison::MetricRow> rows;
    std::map<std::string, std::size_t> places;
    const auto take = [&](std::size_t r) {
        for (const Metric& metric : metricsOf(*runs[r])) {
            const auto [place, added] = places.try_emplace(metric.name, rows.size());
            if (added) {
                rows.push_back({.metric = metric, .values = {}, .ratios = {}, .same = false});
                rows.back().values.resize(runs.size());
            }
            rows[place->second].values[r] = metric.value;
            rows[place->second].metric.uncertain |= metric.uncertain;
        }
    };
    take(baseline);
    for (std::size_t r = 0; r < runs.size(); ++r)
        if (r != baseline) take(r);
    for (Comparison::MetricRow& row : rows) row.compareTo(baseline);
    return rows;
}

/// A thing that must be equal for two runs to be comparable, and how its difference is said.
struct Condition {
    std::string_view sentence;  ///< "{}" = the runs that differ from the baseline
    std::string (*value)(const Result& result);
};

std::string parameterOf(const Result& result, const char* name) {
    const auto found = result.study.parameters->find(name);
    return found == result.study.parameters->end() ? "" : textOfValue(*found);
}

std::string assumptionsOf(const Result& result) {
    std::vector<std::string> sorted = result.assumptions;
    std::sort(sorted.begin(), sorted.end());
    return joined(sorted, "\n");
}

std::string workloadOf(const Result& result) {
    std::string text;
    for (const std::string& workload : result.study.workloads)
        for (const Input& input : result.inputs)
            if (input.name == workload) text += input.sha256 + " ";
    return text;
}

const std::array<Condition, 7>& conditions() {
    static const std::array<Condition, 7> kConditions{{
        {"Engines differ: {}.", [](const Result& result) { return result.study.engine; }},
        {"Models, or their contents, differ: {}.", modelsOf},
        {"Workloads, or their contents, differ: {}.", workloadOf},
        {"Variants of the cost model differ: {}.", [](const Result& result) { return parameterOf(result, "variant"); }},
        {"Data types differ: {}.", [](const Result& result) { return parameterOf(result, "dtype"); }},
        {"Assumptions differ: {}; the assumptions of each run say which.", assumptionsOf},
        {"Program versions differ: {}.", [](const Result& result) { return result.version; }},
    }};
    return kConditions;
}

/// "256 (A, B), 1,024 (C)": every value with its runs; empty where there is but one.
std::string valuesText(const Comparison& comparison, const std::function<double(const AmountOfWork&)>& value) {
    std::vector<std::pair<double, std::vector<std::string>>> groups;
    for (std::size_t run = 0; run < comparison.works.size(); ++run) {
        const double its = value(comparison.works[run]);
        if (!(its > 0)) continue;
        const auto found =
            std::find_if(groups.begin(), groups.end(), [&](const auto& each) { return each.first == its; });
        auto& group = found == groups.end() ? groups.emplace_back(its, std::vector<std::string>()) : *found;
        group.second.push_back(comparison.letters[run]);
    }
    if (groups.size() < 2) return "";
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < std::min(groups.size(), kMaxNamed); ++i)
        texts.push_back(fmt::format("{} ({})", formatCount(groups[i].first), letterList(groups[i].second)));
    if (groups.size() > kMaxNamed) texts.push_back(fmt::format("and {} more", groups.size() - kMaxNamed));
    return joined(texts, ", ");
}

std::vector<std::string> warningsOf(const Comparison& comparison, const Runs& runs) {
    std::vector<std::string> warnings;
    for (const Condition& condition : conditions()) {
        const std::string expected = condition.value(*runs[comparison.baseline]);
        std::vector<std::string> others;
        for (std::size_t r = 0; r < runs.size(); ++r)
            if (condition.value(*runs[r]) != expected) others.push_back(comparison.letters[r]);
        if (others.empty()) continue;
        const std::string named = letterList(others) + " against " + comparison.letters[comparison.baseline];
        warnings.push_back(fmt::format(fmt::runtime(condition.sentence), named));
    }
    const std::array<std::pair<const char*, double (*)(const AmountOfWork&)>, 3> amounts{{
        {"Batch sizes", [](const AmountOfWork& work) { return work.samples; }},
        {"Tokens of a sample", [](const AmountOfWork& work) { return work.tokens; }},
        {"Accelerators in use", [](const AmountOfWork& work) { return static_cast<double>(work.devices); }},
    }};
    for (const auto& [what, value] : amounts)
        if (const std::string values = valuesText(comparison, value); !values.empty())
            warnings.push_back(fmt::format("{} differ: {}.", what, values));
    const auto knowsTokens = [](const AmountOfWork& work) { return work.tokens > 0; };
    if (std::any_of(comparison.works.begin(), comparison.works.end(), knowsTokens) &&
        !std::all_of(comparison.works.begin(), comparison.works.end(), knowsTokens))
        warnings.emplace_back(
            "Not every run knows the tokens of a sample; what is said per sample takes them to be equal.");
    return warnings;
}

/// The parts of every run's best result by name; of equal names the first stands beside the first. Runs of which other
/// parts are compared than of the first that has any are left out.
void addParts(Comparison& comparison, const Runs& runs) {
    std::map<std::pair<std::string, int>, std::size_t> places;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        const Engine& engine = engineOf(*runs[run]);
        if (engine.parts == nullptr) continue;
        ComparedParts its = engine.parts(*runs[run]);
        if (comparison.partsTitle.empty()) comparison.partsTitle = its.title;
        if (its.title != comparison.partsTitle) continue;
        std::map<std::string, int> met;
        for (ComparedPart& part : its.parts) {
            const auto [place, added] = places.try_emplace({part.name, met[part.name]++}, comparison.parts.size());
            if (added) {
                comparison.parts.push_back({.name = part.name, .parts = {}, .same = false});
                comparison.parts.back().parts.resize(runs.size());
            }
            comparison.parts[place->second].parts[run] = std::move(part);
        }
    }
    std::erase_if(comparison.parts, [](Comparison::PartRow& row) {
        std::vector<const ComparedPart*> present;
        for (const auto& part : row.parts)
            if (part) present.push_back(&*part);
        row.same = std::all_of(present.begin(), present.end(), [&](const ComparedPart* part) {
            return part->what == present.front()->what && part->text == present.front()->text;
        });
        return present.size() < kMin;
    });
}

}  // namespace

Comparison compare(const std::vector<const Result*>& results, const std::vector<std::string>& titles,
                   std::size_t baseline, std::vector<std::string> letters) {
    if (results.size() < kMin || results.size() > kMax)
        throw UsageError(fmt::format("{} runs are to be compared; expected {} to {}", results.size(), kMin, kMax));
    if (titles.size() != results.size() || baseline >= results.size())
        throw UsageError(
            fmt::format("{} runs have {} titles and baseline {}; expected a title for each and a baseline "
                        "among them",
                        results.size(), titles.size(), baseline));
    Comparison comparison;
    comparison.runs = titles;
    comparison.baseline = baseline;
    comparison.letters = std::move(letters);
    for (std::size_t run = comparison.letters.size(); run < results.size(); ++run)
        comparison.letters.push_back(letterOf(run));
    comparison.inputs = inputRows(results);
    comparison.metrics = metricRows(results, baseline);
    addComparables(comparison, results);
    addFinding(comparison, results);
    for (const Engine& engine : engines())
        if (engine.addToComparison != nullptr) engine.addToComparison(comparison, results);
    addParts(comparison, results);
    comparison.warnings = warningsOf(comparison, results);
    return comparison;
}

}  // namespace tessera::study

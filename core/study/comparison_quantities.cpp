#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/model/zoo/zoo_name.h"
#include "core/study/comparison.h"
#include "core/study/engine.h"

namespace tessera::study {

namespace {

/// What amounts of a step are said per, where steps do unequal work.
struct WorkUnit {
    std::string_view id;     ///< begins the path of such a metric
    std::string_view title;  ///< ends its title
    double amount = 1;
};
constexpr WorkUnit kPerSamples{"per_1000_samples", " per 1,000 samples", 1000},
    kPerTokens{"per_million_tokens", " per million tokens", 1e6};

AmountOfWork amountOf(const Result& result) {
    const Engine& engine = engineOf(result);
    return engine.work == nullptr ? AmountOfWork{} : engine.work(result);
}

bool isCounted(const AmountOfWork& work) {
    return work.samples > 0 && work.seconds > 0;
}

bool doSameWork(const AmountOfWork& a, const AmountOfWork& b) {
    if (a.samples > 0 && b.samples > 0)
        return a.samples == b.samples && (a.tokens == b.tokens || a.tokens <= 0 || b.tokens <= 0);
    return a.amount == b.amount;
}

/// Why amounts of a step are not comparable.
std::string differenceOf(const std::vector<AmountOfWork>& works, bool sameWork, bool sameDevices) {
    std::vector<std::string> reasons;
    const auto differ = [&](double AmountOfWork::*member) {
        std::set<double> values;
        for (const AmountOfWork& work : works)
            if (work.*member > 0) values.insert(work.*member);
        return values.size() > 1;
    };
    if (!sameWork) {
        if (differ(&AmountOfWork::samples)) reasons.emplace_back("batch sizes");
        if (differ(&AmountOfWork::tokens)) reasons.emplace_back("tokens of a sample");
        if (reasons.empty()) return "steps do unequal work";
    }
    if (!sameDevices) reasons.emplace_back("accelerators in use");
    return reasons.empty() ? "" : joined(reasons, " and ") + " differ";
}

/// Metrics that grow with the work of a step, of the engines of these runs.
std::set<std::string_view> metricsOfWork(const std::vector<const Result*>& results) {
    std::set<std::string_view> names;
    for (const Result* result : results) {
        const std::vector<std::string_view>& its = engineOf(*result).ofWork;
        names.insert(its.begin(), its.end());
    }
    return names;
}

std::string_view lastPartOf(const std::string& name) {
    return std::string_view(name).substr(name.rfind('/') + 1);
}

/// A metric divided by something of each run that is above 0 or not known.
Comparison::MetricRow rowPer(const Comparison& comparison, const Comparison::MetricRow& of, std::string_view path,
                             std::string_view title, const std::vector<double>& divisors) {
    Comparison::MetricRow row{.metric = of.metric, .values = {}, .ratios = {}, .same = false};
    row.metric.name = fmt::format("{}/{}", path, of.metric.name);
    if (constexpr std::string_view kStep = " of a step"; row.metric.title.ends_with(kStep))
        row.metric.title.resize(row.metric.title.size() - kStep.size());
    row.metric.title += title;
    for (std::size_t run = 0; run < of.values.size(); ++run)
        row.values.push_back(of.values[run] && divisors[run] > 0 ? std::optional(*of.values[run] / divisors[run])
                                                                 : std::nullopt);
    row.metric.value = row.values[comparison.baseline].value_or(0);
    row.compareTo(comparison.baseline);
    return row;
}

/// The row of throughput, with the rates of runs whose engines do not say them.
Comparison::MetricRow takeRateRow(Comparison& comparison) {
    Comparison::MetricRow row;
    const auto found = std::find_if(comparison.metrics.begin(), comparison.metrics.end(),
                                    [&](const auto& each) { return each.metric.name == comparison.rate; });
    if (found != comparison.metrics.end()) {
        row = std::move(*found);
        comparison.metrics.erase(found);
    } else {
        row.metric = {.name = comparison.rate, .title = "Throughput", .owner = {}, .better = Metric::Better::higher};
        row.values.resize(comparison.runs.size());
    }
    for (std::size_t run = 0; run < row.values.size(); ++run) {
        const AmountOfWork& work = comparison.works[run];
        if (row.values[run] || !isCounted(work)) continue;
        row.values[run] = work.samples * (comparison.rate == kTokenRate ? work.tokens : 1) / work.seconds;
    }
    row.compareTo(comparison.baseline);
    return row;
}

/// Samples, or tokens, of a step over the unit, one per run.
std::vector<double> unitsOf(const Comparison& comparison, const WorkUnit& unit) {
    std::vector<double> units;
    for (const AmountOfWork& work : comparison.works)
        units.push_back(work.samples * (comparison.rate == kTokenRate ? work.tokens : 1) / unit.amount);
    return units;
}

}  // namespace

void Comparison::MetricRow::compareTo(std::size_t run) {
    const std::optional<double> base = values[run];
    ratios.clear();
    for (const std::optional<double>& value : values)
        ratios.push_back(value && base && *base != 0 ? std::optional(*value / *base) : std::nullopt);
    same = std::all_of(values.begin(), values.end(), [&](const auto& value) { return value == base; });
}

std::string letterOf(std::size_t run) {
    constexpr std::size_t kLetters = 26;
    std::string letters(1, static_cast<char>('A' + run % kLetters));
    while (run >= kLetters) {
        run = run / kLetters - 1;
        letters.insert(letters.begin(), static_cast<char>('A' + run % kLetters));
    }
    return letters;
}

std::string letterList(const std::vector<std::string>& letters) {
    constexpr std::size_t kMaxListed = 8;
    if (letters.size() <= kMaxListed) return joined(letters, ", ");
    return fmt::format("{} and {} more", joined({letters.begin(), letters.begin() + kMaxListed}, ", "),
                       letters.size() - kMaxListed);
}

std::string namedRun(const Comparison& comparison, std::size_t run) {
    const std::string& title = comparison.runs[run];
    return title.empty() ? comparison.letters[run] : fmt::format("{} ({})", comparison.letters[run], title);
}

std::string modelsOf(const Result& result) {
    std::string text;
    for (const std::string& model : result.study.models) {
        // A generated model's contents follow the batch, which is a condition of its own.
        const bool generated = model::isZooName(model);
        if (generated) text += model;
        for (const Input& input : result.inputs)
            if (!generated && input.name == model) text += input.sha256;
    }
    for (const auto& [name, value] : result.study.dimensions) text += fmt::format(" {}={}", name, value);
    return text;
}

void addComparables(Comparison& comparison, const std::vector<const Result*>& results) {
    std::vector<AmountOfWork>& works = comparison.works;
    for (const Result* result : results) works.push_back(amountOf(*result));
    const AmountOfWork& base = works[comparison.baseline];
    comparison.sameWork =
        std::all_of(works.begin(), works.end(), [&](const AmountOfWork& work) { return doSameWork(work, base); });
    comparison.sameDevices =
        std::all_of(works.begin(), works.end(), [&](const AmountOfWork& work) { return work.devices == base.devices; });
    if (comparison.sameWork && comparison.sameDevices) return;
    comparison.unlike = differenceOf(works, comparison.sameWork, comparison.sameDevices);
    const std::set<std::string_view> names = metricsOfWork(results);
    for (Comparison::MetricRow& row : comparison.metrics) {
        if (!names.contains(lastPartOf(row.metric.name))) continue;
        row.comparable = comparison.sameWork && row.metric.measure != Measure::seconds;
        if (!row.comparable) row.ratios.assign(row.ratios.size(), std::nullopt);
    }
    if (!isCounted(base)) return;
    const bool tokens =
        std::all_of(works.begin(), works.end(), [](const auto& work) { return !isCounted(work) || work.tokens > 0; });
    comparison.rate = tokens ? kTokenRate : kSampleRate;
    std::vector<Comparison::MetricRow> front{takeRateRow(comparison)};
    if (!comparison.sameDevices) {
        std::vector<double> devices;
        for (const AmountOfWork& work : works) devices.push_back(static_cast<double>(work.devices));
        front.insert(front.begin(), rowPer(comparison, front.front(), "per_accelerator", " per accelerator", devices));
    }
    if (!comparison.sameWork) {
        const WorkUnit& unit = tokens ? kPerTokens : kPerSamples;
        const std::vector<double> units = unitsOf(comparison, unit);
        for (const Comparison::MetricRow& row : comparison.metrics)
            if (!row.comparable && row.metric.owner.empty())
                front.push_back(rowPer(comparison, row, unit.id, unit.title, units));
    }
    comparison.metrics.insert(comparison.metrics.begin(), std::make_move_iterator(front.begin()),
                              std::make_move_iterator(front.end()));
}

std::optional<Explanation> explainCompared(const Comparison& comparison, const std::string& metric, std::size_t run,
                                           const Result& result) {
    if (std::optional<Explanation> known = explain(result, metric)) return known;
    const auto row = std::find_if(comparison.metrics.begin(), comparison.metrics.end(),
                                  [&](const Comparison::MetricRow& each) { return each.metric.name == metric; });
    if (row == comparison.metrics.end() || !row->values[run]) return std::nullopt;
    const AmountOfWork& work = comparison.works[run];
    Metric value = row->metric;
    value.value = *row->values[run];
    Explanation explanation{.title = row->metric.title,
                            .value = textOf(value),
                            .exact = exactNumber(value.value),
                            .formula = "samples of a step / its time",
                            .terms = {},
                            .source = "definition",
                            .notes = result.assumptions};
    if (metric.starts_with("per_accelerator/")) {
        explanation.formula += " / accelerators in use";
        explanation.terms.push_back({"accelerators in use", formatCount(work.devices), "result"});
    } else if (metric.find('/') != std::string::npos) {
        explanation.formula = "that of a step / samples of a step";
        explanation.terms.push_back({"of", metric.substr(metric.find('/') + 1), "result"});
    }
    explanation.terms.push_back({"samples of a step", formatCount(work.samples), "result"});
    if (comparison.rate == kTokenRate) {
        explanation.formula +=
            metric.find("million") == std::string::npos ? " · tokens of a sample" : " / tokens of a sample";
        explanation.terms.push_back({"tokens of a sample", formatCount(work.tokens), "result"});
    }
    explanation.terms.push_back({"time of a step", formatSeconds(work.seconds), "result"});
    return explanation;
}

std::vector<std::vector<std::size_t>> comparableRuns(const std::vector<const Result*>& results) {
    std::vector<std::string> models;
    std::vector<bool> counted;
    for (const Result* result : results) {
        models.push_back(modelsOf(*result));
        counted.push_back(!models.back().empty() && isCounted(amountOf(*result)));
    }
    const auto alike = [&](std::size_t a, std::size_t b) {
        return results[a]->study.engine == results[b]->study.engine ||
               (counted[a] && counted[b] && models[a] == models[b]);
    };
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t run = 0; run < results.size(); ++run) {
        std::vector<std::size_t> joint{run};
        std::erase_if(groups, [&](const std::vector<std::size_t>& group) {
            if (std::none_of(group.begin(), group.end(), [&](std::size_t its) { return alike(its, run); }))
                return false;
            joint.insert(joint.end(), group.begin(), group.end());
            return true;
        });
        std::sort(joint.begin(), joint.end());
        groups.push_back(std::move(joint));
    }
    std::sort(groups.begin(), groups.end());
    return groups;
}

ComparedKinds compareByKind(const std::vector<const Result*>& results, const std::vector<std::string>& titles,
                            std::size_t baseline) {
    if (titles.size() != results.size() || baseline >= results.size())
        throw UsageError(
            fmt::format("{} runs have {} titles and baseline {}", results.size(), titles.size(), baseline));
    ComparedKinds kinds;
    for (const std::vector<std::size_t>& group : comparableRuns(results)) {
        if (group.size() < 2) {
            kinds.alone.push_back(group.front());
            continue;
        }
        std::vector<const Result*> its;
        std::vector<std::string> itsTitles, letters;
        std::size_t itsBaseline = 0;
        for (std::size_t i = 0; i < group.size(); ++i) {
            its.push_back(results[group[i]]);
            itsTitles.push_back(titles[group[i]]);
            letters.push_back(letterOf(group[i]));
            if (group[i] == baseline) itsBaseline = i;
        }
        kinds.comparisons.push_back(compare(its, itsTitles, itsBaseline, std::move(letters)));
        kinds.places.push_back(group);
    }
    return kinds;
}

}  // namespace tessera::study

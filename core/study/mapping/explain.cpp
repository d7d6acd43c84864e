#include "core/study/mapping/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/mapping/document.h"
#include "core/study/mapping/explain_job.h"
#include "core/study/mapping/outcome.h"
#include "core/study/metric.h"

namespace tessera::study {

namespace {

using mapping::Run;

constexpr std::string_view kPaper = "Kao, Krishna: MAGMA, HPCA 2022";

/// Everything that an explanation draws on.
struct Context {
    const Result& result;
    const MappingOutcome& outcome;
    const Run& run;
};

/// How a number comes about: the one place that knows its formula, its terms and its source.
struct Rule {
    std::string_view metric;
    std::string_view formula;
    std::string_view source;
    void (*terms)(const Context& context, std::vector<Explanation::Term>& terms);
};

std::string cycles(double value) {
    return formatCount(std::round(value)) + " cycles";
}

std::string samples(std::int64_t value) {
    return formatCount(static_cast<double>(value));
}

void makespanTerm(const Context& context, std::vector<Explanation::Term>& terms) {
    terms.push_back({"makespan", cycles(context.run.values.makespan), "result, makespan_cycles"});
}

void clockTerm(const Context& context, std::vector<Explanation::Term>& terms) {
    if (!context.outcome.problem.clock) return;
    std::string from = "option --clock";
    if (!context.outcome.platform.empty()) from = "platform " + inQuotes(context.outcome.platform);
    if (!context.outcome.cores.empty())
        if (const auto source = context.outcome.cores.front().sources.find("clock_hz");
            source != context.outcome.cores.front().sources.end())
            from += ", " + escaped(hardware::whereFrom(source->second));
    terms.push_back({"clock", formatQuantity(context.outcome.problem.clock->value, Measure::hertz), from});
}

void tableTerms(const Context& context, std::vector<Explanation::Term>& terms) {
    const mapping::Problem& problem = context.outcome.problem;
    const std::string from = context.outcome.jobTable.empty()
                                 ? fmt::format("dataflow cost model, variant {}", context.outcome.variant)
                                 : "table of jobs " + inQuotes(context.outcome.jobTable);
    terms.push_back({"jobs", formatCount(static_cast<double>(problem.jobs.size())), from});
    terms.push_back({"sub-accelerators", formatCount(static_cast<double>(problem.cores.size())), from});
    double busiest = 0;
    std::vector<double> load(problem.cores.size());
    for (std::size_t j = 0; j < context.run.mapping.core.size(); ++j) {
        const auto core = static_cast<std::size_t>(context.run.mapping.core[j]);
        load[core] += problem.latency[problem.pair(j, core)];
        busiest = std::max(busiest, load[core]);
    }
    terms.push_back({"no-stall latencies of the fullest sub-accelerator", cycles(busiest), from});
    terms.push_back({"shared bandwidth BW", fmt::format("{:.6g} bytes/cycle", problem.bandwidth),
                     context.outcome.platform.empty() ? "option --bandwidth-bytes-per-cycle"
                                                      : "platform " + inQuotes(context.outcome.platform)});
}

void secondsTerms(const Context& context, std::vector<Explanation::Term>& terms) {
    makespanTerm(context, terms);
    clockTerm(context, terms);
}

void throughputTerms(const Context& context, std::vector<Explanation::Term>& terms) {
    const std::vector<double>& macs = context.outcome.problem.macs;
    terms.push_back({"multiply-accumulates of all jobs", formatCount(std::accumulate(macs.begin(), macs.end(), 0.0)),
                     "the layers' sizes"});
    secondsTerms(context, terms);
}

void energyTerms(const Context& context, std::vector<Explanation::Term>& terms) {
    terms.push_back({"least energy of every job on any sub-accelerator, summed",
                     formatQuantity(context.outcome.result.bound.energy, Measure::joules), "result, bound.energy_j"});
}

void boundTerms(const Context& context, std::vector<Explanation::Term>& terms) {
    const mapping::Bound& bound = context.outcome.result.bound;
    terms.push_back({"longest job", cycles(bound.longestJob), "max over jobs of min over cores of L·max(1, B/BW)"});
    terms.push_back({"load", cycles(bound.load), "linear program: jobs divided over cores at will"});
    terms.push_back({"bandwidth", cycles(bound.bandwidth), "all bytes through the shared bandwidth"});
    terms.push_back({"combined", cycles(bound.combined), "load and bandwidth in one program"});
    terms.push_back({"the best of them", bound.method, "result, bound.method"});
}

void gapTerms(const Context& context, std::vector<Explanation::Term>& terms) {
    terms.push_back({"value of the objective", fmt::format("{:.8g}", context.run.value), "result, value"});
    terms.push_back(
        {"its lower bound", fmt::format("{:.8g}", context.outcome.result.bound.objective), "result, bound.objective"});
}

void sampleTerms(const Context& context, std::vector<Explanation::Term>& terms) {
    terms.push_back({"allowed", samples(context.outcome.samples), "parameter samples"});
    terms.push_back({"evaluated", samples(context.run.samples), "result, samples"});
    terms.push_back({"ended by", std::string(nameOf(context.run.endedBy)), "result, ended_by"});
}

void countTerms(const Context& context, std::vector<Explanation::Term>& terms) {
    const std::string from = context.outcome.jobTable.empty() ? "workload " + inQuotes(context.outcome.workload)
                                                              : "table of jobs " + inQuotes(context.outcome.jobTable);
    terms.push_back({"problem", inQuotes(context.outcome.problem.name), from});
}

const std::vector<Rule>& rules() {
    static const std::vector<Rule> kRules{
        {"makespan_cycles", "makespan = ∫ max(1, R(τ)/BW) dτ over no-stall time τ; R = Σ B of the jobs that run at τ",
         "Algorithm 1, in closed form", tableTerms},
        {"makespan_s", "makespan = makespan in cycles / clock", "Algorithm 1", secondsTerms},
        {"throughput_flops", "throughput = 2 · Σ MACs / makespan", "section III", throughputTerms},
        {"mean_finish_cycles", "mean over jobs of the time at which the job has finished", "Algorithm 1", tableTerms},
        {"energy_j", "energy = Σ over jobs of its energy on its sub-accelerator", "definition", energyTerms},
        {"lower_bound_cycles", "bound = max(longest job, load, bandwidth, combined)", "linear programming", boundTerms},
        {"gap", "gap = value / bound − 1", "definition", gapTerms},
        {"samples", "samples = mappings that were evaluated", "definition", sampleTerms},
        {"best_after_samples", "samples after which the best mapping was known", "definition", sampleTerms},
        {"jobs", "jobs = rows of the problem", "definition", countTerms},
        {"sub_accelerators", "sub-accelerators = columns of the problem", "definition", countTerms},
    };
    return kRules;
}

/// The value in its base unit: the name says which.
std::string exactText(const Metric& metric, std::string_view name) {
    std::string text = exactNumber(metric.value);
    for (const auto& [suffix, unit] : {std::pair("_cycles", " cycles"), std::pair("_flops", " FLOP/s"),
                                       std::pair("_s", " s"), std::pair("_j", " J")})
        if (name.ends_with(suffix)) return text + unit;
    return text;
}

}  // namespace

std::optional<Explanation> explainMapping(const Result& result, const MappingOutcome& outcome,
                                          const std::string& path) {
    for (const Metric& metric : metricsOf(result)) {
        if (metric.name != path) continue;
        const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
        const auto rule =
            std::find_if(rules().begin(), rules().end(), [&](const Rule& row) { return row.metric == name; });
        const auto& runs = outcome.result.runs;
        const auto owner =
            std::find_if(runs.begin(), runs.end(), [&](const Run& run) { return run.algorithm == metric.owner; });
        const Run* run = owner == runs.end() ? bestRun(outcome) : &*owner;
        if (rule == rules().end() || run == nullptr) return std::nullopt;
        Explanation explanation;
        explanation.title = metric.title + (metric.owner.empty() ? "" : " of " + metric.owner);
        explanation.value = textOf(metric);
        explanation.exact = exactText(metric, name);
        explanation.formula = rule->formula;
        rule->terms({.result = result, .outcome = outcome, .run = *run}, explanation.terms);
        explanation.source =
            rule->source == "definition" ? std::string(rule->source) : fmt::format("{}, {}", kPaper, rule->source);
        explanation.notes = result.assumptions;
        return explanation;
    }
    return explainJob(result, outcome, path);
}

}  // namespace tessera::study

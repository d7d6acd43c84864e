#include "core/study/mapping/explain_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/mapping/metrics.h"
#include "core/study/mapping/outcome.h"
#include "core/study/metric.h"

namespace tessera::study {

namespace {

using mapping::Run;

/// A job's place in a path, and the number that is asked for.
struct JobPath {
    const Run* run = nullptr;
    std::size_t job = 0;
    std::string_view field;
};

std::optional<JobPath> parsed(const MappingOutcome& outcome, std::string_view path) {
    constexpr std::string_view kJobs = "/jobs[";
    const std::size_t open = path.find(kJobs);
    const std::size_t close = path.find("]/", open == std::string_view::npos ? 0 : open);
    if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
    JobPath found;
    for (const Run& run : outcome.result.runs)
        if (run.algorithm == path.substr(0, open)) found.run = &run;
    const char* const first = path.data() + open + kJobs.size();
    const char* const last = path.data() + close;
    const auto [end, error] = std::from_chars(first, last, found.job);
    if (found.run == nullptr || error != std::errc() || end != last || found.job >= found.run->schedule.jobs.size())
        return std::nullopt;
    found.field = path.substr(close + 2);
    return found;
}

/// What a row of the table knows of a job on its core.
struct Numbers {
    const MappingOutcome& outcome;
    const Run& run;
    std::size_t job;

    const mapping::Schedule::Job& place() const { return run.schedule.jobs[job]; }
    std::size_t pair() const { return outcome.problem.pair(job, static_cast<std::size_t>(place().core)); }
    double alone() const { return outcome.problem.latency[pair()]; }
    double demand() const { return outcome.problem.demand[pair()]; }
    const std::string& core() const { return outcome.problem.cores[static_cast<std::size_t>(place().core)]; }
    std::string tableName() const {
        if (!outcome.jobTable.empty()) return "table of jobs " + inQuotes(outcome.jobTable);
        return fmt::format("job analysis, {} cost model", outcome.variant);
    }
    /// The job before it on its core; empty where it is the first.
    std::optional<std::size_t> before() const {
        for (std::size_t other = 0; other < run.schedule.jobs.size(); ++other)
            if (run.schedule.jobs[other].core == place().core && run.schedule.jobs[other].order == place().order - 1)
                return other;
        return std::nullopt;
    }
};

std::string bytesPerCycle(double value) {
    return fmt::format("{:.6g} bytes/cycle", value);
}

void addPlace(const Numbers& numbers, std::vector<Explanation::Term>& terms) {
    terms.push_back({"core", numbers.core(), "result, sub_accelerator"});
    terms.push_back({"place on it", std::to_string(numbers.place().order + 1), "result, order"});
}

void startTerms(const Numbers& numbers, std::vector<Explanation::Term>& terms) {
    addPlace(numbers, terms);
    if (const auto before = numbers.before())
        terms.push_back({"finish of " + escaped(numbers.outcome.problem.jobs[*before]) + ", before it",
                         cyclesText(numbers.outcome.problem, numbers.run.schedule.jobs[*before].finish),
                         "result, finish_cycles"});
}

void finishTerms(const Numbers& numbers, std::vector<Explanation::Term>& terms) {
    addPlace(numbers, terms);
    terms.push_back({"start", cyclesText(numbers.outcome.problem, numbers.place().start), "result, start_cycles"});
    terms.push_back({"no-stall latency", cyclesText(numbers.outcome.problem, numbers.alone()), numbers.tableName()});
    terms.push_back({"system bandwidth BW", bytesPerCycle(numbers.outcome.problem.bandwidth), "inputs"});
}

void jobTableTerms(const Numbers& numbers, std::vector<Explanation::Term>& terms) {
    terms.push_back({"core", numbers.core(), "result, sub_accelerator"});
    if (numbers.job < numbers.outcome.problem.macs.size())
        terms.push_back({"multiply-adds", formatCount(numbers.outcome.problem.macs[numbers.job]), "the layer's shape"});
    terms.push_back({"row", fmt::format("job {}, core {}", numbers.job, numbers.place().core), numbers.tableName()});
}

/// How a number of a job comes about.
struct JobRule {
    std::string_view field, title, formula;
    double (*value)(const Numbers& numbers);
    void (*terms)(const Numbers& numbers, std::vector<Explanation::Term>& terms);
    bool cycles;
};

const std::vector<JobRule>& jobRules() {
    static const std::vector<JobRule> kRules{
        {"start_cycles", "Start", "start = finish of the job before it on its core; 0 for the first",
         [](const Numbers& numbers) { return numbers.place().start; }, startTerms, true},
        {"finish_cycles", "Finish",
         "finish = start + no-stall latency, slowed down by max(1, R/BW) while the running jobs ask for R",
         [](const Numbers& numbers) { return numbers.place().finish; }, finishTerms, true},
        {"nostall_latency_cycles", "No-stall latency", "L = cycles of the layer on the core's array and dataflow",
         [](const Numbers& numbers) { return numbers.alone(); }, jobTableTerms, true},
        {"req_bw_bytes_per_cycle", "Required bandwidth", "B = bytes that the layer moves / its no-stall cycles",
         [](const Numbers& numbers) { return numbers.demand(); }, jobTableTerms, false}};
    return kRules;
}

}  // namespace

std::optional<Explanation> explainJob(const Result& result, const MappingOutcome& outcome, const std::string& path) {
    const std::optional<JobPath> asked = parsed(outcome, path);
    if (!asked) return std::nullopt;
    const auto rule = std::find_if(jobRules().begin(), jobRules().end(),
                                   [&](const JobRule& row) { return row.field == asked->field; });
    if (rule == jobRules().end()) return std::nullopt;
    const Numbers numbers{outcome, *asked->run, asked->job};
    const double value = rule->value(numbers);
    Explanation explanation;
    explanation.title = fmt::format("{} of {} under {}", rule->title, escaped(outcome.problem.jobs[asked->job]),
                                    escaped(asked->run->algorithm));
    explanation.value = rule->cycles ? cyclesText(outcome.problem, value) : bytesPerCycle(value);
    explanation.exact = exactNumber(value) + (rule->cycles ? " cycles" : " bytes/cycle");
    explanation.formula = rule->formula;
    rule->terms(numbers, explanation.terms);
    explanation.source = "Kao, Krishna: MAGMA, HPCA 2022, Algorithm 1 and section IV";
    explanation.notes = result.assumptions;
    return explanation;
}

}  // namespace tessera::study

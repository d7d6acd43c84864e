#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/mapping/mapping.h"
#include "core/reproduce/reproduce_magma.h"

/// Figures 8, 9 and 12 of MAGMA: every algorithm with the same samples, throughput over MAGMA's.
namespace tessera::study {

namespace {

constexpr double kTie = 1e-3;     ///< throughputs that a bar cannot distinguish
constexpr double kAppears = 1.1;  ///< a ratio within this factor of the paper's is called the same

/// MAGMA first: all others are relative to it.
const std::vector<Searcher>& comparedSearchers() {
    static const std::vector<Searcher> kSearchers{
        {.metric = "magma", .algorithm = "magma"},
        {.metric = "herald-like", .algorithm = "herald-like"},
        {.metric = "ai-mt-like", .algorithm = "ai-mt-like"},
        {.metric = "pso", .algorithm = "pso"},
        {.metric = "cmaes", .algorithm = "cmaes"},
        {.metric = "de", .algorithm = "de"},
        {.metric = "tbpsa", .algorithm = "tbpsa"},
        {.metric = "stdga", .algorithm = "stdga"},
        {.metric = "a2c", .algorithm = "a2c"},
        {.metric = "ppo2", .algorithm = "ppo2"},
        {.metric = "magma-published", .algorithm = "magma-published"},
        {.metric = "random", .algorithm = "random"},
        {.metric = "tessera", .algorithm = "tessera"},
    };
    return kSearchers;
}

using Names = std::vector<std::string_view>;
const Names kHerald{"herald-like"};
const Names kAiMt{"ai-mt-like"};
const Names kBlackBox{"pso", "cmaes", "de", "tbpsa", "stdga"};
const Names kLearners{"a2c", "ppo2"};
const Names kOptimisers{"pso", "cmaes", "de", "tbpsa", "stdga", "a2c", "ppo2"};
const Names kOthers{"herald-like", "ai-mt-like", "pso", "cmaes", "de", "tbpsa", "stdga", "a2c", "ppo2"};

/// "MAGMA is `times` times better than …", a geometric mean over algorithms and cases.
struct Claim {
    std::string_view metric;
    std::string_view of;  ///< in words
    Names algorithms;
    std::vector<std::size_t> cells;
    double times = 0;
};

/// A bar whose height the paper's text states.
struct Bar {
    std::size_t cell = 0;
    std::string_view metric;
    double height = 0;
};

struct AlgorithmFigure {
    std::vector<Case> cells;
    std::vector<std::optional<double>> gflops;  ///< of MAGMA, by case; may be empty
    std::vector<Claim> claims;
    std::vector<Bar> bars = {};

    std::optional<double> paperOf(std::size_t cell, std::string_view metric) const {
        for (const Bar& bar : bars)
            if (bar.cell == cell && bar.metric == metric) return bar.height;
        return std::nullopt;
    }
};

/// What all searchers reached on one case by one reading.
struct Score {
    std::vector<mapping::Run> runs;  ///< by searcher
    mapping::Bound bound;

    double relative(std::size_t searcher) const { return runs[0].values.makespan / runs[searcher].values.makespan; }
};

std::vector<Score> scoresOf(Experiment& experiment, const std::vector<Prepared>& cases,
                            const std::vector<Searcher>& selected) {
    std::vector<Score> scores(cases.size());
    for (Score& score : scores) score.runs.resize(selected.size());
    experiment.each("searches", cases.size() * selected.size(), [&](std::size_t part) {
        const std::size_t searcher = part % selected.size(), at = part / selected.size();
        scores[at].runs[searcher] =
            experiment.search(cases[at].problem, selected[searcher], experiment.samples(kSamples));
        if (searcher == 0) scores[at].bound = mapping::lowerBound(cases[at].problem);
    });
    return scores;
}

/// The geometric mean of a claim's bars by one reading; empty where none of its algorithms ran.
std::optional<double> claimMean(const Claim& claim, const std::vector<Searcher>& selected,
                                const std::vector<Score>& scores, std::size_t reading) {
    std::vector<double> bars;
    for (const std::size_t cell : claim.cells)
        for (std::size_t r = 0; r < selected.size(); ++r)
            if (std::find(claim.algorithms.begin(), claim.algorithms.end(), selected[r].metric) !=
                claim.algorithms.end())
                bars.push_back(scores[cell * kReadings.size() + reading].relative(r));
    if (bars.empty()) return std::nullopt;
    return geometricMean(bars);
}

void addClaims(Experiment& experiment, const AlgorithmFigure& shown, const std::vector<Searcher>& selected,
               const std::vector<Score>& scores) {
    for (const Claim& claim : shown.claims) {
        std::vector<double> times;
        for (std::size_t reading = 0; reading < kReadings.size(); ++reading) {
            const std::optional<double> ours = claimMean(claim, selected, scores, reading);
            if (!ours) continue;
            times.push_back(1 / *ours);
            experiment.mean(fmt::format("{}{}", claim.metric, kReadings.at(reading).suffix), *ours, 1 / claim.times);
        }
        if (times.size() < kReadings.size()) continue;
        const double apart = std::abs(std::log(times[0] / claim.times));
        experiment.verdict(fmt::format("MAGMA is {:g} times better than {} (geometric mean)", claim.times, claim.of),
                           apart <= std::log(kAppears),
                           fmt::format("{:.3g} times, corrected {:.3g} times", times[0], times[1]));
    }
    experiment.note(
        "A geometric mean is of throughput over MAGMA's, as the bars are: the inverse of the paper's words.");
}

/// Whether a case can distinguish algorithms: how near MAGMA is to the bound, and whether algorithms differ.
void addCaseNotes(Experiment& experiment, const std::vector<Prepared>& cases, const std::vector<Searcher>& selected,
                  const std::vector<Score>& scores) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Score& score = scores[i];
        double min = 1, max = 1;
        std::string_view worst = selected[0].metric;
        for (std::size_t r = 1; r < selected.size(); ++r) {
            const double bar = score.relative(r);
            if (bar < min) worst = selected[r].metric;
            min = std::min(min, bar);
            max = std::max(max, bar);
        }
        const mapping::Run& magma = score.runs[0];
        std::string text = fmt::format("{}: ", cases[i].item());
        text += magma.optimal ? fmt::format("MAGMA is optimal (bound: {})", score.bound.method)
                              : fmt::format("MAGMA is at most {} above the optimum (bound: {})", percent(magma.gap),
                                            score.bound.method);
        text += max - min < kTie ? "; no two algorithms can be distinguished here."
                                 : fmt::format("; the worst is {} at {:.3g}, the best at {:.4g} of MAGMA's throughput.",
                                               worst, min, max);
        experiment.note(std::move(text));
    }
}

void addGeneticNote(Experiment& experiment, const std::vector<Searcher>& selected, const std::vector<Score>& scores) {
    const auto genetic = std::find_if(selected.begin(), selected.end(),
                                      [](const Searcher& searcher) { return searcher.metric == "stdga"; });
    if (genetic == selected.end()) return;
    double min = 1, gap = 0;
    for (std::size_t i = 0; i < scores.size(); i += kReadings.size()) {
        min = std::min(min, scores[i].relative(static_cast<std::size_t>(genetic - selected.begin())));
        gap = std::max(gap, scores[i].runs[0].gap);
    }
    experiment.note(fmt::format(
        "Where the paper's ratios do not appear it is because other searches are not that weak: with the same samples "
        "a "
        "plain genetic algorithm reaches at least {:.3g} of MAGMA's throughput on every published case, and MAGMA "
        "itself stands at most {} above a proven bound there.",
        min, percent(gap)));
}

/// The same cases without jobs that are the bound alone: where the drawn ones cannot distinguish algorithms, these can.
void addCutCases(Experiment& experiment, const std::vector<Prepared>& cases, const std::vector<Searcher>& selected) {
    std::vector<Prepared> parts(cases.size());
    experiment.each("cut cases", cases.size(), [&](std::size_t i) { parts[i] = cut(cases[i]); });
    const std::vector<Score> scores = scoresOf(experiment, parts, selected);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        for (std::size_t r = 0; r < selected.size(); ++r)
            experiment.row(parts[i].item(), selected[r].metric, scores[i].relative(r));
        experiment.row(parts[i].item(), "bound", scores[i].runs[0].values.makespan / scores[i].bound.makespan);
    }
    addCaseNotes(experiment, parts, selected, scores);
    experiment.note(
        "'cut' is the same group with its long jobs cut into smaller mini-batches, until none takes more than a "
        "quarter "
        "of what every sub-accelerator has to do, so that no single job is the bound. Geometric means are of the "
        "groups "
        "as drawn.");
}

Reproduction recompute(const AlgorithmFigure& shown, Experiment experiment) {
    const std::vector<Prepared> cases = experiment.prepare(shown.cells);
    const std::vector<Searcher> selected = known(comparedSearchers());
    const std::vector<Score> scores = scoresOf(experiment, cases, selected);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Score& score = scores[i];
        const std::size_t cell = i / kReadings.size();
        for (std::size_t r = 0; r < selected.size(); ++r)
            experiment.row(cases[i].item(), selected[r].metric, score.relative(r),
                           shown.paperOf(cell, selected[r].metric));
        experiment.row(cases[i].item(), "bound", score.runs[0].values.makespan / score.bound.makespan);
        experiment.row(cases[i].item(), "magma_gflops", gflops(cases[i].problem, score.runs[0].values.makespan),
                       cell < shown.gflops.size() ? shown.gflops[cell] : std::nullopt);
    }
    addClaims(experiment, shown, selected, scores);
    addCaseNotes(experiment, cases, selected, scores);
    addCutCases(experiment, cases, selected);
    addGeneticNote(experiment, selected, scores);
    experiment.note(
        "Bars are throughput over MAGMA's; 'bound' is what no mapping can exceed; 'tessera' is this program's own "
        "search; 'magma_gflops' is MAGMA's throughput at 200 MHz. The paper draws the bars without their "
        "heights, but for what its text says.");
    if (!shown.gflops.empty())
        experiment.note(
            "With arrays, clock and bandwidth given, 'magma_gflops' depends on which layers and mini-batches were "
            "drawn: "
            "jobs that keep the arrays fuller or ask for fewer bytes per operation make more of them. Against the "
            "paper's number it says how unlike the paper's the jobs are, not how good a mapping is.");
    return std::move(experiment).finish();
}

}  // namespace

Reproduction magmaFigure8(const Figure& figure, const ReproductionOptions& options, const RunControl& control) {
    const std::vector<std::size_t> all{0, 1, 2, 3};
    const AlgorithmFigure shown{
        .cells = {{"vision", "S1"}, {"language", "S1"}, {"recommendation", "S1"}, {"mix", "S1"}},
        .gflops = {249, 397, 194, 329},
        .claims = {{"herald-like", "Herald-like", kHerald, all, 1.4},
                   {"ai-mt-like", "AI-MT-like", kAiMt, all, 1.41},
                   {"optimisers", "the other optimisation methods", kOptimisers, all, 1.6}}};
    return recompute(shown, Experiment(figure, options, control));
}

Reproduction magmaFigure9(const Figure& figure, const ReproductionOptions& options, const RunControl& control) {
    const std::vector<std::size_t> small{0, 1}, large{2, 3};
    const AlgorithmFigure shown{
        .cells = {{"vision", "S2"}, {"mix", "S2"}, {"vision", "S4", 256}, {"mix", "S4", 256}},
        .gflops = {254, 271, 254, 383},
        .claims = {{"herald-like S2", "Herald-like on S2", kHerald, small, 2.3},
                   {"ai-mt-like S2", "AI-MT-like on S2", kAiMt, small, 39.5},
                   {"optimisers S2", "the optimisation methods without learning on S2", kBlackBox, small, 13.4},
                   {"learners S2", "the learning methods on S2", kLearners, small, 1.01},
                   {"herald-like S4", "Herald-like on S4", kHerald, large, 1.7},
                   {"ai-mt-like S4", "AI-MT-like on S4", kAiMt, large, 52},
                   {"optimisers S4", "the optimisation methods without learning on S4", kBlackBox, large, 10},
                   {"learners S4", "the learning methods on S4", kLearners, large, 1.3}},
        .bars = {{3, "herald-like", 0.2}}};
    return recompute(shown, Experiment(figure, options, control));
}

Reproduction magmaFigure12(const Figure& figure, const ReproductionOptions& options, const RunControl& control) {
    const AlgorithmFigure shown{.cells = {{"mix", "S2", 1},
                                          {"mix", "S2", 4},
                                          {"mix", "S2", 8},
                                          {"mix", "S2", 16},
                                          {"mix", "S4", 1},
                                          {"mix", "S4", 16},
                                          {"mix", "S4", 64},
                                          {"mix", "S4", 256}},
                                .gflops = {},
                                .claims = {{"others S2 1", "the others on S2 at 1 GB/s", kOthers, {0}, 1.6},
                                           {"others S2 16", "the others on S2 at 16 GB/s", kOthers, {3}, 1.2}}};
    return recompute(shown, Experiment(figure, options, control));
}

}  // namespace tessera::study

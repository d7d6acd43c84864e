#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/mapping/mapping.h"
#include "core/reproduce/reproduce_magma.h"

/// Figures 11 and 16 of MAGMA: throughput by the samples that were spent.
namespace tessera::study {

namespace {

constexpr double kConverged = 1.01;  ///< of its last value, a search counts as converged

struct Curves {
    std::vector<Case> cells;
    std::vector<Searcher> searchers;  ///< the first is the reference of all, at its end
    std::vector<double> grid;         ///< samples at which curves are read, rising
    std::uint64_t seeds = 1;          ///< the curve is the geometric mean over them
};

/// The runs of one searcher on one case, by seed.
using Runs = std::vector<mapping::Run>;

/// Geometric mean over seeds of the best after `samples`; infinite where a run has none yet.
double valueAt(const Runs& runs, std::int64_t samples) {
    std::vector<double> values;
    for (const mapping::Run& run : runs) values.push_back(bestAfter(run, samples));
    return geometricMean(values);
}

double lastValue(const Runs& runs) {
    std::vector<double> values;
    for (const mapping::Run& run : runs) values.push_back(run.values.makespan);
    return geometricMean(values);
}

/// Samples after which the curve is within 1 % of its end.
double convergedAfter(const Runs& runs) {
    std::vector<double> samples;
    for (const mapping::Run& run : runs)
        for (const mapping::ConvergencePoint& point : run.convergence)
            if (point.best <= run.values.makespan * kConverged) {
                samples.push_back(static_cast<double>(point.samples));
                break;
            }
    return geometricMean(samples);
}

std::vector<std::vector<Runs>> searched(Experiment& experiment, const std::vector<Prepared>& cases,
                                        const Curves& curves) {
    const std::size_t seeds = static_cast<std::size_t>(curves.seeds), searchers = curves.searchers.size();
    std::vector<std::vector<Runs>> runs(cases.size(), std::vector<Runs>(searchers, Runs(seeds)));
    experiment.each("searches", cases.size() * searchers * seeds, [&](std::size_t part) {
        const std::size_t seed = part % seeds, searcher = part / seeds % searchers, at = part / seeds / searchers;
        const Searcher& selected = curves.searchers[searcher];
        runs[at][searcher][seed] = experiment.search(cases[at].problem, selected,
                                                     experiment.samples(curves.grid.back(), selected.share), seed + 1);
    });
    return runs;
}

void addCurves(Experiment& experiment, const Prepared& read, const Curves& curves, const std::vector<Runs>& runs) {
    const double reference = lastValue(runs[0]);
    std::int64_t before = 0;
    for (const double wanted : curves.grid) {
        const std::int64_t samples = experiment.samples(wanted);
        // Of a small budget the first points are the same.
        if (std::exchange(before, samples) == samples) continue;
        for (std::size_t r = 0; r < runs.size(); ++r) {
            const bool reached = samples <= experiment.samples(curves.grid.back(), curves.searchers[r].share);
            const double value = valueAt(runs[r], samples);
            if (reached && std::isfinite(value))
                experiment.row(fmt::format("{}, {} samples", read.item(), samples), curves.searchers[r].metric,
                               reference / value);
        }
    }
}

void addBoundNote(Experiment& experiment, const Prepared& read, const Runs& first) {
    experiment.note(fmt::format("{}: MAGMA ends {} above a proven bound{}.", read.item(), percent(first[0].gap),
                                first[0].optimal ? ", which is the optimum" : ""));
}

Curves known(Curves curves) {
    curves.searchers = study::known(curves.searchers);
    return curves;
}

std::size_t indexOf(const Curves& curves, std::string_view metric) {
    const auto is = [&](const Searcher& searcher) { return searcher.metric == metric; };
    return static_cast<std::size_t>(std::find_if(curves.searchers.begin(), curves.searchers.end(), is) -
                                    curves.searchers.begin());
}

/// "In the end, they all converge to some lower performance points than the points found by MAGMA."
void addEndVerdict(Experiment& experiment, const std::vector<Prepared>& cases, const Curves& curves,
                   const std::vector<std::vector<Runs>>& runs) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
        std::string above;
        for (std::size_t r = 1; r < curves.searchers.size(); ++r) {
            const double relative = lastValue(runs[i][0]) / lastValue(runs[i][r]);
            if (curves.searchers[r].metric != "tessera" && relative >= 1)
                above += fmt::format("{}{} {:.4g}", above.empty() ? "" : ", ", curves.searchers[r].metric, relative);
        }
        experiment.verdict(fmt::format("on {} all other methods end below MAGMA", cases[i].name()), above.empty(),
                           above.empty() ? "" : "of MAGMA's throughput, " + above, cases[i].place());
    }
}

}  // namespace

Reproduction magmaFigure11(const Figure& figure, const ReproductionOptions& options, const RunControl& control) {
    constexpr double kLearning = 0.01;
    const Curves curves = known({.cells = {{"vision", "S2"}, {"mix", "S3"}},
                                 .searchers = {{.metric = "magma", .algorithm = "magma"},
                                               {.metric = "pso", .algorithm = "pso"},
                                               {.metric = "cmaes", .algorithm = "cmaes"},
                                               {.metric = "de", .algorithm = "de"},
                                               {.metric = "tbpsa", .algorithm = "tbpsa"},
                                               {.metric = "stdga", .algorithm = "stdga"},
                                               {.metric = "a2c", .algorithm = "a2c", .share = kLearning},
                                               {.metric = "ppo2", .algorithm = "ppo2", .share = kLearning},
                                               {.metric = "random", .algorithm = "random"},
                                               {.metric = "tessera", .algorithm = "tessera"}},
                                 .grid = {100, 300, 1000, 3000, 10'000, 30'000, 100'000}});
    Experiment experiment(figure, options, control);
    const std::vector<Prepared> cases = experiment.prepare(curves.cells);
    const std::vector<std::vector<Runs>> runs = searched(experiment, cases, curves);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        addCurves(experiment, cases[i], curves, runs[i]);
        for (std::size_t r = 0; r < curves.searchers.size(); ++r) {
            const bool isPublished = i == 0 && curves.searchers[r].metric == "tbpsa";
            experiment.row(cases[i].item() + ", samples to its end", curves.searchers[r].metric,
                           convergedAfter(runs[i][r]), isPublished ? std::optional(20'000.0) : std::nullopt);
        }
        addBoundNote(experiment, cases[i], runs[i][0]);
    }
    addEndVerdict(experiment, cases, curves, runs);
    experiment.note(
        "Values are throughput over what MAGMA has in the end; 'samples to its end' are those after which a search is "
        "within 1 % of its own last value.");
    for (const Searcher& searcher : curves.searchers)
        if (searcher.share < 1)
            experiment.note(fmt::format("{} was followed for {} samples only, because one of its costs far more time.",
                                        searcher.metric, experiment.samples(curves.grid.back(), searcher.share)));
    return std::move(experiment).finish();
}

Reproduction magmaFigure16(const Figure& figure, const ReproductionOptions& options, const RunControl& control) {
    const Curves curves{.cells = {{"vision", "S2"}, {"mix", "S3"}},
                        .searchers = {{.metric = "magma", .algorithm = "magma"},
                                      {.metric = "mutation+crossover-gen",
                                       .algorithm = "magma",
                                       .settings = {{"magma.crossover-rg", 0}, {"magma.crossover-accel", 0}}},
                                      {.metric = "mutation",
                                       .algorithm = "magma",
                                       .settings = {{"magma.crossover-gen", 0},
                                                    {"magma.crossover-rg", 0},
                                                    {"magma.crossover-accel", 0}}}},
                        .grid = {100, 200, 500, 1000, 2000, 5000, 10'000},
                        .seeds = 5};
    Experiment experiment(figure, options, control);
    const std::vector<Prepared> cases = experiment.prepare(curves.cells);
    const std::vector<std::vector<Runs>> runs = searched(experiment, cases, curves);
    const std::size_t crossed = indexOf(curves, "mutation+crossover-gen"), mutated = indexOf(curves, "mutation");
    for (std::size_t i = 0; i < cases.size(); ++i) {
        addCurves(experiment, cases[i], curves, runs[i]);
        addBoundNote(experiment, cases[i], runs[i][0]);
        const double all = lastValue(runs[i][0]), genome = lastValue(runs[i][crossed]),
                     alone = lastValue(runs[i][mutated]);
        experiment.verdict(
            fmt::format("on {} all four operators find most, mutation and crossover-gen less, mutation least",
                        cases[i].name()),
            exceeds(genome, all) && exceeds(alone, genome),
            fmt::format("of MAGMA's throughput, mutation and crossover-gen reach {:.4g}, mutation {:.4g}", all / genome,
                        all / alone),
            cases[i].place());
    }
    experiment.note(fmt::format(
        "Values are throughput over what MAGMA with all four operators has in the end, as geometric means of {} seeds.",
        curves.seeds));
    return std::move(experiment).finish();
}

}  // namespace tessera::study

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/mapping/mapping.h"
#include "core/reproduce/reproduce_magma.h"

/// Figure 15 of MAGMA: what Herald-like and MAGMA do with the same jobs.
namespace tessera::study {

namespace {

constexpr std::size_t kQuarters = 4;

const std::vector<Searcher>& solutionSearchers() {
    static const std::vector<Searcher> kSearchers{{.metric = "magma", .algorithm = "magma"},
                                                  {.metric = "herald-like", .algorithm = "herald-like"},
                                                  {.metric = "tessera", .algorithm = "tessera"}};
    return kSearchers;
}

/// What running jobs ask for, over the bandwidth, on average in each quarter of the makespan.
std::array<double, kQuarters> requestOf(const mapping::Problem& problem, const mapping::Schedule& schedule) {
    std::array<double, kQuarters> request{};
    const double quarter = schedule.makespan / kQuarters;
    for (std::size_t j = 0; j < schedule.jobs.size(); ++j) {
        const mapping::Schedule::Job& job = schedule.jobs[j];
        const double requiredBandwidth = problem.requiredBandwidth[problem.pair(j, static_cast<std::size_t>(job.core))];
        for (std::size_t q = 0; q < kQuarters; ++q) {
            const double from = std::max(job.start, quarter * static_cast<double>(q));
            const double to = std::min(job.finish, quarter * static_cast<double>(q + 1));
            if (to > from) request.at(q) += requiredBandwidth * (to - from) / quarter / problem.bandwidth;
        }
    }
    return request;
}

/// Jobs of a core, and the share of the makespan that it works.
struct Load {
    double jobs = 0, busy = 0;
};

std::vector<Load> loadsOf(const mapping::Problem& problem, const mapping::Schedule& schedule) {
    std::vector<Load> loads(problem.cores.size());
    for (const mapping::Schedule::Job& job : schedule.jobs) {
        Load& load = loads[static_cast<std::size_t>(job.core)];
        load.jobs += 1;
        load.busy += (job.finish - job.start) / schedule.makespan;
    }
    return loads;
}

void addSolution(Experiment& experiment, const Prepared& read, const std::vector<Searcher>& selected,
                 const std::vector<mapping::Run>& runs) {
    const auto rows = [&](const std::string& what, const auto& valueOf) {
        for (std::size_t r = 0; r < selected.size(); ++r)
            experiment.row(read.item() + ", " + what, selected[r].metric, valueOf(runs[r]));
    };
    rows("makespan_cycles", [](const mapping::Run& run) { return run.values.makespan; });
    for (std::size_t core = 0; core < read.problem.cores.size(); ++core) {
        rows("jobs on " + read.problem.cores[core],
             [&](const mapping::Run& run) { return loadsOf(read.problem, run.schedule)[core].jobs; });
        rows("busy share of " + read.problem.cores[core],
             [&](const mapping::Run& run) { return loadsOf(read.problem, run.schedule)[core].busy; });
    }
    for (std::size_t q = 0; q < kQuarters; ++q)
        rows(fmt::format("request in quarter {}", q + 1),
             [&](const mapping::Run& run) { return requestOf(read.problem, run.schedule).at(q); });
}

/// The first quarter's request over the mean of all.
double frontLoad(const mapping::Problem& problem, const mapping::Run& run) {
    const std::array<double, kQuarters> request = requestOf(problem, run.schedule);
    double sum = 0;
    for (const double value : request) sum += value;
    return sum > 0 ? request[0] * kQuarters / sum : 1;
}

}  // namespace

Reproduction magmaFigure15(const Figure& figure, const ReproductionOptions& options, const RunControl& control) {
    Experiment experiment(figure, options, control);
    const std::vector<Searcher> selected = known(solutionSearchers());
    const std::vector<Prepared> cases = experiment.prepare({{"mix", "S5", 1}});
    std::vector<std::vector<mapping::Run>> runs(cases.size(), std::vector<mapping::Run>(selected.size()));
    experiment.each("searches", cases.size() * selected.size(), [&](std::size_t part) {
        const std::size_t searcher = part % selected.size(), at = part / selected.size();
        runs[at][searcher] = experiment.search(cases[at].problem, selected[searcher], experiment.samples(kSamples));
    });
    const auto herald = static_cast<std::size_t>(
        std::find_if(selected.begin(), selected.end(),
                     [](const Searcher& searcher) { return searcher.metric == "herald-like"; }) -
        selected.begin());
    for (std::size_t i = 0; i < cases.size(); ++i) {
        addSolution(experiment, cases[i], selected, runs[i]);
        experiment.note(fmt::format("{}: MAGMA's mapping is at most {} above the optimum.", cases[i].item(),
                                    percent(runs[i][0].gap)));
        if (herald == selected.size()) continue;
        const mapping::Run &ours = runs[i][0], &theirs = runs[i][herald];
        experiment.verdict(fmt::format("on {} Herald-like takes longer than MAGMA", cases[i].name()),
                           theirs.values.makespan > ours.values.makespan,
                           fmt::format("{:.3g} times as long", theirs.values.makespan / ours.values.makespan),
                           cases[i].place());
        const double early = frontLoad(cases[i].problem, theirs), even = frontLoad(cases[i].problem, ours);
        experiment.verdict(
            fmt::format("on {} Herald-like asks for bandwidth at the beginning, MAGMA all the time", cases[i].name()),
            early > even, fmt::format("the first quarter asks for {:.3g} and {:.3g} times the mean", early, even),
            cases[i].place());
    }
    experiment.note(
        "'request' is what the running jobs ask for, over the bandwidth, in a quarter of the makespan: above 1 they "
        "wait. The paper draws the mappings without numbers.");
    return std::move(experiment).finish();
}

}  // namespace tessera::study

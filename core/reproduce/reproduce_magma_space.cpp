#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/mapping/mapping.h"
#include "core/reproduce/reproduce_magma.h"

/// Figures 7 and 10 of MAGMA: what jobs ask for on sub-accelerators of both styles, and where searches look.
namespace tessera::study {

namespace {

constexpr std::size_t kExplored = 1000;

/// Means over the jobs on the cores of one style, identified by their names in the platform.
struct Style {
    double latency = 0, bandwidth = 0;
};

Style meanStyle(const mapping::Problem& problem, std::string_view style) {
    Style sum;
    double count = 0;
    for (std::size_t core = 0; core < problem.cores.size(); ++core) {
        if (!problem.cores[core].starts_with(style)) continue;
        for (std::size_t job = 0; job < problem.jobs.size(); ++job) {
            sum.latency += problem.latency[problem.pair(job, core)];
            sum.bandwidth += problem.requiredBandwidth[problem.pair(job, core)];
            ++count;
        }
    }
    return {.latency = sum.latency / count, .bandwidth = sum.bandwidth / count};
}

/// How far samples lie from their middle in the plane of the main components, as a root of the mean square.
double spreadOf(const std::vector<mapping::ExploredPoint>& points, std::size_t from, std::size_t to) {
    const auto count = static_cast<double>(to - from);
    double x = 0, y = 0, square = 0;
    for (std::size_t i = from; i < to; ++i) {
        x += points[i].x / count;
        y += points[i].y / count;
    }
    for (std::size_t i = from; i < to; ++i)
        square += ((points[i].x - x) * (points[i].x - x) + (points[i].y - y) * (points[i].y - y)) / count;
    return std::sqrt(square);
}

}  // namespace

Reproduction magmaFigure7(const Figure& figure, const ReproductionOptions& options, const RunControl& control) {
    constexpr std::array<std::string_view, 3> kTasks{"vision", "language", "recommendation"};
    Experiment experiment(figure, options, control);
    std::vector<Case> cells;
    for (const std::string_view task : kTasks) cells.push_back({task, "S2"});
    const std::vector<Prepared> cases = experiment.prepare(cells);
    constexpr std::size_t kReadingCount = kReadings.size();
    for (std::size_t reading = 0; reading < kReadingCount; ++reading) {
        std::array<Style, kTasks.size()> high, low, both;
        for (std::size_t task = 0; task < kTasks.size(); ++task) {
            const Prepared& read = cases[task * kReadingCount + reading];
            high.at(task) = meanStyle(read.problem, "HB");
            low.at(task) = meanStyle(read.problem, "LB");
            both.at(task) = {.latency = (high.at(task).latency + low.at(task).latency) / 2,
                             .bandwidth = (high.at(task).bandwidth + low.at(task).bandwidth) / 2};
            for (const auto& [style, mean] : {std::pair("HB", high.at(task)), std::pair("LB", low.at(task))}) {
                const std::string item = fmt::format("{} on {}{}", kTasks.at(task), style, read.reading->suffix);
                experiment.row(item, "latency_cycles", mean.latency);
                experiment.row(item, "bandwidth_bytes_per_cycle", mean.bandwidth);
            }
        }
        const std::string_view place = placeOf(kReadings.at(reading));
        experiment.verdict("jobs of vision take longest",
                           exceeds(both[0].latency, both[1].latency) && exceeds(both[0].latency, both[2].latency),
                           fmt::format("{:.3g} cycles, language {:.3g}, recommendation {:.3g}", both[0].latency,
                                       both[1].latency, both[2].latency),
                           place);
        experiment.verdict(
            "jobs of vision ask for the least bandwidth and those of recommendation for the most",
            exceeds(both[1].bandwidth, both[0].bandwidth) && exceeds(both[2].bandwidth, both[1].bandwidth),
            fmt::format("{:.3g} bytes per cycle, language {:.3g}, recommendation {:.3g}", both[0].bandwidth,
                        both[1].bandwidth, both[2].bandwidth),
            place);
        experiment.verdict("language and recommendation take longer on LB than on HB and ask for less bandwidth there",
                           exceeds(low[1].latency, high[1].latency) && exceeds(low[2].latency, high[2].latency) &&
                               exceeds(high[1].bandwidth, low[1].bandwidth) &&
                               exceeds(high[2].bandwidth, low[2].bandwidth),
                           fmt::format("{:.3g} and {:.3g} times as long, {:.3g} and {:.3g} of the bandwidth",
                                       low[1].latency / high[1].latency, low[2].latency / high[2].latency,
                                       low[1].bandwidth / high[1].bandwidth, low[2].bandwidth / high[2].bandwidth),
                           place);
    }
    experiment.note(
        "Means over the drawn jobs of a task and the sub-accelerators of a style (HB: NVDLA-like, LB: Eyeriss-like) of "
        "S2, of the no-stall latency and the bandwidth that keeps it. The paper draws them without numbers.");
    return std::move(experiment).finish();
}

Reproduction magmaFigure10(const Figure& figure, const ReproductionOptions& options, const RunControl& control) {
    constexpr std::size_t kTenth = 10;
    const std::vector<Searcher> selected = known({{.metric = "magma", .algorithm = "magma"},
                                                  {.metric = "cmaes", .algorithm = "cmaes"},
                                                  {.metric = "pso", .algorithm = "pso"},
                                                  {.metric = "stdga", .algorithm = "stdga"},
                                                  {.metric = "ppo2", .algorithm = "ppo2"},
                                                  {.metric = "random", .algorithm = "random"}});
    Experiment experiment(figure, options, control);
    const std::vector<Prepared> cases = experiment.prepare({{"mix", "S2"}});
    std::vector<mapping::Result> results(cases.size());
    experiment.each("searches", cases.size(), [&](std::size_t i) {
        results[i] = experiment.runPortfolio(cases[i].problem, selected, experiment.samples(kSamples), kExplored);
    });
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::vector<mapping::Run>& runs = results[i].runs;
        const auto& drawn = runs.back().explored;
        const double all = spreadOf(drawn, 0, drawn.size());
        bool isBelow = true;
        std::string evidence;
        for (std::size_t r = 0; r < runs.size(); ++r) {
            const auto& points = runs[r].explored;
            const std::size_t part = std::max<std::size_t>(1, points.size() / kTenth);
            const double reached = runs[0].values.makespan / runs[r].values.makespan;
            experiment.row(cases[i].item(), selected[r].metric, reached);
            experiment.row(cases[i].item() + ", spread at first", selected[r].metric, spreadOf(points, 0, part) / all);
            experiment.row(cases[i].item() + ", spread in the end", selected[r].metric,
                           spreadOf(points, points.size() - part, points.size()) / all);
            if (r == 0 || r + 1 == runs.size()) continue;
            isBelow = isBelow && reached < 1;
            evidence += fmt::format("{}{} {:.4g}", evidence.empty() ? "" : ", ", selected[r].metric, reached);
        }
        experiment.verdict(
            fmt::format("on {} CMA-ES, PSO, stdGA and PPO2 end at other optima, below MAGMA", cases[i].name()), isBelow,
            evidence + " of MAGMA's throughput", cases[i].place());
        const auto& points = runs[0].explored;
        const std::size_t part = std::max<std::size_t>(1, points.size() / kTenth);
        const double first = spreadOf(points, 0, part), last = spreadOf(points, points.size() - part, points.size());
        experiment.verdict(
            fmt::format("on {} MAGMA samples a wide region at the start and then a narrow one", cases[i].name()),
            first > last, fmt::format("{:.3g} and {:.3g} of what random mappings spread", first / all, last / all),
            cases[i].place());
    }
    experiment.note(
        "'spread' is how far the samples of the first and of the last tenth lie from their middle, in the plane of the "
        "two principal components of the samples of all algorithms, over that of random mappings. The other rows are "
        "throughput over MAGMA's. The paper draws the plane without numbers.");
    return std::move(experiment).finish();
}

}  // namespace tessera::study

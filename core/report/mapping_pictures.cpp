#include "core/report/mapping_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/report/strategy_colour.h"
#include "core/study/mapping/fields.h"
#include "core/study/metric.h"

namespace tessera::report {

namespace {

using mapping::Objective;
using mapping::Run;
using study::MappingOutcome;

/// Smaller distances from the bound than this are drawn as this.
constexpr double kMinGap = 1e-6;
/// Best values this close are a tie.
constexpr double kTie = 1e-4;

std::string algorithmColour(std::string_view algorithm) {
    return std::string(strategyColour(algorithm));
}

Series algorithmSeries(const std::string& algorithm, Mark mark) {
    return {.id = algorithm,
            .name = algorithm,
            .mark = mark,
            .colour = algorithmColour(algorithm),
            .dashed = isBaseline(algorithm)};
}

Series algorithmSeries(const AlgorithmCurve& run, Mark mark) {
    Series series = algorithmSeries(run.algorithm, mark);
    series.id = series.name = run.label();
    return series;
}

double bestOf(const CurvePoints& points) {
    double best = std::numeric_limits<double>::infinity();
    for (const auto& point : points) best = std::min(best, point.second);
    return best;
}

/// The curve until `end`, the end of its own search.
Series bestSeries(const AlgorithmCurve& run, double factor) {
    Series series = algorithmSeries(run, Mark::steps);
    for (const auto& [samples, value] : run.best) {
        series.x.push_back(std::max(samples, 1.0));
        series.y.push_back(value * factor);
    }
    return series;
}

void addGenerations(Chart& chart, const AlgorithmCurve& run, double factor) {
    if (run.mean.empty()) return;
    Series mean = algorithmSeries(run, Mark::line);
    mean.id += "/mean";
    mean.name = "mean of " + run.label() + "'s generations";
    mean.dashed = true;
    Series band = algorithmSeries(run, Mark::band);
    band.id += "/spread";
    band.name.clear();
    const double min = bestOf(run.best);
    for (std::size_t i = 0; i < run.mean.size(); ++i) {
        const double x = std::max(run.mean[i].first, 1.0);
        const double middle = run.mean[i].second;
        mean.x.push_back(x);
        mean.y.push_back(middle * factor);
        if (run.spread.size() != run.mean.size()) continue;
        band.x.push_back(x);
        // No member of a generation is better than the best.
        band.low.push_back(std::max(middle - run.spread[i].second, min) * factor);
        band.y.push_back((middle + run.spread[i].second) * factor);
    }
    if (!band.x.empty()) chart.series.push_back(std::move(band));
    chart.series.push_back(std::move(mean));
}

/// True for the curves of a portfolio of algorithms: those of one objective, whose bound is everyone's.
bool isOfPortfolio(const CurveName& name) {
    return name.quantity.empty() && name.owner.empty() == (name.role == CurveRole::bound);
}

/// "tessera leads, optimality gap 0.31 %": the title of its chart.
std::string convergenceTitle(const std::vector<AlgorithmCurve>& runs, std::optional<double> bound,
                             const ObjectiveAxis& axis) {
    const auto leader = std::min_element(
        runs.begin(), runs.end(),
        [](const AlgorithmCurve& a, const AlgorithmCurve& b) { return bestOf(a.best) < bestOf(b.best); });
    if (leader == runs.end() || leader->best.empty()) return axis.title;
    const double best = bestOf(leader->best);
    const auto ties = std::count_if(runs.begin(), runs.end(), [&](const AlgorithmCurve& run) {
        return !run.best.empty() && bestOf(run.best) <= best * (1 + kTie);
    });
    std::string text = ties > 1           ? fmt::format("{} of {} algorithms tie", ties, runs.size())
                       : runs.size() == 1 ? leader->label()
                                          : leader->label() + " leads";
    text += ": " + formatQuantity(best * axis.factor, axis.measure);
    if (bound && *bound > 0 && best > 0) {
        const double gap = best / *bound - 1;
        text += gap < 1e-9 ? ", proven optimal" : ", optimality gap " + study::percentText(gap);
    }
    return text;
}

/// An algorithm of several runs has a colour for each.
void distinguish(Chart& chart, const std::vector<AlgorithmCurve>& runs) {
    if (runs.empty() || runs.front().run.empty()) return;
    const bool alike = std::any_of(chart.series.begin() + 1, chart.series.end(), [&](const Series& series) {
        return !series.name.empty() && series.colour == chart.series.front().colour;
    });
    for (std::size_t i = 0; alike && i < chart.series.size(); ++i)
        chart.series[i].colour = std::string(kCategories.at(i % kCategories.size()));
}

/// Initial range: from the bound to the values of the last tenfold of samples, as far as half of the
/// algorithms are not left far behind. The first samples are a multiple of that, and so may be what does not compete.
std::optional<Range> convergenceFocus(const std::vector<AlgorithmCurve>& runs, std::optional<double> bound,
                                      double factor) {
    constexpr double kLate = 0.1, kBehind = 5;
    std::vector<double> finals;
    double high = 0;
    for (const AlgorithmCurve& run : runs) {
        if (run.best.empty()) continue;
        finals.push_back(bestOf(run.best));
        for (const auto& [samples, value] : run.best)
            if (samples >= kLate * run.best.back().first) high = std::max(high, value);
    }
    if (finals.empty()) return std::nullopt;
    std::sort(finals.begin(), finals.end());
    const double low = std::min(bound.value_or(finals.front()), finals.front());
    const double behind = low + kBehind * (finals[finals.size() / 2] - low);
    if (behind > low) high = std::min(high, behind);
    return high > low && low > 0 ? std::optional(Range{low * factor, high * factor}) : std::nullopt;
}

Chart valueChart(const std::vector<AlgorithmCurve>& runs, std::optional<double> bound, const ObjectiveAxis& axis,
                 const ConvergenceOptions& look) {
    Chart chart{.id = "convergence", .title = convergenceTitle(runs, bound, axis)};
    chart.x = {.title = "Samples", .logarithmic = true};
    chart.y = {.title = axis.title, .measure = axis.measure, .logarithmic = look.logarithmic};
    for (const AlgorithmCurve& run : runs)
        if (run.label() == look.detailed) addGenerations(chart, run, axis.factor);
    for (const AlgorithmCurve& run : runs) chart.series.push_back(bestSeries(run, axis.factor));
    chart.y.focus = convergenceFocus(runs, bound, axis.factor);
    distinguish(chart, runs);
    if (bound && *bound > 0)
        chart.series.push_back({.id = "bound", .name = "bound", .mark = Mark::bound, .y = {*bound * axis.factor}});
    return chart;
}

Chart gapChart(const std::vector<AlgorithmCurve>& runs, double bound, const ObjectiveAxis& axis) {
    Chart chart{.id = "optimality-gap", .title = convergenceTitle(runs, bound, axis)};
    chart.x = {.title = "Samples", .logarithmic = true};
    chart.y = {.title = "Optimality gap (%)", .logarithmic = true};
    bool floored = false;
    for (const AlgorithmCurve& run : runs) {
        Series series = bestSeries(run, 1);
        for (double& value : series.y) {
            const double gap = value / bound - 1;
            floored = floored || gap < kMinGap;
            value = 100 * std::max(gap, kMinGap);
        }
        chart.series.push_back(std::move(series));
    }
    distinguish(chart, runs);
    if (floored) chart.notes.emplace_back("Values at the bound are drawn at 0.0001 %.");
    return chart;
}

double gapOf(const MappingOutcome& outcome, const Run& run) {
    return outcome.result.bound.objective > 0 ? run.gap : 0;
}

std::string certaintyOf(const MappingOutcome& outcome, const Run& run) {
    if (run.optimal) return "proven optimal";
    if (!(outcome.result.bound.objective > 0)) return "no bound";
    return "optimality gap " + study::percentText(gapOf(outcome, run));
}

bool isThroughput(const MappingOutcome& outcome) {
    return outcome.objective == Objective::throughput && throughputOf(outcome, 1).has_value();
}

std::string algorithmTitle(const MappingOutcome& outcome) {
    const Run* const best = study::bestRun(outcome);
    if (best == nullptr) return "What the algorithms reached";
    const auto& runs = outcome.result.runs;
    const auto ties =
        std::count_if(runs.begin(), runs.end(), [&](const Run& run) { return run.value <= best->value * (1 + kTie); });
    if (runs.size() == 1) return fmt::format("{}: {}", best->algorithm, certaintyOf(outcome, *best));
    if (ties == static_cast<std::ptrdiff_t>(runs.size()))
        return fmt::format("All {} algorithms tie: {}", ties, certaintyOf(outcome, *best));
    const Run* second = nullptr;
    for (const Run& run : runs)
        if (run.value > best->value * (1 + kTie) && (second == nullptr || run.value < second->value)) second = &run;
    if (second == nullptr) return fmt::format("{} is best", best->algorithm);
    const double times = second->value / best->value;
    const std::string ahead =
        times < 2 ? study::percentText(times - 1) + " ahead of" : study::timesText(times) + " as good as";
    if (ties > 1) return fmt::format("{} algorithms tie, {} {}", ties, ahead, second->algorithm);
    return fmt::format("{} is best, {} {}", best->algorithm, ahead, second->algorithm);
}

/// Cores that are alike to every job: their names and the first of them.
struct PictureKind {
    std::size_t core = 0;
    std::vector<std::size_t> cores;
};

std::vector<PictureKind> kindsOf(const mapping::Problem& problem) {
    std::vector<PictureKind> kinds;
    for (std::size_t core = 0; core < problem.cores.size(); ++core) {
        const auto same = [&](const PictureKind& kind) {
            for (std::size_t job = 0; job < problem.jobs.size(); ++job) {
                const std::size_t a = problem.pair(job, core);
                const std::size_t b = problem.pair(job, kind.core);
                if (problem.latency[a] != problem.latency[b] ||
                    problem.requiredBandwidth[a] != problem.requiredBandwidth[b])
                    return false;
            }
            return true;
        };
        const auto found = std::find_if(kinds.begin(), kinds.end(), same);
        if (found == kinds.end())
            kinds.push_back({core, {core}});
        else
            found->cores.push_back(core);
    }
    return kinds;
}

std::string pictureTitle(const MappingOutcome& outcome, const PictureKind& kind) {
    std::string name;
    if (kind.core < outcome.cores.size() && !outcome.cores[kind.core].dataflow.empty()) {
        const study::CoreNumbers& its = outcome.cores[kind.core];
        name = its.dataflow;
        if (its.height > 0 && its.width > 0) name += fmt::format(" {}×{}", its.height, its.width);
    } else {
        name = outcome.problem.cores[kind.core];
    }
    if (kind.cores.size() > 1) name += fmt::format(" (same for {})", kind.cores.size());
    return name;
}

std::string_view wordOf(Objective objective) {
    return objective == Objective::throughput ? "makespan"
           : objective == Objective::latency  ? "mean latency"
           : objective == Objective::energy   ? "energy"
           : objective == Objective::edp      ? "energy × delay"
                                              : "the weighted objective";
}

std::string wordOf(study::SweepKind kind) {
    for (const study::Sweep& row : study::sweeps())
        if (row.kind == kind) return lowered(row.title);
    return "";
}

std::string_view sweepIdOf(study::SweepKind kind) {
    for (const study::Sweep& row : study::sweeps())
        if (row.kind == kind) return row.id;
    return {};
}

/// The axis of what a sweep varies.
Axis sweepAxis(const study::MappingSweep& sweep) {
    switch (sweep.kind) {
        case study::SweepKind::bandwidth:
            return {.title = sweep.clocked ? "System bandwidth" : "System bandwidth (B/cycle)",
                    .measure = sweep.clocked ? Measure::bytesPerSecond : Measure::count,
                    .logarithmic = true};
        case study::SweepKind::groupSize:
            return {.title = "Jobs in the group", .logarithmic = true};
        case study::SweepKind::samples:
            return {.title = "Samples per algorithm", .logarithmic = true};
    }
    return {};
}

constexpr std::string_view kNoSamples = "This run kept no samples; run it with 'explored' above 0.";

}  // namespace

std::vector<Chart> mappingConvergenceCharts(const std::vector<AlgorithmCurve>& runs, std::optional<double> bound,
                                            const ObjectiveAxis& axis, const ConvergenceOptions& look) {
    std::vector<Chart> charts{valueChart(runs, bound, axis, look)};
    if (bound && *bound > 0) charts.push_back(gapChart(runs, *bound, axis));
    for (Chart& chart : charts) chart.empty = "Start the run to watch the algorithms converge here.";
    return charts;
}

namespace {

/// What each algorithm had found after how many samples, and the bound that all of them have.
struct ConvergenceCurves {
    std::vector<AlgorithmCurve> runs;
    std::optional<double> bound;
};

ConvergenceCurves convergenceOf(const MappingOutcome& outcome) {
    ConvergenceCurves found;
    for (const Run& run : outcome.result.runs) {
        AlgorithmCurve curve{.algorithm = run.algorithm, .best = {}};
        for (const mapping::ConvergencePoint& point : run.convergence) {
            const auto samples = static_cast<double>(point.samples);
            curve.best.emplace_back(samples, point.best);
            curve.mean.emplace_back(samples, point.mean);
            curve.spread.emplace_back(samples, point.spread);
        }
        if (curve.best.empty() || curve.best.back().first < static_cast<double>(run.samples))
            curve.best.emplace_back(static_cast<double>(run.samples), run.value);
        found.runs.push_back(std::move(curve));
    }
    if (outcome.result.bound.objective > 0) found.bound = outcome.result.bound.objective;
    return found;
}

/// Empty where the curves are not of a mapping search.
std::optional<ConvergenceCurves> convergenceOf(const std::vector<Curve>& curves) {
    ConvergenceCurves found;
    std::vector<double> bounds;
    bool sampled = false;
    for (const Curve& curve : curves) {
        const CurveRole role = curve.name.role;
        if (!isOfPortfolio(curve.name)) return std::nullopt;
        if (curve.points.empty()) continue;
        if (role == CurveRole::bound) {
            bounds.push_back(curve.points.back().second);
            continue;
        }
        auto run = std::find_if(found.runs.begin(), found.runs.end(), [&](const AlgorithmCurve& each) {
            return each.algorithm == curve.name.owner && each.run == curve.run;
        });
        if (run == found.runs.end())
            run = found.runs.insert(found.runs.end(),
                                    AlgorithmCurve{.algorithm = curve.name.owner, .best = {}, .run = curve.run});
        CurvePoints& into = role == CurveRole::mean ? run->mean : role == CurveRole::spread ? run->spread : run->best;
        into.insert(into.end(), curve.points.begin(), curve.points.end());
        sampled = sampled || role != CurveRole::value;
    }
    if (!sampled) return std::nullopt;
    for (AlgorithmCurve& run : found.runs) std::stable_sort(run.best.begin(), run.best.end());
    // Runs of different problems have no bound in common.
    if (!bounds.empty() &&
        std::all_of(bounds.begin(), bounds.end(), [&](double bound) { return bound == bounds.front(); }))
        found.bound = bounds.front();
    return found;
}

/// The samples after which the best was known.
double samplesToBest(const AlgorithmCurve& run) {
    const double best = bestOf(run.best);
    for (const auto& [samples, value] : run.best)
        if (value <= best) return samples;
    return 0;
}

Table standingsTable(ConvergenceCurves found, const ObjectiveAxis& axis) {
    std::erase_if(found.runs, [](const AlgorithmCurve& run) { return run.best.empty(); });
    std::stable_sort(found.runs.begin(), found.runs.end(),
                     [](const AlgorithmCurve& a, const AlgorithmCurve& b) { return bestOf(a.best) < bestOf(b.best); });
    Table table;
    table.columns = {{"algorithm"}, {"best", true}, {"gap", true}, {"samples", true}, {"to best", true}};
    for (const AlgorithmCurve& run : found.runs) {
        const double best = bestOf(run.best);
        const bool isBounded = found.bound && *found.bound > 0;
        const double gap = isBounded ? best / *found.bound - 1 : 0;
        table.rows.push_back({run.label(), formatQuantity(best * axis.factor, axis.measure),
                              !isBounded   ? "–"
                              : gap < 1e-9 ? "proven"
                                           : study::percentText(gap),
                              formatCount(run.best.back().first), formatCount(samplesToBest(run))});
    }
    return table;
}

}  // namespace

std::vector<Chart> mappingConvergenceCharts(const MappingOutcome& outcome, const ConvergenceOptions& look) {
    const ConvergenceCurves found = convergenceOf(outcome);
    return mappingConvergenceCharts(found.runs, found.bound, axisOf(outcome, outcome.objective), look);
}

std::vector<Chart> mappingConvergenceCharts(const std::vector<Curve>& curves, bool logarithmic, bool generations) {
    const std::optional<ConvergenceCurves> found = convergenceOf(curves);
    if (!found) return {};
    return mappingConvergenceCharts(
        found->runs, found->bound, {.title = "Best so far"},
        {.logarithmic = logarithmic, .detailed = generations ? found->runs.back().label() : std::string()});
}

Table standingsTable(const std::vector<Curve>& curves) {
    return standingsTable(convergenceOf(curves).value_or(ConvergenceCurves{}), ObjectiveAxis());
}

Table standingsTable(const MappingOutcome& outcome) {
    return standingsTable(convergenceOf(outcome), axisOf(outcome, outcome.objective));
}

Chart algorithmChart(const MappingOutcome& outcome) {
    Chart chart{.id = "algorithms", .title = algorithmTitle(outcome), .horizontal = true};
    const bool throughput = isThroughput(outcome);
    const bool clocked = outcome.problem.clock.has_value();
    const ObjectiveAxis axis = axisOf(outcome, outcome.objective);
    if (throughput)
        chart.y = {.title = clocked ? "Throughput" : "Throughput (FLOP/cycle)",
                   .measure = clocked ? Measure::flopsPerSecond : Measure::count,
                   .fromZero = true};
    else
        chart.y = {.title = axis.title, .measure = axis.measure, .fromZero = true};
    for (const Run& run : outcome.result.runs) {
        Series series = algorithmSeries(run.algorithm, Mark::bars);
        const double value = throughput ? *throughputOf(outcome, run.values.makespan) : run.value * axis.factor;
        series.x = {static_cast<double>(chart.x.categories.size())};
        series.y = {value};
        series.valueTexts = {formatQuantity(value, chart.y.measure) + (run.optimal ? " · optimal" : "")};
        series.name.clear();
        chart.x.categories.push_back(run.algorithm);
        chart.series.push_back(std::move(series));
    }
    const double bound = outcome.result.bound.objective;
    if (bound > 0) {
        const double value = throughput ? *throughputOf(outcome, bound) : bound * axis.factor;
        chart.series.push_back(
            {.id = "bound", .name = "bound", .mark = Mark::bound, .y = {value}, .cannotBeBelow = !throughput});
    }
    chart.empty = "No algorithm has run.";
    return chart;
}

Chart requiredBandwidthChart(const MappingOutcome& outcome) {
    const mapping::Problem& problem = outcome.problem;
    const double second = study::secondsPerCycle(outcome);
    const bool clocked = problem.clock.has_value();
    Chart chart{.id = "required-bandwidth", .title = "Latency and required bandwidth by job"};
    chart.x = {.title = clocked ? "Latency without stalls" : "Latency without stalls (cycles)",
               .measure = clocked ? Measure::seconds : Measure::count,
               .logarithmic = true};
    chart.y = {.title = clocked ? "Bandwidth asked for" : "Bandwidth asked for (B/cycle)",
               .measure = clocked ? Measure::bytesPerSecond : Measure::count,
               .logarithmic = true};
    std::size_t nothing = 0;
    std::size_t next = 0;
    double min = std::numeric_limits<double>::infinity();
    double max = 0;
    for (const PictureKind& kind : kindsOf(problem)) {
        Series series{.id = problem.cores[kind.core], .name = pictureTitle(outcome, kind), .mark = Mark::points};
        series.colour = std::string(kCategories.at(next++ % kCategories.size()));
        for (std::size_t job = 0; job < problem.jobs.size(); ++job) {
            const std::size_t pair = problem.pair(job, kind.core);
            if (!(problem.requiredBandwidth[pair] > 0)) ++nothing;
            series.x.push_back(problem.latency[pair] * second);
            series.y.push_back(problem.requiredBandwidth[pair] / second);
            min = std::min(min, series.x.back());
            max = std::max(max, series.x.back());
        }
        chart.series.push_back(std::move(series));
    }
    if (max > 0)
        chart.series.push_back({.id = "bandwidth",
                                .name = "system bandwidth",
                                .mark = Mark::line,
                                .colour = "text",
                                .x = {min, max},
                                .y = {problem.bandwidth / second, problem.bandwidth / second},
                                .dashed = true});
    if (nothing > 0)
        chart.notes.push_back(fmt::format("{} {} ask for no bandwidth and are not shown.", formatCount(nothing),
                                          nothing == 1 ? "pair of job and core" : "pairs of job and core"));
    return chart;
}

Chart exploredChart(const MappingOutcome& outcome) {
    Chart chart{.id = "explored", .title = "Search-space projection (PCA)"};
    chart.x = {.title = "First principal component of the samples"};
    chart.y = {.title = "Second principal component"};
    chart.empty = std::string(kNoSamples);
    std::vector<Series> best;
    const Run* const winner = study::bestRun(outcome);
    for (const Run& run : outcome.result.runs) {
        Series series = algorithmSeries(run.algorithm, Mark::points);
        const mapping::ExploredPoint* min = nullptr;
        for (const mapping::ExploredPoint& point : run.explored) {
            series.x.push_back(point.x);
            series.y.push_back(point.y);
            if (min == nullptr || point.value < min->value) min = &point;
        }
        if (min == nullptr) continue;
        Series mark = algorithmSeries(run.algorithm, Mark::points);
        mark.id += "/best";
        mark.name.clear();
        mark.x = {min->x};
        mark.y = {min->y};
        mark.valueTexts = {run.algorithm + " " + objectiveText(outcome, outcome.objective, min->value)};
        mark.colour = winner == &run ? "text" : mark.colour;
        chart.series.push_back(std::move(series));
        best.push_back(std::move(mark));
    }
    std::move(best.begin(), best.end(), std::back_inserter(chart.series));
    if (!chart.series.empty())
        chart.notes.emplace_back("With its value: the best of an algorithm's samples shown here.");
    return chart;
}

Chart frontChart(const MappingOutcome& outcome) {
    Chart chart{.id = "front", .title = "What cannot be had together"};
    chart.empty = "This run has no front; run it with two objectives for 'pareto'.";
    if (!outcome.pareto) return chart;
    const ObjectiveAxis first = axisOf(outcome, outcome.pareto->first);
    const ObjectiveAxis second = axisOf(outcome, outcome.pareto->second);
    chart.x = {.title = first.title, .measure = first.measure};
    chart.y = {.title = second.title, .measure = second.measure};
    std::size_t points = 0;
    for (const Run& run : outcome.result.runs) {
        Series series = algorithmSeries(run.algorithm, Mark::steps);
        for (const mapping::FrontPoint& point : run.front) {
            series.x.push_back(point.first * first.factor);
            series.y.push_back(point.second * second.factor);
        }
        points += series.x.size();
        if (!series.x.empty()) chart.series.push_back(std::move(series));
    }
    if (points > 0)
        chart.title = fmt::format("{} {} between {} and {}", points, points == 1 ? "compromise" : "compromises",
                                  wordOf(outcome.pareto->first), wordOf(outcome.pareto->second));
    return chart;
}

Chart sweepChart(const study::MappingSweep& sweep) {
    const bool rates = !sweep.points.empty() && sweep.points.front().max.has_value();
    Chart chart{.id = "sweep", .title = "Throughput by " + wordOf(sweep.kind)};
    chart.x = sweepAxis(sweep);
    chart.y = {.title = sweep.clocked ? "Throughput" : "Throughput (FLOP/cycle)",
               .measure = sweep.clocked ? Measure::flopsPerSecond : Measure::count,
               .fromZero = true};
    if (!rates) {
        chart.title = "Makespan by " + wordOf(sweep.kind);
        chart.y = {.title = "Makespan (cycles)", .fromZero = true};
    }
    Series bound{.id = "bound", .name = rates ? "at most" : "at least", .colour = "secondary", .dashed = true};
    for (const study::SweepPoint& point : sweep.points) {
        bound.x.push_back(point.value);
        bound.y.push_back(rates ? point.max.value_or(0) : point.bound);
        for (const study::SweepRun& run : point.runs) {
            auto found = std::find_if(chart.series.begin(), chart.series.end(),
                                      [&](const Series& series) { return series.id == run.algorithm; });
            if (found == chart.series.end())
                found = chart.series.insert(chart.series.end(), algorithmSeries(run.algorithm, Mark::line));
            found->x.push_back(point.value);
            found->y.push_back(rates ? run.throughput.value_or(0) : run.makespan);
            found->valueTexts.push_back(
                fmt::format("{} · {}", formatQuantity(found->y.back(), chart.y.measure),
                            run.gap < 1e-9 ? "proven optimal" : "optimality gap " + study::percentText(run.gap)));
        }
    }
    if (!bound.x.empty()) chart.series.push_back(std::move(bound));
    chart.empty = "This cannot be varied for these inputs.";
    return chart;
}

explore::PointTable pointTable(const study::MappingSweep& sweep) {
    using explore::PointColumn;
    using Better = PointColumn::Better;
    const bool rates = !sweep.points.empty() && sweep.points.front().max.has_value();
    const Axis axis = sweepAxis(sweep);
    PointColumn value{.id = std::string(sweepIdOf(sweep.kind)), .title = axis.title, .measure = axis.measure};
    value.role = PointColumn::Role::variable;
    value.log = axis.logarithmic;
    PointColumn algorithm{.id = "algorithm", .title = "Algorithm"};
    algorithm.role = PointColumn::Role::variable;
    const auto result = [](const char* id, const char* title, PointColumn::Role role, Better better) {
        PointColumn its{.id = id, .title = title};
        its.role = role;
        its.better = better;
        return its;
    };
    using Role = PointColumn::Role;
    PointColumn rate =
        result("throughput", sweep.clocked ? "Throughput" : "Throughput (FLOP/cycle)", Role::objective, Better::higher);
    if (sweep.clocked) rate.measure = Measure::flopsPerSecond;
    PointColumn makespan = result("makespan_cycles", "Makespan", rates ? Role::metric : Role::objective, Better::lower);
    makespan.unit = "cycles";
    PointColumn gap = result("gap", "Above the bound", Role::metric, Better::lower);
    gap.unit = "%";
    explore::PointTable points{.title = "Runs"};
    for (const study::SweepPoint& point : sweep.points)
        for (const study::SweepRun& run : point.runs) {
            auto& words = algorithm.words;
            const auto known = std::find(words.begin(), words.end(), run.algorithm);
            algorithm.values.push_back(static_cast<double>(known - words.begin()));
            if (known == words.end()) words.push_back(run.algorithm);
            value.values.push_back(point.value);
            rate.values.push_back(run.throughput.value_or(std::numeric_limits<double>::quiet_NaN()));
            makespan.values.push_back(run.makespan);
            gap.values.push_back(100 * run.gap);
            points.names.push_back(run.algorithm + " at " + textOf(value, point.value));
            points.reasons.emplace_back();
            points.marks.push_back(0);
        }
    if (rates) points.columns.push_back(std::move(rate));
    for (PointColumn* column : {&makespan, &gap, &value, &algorithm}) points.columns.push_back(std::move(*column));
    return points;
}

ScatterExtras sweepExtras(const study::MappingSweep& sweep, const explore::PointTable& points, std::size_t x,
                          std::size_t y) {
    ScatterExtras extras;
    if (x >= points.columns.size() || y >= points.columns.size() || points.columns[x].id != sweepIdOf(sweep.kind) ||
        points.columns[y].role != explore::PointColumn::Role::objective)
        return extras;
    Chart chart = sweepChart(sweep);
    extras.title = std::move(chart.title);
    extras.beside = std::move(chart.series);
    return extras;
}

Table exactSweepTable(const study::MappingSweep& sweep) {
    Table table;
    const char* const value = sweep.kind == study::SweepKind::bandwidth
                                  ? (sweep.clocked ? "bandwidth_bytes_per_s" : "bandwidth_bytes_per_cycle")
                              : sweep.kind == study::SweepKind::groupSize ? "jobs"
                                                                          : "samples";
    table.columns = {{value, true},
                     {"algorithm"},
                     {"makespan_cycles", true},
                     {sweep.clocked ? "throughput_flops" : "throughput_flop_per_cycle", true},
                     {"gap", true},
                     {"lower_bound_cycles", true}};
    for (const study::SweepPoint& point : sweep.points)
        for (const study::SweepRun& run : point.runs)
            table.rows.push_back({exactNumber(point.value), run.algorithm, exactNumber(run.makespan),
                                  run.throughput ? exactNumber(*run.throughput) : "", exactNumber(run.gap),
                                  exactNumber(point.bound)});
    return table;
}

Chart coreChart(const MappingOutcome& outcome, const std::string& algorithm) {
    const Run& run = study::runOf(outcome, algorithm);
    const double second = study::secondsPerCycle(outcome);
    const bool clocked = outcome.problem.clock.has_value();
    const std::vector<study::CoreUse> uses = study::coreUse(outcome, run);
    Chart chart{.id = "cores", .title = fmt::format("What every core does, {}", algorithm), .horizontal = true};
    chart.x = {.title = "", .categories = outcome.problem.cores};
    chart.y = {.title = clocked ? "Time" : "Time (cycles)",
               .measure = clocked ? Measure::seconds : Measure::count,
               .fromZero = true};
    struct Part {
        std::string_view id, name, colour;
        double study::CoreUse::*time;
    };
    const std::array parts{Part{"running", "Running", kCategories[0], &study::CoreUse::noStall},
                           Part{"stalled", "Waiting for bandwidth", kCategories[1], &study::CoreUse::stalled},
                           Part{"idle", "Idle", "border", &study::CoreUse::idle}};
    double busy = 0;
    for (const Part& part : parts) {
        Series series{.id = std::string(part.id), .name = std::string(part.name), .mark = Mark::stackedBars};
        series.colour = std::string(part.colour);
        for (std::size_t core = 0; core < uses.size(); ++core) {
            series.x.push_back(static_cast<double>(core));
            series.y.push_back(uses[core].*part.time * second);
        }
        chart.series.push_back(std::move(series));
    }
    for (const study::CoreUse& use : uses) busy += use.noStall;
    const double all = run.schedule.makespan * static_cast<double>(uses.size());
    if (all > 0) chart.title = fmt::format("Cores run {} of the time, {}", study::percentText(busy / all), algorithm);
    return chart;
}

std::string objectiveText(const MappingOutcome& outcome, Objective objective, double value) {
    const ObjectiveAxis axis = axisOf(outcome, objective);
    const std::string text = formatQuantity(value * axis.factor, axis.measure);
    const std::size_t open = axis.title.find('(');
    if (open == std::string::npos) return text;
    return text + " " + axis.title.substr(open + 1, axis.title.size() - open - 2);
}

}  // namespace tessera::report

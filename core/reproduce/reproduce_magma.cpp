#include "core/reproduce/reproduce_magma.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/study/mapping/study.h"

namespace tessera::study {

namespace {

constexpr double kMinSamples = 20;
constexpr double kClock = 200e6;

Prepared read(const Case& cell, const PaperSetting& reading, std::int64_t groupSize, const RunControl& control) {
    Study study;
    study.engine = "mapping";
    study.hardware = {lowered(cell.platform)};
    study.workloads = {std::string(cell.workload)};
    study.seed = cell.seed;
    study.parameters = Json{{"bandwidth", cell.bandwidth * reading.bytesPerSecond},
                            {"bandwidth_definition", reading.bandwidthDefinition},
                            {"variant", reading.variant},
                            {"group_size", groupSize}};
    MappingInputs inputs = readMappingInputs(study, {{control.ofOnePart()}});
    return {.cell = cell,
            .reading = &reading,
            .problem = std::move(inputs.outcome.problem),
            .inputs = std::move(inputs.inputs),
            .assumptions = std::move(inputs.assumptions)};
}

}  // namespace

std::string itemOf(const Case& cell, const PaperSetting& reading) {
    return nameOf(cell) + std::string(reading.suffix);
}

std::string nameOf(const Case& cell) {
    return fmt::format("{} {} {}", cell.workload, cell.platform, cell.bandwidth);
}

std::string_view placeOf(const PaperSetting& reading) {
    return reading.suffix.empty() ? "Here" : "Here, under the corrected model,";
}

Experiment::Experiment(const Figure& figure, const ReproductionOptions& options, const RunControl& control)
    : Recomputation(figure), options_(options), control_(control) {
    note(
        "An item names task, platform of Table III and bandwidth. As it stands it is read as the paper's published "
        "code does: its dataflow model, defects included, bandwidth of tiles, and the paper's GB/s compared with bytes "
        "per cycle as they are, which at 200 MHz is a fifth of the bandwidth.");
    note(
        "'(corrected)' is the same case under the dataflow model without those defects, with the bandwidth of all "
        "bytes of a job, and the paper's GB/s at 200 MHz.");
    note(
        "The paper names networks but not the layers, mini-batches and groups that it mapped: the jobs here are drawn "
        "with a seed from networks of the same kinds, so absolute numbers cannot agree; orders and ratios could.");
    if (options.budget < 1) note(fmt::format("Searches had {:g} of the figure's samples.", options.budget));
}

std::vector<Prepared> Experiment::prepare(const std::vector<Case>& cells, std::int64_t groupSize) {
    std::vector<Prepared> all(cells.size() * kReadings.size());
    each("cases", all.size(), [&](std::size_t i) {
        all[i] = read(cells[i / kReadings.size()], kReadings.at(i % kReadings.size()), groupSize, control_);
    });
    for (const Prepared& prepared : all) restOn(prepared.inputs, prepared.assumptions);
    return all;
}

void Experiment::each(std::string_view what, std::size_t count, const std::function<void(std::size_t)>& part) {
    PartCounter counter(control_, std::string(what), count);
    parallelFor(count, control_.threads, [&](std::size_t i) {
        control_.throwIfCancelled("the recomputation");
        part(i);
        counter.finishOne();
    });
}

std::int64_t Experiment::samples(double papers, double share) const {
    return std::lround(std::max(kMinSamples, papers * share * options_.budget));
}

Prepared cut(const Prepared& whole) {
    constexpr double kMaxShare = 0.25;
    const mapping::Problem& from = whole.problem;
    const mapping::Bound bound = mapping::lowerBound(from);
    const double longest = kMaxShare * std::max(bound.load, bound.bandwidth);
    Prepared parts = whole;
    parts.isCut = true;
    mapping::Problem& to = parts.problem;
    to.jobs.clear();
    to.latency.clear();
    to.requiredBandwidth.clear();
    to.energy.clear();
    to.macs.clear();
    const std::size_t cores = from.cores.size();
    for (std::size_t job = 0; job < from.jobs.size(); ++job) {
        double min = std::numeric_limits<double>::infinity();
        for (std::size_t p = from.pair(job, 0); p < from.pair(job + 1, 0); ++p)
            min = std::min(min, from.latency[p] * std::max(1.0, from.requiredBandwidth[p] / from.bandwidth));
        const double count = std::max(1.0, std::ceil(min / longest));
        for (double part = 0; part < count; ++part) {
            to.jobs.push_back(count > 1 ? fmt::format("{} part {:g}", from.jobs[job], part + 1) : from.jobs[job]);
            if (!from.macs.empty()) to.macs.push_back(from.macs[job] / count);
            for (std::size_t core = 0; core < cores; ++core) {
                const std::size_t pair = from.pair(job, core);
                to.latency.push_back(from.latency[pair] / count);
                to.requiredBandwidth.push_back(from.requiredBandwidth[pair]);
                if (!from.energy.empty()) to.energy.push_back(from.energy[pair] / count);
            }
        }
    }
    return parts;
}

mapping::Result Experiment::runPortfolio(const mapping::Problem& problem, const std::vector<Searcher>& searchers,
                                         std::int64_t samples, std::size_t explored) const {
    mapping::Options options;
    options.algorithms.clear();
    for (const Searcher& searcher : searchers) options.algorithms.emplace_back(searcher.algorithm);
    options.samples = samples;
    options.explored = explored;
    return mapping::solve(problem, options, {{control_.ofOnePart()}});
}

mapping::Run Experiment::search(const mapping::Problem& problem, const Searcher& searcher, std::int64_t samples,
                                std::uint64_t seed, std::vector<mapping::Mapping> warm) const {
    mapping::Options options;
    options.algorithms = {std::string(searcher.algorithm)};
    options.samples = samples;
    options.seed = seed;
    options.settings = searcher.settings;
    options.explored = 0;
    options.warmStart = std::move(warm);
    mapping::Result result = mapping::solve(problem, options, {{control_.ofOnePart()}});
    return std::move(result.runs.at(0));
}

std::vector<Searcher> known(const std::vector<Searcher>& searchers) {
    std::vector<Searcher> kept;
    for (const Searcher& searcher : searchers)
        for (const mapping::Algorithm& algorithm : mapping::algorithms())
            if (algorithm.id == searcher.algorithm) kept.push_back(searcher);
    return kept;
}

double bestAfter(const mapping::Run& run, std::int64_t samples) {
    double best = std::numeric_limits<double>::infinity();
    for (const mapping::ConvergencePoint& point : run.convergence)
        if (point.samples <= samples) best = point.best;
    return best;
}

double gflops(const mapping::Problem& problem, double makespan) {
    double macs = 0;
    for (const double job : problem.macs) macs += job;
    return 2 * macs / makespan * kClock / 1e9;
}

std::vector<Figure> magmaFigures() {
    constexpr std::string_view kPaper = "Kao, Krishna, MAGMA, HPCA 2022";
    return {
        {"magma-fig7", "Latency and bandwidth of jobs on sub-accelerators of both styles", kPaper, magmaFigure7},
        {"magma-fig8", "Throughput over MAGMA's on the small homogeneous platform S1", kPaper, magmaFigure8},
        {"magma-fig9", "Throughput over MAGMA's on the heterogeneous platforms S2 and S4", kPaper, magmaFigure9},
        {"magma-fig10", "What part of all mappings the algorithms look at", kPaper, magmaFigure10},
        {"magma-fig11", "Convergence of the algorithms to 100,000 samples", kPaper, magmaFigure11},
        {"magma-fig12", "Throughput over MAGMA's by bandwidth on S2 and S4", kPaper, magmaFigure12},
        {"magma-fig13", "Job analysis and throughput of S3, S4 and S5", kPaper, magmaFigure13},
        {"magma-fig14", "Fixed and flexible arrays", kPaper, magmaFigure14},
        {"magma-fig15", "The mappings that Herald-like and MAGMA find", kPaper, magmaFigure15},
        {"magma-fig16", "Convergence of MAGMA with some of its operators", kPaper, magmaFigure16},
        {"magma-fig17", "Throughput of MAGMA by group size", kPaper, magmaFigure17},
        {"magma-table5", "Warm start", kPaper, magmaTable5},
    };
}

}  // namespace tessera::study

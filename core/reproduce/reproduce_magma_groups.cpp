#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/mapping/mapping.h"
#include "core/reproduce/reproduce_magma.h"

/// Figure 17 of MAGMA: one task of 1,000 jobs, chopped into groups of different sizes.
namespace tessera::study {

namespace {

constexpr double kSamplesPerJob = 100;  ///< section VI-B: 10,000 for a group of 100
constexpr std::int64_t kJobs = 1000;
constexpr std::array<std::int64_t, 8> kSizes{4, 10, 20, 50, 100, 200, 500, 1000};

/// Jobs [from, to) of a problem.
mapping::Problem slice(const mapping::Problem& problem, std::size_t from, std::size_t to) {
    mapping::Problem part = problem;
    const auto cut = [](auto& values, std::size_t first, std::size_t last) {
        if (!values.empty())
            values = {values.begin() + static_cast<std::ptrdiff_t>(first),
                      values.begin() + static_cast<std::ptrdiff_t>(last)};
    };
    const std::size_t cores = problem.cores.size();
    cut(part.jobs, from, to);
    cut(part.macs, from, to);
    cut(part.latency, from * cores, to * cores);
    cut(part.requiredBandwidth, from * cores, to * cores);
    cut(part.energy, from * cores, to * cores);
    return part;
}

}  // namespace

Reproduction magmaFigure17(const Figure& figure, const ReproductionOptions& options, const RunControl& control) {
    Experiment experiment(figure, options, control);
    const std::vector<Prepared> cases = experiment.prepare({{"mix", "S2"}}, kJobs);
    struct Part {
        std::size_t at, size;
        std::int64_t from;
        double makespan = 0, bound = 0;
    };
    std::vector<Part> parts;
    for (std::size_t at = 0; at < cases.size(); ++at)
        for (std::size_t size = 0; size < kSizes.size(); ++size)
            for (std::int64_t from = 0; from < kJobs; from += kSizes.at(size)) parts.push_back({at, size, from});
    experiment.each("groups", parts.size(), [&](std::size_t i) {
        Part& part = parts[i];
        const auto from = static_cast<std::size_t>(part.from);
        const auto to = static_cast<std::size_t>(std::min(kJobs, part.from + kSizes.at(part.size)));
        const mapping::Run run = experiment.search(slice(cases[part.at].problem, from, to), kMagma,
                                                   experiment.samples(kSamplesPerJob * static_cast<double>(to - from)));
        part.makespan = run.values.makespan;
        part.bound = run.values.makespan / (1 + run.gap);
    });
    for (std::size_t at = 0; at < cases.size(); ++at) {
        std::array<double, kSizes.size()> makespans{}, bounds{};
        for (const Part& part : parts)
            if (part.at == at) {
                makespans.at(part.size) += part.makespan;
                bounds.at(part.size) += part.bound;
            }
        const double whole = makespans.back();
        for (std::size_t size = 0; size < kSizes.size(); ++size) {
            const std::string item = fmt::format("{}, groups of {}", cases[at].item(), kSizes.at(size));
            experiment.row(item, "magma", whole / makespans.at(size));
            experiment.row(item, "bound", whole / bounds.at(size));
        }
        experiment.verdict(fmt::format("on {} groups of 4 have less throughput than larger ones", cases[at].name()),
                           std::all_of(makespans.begin() + 1, makespans.end(),
                                       [&](double other) { return other < makespans.front(); }),
                           fmt::format("{:.3g} of that of all jobs in one group, groups of 100 {:.3g}",
                                       whole / makespans.front(), whole / makespans.at(4)),
                           cases[at].place());
    }
    experiment.note(
        "The same 1,000 jobs are mapped, group after group. Populations are as large as groups, as section VI-B sets "
        "them, and every group has 100 samples per job, so that the whole task has 100,000 however it is chopped. "
        "Values "
        "are throughput over that of one group of 1,000; 'bound' is what no mapping of such groups can exceed.");
    return std::move(experiment).finish();
}

}  // namespace tessera::study

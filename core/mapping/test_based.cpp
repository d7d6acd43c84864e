#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/elementary.h"
#include "core/mapping/population.h"
#include "core/mapping/real_genome.h"
#include "core/mapping/record.h"
#include "core/mapping/searches.h"
#include "core/mapping/state.h"

namespace tessera::mapping {

namespace {

constexpr std::size_t kChildrenPerParent = 4;
constexpr std::size_t kGenerationsPerTest = 5;
constexpr std::size_t kMaxChildren = 4096;

/// An evolution strategy around one mean that doubles its population where a test finds no progress, and shrinks it
/// where it does. Hellwig, Beyer: "Evolution under strong noise: a self-adaptive evolution strategy can reach the lower
/// performance bound", PPSN 2016, as the package nevergrad has it for noise-free problems.
struct TestBased {
    std::vector<double> mean;
    double sigma = 0;
    std::size_t parents = 0;
    std::int64_t generation = 0;
    std::vector<Moments> tested;  ///< of the generations since the last change of size

    void begin(const Trial& trial) {
        const std::vector<Mapping>& warm = trial.options().warmStart;
        mean = warm.empty() ? std::vector<double>(2 * trial.jobs(), 0.5) : unitOf(warm.front(), trial.cores());
        sigma = trial.setting("sigma");
        parents = minParents(trial);
    }

    static std::size_t minParents(const Trial& trial) {
        return std::max<std::size_t>(1, static_cast<std::size_t>(trial.setting("population")) / kChildrenPerParent);
    }

    void step(Trial& trial) {
        const std::size_t children = parents * kChildrenPerParent;
        const std::size_t genes = mean.size();
        std::vector<std::vector<double>> genomes(children, mean);
        std::vector<double> steps(children);
        std::vector<Mapping> mappings(children);
        const double learning = 1 / elementary::sqrt(static_cast<double>(genes));
        for (std::size_t i = 0; i < children; ++i) {
            NormalStream normal(streamOf(trial, generation, i));
            steps[i] = sigma * elementary::exp(learning * normal.next());
            // The first one of all is the mean itself: a mapping to start from is looked at.
            if (generation > 0 || i > 0)
                for (double& gene : genomes[i]) gene += steps[i] * normal.next();
            mappings[i] = mappingOfUnit(genomes[i], trial.cores());
            trial.poll();
        }
        const std::vector<double> values = trial.evaluateAll(mappings);
        recombine(genomes, steps, values);
        ++generation;
        Moments moments;
        for (const double value : values)
            if (std::isfinite(value)) moments.add(value);
        tested.push_back(moments);
        if (tested.size() == kGenerationsPerTest) resize(trial);
    }

    void recombine(const std::vector<std::vector<double>>& genomes, const std::vector<double>& steps,
                   const std::vector<double>& values) {
        std::vector<std::size_t> order(values.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
        std::fill(mean.begin(), mean.end(), 0);
        double logarithms = 0;
        const double share = 1 / static_cast<double>(parents);
        for (std::size_t i = 0; i < parents; ++i) {
            for (std::size_t g = 0; g < mean.size(); ++g) mean[g] += share * genomes[order[i]][g];
            logarithms += share * elementary::log(steps[order[i]]);
        }
        sigma = std::clamp(elementary::exp(logarithms), 1e-9, 1e3);
    }

    void resize(const Trial& trial) {
        const auto error = [](const Moments& moments) {
            return moments.squares / std::max(1.0, static_cast<double>(moments.count * (moments.count - 1)));
        };
        const Moments &first = tested.front(), &last = tested.back();
        const double noise = elementary::sqrt(error(first) + error(last));
        const bool hasImproved = first.mean - last.mean > 2 * noise;
        parents = hasImproved ? static_cast<std::size_t>(0.84 * static_cast<double>(parents)) : 2 * parents;
        parents = std::clamp(parents, minParents(trial), kMaxChildren / kChildrenPerParent);
        tested.clear();
    }

    Json state() const {
        Json json{{"mean", packed(mean)}, {"sigma", sigma}, {"parents", parents}, {"generation", generation}};
        json["tested"] = Json::array();
        for (const Moments& moments : tested) json["tested"].push_back({moments.count, moments.mean, moments.squares});
        return json;
    }

    void resume(const Trial& trial, const Json& json) {
        mean = unpackedDoubles(json.at("mean"));
        sigma = json.at("sigma");
        parents = json.at("parents");
        generation = json.at("generation");
        for (const Json& moments : json.at("tested"))
            tested.push_back({.count = moments.at(0), .mean = moments.at(1), .squares = moments.at(2)});
        if (mean.size() != 2 * trial.jobs() || parents < 1 || parents > kMaxChildren) refuseState();
    }
};

}  // namespace

Search startTestBased(Trial& trial, const Json& state) {
    const auto strategy = std::make_shared<TestBased>();
    if (state.is_null())
        strategy->begin(trial);
    else
        strategy->resume(trial, state);
    return searchBy(strategy);
}

}  // namespace tessera::mapping

#include "core/explore/covariance.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/mapping/population.h"
#include "core/mapping/real_genome.h"
#include "core/mapping/searches.h"
#include "core/mapping/state.h"

namespace tessera::mapping {

namespace {

constexpr std::int64_t kGenerationsPerTurn = 4;

/// CMA-ES. Not pagmo's, which multiplies two whole matrices per sample: with 100 jobs that is 100 samples per second,
/// and with 1,000 none.
class CovarianceSearch {
public:
    CovarianceSearch(const Trial& trial, const Json& state)
        : children_(populationSize(trial, 8)), adaptation_(2 * trial.jobs(), children_, kGenerationsPerTurn) {
        if (state.is_null())
            begin(trial);
        else
            resume(state);
    }

    void step(Trial& trial) {
        std::vector<Mapping> mappings(children_);
        std::vector<std::vector<double>> moves(children_);
        for (std::size_t i = 0; i < children_; ++i) {
            NormalStream normal(streamOf(trial, adaptation_.generation(), i));
            moves[i] = adaptation_.move(normal);
            // The first one of all is the mean itself: a mapping to start from is looked at.
            if (adaptation_.generation() == 0 && i == 0) moves[i].assign(moves[i].size(), 0);
            mappings[i] = mappingOfUnit(adaptation_.genomeAt(moves[i]), trial.cores());
            trial.poll();
        }
        const std::vector<double> values = trial.evaluateAll(mappings);
        std::vector<std::size_t> order(values.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
        adaptation_.adapt(moves, order);
    }

    Json state() const {
        const explore::CovarianceAdaptation::State state = adaptation_.state();
        return {{"generation", state.generation},      {"sigma", state.sigma},
                {"mean", packed(state.mean)},          {"path", packed(state.path)},
                {"even_path", packed(state.evenPath)}, {"covariance", packed(state.covariance)},
                {"axes", packed(state.axes)},          {"lengths", packed(state.lengths)}};
    }

private:
    void begin(const Trial& trial) {
        const std::vector<Mapping>& warm = trial.options().warmStart;
        const std::vector<double> mean =
            warm.empty() ? std::vector<double>(2 * trial.jobs(), 0.5) : unitOf(warm.front(), trial.cores());
        adaptation_.begin(mean, trial.setting("sigma"));
    }

    void resume(const Json& json) {
        const bool isOne = adaptation_.resume({.generation = json.at("generation"),
                                               .sigma = json.at("sigma"),
                                               .mean = unpackedDoubles(json.at("mean")),
                                               .path = unpackedDoubles(json.at("path")),
                                               .evenPath = unpackedDoubles(json.at("even_path")),
                                               .covariance = unpackedDoubles(json.at("covariance")),
                                               .axes = unpackedDoubles(json.at("axes")),
                                               .lengths = unpackedDoubles(json.at("lengths"))});
        if (!isOne) refuseState();
    }

    std::size_t children_;
    explore::CovarianceAdaptation adaptation_;
};

}  // namespace

Search startCovarianceAdaptation(Trial& trial, const Json& state) {
    return searchBy(std::make_shared<CovarianceSearch>(trial, state));
}

}  // namespace tessera::mapping

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/mapping/mapping.h"
#include "core/mapping/record.h"
#include "core/mapping/search.h"

/// Time slices of `solve` among its algorithms; not for users of the engine.
namespace tessera::mapping {

/// A stretch of a run: what a trial minimises, with which share of the samples.
struct Phase {
    Options options;
    Bound bound;
    Objective objective = Objective::throughput;
    std::int64_t samples = 0;
};

/// State shared by all runs of a portfolio; outlives them.
struct Portfolio {
    const Problem& problem;
    const Options& options;
    const SearchControl& control;
    const Bound& bound;
    std::span<const Phase> phases;  ///< every algorithm works through them
};

/// One algorithm's run: a step is about a generation. No run sees another, so that their order changes no result.
class AlgorithmRun {
public:
    /// Throws UsageError where the algorithm has no row.
    AlgorithmRun(const Portfolio& portfolio, const std::string& algorithm);

    bool isDone() const { return isDone_; }
    const Record& record() const { return record_; }
    /// Samples of the budget that are behind: all of them once the run is done, however few it took.
    std::int64_t samplesBehind() const;
    /// Throws InterruptedError where it was cancelled within a generation; the run is then of no further use.
    void step();

    /// All that the rest of the run depends on; between steps only.
    Json state() const;
    /// Takes up a state. Throws UsageError where it is none of this portfolio.
    void load(const Json& state);

private:
    void begin();
    std::optional<EndedBy> advance();
    void closePhase(EndedBy ending);
    void closeCurve();
    EndedBy ending() const;

    const Portfolio& portfolio_;
    const Algorithm* row_;
    Record record_;
    std::size_t phase_ = 0;
    std::vector<EndedBy> endings_;  ///< of the parts behind
    std::unique_ptr<Trial> trial_;  ///< of the current part, once begun
    std::optional<Search> search_;
    HeldJson resumedSearch_ = {};  ///< state of the search that the next step takes up, in an array
    bool isDone_ = false;
};

}  // namespace tessera::mapping

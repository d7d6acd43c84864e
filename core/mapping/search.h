#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/mapping/mapping.h"

/// Interface of the rows of the algorithm table to `solve`; not for users of the engine.
namespace tessera::mapping {

/// Thrown to end a search: samples used up, optimality proven, or a stop request. Searches let it pass; only `solve`
/// catches it.
struct SearchEnded {};

struct Record;

/// The budget, the record and the watchers of one algorithm's run. Every evaluated mapping passes through here and
/// counts as one sample, in the order of the calls, whatever the number of threads.
class Trial {
public:
    struct Task {  ///< outlives the trial
        const Problem& problem;
        const Options& options;
        const Bound& bound;
        Objective objective;           ///< what this trial minimises (fronts run several trials), by options.weights
        std::string_view algorithm;    ///< its id
        std::int64_t samples = 0;      ///< that this trial may spend
        std::uint64_t phase = 0;       ///< of a run that has several trials, for the random streams
        const Options* run = nullptr;  ///< the run's options where these are not `options`: the record is of that
        const Bound* runBound = nullptr;
    };
    Trial(const Task& task, const SearchControl& control, Record& record);
    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    const Problem& problem() const;
    const Options& options() const;
    const Bound& bound() const;
    Objective objective() const;
    std::size_t jobs() const;
    std::size_t cores() const;
    /// The value of a setting of this algorithm, or its default.
    double setting(std::string_view name) const;
    std::int64_t samplesLeft() const;
    double best() const;  ///< infinity before the first sample
    const Mapping& bestMapping() const;
    /// Key of random streams: RandomStream(trial.seed(), stream) with streams of the algorithm's own choice.
    std::uint64_t seed() const;

    /// The objective of one mapping. Throws SearchEnded when the budget is spent or the search is to end.
    double evaluate(const Mapping& mapping);
    /// Objective values of many mappings, on Options::threads threads; those that the budget does not reach are
    /// infinity, and the NEXT call throws SearchEnded.
    std::vector<double> evaluateAll(std::span<const Mapping> mappings);
    /// Counts `samples` of a search with an evaluator of its own, which offers its candidates by `offer`. Throws
    /// SearchEnded like `evaluate`.
    void count(std::int64_t samples, double value);
    /// Takes a mapping of that value where it is the best so far. It must be exact: `solve` evaluates it again.
    void offer(const Mapping& mapping, double value);
    /// Marks the end of a generation: a point of the curve, progress, checkpoint, Cancel, Finish, proof.
    void generation();
    /// Answers Cancel and Finish between generations; cheap enough for every few microseconds of work.
    void poll();

    // What follows is for `solve`.
    bool isProven() const;  ///< the best is at the bound
    bool isSpent() const;
    Json state() const;
    void resume(const Json& state);

private:
    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

/// A search under way: `step` does one generation (and calls Trial::generation), `state` is all that the next step
/// depends on beside the trial's own record.
struct Search {
    std::function<bool(Trial& trial)> step;  ///< false = has no more to try ("done")
    std::function<Json()> state;
};

/// A search by generations without an end of its own: `generation` does one, after which the trial marks its end; the
/// state is that of the object.
template <typename State, typename Generation>
Search searchBy(std::shared_ptr<State> object, Generation generation) {
    return {.step =
                [object, generation](Trial& trial) {
                    generation(*object, trial);
                    trial.generation();
                    return true;
                },
            .state = [object] { return object->state(); }};
}

/// Search by an object whose `step` does a generation.
template <typename State>
Search searchBy(std::shared_ptr<State> object) {
    return searchBy(std::move(object), [](State& state, Trial& trial) { state.step(trial); });
}

inline constexpr double kProof = 1 + 1e-9;  ///< within which of its bound an objective is proven

}  // namespace tessera::mapping

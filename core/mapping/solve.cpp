#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/pacer.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/mapping/algorithm_run.h"
#include "core/mapping/record.h"
#include "core/mapping/search.h"
#include "core/mapping/state.h"

namespace tessera::mapping {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kSearch = "the mapping search";
constexpr int kFormat = 3;            ///< of the state
constexpr double kLongestTurn = 0.1;  ///< seconds; what a turn took beyond was waited for

Weights weightsOf(Objective objective, const Weights& given) {
    switch (objective) {
        case Objective::throughput:
            return {.makespan = 1, .latency = 0, .energy = 0};
        case Objective::latency:
            return {.makespan = 0, .latency = 1, .energy = 0};
        case Objective::energy:
            return {.makespan = 0, .latency = 0, .energy = 1};
        case Objective::edp:
            return {.makespan = 1, .latency = 0, .energy = 1};
        case Objective::weighted:
            break;
    }
    return given;
}

Weights between(const Weights& a, const Weights& b, double share) {
    const auto mixed = [&](double first, double second) { return (1 - share) * first + share * second; };
    return {.makespan = mixed(a.makespan, b.makespan),
            .latency = mixed(a.latency, b.latency),
            .energy = mixed(a.energy, b.energy)};
}

/// One part that minimises the objective; with a front, one for either of its objectives and three between them, too.
std::vector<Phase> phasesOf(const Problem& problem, const Options& options, const Bound& bound,
                            const std::function<bool()>& isEnough) {
    std::vector<Phase> phases{{.options = options, .bound = bound, .objective = options.objective}};
    if (options.pareto) {
        const auto [first, second] = *options.pareto;
        const auto add = [&](Objective objective, const Weights& weights) {
            Phase phase{
                .options = options, .bound = lowerBound(problem, objective, weights, isEnough), .objective = objective};
            phase.options.weights = weights;
            phases.push_back(std::move(phase));
        };
        for (const Objective objective : {first, second})
            if (objective != options.objective) add(objective, options.weights);
        const Weights from = weightsOf(first, options.weights), to = weightsOf(second, options.weights);
        for (const double share : {0.5, 0.25, 0.75}) add(Objective::weighted, between(from, to, share));
    }
    const auto count = static_cast<std::int64_t>(phases.size());
    for (std::int64_t i = 0; i < count; ++i)
        phases[static_cast<std::size_t>(i)].samples = options.samples / count + (i < options.samples % count ? 1 : 0);
    return phases;
}

/// What a state must have been made for: everything that changes a result.
std::string fingerprint(const Problem& problem, const Options& options) {
    Json json{{"jobs", problem.jobs.size()},
              {"cores", problem.cores.size()},
              {"latency", packed(problem.latency)},
              {"demand", packed(problem.requiredBandwidth)},
              {"energy", packed(problem.energy)},
              {"bandwidth", problem.bandwidth},
              {"algorithms", options.algorithms},
              {"samples", options.samples},
              {"seed", options.seed},
              {"objective", nameOf(options.objective)},
              {"weights", {options.weights.makespan, options.weights.latency, options.weights.energy}},
              {"settings", options.settings},
              {"warm", toJson(std::span<const Mapping>(options.warmStart))},
              {"explored", options.explored}};
    if (options.pareto) json["pareto"] = {nameOf(options.pareto->first), nameOf(options.pareto->second)};
    return sha256(json.dump());
}

/// Runs the algorithms of one call of `solve` in turns of equal time, so that a slow one does not delay the others'
/// curves.
class Solver {
public:
    Solver(const Problem& problem, const Options& options, const SearchControl& control)
        : problem_(problem),
          options_(options),
          control_(watched(control)),
          bound_(lowerBound(problem, options.objective, options.weights, [this] { return isEndRequested(); })),
          phases_(phasesOf(problem, options, bound_, [this] { return isEndRequested(); })),
          fingerprint_(control.checkpoint || !control.resume->is_null() ? fingerprint(problem, options) : ""),
          portfolio_{
              .problem = problem_, .options = options_, .control = control_, .bound = bound_, .phases = phases_} {
        for (const std::string& algorithm : options.algorithms) runners_.emplace_back(portfolio_, algorithm);
    }

    Result solve() {
        reportBound();
        resume();
        while (Runner* const next = nextRunner()) {
            try {
                advance(*next);
            } catch (const InterruptedError&) {
                // Within a generation the state of this algorithm run is incomplete; the last checkpoint stays valid.
                if (control_.checkpoint && !checkpointed_ && control_.resume->is_null())
                    control_.checkpoint(state(next));
                throw;
            }
            afterStep();
        }
        return result();
    }

private:
    struct Runner {
        Runner(const Portfolio& portfolio, const std::string& its) : algorithm(its), run(portfolio, its) {}

        std::string algorithm;
        AlgorithmRun run;
        double worked = 0;  ///< seconds of its turns
    };

    /// The control, with progress that counts all algorithms.
    SearchControl watched(const SearchControl& control) {
        SearchControl watched = control;
        if (control.isWatched() && options_.algorithms.size() > 1) {
            watched.progress = [this, &control](const ProgressEvent& event) {
                ProgressEvent counted = event;
                counted.task = fmt::format("portfolio of {} algorithms", runners_.size());
                counted.done = samplesBehind_ + event.done;
                counted.total = event.total * static_cast<double>(runners_.size());
                control.report(counted);
            };
        }
        return watched;
    }

    /// True once the run is finishing: lower bounds then return what is proven so far.
    bool isEndRequested() const {
        control_.throwIfCancelled(kSearch);
        return control_.finishing();
    }

    void reportBound() const {
        control_.report({.kind = ProgressEvent::Kind::point,
                         .task = "bound",
                         .curve = {.role = CurveRole::bound},
                         .y = bound_.objective});
    }

    /// The algorithm run with the minimum time so far; nullptr when all are done. Turns of equal time make the curves
    /// comparable.
    Runner* nextRunner() {
        Runner* next = nullptr;
        for (Runner& runner : runners_)
            if (!runner.run.isDone() && (next == nullptr || runner.worked < next->worked)) next = &runner;
        return next;
    }

    void advance(Runner& runner) {
        samplesBehind_ = 0;
        for (const Runner& other : runners_)
            if (&other != &runner) samplesBehind_ += static_cast<double>(other.run.samplesBehind());
        const Clock::time_point begun = Clock::now();
        runner.run.step();
        // A pause is no work.
        runner.worked += std::min(kLongestTurn, std::chrono::duration<double>(Clock::now() - begun).count());
        if (control_.front && options_.pareto) control_.front(runner.algorithm, runner.run.record().front.points());
    }

    void resume() {
        if (control_.resume->is_null()) return;
        try {
            const Json& state = *control_.resume;
            if (state.at("format") != kFormat || state.at("made_for") != fingerprint_) refuseState();
            const Json& runs = state.at("lanes");
            if (runs.size() != runners_.size()) refuseState();
            for (std::size_t i = 0; i < runners_.size(); ++i)
                if (!runs.at(i).is_null()) runners_[i].run.load(runs.at(i));
        } catch (const Json::exception&) {
            refuseState();
        }
    }

    /// The whole state; null for a lane that has to begin again.
    Json state(const Runner* broken = nullptr) const {
        Json state{{"format", kFormat}, {"made_for", fingerprint_}, {"lanes", Json::array()}};
        for (const Runner& runner : runners_)
            state["lanes"].push_back(&runner == broken ? Json(nullptr) : runner.run.state());
        return state;
    }

    /// Between two generations the state is whole: hands it over where it is time, or where the work is given up.
    void afterStep() {
        const bool cancelled = control_.cancelled();
        if (control_.checkpoint && (cancelled || checkpoints_.isDue())) {
            checkpoints_.timed([this] { control_.checkpoint(state()); });
            checkpointed_ = true;
        }
        if (!cancelled) return;
        checkpointed_ = true;
        control_.throwIfCancelled(kSearch);
    }

    Run finished(const std::string& algorithm, const Record& record) const {
        Run run;
        run.algorithm = algorithm;
        run.mapping = record.best;
        run.schedule = schedule(problem_, record.best);
        run.values = evaluate(problem_, record.best);
        run.value = objectiveOf(run.values, options_.objective, options_.weights, bound_);
        run.optimal = run.value <= std::max(0.0, bound_.objective) * kProof;
        if (bound_.objective > 0) run.gap = std::max(0.0, run.value / bound_.objective - 1);
        run.samples = record.samples;
        run.bestAfter = record.bestAfter;
        run.endedBy = *record.endedBy;
        run.convergence = record.curve.points();
        run.explored = record.kept.points();
        run.front = record.front.points();
        return run;
    }

    Result result() const {
        Result result;
        result.bound = bound_;
        std::vector<const KeptSamples*> kept;
        std::vector<std::vector<ExploredPoint>*> points;
        for (std::size_t i = 0; i < runners_.size(); ++i)
            result.runs.push_back(finished(options_.algorithms[i], runners_[i].run.record()));
        for (std::size_t i = 0; i < runners_.size(); ++i) {
            kept.push_back(&runners_[i].run.record().kept);
            points.push_back(&result.runs[i].explored);
        }
        if (options_.explored > 0) project(kept, points);
        result.assumptions = {
            "All jobs of the group are there at the start, and none waits for another.",
            "Running jobs share the bandwidth in proportion to what they ask for, and a core runs one "
            "job at a time to its end."};
        const auto isOptimal = [](const Run& run) { return run.optimal; };
        if (result.runs.size() > 1 && std::all_of(result.runs.begin(), result.runs.end(), isOptimal))
            result.warnings.emplace_back(
                "Every algorithm reached the lower bound: this case cannot tell the algorithms apart.");
        return result;
    }

    const Problem& problem_;
    const Options& options_;
    SearchControl control_;
    Bound bound_;
    std::vector<Phase> phases_;
    std::string fingerprint_;
    Portfolio portfolio_;
    std::deque<Runner> runners_;
    double samplesBehind_ = 0;  ///< of all but the one whose turn it is

    bool checkpointed_ = false;  ///< a state was handed over
    Pacer checkpoints_{{.pauseOverCost = Pacer::kTenthOfTime}};
};

}  // namespace

Result solve(const Problem& problem, const Options& options, const SearchControl& control) {
    std::vector<std::string> broken = problems(problem);
    if (broken.empty()) broken = problems(options, problem);
    if (!broken.empty()) throw UsageError(joined(broken, "; "));
    return Solver(problem, options, control).solve();
}

}  // namespace tessera::mapping

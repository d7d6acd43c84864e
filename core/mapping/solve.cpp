#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/mapping/record.h"
#include "core/mapping/search.h"
#include "core/mapping/state.h"

namespace tessera::mapping {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kProof = 1 + 1e-9;
constexpr int kFormat = 1;  ///< of the state

/// A stretch of a run: what a trial minimises, with which share of the samples.
struct Part {
    Options options;
    Bound bound;
    Objective objective = Objective::throughput;
    std::int64_t samples = 0;
};

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
std::vector<Part> partsOf(const Problem& problem, const Options& options, const Bound& bound,
                          const std::function<bool()>& isEnough) {
    std::vector<Part> parts{{.options = options, .bound = bound, .objective = options.objective}};
    if (options.pareto) {
        const auto [first, second] = *options.pareto;
        const auto add = [&](Objective objective, const Weights& weights) {
            Part part{
                .options = options, .bound = lowerBound(problem, objective, weights, isEnough), .objective = objective};
            part.options.weights = weights;
            parts.push_back(std::move(part));
        };
        for (const Objective objective : {first, second})
            if (objective != options.objective) add(objective, options.weights);
        const Weights from = weightsOf(first, options.weights), to = weightsOf(second, options.weights);
        for (const double share : {0.5, 0.25, 0.75}) add(Objective::weighted, between(from, to, share));
    }
    const auto count = static_cast<std::int64_t>(parts.size());
    for (std::int64_t i = 0; i < count; ++i)
        parts[static_cast<std::size_t>(i)].samples = options.samples / count + (i < options.samples % count ? 1 : 0);
    return parts;
}

/// What a state must have been made for: everything that changes a result.
std::string fingerprint(const Problem& problem, const Options& options) {
    Json json{{"jobs", problem.jobs.size()},
              {"cores", problem.cores.size()},
              {"latency", packed(problem.latency)},
              {"demand", packed(problem.demand)},
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

/// What one call of `solve` works through.
class Solver {
public:
    Solver(const Problem& problem, const Options& options, const Hooks& hooks)
        : problem_(problem),
          options_(options),
          hooks_(hooks),
          bound_(lowerBound(problem, options.objective, options.weights, [this] { return isAskedToEnd(); })),
          parts_(partsOf(problem, options, bound_, [this] { return isAskedToEnd(); })),
          fingerprint_(hooks.checkpoint || !hooks.resume.is_null() ? fingerprint(problem, options) : "") {}

    Result solve() {
        tellBound();
        Json search = resumed();
        try {
            for (; runs_.size() < options_.algorithms.size(); runs_.push_back(std::move(*current_)), current_.reset()) {
                if (!current_) current_.emplace(problem_, options_);
                run(options_.algorithms[runs_.size()], std::exchange(search, nullptr));
            }
        } catch (const InterruptedError&) {
            if (hooks_.checkpoint && !told_) {
                part_ = 0;
                current_.reset();
                hooks_.checkpoint(state(nullptr));
            }
            throw;
        }
        return result();
    }

private:
    /// Whether bounds are to make do with what they have.
    bool isAskedToEnd() const {
        if (hooks_.cancel.stop_requested()) throw InterruptedError("the mapping search was stopped");
        return hooks_.finish.stop_requested();
    }

    void tellBound() const {
        if (!hooks_.sink) return;
        hooks_.sink({.kind = ProgressEvent::Kind::point, .task = "bound", .series = "bound", .y = bound_.objective});
    }

    /// Takes up a state; returns what its search had to say.
    Json resumed() {
        if (hooks_.resume.is_null()) return nullptr;
        try {
            const Json& state = hooks_.resume;
            if (state.at("format") != kFormat || state.at("made_for") != fingerprint_) refuseState();
            if (state.at("runs").size() > options_.algorithms.size()) refuseState();
            for (const Json& run : state.at("runs")) {
                runs_.emplace_back(problem_, options_);
                runs_.back().load(run, problem_);
            }
            if (!state.contains("run")) return nullptr;
            current_.emplace(problem_, options_);
            current_->load(state.at("run"), problem_);
            part_ = state.at("part");
            trial_ = state.at("trial");
            endings_ = state.at("endings").get<std::vector<std::string>>();
            if (part_ >= parts_.size()) refuseState();
            return state.at("search");
        } catch (const Json::exception&) {
            refuseState();
        }
    }

    Json state(const Json& search) const {
        Json state{{"format", kFormat}, {"made_for", fingerprint_}, {"runs", Json::array()}};
        for (const Record& run : runs_) state["runs"].push_back(run.toJson());
        if (!current_) return state;
        state["run"] = current_->toJson();
        state["part"] = part_;
        state["trial"] = trial_;
        state["endings"] = endings_;
        state["search"] = Json::array({search});  // a search without a state of its own says null
        return state;
    }

    void run(const std::string& algorithm, Json search) {
        const auto& rows = searchRows();
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&](const SearchRow& candidate) { return candidate.id == algorithm; });
        if (row == rows.end())
            throw UsageError(fmt::format("the algorithm '{}' is not part of this program", algorithm));
        if (search.is_null()) {
            part_ = 0;
            trial_ = nullptr;
            endings_.clear();
        }
        for (; part_ < parts_.size(); ++part_) {
            const Part& part = parts_[part_];
            if (part.samples == 0) continue;
            Trial trial({.problem = problem_,
                         .options = part.options,
                         .bound = part.bound,
                         .objective = part.objective,
                         .algorithm = algorithm,
                         .samples = part.samples,
                         .part = part_,
                         .run = part_ == 0 ? nullptr : &options_,
                         .runBound = part_ == 0 ? nullptr : &bound_},
                        hooks_, *current_);
            if (!trial_.is_null()) trial.resume(std::exchange(trial_, nullptr));
            endings_.push_back(runPart(*row, trial, std::exchange(search, nullptr)));
            closeCurve();
        }
        current_->endedBy = ending();
    }

    /// Why a trial ended.
    std::string runPart(const SearchRow& row, Trial& trial, const Json& state) {
        std::optional<Search> search;
        try {
            if (!state.is_null() && (trial.isSpent() || trial.isProven())) throw SearchEnded{};
            search = row.start(trial, state.is_null() ? state : state.at(0));
            while (search->step(trial)) afterStep(trial, *search);
        } catch (const SearchEnded&) {
            if (trial.isProven()) return "proof";
            return trial.isSpent() ? "samples" : "stop";
        } catch (const Json::exception&) {
            refuseState();
        }
        if (trial.isProven()) return "proof";
        return trial.isSpent() ? "samples" : "done";
    }

    /// Between two generations the state is whole: hands it over where it is time, or where the work is given up.
    void afterStep(const Trial& trial, const Search& search) {
        const bool cancelled = hooks_.cancel.stop_requested();
        if (hooks_.checkpoint && (cancelled || Clock::now() >= nextTold_)) {
            const Clock::time_point begun = Clock::now();
            trial_ = trial.state();
            hooks_.checkpoint(state(search.state()));
            trial_ = nullptr;
            told_ = true;
            const Clock::time_point ended = Clock::now();
            nextTold_ = ended + 9 * (ended - begun);
        }
        if (!cancelled) return;
        told_ = true;
        throw InterruptedError("the mapping search was stopped");
    }

    /// A point for the samples of a generation that had no end.
    void closeCurve() {
        Record& record = *current_;
        const Moments last = std::exchange(record.generation, {});
        if (last.count > 0) record.curve.add(record.samples, record.value, last);
    }

    std::string ending() const {
        const auto is = [&](std::string_view word) {
            return [word](const std::string& ending) { return ending == word; };
        };
        if (std::any_of(endings_.begin(), endings_.end(), is("stop"))) return "stop";
        if (std::all_of(endings_.begin(), endings_.end(), is("proof"))) return "proof";
        return std::any_of(endings_.begin(), endings_.end(), is("samples")) ? "samples" : "done";
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
        run.endedBy = record.endedBy;
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
        for (std::size_t i = 0; i < runs_.size(); ++i)
            result.runs.push_back(finished(options_.algorithms[i], runs_[i]));
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            kept.push_back(&runs_[i].kept);
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
    const Hooks& hooks_;
    Bound bound_;
    std::vector<Part> parts_;
    std::string fingerprint_;

    std::vector<Record> runs_;  ///< finished
    std::optional<Record> current_;
    std::size_t part_ = 0;  ///< of the current run
    Json trial_ = nullptr;  ///< of the current part, while a state is made or taken up
    std::vector<std::string> endings_;
    bool told_ = false;  ///< a state was handed over
    Clock::time_point nextTold_ = {};
};

}  // namespace

Result solve(const Problem& problem, const Options& options, Hooks hooks) {
    std::vector<std::string> broken = problems(problem);
    if (broken.empty()) broken = problems(options, problem);
    if (!broken.empty()) throw UsageError(joined(broken, "; "));
    const Hooks kept = std::move(hooks);
    return Solver(problem, options, kept).solve();
}

}  // namespace tessera::mapping

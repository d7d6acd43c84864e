#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <utility>

#include "core/base/error.h"
#include "core/base/pacer.h"
#include "core/base/parallel.h"
#include "core/base/poll.h"
#include "core/base/text.h"
#include "core/study/checkpoint.h"
#include "core/study/exploration/analysis.h"
#include "core/study/exploration/entry_error.h"
#include "core/study/exploration/evaluation.h"
#include "core/study/exploration/inputs.h"
#include "core/study/exploration/kept_points.h"
#include "core/study/exploration/shared_points.h"
#include "core/study/exploration/study.h"
#include "core/study/reading.h"
#include "core/study/title.h"

namespace tessera::study {

namespace {

using ExplorationClock = std::chrono::steady_clock;

constexpr const char* kExploring = "exploring";
constexpr const char* kExploration = "the exploration";
/// Explorations whose first points all fail alike are wrong themselves, unless the study as it is works.
constexpr std::size_t kFirstPoints = 20;
constexpr std::size_t kMostKeptWhole = 1000;
/// Objectives up to which the hypervolume is told of while points come: with more, they would wait for it.
constexpr std::size_t kMostOfLive = 4;

/// A point with every metric in its place.
using MetricPlaces = std::map<std::string_view, std::size_t>;
ExploredPoint placed(EvaluatedPoint point, const MetricPlaces& places) {
    ExploredPoint found{.values = std::move(point.values),
                        .fault = point.fault,
                        .reason = std::move(point.reason),
                        .kind = std::move(point.kind),
                        .violation = point.violation};
    found.metrics.assign(places.size(), std::numeric_limits<double>::quiet_NaN());
    for (const auto& [metric, value] : point.metrics)
        if (const auto place = places.find(metric->id); place != places.end()) found.metrics[place->second] = value;
    return found;
}

/// With the goals that a point with all of their metrics tells.
std::vector<ExploredObjective> objectivesAt(const EvaluatedPoint& point, const ExplorationDefinition& definition,
                                            const PointEvaluator& evaluator) {
    std::vector<ExploredObjective> objectives;
    for (const ObjectiveDefinition& objective : definition.objectives) {
        const ExploredMetric metric = evaluator.named(point, objective.metric).first;
        objectives.push_back({.id = objective.metric, .title = metric.title, .goal = goalOf(objective, metric)});
    }
    return objectives;
}

/// Sends evaluated points to RunContext::evaluated, many at a time; those before the first solution wait for its
/// metrics. Several threads may add at once, and none waits for another that sends.
class PointReporter {
public:
    PointReporter(const ExplorationDefinition& definition, const ExploredSpace& space, const PointEvaluator& evaluator,
                  const RunContext& context)
        : definition_(definition), evaluator_(evaluator), sink_(context.evaluated) {
        table_.variables = space.variables();
        table_.base = titleOf(definition.base);
    }

    void add(const EvaluatedPoint& point) {
        if (!sink_) return;
        {
            const std::lock_guard lock(mutex_);
            pending_.push_back(point);
            if (!sends_.isDue()) return;
        }
        if (const std::unique_lock sending(sending_, std::try_to_lock); sending) send();
    }
    void flush() {
        if (!sink_) return;
        const std::lock_guard sending(sending_);
        send();
    }

private:
    void send() {
        {
            const std::lock_guard lock(mutex_);
            std::move(pending_.begin(), pending_.end(), std::back_inserter(waiting_));
            pending_.clear();
        }
        for (std::size_t i = 0; i < waiting_.size() && places_.empty(); ++i)
            if (!waiting_[i].objectives.empty()) setColumns(waiting_[i]);
        if (places_.empty() || waiting_.empty()) return;
        for (EvaluatedPoint& point : waiting_) table_.points.push_back(placed(std::move(point), places_));
        waiting_.clear();
        sink_(pointTableOf(table_));
        table_.points.clear();
        const std::lock_guard lock(mutex_);
        sends_.noteDone();
    }
    void setColumns(const EvaluatedPoint& point) {
        for (const auto& [metric, value] : point.metrics)
            if (places_.emplace(metric->id, table_.metrics.size()).second) table_.metrics.push_back(*metric);
        table_.objectives = objectivesAt(point, definition_, evaluator_);
        for (const ConstraintDefinition& constraint : definition_.constraints)
            table_.constraints.push_back({.id = constraint.metric, .title = table_.titleOf(constraint.metric)});
    }

    const ExplorationDefinition& definition_;
    const PointEvaluator& evaluator_;
    const std::function<void(explore::PointTable)> sink_;

    std::mutex mutex_;  ///< of the two that follow
    std::vector<EvaluatedPoint> pending_;
    Pacer sends_{{.minPause = kReportInterval}};

    std::mutex sending_;  ///< of what follows, and of sending
    ExplorationOutcome table_;
    MetricPlaces places_;  ///< the names are those that the evaluator keeps
    std::vector<EvaluatedPoint> waiting_;
};

/// Evaluated points on their way to a checkpoint. Several threads may add at once; whichever has a point hands all of
/// them on, so that none waits for a thread that is at work longer.
class Checkpoints {
public:
    explicit Checkpoints(std::function<void(Json)> sink) : sink_(std::move(sink)) {}

    void add(const explore::Point& point, const EvaluatedPoint& evaluated) {
        // Errors are not kept: they come again.
        if (!sink_ || evaluated.fault == PointFault::broken) return;
        const std::lock_guard lock(mutex_);
        new_.emplace_back(point, evaluated);
    }
    /// Hands on what there is, for about a tenth of the time at most.
    void handOn() {
        if (!sink_) return;
        const std::unique_lock handing(handing_, std::try_to_lock);
        if (handing && pacer_.isDue()) pacer_.timed([this] { handOnNow(); });
    }
    void handOnLast() {
        if (!sink_) return;
        const std::lock_guard handing(handing_);
        handOnNow();
    }

private:
    void handOnNow() {
        KeptPoints added;
        {
            const std::lock_guard lock(mutex_);
            std::swap(added, new_);
        }
        for (const auto& [point, evaluated] : added) state_.add(point, evaluated);
        sink_(state_.json());
    }

    const std::function<void(Json)> sink_;

    std::mutex mutex_;  ///< of what follows
    KeptPoints new_;    ///< not yet in the state

    std::mutex handing_;  ///< of what follows, and of handing on
    KeptState state_;
    Pacer pacer_{{.minPause = kReportInterval, .pauseOverCost = Pacer::kTenthOfTime}};
};

/// The evaluations of one exploration: in the order in which its method asks for points, whatever thread has them.
class Evaluations {
public:
    Evaluations(const ExplorationDefinition& definition, const ExploredSpace& space, PointEvaluator& evaluator,
                const RunContext& context, std::int64_t total, std::function<void(Json)> checkpoint)
        : definition_(definition),
          space_(space),
          evaluator_(evaluator),
          context_(context),
          reporter_(definition, space, evaluator, context),
          checkpoints_(std::move(checkpoint)),
          total_(total),
          isMeasured_(engineNamed(definition.base.engine).measures),
          answers_(space, definition.objectives.size(), evaluator.metrics()) {}

    /// Has other processes evaluate points, too, from now on, as `setup` tells them how.
    void share(std::shared_ptr<const ranks::Setup> setup) { shared_ = std::move(setup); }

    /// What an interrupted run evaluated.
    void resume(const KeptPoints& kept) {
        for (const auto& [point, evaluated] : kept) {
            checkpoints_.add(point, evaluated);
            kept_.emplace(point, evaluated);
        }
    }

    /// Runs points again, by their numbers, for results that are whole, until it is to stop; `keep` receives each, from
    /// one thread at a time.
    void runAgain(const std::vector<std::size_t>& which, const std::stop_token& stop,
                  const std::function<void(std::size_t point, Json document)>& keep) {
        const RunControl control{.cancel = stop, .threads = 1};
        std::mutex keeping;
        const auto pointOf = [&](std::size_t i) -> const explore::Point& { return points_[which[i]].first; };
        const auto here = [&](std::size_t i) {
            if (stop.stop_requested()) return;
            try {
                Json document = toJson(evaluator_.run(space_.valuesAt(pointOf(i)), control));
                const std::scoped_lock lock(keeping);
                keep(which[i], std::move(document));
            } catch (const InterruptedError&) {
                return;
            }
        };
        if (!shared_) {
            parallelFor(which.size(), isMeasured_ ? 1 : threadsHere(), here);
            return;
        }
        context_.ranks->run(shared_, {.count = which.size(),
                                      .question = [&](std::size_t i) { return questionOf(pointOf(i), true); },
                                      .here = here,
                                      .answered =
                                          [&](std::size_t i, const std::string& answer) {
                                              EvaluatedPoint evaluated = answers_.read(pointOf(i), answer);
                                              if (!evaluated.document)
                                                  throw DataError({.where = "a worker's answer"}, "no result", "one");
                                              const std::scoped_lock lock(keeping);
                                              keep(which[i], std::move(**evaluated.document));
                                          },
                                      .stop = stop,
                                      .threads = threadsHere(),
                                      .one = "point",
                                      .many = "points",
                                      .name = [&](std::size_t i) { return nameOf(pointOf(i)); }});
    }

    /// As a method asks for it.
    std::vector<explore::Evaluation> evaluate(std::span<const explore::Point> points) {
        // Where a rule may end it, few points are evaluated in vain.
        constexpr std::size_t kOfEachThread = 16;
        const std::size_t threads = threadsHere() + (shared_ ? context_.ranks->threads() : 0);
        const std::size_t slice = definition_.settings.stopAfter ? kOfEachThread * threads : points.size();
        for (std::size_t from = 0; from < points.size() && !isOver_ && !wasStopped_; from += slice) {
            batch_.clear();
            for (const explore::Point& point : points.subspan(from, std::min(slice, points.size() - from)))
                if (numbers_.emplace(point, 0).second) batch_.push_back({.point = point});
            evaluateBatch();
            mergeBatch();
        }
        std::vector<explore::Evaluation> answers;
        for (const explore::Point& point : points) {
            const auto found = numbers_.find(point);
            if (found == numbers_.end()) break;
            asked_.push_back(found->second);
            answers.push_back(points_[found->second].second.evaluation(objectives()));
        }
        return answers;
    }

    /// Has the first points judged at once, where the study that is varied does not show that the exploration can work.
    void doubt() { isDoubtful_ = true; }
    /// Throws the error that all of the first points have, however many, or all points where there are fewer: of an
    /// exploration that is doubted. Else points that all fail are a result.
    void checkFirst(std::size_t max) const {
        if (points_.empty() || !isDoubtful_) return;
        const EvaluatedPoint& first = points_.front().second;
        for (std::size_t i = 0; i < std::min(max, points_.size()); ++i)
            if (points_[i].second.missing != first.missing || points_[i].second.kind != first.kind) return;
        if (first.error) std::rethrow_exception(first.error);
        if (!first.missing.empty()) evaluator_.refuseMissing(first);
    }

    /// Reports that work goes on, not too often.
    void reportAlive() {
        const auto now = ExplorationClock::now().time_since_epoch().count();
        auto last = lastReport_.load();
        if (now - last < ExplorationClock::duration(kReportInterval).count()) return;
        if (lastReport_.compare_exchange_strong(last, now))
            context_.reportProgress(kExploring, static_cast<double>(done_.load()), static_cast<double>(total_));
    }
    /// Tells of the last points.
    void flush() { reporter_.flush(); }
    /// Hands on what is evaluated, where it is not known to be handed on.
    void giveUp() { checkpoints_.handOnLast(); }

    std::vector<std::pair<explore::Point, EvaluatedPoint>>& points() { return points_; }
    const std::vector<std::pair<explore::Point, EvaluatedPoint>>& points() const { return points_; }
    /// Points that were asked for again, and not computed again.
    std::int64_t repeated() const {
        return std::max<std::int64_t>(
            0, static_cast<std::int64_t>(asked_.size()) - static_cast<std::int64_t>(points_.size()));
    }
    /// In the order in which they were asked for.
    const std::vector<std::size_t>& asked() const { return asked_; }
    bool endedByRule() const { return isOver_; }
    bool wasStopped() const { return wasStopped_; }

    /// With goals, once a point has told them.
    const std::vector<ExploredObjective>& objectives() {
        if (!objectives_.empty()) return objectives_;
        for (const auto& [point, evaluated] : points_) {
            if (evaluated.objectives.empty()) continue;
            objectives_ = objectivesAt(evaluated, definition_, evaluator_);
            break;
        }
        return objectives_;
    }

private:
    struct Pending {
        explore::Point point;
        EvaluatedPoint evaluated = {};
        bool done = false;
    };

    void evaluateBatch() {
        for (Pending& pending : batch_)
            if (const auto kept = kept_.find(pending.point); kept != kept_.end()) {
                pending.evaluated = kept->second;
                pending.done = true;
                noteDone(pending.evaluated);
            }
        // Both requests end the points at work; what is done counts where the exploration was to finish.
        const EitherStop end(context_);
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < batch_.size(); ++i)
            if (!batch_[i].done) open.push_back(i);
        const unsigned threads = isMeasured_ ? 1 : threadsHere();
        const auto ofEach =
            static_cast<unsigned>(std::max<std::size_t>(1, threads / std::max<std::size_t>(1, open.size())));
        RunControl control{.cancel = end.token(), .threads = isMeasured_ ? context_.threads : ofEach};
        if (context_.isWatched()) control.progress = [this](const ProgressEvent&) { reportAlive(); };
        const bool keepsWhole = definition_.settings.keep == KeepPoints::all && wholes_ < kMostKeptWhole;
        const auto take = [&](std::size_t i, EvaluatedPoint evaluated) {
            Pending& pending = batch_[open[i]];
            pending.evaluated = std::move(evaluated);
            pending.done = true;
            checkpoints_.add(pending.point, pending.evaluated);
            noteDone(pending.evaluated);
            checkpoints_.handOn();
        };
        const auto evaluate = [&](std::size_t i) {
            if (end.token().stop_requested()) return;
            try {
                take(i, evaluator_.evaluate(batch_[open[i]].point, control, keepsWhole));
            } catch (const InterruptedError&) {
                return;
            }
        };
        if (shared_)
            context_.ranks->run(
                shared_,
                {.count = open.size(),
                 .question = [&](std::size_t i) { return questionOf(batch_[open[i]].point, keepsWhole); },
                 .here = evaluate,
                 .answered = [&](std::size_t i,
                                 const std::string& answer) { take(i, answers_.read(batch_[open[i]].point, answer)); },
                 .stop = end.token(),
                 .threads = threads,
                 .one = "point",
                 .many = "points",
                 .name = [&](std::size_t i) { return nameOf(batch_[open[i]].point); }});
        else
            parallelFor(open.size(), threads, evaluate);
        context_.throwIfCancelled(kExploration);
        wasStopped_ = context_.finishing();
    }

    unsigned threadsHere() const {
        return shared_ ? context_.ranks->threadsHere(context_.threads) : threadCount(context_.threads);
    }
    /// "(pes = 64, bandwidth = 8 GB/s)".
    std::string nameOf(const explore::Point& point) const {
        const std::vector<double> values = space_.valuesAt(point);
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < values.size(); ++i)
            if (space_.variables()[i].isChosen())
                parts.push_back(
                    fmt::format("{} = {}", space_.variables()[i].name, textOf(space_.variables()[i], values[i])));
        return fmt::format("({})", joined(parts, ", "));
    }

    /// Takes the points of the batch in their order: up to where the exploration ends by its own rule, so that what is
    /// recorded does not depend on how many were at work.
    void mergeBatch() {
        for (Pending& pending : batch_) {
            if (isOver_ || !pending.done) {
                numbers_.erase(pending.point);
                continue;
            }
            evaluator_.refuseSharedNames(pending.evaluated);
            if (pending.evaluated.document && ++wholes_ > kMostKeptWhole) pending.evaluated.document.reset();
            numbers_[pending.point] = points_.size();
            points_.emplace_back(std::move(pending.point), std::move(pending.evaluated));
            checkStop();
        }
        batch_.clear();
        if (points_.size() >= kFirstPoints) checkFirst(kFirstPoints);
        checkpoints_.handOn();
    }

    void checkStop() {
        if (!definition_.settings.stopAfter) return;
        const EvaluatedPoint& last = points_.back().second;
        const explore::Evaluation evaluation = last.evaluation(objectives());
        if (evaluation.isFeasible() && front_.add(evaluation.objectives)) lastGain_ = points_.size();
        isOver_ = static_cast<std::int64_t>(points_.size() - lastGain_) >= *definition_.settings.stopAfter;
    }

    /// Tells of a point at once, in the order in which points are done.
    void noteDone(const EvaluatedPoint& evaluated) {
        ++done_;
        reporter_.add(evaluated);
        if (!context_.isWatched()) return;
        reportAlive();
        if (evaluated.fault != PointFault::none || evaluated.objectives.size() > kMostOfLive) return;
        if (const std::optional<ProgressEvent> event = gainOf(evaluated)) context_.report(*event);
    }

    /// What the point adds to the hypervolume, where it adds any and that is known.
    std::optional<ProgressEvent> gainOf(const EvaluatedPoint& evaluated) {
        std::vector<double> smaller;
        for (std::size_t i = 0; i < evaluated.objectives.size(); ++i) {
            const ObjectiveDefinition& objective = definition_.objectives[i];
            smaller.push_back(asLessIsBetter(goalOf(objective, evaluator_.named(evaluated, objective.metric).first),
                                             evaluated.objectives[i]));
        }
        const std::lock_guard lock(mutex_);
        const bool gains = live_.add(smaller);
        const double gain = live_.gain();
        if (!(gain > 0) || !(gains || shown_ == 0)) return std::nullopt;
        shown_ = gain;
        const auto done = static_cast<double>(done_.load());
        return ProgressEvent{.kind = ProgressEvent::Kind::incumbent,
                             .task = kExploring,
                             .done = done,
                             .total = static_cast<double>(total_),
                             .curve = {.quantity = "hypervolume", .role = CurveRole::best},
                             .x = done,
                             .y = gain};
    }

    const ExplorationDefinition& definition_;
    const ExploredSpace& space_;
    PointEvaluator& evaluator_;
    const RunContext& context_;
    PointReporter reporter_;
    Checkpoints checkpoints_;
    const std::int64_t total_;
    const bool isMeasured_;
    std::shared_ptr<const ranks::Setup> shared_ = {};  ///< null = this process evaluates all points
    SharedAnswers answers_;

    std::map<explore::Point, EvaluatedPoint> kept_;
    std::map<explore::Point, std::size_t> numbers_;
    std::vector<std::pair<explore::Point, EvaluatedPoint>> points_;
    std::vector<ExploredObjective> objectives_;
    std::vector<std::size_t> asked_;
    FrontSoFar front_{false};
    std::size_t lastGain_ = 0;
    std::size_t wholes_ = 0;  ///< points whose results are kept whole already
    bool isOver_ = false, wasStopped_ = false, isDoubtful_ = false;
    std::vector<Pending> batch_;  ///< each thread writes to points of its own

    std::mutex mutex_;  ///< of the two that follow
    FrontSoFar live_{true};
    double shown_ = 0;  ///< the last hypervolume that was told
    std::atomic<std::int64_t> done_ = 0;
    std::atomic<ExplorationClock::rep> lastReport_ = 0;
};

/// Gives every metric its place, in the order in which points have them.
void placeMetrics(ExplorationOutcome& outcome, const std::vector<EvaluatedPoint*>& points) {
    MetricPlaces places;
    for (const EvaluatedPoint* point : points)
        for (const auto& [metric, value] : point->metrics)
            if (places.emplace(metric->id, outcome.metrics.size()).second) outcome.metrics.push_back(*metric);
    outcome.baseline = placed(std::move(*points.front()), places);
    for (std::size_t i = 1; i < points.size(); ++i) outcome.points.push_back(placed(std::move(*points[i]), places));
}

void addConstraints(ExplorationOutcome& outcome, const ExplorationDefinition& definition) {
    for (const ConstraintDefinition& constraint : definition.constraints) {
        ExploredConstraint found{.id = constraint.metric, .title = outcome.titleOf(constraint.metric)};
        found.min = limitIn(constraint.min, outcome.measureOf(constraint.metric));
        found.max = limitIn(constraint.max, outcome.measureOf(constraint.metric));
        outcome.constraints.push_back(std::move(found));
    }
}

EndedBy endOf(const Evaluations& evaluations, const explore::Method& method, const explore::MethodProblem& problem) {
    if (evaluations.wasStopped()) return EndedBy::stop;
    if (evaluations.endedByRule()) return EndedBy::search;
    const auto asked = static_cast<std::int64_t>(evaluations.asked().size());
    // A method that would ask for no more with a larger number has all of its points.
    explore::MethodProblem larger = problem;
    ++larger.points;
    const bool isWhole = method.count(larger) <= asked;
    return asked < problem.points || isWhole ? EndedBy::done : EndedBy::samples;
}

/// Results of the points that are to be kept, as their engine writes them: those of `documents`, by point, and others
/// are computed again until the exploration is to finish.
void keepPoints(ExplorationOutcome& outcome, const ExplorationDefinition& definition, Evaluations& evaluations,
                const RunContext& context, std::vector<std::shared_ptr<HeldJson>> documents,
                std::vector<std::string>& warnings) {
    std::vector<std::size_t> which;
    if (definition.settings.keep == KeepPoints::front) which = outcome.front;
    if (definition.settings.keep == KeepPoints::all)
        for (std::size_t i = 0; i < outcome.points.size(); ++i)
            if (outcome.points[i].fault == PointFault::none || outcome.points[i].fault == PointFault::constraint)
                which.push_back(i);
    std::sort(which.begin(), which.end());
    if (which.size() > kMostKeptWhole) which.resize(kMostKeptWhole);
    // A result that is ended early is not that of its point.
    const EitherStop end(context);
    std::vector<std::size_t> open;
    for (const std::size_t point : which)
        if (!documents[point]) open.push_back(point);
    std::size_t done = which.size() - open.size();
    evaluations.runAgain(open, end.token(), [&](std::size_t point, Json document) {
        documents[point] = std::make_shared<HeldJson>(std::move(document));
        context.reportProgress("keeping points", static_cast<double>(++done), static_cast<double>(which.size()));
    });
    context.throwIfCancelled(kExploration);
    for (const std::size_t point : which)
        if (documents[point]) outcome.kept.push_back({.point = point, .document = std::move(*documents[point])});
    if (outcome.kept.size() < which.size())
        warnings.push_back(fmt::format("{} of {} were not kept whole, since the exploration was stopped",
                                       which.size() - outcome.kept.size(),
                                       formatCounted(which.size(), "point", "points")));
}

void addWarnings(Result& result, const ExplorationOutcome& outcome) {
    std::int64_t broken = 0;
    std::string first;
    for (const ExploredPoint& point : outcome.points) {
        if (point.fault != PointFault::broken) continue;
        if (broken++ == 0) first = point.reason;
    }
    if (broken > 0)
        result.warnings.push_back(fmt::format("{} could not be evaluated, the first because {}",
                                              formatCounted(broken, "point", "points"), first));
}

Result explorationOf(const Study& study, const RunContext& context) {
    const ExplorationDefinition definition = definitionOf(study);
    Result result;
    result.study = study;
    result.study.seed = study.seed.value_or(1);
    const auto files = std::make_shared<InputFiles>(context.files ? context.files : std::make_shared<InputFiles>());
    files->keepMade(kMostMadeOfInputs);
    RunContext inside{context};
    inside.files = files;
    std::optional<ExploredSpace> space;
    {
        const Reading reading(inside, "reading the study", kExploration);
        space.emplace(definition.base, definition.variables);
        result.inputs = inputsOfAll(space->inner());
        reading.check();
    }
    const explore::MethodProblem problem = methodProblem(definition, *space, *result.study.seed);
    const explore::Method& method = explore::methodNamed(definition.settings.method);
    PointEvaluator evaluator(definition, *space, files);
    Evaluations evaluations(definition, *space, evaluator, context, method.count(problem),
                            checkpointSink(context, result));
    if (const auto state = resumedState(context, result))
        evaluations.resume(readKeptPoints(state->root(), *space, definition.objectives.size(), evaluator.metrics()));
    const PollScope polled([&] {
        context.throwIfCancelled(kExploration);
        evaluations.reportAlive();
    });
    std::optional<Result> baseResult;
    EvaluatedPoint baseline = evaluator.evaluateBase(
        context, [&] { evaluations.reportAlive(); }, baseResult);
    baseline.values = space->ownValues();
    evaluator.refuseSharedNames(baseline);
    if (!evaluator.judgeBase(baseline)) evaluations.doubt();
    // Measurements are of this machine. What was read so far is what points are made of.
    if (context.ranks && !engineNamed(definition.base.engine).measures)
        evaluations.share(sharedSetup(result.study, *files, context.threads));
    ExplorationOutcome outcome;
    try {
        method.run(problem, [&](std::span<const explore::Point> points) { return evaluations.evaluate(points); });
        evaluations.flush();
        evaluations.checkFirst(evaluations.points().size());

        outcome.engine = definition.base.engine;
        outcome.base = baseResult ? titleOf(*baseResult) : titleOf(definition.base);
        outcome.method = method.id;
        outcome.variables = space->variables();
        outcome.objectives = evaluations.objectives();
        if (outcome.objectives.empty() && !baseline.objectives.empty())
            outcome.objectives = objectivesAt(baseline, definition, evaluator);
        outcome.repeated = evaluations.repeated();
        outcome.ended = endOf(evaluations, method, problem);
        std::vector<EvaluatedPoint*> all{&baseline};
        std::vector<std::shared_ptr<HeldJson>> documents;
        for (auto& [point, evaluated] : evaluations.points()) {
            all.push_back(&evaluated);
            documents.push_back(std::move(evaluated.document));
        }
        placeMetrics(outcome, all);
        addConstraints(outcome, definition);
        addFindings(outcome, problem, evaluations.asked());
        keepPoints(outcome, definition, evaluations, context, std::move(documents), result.warnings);
    } catch (...) {
        // Whatever ends it, what was evaluated need not be evaluated again.
        evaluations.giveUp();
        throw;
    }
    if (baseResult) result.assumptions = std::move(baseResult->assumptions);
    addWarnings(result, outcome);
    reportWarnings(context, result.warnings);
    result.outcome = std::move(outcome);
    return result;
}

Estimate estimateOf(const Study& study) {
    const ExplorationDefinition definition = definitionOf(study);
    const InputScope inputs;
    const ExploredSpace space(definition.base, definition.variables);
    const explore::MethodProblem problem = methodProblem(definition, space, study.seed.value_or(1));
    const Estimate each = estimate(definition.base);
    if (!each.problems.empty()) return {.text = each.text, .seconds = 0, .problems = each.problems};
    const auto points = static_cast<double>(explore::methodNamed(definition.settings.method).count(problem));
    const double seconds = points * std::max(each.seconds, 1e-4) / threadCount(0);
    return {.text = fmt::format("{} of {}: {}", formatCounted(points, "point", "points"), titleOf(definition.base),
                                formatWait(seconds)),
            .seconds = seconds,
            .problems = {}};
}

}  // namespace

Result runExploration(const Study& study, const RunContext& context) {
    return withLines(study, [&] { return explorationOf(study, context); });
}

Estimate estimateExploration(const Study& study) {
    return withLines(study, [&] { return estimateOf(study); });
}

}  // namespace tessera::study

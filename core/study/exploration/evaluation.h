#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/input_files.h"
#include "core/base/json.h"
#include "core/base/run_control.h"
#include "core/explore/method.h"
#include "core/study/exploration/outcome.h"
#include "core/study/exploration/settings.h"

/// One point of an exploration: its study is run, and its metrics are held to objectives and constraints.
namespace tessera::study {

/// Values made of an exploration's files that its points share: see madeOfInputs.
inline constexpr std::size_t kMostMadeOfInputs = 64;

/// What came of a point, before metrics have their place in the outcome.
struct EvaluatedPoint {
    std::vector<double> values = {};  ///< of all variables
    std::vector<std::pair<const ExploredMetric*, double>> metrics = {};
    PointFault fault = PointFault::none;
    std::string reason = {};
    std::string kind = {};                    ///< the reason without what is this point's alone, to count by
    double violation = 0;                     ///< of constraints
    std::vector<double> objectives = {};      ///< as metrics have them; empty where one is missing
    std::string missing = {};                 ///< a metric that the exploration asks for and the point does not have
    std::exception_ptr error = {};            ///< of a broken one
    std::shared_ptr<HeldJson> document = {};  ///< its result whole, where that is to be kept

    /// As methods take it.
    explore::Evaluation evaluation(const std::vector<ExploredObjective>& of) const;
};

/// What is known of the metrics of all points, each once. Several threads may add at once.
class MetricPool {
public:
    const ExploredMetric* add(ExploredMetric metric);

private:
    std::mutex mutex_;
    std::list<ExploredMetric> all_;
    std::unordered_multimap<std::string_view, const ExploredMetric*> byId_;
};

/// Evaluates points of one exploration, many at once.
class PointEvaluator {
public:
    /// What is read is read as one of `files`. All must outlive it.
    PointEvaluator(const ExplorationDefinition& definition, const ExploredSpace& space,
                   std::shared_ptr<InputFiles> files);

    /// Runs the study of a point; its result is kept whole where that is asked for. Throws InterruptedError where
    /// `control` says so.
    EvaluatedPoint evaluate(const explore::Point& point, const RunControl& control, bool keepsWhole = false);
    /// The result of its study. Throws like study::run.
    Result run(const std::vector<double>& values, const RunControl& control) const;
    /// The base study as it is; `result` receives its result, where it has one. `beat` is called as work goes on.
    EvaluatedPoint evaluateBase(const RunControl& control, const std::function<void()>& beat,
                                std::optional<Result>& result);

    /// Holds the base to objectives and constraints, as every point is. Returns whether it has all of their metrics.
    /// Throws UsageError for what these cannot be.
    bool judgeBase(EvaluatedPoint& base) const;
    /// Throws UsageError where a metric of the point has the name of a variable: one could not be told from the other.
    void refuseSharedNames(const EvaluatedPoint& point) const;

    /// Throws UsageError for the metric that the point does not have.
    void refuseMissing(const EvaluatedPoint& point) const;

    /// A metric or variable by its id, with what is known of it. Throws UsageError where the point has none.
    std::pair<ExploredMetric, double> named(const EvaluatedPoint& point, const std::string& id) const;
    MetricPool& metrics() { return metrics_; }

private:
    void take(const Result& result, EvaluatedPoint& point);
    void judge(EvaluatedPoint& point) const;
    /// As `named`; nothing, and the point is no solution, where it has no such number.
    std::optional<std::pair<ExploredMetric, double>> found(EvaluatedPoint& point, const std::string& id) const;

    const ExplorationDefinition& definition_;
    const ExploredSpace& space_;
    std::shared_ptr<InputFiles> files_;
    std::set<std::string_view> names_;  ///< of variables
    MetricPool metrics_;
};

/// The number of a limit; nothing where none is given, or where its text is no amount of the measure.
std::optional<double> limitIn(const HeldJson& given, Measure measure);

/// Which way is better; the metric's own where the definition leaves it open. Throws UsageError where neither says it.
Goal goalOf(const ObjectiveDefinition& objective, const ExploredMetric& metric);

/// A sentence with "…" for its numbers.
std::string withoutNumbers(std::string_view sentence);

}  // namespace tessera::study

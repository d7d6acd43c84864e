#include "core/study/exploration/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/base/units.h"
#include "core/explore/front.h"
#include "core/explore/hypervolume.h"
#include "core/explore/importance.h"
#include "core/explore/sensitivity.h"

namespace tessera::study {

namespace {

/// Points after which the worst values of what came so far are the reference of a live hypervolume.
constexpr std::size_t kFirstOfLive = 16;
/// A gain of less than this share of the box between the best and worst values so far is none.
constexpr double kLeastGain = 1e-6;
constexpr std::size_t kMostReasons = 20;
/// Solutions of fewer points say nothing about importances.
constexpr std::size_t kLeastForImportance = 8;

/// The objectives in which two points differ.
std::vector<std::size_t> differing(const std::vector<double>& ideal, const std::vector<double>& worst) {
    std::vector<std::size_t> objectives;
    for (std::size_t i = 0; i < ideal.size(); ++i)
        if (worst[i] > ideal[i]) objectives.push_back(i);
    return objectives;
}

void widen(std::vector<double>& ideal, std::vector<double>& worst, const std::vector<double>& point) {
    if (ideal.empty()) {
        ideal = worst = point;
        return;
    }
    for (std::size_t i = 0; i < point.size(); ++i) {
        ideal[i] = std::min(ideal[i], point[i]);
        worst[i] = std::max(worst[i], point[i]);
    }
}

/// The front's point that is nearest to the best of all objectives, each scaled to the front's extent.
std::size_t nearestToIdeal(const std::vector<double>& values, std::size_t objectives,
                           const std::vector<std::size_t>& front) {
    const auto at = [&](std::size_t point, std::size_t objective) { return values[point * objectives + objective]; };
    std::size_t nearest = front.front();
    double min = std::numeric_limits<double>::infinity();
    for (const std::size_t point : front) {
        double distance = 0;
        for (std::size_t k = 0; k < objectives; ++k) {
            double low = std::numeric_limits<double>::infinity(), high = -low;
            for (const std::size_t each : front) {
                low = std::min(low, at(each, k));
                high = std::max(high, at(each, k));
            }
            const double share = high > low ? (at(point, k) - low) / (high - low) : 0;
            distance += share * share;
        }
        if (distance < min) {
            min = distance;
            nearest = point;
        }
    }
    return nearest;
}

void addChosen(ExplorationOutcome& outcome, const std::vector<double>& values) {
    if (outcome.front.empty()) return;
    const std::size_t objectives = outcome.objectives.size();
    if (objectives == 1) {
        outcome.chosen = outcome.front.front();
        outcome.chosenFor = fmt::format("the {} {}", outcome.objectives[0].goal == Goal::max ? "most" : "least",
                                        outcome.objectives[0].title);
        return;
    }
    std::vector<std::size_t> byNumber = outcome.front;
    std::sort(byNumber.begin(), byNumber.end());
    outcome.knee = explore::kneeOf(values, objectives, byNumber);
    outcome.chosen = outcome.knee ? *outcome.knee : nearestToIdeal(values, objectives, byNumber);
    outcome.chosenFor = outcome.knee ? "the knee of the front, beyond which more of one objective costs most of another"
                        : outcome.front.size() == 1
                            ? "no other point beats it in any objective"
                            : "the point of the front that is nearest to the best of all objectives";
}

void addHypervolume(ExplorationOutcome& outcome) {
    std::vector<double> ideal, worst;
    std::vector<std::vector<double>> points;
    for (const ExploredPoint& point : outcome.points) {
        points.push_back(minimised(outcome, point));
        if (!points.back().empty()) widen(ideal, worst, points.back());
    }
    if (ideal.empty()) return;
    const std::vector<std::size_t> objectives = differing(ideal, worst);
    if (objectives.size() > kMostOfHypervolume) return;
    std::vector<double> after;
    if (!objectives.empty()) {
        // From 0 to 1 in every objective.
        std::vector<double> rows;
        for (const std::vector<double>& point : points)
            for (const std::size_t i : objectives)
                rows.push_back(point.empty() ? std::numeric_limits<double>::quiet_NaN()
                                             : (point[i] - ideal[i]) / (worst[i] - ideal[i]));
        after = explore::hypervolumeAfterEach(rows, objectives.size(), std::vector<double>(objectives.size(), 1.0));
    } else {
        bool found = false;
        for (const std::vector<double>& point : points) after.push_back((found = found || !point.empty()) ? 1 : 0);
    }
    for (std::size_t i = 0; i < after.size(); ++i)
        if (after[i] > (outcome.hypervolume.empty() ? 0 : outcome.hypervolume.back().second))
            outcome.hypervolume.emplace_back(static_cast<double>(i + 1), after[i]);
    const auto count = static_cast<double>(points.size());
    if (!outcome.hypervolume.empty() && outcome.hypervolume.back().first < count)
        outcome.hypervolume.emplace_back(count, outcome.hypervolume.back().second);
}

void addReasons(ExplorationOutcome& outcome) {
    std::map<std::pair<PointFault, std::string>, std::int64_t> counted;
    for (const ExploredPoint& point : outcome.points)
        if (!point.isFeasible()) ++counted[{point.fault, point.kind}];
    for (const auto& [reason, points] : counted)
        outcome.reasons.push_back({.fault = reason.first, .reason = reason.second, .points = points});
    std::stable_sort(outcome.reasons.begin(), outcome.reasons.end(),
                     [](const CountedReason& a, const CountedReason& b) { return a.points > b.points; });
    if (outcome.reasons.size() <= kMostReasons) return;
    CountedReason rest{.reason = "others", .points = 0};
    for (std::size_t i = kMostReasons - 1; i < outcome.reasons.size(); ++i) rest.points += outcome.reasons[i].points;
    outcome.reasons.resize(kMostReasons - 1);
    outcome.reasons.push_back(std::move(rest));
}

/// The values of an objective at the points that were asked for; NaN where there is none.
std::vector<double> valuesAsked(const ExplorationOutcome& outcome, const std::string& objective,
                                const std::vector<std::size_t>& asked) {
    std::vector<double> values;
    for (const std::size_t point : asked) values.push_back(outcome.valueOf(outcome.points[point], objective));
    return values;
}

std::vector<VariableEffect> elementaryEffects(const explore::MethodProblem& problem,
                                              const std::vector<double>& values) {
    std::vector<VariableEffect> effects;
    for (const explore::ElementaryEffects& its : explore::morrisEffects(problem, values)) {
        VariableEffect& effect = effects.emplace_back();
        effect.value = its.magnitude.value;
        effect.low = its.magnitude.low;
        effect.high = its.magnitude.high;
        if (std::isfinite(its.deviation)) effect.spread = its.deviation;
    }
    return effects;
}

std::vector<VariableEffect> shareEffects(const explore::MethodProblem& problem, const std::vector<double>& values) {
    std::vector<VariableEffect> effects;
    for (const explore::VarianceShares& its : explore::sobolIndices(problem, values)) {
        VariableEffect& effect = effects.emplace_back();
        effect.value = its.first.value;
        effect.low = its.first.low;
        effect.high = its.first.high;
        if (!std::isfinite(its.total.value)) continue;
        effect.total = its.total.value;
        effect.totalLow = its.total.low;
        effect.totalHigh = its.total.high;
    }
    return effects;
}

/// Importances, learnt from the solutions whatever method chose them.
std::vector<VariableEffect> importanceEffects(const ExplorationOutcome& outcome, const explore::MethodProblem& problem,
                                              const std::string& objective, std::optional<double>& explained) {
    std::vector<explore::Point> points;
    std::vector<double> values;
    for (const ExploredPoint& point : outcome.points) {
        const double value = outcome.valueOf(point, objective);
        if (!point.isFeasible() || std::isnan(value)) continue;
        explore::Point& chosen = points.emplace_back();
        for (std::size_t i = 0; i < outcome.variables.size(); ++i)
            if (outcome.variables[i].isChosen()) chosen.push_back(point.values[i]);
        values.push_back(value);
    }
    std::vector<VariableEffect> effects;
    if (points.size() < kLeastForImportance) return effects;
    const explore::Importance importance = explore::importanceOf(problem.variables, points, values);
    explained = importance.explained;
    for (const double share : importance.shares) {
        VariableEffect& effect = effects.emplace_back();
        effect.value = share;
        effect.low = effect.high = std::numeric_limits<double>::quiet_NaN();
    }
    return effects;
}

void addEffects(ExplorationOutcome& outcome, const explore::MethodProblem& problem,
                const std::vector<std::size_t>& asked) {
    const bool isMorris = outcome.method == kMorris, isShares = outcome.method == kSobolIndices;
    outcome.effectKind = isMorris || isShares ? outcome.method : std::string(kImportance);
    for (const ExploredObjective& objective : outcome.objectives) {
        if (outcome.metric(objective.id) == nullptr) continue;  // what variables do to themselves is known
        ObjectiveEffects effects{.objective = objective.id};
        if (isMorris)
            effects.effects = elementaryEffects(problem, valuesAsked(outcome, objective.id, asked));
        else if (isShares)
            effects.effects = shareEffects(problem, valuesAsked(outcome, objective.id, asked));
        else
            effects.effects = importanceEffects(outcome, problem, objective.id, effects.explained);
        std::size_t next = 0;
        for (const ExploredVariable& variable : outcome.variables)
            if (variable.isChosen() && next < effects.effects.size()) effects.effects[next++].variable = variable.name;
        if (!effects.effects.empty()) outcome.effects.push_back(std::move(effects));
    }
    if (outcome.effects.empty()) outcome.effectKind.clear();
}

}  // namespace

FrontSoFar::Volume::Volume(const std::vector<double>& from, const std::vector<double>& to, const Points& front)
    : from_(from), to_(to), objectives_(differing(from, to)), grown_(std::vector<double>(objectives_.size(), 1.0)) {
    for (const std::vector<double>& point : front) add(point);
}

double FrontSoFar::Volume::add(const std::vector<double>& point) {
    if (objectives_.empty()) return 0;
    std::vector<double> scaled;
    for (const std::size_t i : objectives_) scaled.push_back((point[i] - from_[i]) / (to_[i] - from_[i]));
    return grown_.add(scaled);
}

bool FrontSoFar::Volume::isInside(const std::vector<double>& worst) const {
    for (std::size_t i = 0; i < worst.size(); ++i)
        if (worst[i] > to_[i]) return false;
    return true;
}

double FrontSoFar::Volume::between(const std::vector<double>& ideal, const std::vector<double>& worst) const {
    double volume = 1;
    for (const std::size_t i : objectives_) volume *= (worst[i] - ideal[i]) / (to_[i] - from_[i]);
    return volume;
}

bool FrontSoFar::add(const std::vector<double>& objectives) {
    const bool isFirst = count_++ == 0;
    if (objectives.size() > kMostOfHypervolume) return addByComparison(objectives);
    widen(ideal_, worst_, objectives);
    if (!volume_ || !volume_->isInside(worst_) || volume_->objectives() < differing(ideal_, worst_).size()) {
        // Far enough that this is seldom.
        std::vector<double> beyond = worst_;
        for (std::size_t i = 0; i < beyond.size(); ++i) beyond[i] += worst_[i] - ideal_[i];
        keepFront();
        volume_.emplace(ideal_, beyond, front_);
    }
    const double grown = volume_->add(objectives);
    if (grown > 0 || isFirst) {
        front_.push_back(objectives);
        if (live_) live_->add(objectives);
    }
    if (tellsGain_ && count_ == kFirstOfLive) {
        live_.emplace(ideal_, worst_, front_);
        begun_ = live_->total();
    }
    return isFirst || grown > kLeastGain * volume_->between(ideal_, worst_);
}

bool FrontSoFar::addByComparison(const std::vector<double>& objectives) {
    const auto isBeaten = [](const std::vector<double>& by, const std::vector<double>& point) {
        return explore::isNowhereAbove(by.data(), point.data(), point.size());
    };
    if (std::any_of(front_.begin(), front_.end(),
                    [&](const std::vector<double>& each) { return isBeaten(each, objectives); }))
        return false;
    std::erase_if(front_, [&](const std::vector<double>& each) { return isBeaten(objectives, each); });
    front_.push_back(objectives);
    return true;
}

void FrontSoFar::keepFront() {
    if (front_.empty()) return;
    std::vector<double> rows;
    for (const std::vector<double>& point : front_) rows.insert(rows.end(), point.begin(), point.end());
    Points kept;
    for (const std::size_t i : explore::frontOf(rows, front_.front().size())) kept.push_back(std::move(front_[i]));
    front_ = std::move(kept);
}

double FrontSoFar::gain() const {
    return begun_ > 0 ? live_->total() / begun_ : 0;
}

std::vector<double> minimised(const ExplorationOutcome& outcome, const ExploredPoint& point) {
    std::vector<double> values;
    if (!point.isFeasible()) return values;
    for (const ExploredObjective& objective : outcome.objectives) {
        const double value = outcome.valueOf(point, objective.id);
        values.push_back(objective.asLess(value));
    }
    return values;
}

void addFindings(ExplorationOutcome& outcome, const explore::MethodProblem& problem,
                 const std::vector<std::size_t>& asked) {
    addReasons(outcome);
    const std::size_t objectives = outcome.objectives.size();
    if (objectives == 0) return;
    std::vector<double> values;
    for (const ExploredPoint& point : outcome.points) {
        std::vector<double> at = minimised(outcome, point);
        at.resize(objectives, std::numeric_limits<double>::quiet_NaN());
        values.insert(values.end(), at.begin(), at.end());
    }
    outcome.front = explore::frontOf(values, objectives);
    std::stable_sort(outcome.front.begin(), outcome.front.end(),
                     [&](std::size_t a, std::size_t b) { return values[a * objectives] < values[b * objectives]; });
    addChosen(outcome, values);
    addHypervolume(outcome);
    addEffects(outcome, problem, asked);
}

}  // namespace tessera::study

#include "core/study/exploration/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/engine.h"
#include "core/study/exploration/entry_error.h"

namespace tessera::study {

std::optional<double> limitIn(const HeldJson& given, Measure measure) {
    if (given->is_number()) return given->get<double>();
    if (given->is_string()) return parseQuantity(given->get_ref<const std::string&>(), measure);
    return std::nullopt;
}

namespace {

/// Shares of a limit that is 0.
constexpr double kLeastLimit = 1e-12;

/// The same of one that is given, as "min" or "max". Throws UsageError.
double givenLimit(const HeldJson& given, const char* member, const ConstraintDefinition& constraint,
                  const ExploredMetric& metric) {
    if (const std::optional<double> value = limitIn(given, metric.measure)) return *value;
    const std::string sentence = fmt::format(
        "the constraint on {} is {}; expected a number{}", inQuotes(constraint.metric),
        inQuotes(given->get_ref<const std::string&>()),
        metric.measure == Measure::count ? std::string()
                                         : fmt::format(", or one with a unit of {}", unitName(metric.measure)));
    throw EntryError<UsageError>(UsageError(sentence),
                                 {.parameter = "constraints", .like = toJson(constraint), .member = member});
}

/// What of an exploration asks for a metric.
EntryPlace asking(const ExplorationDefinition& definition, const std::string& metric) {
    for (const ObjectiveDefinition& objective : definition.objectives)
        if (objective.metric == metric)
            return {.parameter = "objectives", .like = toJson(objective), .member = "metric"};
    return {.parameter = "constraints", .like = Json{{"metric", metric}}, .member = "metric"};
}

/// What follows the first part of an engine's sentence is about this point alone.
void setInfeasible(EvaluatedPoint& point, const std::string& reason) {
    point.fault = PointFault::infeasible;
    point.reason = reason;
    point.kind = withoutNumbers(std::string_view(reason).substr(0, reason.find_first_of(":;(")));
}

}  // namespace

std::string textOf(const ExploredMetric& metric, double value) {
    if (std::isnan(value)) return "–";
    return textOf(Metric{.name = metric.id,
                         .title = metric.title,
                         .owner = {},
                         .value = value,
                         .measure = metric.measure,
                         .better = metric.better,
                         .uncertain = metric.uncertain});
}

explore::Evaluation EvaluatedPoint::evaluation(const std::vector<ExploredObjective>& of) const {
    explore::Evaluation found{.violation = violation};
    if (fault == PointFault::infeasible || fault == PointFault::broken) return found;
    for (std::size_t i = 0; i < objectives.size(); ++i) found.objectives.push_back(of[i].asLess(objectives[i]));
    return found;
}

PointEvaluator::PointEvaluator(const ExplorationDefinition& definition, const ExploredSpace& space,
                               std::shared_ptr<InputFiles> files)
    : definition_(definition), space_(space), files_(std::move(files)) {
    for (const ExploredVariable& variable : space.variables()) names_.insert(variable.name);
}

Result PointEvaluator::run(const std::vector<double>& values, const RunControl& control) const {
    const PointStudy point = space_.studyAt(values, files_);
    RunContext context{{control}};
    context.files = point.files;
    return study::run(point.study, context);
}

EvaluatedPoint PointEvaluator::evaluate(const explore::Point& point, const RunControl& control, bool keepsWhole) {
    EvaluatedPoint found;
    const auto broken = [&found](const std::exception& error) {
        found.fault = PointFault::broken;
        found.reason = error.what();
        found.kind = withoutNumbers(found.reason);
        found.error = std::current_exception();
    };
    try {
        found.values = space_.valuesAt(point);
        space_.checkComputed(found.values);
        const Result result = run(found.values, control);
        take(result, found);
        if (found.fault == PointFault::none) judge(found);
        if (keepsWhole && found.fault != PointFault::infeasible)
            found.document = std::make_shared<HeldJson>(toJson(result));
    } catch (const InfeasibleError& error) {
        setInfeasible(found, error.what());
    } catch (const DataError& error) {
        broken(error);
    } catch (const UsageError& error) {
        broken(error);
    } catch (const FileError& error) {
        broken(error);
    }
    return found;
}

EvaluatedPoint PointEvaluator::evaluateBase(const RunControl& control, const std::function<void()>& beat,
                                            std::optional<Result>& result) {
    EvaluatedPoint found;
    const EitherStop end(control);
    RunContext context{{{.cancel = end.token(), .threads = control.threads}}};
    if (control.isWatched()) context.progress = [&beat](const ProgressEvent&) { beat(); };
    context.files = files_;
    try {
        result = study::run(definition_.base, context);
        take(*result, found);
    } catch (const InfeasibleError& error) {
        setInfeasible(found, error.what());
    } catch (const std::exception& error) {
        control.throwIfCancelled("the exploration");
        found.fault = PointFault::broken;
        found.reason = error.what();
    }
    return found;
}

void PointEvaluator::take(const Result& result, EvaluatedPoint& point) {
    const Engine& engine = engineOf(result);
    for (Metric& metric : engine.metrics(result))
        if (metric.owner.empty())
            point.metrics.emplace_back(metrics_.add({.id = std::move(metric.name),
                                                     .title = std::move(metric.title),
                                                     .measure = metric.measure,
                                                     .better = metric.better,
                                                     .uncertain = metric.uncertain}),
                                       metric.value);
    if (engine.misfit == nullptr) return;
    if (const std::string reason = engine.misfit(result); !reason.empty()) setInfeasible(point, reason);
}

const ExploredMetric* MetricPool::add(ExploredMetric metric) {
    const std::lock_guard lock(mutex_);
    for (auto [each, end] = byId_.equal_range(metric.id); each != end; ++each)
        if (*each->second == metric) return each->second;
    const ExploredMetric& added = all_.emplace_back(std::move(metric));
    byId_.emplace(added.id, &added);
    return &added;
}

std::optional<std::pair<ExploredMetric, double>> PointEvaluator::found(EvaluatedPoint& point,
                                                                       const std::string& id) const {
    try {
        if (auto its = named(point, id); std::isfinite(its.second)) return its;
    } catch (const UsageError&) {
        point.missing = id;
    }
    setInfeasible(point, fmt::format("there is no {} here", id));
    return std::nullopt;
}

void PointEvaluator::judge(EvaluatedPoint& point) const {
    for (const ObjectiveDefinition& objective : definition_.objectives) {
        const auto its = found(point, objective.metric);
        if (!its) return point.objectives.clear();
        goalOf(objective, its->first);
        point.objectives.push_back(its->second);
    }
    for (const ConstraintDefinition& constraint : definition_.constraints) {
        const auto its = found(point, constraint.metric);
        if (!its) return point.objectives.clear();
        const auto& [metric, value] = *its;
        const auto violate = [&, &of = metric, at = value](double limit, const char* words) {
            point.violation += std::fabs(at - limit) / std::max(std::fabs(limit), kLeastLimit);
            point.fault = PointFault::constraint;
            const std::string beyond = fmt::format("{} {}", words, textOf(of, limit));
            const char* const separator = point.reason.empty() ? "" : "; ";
            point.reason += fmt::format("{}{} is {}, {}", separator, constraint.metric, textOf(of, at), beyond);
            point.kind += fmt::format("{}{} is {}", separator, constraint.metric, beyond);
        };
        if (!constraint.max->is_null())
            if (const double max = givenLimit(constraint.max, "max", constraint, metric); value > max)
                violate(max, "above");
        if (!constraint.min->is_null())
            if (const double min = givenLimit(constraint.min, "min", constraint, metric); value < min)
                violate(min, "below");
    }
}

bool PointEvaluator::judgeBase(EvaluatedPoint& base) const {
    if (base.fault != PointFault::none) return false;
    judge(base);
    return base.missing.empty();
}

void PointEvaluator::refuseSharedNames(const EvaluatedPoint& point) const {
    for (const auto& [metric, value] : point.metrics) {
        if (!names_.contains(metric->id)) continue;
        const ExploredVariable* const variable = findRow(space_.variables(), metric->id);
        throw EntryError<UsageError>(
            UsageError(fmt::format(
                "variable {}: the study has a metric of that name; expected another one, as its 'name' in a file or as "
                "NAME@{}=… of '--vary'",
                inQuotes(metric->id), variable->of.empty() ? "…" : escaped(variable->of, 200))),
            variablePlace(metric->id, "name"));
    }
}

void PointEvaluator::refuseMissing(const EvaluatedPoint& point) const {
    atEntry(asking(definition_, point.missing), [&] { named(point, point.missing); });
}

std::pair<ExploredMetric, double> PointEvaluator::named(const EvaluatedPoint& point, const std::string& id) const {
    for (const auto& [metric, value] : point.metrics)
        if (metric->id == id) return {*metric, value};
    const std::vector<ExploredVariable>& variables = space_.variables();
    for (std::size_t i = 0; i < std::min(variables.size(), point.values.size()); ++i)
        if (variables[i].name == id && !variables[i].isCategory())
            return {{.id = id, .title = variables[i].title, .measure = variables[i].measure}, point.values[i]};
    std::vector<std::string> known;
    for (const auto& [metric, value] : point.metrics) known.push_back(metric->id);
    for (const ExploredVariable& variable : variables)
        if (!variable.isCategory()) known.push_back(variable.name);
    throw UsageError(fmt::format("there is no metric {}; {}", inQuotes(id),
                                 withClosest("did you mean {}?", id, known, "there are " + joined(known, ", "))));
}

Goal goalOf(const ObjectiveDefinition& objective, const ExploredMetric& metric) {
    if (objective.goal) return *objective.goal;
    if (metric.better == Metric::Better::neither)
        throw EntryError<UsageError>(
            UsageError(fmt::format("neither less nor more of {} is better by itself; give {}:min or {}:max",
                                   inQuotes(metric.id), metric.id, metric.id)),
            {.parameter = "objectives", .like = toJson(objective)});
    return metric.better == Metric::Better::higher ? Goal::max : Goal::min;
}

std::string withoutNumbers(std::string_view sentence) {
    std::string kind;
    bool inNumber = false;
    char before = ' ';
    for (const char c : sentence) {
        const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        const bool inWord = std::isalnum(static_cast<unsigned char>(before)) != 0 || before == '-' || before == '_';
        if (digit && !inNumber && !inWord) {
            kind += "…";
            inNumber = true;
        } else if (!digit && c != '.' && c != ',') {
            inNumber = false;
        }
        if (!inNumber) kind += c;
        before = c;
    }
    return std::string(trimmed(kind));
}

}  // namespace tessera::study

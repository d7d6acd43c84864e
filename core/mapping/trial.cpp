#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/pacer.h"
#include "core/base/parallel.h"
#include "core/base/random.h"
#include "core/mapping/evaluator.h"
#include "core/mapping/record.h"
#include "core/mapping/search.h"
#include "core/mapping/state.h"

namespace tessera::mapping {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kGrace{40};  ///< after Cancel, to come to the end of a generation
/// Genes below which another thread costs more than it brings, and that are evaluated between two polls.
constexpr std::size_t kFewGenes = 40'000, kManyGenes = 400'000;
constexpr std::size_t kChunk = 8;  ///< mappings that a thread takes at once

/// FNV-1a, so that an algorithm's random numbers depend on its name and not on its place in a list.
std::uint64_t hashOf(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3U;
    return hash;
}

}  // namespace

struct Trial::Implementation {
    Implementation(const Task& given, const SearchControl& watching, Record& written)
        : task(given),
          control(watching),
          record(written),
          run(given.run != nullptr ? *given.run : given.options),
          runBound(given.runBound != nullptr ? *given.runBound : given.bound),
          random(
              RandomStream(given.options.seed, hashOf(given.algorithm) ^ (given.phase * 0x9E3779B97F4A7C15U)).next()) {}

    Task task;
    const SearchControl& control;
    Record& record;
    const Options& run;
    const Bound& runBound;
    std::uint64_t random;

    std::int64_t spent = 0;
    Mapping best;
    double value = std::numeric_limits<double>::infinity();
    double reportedBest = std::numeric_limits<double>::infinity();  ///< the best that listeners know

    std::vector<std::unique_ptr<Evaluator>> evaluators;  ///< one per thread
    Pacer reports{{.minPause = kReportInterval}};
    std::optional<Clock::time_point> cancelled;

    bool isProven() const { return spent > 0 && value <= std::max(0.0, task.bound.objective) * kProof; }

    void endWhereDone() const {
        if (spent >= task.samples || isProven()) throw SearchEnded{};
    }

    Evaluator& evaluator(std::size_t thread) {
        if (thread >= evaluators.size()) evaluators.resize(thread + 1);
        if (!evaluators[thread]) evaluators[thread] = std::make_unique<Evaluator>(task.problem);
        return *evaluators[thread];
    }

    double of(const Values& values) const {
        return objectiveOf(values, task.objective, task.options.weights, task.bound);
    }

    /// What the run's curve shows of values.
    double shown(const Values& values) const { return objectiveOf(values, run.objective, run.weights, runBound); }

    void updateIncumbent(const Mapping& mapping, double found) {
        if (found >= value) return;
        value = found;
        best = mapping;
    }

    void recordSample(const Mapping& mapping, const Values& values, double objectiveValue) {
        if (objectiveValue < record.value) {
            record.value = objectiveValue;
            record.best = mapping;
            record.bestAfter = record.samples;
        }
        if (!run.pareto) return;
        const auto valueAs = [&](Objective objective) { return objectiveOf(values, objective, run.weights, runBound); };
        record.front.add({.values = values,
                          .first = valueAs(run.pareto->first),
                          .second = valueAs(run.pareto->second),
                          .mapping = mapping});
    }

    /// Counts an evaluated mapping.
    double note(const Mapping& mapping, const Values& values) {
        const double found = of(values), objectiveValue = shown(values);
        record.kept.consider(record.samples, mapping, objectiveValue);
        ++spent;
        ++record.samples;
        record.generation.add(objectiveValue);
        updateIncumbent(mapping, found);
        recordSample(mapping, values, objectiveValue);
        return found;
    }

    void report(ProgressEvent event) {
        event.task = task.algorithm;
        event.done = static_cast<double>(record.samples);
        event.total = static_cast<double>(run.samples);
        control.report(event);
        reports.noteDone();
    }

    void reportPoint(CurveRole role, double y) {
        report({.kind = ProgressEvent::Kind::point,
                .curve = {.owner = std::string(task.algorithm), .role = role},
                .x = static_cast<double>(record.samples),
                .y = y});
    }

    void reportGeneration(const Moments& generation) {
        if (record.value < reportedBest) {
            reportedBest = record.value;
            report({.kind = ProgressEvent::Kind::incumbent,
                    .curve = {.owner = std::string(task.algorithm)},
                    .x = static_cast<double>(record.samples),
                    .y = record.value});
        }
        reportPoint(CurveRole::best, record.value);
        reportPoint(CurveRole::mean, generation.mean);
        reportPoint(CurveRole::spread, generation.spread());
    }

    void poll() {
        if (control.cancelled()) {
            const Clock::time_point now = Clock::now();
            if (!cancelled) cancelled = now;
            if (now - *cancelled > kGrace) throw InterruptedError("the mapping search was stopped");
        }
        if (control.finishing() && spent > 0) throw SearchEnded{};
        if (control.isWatched() && reports.isDue()) report({.kind = ProgressEvent::Kind::progress});
    }
};

Trial::Trial(const Task& task, const SearchControl& control, Record& record)
    : d_(std::make_unique<Implementation>(task, control, record)) {}

Trial::~Trial() = default;

const Problem& Trial::problem() const {
    return d_->task.problem;
}

const Options& Trial::options() const {
    return d_->task.options;
}

const Bound& Trial::bound() const {
    return d_->task.bound;
}

Objective Trial::objective() const {
    return d_->task.objective;
}

std::size_t Trial::jobs() const {
    return problem().jobs.size();
}

std::size_t Trial::cores() const {
    return problem().cores.size();
}

double Trial::setting(std::string_view name) const {
    const auto given = options().settings.find(fmt::format("{}.{}", d_->task.algorithm, name));
    if (given != options().settings.end()) return given->second;
    if (const Algorithm* algorithm = findAlgorithm(d_->task.algorithm))
        for (const Setting& setting : algorithm->settings)
            if (setting.name == name) return setting.fallback;
    throw std::logic_error(fmt::format("{} has no setting '{}'", d_->task.algorithm, name));
}

std::int64_t Trial::samplesLeft() const {
    return d_->task.samples - d_->spent;
}

double Trial::best() const {
    return d_->value;
}

const Mapping& Trial::bestMapping() const {
    return d_->best;
}

std::uint64_t Trial::seed() const {
    return d_->random;
}

double Trial::evaluate(const Mapping& mapping) {
    d_->endWhereDone();
    d_->poll();
    return d_->note(mapping, d_->evaluator(0).evaluate(mapping));
}

std::vector<double> Trial::evaluateAll(std::span<const Mapping> mappings) {
    d_->endWhereDone();
    d_->poll();
    std::vector<double> found(mappings.size(), std::numeric_limits<double>::infinity());
    const std::size_t reached = std::min(mappings.size(), static_cast<std::size_t>(samplesLeft()));
    const std::size_t block = std::max<std::size_t>(1, kManyGenes / jobs());
    std::vector<Values> values;
    for (std::size_t from = 0; from < reached && !isProven(); from += block) {
        if (from > 0) d_->poll();
        const std::size_t count = std::min(block, reached - from);
        values.resize(count);
        // Thread t takes every t-th chunk, so that each has an evaluator of its own.
        const std::size_t threads = count * jobs() < kFewGenes ? 1 : threadCount(d_->control.threads);
        for (std::size_t thread = 0; thread < threads; ++thread) d_->evaluator(thread);
        parallelFor(threads, static_cast<unsigned>(threads), [&](std::size_t thread) {
            Evaluator& evaluator = *d_->evaluators[thread];
            for (std::size_t i = 0; i < count; ++i)
                if (i / kChunk % threads == thread) values[i] = evaluator.evaluate(mappings[from + i]);
        });
        for (std::size_t i = 0; i < count && !isProven(); ++i)
            found[from + i] = d_->note(mappings[from + i], values[i]);
    }
    return found;
}

void Trial::count(std::int64_t samples, double value) {
    d_->endWhereDone();
    d_->poll();
    const std::int64_t counted = std::min(samples, samplesLeft());
    d_->spent += counted;
    d_->record.samples += counted;
    // A trial for the front has another scale than the run's curve.
    if (d_->task.run == nullptr && std::isfinite(value)) d_->record.generation.add(value, counted);
}

void Trial::offer(const Mapping& mapping, double value) {
    Record& record = d_->record;
    d_->updateIncumbent(mapping, value);
    if (d_->task.run == nullptr && value >= record.value) {
        record.kept.consider(record.samples, mapping, value);
        return;
    }
    const Values values = d_->evaluator(0).evaluate(mapping);
    const double objectiveValue = d_->shown(values);
    record.kept.consider(record.samples, mapping, objectiveValue);
    d_->recordSample(mapping, values, objectiveValue);
}

void Trial::generation() {
    Record& record = d_->record;
    const Moments generation = std::exchange(record.generation, {});
    if (generation.count > 0) {
        record.curve.add(record.samples, record.value, generation);
        if (d_->control.isWatched()) d_->reportGeneration(generation);
    }
    d_->endWhereDone();
    d_->poll();
}

void Trial::poll() {
    d_->poll();
}

bool Trial::isProven() const {
    return d_->isProven();
}

bool Trial::isSpent() const {
    return samplesLeft() <= 0;
}

Json Trial::state() const {
    Json state{{"spent", d_->spent}};
    if (d_->spent == 0) return state;
    state["best"] = toJson(d_->best);
    state["value"] = d_->value;
    return state;
}

void Trial::resume(const Json& state) {
    d_->spent = state.at("spent");
    if (d_->spent < 0 || d_->spent > d_->task.samples) refuseState();
    if (d_->spent == 0) return;
    d_->best = mappingFrom(state.at("best"), jobs(), cores());
    d_->value = state.at("value");
}

}  // namespace tessera::mapping

#include "core/mapping/algorithm_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/mapping/state.h"

namespace tessera::mapping {

namespace {

const Algorithm& rowOf(std::string_view algorithm) {
    if (const Algorithm* row = findAlgorithm(algorithm)) return *row;
    throw UsageError(fmt::format("the algorithm '{}' is not part of this program", algorithm));
}

}  // namespace

AlgorithmRun::AlgorithmRun(const Portfolio& portfolio, const std::string& algorithm)
    : portfolio_(portfolio), row_(&rowOf(algorithm)), record_(portfolio.problem, portfolio.options) {}

std::int64_t AlgorithmRun::samplesBehind() const {
    return isDone_ ? portfolio_.options.samples : record_.samples;
}

void AlgorithmRun::step() {
    while (phase_ < portfolio_.phases.size() && portfolio_.phases[phase_].samples == 0) ++phase_;
    if (phase_ < portfolio_.phases.size()) {
        const std::optional<EndedBy> ending = advance();
        if (ending) closePhase(*ending);
    }
    if (phase_ < portfolio_.phases.size()) return;
    record_.endedBy = ending();
    isDone_ = true;
}

void AlgorithmRun::begin() {
    const Phase& phase = portfolio_.phases[phase_];
    trial_ = std::make_unique<Trial>(Trial::Task{.problem = portfolio_.problem,
                                                 .options = phase.options,
                                                 .bound = phase.bound,
                                                 .objective = phase.objective,
                                                 .algorithm = row_->id,
                                                 .samples = phase.samples,
                                                 .phase = phase_,
                                                 .run = phase_ == 0 ? nullptr : &portfolio_.options,
                                                 .runBound = phase_ == 0 ? nullptr : &portfolio_.bound},
                                     portfolio_.control, record_);
}

/// One generation of the current part; why the part ended, or nothing.
std::optional<EndedBy> AlgorithmRun::advance() {
    if (!trial_) begin();
    try {
        const bool isResumed = !resumedSearch_->is_null();
        if (isResumed && (trial_->isSpent() || trial_->isProven())) throw SearchEnded{};
        if (!search_) {
            const HeldJson state = std::exchange(resumedSearch_, {});
            search_ = row_->start(*trial_, isResumed ? state->at(0) : *state);
        }
        if (search_->step(*trial_)) return {};
    } catch (const SearchEnded&) {
        if (!trial_->isProven() && !trial_->isSpent()) return EndedBy::stop;
    } catch (const Json::exception&) {
        refuseState();
    }
    if (trial_->isProven()) return EndedBy::proof;
    return trial_->isSpent() ? EndedBy::samples : EndedBy::done;
}

void AlgorithmRun::closePhase(EndedBy ending) {
    endings_.push_back(ending);
    closeCurve();
    search_.reset();
    trial_.reset();
    resumedSearch_ = {};
    ++phase_;
}

/// A point for the samples of a generation that had no end.
void AlgorithmRun::closeCurve() {
    const Moments last = std::exchange(record_.generation, {});
    if (last.count > 0) record_.curve.add(record_.samples, record_.value, last);
}

EndedBy AlgorithmRun::ending() const {
    const auto have = [&](EndedBy which) { return std::count(endings_.begin(), endings_.end(), which); };
    if (have(EndedBy::stop) > 0) return EndedBy::stop;
    if (have(EndedBy::proof) == std::ssize(endings_)) return EndedBy::proof;
    return have(EndedBy::samples) > 0 ? EndedBy::samples : EndedBy::done;
}

Json AlgorithmRun::state() const {
    Json endings = Json::array();
    for (const EndedBy ending : endings_) endings.push_back(nameOf(ending));
    Json state{{"record", record_.toJson()}, {"part", phase_}, {"endings", std::move(endings)}, {"done", isDone_}};
    if (!trial_) return state;
    state["trial"] = trial_->state();
    // A search without a state of its own says null.
    state["search"] = search_ ? Json::array({search_->state()}) : *resumedSearch_;
    return state;
}

void AlgorithmRun::load(const Json& state) {
    record_.load(state.at("record"), portfolio_.problem);
    phase_ = state.at("part");
    endings_.clear();
    for (const Json& name : state.at("endings")) {
        const std::optional<EndedBy> ending = endedByNamed(name.get<std::string>());
        if (!ending) refuseState();
        endings_.push_back(*ending);
    }
    isDone_ = state.at("done");
    if (phase_ > portfolio_.phases.size() || isDone_ != (phase_ == portfolio_.phases.size())) refuseState();
    if (!state.contains("trial")) return;
    if (isDone_) refuseState();
    begin();
    trial_->resume(state.at("trial"));
    resumedSearch_ = state.at("search");
}

}  // namespace tessera::mapping

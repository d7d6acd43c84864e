#include "core/study/time_left.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/study/engine.h"

namespace tessera::study {

namespace {

constexpr double kMinShare = 0.05;        ///< of a task before its first part says anything about the rest
constexpr double kMinElapsed = 2;         ///< seconds before a rate is believed
constexpr double kRecentShare = 1.0 / 3;  ///< share of the time that counts as lately
constexpr double kMaxApart = 5;           ///< between two estimates that are still reported
constexpr std::size_t kMaxSeen = 96;      ///< moments that a pace remembers

/// The samples that every algorithm of a portfolio is to draw; 0 = the run is none.
double samplesOfEach(const Study& study) {
    const Engine* engine = findEngine(study.engine);
    if (engine == nullptr || engine->samplesParameter.empty()) return 0;
    const auto given = study.parameters->find(std::string(engine->samplesParameter));
    if (given != study.parameters->end() && given->is_number()) return given->get<double>();
    const Parameter* row = findParameter(engine->parameters(), engine->samplesParameter);
    const Json fallback = row == nullptr ? Json() : defaultOf(*row);
    return fallback.is_number() ? fallback.get<double>() : 0;
}

/// Two significant steps of what a person would say.
std::string roughly(double seconds) {
    constexpr double kMinute = 60, kHour = 3600;
    const auto to = [](double value, double step) { return std::max(step, std::round(value / step) * step); };
    if (seconds < 10) return fmt::format("{} s", to(seconds, 1));
    if (seconds < 57.5) return fmt::format("{} s", to(seconds, 5));
    if (seconds < 2 * kMinute) {
        const double rounded = to(seconds, 10);
        const double rest = rounded - kMinute;
        if (rounded >= 2 * kMinute) return "2 min";
        return rest > 0 ? fmt::format("1 min {} s", rest) : "1 min";
    }
    if (seconds < kHour) return fmt::format("{} min", to(seconds / kMinute, 1));
    return fmt::format("{} h", to(seconds / kHour, 0.5));
}

}  // namespace

void Pace::add(double elapsed, double value) {
    if (!seen_.empty() && elapsed < seen_.back().first) return;
    seen_.emplace_back(elapsed, value);
    if (seen_.size() < kMaxSeen) return;
    // Every other moment, but the first and the last.
    std::vector<std::pair<double, double>> kept;
    for (std::size_t i = 0; i + 1 < seen_.size(); i += 2) kept.push_back(seen_[i]);
    kept.push_back(seen_.back());
    seen_ = std::move(kept);
}

std::optional<std::pair<double, double>> Pace::secondsFor(double rise) const {
    if (seen_.size() < 2) return std::nullopt;
    const auto& [begun, from] = seen_.front();
    const auto& [now, to] = seen_.back();
    const double late = now - kRecentShare * (now - begun);
    const auto recent =
        std::find_if(seen_.rbegin(), seen_.rend(), [at = late](const auto& each) { return each.first <= at; });
    if (!(now > begun) || !(to > from) || !(to > recent->second)) return std::nullopt;
    const double whole = rise * (now - begun) / (to - from);
    const double lately = rise * (now - recent->first) / (to - recent->second);
    return std::minmax(whole, lately);
}

TimeLeft::TimeLeft(Study study) : study_(std::move(study)), algorithmTotal_(samplesOfEach(study_)) {}

void TimeLeft::note(const ProgressEvent& event, double elapsed) {
    const bool other = event.total != total_ && event.task != task_;
    if (other || event.done < done_) {
        pace_ = {};
        began_ = elapsed;
    }
    task_ = event.task;
    done_ = event.done;
    total_ = event.total;
    pace_.add(elapsed - began_, done_);
    if (algorithmTotal_ > 0 && event.kind == ProgressEvent::Kind::point && event.curve.role == CurveRole::best)
        noteAlgorithm(event.curve.owner, event.x, elapsed);
}

/// What elapsed since the last word of any algorithm was the turn of this one.
void TimeLeft::noteAlgorithm(const std::string& name, double done, double elapsed) {
    AlgorithmPace& pace = paces_[name];
    const double turn = elapsed - std::exchange(turnBegan_, elapsed);
    // The first word of an algorithm may be about samples of before an interruption.
    if (pace.done > 0) {
        longestTurn_ = std::max(longestTurn_, turn);
        pace.elapsed += turn;
    }
    pace.done = done;
    pace.pace.add(pace.elapsed, done);
}

/// The algorithm with the minimum time is next: an algorithm that stays behind has ended before its time.
bool TimeLeft::isOver(const AlgorithmPace& pace) const {
    if (pace.done >= algorithmTotal_) return true;
    return std::any_of(paces_.begin(), paces_.end(),
                       [&](const auto& other) { return other.second.elapsed > pace.elapsed + 1 + 3 * longestTurn_; });
}

std::optional<TimeLeft::Span> TimeLeft::leftOfPortfolio() const {
    if (static_cast<double>(paces_.size()) * algorithmTotal_ < total_) return std::nullopt;  // some have not begun
    Span sum;
    for (const auto& [name, pace] : paces_) {
        if (isOver(pace)) continue;
        const auto its = pace.pace.secondsFor(algorithmTotal_ - pace.done);
        if (!its) return std::nullopt;
        sum.min += its->first;
        sum.max += its->second;
    }
    return sum.max > 0 ? std::optional(sum) : std::nullopt;
}

std::optional<TimeLeft::Span> TimeLeft::left() const {
    if (!(total_ > 0) || done_ >= total_ || pace_.elapsed() < kMinElapsed) return std::nullopt;
    const bool isPortfolio = algorithmTotal_ > 0 && total_ > algorithmTotal_;
    std::optional<Span> span;
    if (isPortfolio) {
        span = leftOfPortfolio();
    } else if (const auto its = pace_.secondsFor(total_ - done_); its && done_ >= kMinShare * total_) {
        span = Span{.min = its->first, .max = its->second};
    }
    if (!span || span->max > kMaxApart * span->min) return std::nullopt;
    if (const Engine* engine = findEngine(study_.engine))
        for (const LaterTask& later : engine->laterTasks)
            if (later.task == task_) span->then = later.then;
    return span;
}

std::string spanText(const TimeLeft::Span& span) {
    constexpr double kFew = 3;
    if (span.max < kFew) return "a few seconds";
    const std::string min = roughly(span.min), max = roughly(span.max);
    constexpr double kAlike = 1.5;
    if (min == max || span.max < kAlike * span.min) return "about " + roughly((span.min + span.max) / 2);
    return min + " to " + max;
}

std::string leftText(const TimeLeft::Span& span) {
    const std::string text = spanText(span) + " left";
    return span.then.empty() ? text : text + ", then " + span.then;
}

}  // namespace tessera::study

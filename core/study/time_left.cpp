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

constexpr double kLeastShare = 0.05;         ///< of a task before its first part says anything about the rest
constexpr double kLeastWorked = 2;           ///< seconds before a rate is believed
constexpr double kLately = 1.0 / 3;          ///< share of the time that counts as lately
constexpr double kMostApart = 5;             ///< between two estimates that are still told
constexpr std::size_t kMostSeen = 96;        ///< moments that a pace remembers
constexpr std::string_view kBest = " best";  ///< ends the name of the curve by which an algorithm tells its samples

/// The samples that every algorithm of a race is to draw; 0 = the run is none.
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

void Pace::add(double worked, double value) {
    if (!seen_.empty() && worked < seen_.back().first) return;
    seen_.emplace_back(worked, value);
    if (seen_.size() < kMostSeen) return;
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
    const double late = now - kLately * (now - begun);
    const auto recent =
        std::find_if(seen_.rbegin(), seen_.rend(), [at = late](const auto& each) { return each.first <= at; });
    if (!(now > begun) || !(to > from) || !(to > recent->second)) return std::nullopt;
    const double whole = rise * (now - begun) / (to - from);
    const double lately = rise * (now - recent->first) / (to - recent->second);
    return std::minmax(whole, lately);
}

TimeLeft::TimeLeft(Study study) : study_(std::move(study)), laneTotal_(samplesOfEach(study_)) {}

void TimeLeft::note(const ProgressEvent& event, double worked) {
    const bool other = event.total != total_ && event.task != task_;
    if (other || event.done < done_) {
        pace_ = {};
        began_ = worked;
    }
    task_ = event.task;
    done_ = event.done;
    total_ = event.total;
    pace_.add(worked - began_, done_);
    const std::string_view series = event.series;
    if (laneTotal_ > 0 && event.kind == ProgressEvent::Kind::point && series.ends_with(kBest))
        noteLane(std::string(series.substr(0, series.size() - kBest.size())), event.x, worked);
}

/// What was worked since the last word of any algorithm was the turn of this one.
void TimeLeft::noteLane(const std::string& name, double done, double worked) {
    Lane& lane = lanes_[name];
    const double turn = worked - std::exchange(turnBegan_, worked);
    // The first word of an algorithm may be about samples of before an interruption.
    if (lane.done > 0) {
        longestTurn_ = std::max(longestTurn_, turn);
        lane.worked += turn;
    }
    lane.done = done;
    lane.pace.add(lane.worked, done);
}

/// Who has worked least is next: an algorithm that stays behind has ended before its time.
bool TimeLeft::isOver(const Lane& lane) const {
    if (lane.done >= laneTotal_) return true;
    return std::any_of(lanes_.begin(), lanes_.end(),
                       [&](const auto& other) { return other.second.worked > lane.worked + 1 + 3 * longestTurn_; });
}

std::optional<TimeLeft::Span> TimeLeft::leftOfRace() const {
    if (static_cast<double>(lanes_.size()) * laneTotal_ < total_) return std::nullopt;  // some have not begun
    Span sum;
    for (const auto& [name, lane] : lanes_) {
        if (isOver(lane)) continue;
        const auto its = lane.pace.secondsFor(laneTotal_ - lane.done);
        if (!its) return std::nullopt;
        sum.least += its->first;
        sum.most += its->second;
    }
    return sum.most > 0 ? std::optional(sum) : std::nullopt;
}

std::optional<TimeLeft::Span> TimeLeft::left() const {
    if (!(total_ > 0) || done_ >= total_ || pace_.worked() < kLeastWorked) return std::nullopt;
    const bool races = laneTotal_ > 0 && total_ > laneTotal_;
    std::optional<Span> span;
    if (races) {
        span = leftOfRace();
    } else if (const auto its = pace_.secondsFor(total_ - done_); its && done_ >= kLeastShare * total_) {
        span = Span{.least = its->first, .most = its->second};
    }
    if (!span || span->most > kMostApart * span->least) return std::nullopt;
    if (const Engine* engine = findEngine(study_.engine))
        for (const LaterTask& later : engine->laterTasks)
            if (later.task == task_) span->then = later.then;
    return span;
}

std::string spanText(const TimeLeft::Span& span) {
    constexpr double kFew = 3;
    if (span.most < kFew) return "a few seconds";
    const std::string least = roughly(span.least), most = roughly(span.most);
    constexpr double kAlike = 1.5;
    if (least == most || span.most < kAlike * span.least) return "about " + roughly((span.least + span.most) / 2);
    return least + " to " + most;
}

}  // namespace tessera::study

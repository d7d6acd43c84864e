#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/study/study.h"

namespace tessera::study {

/// Rate of a rising number, overall and recent.
class Pace {
public:
    /// `value` is reached after `elapsed` seconds; both only rise.
    void add(double elapsed, double value);
    /// Seconds until the value has risen by so much, by the two rates, the shorter first. Empty while that is unknown:
    /// too little was seen, or nothing rises any more.
    std::optional<std::pair<double, double>> secondsFor(double rise) const;
    /// Seconds over which it was seen.
    double elapsed() const { return seen_.empty() ? 0 : seen_.back().first - seen_.front().first; }

private:
    std::vector<std::pair<double, double>> seen_;  ///< elapsed and value, thinned
};

/// Estimates the remaining time of a run from what its engine reports. Times are seconds elapsed without pauses.
/// Algorithms of a portfolio take turns of equal time, so the remaining time is the sum over algorithms, each at its
/// own rate.
class TimeLeft {
public:
    struct Span {
        double min = 0, max = 0;  ///< seconds
        std::string then = {};    ///< what comes after that and is not counted: "proving the best"; empty = nothing
    };

    explicit TimeLeft(Study study = {});
    void note(const ProgressEvent& event, double elapsed);
    /// Estimated time left; empty while it is not known: at the beginning, where rates differ too much to say anything,
    /// and at the end of what is counted.
    std::optional<Span> left() const;

private:
    struct AlgorithmPace {
        Pace pace;
        double elapsed = 0;  ///< seconds of its turns
        double done = 0;
    };
    void noteAlgorithm(const std::string& name, double done, double elapsed);
    std::optional<Span> leftOfPortfolio() const;
    bool isOver(const AlgorithmPace& pace) const;

    Study study_;
    std::string task_;
    double done_ = 0, total_ = 0;
    double began_ = 0;  ///< when the current task did
    Pace pace_;
    double algorithmTotal_ = 0;  ///< what every algorithm of a portfolio is to do; 0 = there is none
    std::map<std::string, AlgorithmPace> paces_;
    double turnBegan_ = 0;
    double longestTurn_ = 0;
};

/// "about 25 s", "1 to 3 min", "a few seconds": a time that is not known exactly, for people.
std::string spanText(const TimeLeft::Span& span);
/// "about 25 s left", "1 to 3 min left, then proving the best": as programs show it while a run works.
std::string leftText(const TimeLeft::Span& span);

}  // namespace tessera::study

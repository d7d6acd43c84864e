#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace tessera {

/// Says when something that a computation does again and again beside its work is due, such as a report or a
/// checkpoint. A plain value: threads that share one guard it.
class Pacer {
public:
    using Clock = std::chrono::steady_clock;

    /// Minimum time from the end of one to the next, so that the work goes on between them.
    struct Rule {
        Clock::duration minPause = {};
        int pauseOverCost = 0;  ///< the pause is at least so many times what one takes
    };
    static constexpr int kTenthOfTime = 9;  ///< `pauseOverCost` of what takes a tenth of the time at most

    /// The first is due at once; or a pause after `since`, as if one had ended then.
    explicit Pacer(const Rule& rule, std::optional<Clock::time_point> since = {}) : rule_(rule), ended_(since) {}

    /// True if the next one may begin. It is taken to cost as much as the last, or `expected` where that is more.
    bool isDue(Clock::time_point now = Clock::now(), Clock::duration expected = {}) const {
        return !ended_ || now - *ended_ >= std::max(rule_.minPause, rule_.pauseOverCost * std::max(cost_, expected));
    }
    /// Notes that one has ended, and what it took where that counts.
    void noteDone(Clock::time_point ended = Clock::now(), Clock::duration cost = {}) {
        ended_ = ended;
        cost_ = cost;
    }
    /// Does one, and notes when it ended and what it took; not where it throws.
    template <typename Work>
    void timed(const Work& work) {
        const Clock::time_point begun = Clock::now();
        work();
        const Clock::time_point ended = Clock::now();
        noteDone(ended, ended - begun);
    }

private:
    Rule rule_;
    std::optional<Clock::time_point> ended_;  ///< when the last did
    Clock::duration cost_ = {};               ///< of the last
};

}  // namespace tessera

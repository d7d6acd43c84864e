#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "core/base/pacer.h"
#include "core/base/run_control.h"

namespace tessera::partition {

/// Progress shared by the threads of one `solve`.
struct SharedProgress {
    RunControl control = {};
    std::atomic<int> plans{0};  ///< finished, so that there is a result to end with
    std::atomic<double> done{0};
    double total = 0;
    std::atomic<std::int64_t> finishSeen{0};  ///< steady clock, nanoseconds; 0 = not yet
};

/// A strategy was given up because the search is to end and there are other plans.
struct StrategySkipped {};

/// One thread's view of it: long loops poll here. Default-constructed it does nothing.
class ThreadProgress {
public:
    ThreadProgress() = default;
    /// `task` is what listeners read; `owner` is that of its curves. Where `mayAbandon`, `poll` may throw
    /// StrategySkipped.
    ThreadProgress(SharedProgress& shared, std::string task, std::string owner, bool mayAbandon = false);

    /// Polls for cancellation; to be called about every millisecond. Throws InterruptedError once cancelled. Reports
    /// that work goes on, at most every 10 ms: a callback that does not return pauses the work.
    void poll();
    /// True once the search is to end with what there is.
    bool finishing() const;
    /// True when it was to end some time ago.
    bool late() const { return sinceFinish() > kLate; }
    /// A point of the owner's curve.
    void point(std::string quantity, CurveRole role, double x, double y);
    /// The same where a better plan was found, with a sentence on it.
    void incumbent(std::string quantity, CurveRole role, double x, double y, std::string text);

private:
    static constexpr std::chrono::milliseconds kLate{300};
    static constexpr std::chrono::milliseconds kTooLate{600};

    std::chrono::nanoseconds sinceFinish() const;
    void report(ProgressEvent event);

    SharedProgress* shared_ = nullptr;
    std::string task_, owner_;
    bool mayAbandon_ = false;
    Pacer reports_{{.minPause = kReportInterval}};
};

}  // namespace tessera::partition

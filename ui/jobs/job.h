#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/study/study.h"
#include "core/study/time_left.h"
#include "ui/jobs/curve_recorder.h"
#include "ui/jobs/run_state.h"

namespace tessera::ui {

/// A clock that can be halted: time worked, pauses not counted.
class WorkClock {
public:
    using Moment = std::chrono::steady_clock::time_point;
    void start(Moment now);
    void halt(Moment now);
    double seconds(Moment now) const;

private:
    std::chrono::duration<double> before_{0};
    std::optional<Moment> since_;
};

/// One run between the thread that works on it and the UI thread: a bounded mailbox that holds the newest state, and
/// the controls. Every member function may be called from any thread.
class Job {
public:
    explicit Job(RunState initial);

    /// Context of the engine's run.
    study::RunContext context();

    void begin();  ///< the worker starts
    void setStudy(study::Study study, const QString& title);
    void setTitle(const QString& title);
    void setRun(store::RunId run);
    /// The curves of a run that goes on.
    void recall(const std::map<std::string, CurvePoints>& trace);
    void finish(store::RunStatus status, std::shared_ptr<const study::Result> result, const QString& problem);

    void pause();
    void unpause();
    void requestStop();
    void requestCancel();
    /// Cancels such that the run can be resumed later.
    void requestInterruption();
    /// Status of a run that was cancelled.
    store::RunStatus whenCancelled() const;

    /// The newest state, with times up to now.
    RunState state() const;
    /// True once after each change, and while the clock runs.
    bool takeChange();
    store::RunStatus status() const;

    std::jthread thread;  ///< owned by the UI thread

private:
    void receive(const ProgressEvent& event);
    void waitWhilePaused();
    void note(const ProgressEvent& event);
    void progress(const ProgressEvent& event);
    void improve(const ProgressEvent& event);
    void estimate(const ProgressEvent& event);
    void append(explore::PointTable points);
    void showPoints(bool atOnce);

    mutable std::mutex mutex_;
    std::condition_variable_any resumed_;
    RunState state_;
    CurveRecorder curves_;
    bool curvesChanged_ = false;
    explore::PointTable points_;  ///< evaluated so far
    std::chrono::steady_clock::time_point pointsShown_ = {};
    bool changed_ = true;
    bool paused_ = false;
    bool interrupted_ = false;
    WorkClock clock_;
    std::optional<double> bestValue_;
    study::TimeLeft timeLeft_;
    double improvedAt_ = 0;  ///< on the work clock
    double taskBegan_ = 0;   ///< on the work clock, when `taskDone_` was done
    double taskDone_ = 0;
    std::stop_source cancel_;
    std::stop_source finish_;
};

}  // namespace tessera::ui

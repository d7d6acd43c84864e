#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/progress.h"

namespace tessera {

/// Time between two reports of work that goes on: a listener that does not return, as in a pause, holds it as soon.
inline constexpr std::chrono::milliseconds kReportInterval{10};

/// Time that this thread has spent inside progress callbacks so far (a paused run blocks there). Thread-local, since a
/// pause holds the thread that reports, through whichever copy of the run's control.
inline thread_local std::chrono::steady_clock::duration callbackTime{};

/// The clock of this thread's work, by which limits of time count: it stands still while a listener holds the thread.
inline std::chrono::steady_clock::time_point workingTime() {
    return std::chrono::steady_clock::now() - callbackTime;
}

/// Cancellation, progress and thread limit of a long computation. Nothing here changes a result, except that `finish`
/// ends a search early.
struct RunControl {
    ProgressSink progress = {};   ///< may block its caller: that is how a run is paused
    std::stop_token cancel = {};  ///< give up: InterruptedError within 100 ms
    std::stop_token finish = {};  ///< end the search, keep the best: a result within 1 s whose `ended_by` is "stop"
    unsigned threads = 0;         ///< 0 = all cores

    bool cancelled() const { return cancel.stop_requested(); }
    bool finishing() const { return finish.stop_requested(); }
    bool isWatched() const { return static_cast<bool>(progress); }
    /// Returns the cancel and finish requests for one of many parallel parts of a computation: one thread, no reports.
    RunControl ofOnePart() const { return {.cancel = cancel, .finish = finish, .threads = 1}; }
    /// Throws InterruptedError, "`work` was stopped", where the work is to be given up.
    void throwIfCancelled(std::string_view work) const {
        if (cancelled()) throw InterruptedError(std::string(work) + " was stopped");
    }
    /// Passes an event to the progress callback, whose time is not counted as working time.
    void report(const ProgressEvent& event) const {
        if (!progress) return;
        const auto begin = std::chrono::steady_clock::now();
        progress(event);
        callbackTime += std::chrono::steady_clock::now() - begin;
    }
    /// Reports the progress of a task, in its own unit; a total of 0 = not known.
    void reportProgress(std::string task, double done = 0, double total = 0) const {
        report({.task = std::move(task), .done = done, .total = total});
    }
};

/// A stop request that cancelling or finishing a run makes, while it lives: for a part of the run whose result counts
/// whole or not at all.
class EitherStop {
public:
    explicit EitherStop(const RunControl& control)
        : cancelled_(control.cancel, Request{&source_}), finished_(control.finish, Request{&source_}) {}
    std::stop_token token() const { return source_.get_token(); }

private:
    struct Request {
        std::stop_source* source;
        void operator()() const { source->request_stop(); }
    };
    std::stop_source source_;
    std::stop_callback<Request> cancelled_, finished_;
};

/// RunControl of work that can be interrupted and continued: it hands its state on, and begins from an earlier one.
template <typename State, typename Kept = State>
struct ResumableControl : RunControl {
    /// Receives the whole state whenever a part of the work is done and when the work is given up, for about a tenth of
    /// the time at most. Called from one thread at a time, any of the work's.
    std::function<void(const State& state)> checkpoint = {};
    Kept resume = {};  ///< a state that `checkpoint` received for the same problem and options; empty = from the start
};

}  // namespace tessera

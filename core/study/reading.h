#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/poll.h"
#include "core/base/progress.h"
#include "core/study/study.h"

namespace tessera::study {

inline void reportWarnings(const ProgressSink& sink, const std::vector<std::string>& warnings) {
    if (!sink) return;
    for (const std::string& warning : warnings) {
        ProgressEvent event;
        event.kind = ProgressEvent::Kind::log;
        event.text = warning;
        sink(event);
    }
}

/// Answers to Cancel and to a pause, and tells that work goes on, while inputs are read.
class Reading {
public:
    /// `search` is what stops when it is cancelled: "the partition search".
    Reading(const RunHooks& hooks, std::string task, std::string search)
        : hooks_(hooks), task_(std::move(task)), search_(std::move(search)), scope_([this] { ask(); }) {
        check();
        report();
    }
    void check() const {
        if (hooks_.cancel.stop_requested()) throw InterruptedError(search_ + " was stopped");
    }

private:
    void report() const {
        ProgressEvent event;
        event.task = task_;
        if (hooks_.progress) hooks_.progress(event);
    }
    void ask() {
        check();
        const auto now = std::chrono::steady_clock::now();
        if (now - told_ < kBeat) return;
        report();
        told_ = std::chrono::steady_clock::now();
        check();
    }

    static constexpr std::chrono::milliseconds kBeat{10};
    const RunHooks& hooks_;
    std::string task_;
    std::string search_;
    std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
    PollScope scope_;
};

}  // namespace tessera::study

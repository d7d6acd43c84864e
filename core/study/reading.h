#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/base/pacer.h"
#include "core/base/poll.h"
#include "core/base/run_control.h"
#include "core/model/model.h"
#include "core/study/engine.h"
#include "core/study/result.h"

namespace tessera::study {

/// How a study's models are loaded: with its dimensions, and its samples where its engine reads models with these.
model::LoadOptions loadingOf(const Study& study);

inline void reportWarnings(const RunControl& control, const std::vector<std::string>& warnings) {
    for (const std::string& warning : warnings) control.report({.kind = ProgressEvent::Kind::log, .text = warning});
}

/// Scope in which the inputs of a run are read: answers to Cancel and to a pause, and reports that work goes on.
class Reading {
public:
    /// `search` is what stops when it is cancelled: "the partition search".
    Reading(const RunContext& context, std::string task, std::string search)
        : control_(context), inputs_(context.files), task_(std::move(task)), search_(std::move(search)), scope_([this] {
              ask();
          }) {
        check();
        control_.reportProgress(task_);
    }
    void check() const { control_.throwIfCancelled(search_); }

private:
    void ask() {
        check();
        if (!reports_.isDue()) return;
        control_.reportProgress(task_);
        reports_.noteDone();
        check();
    }

    const RunControl& control_;
    InputScope inputs_;
    std::string task_;
    std::string search_;
    Pacer reports_{{.minPause = kReportInterval}, Pacer::Clock::now()};
    PollScope scope_;
};

}  // namespace tessera::study

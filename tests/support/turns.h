#pragma once

#include <QAbstractEventDispatcher>
#include <QObject>
#include <algorithm>
#include <utility>

#include "tests/support/work.h"

namespace tessera::test {

/// The longest turn of the event loop of this thread, by its own work: how long a window could not answer.
class TurnMeter {
public:
    TurnMeter() : last_(workMilliseconds()) {
        auto* dispatcher = QAbstractEventDispatcher::instance();
        for (const auto signal : {&QAbstractEventDispatcher::awake, &QAbstractEventDispatcher::aboutToBlock})
            QObject::connect(dispatcher, signal, &receiver_, [this] { mark(); });
    }
    /// Runs what a person would start by a click: a turn of its own.
    template <typename Work>
    void run(Work work) {
        mark();
        std::forward<Work>(work)();
        mark();
    }
    double longest() const { return longest_; }
    /// The longest so far, and begins anew.
    double take() {
        mark();
        return std::exchange(longest_, 0);
    }

private:
    void mark() {
        const double now = workMilliseconds();
        longest_ = std::max(longest_, now - last_);
        last_ = now;
    }

    QObject receiver_;
    double last_;
    double longest_ = 0;
};

}  // namespace tessera::test

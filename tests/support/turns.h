#pragma once

#include <QAbstractEventDispatcher>
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
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

/// Ticks while the event loop runs: the longest time on the wall between two ticks is how long a window did not answer,
/// whatever for. A busy machine adds its own, so take the best of several tries.
class Ticker {
public:
    Ticker() {
        timer_.setTimerType(Qt::PreciseTimer);
        timer_.setInterval(kInterval);
        QObject::connect(&timer_, &QTimer::timeout, [this] { mark(); });
        clock_.start();
        timer_.start();
    }
    /// Milliseconds beyond the interval, and begins anew.
    double take() {
        mark();
        return std::exchange(longest_, 0);
    }

private:
    static constexpr int kInterval = 2;  // ms
    void mark() {
        longest_ = std::max(longest_, 1e-6 * static_cast<double>(clock_.nsecsElapsed()) - kInterval);
        clock_.restart();
    }

    QTimer timer_;
    QElapsedTimer clock_;
    double longest_ = 0;
};

/// Twice the longest that a window of this project may not answer, in milliseconds: machines that run tests differ by
/// as much, and what a turn must not do takes many times as long.
inline constexpr double kLongestTurn = 2 * 50 * kSlowerBuild;

}  // namespace tessera::test

#pragma once

#include <QObject>
#include <QTimer>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/calibrate/calibrate.h"
#include "core/model/training.h"

namespace tessera::ui {

/// Order of a calibration: what to measure, and where to save it.
struct CalibrationOrder {
    calibrate::Options how;
    std::string model = {};  ///< whose operators are measured first; empty = none
    std::map<std::string, std::int64_t> dimensions = {};
    model::Optimizer optimizer = model::Optimizer::adam;
    std::vector<std::int64_t> batches = {};
    calibrate::Files files;
};

/// Progress of a calibration.
struct CalibrationProgress {
    int stage = -1;  ///< of `calibrate::stages()`; -1 = the model is read
    double done = 0, total = 0;
    double seconds = 0;      ///< since it began
    double secondsLeft = 0;  ///< about; 0 where its time is over and the last kernel still runs
};

/// Outcome of a calibration.
struct CalibrationOutcome {
    enum class End { written, notWritten, cancelled, modelNotRead, failed };
    End end = End::failed;
    std::shared_ptr<const calibrate::Calibration> made = nullptr;  ///< also where it could not be written
    QString problem = {};                                          ///< a sentence
};

/// Measures this machine on a thread of its own, and keeps what was measured.
class CalibrationRun : public QObject {
    Q_OBJECT

public:
    /// `calibrate::calibrate`, or what a test has instead.
    using Calibrator =
        std::function<calibrate::Calibration(const calibrate::Options& options, const RunControl& control)>;

    explicit CalibrationRun(Calibrator calibrator, QObject* parent = nullptr);
    /// Stops what works, and waits for it.
    ~CalibrationRun() override;

    void start(const CalibrationOrder& order);
    void cancel();
    bool isWorking() const { return working_; }
    bool isCancelling() const { return stop_.stop_requested(); }
    CalibrationProgress progress() const;
    const CalibrationOrder& order() const { return order_; }

signals:
    void progressed();  ///< 10 times per second
    void finished(const tessera::ui::CalibrationOutcome& outcome);

private:
    using Moment = std::chrono::steady_clock::time_point;
    CalibrationOutcome work(CalibrationOrder order, const std::stop_token& stop);
    void receive(const ProgressEvent& event);

    Calibrator calibrator_;
    CalibrationOrder order_;
    QTimer timer_;
    std::stop_source stop_;
    bool working_ = false;
    Moment began_;
    mutable std::mutex mutex_;
    CalibrationProgress newest_;  ///< without times
    Moment stageBegan_;
    std::jthread thread_;  // last: it ends before what it uses
};

}  // namespace tessera::ui

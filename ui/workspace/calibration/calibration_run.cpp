#include "ui/workspace/calibration/calibration_run.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/calibrate/grid.h"
#include "core/model/model.h"
#include "ui/editors/problem.h"

namespace tessera::ui {

namespace {

constexpr int kMilliseconds = 100;  // between two pictures of the progress
constexpr double kSecondsUntilRate = 0.5;

double secondsSince(std::chrono::steady_clock::time_point moment) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - moment).count();
}

int stageOf(const std::string& task) {
    const std::vector<calibrate::Stage>& stages = calibrate::stages();
    const auto found =
        std::find_if(stages.begin(), stages.end(), [&](const calibrate::Stage& stage) { return stage.task == task; });
    return found == stages.end() ? -1 : static_cast<int>(found - stages.begin());
}

}  // namespace

CalibrationRun::CalibrationRun(Calibrator calibrator, QObject* parent)
    : QObject(parent), calibrator_(std::move(calibrator)), stop_(std::nostopstate) {
    timer_.setInterval(kMilliseconds);
    connect(&timer_, &QTimer::timeout, this, &CalibrationRun::progressed);
}

CalibrationRun::~CalibrationRun() {
    stop_.request_stop();
}

void CalibrationRun::start(const CalibrationOrder& order) {
    if (working_) return;
    working_ = true;
    order_ = order;
    stop_ = std::stop_source();
    newest_ = {};
    began_ = stageBegan_ = std::chrono::steady_clock::now();
    timer_.start();
    // A measurement sets the threads of its thread for good: each has one of its own.
    thread_ = std::jthread([this, order, stop = stop_.get_token()] {
        const CalibrationOutcome outcome = work(order, stop);
        // The destructor waits for this thread, so `this` is alive here; what arrives after it is dropped by Qt.
        QMetaObject::invokeMethod(
            this,
            [this, outcome] {
                working_ = false;
                timer_.stop();
                emit finished(outcome);
            },
            Qt::QueuedConnection);
    });
    emit progressed();
}

void CalibrationRun::cancel() {
    stop_.request_stop();
    emit progressed();
}

CalibrationOutcome CalibrationRun::work(CalibrationOrder order, const std::stop_token& stop) {
    using End = CalibrationOutcome::End;
    try {
        if (!order.model.empty())
            order.how.kernels =
                calibrate::requestsOf(model::loadModel(order.model, {.batch = {}, .dimensions = order.dimensions}),
                                      order.optimizer, order.batches);
    } catch (const std::exception& error) {
        return {.end = End::modelNotRead, .problem = reasonOf(error)};
    }
    CalibrationOutcome outcome;
    try {
        const RunControl control{.progress = [this](const ProgressEvent& event) { receive(event); }, .cancel = stop};
        outcome.made = std::make_shared<const calibrate::Calibration>(calibrator_(order.how, control));
        calibrate::write(*outcome.made, order.files);
        outcome.end = End::written;
    } catch (const InterruptedError&) {
        outcome.end = End::cancelled;
    } catch (const std::exception& error) {
        outcome.end = outcome.made == nullptr ? End::failed : End::notWritten;
        outcome.problem = reasonOf(error);
    }
    return outcome;
}

void CalibrationRun::receive(const ProgressEvent& event) {
    if (event.kind != ProgressEvent::Kind::progress) return;
    const std::scoped_lock lock(mutex_);
    const int stage = stageOf(event.task);
    if (stage != newest_.stage) stageBegan_ = std::chrono::steady_clock::now();
    newest_.stage = stage;
    newest_.done = event.done;
    newest_.total = event.total;
}

/// A measurement takes its whole time, but for the last stage, which ends where everything was measured often enough.
CalibrationProgress CalibrationRun::progress() const {
    const std::scoped_lock lock(mutex_);
    CalibrationProgress now = newest_;
    now.seconds = secondsSince(began_);
    now.secondsLeft = std::max(0.0, calibrate::limitOf(order_.how) - now.seconds);
    const double worked = secondsSince(stageBegan_);
    const bool last = now.stage + 1 == static_cast<int>(calibrate::stages().size());
    if (last && worked > kSecondsUntilRate && now.done > 0)
        now.secondsLeft = std::min(now.secondsLeft, worked * (now.total - now.done) / now.done);
    return now;
}

}  // namespace tessera::ui

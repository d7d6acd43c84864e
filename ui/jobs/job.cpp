#include "ui/jobs/job.h"

#include "core/base/text.h"
#include "core/study/progress_value.h"
#include "ui/jobs/jobs.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxLogLines = 500;
/// A rate is reported once this much was worked on a task: before, it jumps.
constexpr double kSecondsUntilRate = 0.3;

QString plain(const std::string& text) {
    return QString::fromStdString(escaped(text));
}

}  // namespace

void WorkClock::start(Moment now) {
    if (!since_) since_ = now;
}

void WorkClock::halt(Moment now) {
    if (since_) before_ += now - *since_;
    since_.reset();
}

double WorkClock::seconds(Moment now) const {
    return (before_ + (since_ ? std::chrono::duration<double>(now - *since_) : std::chrono::duration<double>(0)))
        .count();
}

Job::Job(RunState initial) : state_(std::move(initial)), timeLeft_(state_.study) {}

study::RunContext Job::context() {
    study::RunContext context;
    context.progress = [this](const ProgressEvent& event) { receive(event); };
    context.cancel = cancel_.get_token();
    context.finish = finish_.get_token();
    context.evaluated = [this](explore::PointTable points) { append(std::move(points)); };
    return context;
}

void Job::begin() {
    const std::scoped_lock lock(mutex_);
    state_.status = paused_ ? store::RunStatus::paused : store::RunStatus::running;
    if (!paused_) clock_.start(std::chrono::steady_clock::now());
    changed_ = true;
}

void Job::setStudy(study::Study study, const QString& title) {
    const std::scoped_lock lock(mutex_);
    state_.title = title;
    state_.study = std::move(study);
    timeLeft_ = study::TimeLeft(state_.study);
    changed_ = true;
}

void Job::setTitle(const QString& title) {
    const std::scoped_lock lock(mutex_);
    state_.title = title;
    changed_ = true;
}

void Job::setRun(store::RunId run) {
    const std::scoped_lock lock(mutex_);
    state_.run = run;
    changed_ = true;
}

void Job::recall(const std::map<std::string, CurvePoints>& trace) {
    const std::scoped_lock lock(mutex_);
    curves_.recall(trace);
    curvesChanged_ = changed_ = true;
}

void Job::finish(store::RunStatus status, std::shared_ptr<const study::Result> result, const QString& problem) {
    const std::scoped_lock lock(mutex_);
    clock_.halt(std::chrono::steady_clock::now());
    state_.status = status;
    state_.result = std::move(result);
    state_.problem = problem;
    // Whoever reads the state once more after its end sees all of the curves, though no tick came in between.
    state_.curves = curves_.snapshot();
    curvesChanged_ = false;
    showPoints(true);
    state_.task.clear();
    state_.left.clear();
    changed_ = true;
}

void Job::pause() {
    const std::scoped_lock lock(mutex_);
    if (!isWorking(state_.status)) return;
    paused_ = true;
    if (state_.status == store::RunStatus::running) state_.status = store::RunStatus::paused;
    clock_.halt(std::chrono::steady_clock::now());
    changed_ = true;
}

void Job::unpause() {
    {
        const std::scoped_lock lock(mutex_);
        if (!paused_) return;
        paused_ = false;
        if (state_.status == store::RunStatus::paused) {
            state_.status = store::RunStatus::running;
            clock_.start(std::chrono::steady_clock::now());
        }
        changed_ = true;
    }
    resumed_.notify_all();
}

void Job::requestStop() {
    unpause();
    finish_.request_stop();
    const std::scoped_lock lock(mutex_);
    state_.task = u"stopping, keeping the best"_s;
    changed_ = true;
}

void Job::requestCancel() {
    cancel_.request_stop();
    unpause();
    const std::scoped_lock lock(mutex_);
    state_.task = u"cancelling"_s;
    changed_ = true;
}

void Job::requestInterruption() {
    {
        const std::scoped_lock lock(mutex_);
        if (!cancel_.stop_requested()) interrupted_ = true;
    }
    requestCancel();
}

store::RunStatus Job::whenCancelled() const {
    const std::scoped_lock lock(mutex_);
    return interrupted_ ? store::RunStatus::interrupted : store::RunStatus::cancelled;
}

RunState Job::state() const {
    const std::scoped_lock lock(mutex_);
    RunState state = state_;
    state.seconds = clock_.seconds(std::chrono::steady_clock::now());
    state.sinceImprovement = state.seconds - improvedAt_;
    return state;
}

bool Job::takeChange() {
    const std::scoped_lock lock(mutex_);
    if (curvesChanged_) state_.curves = curves_.snapshot();
    showPoints(false);
    const bool changed = changed_ || state_.status == store::RunStatus::running;
    curvesChanged_ = changed_ = false;
    return changed;
}

store::RunStatus Job::status() const {
    const std::scoped_lock lock(mutex_);
    return state_.status;
}

void Job::append(explore::PointTable points) {
    const std::scoped_lock lock(mutex_);
    changed_ = true;
    if (points_.columns.size() != points.columns.size()) {
        points_ = std::move(points);
        return;
    }
    const auto add = [](auto& to, auto& more) { to.insert(to.end(), more.begin(), more.end()); };
    for (std::size_t i = 0; i < points.columns.size(); ++i) add(points_.columns[i].values, points.columns[i].values);
    add(points_.names, points.names);
    add(points_.reasons, points.reasons);
    add(points_.marks, points.marks);
}

/// A copy of all points, the more seldom the more there are: a window shows no more of them per second.
void Job::showPoints(bool atOnce) {
    if (points_.size() == (state_.points == nullptr ? 0 : state_.points->size())) return;
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::milliseconds between(points_.size() / 100);
    if (!atOnce && now - pointsShown_ < between) return;
    pointsShown_ = now;
    state_.points = std::make_shared<const explore::PointTable>(points_);
}

void Job::receive(const ProgressEvent& event) {
    note(event);
    waitWhilePaused();
}

void Job::waitWhilePaused() {
    std::unique_lock lock(mutex_);
    resumed_.wait(lock, cancel_.get_token(), [this] { return !paused_; });
}

void Job::note(const ProgressEvent& event) {
    const std::scoped_lock lock(mutex_);
    changed_ = true;
    if (event.kind != ProgressEvent::Kind::log && event.total > 0) estimate(event);
    switch (event.kind) {
        case ProgressEvent::Kind::progress:
            progress(event);
            break;
        case ProgressEvent::Kind::incumbent:
            improve(event);
            [[fallthrough]];
        case ProgressEvent::Kind::point:
            curves_.add(event.curve, event.x, event.y);
            curvesChanged_ = true;
            break;
        case ProgressEvent::Kind::log:
            if (state_.log.size() >= kMaxLogLines) state_.log.removeFirst();
            state_.log.append(plain(event.text));
            break;
    }
}

/// The rate is that of the current task: tasks count in units of their own.
void Job::progress(const ProgressEvent& event) {
    const double now = clock_.seconds(std::chrono::steady_clock::now());
    const QString task = plain(event.task);
    if (task != state_.task || event.done < state_.done) {
        taskBegan_ = now;
        taskDone_ = event.done;
    }
    if (!cancel_.stop_requested() && !finish_.stop_requested()) state_.task = task;
    state_.done = event.done;
    state_.total = event.total;
    const double worked = now - taskBegan_;
    state_.rate = worked > kSecondsUntilRate ? (event.done - taskDone_) / worked : 0;
}

void Job::estimate(const ProgressEvent& event) {
    timeLeft_.note(event, clock_.seconds(std::chrono::steady_clock::now()));
    const std::optional<study::TimeLeft::Span> left = timeLeft_.left();
    state_.left = left ? plain(study::leftText(*left)) : QString();
}

void Job::improve(const ProgressEvent& event) {
    if (bestValue_ && !study::isBetter(state_.study, event.y, *bestValue_)) return;
    bestValue_ = event.y;
    improvedAt_ = clock_.seconds(std::chrono::steady_clock::now());
    state_.best = QString::fromStdString(study::progressText(state_.study, event.y));
}

}  // namespace tessera::ui

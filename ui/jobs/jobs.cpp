#include "ui/jobs/jobs.h"

#include <sys/resource.h>
#include <unistd.h>

#include <QTimer>
#include <algorithm>
#include <future>
#include <map>

#include "core/base/text.h"
#include "core/store/recorder.h"
#include "core/study/engine.h"
#include "core/study/title.h"
#include "ui/jobs/job.h"
#include "ui/jobs/task_thread.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

constexpr int kSnapshotMilliseconds = 50;
constexpr int kNiceness = 10;

/// How a run begins, and where it is kept.
struct Order {
    RunOrigin origin;
    std::filesystem::path source;   ///< the history of its origin
    std::filesystem::path history;  ///< where it is kept; empty = nowhere
    /// The row of one that had to wait, 0 where it could not be written. Invalid where there was nothing to wait for.
    std::shared_future<store::RunId> row = {};
    std::function<void()> begun = {};  ///< the run has its row in the history
    std::function<void(const std::string&)> trouble = {};
};

QString titleOf(const study::Study& study, const QString& title) {
    return title.isEmpty() ? QString::fromStdString(escaped(study::titleOf(study))) : title;
}

/// What a run that goes on had found up to its checkpoint is shown from its first moment on.
void recall(Job& job, const std::filesystem::path& path, store::RunId run) {
    try {
        job.recall(store::Store::open(path, store::OpenMode::readOnly).trace(run));
    } catch (const std::exception&) {
        return;  // it works without, too
    }
}

/// Engines, and the threads that they start, give way to the window; one that measures this machine does so at the
/// priority of other programs, for which its result is.
void giveWay(const study::Study& study) {
    const study::Engine* engine = study::findEngine(study.engine);
    if (engine != nullptr && engine->measures) return;
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);
}

study::Result perform(Job& job, const Order& order) {
    study::RunContext context = job.context();
    study::Study study = job.state().study;
    const RunOrigin& origin = order.origin;
    if (const store::RunId source = std::max({origin.resume, origin.repeat, origin.inputs}); source != 0) {
        const auto mode = order.history.empty() ? store::OpenMode::readOnly : store::OpenMode::readWrite;
        const store::Store history = store::Store::open(order.source, mode);
        if (source != origin.inputs) study = history.study(source);
        context.files = store::storedInputs(history, source);
        // A run that goes on keeps the name it was given; one that starts over is named after its study.
        const std::optional<store::RunRow> row = origin.resume != 0 ? history.run(source) : std::nullopt;
        job.setStudy(study, titleOf(study, row ? QString::fromStdString(escaped(row->name)) : QString()));
    }
    giveWay(study);
    if (order.history.empty()) return study::run(study, context);
    store::RecordOptions options;
    options.path = order.history;
    if (origin.resume != 0) options.run = origin.resume;
    if (order.row.valid() && order.row.get() != 0) options.run = order.row.get();
    options.whenCancelled = [&job] { return job.whenCancelled(); };
    options.begun = [&](store::RunId run) {
        job.setRun(run);
        if (origin.resume != 0) recall(job, order.history, run);
        order.begun();
    };
    options.trouble = order.trouble;
    store::Recorded recorded = store::runRecorded(study, std::move(context), options);
    // A result that could not be written stands in no history, although its run may.
    job.setRun(recorded.run);
    return std::move(recorded.result);
}

/// Adds the row of a run that waits; 0 where that fails: whoever works on it tries again, and says why not.
store::RunId addWaiting(Job& job, const Order& order) {
    try {
        store::Store history = store::Store::open(order.history);
        const study::Study study = order.origin.repeat != 0 ? history.study(order.origin.repeat) : job.state().study;
        const store::RunId run = history.addRun(study, store::RunStatus::queued);
        job.setRun(run);
        return run;
    } catch (const std::exception&) {
        return 0;
    }
}

/// Brings a run's status in the history up to date.
void changeStatus(const std::filesystem::path& path, store::RunId run, store::RunStatus from, store::RunStatus to) {
    if (path.empty() || run == 0) return;
    try {
        store::Store::open(path).changeStatus(run, from, to);
    } catch (const std::exception&) {
        // The history says its problem when a result is to be written.
        return;
    }
}

void work(Job& job, const Order& order) {
    job.begin();
    try {
        auto result = std::make_shared<const study::Result>(perform(job, order));
        job.finish(store::RunStatus::done, std::move(result), {});
    } catch (const InterruptedError&) {
        job.finish(job.whenCancelled(), nullptr, {});
    } catch (const std::bad_alloc&) {
        job.finish(store::RunStatus::failed, nullptr, u"There is not enough memory for this study."_s);
    } catch (const std::exception& error) {
        job.finish(store::RunStatus::failed, nullptr, QString::fromStdString(escaped(error.what(), 2000)));
    }
}

}  // namespace

struct JobQueue::Implementation {
    struct Entry {
        std::shared_ptr<Job> job;  // shared with the thread that works on it
        Order order;
        bool started = false;
        bool over = false;
    };
    std::filesystem::path source, history;
    int next = 1;
    std::map<int, Entry> entries;
    QTimer* timer = nullptr;
    TaskThread historyWriter;  ///< writes who waits and who is paused; it ends before the rest, when all is written

    Job* find(int job) const {
        const auto found = entries.find(job);
        return found == entries.end() ? nullptr : found->second.job.get();
    }
    /// The history records one that has to wait. A run that goes on stands there already.
    void keepWaiting(Entry& entry) {
        if (entry.order.history.empty() || entry.order.origin.resume != 0) return;
        const auto row = std::make_shared<std::promise<store::RunId>>();
        entry.order.row = row->get_future().share();
        historyWriter.put([row, job = entry.job, order = entry.order] { row->set_value(addWaiting(*job, order)); });
    }
    /// And that it waits no longer.
    void endWaiting(const Entry& entry, store::RunStatus status) {
        if (!entry.order.row.valid()) return;
        historyWriter.put([row = entry.order.row, path = entry.order.history, status] {
            changeStatus(path, row.get(), store::RunStatus::queued, status);
        });
    }
    int running() const {
        return static_cast<int>(std::count_if(entries.begin(), entries.end(), [](const auto& entry) {
            return entry.second.started && !entry.second.over;
        }));
    }
};

JobQueue::JobQueue(const std::filesystem::path& history, QObject* parent)
    : QObject(parent), d_(std::make_unique<Implementation>()) {
    setHistory(history);
    d_->timer = new QTimer(this);
    d_->timer->setInterval(kSnapshotMilliseconds);
    connect(d_->timer, &QTimer::timeout, this, [this] { deliver(); });
}

JobQueue::~JobQueue() {
    for (auto& [number, entry] : d_->entries) {
        if (entry.started && !entry.over) entry.job->requestInterruption();
        if (!entry.started && !entry.over) d_->endWaiting(entry, store::RunStatus::interrupted);
    }
    for (auto& [number, entry] : d_->entries)
        if (entry.job->thread.joinable()) entry.job->thread.join();
}

int JobQueue::enqueue(const study::Study& study, const QString& title, store::RunId inputsOf) {
    RunState state;
    state.study = study;
    state.title = titleOf(study, title);
    return add(std::move(state), {.inputs = inputsOf});
}

int JobQueue::resume(store::RunId run) {
    RunState state;
    state.run = run;
    state.title = u"Run %1"_s.arg(run);
    return add(std::move(state), {.resume = run});
}

int JobQueue::repeat(store::RunId run) {
    RunState state;
    state.title = u"Run %1 again"_s.arg(run);
    return add(std::move(state), {.repeat = run});
}

int JobQueue::add(RunState state, const RunOrigin& origin) {
    const int number = d_->next++;
    state.job = number;
    Implementation::Entry entry;
    entry.job = std::make_shared<Job>(std::move(state));
    entry.order.origin = origin;
    entry.order.source = d_->source;
    entry.order.history = d_->history;
    entry.order.begun = [this, number] {
        QMetaObject::invokeMethod(
            this,
            [this, number] {
                if (this->state(number).status == store::RunStatus::paused) keepPause(number);
            },
            Qt::QueuedConnection);
    };
    entry.order.trouble = [this](const std::string& sentence) {
        const QString text = QString::fromStdString(escaped(sentence, 2000));
        QMetaObject::invokeMethod(
            this, [this, text] { emit troubled(text); }, Qt::QueuedConnection);
    };
    Implementation::Entry& waiting = d_->entries.emplace(number, std::move(entry)).first->second;
    emit added(number);
    startNext();
    if (!waiting.started && !waiting.over) d_->keepWaiting(waiting);
    return number;
}

void JobQueue::startNext() {
    for (auto& [number, entry] : d_->entries) {
        if (d_->running() > 0) break;
        if (entry.started || entry.over) continue;
        entry.started = true;
        entry.job->thread = std::jthread([this, job = entry.job, order = entry.order, id = number] {
            work(*job, order);
            // The destructor joins this thread, so `this` is alive here; what arrives after it is dropped by Qt.
            QMetaObject::invokeMethod(
                this, [this, id] { conclude(id); }, Qt::QueuedConnection);
        });
        emit changed(number);
    }
    if (working() > 0 && !d_->timer->isActive()) d_->timer->start();
}

void JobQueue::deliver() {
    for (const int number : jobs()) {
        Job* job = d_->find(number);
        if (job != nullptr && job->takeChange()) emit changed(number);
    }
    if (working() == 0) d_->timer->stop();
}

void JobQueue::conclude(int number) {
    const auto found = d_->entries.find(number);
    if (found == d_->entries.end() || found->second.over) return;
    found->second.over = true;
    if (found->second.job->thread.joinable()) found->second.job->thread.join();
    found->second.job->takeChange();
    emit changed(number);
    emit finished(number);
    startNext();
}

void JobQueue::pause(int job) {
    if (Job* found = d_->find(job)) {
        found->pause();
        keepPause(job);
        emit changed(job);
    }
}

void JobQueue::unpause(int job) {
    if (Job* found = d_->find(job)) {
        found->unpause();
        keepPause(job);
        emit changed(job);
    }
}

/// Records in the history whether a run is paused, as it is when the turn comes to that.
void JobQueue::keepPause(int job) {
    const auto found = d_->entries.find(job);
    if (found == d_->entries.end()) return;
    d_->historyWriter.put([job = found->second.job, path = found->second.order.history] {
        using enum store::RunStatus;
        const RunState state = job->state();
        if (state.status == paused) changeStatus(path, state.run, running, paused);
        if (state.status == running) changeStatus(path, state.run, paused, running);
    });
}

void JobQueue::stop(int job) {
    Job* found = d_->find(job);
    if (found == nullptr || !isWorking(found->status())) return;
    if (!d_->entries.at(job).started) {
        cancel(job);
        return;
    }
    found->requestStop();
    emit changed(job);
}

void JobQueue::cancel(int job) {
    Job* found = d_->find(job);
    if (found == nullptr || !isWorking(found->status())) return;
    if (d_->entries.at(job).started) {
        found->requestCancel();
        emit changed(job);
        return;
    }
    found->finish(store::RunStatus::cancelled, nullptr, {});
    d_->endWaiting(d_->entries.at(job), store::RunStatus::cancelled);
    conclude(job);
}

RunState JobQueue::state(int job) const {
    const Job* found = d_->find(job);
    return found == nullptr ? RunState{} : found->state();
}

QVector<int> JobQueue::jobs() const {
    QVector<int> numbers;
    for (auto entry = d_->entries.rbegin(); entry != d_->entries.rend(); ++entry) numbers.append(entry->first);
    return numbers;
}

void JobQueue::rename(int job, const QString& title) {
    Job* found = d_->find(job);
    if (found == nullptr || title.isEmpty() || found->state().title == title) return;
    found->setTitle(title);
    emit changed(job);
}

int JobQueue::working() const {
    return static_cast<int>(
        std::count_if(d_->entries.begin(), d_->entries.end(), [](const auto& entry) { return !entry.second.over; }));
}

QVector<int> JobQueue::unkept() const {
    QVector<int> numbers = jobs();
    numbers.erase(std::remove_if(numbers.begin(), numbers.end(),
                                 [this](int job) {
                                     const RunState now = state(job);
                                     return now.result == nullptr || now.run != 0;
                                 }),
                  numbers.end());
    return numbers;
}

void JobQueue::forget(int job) {
    const auto found = d_->entries.find(job);
    if (found == d_->entries.end() || !found->second.over) return;
    d_->entries.erase(found);
    emit removed(job);
}

void JobQueue::setHistory(const std::filesystem::path& history, bool isReadOnly) {
    d_->source = history;
    d_->history = isReadOnly ? std::filesystem::path() : history;
}

}  // namespace tessera::ui

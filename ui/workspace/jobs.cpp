#include "ui/workspace/jobs.h"

#include <sys/resource.h>
#include <unistd.h>

#include <QTimer>
#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/store/recorder.h"
#include "core/study/title.h"
#include "ui/workspace/job.h"

namespace tessera::ui {

namespace {

constexpr int kSnapshotMilliseconds = 50;
/// Engines, and the threads that they start, give way to the window.
constexpr int kNiceness = 10;

/// How a run begins: a study as it is, or one out of the history.
struct Order {
    std::optional<store::RunId> resume;
    std::optional<store::RunId> repeat;
    std::filesystem::path source;   ///< what is resumed or repeated is read there
    std::filesystem::path history;  ///< where it is kept; empty = nowhere
    std::function<void(const std::string&)> trouble;
};

QString titleOf(const study::Study& study, const QString& title) {
    return title.isEmpty() ? QString::fromStdString(escaped(study::titleOf(study))) : title;
}

study::Result perform(Job& job, const Order& order) {
    study::RunHooks hooks = job.hooks();
    study::Study study = job.state().study;
    if (order.resume || order.repeat) {
        const store::RunId source = order.resume ? *order.resume : *order.repeat;
        const auto mode = order.history.empty() ? store::OpenMode::readOnly : store::OpenMode::readWrite;
        const store::Store history = store::Store::open(order.source, mode);
        study = history.study(source);
        hooks.locate = store::storedInputs(history, source);
        // A run that goes on keeps the name it was given; one that begins anew is named after its study.
        const std::optional<store::RunRow> row = order.resume ? history.run(source) : std::nullopt;
        job.setStudy(study, titleOf(study, row ? QString::fromStdString(escaped(row->name)) : QString()));
    }
    if (order.history.empty()) return study::run(study, hooks);
    store::RecordOptions options;
    options.path = order.history;
    options.run = order.resume;
    options.whenCancelled = [&job] { return job.whenCancelled(); };
    options.begun = [&job](store::RunId run) { job.setRun(run); };
    options.trouble = order.trouble;
    store::Recorded recorded = store::runRecorded(study, std::move(hooks), options);
    if (recorded.run != 0) job.setRun(recorded.run);
    return std::move(recorded.result);
}

void work(Job& job, const Order& order) {
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);
    job.begin();
    try {
        auto result = std::make_shared<const study::Result>(perform(job, order));
        job.finish(store::RunStatus::done, std::move(result), {});
    } catch (const InterruptedError&) {
        job.finish(job.whenCancelled(), nullptr, {});
    } catch (const std::bad_alloc&) {
        job.finish(store::RunStatus::failed, nullptr, JobQueue::tr("There is not enough memory for this study."));
    } catch (const std::exception& error) {
        job.finish(store::RunStatus::failed, nullptr, QString::fromStdString(escaped(error.what(), 2000)));
    }
}

}  // namespace

bool isWorking(store::RunStatus status) {
    return status == store::RunStatus::queued || status == store::RunStatus::running ||
           status == store::RunStatus::paused;
}

struct JobQueue::Implementation {
    struct Entry {
        std::shared_ptr<Job> job;  // shared with the thread that works on it
        Order order;
        bool started = false;
        bool over = false;
    };
    std::filesystem::path source, history;
    int workers = 1;
    int next = 1;
    std::map<int, Entry> entries;
    QTimer* timer = nullptr;

    Job* find(int job) const {
        const auto found = entries.find(job);
        return found == entries.end() ? nullptr : found->second.job.get();
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
    for (auto& [number, entry] : d_->entries)
        if (entry.started && !entry.over) entry.job->requestInterruption();
    keepQueued();
    for (auto& [number, entry] : d_->entries)
        if (entry.job->thread.joinable()) entry.job->thread.join();
}

/// What was still waiting when the program ends can be resumed like what was running.
void JobQueue::keepQueued() {
    for (auto& [number, entry] : d_->entries) {
        if (entry.started || entry.over || entry.order.history.empty() || entry.order.resume) continue;
        try {
            store::Store history = store::Store::open(entry.order.history);
            const study::Study study =
                entry.order.repeat ? history.study(*entry.order.repeat) : entry.job->state().study;
            history.addRun(study, store::RunStatus::interrupted);
        } catch (const std::exception&) {
            // The history told its problem when it was opened; nothing more can be kept.
            return;
        }
    }
}

int JobQueue::enqueue(const study::Study& study, const QString& title) {
    RunState state;
    state.study = study;
    state.title = titleOf(study, title);
    return add(std::move(state), {}, {});
}

int JobQueue::resume(store::RunId run) {
    RunState state;
    state.run = run;
    state.title = tr("Run %1").arg(run);
    return add(std::move(state), run, {});
}

int JobQueue::repeat(store::RunId run) {
    RunState state;
    state.title = tr("Run %1 again").arg(run);
    return add(std::move(state), {}, run);
}

int JobQueue::add(RunState state, std::optional<store::RunId> resume, std::optional<store::RunId> repeat) {
    const int number = d_->next++;
    state.job = number;
    Implementation::Entry entry;
    entry.job = std::make_shared<Job>(std::move(state));
    entry.order.resume = resume;
    entry.order.repeat = repeat;
    entry.order.source = d_->source;
    entry.order.history = d_->history;
    entry.order.trouble = [this](const std::string& sentence) {
        const QString text = QString::fromStdString(escaped(sentence, 2000));
        QMetaObject::invokeMethod(
            this, [this, text] { emit troubled(text); }, Qt::QueuedConnection);
    };
    d_->entries.emplace(number, std::move(entry));
    emit added(number);
    startNext();
    return number;
}

void JobQueue::startNext() {
    for (auto& [number, entry] : d_->entries) {
        if (d_->running() >= d_->workers) break;
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
        emit changed(job);
    }
}

void JobQueue::unpause(int job) {
    if (Job* found = d_->find(job)) {
        found->unpause();
        emit changed(job);
    }
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
    conclude(job);
}

void JobQueue::setWorkers(int workers) {
    d_->workers = std::max(1, workers);
    startNext();
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

#include "ui/workspace/history.h"

#include <QPointer>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "core/base/text.h"

namespace tessera::ui {

namespace {

QString sentenceOf(const std::exception& error) {
    return QString::fromStdString(escaped(error.what(), 2000));
}

}  // namespace

struct History::Implementation {
    using Task = std::function<void()>;

    std::mutex mutex;
    std::condition_variable_any arrived;
    std::deque<Task> tasks;
    std::optional<store::Store> store;  // touched by the thread alone
    // Touched by the UI thread alone.
    std::filesystem::path path;
    bool open = false;
    bool readOnly = false;
    std::jthread thread;  // the last member: it ends before anything else is destroyed

    void put(Task task) {
        {
            const std::scoped_lock lock(mutex);
            tasks.push_back(std::move(task));
        }
        arrived.notify_one();
    }

    void serve(const std::stop_token& stop) {
        while (true) {
            Task task;
            {
                std::unique_lock lock(mutex);
                if (!arrived.wait(lock, stop, [this] { return !tasks.empty(); })) return;
                task = std::move(tasks.front());
                tasks.pop_front();
            }
            task();
        }
    }
};

History::History(QObject* parent) : QObject(parent), d_(std::make_unique<Implementation>()) {
    d_->thread = std::jthread([this](const std::stop_token& stop) { d_->serve(stop); });
}

/// What was asked to be written is written before the thread ends: `wait` lets it take every task first.
History::~History() = default;

void History::tellOnUiThread(std::function<void()> tell) {
    QMetaObject::invokeMethod(this, std::move(tell), Qt::QueuedConnection);
}

void History::open(const std::filesystem::path& path, store::OpenMode mode) {
    d_->path = path;
    d_->open = false;
    d_->put([this, path, mode] {
        d_->store.reset();
        try {
            d_->store.emplace(path.empty() ? store::Store::inMemory() : store::Store::open(path, mode));
            const QString notice = QString::fromStdString(escaped(d_->store->notice(), 2000));
            const bool readOnly = d_->store->isReadOnly();
            tellOnUiThread([this, notice, readOnly] {
                d_->open = true;
                d_->readOnly = readOnly;
                emit opened(notice, readOnly);
            });
        } catch (const store::StoreError& error) {
            tellOnUiThread([this, problem = error.problem, text = sentenceOf(error)] { emit failed(problem, text); });
        } catch (const std::exception& error) {
            tellOnUiThread([this, text = sentenceOf(error)] { emit failed(store::StoreProblem::notReadable, text); });
        }
    });
}

std::filesystem::path History::path() const {
    return d_->path;
}

bool History::isOpen() const {
    return d_->open;
}

bool History::isReadOnly() const {
    return d_->readOnly;
}

void History::perform(const std::function<void(store::Store&)>& work, const std::function<void()>& whenDone) {
    if (!d_->store) return;
    try {
        work(*d_->store);
        tellOnUiThread(whenDone);
    } catch (const store::StoreError& error) {
        tellOnUiThread([this, problem = error.problem, text = sentenceOf(error)] { emit failed(problem, text); });
    } catch (const std::exception& error) {
        tellOnUiThread([this, text = sentenceOf(error)] { emit troubled(text); });
    }
}

void History::change(std::function<void(store::Store&)> work) {
    d_->put([this, work = std::move(work)] { perform(work, [this] { emit changed(); }); });
}

void History::post(QObject* context, std::function<void(store::Store&)> work, std::function<void()> answer) {
    const QPointer<QObject> guard(context);
    // The guard is looked at on the UI thread, where its object lives.
    const std::function<void()> guarded = [guard, answer = std::move(answer)] {
        if (guard) answer();
    };
    d_->put([this, work = std::move(work), guarded] { perform(work, guarded); });
}

}  // namespace tessera::ui

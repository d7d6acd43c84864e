#include "ui/workspace/history/history.h"

#include <fmt/format.h>

#include <QPointer>

#include "core/base/text.h"
#include "ui/jobs/task_thread.h"

namespace tessera::ui {

namespace {

QString sentenceOf(const std::exception& error) {
    return QString::fromStdString(escaped(error.what(), 2000));
}

}  // namespace

struct History::Implementation {
    std::optional<store::Store> store;  // touched by the thread alone
    // Touched by the UI thread alone.
    std::filesystem::path path;
    bool open = false;
    bool readOnly = false;
    TaskThread thread;  // the last member: it ends before anything else is destroyed
};

History::History(QObject* parent) : QObject(parent), d_(std::make_unique<Implementation>()) {}

/// What was asked to be written is written before the thread ends.
History::~History() = default;

void History::postToUiThread(std::function<void()> report) {
    QMetaObject::invokeMethod(this, std::move(report), Qt::QueuedConnection);
}

void History::open(const std::filesystem::path& path, store::OpenMode mode, bool mustExist) {
    d_->path = path;
    d_->open = false;
    d_->thread.put([this, path, mode, mustExist] {
        d_->store.reset();
        try {
            if (mustExist && !std::filesystem::exists(path))
                throw store::StoreError(
                    store::StoreProblem::missing,
                    fmt::format("the history {} is not there any more: it was moved, renamed or deleted",
                                inQuotes(path.string())));
            d_->store.emplace(path.empty() ? store::Store::inMemory() : store::Store::open(path, mode));
            const QString notice = QString::fromStdString(escaped(d_->store->notice(), 2000));
            const bool readOnly = d_->store->isReadOnly();
            postToUiThread([this, notice, readOnly] {
                d_->open = true;
                d_->readOnly = readOnly;
                emit opened(notice, readOnly);
            });
        } catch (const store::StoreError& error) {
            postToUiThread([this, problem = error.problem, text = sentenceOf(error)] { emit failed(problem, text); });
        } catch (const std::exception& error) {
            postToUiThread([this, text = sentenceOf(error)] { emit failed(store::StoreProblem::notReadable, text); });
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

void History::perform(const std::function<void(store::Store&)>& work, const std::function<void()>& whenDone,
                      Files files) {
    if (!d_->store) return;
    try {
        work(*d_->store);
        postToUiThread(whenDone);
    } catch (const store::StoreError& error) {
        postToUiThread([this, files, problem = error.problem, text = sentenceOf(error)] {
            if (files == Files::history)
                emit failed(problem, text);
            else
                emit troubled(text);
        });
    } catch (const std::exception& error) {
        postToUiThread([this, text = sentenceOf(error)] { emit troubled(text); });
    }
}

void History::change(std::function<void(store::Store&)> work) {
    d_->thread.put([this, work = std::move(work)] {
        perform(
            work, [this] { emit changed(); }, Files::history);
    });
}

void History::post(QObject* context, std::function<void(store::Store&)> work, std::function<void()> answer,
                   Files files) {
    const QPointer<QObject> guard(context);
    // The guard is looked at on the UI thread, where its object lives.
    const std::function<void()> guarded = [guard, answer = std::move(answer)] {
        if (guard) answer();
    };
    d_->thread.put([this, work = std::move(work), guarded, files] { perform(work, guarded, files); });
}

}  // namespace tessera::ui

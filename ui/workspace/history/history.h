#pragma once

#include <QObject>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/store/store.h"

namespace tessera::ui {

/// The history off the UI thread: work runs on one thread with one connection, in order, and its answer comes back to
/// the UI thread. `context` guards an answer: when it is gone, the answer is dropped.
class History : public QObject {
    Q_OBJECT

public:
    explicit History(QObject* parent = nullptr);
    ~History() override;

    /// Opens in the background; `opened` or `failed` follows. An empty path is a history that is forgotten at the end.
    /// One that `mustExist` is not created again where it is gone: it fails as missing.
    void open(const std::filesystem::path& path, store::OpenMode mode = store::OpenMode::readWrite,
              bool mustExist = false);
    std::filesystem::path path() const;
    bool isOpen() const;
    bool isReadOnly() const;

    /// Runs `work` on the history's thread, then `answer` on the UI thread. A StoreError goes to `failed`, any other
    /// problem to `troubled`, and the answer is not called; neither is it while no history is open.
    template <typename Result>
    void ask(QObject* context, std::function<Result(store::Store&)> work, std::function<void(Result)> answer) {
        post(context, std::move(work), std::move(answer), Files::history);
    }
    /// Runs work as `ask` does that also uses another file (import, export): its problems are rarely the history's,
    /// which goes on. They go to `troubled`.
    template <typename Result>
    void transfer(QObject* context, std::function<Result(store::Store&)> work, std::function<void(Result)> answer) {
        post(context, std::move(work), std::move(answer), Files::another);
    }
    /// Changes something; `changed` follows.
    void change(std::function<void(store::Store&)> work);
    /// Reports that something else (a run that ended) changed the history.
    void announceChange() { emit changed(); }

signals:
    void opened(const QString& notice, bool readOnly);
    void failed(tessera::store::StoreProblem problem, const QString& sentence);
    void troubled(const QString& sentence);  ///< one question could not be answered
    void changed();

private:
    /// Files that work accesses, and so what its errors are about.
    enum class Files : std::uint8_t { history, another };

    template <typename Result>
    void post(QObject* context, std::function<Result(store::Store&)> work, std::function<void(Result)> answer,
              Files files) {
        auto shared = std::make_shared<std::optional<Result>>();
        post(
            context, [shared, work = std::move(work)](store::Store& store) { shared->emplace(work(store)); },
            [shared, answer = std::move(answer)] { answer(std::move(**shared)); }, files);
    }
    void post(QObject* context, std::function<void(store::Store&)> work, std::function<void()> answer, Files files);
    void postToUiThread(std::function<void()> report);
    void perform(const std::function<void(store::Store&)>& work, const std::function<void()>& whenDone, Files files);

    struct Implementation;
    std::unique_ptr<Implementation> d_;
};

}  // namespace tessera::ui

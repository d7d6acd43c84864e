#include "core/store/recorder.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "core/store/documents.h"
#include "core/study/metric.h"
#include "core/study/timeline.h"

namespace tessera::store {

namespace {

constexpr std::chrono::seconds kInterval{5};
constexpr std::chrono::milliseconds kFirst{250};

/// A connection that says once that it does not work, and then stays away.
class History {
public:
    History(const study::Study& study, const RecordOptions& options) : options_(options) {
        attempt([&] {
            store_.emplace(Store::open(options.path));
            if (store_->isReadOnly()) throw StoreError(StoreProblem::notWritable, store_->notice());
            if (options.run) {
                state_ = store_->takeUp(*options.run);
                run_ = *options.run;
            } else {
                const RunId run = store_->addRun(study);
                run_ = run;
                if (!options.tags.empty()) store_->setTags(run, options.tags);
            }
        });
    }

    RunId run() const { return run_; }
    /// Of the run that is continued; empty = from the start.
    const std::optional<Json>& state() const { return state_; }

    /// Says whether it worked.
    template <typename Work>
    bool attempt(const Work& work) {
        try {
            work();
            return true;
        } catch (const StoreError& error) {
            if (isRefused(error.problem)) throw;
            complain(error.what());
        } catch (const FileError& error) {
            complain(error.what());
        } catch (const DataError& error) {
            complain(error.what());
        } catch (const std::bad_alloc&) {
            complain("the memory is not enough to write the history");
        }
        return false;
    }

    void record(const TraceBatch& batch) {
        if (!troubled_) attemptOnRun([&] { store_->record(run_, batch); });
    }
    bool finish(const study::Result& result, InputSet inputs) {
        if (run_ == 0) return false;
        return attemptOnRun([&] {
            store_->finishRun(run_, result, study::headline(result), std::move(inputs).of(result), artifactsOf(result));
        });
    }
    void end(RunStatus status, const std::string& sentence) {
        if (run_ != 0) attemptOnRun([&] { store_->setStatus(run_, status, sentence); });
    }

private:
    /// True if a run cannot be continued: another process works on it, or its checkpoint is damaged.
    bool isRefused(StoreProblem problem) const {
        return options_.run && run_ == 0 && (problem == StoreProblem::busy || problem == StoreProblem::damaged);
    }

    /// The same for work on the run, which may have been removed meanwhile.
    template <typename Work>
    bool attemptOnRun(const Work& work) {
        try {
            return attempt(work);
        } catch (const UsageError& error) {
            complain(error.what());
        }
        return false;
    }

    static std::vector<Artifact> artifactsOf(const study::Result& result) {
        const study::Engine& engine = study::engineOf(result);
        if (engine.keptTimeline == nullptr) return {};
        const std::optional<std::string> choice = engine.keptTimeline(result);
        if (!choice) return {};
        return {{"timeline", "application/json", study::toJson(study::timelineOf(result, *choice)).dump()}};
    }

    void complain(const std::string& sentence) {
        if (!troubled_ && options_.trouble)
            options_.trouble(run_ == 0 ? sentence : fmt::format("run {} could not be kept whole: {}", run_, sentence));
        troubled_ = true;
    }

    const RecordOptions& options_;
    std::optional<Store> store_;
    RunId run_ = 0;
    std::optional<Json> state_;
    bool troubled_ = false;
};

/// Gathers what a run reports, from any thread, and writes it from a thread of its own, so that the engine never waits
/// for a disk.
class Writer {
public:
    explicit Writer(History& history)
        : history_(history), thread_([this](const std::stop_token& stop) { work(stop); }) {}

    void point(const ProgressEvent& event) {
        const std::lock_guard lock(mutex_);
        std::vector<TracePoint>& points = batch_.checkpoint ? batch_.after : batch_.before;
        points.push_back({toText(event.curve), event.x, event.y});
    }
    void checkpoint(const Json& state) {
        const std::lock_guard lock(mutex_);
        std::move(batch_.after.begin(), batch_.after.end(), std::back_inserter(batch_.before));
        batch_.after.clear();
        batch_.checkpoint = state;
    }
    /// Writes what is left. Afterwards the history belongs to the caller alone.
    void finish() {
        thread_.request_stop();
        if (thread_.joinable()) thread_.join();
        const TraceBatch batch = taken();
        if (!batch.before.empty() || batch.checkpoint) history_.record(batch);
    }
    /// The same where the run will not be resumed: does not wait for a state that is not needed.
    void abandon() {
        {
            const std::lock_guard lock(mutex_);
            batch_.checkpoint.reset();
        }
        finish();
    }

private:
    void work(const std::stop_token& stop) {
        std::chrono::milliseconds wait = kFirst;
        while (!stop.stop_requested()) {
            {
                std::unique_lock lock(mutex_);
                wake_.wait_for(lock, stop, wait, [] { return false; });
            }
            // Also where there is nothing new: that the process lives.
            if (!stop.stop_requested()) history_.record(taken());
            wait = kInterval;
        }
    }
    TraceBatch taken() {
        TraceBatch batch;
        const std::lock_guard lock(mutex_);
        std::swap(batch, batch_);
        return batch;
    }

    History& history_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    TraceBatch batch_;
    std::jthread thread_;  // last: it ends before what it uses
};

}  // namespace

Recorded runRecorded(const study::Study& study, study::RunContext context, const RecordOptions& options) {
    History history(study, options);
    if (history.run() != 0 && options.begun) options.begun(history.run());
    if (context.resume->is_null() && history.state()) context.resume = *history.state();

    if (!context.files) context.files = std::make_shared<InputFiles>();
    Writer writer(history);
    context.progress = [&writer, next = context.progress](const ProgressEvent& event) {
        if (event.kind == ProgressEvent::Kind::point || event.kind == ProgressEvent::Kind::incumbent)
            writer.point(event);
        if (next) next(event);
    };
    context.checkpoint = [&writer, next = context.checkpoint](const Json& state) {
        writer.checkpoint(state);
        if (next) next(state);
    };
    const auto end = [&](RunStatus status, const std::string& sentence) {
        if (status == RunStatus::cancelled)
            writer.abandon();
        else
            writer.finish();
        history.end(status, sentence);
    };
    try {
        InputSet inputs(study, context);
        Recorded recorded{0, options.runStudy ? options.runStudy(study, context) : study::run(study, context)};
        writer.finish();
        if (history.finish(recorded.result, std::move(inputs))) recorded.run = history.run();
        return recorded;
    } catch (const InterruptedError& error) {
        end(options.whenCancelled ? options.whenCancelled() : RunStatus::cancelled, error.what());
        throw;
    } catch (const std::exception& error) {
        end(RunStatus::failed, error.what());
        throw;
    }
}

}  // namespace tessera::store

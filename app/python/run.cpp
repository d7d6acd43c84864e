#include <fmt/format.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "app/python/binding.h"
#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/store/recorder.h"
#include "core/store/store.h"
#include "core/study/engine.h"
#include "core/study/study.h"

namespace tessera::python {

namespace {

constexpr std::chrono::milliseconds kLook{10};  ///< between two looks for signals
constexpr std::chrono::seconds kGrace{2};       ///< for runs to end in, at the interpreter's end
constexpr unsigned kMaxThreads = 1024;

/// The runs that are at work. At the interpreter's end all are given up before what they use goes away.
class Runs {
public:
    /// One run, from before it starts until its caller has Python's lock again.
    class Entry {
    public:
        Entry(Runs& runs, std::stop_source& cancel) : runs_(runs), cancel_(cancel) { runs_.add(cancel_); }
        Entry(const Entry&) = delete;
        Entry& operator=(const Entry&) = delete;
        ~Entry() { runs_.remove(cancel_); }

    private:
        Runs& runs_;
        std::stop_source& cancel_;
    };

    void end() {
        std::unique_lock lock(mutex_);
        ended_ = true;
        for (std::stop_source* cancel : all_) cancel->request_stop();
        none_.wait_for(lock, kGrace, [this] { return all_.empty(); });  // a listener may not return
    }

private:
    void add(std::stop_source& cancel) {
        const std::lock_guard lock(mutex_);
        if (ended_) throw InterruptedError("the interpreter ends");
        all_.insert(&cancel);
    }
    void remove(std::stop_source& cancel) {
        const std::lock_guard lock(mutex_);
        all_.erase(&cancel);
        none_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable none_;
    std::set<std::stop_source*> all_;
    bool ended_ = false;
};

Runs& runs() {
    static Runs all;
    return all;
}

/// Work on a thread of its own, watched by the thread that called for it: that one hands events to the listener, under
/// Python's lock, and looks for signals. Work waits while the listener has an event, so that a listener that does not
/// return pauses it.
class WatchedWork {
public:
    explicit WatchedWork(py::object listener) : listener_(std::move(listener)) {}

    study::RunContext context(unsigned threads, std::shared_ptr<InputFiles> files) {
        study::RunContext context;
        if (!listener_.is_none()) context.progress = [this](const ProgressEvent& event) { deliver(event); };
        context.cancel = cancel_.get_token();
        context.finish = finish_.get_token();
        context.threads = threads;
        context.files = std::move(files);
        return context;
    }

    /// Returns once the work is done. Throws what the listener, a signal's handler or the work has thrown.
    template <typename Work>
    void run(const Work& work) {
        const Runs::Entry entry(runs(), cancel_);  // ends under Python's lock
        {
            const py::gil_scoped_release released;
            std::exception_ptr failure;
            std::thread thread([&] {
                try {
                    work();
                } catch (...) {
                    failure = std::current_exception();
                }
                const std::lock_guard lock(mutex_);
                done_ = true;
                arrived_.notify_all();
            });
            watch();
            thread.join();
            if (failure && !thrown_) failure_ = failure;
        }
        if (thrown_) throw py::error_already_set(std::move(*thrown_));
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    /// Called by any thread of the work.
    void deliver(const ProgressEvent& event) {
        std::unique_lock lock(mutex_);
        taken_.wait(lock, [this] { return !event_ || closed_; });
        if (closed_) return;
        event_ = event;
        const std::uint64_t mine = ++sent_;
        arrived_.notify_all();
        taken_.wait(lock, [&] { return heard_ >= mine || closed_; });
    }

    void watch() {
        std::unique_lock lock(mutex_);
        while (!done_) {
            arrived_.wait_for(lock, kLook, [this] { return done_ || event_; });
            const std::optional<ProgressEvent> event = std::exchange(event_, std::nullopt);
            lock.unlock();
            {
                const py::gil_scoped_acquire held;
                if (event) hear(*event);
                if (!thrown_ && PyErr_CheckSignals() != 0) giveUp(py::error_already_set());
            }
            lock.lock();
            if (event) ++heard_;
            closed_ = closed_ || thrown_.has_value();
            taken_.notify_all();
        }
    }

    void hear(const ProgressEvent& event) {
        try {
            static constexpr std::array kKinds{"progress", "incumbent", "point", "log"};
            listener_(kKinds.at(static_cast<std::size_t>(event.kind)), toPython(event.task), event.done, event.total,
                      toPython(toText(event.curve)), event.x, event.y, toPython(event.text));
        } catch (py::error_already_set& error) {
            if (error.matches(errorClass("Finish")))
                finish_.request_stop();
            else
                giveUp(std::move(error));
        }
    }

    void giveUp(py::error_already_set error) {
        thrown_.emplace(std::move(error));
        cancel_.request_stop();
    }

    py::object listener_;
    std::stop_source cancel_, finish_;
    std::optional<py::error_already_set> thrown_;
    std::exception_ptr failure_;

    std::mutex mutex_;
    std::condition_variable arrived_, taken_;
    std::optional<ProgressEvent> event_;  ///< on its way
    std::uint64_t sent_ = 0, heard_ = 0;
    bool done_ = false;    ///< the work
    bool closed_ = false;  ///< nobody listens any more
};

/// Where a run is to be kept.
struct Keeping {
    std::string history;  ///< as `store::pathNamed` takes it
    std::vector<std::string> tags;
    std::optional<store::RunId> continued;
};

HeldResult runStudy(const HeldStudy& held, py::object listener, unsigned threads, const std::optional<Keeping>& keep) {
    if (threads > kMaxThreads)
        throw UsageError(fmt::format("threads is {}; expected at most {}", threads, kMaxThreads));
    HeldResult made{.result = {}, .study = held, .files = held.files()};
    WatchedWork work(std::move(listener));
    const study::RunContext context = work.context(threads, made.files);
    work.run([&] {
        if (!keep) {
            made.result = std::make_shared<const study::Result>(study::run(held.study, context));
            return;
        }
        store::RecordOptions options;
        options.path = store::pathNamed(keep->history);
        options.run = keep->continued;
        options.tags = keep->tags;
        options.whenCancelled = [] { return store::RunStatus::interrupted; };
        options.trouble = [&](const std::string& sentence) { made.trouble = sentence; };
        store::Recorded recorded = store::runRecorded(held.study, context, options);
        if (recorded.run != 0) made.run = recorded.run;
        made.result = std::make_shared<const study::Result>(std::move(recorded.result));
    });
    return made;
}

}  // namespace

void addRuns(py::module_& module) {
    module.def(
        "run",
        [](const HeldStudy& held, py::object listener, unsigned threads) {
            return runStudy(held, std::move(listener), threads, std::nullopt);
        },
        py::arg("study"), py::arg("listener"), py::arg("threads"));
    module.def(
        "run_recorded",
        [](const HeldStudy& held, py::object listener, unsigned threads, const std::string& history,
           const std::vector<std::string>& tags, std::optional<store::RunId> continued) {
            return runStudy(held, std::move(listener), threads, Keeping{history, tags, continued});
        },
        py::arg("study"), py::arg("listener"), py::arg("threads"), py::arg("history"), py::arg("tags"),
        py::arg("continued"));
    py::module_::import("atexit").attr("register")(py::cpp_function([] { unlocked([] { runs().end(); }); }));
}

}  // namespace tessera::python

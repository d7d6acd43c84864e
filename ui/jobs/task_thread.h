#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tessera::ui {

/// A thread that does one task after the other, in the order in which they were put. What was put is done before it
/// ends.
class TaskThread {
public:
    using Task = std::function<void()>;

    TaskThread();
    /// Enqueues a task, from any thread; a task must not throw.
    void put(Task task);

private:
    void serve(const std::stop_token& stop);

    std::mutex mutex_;
    std::condition_variable_any arrived_;
    std::deque<Task> tasks_;
    std::jthread thread_;  // last: it ends before what it uses
};

}  // namespace tessera::ui

#include "ui/jobs/task_thread.h"

#include <utility>

namespace tessera::ui {

TaskThread::TaskThread() : thread_([this](const std::stop_token& stop) { serve(stop); }) {}

void TaskThread::put(Task task) {
    {
        const std::scoped_lock lock(mutex_);
        tasks_.push_back(std::move(task));
    }
    arrived_.notify_one();
}

void TaskThread::serve(const std::stop_token& stop) {
    while (true) {
        Task task;
        {
            std::unique_lock lock(mutex_);
            // A wait that is stopped still says whether there is a task.
            if (!arrived_.wait(lock, stop, [this] { return !tasks_.empty(); })) return;
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        task();
    }
}

}  // namespace tessera::ui

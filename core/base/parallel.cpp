#include "core/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace tessera {

namespace {

/// The cores that this process may use: launchers of many processes bind each to its share.
unsigned coresOfProcess() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return std::max(1U, std::thread::hardware_concurrency());
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&cores)));
}

/// Threads of this process that help whoever asks. They start as they are wanted and wait for more until it ends.
class Pool {
public:
    static Pool& ofProcess() {
        static Pool pool;
        return pool;
    }

    ~Pool() {
        {
            const std::scoped_lock lock(mutex_);
            ending_ = true;
        }
        wanted_.notify_all();
    }

    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    /// Calls `work` here and on up to `helpers` threads of the pool, at least one, at once, and returns when all these
    /// calls have. What helps may ask for help itself: it does what nobody else comes to do.
    void run(const std::function<void()>& work, std::size_t helpers) {
        Job job{.work = work, .open = helpers};
        {
            const std::scoped_lock lock(mutex_);
            jobs_.push_back(&job);
            open_ += helpers;
            startThreads();
        }
        wanted_.notify_all();
        work();
        std::unique_lock lock(mutex_);
        std::erase(jobs_, &job);
        open_ -= job.open;
        job.ended.wait(lock, [&] { return job.running == 0; });
    }

private:
    struct Job {
        const std::function<void()>& work;
        std::size_t open;  ///< calls that no thread has begun
        std::size_t running = 0;
        std::condition_variable ended = {};
    };

    Pool() = default;

    void startThreads() {
        constexpr std::size_t kMost = 256;
        try {
            for (; idle_ < open_ && threads_.size() < kMost; ++idle_) threads_.emplace_back([this] { help(); });
        } catch (const std::system_error&) {
            // The system gives no more threads: those that run, and who asks, do the work.
        }
    }

    void help() {
        std::unique_lock lock(mutex_);
        while (true) {
            wanted_.wait(lock, [&] { return ending_ || !jobs_.empty(); });
            if (ending_) return;
            Job& job = *jobs_.front();
            if (--job.open == 0) jobs_.pop_front();
            --open_;
            --idle_;
            ++job.running;
            lock.unlock();
            job.work();
            lock.lock();
            ++idle_;
            if (--job.running == 0) job.ended.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable wanted_;
    std::deque<Job*> jobs_;  // with open calls
    std::size_t open_ = 0;   // calls of all jobs
    std::size_t idle_ = 0;   // threads that wait
    bool ending_ = false;
    std::vector<std::jthread> threads_;  // last: they end before what they use
};

}  // namespace

unsigned threadCount(unsigned threads) {
    const unsigned wanted = threads == 0 ? coresOfProcess() : threads;
    return std::min(wanted, 64U);
}

void parallelFor(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& task) {
    const std::size_t workers = std::min<std::size_t>(threadCount(threads), count);
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::mutex mutex;
    std::size_t failedIndex = count;
    std::exception_ptr failure;
    // Indices are handed out in order, so when one fails all lower ones have been handed out and run to their end: the
    // first exception by index is the same for any number of threads.
    const auto work = [&] {
        while (!failed) {
            const std::size_t i = next++;
            if (i >= count) return;
            try {
                task(i);
            } catch (...) {
                const std::scoped_lock lock(mutex);
                failed = true;
                if (i < failedIndex) {
                    failedIndex = i;
                    failure = std::current_exception();
                }
            }
        }
    };
    if (workers > 1)
        Pool::ofProcess().run(work, workers - 1);
    else
        work();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace tessera

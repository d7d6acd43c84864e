#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/ranks/introduction.h"

/// Work that several processes share, as rank 0 hands it out. What a task is only those know who ask and answer.
namespace tessera::ranks {

/// Input that all tasks of a work have in common; each worker gets it once.
struct Setup {
    std::string kind;      ///< by which a worker knows what to do: see worker.h
    std::string bytes;     ///< in the form of that kind
    unsigned threads = 0;  ///< of each worker; 0 = as many as it has cores
};

/// Tasks to share: they may be done in any order, by any process, and again where one was lost.
struct Work {
    std::size_t count = 0;
    /// Task i as workers get it. Called from one thread at a time, and quick.
    std::function<std::string(std::size_t task)> question = {};
    /// Does task i here. Called from `threads` threads; what it throws ends the work and is thrown by `run`.
    std::function<void(std::size_t task)> here = {};
    /// Takes what a worker answered, from one thread at a time, while others work. Of what it throws DataError for, the
    /// task is done here.
    std::function<void(std::size_t task, const std::string& answer)> answered = {};
    std::stop_token stop = {};                 ///< ends the work: `run` returns, and what is not done yet stays undone
    unsigned threads = 1;                      ///< of this process
    std::string one = "task", many = "tasks";  ///< what sentences call them
    std::function<std::string(std::size_t task)> name = {};  ///< what a sentence calls task i
};

/// How rank 0 treats its workers.
struct ConductorOptions {
    /// Receives sentences about ranks that were lost, from any thread.
    std::function<void(const std::string& sentence)> warn = {};
    /// Starts one more worker on this machine, whose rank is the number of ranks, for tasks that this process must not
    /// do itself because others died of them; null = there is no way to.
    std::function<void()> helper = {};
    std::chrono::milliseconds heartbeat{5'000};  ///< time between heartbeats that are sent
    std::chrono::milliseconds silence{60'000};   ///< after which a worker counts as lost
};

/// Workers that may die in a row of one task. It is then tried once more by a helper on this machine, where neither a
/// lost node nor another's signal can be the cause; where that dies, too, or cannot be had, the task ends the work.
inline constexpr std::size_t kMaxDeaths = 3;

/// Rank 0: takes connections of workers as they come, hands tasks out, several ahead where they are short, gives those
/// of a lost worker to others, and does some itself.
class Conductor {
public:
    /// Listens at once, and takes nobody's word who does not know the token. Throws FileError.
    explicit Conductor(const Introduction& introduction, ConductorOptions options = {});
    Conductor(const Conductor&) = delete;
    Conductor& operator=(const Conductor&) = delete;
    /// Tells all workers that there is no more work.
    ~Conductor();

    /// Sets who receives sentences.
    void warnBy(std::function<void(const std::string& sentence)> warn);

    /// Does all tasks. Works without any worker, too; one `run` waits for another. Throws what `here` throws, and
    /// InterruptedError for a task of which several workers died.
    void run(const std::shared_ptr<const Setup>& setup, const Work& work);

    /// Threads that this process is to take, where so many are wanted (0 = its part of the cores).
    unsigned threadsHere(unsigned wanted) const;
    /// Threads of the workers that are connected.
    unsigned threads() const;
    /// Processes that were started together.
    int size() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tessera::ranks

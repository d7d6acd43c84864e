#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "core/base/run_control.h"
#include "core/ranks/introduction.h"

/// Every other rank: does tasks that rank 0 hands out.
namespace tessera::ranks {

/// Does the tasks of one work, many at once.
class TaskDoer {
public:
    TaskDoer() = default;
    TaskDoer(const TaskDoer&) = delete;
    TaskDoer& operator=(const TaskDoer&) = delete;
    virtual ~TaskDoer() = default;
    /// The answer; nothing where rank 0 has to do the task itself. Throws InterruptedError where `control` says so; of
    /// all else that it throws rank 0 does the task itself, too.
    virtual std::optional<std::string> answer(const std::string& question, const RunControl& control) = 0;
};
/// Makes one from what its tasks have in common. What it throws is said: this worker then takes no part.
using DoerMaker = std::function<std::unique_ptr<TaskDoer>(const std::string& setup)>;
/// By kind of work.
using WorkKinds = std::map<std::string, DoerMaker>;

/// How a worker takes part.
struct WorkerOptions {
    unsigned threads = 0;                   ///< 0 = the cores that this process may use, shared with its neighbours
    std::stop_token stop = {};              ///< gives its tasks back, and leaves
    std::chrono::milliseconds farewell{0};  ///< for so long rank 0 may end first where this is told to stop
    std::chrono::milliseconds heartbeat{5'000};   ///< time between heartbeats that are sent
    std::chrono::milliseconds silence{60'000};    ///< after which rank 0 counts as lost
    std::chrono::milliseconds connecting{5'000};  ///< for each address
};

/// How a worker's time ends.
enum class WorkerEnd : std::uint8_t {
    ended,        ///< rank 0 has no more work, or has ended itself
    stopped,      ///< by its own options
    unreachable,  ///< rank 0 answered at none of its addresses
};

/// Connects to rank 0 and does tasks until there are no more. Prints nothing.
WorkerEnd workAsRank(const Introduction& introduction, const WorkKinds& kinds, const WorkerOptions& options = {});

}  // namespace tessera::ranks

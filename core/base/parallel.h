#pragma once

#include <cstddef>
#include <functional>

namespace tessera {

/// Number of threads for an option `threads`: itself, or for 0 the cores that this process may use; never more than 64.
unsigned threadCount(unsigned threads);

/// Calls task(0) ... task(count-1), each once, on up to `threads` threads (0 = all cores) and waits for all. Tasks
/// write to their own slot, so that results do not depend on the schedule. After an exception no further task starts;
/// the first one (by index, the same for any number of threads) is rethrown after every running task has ended.
void parallelFor(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& task);

}  // namespace tessera

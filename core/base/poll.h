#pragma once

#include <cstddef>
#include <functional>

namespace tessera {

/// While it lives, long work on this thread asks its function again and again, which may throw to end the work (a stop
/// was requested) or not return for a while (a pause). Scopes nest; the inner one is asked. Reading, sorting and
/// searching code polls without being handed anything, so that it stays a plain function of its arguments:
/// thread-local, since many places poll, and most of them know nothing of runs.
class PollScope {
public:
    explicit PollScope(std::function<void()> ask);
    PollScope(const PollScope&) = delete;
    PollScope& operator=(const PollScope&) = delete;
    ~PollScope();

private:
    friend void poll(std::size_t microseconds);

    std::function<void()> ask_;
    std::size_t spent_ = 0;  ///< microseconds since the function was last called
    PollScope* outer_;
};

/// Reports that about this much work was done since the last call. Calls the scope of this thread, where there is one,
/// after every millisecond.
void poll(std::size_t microseconds = 1);

}  // namespace tessera

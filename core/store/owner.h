#pragma once

#include <cstdint>
#include <string>

namespace tessera::store {

/// The process that works on a run. `process` says when it started, so that a number that was used again is not taken
/// for it.
struct Owner {
    std::string host;
    std::int64_t pid = 0;
    std::string process;
    bool operator==(const Owner&) const = default;
};

/// Returns this process as an owner.
Owner thisProcess();

/// False only where the owner is known to be gone: a process of this host that does not exist any more.
bool mayLive(const Owner& owner);

}  // namespace tessera::store

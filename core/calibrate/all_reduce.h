#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/run_control.h"

/// Sums of arrays between processes of this machine.
namespace tessera::calibrate {

/// Transport of an all-reduce between processes: a row of the table.
struct Transport {
    std::string_view id;     ///< "tcp", "sockets", "shared-memory"
    std::string_view title;  ///< "AF_UNIX stream sockets", "shared memory"
};
/// All transports; the one that frameworks use is first.
const std::vector<Transport>& transports();

struct AllReduceOptions {
    std::size_t bytes = 0;  ///< of floats, summed on each process
    unsigned processes = 2;
    std::string_view transport = "sockets";
    double seconds = 1;  ///< repetitions end after about so long
    double limit = 10;   ///< after which processes that hang are killed
};

/// Starts the processes, lets them sum their arrays repeatedly (a ring: reduce-scatter, all-gather) and returns the
/// median seconds of one sum. Empty where a process could not be started, went wrong, computed a wrong sum or had to be
/// killed. No process is left behind, whatever happens: they die with this one, and each is waited for. Children use
/// what is safe behind a fork only, so that a program with threads may call it. Throws InterruptedError.
std::optional<double> allReduceTime(const AllReduceOptions& options, const RunControl& control);

}  // namespace tessera::calibrate

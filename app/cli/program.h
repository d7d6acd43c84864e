#pragma once

#include <memory>
#include <stop_token>
#include <vector>

namespace tessera::ranks {
class Conductor;
}

namespace tessera::cli {

struct Command;
/// The commands of the program, in the order in which they are listed (command.h says what one is).
const std::vector<Command>& commands();

/// The whole program: parses the arguments, runs the command and turns every failure into one sentence on standard
/// error. Returns the exit code: 0 success, 1 internal error, 2 wrong usage, 3 invalid input, 4 infeasible,
/// 5 interrupted, 6 a file cannot be read or written. `table` is what commands there are,
/// `others` the processes that this one was started with.
int run(int argumentCount, char** arguments, const std::stop_token& stop,
        const std::vector<Command>& table = commands(), std::shared_ptr<ranks::Conductor> others = {});

}  // namespace tessera::cli

#pragma once

#include <string>
#include <vector>

namespace tessera::test {

struct Ended {
    int code = 0;  ///< exit code, or minus the signal that ended the program
    std::string output;
    std::string errors;
    double peakBytes = 0;  ///< of resident memory
};

/// Runs the built program in the folder and waits for its end.
Ended runProgram(const std::vector<std::string>& arguments, const std::string& folder = ".");

/// Runs a shell command in the folder, with the program as $TESSERA.
Ended runShell(const std::string& command, const std::string& folder = ".");

}  // namespace tessera::test

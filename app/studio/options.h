#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

/// The command line of `tessera-studio`.
namespace tessera::studio {

/// Exit codes besides success, as those of `tessera`.
inline constexpr int kUsage = 2, kNoFile = 6;

/// What is asked for on the command line.
struct Request {
    std::string store;
    bool noStore = false;
    std::vector<std::string> files;
    std::vector<std::string> studies;  ///< to run at once
    std::string convert;  ///< "png" or "pdf": what FILES, which are pictures, become; empty = the window opens
    double zoom = 1;      ///< of a PNG
    bool man = false;
    bool quitWhenReady = false;
};

/// Adds the options of the program, and what its help says of it.
void describe(CLI::App& options, Request& request);

/// The program's page of the manual, in the language of man(7).
std::string manualPage(const CLI::App& options);

}  // namespace tessera::studio

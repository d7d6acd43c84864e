#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Exit status and output of a child process.
struct ProcessResult {
    int exitCode = 0;  ///< as a shell shows it: 128 + the signal's number where a signal ended it
    std::string output;
    std::string errors;
};

/// Limits of a child process.
struct ProcessLimits {
    std::chrono::milliseconds time{60'000};       ///< elapsed, and of the processor
    std::size_t output = std::size_t{512} << 20;  ///< bytes of output and errors together
    std::size_t memory = std::size_t{4} << 30;    ///< bytes of address space
};

/// Whether a file is one that can be run.
bool isProgram(const std::filesystem::path& file);
/// The file of a program on PATH; empty where there is none.
std::optional<std::filesystem::path> programNamed(std::string_view name);
/// "the program 'dot' was not found; install the package graphviz": the Debian package of those that Tessera uses.
std::string whyNotFound(std::string_view name);

/// Runs a program, found on PATH, with its arguments: no shell in between. `input` becomes its standard input; of the
/// environment it gets what finds programs, folders and fonts, and texts as in C. The program and all that it started
/// are killed when the time is over, when it writes too much, or on a stop request; should this process be killed, the
/// system ends the program when its time on the processor is over.
/// Throws FileError where there is no such program (and names the Debian package of those that Tessera uses), it cannot
/// be started, or a limit was hit; InterruptedError on stop.
ProcessResult runProcess(const std::vector<std::string>& command, std::string_view input,
                         const ProcessLimits& limits = {}, const std::stop_token& stop = {});

}  // namespace tessera

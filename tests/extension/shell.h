#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

namespace tessera::test {

/// How a shell command ended, and what it printed on both streams.
struct ShellRun {
    int code = -1;
    std::string output;
};

/// Runs it in a folder, without input.
inline ShellRun shell(const std::filesystem::path& folder, const std::string& command) {
    const std::string line = "cd '" + folder.string() + "' && (" + command + ") 2>&1 </dev/null";
    ShellRun run;
    FILE* pipe = popen(line.c_str(), "r");
    if (pipe == nullptr) return run;
    std::array<char, 4096> buffer{};
    while (const auto count = fread(buffer.data(), 1, buffer.size(), pipe)) run.output.append(buffer.data(), count);
    run.code = pclose(pipe);
    return run;
}

}  // namespace tessera::test

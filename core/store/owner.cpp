#include "core/store/owner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

namespace tessera::store {

namespace {

std::string hostName() {
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
    return name.data();
}

std::string contentsOf(const std::string& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// "BOOT/TICKS": the machine's boot and the process's start since then (field 22 of proc(5) stat); empty where there is
/// no such process.
std::string startOf(std::int64_t pid) {
    const std::string stat = contentsOf(fmt::format("/proc/{}/stat", pid));
    // The name in parentheses may hold anything, also parentheses and spaces.
    const std::size_t name = stat.rfind(')');
    if (name == std::string::npos) return "";
    std::istringstream fields(stat.substr(name + 1));
    std::string field;
    constexpr int kState = 3;
    constexpr int kStart = 22;
    for (int i = kState; i <= kStart; ++i) {
        fields >> field;
        // A zombie's work is over; it only waits to be asked for.
        if (i == kState && (field == "Z" || field == "X")) return "";
    }
    std::string boot = contentsOf("/proc/sys/kernel/random/boot_id");
    boot = boot.substr(0, boot.find('\n'));
    return fmt::format("{}/{}", boot, field);
}

}  // namespace

Owner thisProcess() {
    return {.host = hostName(), .pid = getpid(), .process = startOf(getpid())};
}

bool mayLive(const Owner& owner) {
    if (owner.host != hostName()) return true;
    return !owner.process.empty() && startOf(owner.pid) == owner.process;
}

}  // namespace tessera::store

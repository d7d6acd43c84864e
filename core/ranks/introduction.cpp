#include "core/ranks/introduction.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/ranks/message.h"

namespace tessera::ranks {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxRanks = 1'000'000;
constexpr std::chrono::seconds kMeetingTime{60};

std::vector<std::string> partsOf(std::string_view text, char separator) {
    const std::vector<std::string_view> parts = split(text, separator);
    return {parts.begin(), parts.end()};
}

std::string reasonOf(int error) {
    return std::generic_category().message(error);
}

[[noreturn]] void failToListen(int error) {
    throw FileError("no socket for other processes can be opened: " + reasonOf(error));
}

/// A socket that listens at a port of the system's choice, of both families where there are both.
FileDescriptor listeningSocket(std::uint16_t& port) {
    FileDescriptor socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_storage address{};
    socklen_t size = 0;
    const int off = 0;
    if (socket.isOpen() && ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) == 0) {
        auto& six = reinterpret_cast<sockaddr_in6&>(address);
        six.sin6_family = AF_INET6;
        six.sin6_addr = in6addr_any;
        size = sizeof(six);
    }
    if (size == 0 || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) {
        socket = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (!socket.isOpen()) failToListen(errno);
        address = {};
        auto& four = reinterpret_cast<sockaddr_in&>(address);
        four.sin_family = AF_INET;
        four.sin_addr.s_addr = htonl(INADDR_ANY);
        size = sizeof(four);
        if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) failToListen(errno);
    }
    if (::listen(socket.get(), SOMAXCONN) != 0) failToListen(errno);
    size = sizeof(address);
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) failToListen(errno);
    port = ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                               : reinterpret_cast<const sockaddr_in&>(address).sin_port);
    return socket;
}

/// "10.0.0.1:4711"; empty for what no other machine can use.
std::string addressText(const sockaddr& address, std::uint16_t port) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address.sa_family == AF_INET) {
        const auto& four = reinterpret_cast<const sockaddr_in&>(address);
        if (::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size()) == nullptr) return {};
        return fmt::format("{}:{}", text.data(), port);
    }
    if (address.sa_family != AF_INET6) return {};
    const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
    if (IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr)) return {};
    if (::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size()) == nullptr) return {};
    return fmt::format("[{}]:{}", text.data(), port);
}

std::vector<std::string> addressesAt(std::uint16_t port) {
    std::vector<std::string> own{fmt::format("127.0.0.1:{}", port)}, others;
    ifaddrs* all = nullptr;
    if (::getifaddrs(&all) != 0) return own;
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> held(all, ::freeifaddrs);
    for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
        if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
        const std::string text = addressText(*each->ifa_addr, port);
        if (text.empty() || (each->ifa_flags & IFF_LOOPBACK) != 0) continue;
        others.push_back(text);
    }
    // Of the older family first: it is what clusters have.
    std::stable_partition(others.begin(), others.end(), [](const std::string& each) { return each[0] != '['; });
    own.insert(own.end(), others.begin(), others.end());
    return own;
}

/// Tells the system that this process serves many connections, as far as it may.
void allowManyFiles() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

[[noreturn]] void refuseVariable(const std::string& text) {
    throw UsageError(fmt::format("the environment's {} is {}; expected what introduces one process to others",
                                 kVariable, inQuotes(text, 200)));
}

int wholeOr(const std::map<std::string, std::string>& given, const std::string& name, int fallback, int max) {
    const auto found = given.find(name);
    if (found == given.end()) return fallback;
    int number = -1;
    const char* const end = found->second.data() + found->second.size();
    const auto read = std::from_chars(found->second.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end || number < 0 || number > max) refuseVariable(found->second);
    return number;
}

/// Waits for the file in which rank 0 says where it is.
void meet(Introduction& introduction, const fs::path& file) {
    const auto deadline = std::chrono::steady_clock::now() + kMeetingTime;
    while (!fs::exists(file)) {
        if (std::chrono::steady_clock::now() > deadline)
            throw FileError(fmt::format("{}: rank 0 has not said there where it is, for {} s", escaped(file.string()),
                                        kMeetingTime.count()));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const std::vector<std::string> lines = partsOf(readFromDisk(file, kLargestStrange), '\n');
    if (lines.size() < 2) throw FileError(escaped(file.string()) + ": does not say where rank 0 is");
    introduction.token = lines[0];
    introduction.addresses = partsOf(lines[1], '+');
}

/// Says where rank 0 is in a file that only its owner reads.
void announce(const Introduction& introduction, const fs::path& file) {
    const mode_t before = ::umask(0077);
    try {
        writeFile(file, fmt::format("{}\n{}\n", introduction.token, joined(introduction.addresses, "+")));
    } catch (...) {
        ::umask(before);
        throw;
    }
    ::umask(before);
}

}  // namespace

Listening listenAnywhere() {
    allowManyFiles();
    std::uint16_t port = 0;
    FileDescriptor socket = listeningSocket(port);
    return {std::move(socket), addressesAt(port)};
}

std::optional<Introduction> introduced() {
    const char* const value = std::getenv(kVariable);
    if (value == nullptr || *value == '\0') return std::nullopt;
    std::map<std::string, std::string> given;
    for (const std::string& part : partsOf(value, ',')) {
        const std::size_t sign = part.find('=');
        if (sign == std::string::npos) refuseVariable(value);
        given[part.substr(0, sign)] = part.substr(sign + 1);
    }
    Introduction introduction;
    introduction.rank = wholeOr(given, "rank", 0, kMaxRanks);
    introduction.size = wholeOr(given, "size", 1, kMaxRanks);
    introduction.socket = wholeOr(given, "socket", -1, kMaxRanks);
    introduction.neighbours = static_cast<unsigned>(wholeOr(given, "neighbours", 1, kMaxRanks));
    introduction.token = given["token"];
    if (!given["at"].empty()) introduction.addresses = partsOf(given["at"], '+');
    if (introduction.rank == 0 && introduction.socket < 0) {
        Listening listening = listenAnywhere();
        introduction.addresses = std::move(listening.addresses);
        introduction.socket = ::dup(listening.socket.get());
        if (introduction.token.empty()) introduction.token = randomToken();
        if (!given["meet"].empty()) announce(introduction, given["meet"]);
    } else if (introduction.rank > 0 && !given["meet"].empty()) {
        meet(introduction, given["meet"]);
    }
    if (introduction.token.empty() || (introduction.rank > 0 && introduction.addresses.empty())) refuseVariable(value);
    return introduction;
}

std::string textOf(const Introduction& introduction) {
    std::string text = fmt::format("rank={},size={},token={},neighbours={}", introduction.rank, introduction.size,
                                   introduction.token, introduction.neighbours);
    if (!introduction.addresses.empty()) text += ",at=" + joined(introduction.addresses, "+");
    if (introduction.socket >= 0) text += fmt::format(",socket={}", introduction.socket);
    return text;
}

unsigned threadsOf(const Introduction& introduction, unsigned wanted) {
    if (introduction.neighbours == 0) return 1;
    if (wanted > 0) return threadCount(wanted);
    const unsigned own = threadCount(0);
    // A launcher that binds processes to cores has given each its own.
    const bool isBound = own < threadCount(std::max(1U, std::thread::hardware_concurrency()));
    return isBound ? own : std::max(1U, own / introduction.neighbours);
}

std::string hostName() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "?";
    return name.data();
}

}  // namespace tessera::ranks

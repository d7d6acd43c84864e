#include "core/base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"

namespace tessera {

namespace {

/// Programs that Tessera runs, and the Debian packages that they come in.
struct Package {
    std::string_view program, name;
};
constexpr std::array kPackages{
    Package{"dot", "graphviz"},
    Package{"rsvg-convert", "librsvg2-bin"},
    Package{"cbc", "coinor-cbc"},
};

/// What a program gets of our environment: where programs, its home, temporary files, fonts and libraries are.
constexpr std::array kInherited{
    "PATH", "HOME", "TMPDIR", "XDG_CACHE_HOME", "FONTCONFIG_FILE", "FONTCONFIG_PATH", "LD_LIBRARY_PATH"};
/// Numbers and messages do not depend on the user's language.
constexpr const char* kLocale = "LC_ALL=C.UTF-8";

constexpr int kSignalled = 128;

struct Channel {
    FileDescriptor ours;
    FileDescriptor theirs;
};

[[noreturn]] void failTo(const std::string& what, int error) {
    throw FileError(what + ": " + std::generic_category().message(error));
}

/// A socket pair rather than a pipe: writing to a program that has ended is then an error and not a signal.
Channel openChannel() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        failTo("cannot open a channel to another program", errno);
    Channel channel{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
    ::fcntl(channel.ours.get(), F_SETFL, O_NONBLOCK);
    return channel;
}

std::string howToInstall(std::string_view program) {
    for (const Package& package : kPackages)
        if (package.program == program) return fmt::format("install the package {}", package.name);
    return "it has to be installed";
}

std::vector<std::string> environment() {
    std::vector<std::string> variables{kLocale};
    for (const char* name : kInherited)
        if (const char* value = std::getenv(name)) variables.push_back(fmt::format("{}={}", name, value));
    return variables;
}

/// The started program; killed with all that it started unless `wait` saw its end.
class Child {
public:
    Child(const std::vector<std::string>& command, const ProcessLimits& limits, int input, int output, int errors) {
        std::vector<char*> arguments;
        for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes, 0);
        std::vector<std::string> variables = environment();
        std::vector<char*> given;
        for (std::string& variable : variables) given.push_back(variable.data());
        given.push_back(nullptr);
        const int error = ::posix_spawnp(&pid_, arguments[0], &actions, &attributes, arguments.data(), given.data());
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        if (error == ENOENT) throw FileError(whyNotFound(command[0]));
        if (error != 0) failTo(fmt::format("the program {} cannot be started", inQuotes(command[0])), error);
        // It has begun already, but cannot have got far.
        const auto seconds = static_cast<rlim_t>(std::chrono::ceil<std::chrono::seconds>(limits.time).count());
        limit(RLIMIT_AS, limits.memory, limits.memory);
        limit(RLIMIT_CPU, seconds + 1, seconds + 2);  // a signal that tells the reason, then one that is not heard
        limit(RLIMIT_CORE, 0, 0);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (ended_) return;
        ::kill(-pid_, SIGKILL);
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
    }

    /// The exit code once the program has ended, -1 before.
    int poll() {
        int status = 0;
        const pid_t found = ::waitpid(pid_, &status, WNOHANG);
        if (found == 0 || (found < 0 && errno == EINTR)) return -1;
        ended_ = true;
        if (found < 0) return 0;
        return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
    }

private:
    void limit(__rlimit_resource resource, rlim_t soft, rlim_t hard) const {
        rlimit now{};
        if (::prlimit(pid_, resource, nullptr, &now) != 0) return;  // it has ended
        now.rlim_max = std::min(now.rlim_max, hard);
        now.rlim_cur = std::min({now.rlim_cur, now.rlim_max, soft});
        ::prlimit(pid_, resource, &now, nullptr);
    }

    pid_t pid_ = 0;
    bool ended_ = false;
};

/// Writes what fits; closes the channel once everything is written or the reader has closed it.
void feed(FileDescriptor& channel, std::string_view& input) {
    while (!input.empty()) {
        const ssize_t written = ::send(channel.get(), input.data(), input.size(), MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (written < 0) break;
        input.remove_prefix(static_cast<std::size_t>(written));
    }
    channel.close();
}

void drain(FileDescriptor& channel, std::string& text) {
    std::array<char, 65'536> buffer{};
    while (true) {
        const ssize_t count = ::read(channel.get(), buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (count <= 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    channel.close();
}

[[noreturn]] void failInTime(const std::string& name, const ProcessLimits& limits) {
    throw FileError(
        fmt::format("the program {} did not end within {} s", name, static_cast<double>(limits.time.count()) / 1000));
}

/// Programs say that memory ran out, each in its way, or are ended by a signal.
bool saysMemory(const ProcessResult& result) {
    if (result.exitCode == 0) return false;
    static constexpr std::array<std::string_view, 4> kSentences{"bad_alloc", "ut of memory", "annot allocate memory",
                                                                "emory exhausted"};
    return std::any_of(kSentences.begin(), kSentences.end(), [&](std::string_view sentence) {
        return result.errors.find(sentence) != std::string::npos || result.output.find(sentence) != std::string::npos;
    });
}

/// Throws where a limit of the system ended the program.
void refuseLimits(const ProcessResult& result, const std::string& name, const ProcessLimits& limits) {
    if (result.exitCode == kSignalled + SIGXCPU) failInTime(name, limits);
    if (saysMemory(result))
        throw FileError(fmt::format("the program {} needs more than its {} of memory", name,
                                    formatQuantity(static_cast<double>(limits.memory), Measure::bytes)));
}

}  // namespace

bool isProgram(const std::filesystem::path& file) {
    std::error_code error;
    return std::filesystem::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
}

std::optional<std::filesystem::path> programNamed(std::string_view name) {
    const char* const folders = std::getenv("PATH");
    for (const std::string_view folder : split(folders == nullptr ? "/bin:/usr/bin" : folders, ':'))
        if (const std::filesystem::path file = std::filesystem::path(folder) / name; isProgram(file)) return file;
    return std::nullopt;
}

std::string whyNotFound(std::string_view name) {
    return fmt::format("the program {} was not found; {}", inQuotes(std::string(name)), howToInstall(name));
}

ProcessResult runProcess(const std::vector<std::string>& command, std::string_view input, const ProcessLimits& limits,
                         const std::stop_token& stop) {
    Channel in = openChannel();
    Channel out = openChannel();
    Channel err = openChannel();
    Child child(command, limits, in.theirs.get(), out.theirs.get(), err.theirs.get());
    for (Channel* channel : {&in, &out, &err}) channel->theirs.close();
    const auto deadline = std::chrono::steady_clock::now() + limits.time;
    const std::string name = inQuotes(command[0]);
    ProcessResult result;
    constexpr int kPause = 20;  // ms between looks at the clock and the stop request
    while (out.ours.isOpen() || err.ours.isOpen()) {
        std::array<pollfd, 3> waiting{pollfd{in.ours.get(), POLLOUT, 0}, pollfd{out.ours.get(), POLLIN, 0},
                                      pollfd{err.ours.get(), POLLIN, 0}};
        ::poll(waiting.data(), waiting.size(), kPause);
        if (stop.stop_requested()) throw InterruptedError(fmt::format("stopped while {} was running", name));
        if (std::chrono::steady_clock::now() >= deadline) failInTime(name, limits);
        if (waiting[0].revents != 0) feed(in.ours, input);
        if (waiting[1].revents != 0) drain(out.ours, result.output);
        if (waiting[2].revents != 0) drain(err.ours, result.errors);
        if (result.output.size() + result.errors.size() > limits.output)
            throw FileError(fmt::format("the program {} wrote more than {} bytes", name, limits.output));
    }
    in.ours.close();
    while ((result.exitCode = child.poll()) < 0) {
        if (stop.stop_requested()) throw InterruptedError(fmt::format("stopped while {} was running", name));
        if (std::chrono::steady_clock::now() >= deadline) failInTime(name, limits);
        ::poll(nullptr, 0, 1);
    }
    refuseLimits(result, name, limits);
    return result;
}

}  // namespace tessera

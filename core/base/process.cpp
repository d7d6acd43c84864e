#include "core/base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"

namespace tessera {

namespace {

constexpr int kClosed = -1;

class FileDescriptor {
public:
    explicit FileDescriptor(int descriptor = kClosed) : descriptor_(descriptor) {}
    FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, kClosed)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() { close(); }

    int get() const { return descriptor_; }
    void close() {
        if (descriptor_ != kClosed) ::close(descriptor_);
        descriptor_ = kClosed;
    }

private:
    int descriptor_;
};

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

/// The started program; killed with all that it started unless `wait` saw its end.
class Child {
public:
    Child(const std::vector<std::string>& command, int input, int output, int errors) {
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
        const int error = ::posix_spawnp(&pid_, arguments[0], &actions, &attributes, arguments.data(), environ);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
        if (error == ENOENT)
            throw FileError(fmt::format("the program {} was not found; it has to be installed", inQuotes(command[0])));
        if (error != 0) failTo(fmt::format("the program {} cannot be started", inQuotes(command[0])), error);
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
        constexpr int kSignalled = 128;
        return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
    }

private:
    pid_t pid_ = 0;
    bool ended_ = false;
};

/// Writes what fits; closes the channel once everything is written or nobody reads.
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

}  // namespace

ProcessResult runProcess(const std::vector<std::string>& command, std::string_view input, const ProcessLimits& limits,
                         const std::stop_token& stop) {
    Channel in = openChannel();
    Channel out = openChannel();
    Channel err = openChannel();
    Child child(command, in.theirs.get(), out.theirs.get(), err.theirs.get());
    for (Channel* channel : {&in, &out, &err}) channel->theirs.close();
    const auto deadline = std::chrono::steady_clock::now() + limits.time;
    const std::string name = inQuotes(command[0]);
    ProcessResult result;
    constexpr int kPause = 20;  // ms between looks at the clock and the stop request
    while (out.ours.get() != kClosed || err.ours.get() != kClosed) {
        std::array<pollfd, 3> waiting{pollfd{in.ours.get(), POLLOUT, 0}, pollfd{out.ours.get(), POLLIN, 0},
                                      pollfd{err.ours.get(), POLLIN, 0}};
        ::poll(waiting.data(), waiting.size(), kPause);
        if (stop.stop_requested()) throw InterruptedError(fmt::format("stopped while {} was running", name));
        if (std::chrono::steady_clock::now() >= deadline)
            throw FileError(fmt::format("the program {} did not end within {} s", name,
                                        static_cast<double>(limits.time.count()) / 1000));
        if (waiting[0].revents != 0) feed(in.ours, input);
        if (waiting[1].revents != 0) drain(out.ours, result.output);
        if (waiting[2].revents != 0) drain(err.ours, result.errors);
        if (result.output.size() + result.errors.size() > limits.output)
            throw FileError(fmt::format("the program {} wrote more than {} bytes", name, limits.output));
    }
    in.ours.close();
    while ((result.exitCode = child.poll()) < 0) {
        if (stop.stop_requested()) throw InterruptedError(fmt::format("stopped while {} was running", name));
        if (std::chrono::steady_clock::now() >= deadline)
            throw FileError(fmt::format("the program {} did not end within {} s", name,
                                        static_cast<double>(limits.time.count()) / 1000));
        ::poll(nullptr, 0, 1);
    }
    return result;
}

}  // namespace tessera

#include "core/calibrate/all_reduce.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>
#include <thread>

#include "core/calibrate/measuring.h"

namespace tessera::calibrate {

namespace {

constexpr unsigned kMaxProcesses = 64;
constexpr std::size_t kMaxSamples = 64;
constexpr std::size_t kMinSamples = 3;

double monotonicSeconds() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// What all processes see.
struct SharedState {
    std::atomic<unsigned> arrived;   ///< at the barrier, since the start
    std::atomic<unsigned> samples;   ///< measured by the first process
    std::atomic<bool> last;          ///< no sum follows this one
    std::atomic<unsigned> finished;  ///< processes whose sums were right
    std::array<double, kMaxSamples> seconds;
};

/// Memory that children share with their parent; gone with the object.
class Shared {
public:
    explicit Shared(std::size_t bytes)
        : bytes_(bytes), place_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    ~Shared() {
        if (valid()) munmap(place_, bytes_);
    }
    bool valid() const { return place_ != MAP_FAILED; }
    template <typename Type>
    Type* as() const {
        return static_cast<Type*>(place_);
    }

private:
    std::size_t bytes_;
    void* place_;
};

/// The two ends of a stream; -1 where there are none.
using Pair = std::array<int, 2>;

Pair pairOfUnixSockets() {
    Pair pair{-1, -1};
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data());
    return pair;
}

/// The port at this end of a connection, or at its other end; 0 where there is none.
in_port_t portOf(int socket, int (*name)(int, sockaddr*, socklen_t*)) {
    sockaddr_in found{};
    socklen_t size = sizeof(found);
    return name(socket, reinterpret_cast<sockaddr*>(&found), &size) == 0 ? found.sin_port : in_port_t{0};
}
in_port_t ownPort(int socket) {
    return portOf(socket, [](int of, sockaddr* to, socklen_t* size) { return getsockname(of, to, size); });
}
in_port_t otherPort(int socket) {
    return portOf(socket, [](int of, sockaddr* to, socklen_t* size) { return getpeername(of, to, size); });
}

/// Over the loopback interface. Whoever else may have connected in between is turned away.
Pair pairOfTcpSockets() {
    Pair pair{-1, -1};
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0) return pair;
    sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener, generic, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, generic, &size) == 0) {
        pair[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (pair[0] >= 0 && connect(pair[0], generic, size) == 0)
            pair[1] = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    }
    close(listener);
    const bool joined = pair[1] >= 0 && ownPort(pair[0]) == otherPort(pair[1]);
    const int yes = 1;
    for (int& end : pair) {
        if (end < 0) continue;
        if (joined && setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)) == 0 &&
            fcntl(end, F_SETFL, O_NONBLOCK) == 0)
            continue;
        close(end);
        end = -1;
    }
    return pair;
}

/// Pair i joins process i with the one after it.
class Ring {
public:
    Ring(unsigned processes, Pair (*make)()) {
        for (unsigned i = 0; i < processes; ++i) {
            pairs_.push_back(make());
            valid_ = valid_ && pairs_.back()[0] >= 0 && pairs_.back()[1] >= 0;
        }
    }
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;
    ~Ring() {
        for (const Pair& pair : pairs_)
            for (const int end : pair)
                if (end >= 0) close(end);
    }
    bool valid() const { return valid_; }
    int toNext(unsigned rank) const { return pairs_[rank][0]; }
    int fromPrevious(unsigned rank) const { return pairs_[(rank + pairs_.size() - 1) % pairs_.size()][1]; }

private:
    std::vector<Pair> pairs_;
    bool valid_ = true;
};

/// The elements of one process's share of an array.
struct Share {
    std::size_t first = 0, count = 0;
};
Share shareOf(std::size_t count, unsigned processes, unsigned index) {
    const std::size_t each = count / processes, rest = count % processes;
    return {each * index + std::min<std::size_t>(index, rest), each + (index < rest ? 1U : 0U)};
}

/// What one child knows. All that it does must be safe behind a fork: no allocation, no locks.
struct Child {
    SharedState& board;
    unsigned rank = 0, processes = 2;
    std::size_t count = 0;     ///< floats
    float* values = nullptr;   ///< its own array
    float* scratch = nullptr;  ///< as long
    float* all = nullptr;      ///< arrays of all processes, one after the other: shared memory
    int toNext = -1, fromPrevious = -1;
    unsigned barriers = 0;
    double deadline = 0;

    bool meet() {
        ++barriers;
        board.arrived.fetch_add(1);
        while (board.arrived.load() < barriers * processes) {
            if (monotonicSeconds() > deadline) return false;
            sched_yield();
        }
        return true;
    }

    /// Sends to the next process while receiving from the one before.
    bool pass(const float* out, std::size_t outCount, float* in, std::size_t inCount) const {
        const auto* from = reinterpret_cast<const char*>(out);
        auto* to = reinterpret_cast<char*>(in);
        std::size_t sending = outCount * sizeof(float), receiving = inCount * sizeof(float);
        while (sending > 0 || receiving > 0) {
            std::array<pollfd, 2> both{
                {{sending > 0 ? toNext : -1, POLLOUT, 0}, {receiving > 0 ? fromPrevious : -1, POLLIN, 0}}};
            if (poll(both.data(), both.size(), 1000) < 0 && errno != EINTR) return false;
            if (monotonicSeconds() > deadline) return false;
            if (both[0].revents != 0) {
                const ssize_t done = send(toNext, from, sending, MSG_NOSIGNAL);
                if (done < 0 && errno != EAGAIN && errno != EINTR) return false;
                from += std::max<ssize_t>(done, 0);
                sending -= static_cast<std::size_t>(std::max<ssize_t>(done, 0));
            }
            if (both[1].revents != 0) {
                const ssize_t done = recv(fromPrevious, to, receiving, 0);
                if (done == 0 || (done < 0 && errno != EAGAIN && errno != EINTR)) return false;
                to += std::max<ssize_t>(done, 0);
                receiving -= static_cast<std::size_t>(std::max<ssize_t>(done, 0));
            }
        }
        return true;
    }

    /// Reduce-scatter and all-gather, each in n − 1 steps of a share 1/n (Patarasuk, Yuan, J. Parallel Distrib. Comput.
    /// 69(2), 2009).
    bool sumBySockets() const {
        const auto share = [&](unsigned index) { return shareOf(count, processes, index % processes); };
        for (unsigned step = 0; step + 1 < processes; ++step) {
            const Share out = share(rank + processes - step), in = share(rank + 2 * processes - step - 1);
            if (!pass(values + out.first, out.count, scratch, in.count)) return false;
            for (std::size_t i = 0; i < in.count; ++i) values[in.first + i] += scratch[i];
        }
        for (unsigned step = 0; step + 1 < processes; ++step) {
            const Share out = share(rank + 1 + processes - step), in = share(rank + processes - step);
            if (!pass(values + out.first, out.count, values + in.first, in.count)) return false;
        }
        return true;
    }

    /// Each process adds up its share of all arrays and copies those of the others.
    bool sumInSharedMemory() {
        if (!meet()) return false;
        const Share mine = shareOf(count, processes, rank);
        for (unsigned other = 0; other < processes; ++other) {
            if (other == rank) continue;
            const float* const theirs = all + other * count + mine.first;
            for (std::size_t i = 0; i < mine.count; ++i) values[mine.first + i] += theirs[i];
        }
        if (!meet()) return false;
        for (unsigned other = 0; other < processes; ++other) {
            const Share share = shareOf(count, processes, other);
            const float* const theirs = all + other * count + share.first;
            if (other != rank) std::copy_n(theirs, share.count, values + share.first);
        }
        return true;
    }

    /// Sums until the first process says that it was the last one. Every element is the number of its process plus one,
    /// so that the sum is known.
    bool work(bool sockets, double seconds) {
        const unsigned sum = processes * (processes + 1) / 2;
        const auto expected = static_cast<float>(sum);
        const double started = monotonicSeconds();
        for (unsigned sample = 0;; ++sample) {
            std::fill_n(values, count, static_cast<float>(rank + 1));
            if (!meet()) return false;
            const double before = monotonicSeconds();
            if (!(sockets ? sumBySockets() : sumInSharedMemory()) || !meet()) return false;
            if (rank == 0) {
                if (sample > 0)
                    board.seconds[sample - 1] = monotonicSeconds() - before;  // the first one touches the memory
                board.samples = sample;
                board.last = sample == kMaxSamples || (sample >= kMinSamples && monotonicSeconds() - started > seconds);
            }
            for (const std::size_t at : {std::size_t{0}, count / 2, count - 1})
                if (values[at] != expected) return false;
            if (!meet()) return false;
            if (board.last) return true;
        }
    }
};

/// The children, killed and waited for at the end.
class Children {
public:
    Children() = default;
    Children(const Children&) = delete;
    Children& operator=(const Children&) = delete;
    ~Children() {
        for (const pid_t child : running_) kill(child, SIGKILL);
        while (!running_.empty()) reap(0);
    }
    void add(pid_t child) { running_.push_back(child); }
    bool empty() const { return running_.empty(); }
    void reap(int options) {
        for (std::size_t i = running_.size(); i-- > 0;) {
            const pid_t ended = waitpid(running_[i], nullptr, options);
            if (ended == running_[i] || (ended < 0 && errno != EINTR))
                running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }

private:
    std::vector<pid_t> running_;
};

}  // namespace

const std::vector<Transport>& transports() {
    static const std::vector<Transport> kTransports{{"tcp", "TCP sockets over the loopback interface"},
                                                    {"sockets", "AF_UNIX stream sockets"},
                                                    {"shared-memory", "shared memory"}};
    return kTransports;
}

std::optional<double> allReduceTime(const AllReduceOptions& options, const RunControl& control) {
    const std::size_t count = options.bytes / sizeof(float);
    if (count < options.processes || options.processes < 2 || options.processes > kMaxProcesses) return std::nullopt;
    const bool sockets = options.transport != "shared-memory";
    const Shared board(sizeof(SharedState));
    const Shared arrays(std::size_t{2} * options.processes * count * sizeof(float));
    const Ring ring(options.processes, options.transport == "tcp" ? pairOfTcpSockets : pairOfUnixSockets);
    if (!board.valid() || !arrays.valid() || !ring.valid()) return std::nullopt;
    const double deadline = monotonicSeconds() + options.limit;
    const pid_t parent = getpid();
    Children children;
    for (unsigned rank = 0; rank < options.processes; ++rank) {
        Child child{.board = *board.as<SharedState>(),
                    .rank = rank,
                    .processes = options.processes,
                    .count = count,
                    .values = arrays.as<float>() + rank * count,
                    .scratch = arrays.as<float>() + (options.processes + rank) * count,
                    .all = arrays.as<float>(),
                    .toNext = ring.toNext(rank),
                    .fromPrevious = ring.fromPrevious(rank),
                    .barriers = 0,
                    .deadline = deadline};
        const pid_t started = fork();
        if (started < 0) return std::nullopt;
        if (started > 0) {
            children.add(started);
            continue;
        }
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
        if (child.work(sockets, options.seconds)) child.board.finished.fetch_add(1);
        _exit(0);
    }
    while (!children.empty()) {
        control.throwIfCancelled(kCalibration);
        if (monotonicSeconds() > deadline) return std::nullopt;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        children.reap(WNOHANG);
    }
    const SharedState& seen = *board.as<SharedState>();
    const std::size_t samples = std::min<std::size_t>(seen.samples, kMaxSamples);
    if (seen.finished != options.processes || samples == 0) return std::nullopt;
    std::vector<double> times(seen.seconds.begin(), seen.seconds.begin() + static_cast<std::ptrdiff_t>(samples));
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(samples / 2), times.end());
    return times[samples / 2];
}

}  // namespace tessera::calibrate

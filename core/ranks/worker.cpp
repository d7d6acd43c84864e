#include "core/ranks/worker.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/ranks/message.h"

namespace tessera::ranks {

namespace {

using WorkerClock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr unsigned kMaxThreads = 64;

/// An address of the form of listenAnywhere; nothing for another text.
std::optional<std::pair<sockaddr_storage, socklen_t>> addressOf(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0) return std::nullopt;
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    if (const auto read = std::from_chars(text.data() + colon + 1, end, port);
        read.ec != std::errc() || read.ptr != end)
        return std::nullopt;
    std::pair<sockaddr_storage, socklen_t> found{};
    if (text[0] == '[') {
        auto& six = reinterpret_cast<sockaddr_in6&>(found.first);
        six.sin6_family = AF_INET6;
        six.sin6_port = htons(port);
        found.second = sizeof(six);
        if (::inet_pton(AF_INET6, text.substr(1, colon - 2).c_str(), &six.sin6_addr) != 1) return std::nullopt;
    } else {
        auto& four = reinterpret_cast<sockaddr_in&>(found.first);
        four.sin_family = AF_INET;
        four.sin_port = htons(port);
        found.second = sizeof(four);
        if (::inet_pton(AF_INET, text.substr(0, colon).c_str(), &four.sin_addr) != 1) return std::nullopt;
    }
    return found;
}

bool waitFor(int socket, short what, WorkerClock::time_point until, const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - WorkerClock::now());
        if (left.count() <= 0) return false;
        pollfd waiting{socket, what, 0};
        if (::poll(&waiting, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 100))) > 0) return true;
    }
    return false;
}

/// An address's answer to a connection.
enum class Reached : std::uint8_t { yes, refused, no };

/// A connection whose other end has shown that it is rank 0.
struct Connection {
    FileDescriptor socket = FileDescriptor();
    Inbox inbox = {};
    Outbox outbox = {};
};

Reached connectTo(const std::string& address, Connection& connection, WorkerClock::time_point until,
                  const std::stop_token& stop) {
    const auto at = addressOf(address);
    if (!at) return Reached::no;
    connection.socket = FileDescriptor(::socket(at->first.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!connection.socket.isOpen()) return Reached::no;
    const int socket = connection.socket.get();
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&at->first), at->second) != 0) {
        if (errno == ECONNREFUSED) return Reached::refused;
        if (errno != EINPROGRESS || !waitFor(socket, POLLOUT, until, stop)) return Reached::no;
        int error = 0;
        socklen_t size = sizeof(error);
        ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
        if (error != 0) return error == ECONNREFUSED ? Reached::refused : Reached::no;
    }
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    return Reached::yes;
}

/// The next message of rank 0 before it is known to be it; nothing where none comes.
std::optional<Message> firstMessage(Connection& connection, WorkerClock::time_point until,
                                    const std::stop_token& stop) {
    while (true) {
        if (const std::optional<Message> message = connection.inbox.next()) return message;
        if (!waitFor(connection.socket.get(), POLLIN, until, stop)) return std::nullopt;
        if (!receive(connection.socket.get(), connection.inbox)) return std::nullopt;
    }
}

/// Introduces this worker where rank 0 answers, and only rank 0 does.
bool introduceTo(Connection& connection, const Introduction& introduction, unsigned threads,
                 WorkerClock::time_point until, const std::stop_token& stop) {
    const std::optional<Message> greeting = firstMessage(connection, until, stop);
    if (!greeting || greeting->kind != MessageKind::greeting) return false;
    Unpacker greeted(greeting->contents, "rank 0's greeting");
    greeted.text(kLargestStrange);  // its version, which it compares with ours
    const std::string theirs = greeted.text(kLargestStrange), ours = randomToken();
    greeted.end();
    connection.outbox.add(MessageKind::hello, Packer()
                                                  .text(ours)
                                                  .text(proofOf(introduction.token, "worker" + theirs + ours))
                                                  .text(TESSERA_VERSION)
                                                  .whole(static_cast<std::uint64_t>(introduction.rank))
                                                  .text(hostName())
                                                  .whole(threads)
                                                  .bytes());
    if (!connection.outbox.send(connection.socket.get())) return false;
    const std::optional<Message> welcome = firstMessage(connection, until, stop);
    if (!welcome || welcome->kind != MessageKind::welcome) return false;
    Unpacker welcomed(welcome->contents, "rank 0's welcome");
    const std::string proof = welcomed.text(kLargestStrange);
    welcomed.end();
    connection.inbox.allow(kLargestMessage);
    return isSameSecret(proof, proofOf(introduction.token, "first" + theirs + ours));
}

/// A work that this worker has begun; made when its first task comes, by whichever thread has that.
struct Begun {
    std::uint64_t number = 0;
    std::string kind, bytes;
    std::once_flag once = {};
    std::unique_ptr<TaskDoer> doer = {};
    std::string problem = {};
};

struct HeldTask {
    std::shared_ptr<Begun> work;
    std::uint64_t id = 0;
    std::string question = {};
};

struct Answer {
    std::uint64_t id = 0;
    std::optional<std::string> text = {};
};

/// What the threads of a worker share with the one that talks.
class Desk {
public:
    Desk(const WorkKinds& kinds, unsigned threads)
        : kinds_(kinds), bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), threads_(threads) {
        if (!bell_.isOpen()) throw FileError("no thread can be waited for");
    }
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;
    ~Desk() {
        {
            const std::lock_guard lock(mutex_);
            isOver_ = true;
            tasks_.clear();
            stop_.request_stop();
        }
        changed_.notify_all();
    }

    int bell() const { return bell_.get(); }
    /// Has so many threads work; 0 = as many as before.
    void use(unsigned threads) {
        const std::lock_guard lock(mutex_);
        if (threads > 0) threads_ = std::min(threads, kMaxThreads);
        while (all_.size() < threads_) all_.emplace_back([this] { work(); });
        changed_.notify_all();
    }
    void add(std::vector<HeldTask> tasks) {
        const std::lock_guard lock(mutex_);
        for (HeldTask& task : tasks) tasks_.push_back(std::move(task));
        changed_.notify_all();
    }
    /// Forgets all tasks, and ends those at work.
    void stopAll() { stopBefore(~std::uint64_t{0}); }
    /// Forgets the tasks before an id, and ends those at work.
    void stopBefore(std::uint64_t id) {
        const std::lock_guard lock(mutex_);
        std::erase_if(tasks_, [id](const HeldTask& task) { return task.id < id; });
        stop_.request_stop();
        stop_ = std::stop_source();
    }
    /// Packs what is answered into messages.
    void take(Outbox& into) {
        std::uint64_t rung = 0;
        [[maybe_unused]] const ssize_t read = ::read(bell_.get(), &rung, sizeof(rung));
        const std::lock_guard lock(mutex_);
        for (const auto& [number, problem] : std::exchange(problems_, {}))
            into.add(MessageKind::unable, Packer().whole(number).text(problem).bytes());
        if (answers_.empty()) return;
        Packer packed;
        packed.whole(answers_.size());
        for (const Answer& answer : answers_)
            packed.whole(answer.id).whole(answer.text ? 1 : 0).text(answer.text.value_or(""));
        answers_.clear();
        into.add(MessageKind::answers, packed.bytes());
    }

private:
    void begin(Begun& work) const {
        try {
            const auto kind = kinds_.find(work.kind);
            if (kind == kinds_.end()) throw UsageError("it does not know such work");
            work.doer = kind->second(work.bytes);
        } catch (const std::exception& error) {
            work.problem = error.what();
        }
        work.bytes.clear();
    }
    void work() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return isOver_ || (!tasks_.empty() && atWork_ < threads_); });
            if (isOver_) return;
            const HeldTask task = std::move(tasks_.front());
            tasks_.pop_front();
            ++atWork_;
            // Where there are fewer tasks than threads, each has several.
            const auto each = static_cast<unsigned>(std::max<std::size_t>(1, threads_ / (atWork_ + tasks_.size())));
            const std::stop_token stop = stop_.get_token();
            lock.unlock();
            std::call_once(task.work->once, [&] { begin(*task.work); });
            Answer answer{.id = task.id};
            bool isWanted = true;
            try {
                if (task.work->doer)
                    answer.text = task.work->doer->answer(task.question, {.cancel = stop, .threads = each});
            } catch (const InterruptedError&) {
                isWanted = false;
            } catch (const std::exception&) {
                answer.text.reset();
            }
            lock.lock();
            --atWork_;
            changed_.notify_one();
            if (!task.work->problem.empty()) {
                if (std::exchange(saidOf_, task.work->number) != task.work->number)
                    problems_.emplace_back(task.work->number, task.work->problem.substr(0, 1000));
            } else if (isWanted && !stop.stop_requested()) {
                answers_.push_back(std::move(answer));
            }
            const std::uint64_t one = 1;
            [[maybe_unused]] const ssize_t written = ::write(bell_.get(), &one, sizeof(one));
        }
    }

    const WorkKinds& kinds_;
    FileDescriptor bell_;

    std::mutex mutex_;  ///< of all that follows
    std::condition_variable changed_;
    std::deque<HeldTask> tasks_;
    std::vector<Answer> answers_;
    std::vector<std::pair<std::uint64_t, std::string>> problems_;
    std::uint64_t saidOf_ = 0;  ///< number of the work whose problem was said
    std::stop_source stop_;
    std::size_t threads_, atWork_ = 0;
    bool isOver_ = false;

    std::vector<std::jthread> all_;
};

/// What rank 0 says, once it is known.
class Orders {
public:
    Orders(Desk& desk, Outbox& outbox) : desk_(desk), outbox_(outbox) {}

    /// Gives all tasks back, and those that come from now on.
    void leave() {
        isLeaving_ = true;
        desk_.stopAll();
        if (work_) refuse();
    }

    /// False where there is no more work. Throws DataError.
    bool take(const Message& message) {
        Unpacker contents(message.contents, "rank 0's message");
        switch (message.kind) {
            case MessageKind::heartbeat:
                return true;
            case MessageKind::end:
                return false;
            case MessageKind::stop:
                desk_.stopBefore(contents.whole());
                contents.end();
                return true;
            case MessageKind::setup:
                work_ = std::make_shared<Begun>();
                work_->number = contents.whole();
                work_->kind = contents.text();
                work_->bytes = contents.text();
                desk_.use(static_cast<unsigned>(contents.whole(kMaxThreads)));
                contents.end();
                if (isLeaving_) refuse();
                return true;
            case MessageKind::tasks: {
                const std::uint64_t number = contents.whole();
                if (!work_ || work_->number != number)
                    throw DataError({.where = "rank 0's message"}, "tasks of another work", "those of the last one");
                std::vector<HeldTask> tasks;
                for (std::uint64_t left = contents.whole(); left > 0; --left) {
                    const std::uint64_t id = contents.whole();
                    tasks.push_back({work_, id, contents.text()});
                }
                contents.end();
                if (!isLeaving_) desk_.add(std::move(tasks));
                return true;
            }
            default:
                throw DataError({.where = "rank 0's message"}, "one of a worker's", "one of rank 0's");
        }
    }

private:
    void refuse() {
        outbox_.add(MessageKind::unable, Packer().whole(work_->number).text("it was told to stop").bytes());
    }

    Desk& desk_;
    Outbox& outbox_;
    std::shared_ptr<Begun> work_;
    bool isLeaving_ = false;
};

/// Until rank 0 has no more work or is gone.
WorkerEnd talk(Connection& connection, const WorkKinds& kinds, unsigned threads, const WorkerOptions& options) {
    Desk desk(kinds, threads);
    Orders orders(desk, connection.outbox);
    auto heard = WorkerClock::now(), lastSent = heard, looked = heard;
    std::optional<WorkerClock::time_point> leaves;
    const int socket = connection.socket.get();
    while (!leaves || WorkerClock::now() < *leaves) {
        if (!leaves && options.stop.stop_requested()) {
            leaves = WorkerClock::now() + options.farewell;
            orders.leave();
        }
        while (const std::optional<Message> message = connection.inbox.next())
            if (!orders.take(*message)) return WorkerEnd::ended;
        std::array<pollfd, 2> waiting{
            pollfd{socket, static_cast<short>(connection.outbox.isEmpty() ? POLLIN : POLLIN | POLLOUT), 0},
            pollfd{desk.bell(), POLLIN, 0}};
        constexpr int kLook = 50;  // milliseconds until it is seen that this is to stop
        ::poll(waiting.data(), waiting.size(), kLook);
        const auto now = WorkerClock::now();
        if (now - std::exchange(looked, now) > 5s) heard = now;  // this process itself stood still
        if (waiting[1].revents != 0) desk.take(connection.outbox);
        if (connection.outbox.isEmpty() && now - lastSent > options.heartbeat)
            connection.outbox.add(MessageKind::heartbeat, "");
        if (!connection.outbox.isEmpty()) {
            lastSent = now;
            if (!connection.outbox.send(socket)) return WorkerEnd::ended;
        }
        if ((waiting[0].revents & ~POLLOUT) != 0) {
            heard = now;
            if (!receive(socket, connection.inbox)) return WorkerEnd::ended;
        }
        if (now - heard > options.silence) return WorkerEnd::ended;
    }
    return WorkerEnd::stopped;
}

}  // namespace

WorkerEnd workAsRank(const Introduction& introduction, const WorkKinds& kinds, const WorkerOptions& options) {
    const unsigned threads = std::min(threadsOf(introduction, options.threads), kMaxThreads);
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
        bool isRefused = true;
        for (const std::string& address : introduction.addresses) {
            Connection connection;
            const auto until = WorkerClock::now() + options.connecting;
            const Reached reached = connectTo(address, connection, until, options.stop);
            if (options.stop.stop_requested()) return WorkerEnd::stopped;
            isRefused = isRefused && reached == Reached::refused;
            if (reached != Reached::yes) continue;
            try {
                if (!introduceTo(connection, introduction, threads, until, options.stop)) continue;
                return talk(connection, kinds, threads, options);
            } catch (const DataError&) {
                continue;  // it is not rank 0 that is there
            }
        }
        // Nobody listens any more.
        if (isRefused) return WorkerEnd::ended;
    }
    return WorkerEnd::unreachable;
}

}  // namespace tessera::ranks

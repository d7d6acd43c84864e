#include "core/ranks/conductor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <list>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/descriptor.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/ranks/message.h"

namespace tessera::ranks {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Connections that have not proved who they are, and how long they may take.
constexpr std::size_t kMaxStrangers = 256;
constexpr auto kStrangersTime = 10s;
constexpr auto kTick = 200ms;
/// Work ahead of a worker: what it does in this time, so that it need not wait for messages.
constexpr auto kAhead = 20ms;
/// At least what rank 0 needs to serve all others once; see tests/bench/ranks_bench.cpp.
constexpr auto kService = 60us;
constexpr std::size_t kMaxAhead = 1024;
/// Until when ranks that have not come are not missed, and for how long a lost worker's successor is waited for.
constexpr auto kPatience = 30s;
constexpr auto kHelperPatience = 1s;
constexpr auto kHelperStart = 10s;
constexpr int kMaxHelpers = 8;
constexpr auto kStill = 5s;
constexpr auto kFarewell = 500ms;

/// A connection.
struct Peer {
    FileDescriptor socket = FileDescriptor();
    Inbox inbox = {};
    Outbox outbox = {};
    std::string nonce = {};
    bool isKnown = false;  ///< has proved who it is
    std::uint64_t rank = 0;
    std::string host = {};
    unsigned threads = 1;
    Clock::time_point since = {}, heard = {}, lastSent = {};

    std::uint64_t setup = 0;           ///< the number of the last that it got
    std::uint64_t unable = 0;          ///< of the last that it could not do
    std::set<std::uint64_t> out = {};  ///< ids of the tasks that it has
    bool isAlone = false;              ///< has one of which another worker died, and gets no other
    std::size_t answers = 0;           ///< since the work began, or since it came
    Clock::time_point begun = {};

    bool isGone = false;
    std::string name() const { return fmt::format("rank {} on {}", rank, escaped(host, 100)); }
};

struct Task {
    bool isDone = false;
    std::vector<std::string> deaths = {};  ///< workers that died with it
};

/// The work of one `run`.
struct Current {
    const Work* work = nullptr;
    std::uint64_t first = 0;  ///< id of task 0
    std::vector<Task> tasks = {};
    std::deque<std::size_t> open = {};
    std::deque<std::size_t> suspects = {};  ///< of which a worker died: each to a worker alone
    std::deque<std::size_t> judged = {};    ///< of which so many died that only a helper gets them
    std::deque<std::size_t> here = {};      ///< that this process has to do
    std::deque<std::pair<std::size_t, std::string>> answers = {};
    std::size_t done = 0;
    bool isNoting = false;  ///< an answer is being taken
    bool isOver = false;
    std::exception_ptr failure = {};

    bool isDone() const { return isOver || done == tasks.size(); }
};

}  // namespace

struct Conductor::State {
    State(Introduction itsIntroduction, ConductorOptions itsOptions)
        : introduction(std::move(itsIntroduction)),
          size(introduction.size),
          token(introduction.token),
          options(std::move(itsOptions)),
          listening(introduction.socket),
          events(::epoll_create1(EPOLL_CLOEXEC)),
          bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (!events.isOpen() || !bell.isOpen())
            throw FileError("connections cannot be waited for: " + std::generic_category().message(errno));
        watch(listening.get(), nullptr, EPOLLIN);
        watch(bell.get(), this, EPOLLIN);
    }

    // What the threads share, and who is told of it.

    const Introduction introduction;
    const int size;
    const std::string token;
    ConductorOptions options;
    mutable std::mutex mutex;  ///< of all that follows
    std::condition_variable changed;
    FileDescriptor listening, events, bell;
    std::list<Peer> peers;
    std::set<std::uint64_t> everSeen;
    std::shared_ptr<const Setup> setup;
    std::uint64_t setupNumber = 0;
    Outbox::Bytes setupMessage;
    std::uint64_t nextId = 1;
    Current* current = nullptr;
    bool isEnding = false, saidMissing = false, saidStranger = false;
    int helpers = 0;
    Clock::time_point begun = {}, lastWorker = Clock::now(), nextHelper = {};
    std::vector<std::string> sentences;

    void watch(int socket, void* whose, std::uint32_t what) const {
        epoll_event event{.events = what, .data = {.ptr = whose}};
        ::epoll_ctl(events.get(), EPOLL_CTL_ADD, socket, &event);
    }
    void want(Peer& peer) const {
        epoll_event event{.events = EPOLLIN | (peer.outbox.isEmpty() ? 0U : static_cast<std::uint32_t>(EPOLLOUT)),
                          .data = {.ptr = &peer}};
        ::epoll_ctl(events.get(), EPOLL_CTL_MOD, peer.socket.get(), &event);
    }
    void ring() const {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = ::write(bell.get(), &one, sizeof(one));
    }
    void say(std::string sentence) {
        if (!isEnding) sentences.push_back(std::move(sentence));
    }

    // Tasks.

    void finish(std::size_t task) {
        if (current->tasks[task].isDone) return;
        current->tasks[task].isDone = true;
        ++current->done;
        if (current->isDone()) changed.notify_all();
    }
    void end(std::exception_ptr failure) {
        if (current == nullptr || current->isOver) return;
        current->isOver = true;
        current->failure = std::move(failure);
        changed.notify_all();
        ring();
    }
    bool hasWorker() const {
        return std::any_of(peers.begin(), peers.end(), [this](const Peer& peer) { return canWork(peer); });
    }
    bool isHelper(const Peer& peer) const { return peer.rank >= static_cast<std::uint64_t>(size); }
    bool hasHelper() const {
        return std::any_of(peers.begin(), peers.end(),
                           [this](const Peer& peer) { return canWork(peer) && isHelper(peer); });
    }
    bool canWork(const Peer& peer) const {
        return peer.isKnown && !peer.isGone && (setupNumber == 0 || peer.unable != setupNumber);
    }
    unsigned allThreads() const {
        unsigned all = 0;
        for (const Peer& peer : peers)
            if (canWork(peer)) all += peer.threads;
        return all;
    }

    /// How many more tasks a worker is to have.
    std::size_t wanted(const Peer& peer, unsigned all) const {
        const double seconds = std::chrono::duration<double>(Clock::now() - peer.begun).count();
        const double rate = seconds > 0 ? static_cast<double>(peer.answers) / seconds : 0;
        const auto time = std::max<std::chrono::duration<double>>(kAhead, kService * static_cast<double>(peers.size()));
        const double inTime = rate * time.count();
        const std::size_t ahead = std::clamp<std::size_t>(static_cast<std::size_t>(inTime), 1, kMaxAhead);
        const std::size_t has = peer.out.size(), max = peer.threads + ahead;
        if (has >= max || (has > peer.threads && has > max / 2)) return 0;
        // Near the end every worker gets what is less than its share of what is left, so that none has the last alone.
        const std::size_t share = current->open.size() * peer.threads / (2 * std::size_t{all});
        const std::size_t idle = has < peer.threads ? peer.threads - has : 0;
        return std::min({max - has, std::max(share, idle), current->open.size()});
    }
    void give(Peer& peer, const std::vector<std::size_t>& tasks) {
        if (tasks.empty()) return;
        if (peer.setup != setupNumber) {
            peer.outbox.add(setupMessage);
            peer.setup = setupNumber;
            if (setup->threads > 0) peer.threads = setup->threads;
        }
        Packer packed;
        packed.whole(setupNumber).whole(tasks.size());
        for (const std::size_t task : tasks) {
            packed.whole(current->first + task).text(current->work->question(task));
            peer.out.insert(current->first + task);
        }
        peer.outbox.add(MessageKind::tasks, packed.bytes());
        send(peer);
    }
    void feed(Peer& peer, unsigned all) {
        if (current == nullptr || current->isDone() || !canWork(peer) || peer.isAlone) return;
        std::deque<std::size_t>& alone =
            isHelper(peer) && !current->judged.empty() ? current->judged : current->suspects;
        if (!alone.empty()) {
            if (!peer.out.empty()) return;
            peer.isAlone = true;
            const std::size_t task = alone.front();
            alone.pop_front();
            return give(peer, {task});
        }
        std::vector<std::size_t> tasks;
        for (std::size_t left = wanted(peer, all); left > 0; --left) {
            tasks.push_back(current->open.front());
            current->open.pop_front();
        }
        give(peer, tasks);
    }
    void feedAll() {
        const unsigned all = allThreads();
        for (Peer& peer : peers) feed(peer, all);
    }

    /// Puts back what a worker had. Where it died, each of its tasks may be why.
    void takeBack(Peer& peer, bool hasDied) {
        const std::set<std::uint64_t> had = std::exchange(peer.out, {});
        peer.isAlone = false;
        if (current == nullptr || current->isDone()) return;
        for (const std::uint64_t id : had) {
            if (id < current->first || id - current->first >= current->tasks.size()) continue;
            const auto task = static_cast<std::size_t>(id - current->first);
            if (current->tasks[task].isDone) continue;
            if (!hasDied) {
                current->open.push_front(task);
                continue;
            }
            std::vector<std::string>& deaths = current->tasks[task].deaths;
            deaths.push_back(peer.name());
            if (deaths.size() > kMaxDeaths || (deaths.size() == kMaxDeaths && !options.helper)) return refuse(task);
            (deaths.size() == kMaxDeaths ? current->judged : current->suspects).push_back(task);
        }
        changed.notify_all();
    }
    void refuse(std::size_t task) {
        const std::string name = current->work->name ? current->work->name(task) : fmt::format("{}", task + 1);
        end(std::make_exception_ptr(
            InterruptedError(fmt::format("{} {} ended each of {} processes that worked on it ({})", current->work->one,
                                         name, kMaxDeaths, joined(current->tasks[task].deaths, ", ")))));
    }
    /// Tasks of which workers died are done by a worker that is started for them where none is left, or none that is to
    /// be trusted.
    void mindSuspects() {
        if (current == nullptr || current->isDone()) return;
        const bool isJudge = !current->judged.empty() && !hasHelper();
        const bool isAny = !current->suspects.empty() && !hasWorker() && Clock::now() - lastWorker >= kHelperPatience;
        if ((!isJudge && !isAny) || Clock::now() < nextHelper) return;
        nextHelper = Clock::now() + kHelperStart;
        if (options.helper && helpers < kMaxHelpers) {
            ++helpers;
            try {
                options.helper();
                return;
            } catch (const std::exception&) {
                helpers = kMaxHelpers;
            }
        }
        if (isJudge) return refuse(current->judged.front());
        std::move(current->suspects.begin(), current->suspects.end(), std::back_inserter(current->here));
        current->suspects.clear();
        changed.notify_all();
    }
    void mindMissing() {
        if (saidMissing || begun == Clock::time_point{} || Clock::now() - begun < kPatience) return;
        saidMissing = true;
        std::vector<std::string> missing;
        constexpr std::size_t kMaxNamed = 8;
        for (int rank = 1; rank < size; ++rank)
            if (!everSeen.contains(static_cast<std::uint64_t>(rank))) missing.push_back(fmt::format("{}", rank));
        if (missing.empty()) return;
        const std::size_t count = missing.size();
        if (count > kMaxNamed) {
            missing.resize(kMaxNamed);
            missing.emplace_back("…");
        }
        say(fmt::format("{} of {} ranks have not connected after {} s ({}); the others do their share", count, size,
                        std::chrono::seconds(kPatience).count(), joined(missing, ", ")));
    }

    // Connections.

    void send(Peer& peer) {
        if (peer.isGone) return;
        peer.lastSent = Clock::now();
        if (peer.outbox.send(peer.socket.get()))
            want(peer);
        else
            lose(peer, "ended");
    }
    void lose(Peer& peer, const std::string& how) {
        if (peer.isGone) return;
        peer.isGone = true;
        ::epoll_ctl(events.get(), EPOLL_CTL_DEL, peer.socket.get(), nullptr);
        peer.socket.close();
        if (!peer.isKnown) return;
        lastWorker = Clock::now();
        const bool works = current != nullptr && !current->isDone();
        if (current != nullptr && current->isOver) return;
        if (works && !peer.out.empty())
            say(fmt::format("{} {} while it had {}; {} evaluated elsewhere", peer.name(), how,
                            formatCounted(peer.out.size(), current->work->one, current->work->many),
                            peer.out.size() == 1 ? "it is" : "they are"));
        else
            say(fmt::format("{} {}", peer.name(), how));
        takeBack(peer, true);
    }
    void welcomeAll() {
        while (true) {
            FileDescriptor socket(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
            if (!socket.isOpen()) return;
            const auto strangers =
                std::count_if(peers.begin(), peers.end(), [](const Peer& peer) { return !peer.isKnown; });
            if (static_cast<std::size_t>(strangers) >= kMaxStrangers) continue;
            const int on = 1;
            ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
            ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
            Peer& peer = peers.emplace_back();
            peer.socket = std::move(socket);
            peer.nonce = randomToken();
            peer.since = peer.heard = Clock::now();
            watch(peer.socket.get(), &peer, EPOLLIN);
            peer.outbox.add(MessageKind::greeting, Packer().text(TESSERA_VERSION).text(peer.nonce).bytes());
            send(peer);
        }
    }
    void read(Peer& peer) {
        const bool goesOn = receive(peer.socket.get(), peer.inbox);
        peer.heard = Clock::now();
        try {
            while (!peer.isGone)
                if (const std::optional<Message> message = peer.inbox.next())
                    take(peer, *message);
                else
                    break;
        } catch (const DataError& error) {
            if (peer.isKnown || !std::exchange(saidStranger, true))
                say(fmt::format("{}: {}; it is not listened to any more",
                                peer.isKnown ? peer.name() : "a connection that is no rank's", error.what()));
            if (peer.isKnown)
                lose(peer, "spoke wrongly");
            else
                lose(peer, "");
        }
        if (!goesOn) lose(peer, "ended");
    }
    void take(Peer& peer, const Message& message) {
        if (!peer.isKnown) return introduce(peer, message);
        Unpacker contents(message.contents, "a worker's message");
        switch (message.kind) {
            case MessageKind::heartbeat:
                return;
            case MessageKind::answers:
                return takeAnswers(peer, contents);
            case MessageKind::unable: {
                const std::uint64_t number = contents.whole();
                const std::string reason = contents.text(kLargestStrange);
                contents.end();
                if (number != setupNumber) return;
                peer.unable = number;
                if (current != nullptr && !current->isDone())
                    say(fmt::format("{} cannot take part: {}", peer.name(), escaped(reason, 1000)));
                takeBack(peer, false);
                return feedAll();
            }
            default:
                throw DataError({.where = "a worker's message"}, "one of rank 0's", "one of a worker's");
        }
    }
    void introduce(Peer& peer, const Message& message) {
        if (message.kind != MessageKind::hello)
            throw DataError({.where = "the first message"}, "another one", "a worker's introduction");
        Unpacker contents(message.contents, "a worker's introduction");
        const std::string nonce = contents.text(kLargestStrange), proof = contents.text(kLargestStrange);
        if (!isSameSecret(proof, proofOf(token, "worker" + peer.nonce + nonce)))
            throw DataError({.where = "a worker's introduction"}, "another token", "that of these processes");
        const std::string version = contents.text(kLargestStrange);
        peer.rank = contents.whole();
        peer.host = contents.text(kLargestStrange);
        peer.threads = static_cast<unsigned>(std::max<std::uint64_t>(1, contents.whole(1024)));
        contents.end();
        if (version != TESSERA_VERSION) {
            say(fmt::format("{} is tessera {}, and this is {}; it takes no part", peer.name(), escaped(version, 100),
                            TESSERA_VERSION));
            return lose(peer, "");
        }
        peer.isKnown = true;
        peer.inbox.allow(kLargestMessage);
        peer.begun = Clock::now();
        everSeen.insert(peer.rank);
        peer.outbox.add(MessageKind::welcome, Packer().text(proofOf(token, "first" + peer.nonce + nonce)).bytes());
        send(peer);
        feed(peer, allThreads());
    }
    void takeAnswers(Peer& peer, Unpacker& contents) {
        for (std::uint64_t count = contents.whole(); count > 0; --count) {
            const std::uint64_t id = contents.whole();
            const bool isAnswered = contents.whole(1) == 1;
            std::string answer = contents.text();
            if (peer.out.erase(id) == 0) continue;  // not wanted any more
            ++peer.answers;
            peer.isAlone = false;
            if (current == nullptr || current->isOver || id < current->first) continue;
            const auto task = static_cast<std::size_t>(id - current->first);
            if (task >= current->tasks.size() || current->tasks[task].isDone) continue;
            if (isAnswered)
                current->answers.emplace_back(task, std::move(answer));
            else
                current->here.push_back(task);
        }
        contents.end();
        changed.notify_all();
        feed(peer, allThreads());
    }

    /// Of one connection or the bell, then of time.
    void serve(std::unique_lock<std::mutex>& lock) {
        std::array<epoll_event, 64> ready{};
        lock.unlock();
        const int count =
            ::epoll_wait(events.get(), ready.data(), static_cast<int>(ready.size()),
                         static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(kTick).count()));
        lock.lock();
        bool wasRung = false;
        for (int i = 0; i < count; ++i) {
            const epoll_event& event = ready[static_cast<std::size_t>(i)];
            if (event.data.ptr == nullptr) {
                welcomeAll();
            } else if (event.data.ptr == this) {
                std::uint64_t rung = 0;
                wasRung = ::read(bell.get(), &rung, sizeof(rung)) > 0 || wasRung;
            } else {
                auto& peer = *static_cast<Peer*>(event.data.ptr);
                if (peer.isGone) continue;
                if ((event.events & EPOLLOUT) != 0) send(peer);
                if (!peer.isGone && (event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read(peer);
            }
        }
        if (wasRung) feedAll();
        mind();
        std::erase_if(peers, [](const Peer& peer) { return peer.isGone; });
    }
    /// Sentences wait for a moment: where everything is being ended, workers that have gone first are no news.
    void flushWarnings(std::unique_lock<std::mutex>& lock) {
        if (sentences.empty()) return;
        const std::vector<std::string> warnings = std::exchange(sentences, {});
        const auto warn = options.warn;
        lock.unlock();
        if (warn)
            for (const std::string& sentence : warnings) warn(sentence);
        lock.lock();
    }
    void mind() {
        const auto now = Clock::now();
        if (now < nextMind) return;
        areWarningsDue = true;
        // Where this process itself stood still, nobody was silent.
        if (now - nextMind > kStill)
            for (Peer& peer : peers) peer.heard = peer.since = now;
        nextMind = now + kTick;
        bool hasLost = false;
        for (Peer& peer : peers) {
            if (peer.isGone) continue;
            if (!peer.isKnown && now - peer.since > kStrangersTime) {
                lose(peer, "");
            } else if (peer.isKnown && now - peer.heard > options.silence) {
                lose(peer, fmt::format("has not answered for {} s",
                                       std::chrono::duration_cast<std::chrono::seconds>(options.silence).count()));
                hasLost = true;
            } else if (peer.isKnown && now - peer.lastSent > options.heartbeat) {
                peer.outbox.add(MessageKind::heartbeat, "");
                send(peer);
            }
        }
        if (hasLost) feedAll();
        mindSuspects();
        mindMissing();
    }
    Clock::time_point nextMind = Clock::now();
    bool areWarningsDue = false;  ///< now that a moment has passed

    void loop() {
        std::unique_lock lock(mutex);
        while (!isEnding) {
            serve(lock);
            if (std::exchange(areWarningsDue, false)) flushWarnings(lock);
            if (current != nullptr && !(current->suspects.empty() && current->judged.empty())) feedAll();
        }
        flushWarnings(lock);
        for (Peer& peer : peers) {
            if (!peer.isKnown) continue;
            peer.outbox.add(MessageKind::end, "");
            send(peer);
        }
        const auto isWaiting = [](const Peer& peer) { return !peer.isGone && !peer.outbox.isEmpty(); };
        for (const auto until = Clock::now() + kFarewell;
             Clock::now() < until && std::any_of(peers.begin(), peers.end(), isWaiting);)
            serve(lock);
    }

    /// Takes answers, on a thread of its own: connections need not wait for what becomes of them.
    void note() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [this] {
                return isEnding || (current != nullptr && !current->isOver && !current->answers.empty());
            });
            if (isEnding) return;
            const auto [task, answer] = std::move(current->answers.front());
            current->answers.pop_front();
            if (current->tasks[task].isDone) continue;
            Current& its = *current;
            its.isNoting = true;
            bool isTaken = true;
            std::exception_ptr failure;
            lock.unlock();
            try {
                its.work->answered(task, answer);
            } catch (const DataError&) {
                isTaken = false;
            } catch (...) {
                failure = std::current_exception();
            }
            lock.lock();
            its.isNoting = false;
            if (failure) end(failure);
            if (isTaken)
                finish(task);
            else
                its.here.push_back(task);
            changed.notify_all();
        }
    }

    /// What a thread of this process does until the work is done.
    void help(Current& its) {
        std::unique_lock lock(mutex);
        while (!its.isDone()) {
            std::deque<std::size_t>& from = its.here.empty() ? its.open : its.here;
            if (from.empty()) {
                changed.wait(lock);
                continue;
            }
            const std::size_t task = from.front();
            from.pop_front();
            if (its.tasks[task].isDone) continue;
            lock.unlock();
            try {
                its.work->here(task);
                lock.lock();
                finish(task);
            } catch (...) {
                if (!lock.owns_lock()) lock.lock();
                end(std::current_exception());
            }
        }
    }

    std::mutex running;  ///< of one `run`
    std::jthread talking, noting;
};

Conductor::Conductor(const Introduction& introduction, ConductorOptions options)
    : state_(std::make_unique<State>(introduction, std::move(options))) {
    const int flags = ::fcntl(introduction.socket, F_GETFL);
    ::fcntl(introduction.socket, F_SETFL, flags | O_NONBLOCK);
    ::fcntl(introduction.socket, F_SETFD, FD_CLOEXEC);
    state_->talking = std::jthread([this] { state_->loop(); });
    state_->noting = std::jthread([this] { state_->note(); });
}

Conductor::~Conductor() {
    {
        const std::lock_guard lock(state_->mutex);
        state_->isEnding = true;
        state_->changed.notify_all();
        state_->ring();
    }
    state_->talking.join();
    state_->noting.join();
}

void Conductor::warnBy(std::function<void(const std::string& sentence)> warn) {
    const std::lock_guard lock(state_->mutex);
    state_->options.warn = std::move(warn);
}

unsigned Conductor::threads() const {
    const std::lock_guard lock(state_->mutex);
    return state_->allThreads();
}

unsigned Conductor::threadsHere(unsigned wanted) const {
    return threadsOf(state_->introduction, wanted);
}

int Conductor::size() const {
    return state_->size;
}

void Conductor::run(const std::shared_ptr<const Setup>& setup, const Work& work) {
    if (work.count == 0) return;
    State& state = *state_;
    const std::lock_guard alone(state.running);
    Current its{.work = &work};
    its.tasks.resize(work.count);
    for (std::size_t i = 0; i < work.count; ++i) its.open.push_back(i);
    {
        const std::lock_guard lock(state.mutex);
        if (state.setup != setup) {
            state.setup = setup;
            ++state.setupNumber;
            state.setupMessage = std::make_shared<const std::string>(framed(
                MessageKind::setup,
                Packer().whole(state.setupNumber).text(setup->kind).text(setup->bytes).whole(setup->threads).bytes()));
        }
        its.first = state.nextId;
        state.nextId += work.count;
        state.current = &its;
        if (state.begun == Clock::time_point{}) state.begun = Clock::now();
        for (Peer& peer : state.peers) {
            peer.answers = 0;
            peer.begun = Clock::now();
        }
        state.ring();
    }
    {
        const std::stop_callback stopped(work.stop, [&state] {
            const std::lock_guard lock(state.mutex);
            state.end(nullptr);
            state.sentences.clear();
        });
        const unsigned threads = std::max(1U, work.threads);
        parallelFor(threads, threads, [&](std::size_t) { state.help(its); });
    }
    std::unique_lock lock(state.mutex);
    state.changed.wait(lock, [&] { return !its.isNoting; });
    state.current = nullptr;
    if (its.done < its.tasks.size())
        for (Peer& peer : state.peers) {
            if (peer.out.empty() || peer.isGone) continue;
            peer.out.clear();
            peer.isAlone = false;
            peer.outbox.add(MessageKind::stop, Packer().whole(state.nextId).bytes());
            state.send(peer);
        }
    lock.unlock();
    if (its.failure) std::rethrow_exception(its.failure);
}

}  // namespace tessera::ranks

#include "core/ranks/conductor.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/ranks/message.h"
#include "core/ranks/worker.h"

/// Rank 0 with workers in threads and in processes: every task is done once, whatever becomes of them.
namespace tessera::ranks {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;

/// Doubles numbers, as a test says.
class Doubler : public TaskDoer {
public:
    explicit Doubler(std::function<void(std::uint64_t, const RunControl&)> before) : before_(std::move(before)) {}
    std::optional<std::string> answer(const std::string& question, const RunControl& control) override {
        Unpacker contents(question, "a question");
        const std::uint64_t number = contents.whole();
        if (before_) before_(number, control);
        if (number % 10 == 9) return std::nullopt;  // rank 0 has to do these
        return Packer().whole(2 * number).bytes();
    }

private:
    std::function<void(std::uint64_t, const RunControl&)> before_;
};

WorkKinds doubling(const std::function<void(std::uint64_t, const RunControl&)>& before = {}) {
    return {{"doubling", [before](const std::string& setup) -> std::unique_ptr<TaskDoer> {
                 if (setup != "twice") throw UsageError("there is no such setup");
                 return std::make_unique<Doubler>(before);
             }}};
}

/// Work whose results are noted, with who did it.
struct Doubled {
    explicit Doubled(std::size_t count) : values(count), times(count) {
        work = {.count = count,
                .question = [](std::size_t i) { return Packer().whole(i).bytes(); },
                .here =
                    [this](std::size_t i) {
                        if (pause.count() > 0) std::this_thread::sleep_for(pause);
                        ++here;
                        ++times[i];
                        values[i] = 2 * i;
                    },
                .answered =
                    [this](std::size_t i, const std::string& answer) {
                        Unpacker contents(answer, "an answer");
                        ++away;
                        ++times[i];
                        values[i] = contents.whole();
                    }};
    }
    void expectAll() const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            ASSERT_EQ(values[i], 2 * i) << i;
            ASSERT_EQ(times[i], 1) << i;
        }
    }
    std::vector<std::uint64_t> values;
    std::vector<std::atomic<int>> times;
    std::atomic<int> here = 0, away = 0;
    std::chrono::microseconds pause{0};
    Work work;
};

const auto kTwice = std::make_shared<const ranks::Setup>(ranks::Setup{.kind = "doubling", .bytes = "twice"});

class Ranks : public testing::Test {
protected:
    Ranks() {
        Listening listening = listenAnywhere();
        first_ = {.rank = 0,
                  .size = 4,
                  .token = randomToken(),
                  .addresses = listening.addresses,
                  .socket = ::dup(listening.socket.get())};
    }
    ~Ranks() override {
        conductor_.reset();
        for (const pid_t child : children_) {
            ::kill(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
        }
    }
    Introduction introduction(int rank) const {
        Introduction its = first_;
        its.rank = rank;
        its.socket = -1;
        return its;
    }
    /// A worker in a process of its own. Before any thread.
    pid_t fork(int rank, const std::function<void(std::uint64_t, const RunControl&)>& before = {},
               std::chrono::milliseconds later = 0ms) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::close(first_.socket);
            std::this_thread::sleep_for(later);
            workAsRank(introduction(rank), doubling(before), {.threads = 2});
            ::_exit(0);
        }
        children_.push_back(child);
        return child;
    }
    Conductor& conduct(ConductorOptions options = {}) {
        options.warn = [this](const std::string& sentence) {
            const std::lock_guard lock(mutex_);
            said_.push_back(sentence);
        };
        conductor_ = std::make_unique<Conductor>(first_, options);
        return *conductor_;
    }
    std::jthread worker(int rank, WorkKinds kinds = doubling(), WorkerOptions options = {.threads = 2}) {
        return std::jthread(
            [its = introduction(rank), kinds = std::move(kinds), options] { workAsRank(its, kinds, options); });
    }
    void awaitThreads(unsigned threads) const {
        for (int i = 0; i < 5000 && conductor_->threads() != threads; ++i) std::this_thread::sleep_for(1ms);
        ASSERT_EQ(conductor_->threads(), threads);
    }
    std::vector<std::string> said() {
        const std::lock_guard lock(mutex_);
        return said_;
    }
    /// Until a sentence was said.
    std::vector<std::string> saidSoon() {
        for (int i = 0; i < 5000 && said().empty(); ++i) std::this_thread::sleep_for(1ms);
        return said();
    }
    /// A connection that is no worker's.
    FileDescriptor strange() const {
        FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const std::string& own = first_.addresses.front();
        address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(own.substr(own.rfind(':') + 1))));
        EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
        return socket;
    }

    Introduction first_;
    std::mutex mutex_;
    std::vector<std::string> said_;
    std::vector<pid_t> children_;
    std::unique_ptr<Conductor> conductor_;
};

TEST_F(Ranks, oneAloneDoesAll) {
    Doubled doubled(1000);
    conduct().run(kTwice, doubled.work);
    doubled.expectAll();
    EXPECT_EQ(doubled.here, 1000);
}

TEST_F(Ranks, workersDoTheirPartAndRankZeroWhatTheyCannot) {
    conduct();
    const std::jthread one = worker(1), two = worker(2);
    awaitThreads(4);
    for (int i = 0; i < 20; ++i) {
        Doubled doubled(5000);
        doubled.pause = 20us;
        conductor_->run(kTwice, doubled.work);
        doubled.expectAll();
        EXPECT_GT(doubled.away, 0);
    }
    EXPECT_TRUE(said().empty()) << said().front();
    conductor_.reset();
}

TEST_F(Ranks, fewTasksAndNone) {
    conduct();
    const std::jthread one = worker(1);
    awaitThreads(2);
    for (const std::size_t count : {0U, 1U, 2U, 3U, 5U}) {
        Doubled doubled(count);
        conductor_->run(kTwice, doubled.work);
        doubled.expectAll();
    }
    conductor_.reset();
}

TEST_F(Ranks, whoComesLateTakesPart) {
    conduct();
    Doubled doubled(1000);
    doubled.pause = 1ms;
    std::jthread late([&] {
        std::this_thread::sleep_for(100ms);
        workAsRank(introduction(3), doubling(), {.threads = 1});
    });
    conductor_->run(kTwice, doubled.work);
    doubled.expectAll();
    EXPECT_GT(doubled.away, 100);
    conductor_.reset();
}

TEST_F(Ranks, threadsAreThoseOfTheSetup) {
    conduct();
    std::atomic<int> atWork = 0, most = 0;
    const std::jthread one = worker(1, doubling([&](std::uint64_t, const RunControl&) {
                                        const int now = ++atWork;
                                        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
                                        }
                                        std::this_thread::sleep_for(1ms);
                                        --atWork;
                                    }));
    awaitThreads(2);
    Doubled doubled(200);
    doubled.pause = 10ms;
    conductor_->run(
        std::make_shared<const ranks::Setup>(ranks::Setup{.kind = "doubling", .bytes = "twice", .threads = 3}),
        doubled.work);
    doubled.expectAll();
    EXPECT_EQ(most, 3);
    conductor_.reset();
}

TEST_F(Ranks, aKilledWorkersTasksAreDoneElsewhere) {
    const auto slow = [](std::uint64_t, const RunControl&) { std::this_thread::sleep_for(2ms); };
    const pid_t victim = fork(1, slow);
    fork(2, slow);
    conduct();
    awaitThreads(4);
    Doubled doubled(600);
    doubled.pause = 2ms;
    std::jthread killer([victim] {
        std::this_thread::sleep_for(100ms);
        ::kill(victim, SIGKILL);
    });
    conductor_->run(kTwice, doubled.work);
    doubled.expectAll();
    EXPECT_THAT(saidSoon(), Contains(AllOf(HasSubstr("rank 1 on "), HasSubstr(" ended while it had "),
                                           HasSubstr("evaluated elsewhere"))));
}

TEST_F(Ranks, allWorkersKilledAtAnyMomentLoseNothing) {
    std::mt19937 random(7);
    const auto slow = [](std::uint64_t, const RunControl&) { std::this_thread::sleep_for(1ms); };
    for (int rank = 1; rank <= 3; ++rank) fork(rank, slow, std::chrono::milliseconds(random() % 50));
    conduct();
    std::jthread killer([&] {
        for (const pid_t child : children_) {
            std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
            ::kill(child, SIGKILL);
        }
    });
    Doubled doubled(1000);
    doubled.pause = 1ms;
    conductor_->run(kTwice, doubled.work);
    doubled.expectAll();
}

TEST_F(Ranks, aWorkerThatStandsStillIsGivenUp) {
    const auto slow = [](std::uint64_t, const RunControl&) { std::this_thread::sleep_for(1ms); };
    const pid_t victim = fork(1, slow);
    conduct({.heartbeat = 50ms, .silence = 500ms});
    awaitThreads(2);
    Doubled doubled(300);
    doubled.pause = 1ms;
    std::jthread stopper([victim] {
        std::this_thread::sleep_for(50ms);
        ::kill(victim, SIGSTOP);
    });
    conductor_->run(kTwice, doubled.work);
    doubled.expectAll();
    EXPECT_THAT(saidSoon(), Contains(HasSubstr("has not answered for 0 s")));
}

TEST_F(Ranks, aWorkerThatIsToldToStopGivesItsTasksBackAndStaysForRankZero) {
    std::stop_source stop;
    std::atomic<bool> hasLeft = false;
    conduct();
    const std::jthread other([&, its = introduction(1)] {
        workAsRank(its, doubling(), {.threads = 2, .stop = stop.get_token(), .farewell = std::chrono::minutes(10)});
        hasLeft = true;
    });
    awaitThreads(2);
    Doubled doubled(2000);
    doubled.pause = 1ms;
    const std::jthread stopper([&] {
        while (doubled.away < 10) std::this_thread::sleep_for(1ms);
        stop.request_stop();
    });
    conductor_->run(kTwice, doubled.work);
    doubled.expectAll();
    EXPECT_THAT(saidSoon(), Contains(HasSubstr("cannot take part: it was told to stop")));
    EXPECT_FALSE(hasLeft) << "launchers end all where one has ended";
    conductor_.reset();  // upon which it goes
}

TEST_F(Ranks, aBusyWorkerIsNotTakenForALostOne) {
    const std::function<void(std::uint64_t, const RunControl&)> slow = [](std::uint64_t number, const RunControl&) {
        if (number < 2) std::this_thread::sleep_for(900ms);
    };
    conduct({.heartbeat = 50ms, .silence = 400ms});
    const std::jthread one = worker(1, doubling(slow), {.threads = 2, .heartbeat = 50ms, .silence = 400ms});
    awaitThreads(2);
    Doubled doubled(40);
    doubled.pause = 100ms;
    conductor_->run(kTwice, doubled.work);
    doubled.expectAll();
    EXPECT_TRUE(said().empty()) << said().front();
    conductor_.reset();
}

TEST_F(Ranks, aTaskThatEndsItsWorkersEndsTheWorkWithASentence) {
    const auto deadly = [](std::uint64_t number, const RunControl&) {
        std::this_thread::sleep_for(1ms);
        if (number == 30) ::raise(SIGKILL);
    };
    for (int rank = 1; rank <= 4; ++rank) fork(rank, deadly, (rank - 1) * 150ms);
    conduct();
    awaitThreads(2);
    Doubled doubled(1000);
    doubled.pause = 2ms;
    doubled.work.one = "point";
    // Rank 0 would die of it as well, and never has it.
    doubled.work.here = [work = doubled.work.here](std::size_t task) {
        ASSERT_NE(task, 30U);
        std::this_thread::sleep_for(10ms);
        work(task);
    };
    try {
        conductor_->run(kTwice, doubled.work);
        FAIL() << "it was done";
    } catch (const InterruptedError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("point 31 ended each of 3 processes that worked on it (rank "),
                                        HasSubstr(", rank ")));
    }
    EXPECT_EQ(doubled.times[30], 0);
    // The next work is another one.
    Doubled next(20);
    conductor_->run(kTwice, next.work);
    next.expectAll();
}

TEST_F(Ranks, whereNoWorkerIsLeftAHelperDoesWhatWorkersDiedOf) {
    const auto once = [](std::uint64_t, const RunControl&) { ::raise(SIGKILL); };
    fork(1, once);
    // A process cannot be forked later, beside threads: it waits for its time.
    const pid_t helper = fork(4, {}, 0ms);
    ::kill(helper, SIGSTOP);
    std::atomic<int> helped = 0;
    conduct({.helper = [&] {
        ++helped;
        ::kill(helper, SIGCONT);
    }});
    for (int i = 0; i < 5000 && conductor_->threads() == 0; ++i) std::this_thread::sleep_for(1ms);
    Doubled doubled(20);
    doubled.pause = 5ms;
    conductor_->run(kTwice, doubled.work);
    doubled.expectAll();
    EXPECT_LE(helped, 1);
}

TEST_F(Ranks, oftenKilledIsNoVerdictOnATask) {
    // All workers die, as if somebody killed them again and again; the helper that comes for what is left lives.
    std::atomic<int> helped = 0;
    for (int rank = 1; rank <= 3; ++rank)
        fork(
            rank, [](std::uint64_t, const RunControl&) { ::raise(SIGKILL); }, (rank - 1) * 200ms);
    const pid_t helper = fork(4);
    ::kill(helper, SIGSTOP);
    conduct({.helper = [&] {
        ++helped;
        ::kill(helper, SIGCONT);
    }});
    awaitThreads(2);
    Doubled doubled(12);
    doubled.pause = 20ms;
    conductor_->run(kTwice, doubled.work);
    doubled.expectAll();
    EXPECT_LE(helped, 1);
    for (const std::string& sentence : said()) EXPECT_THAT(sentence, HasSubstr("rank "));
}

TEST_F(Ranks, aStopEndsTheWorkAndWhatWorkersDo) {
    conduct();
    std::atomic<bool> hasBegun = false, wasStopped = false;
    const std::jthread one = worker(1, doubling([&](std::uint64_t, const RunControl& control) {
                                        hasBegun = true;
                                        for (int i = 0; i < 10'000 && !control.cancelled(); ++i)
                                            std::this_thread::sleep_for(1ms);
                                        wasStopped = true;
                                        throw InterruptedError("stopped");
                                    }));
    awaitThreads(2);
    std::stop_source stop;
    Doubled doubled(1'000'000);
    doubled.pause = 1ms;
    doubled.work.stop = stop.get_token();
    std::jthread stopper([&] {
        while (!hasBegun) std::this_thread::sleep_for(1ms);
        stop.request_stop();
    });
    conductor_->run(kTwice, doubled.work);
    EXPECT_LT(doubled.here, 1'000'000);
    for (int i = 0; i < 5000 && !wasStopped; ++i) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(wasStopped);
    conductor_.reset();
}

TEST_F(Ranks, whatThisProcessThrowsEndsTheWork) {
    conduct();
    const std::jthread one = worker(1);
    awaitThreads(2);
    Doubled doubled(1000);
    doubled.work.here = [](std::size_t) { throw std::runtime_error("no memory"); };
    EXPECT_THROW(conductor_->run(kTwice, doubled.work), std::runtime_error);
    Doubled next(100);
    conductor_->run(kTwice, next.work);
    next.expectAll();
    conductor_.reset();
}

TEST_F(Ranks, anAnswerThatIsNoneIsAskedOfRankZero) {
    conduct();
    const std::jthread one = worker(1);
    awaitThreads(2);
    Doubled doubled(200);
    doubled.pause = 100us;
    doubled.work.answered = [&, take = doubled.work.answered](std::size_t i, const std::string& answer) {
        if (i % 3 == 0) throw DataError({.where = "an answer"}, "nonsense", "a number");
        take(i, answer);
    };
    conductor_->run(kTwice, doubled.work);
    doubled.expectAll();
    conductor_.reset();
}

TEST_F(Ranks, whoCannotTakePartSaysWhyAndLeavesItToOthers) {
    conduct();
    const std::jthread one = worker(1), two = worker(2, {});
    awaitThreads(4);
    Doubled doubled(300);
    doubled.pause = 1ms;
    conductor_->run(kTwice, doubled.work);
    doubled.expectAll();
    EXPECT_THAT(saidSoon(),
                Contains(AllOf(HasSubstr("rank 2 on "), HasSubstr("cannot take part: it does not know such work"))));
    conductor_.reset();
}

TEST_F(Ranks, strangersAreNotListenedTo) {
    conduct();
    std::mt19937 random(3);
    std::vector<FileDescriptor> strangers;
    for (int i = 0; i < 50; ++i) {
        strangers.push_back(strange());
        std::string bytes(random() % 200, '\0');
        for (char& c : bytes) c = static_cast<char>(random());
        if (i % 5 == 0) bytes = framed(MessageKind::answers, Packer().whole(1).whole(1).whole(1).text("1").bytes());
        if (i % 5 == 1) bytes = framed(MessageKind::hello, Packer().text("nonce").text("proof").bytes());
        if (i % 5 == 2) bytes = framed(MessageKind::hello, "");
        ::send(strangers.back().get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    // One that knows everything but the token.
    Introduction other = introduction(1);
    other.token = randomToken();
    EXPECT_EQ(workAsRank(other, doubling(), {.threads = 1, .connecting = 300ms}), WorkerEnd::unreachable);
    EXPECT_EQ(conductor_->threads(), 0U);
    const std::jthread one = worker(1);
    awaitThreads(2);
    Doubled doubled(200);
    doubled.pause = 100us;
    conductor_->run(kTwice, doubled.work);
    doubled.expectAll();
    EXPECT_EQ(saidSoon().size(), 1U) << "once, however many";
    EXPECT_THAT(said().front(), HasSubstr("a connection that is no rank's"));
    conductor_.reset();
}

TEST_F(Ranks, aWorkerIsNotTakenInByAnotherProgram) {
    // Something else answers at the address: nothing, nonsense, or a greeting without the token.
    const Listening listening = listenAnywhere();
    Introduction its = introduction(1);
    its.addresses = {listening.addresses.front(), first_.addresses.front()};
    std::jthread impostor([&] {
        for (const std::string& says : {std::string(), std::string("HTTP/1.1 400 Bad Request\r\n\r\n"),
                                        framed(MessageKind::greeting, Packer().text("1").text("nonce").bytes()) +
                                            framed(MessageKind::welcome, Packer().text("proof").bytes())}) {
            const FileDescriptor socket(::accept(listening.socket.get(), nullptr, nullptr));
            ::send(socket.get(), says.data(), says.size(), MSG_NOSIGNAL);
            std::array<char, 1000> buffer{};
            while (::recv(socket.get(), buffer.data(), buffer.size(), 0) > 0) {
            }
        }
    });
    conduct();
    for (int i = 0; i < 3; ++i) {
        const std::jthread one([&] { workAsRank(its, doubling(), {.threads = 1, .connecting = 200ms}); });
        awaitThreads(1);
        Doubled doubled(10);
        conductor_->run(kTwice, doubled.work);
        doubled.expectAll();
        // The next one finds another rank 0 after the impostor.
        conductor_.reset();
        const Listening again = listenAnywhere();
        first_.addresses = again.addresses;
        first_.socket = ::dup(again.socket.get());
        its.addresses[1] = first_.addresses.front();
        if (i < 2) conduct();
    }
    ::close(first_.socket);
}

TEST_F(Ranks, whereNobodyListensAnyMoreAWorkerEnds) {
    ::close(first_.socket);
    EXPECT_EQ(workAsRank(introduction(1), doubling(), {.threads = 1}), WorkerEnd::ended);
    Introduction nowhere = introduction(1);
    nowhere.addresses = {"not an address", "[::x]:5", "127.0.0.1:99999"};
    EXPECT_EQ(workAsRank(nowhere, doubling(), {.threads = 1}), WorkerEnd::unreachable);
    std::stop_source stop;
    stop.request_stop();
    const Listening listening = listenAnywhere();
    Introduction silent = introduction(1);
    silent.addresses = {listening.addresses.front()};
    EXPECT_EQ(workAsRank(silent, doubling(), {.threads = 1, .stop = stop.get_token()}), WorkerEnd::stopped);
}

TEST(Introduced, byTheEnvironment) {
    ::unsetenv(kVariable);
    EXPECT_FALSE(introduced());
    ::setenv(kVariable, "rank=2,size=4,token=abc,at=127.0.0.1:5+[::1]:6,neighbours=3", 1);
    const auto worker = introduced();
    ASSERT_TRUE(worker);
    EXPECT_EQ(worker->rank, 2);
    EXPECT_EQ(worker->size, 4);
    EXPECT_EQ(worker->neighbours, 3U);
    EXPECT_THAT(worker->addresses, testing::ElementsAre("127.0.0.1:5", "[::1]:6"));
    EXPECT_EQ(textOf(*worker), "rank=2,size=4,token=abc,neighbours=3,at=127.0.0.1:5+[::1]:6");
    for (const char* wrong :
         {"nonsense", "rank=x,token=a", "rank=1,size=2,token=a", "rank=1,size=2,at=a", "rank=-1,token=a"}) {
        ::setenv(kVariable, wrong, 1);
        EXPECT_THROW(introduced(), UsageError) << wrong;
    }
    ::setenv(kVariable, "rank=0,size=2", 1);
    const auto first = introduced();
    ASSERT_TRUE(first);
    EXPECT_GE(first->socket, 0);
    EXPECT_EQ(first->token.size(), 64U);
    EXPECT_THAT(first->addresses, Contains(HasSubstr("127.0.0.1:")));
    ::close(first->socket);
    ::unsetenv(kVariable);
}

}  // namespace
}  // namespace tessera::ranks

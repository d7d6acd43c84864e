#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "app/cli/console.h"
#include "app/cli/program.h"
#include "app/cli/several.h"
#include "core/ranks/conductor.h"

namespace {

constexpr std::size_t kThreadStack = std::size_t{2} << 20;
constexpr int kUsage = 2;
constexpr int kInterrupted = 5;
constexpr int kFile = 6;
constexpr int kGraceSeconds = 2, kFirstSeconds = 1;

/// Address space is limited where this runs beside others: few arenas, small stacks.
void limitMemory() {
    mallopt(M_ARENA_MAX, 2);
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    pthread_attr_setstacksize(&attributes, kThreadStack);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

/// Whether this was started to outlive its terminal, as by nohup.
bool ignoresHangUp() {
    struct sigaction action {};
    return sigaction(SIGHUP, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Waits for Ctrl-C, a request to end, or the end of the terminal, and asks the work to stop. Work that does not answer
/// is cut off.
class Interrupter {
public:
    Interrupter() {
        sigemptyset(&signals_);
        for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) sigaddset(&signals_, signal);
        if (!ignoresHangUp()) sigaddset(&signals_, SIGHUP);
        pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
        thread_ = std::thread([this] { wait(); });
    }
    Interrupter(const Interrupter&) = delete;
    Interrupter& operator=(const Interrupter&) = delete;
    ~Interrupter() {
        pthread_kill(thread_.native_handle(), SIGUSR1);
        thread_.join();
    }
    std::stop_token token() const { return stop_.get_token(); }

private:
    void wait() {
        int signal = 0;
        if (sigwait(&signals_, &signal) != 0 || signal == SIGUSR1) return;
        stop_.request_stop();
        // Launchers of several processes send one signal after the other; only a later one is impatience.
        const timespec first{.tv_sec = kFirstSeconds, .tv_nsec = 0},
            more{.tv_sec = kGraceSeconds - kFirstSeconds, .tv_nsec = 0};
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(kFirstSeconds);
        do
            if (sigtimedwait(&signals_, nullptr, &first) == SIGUSR1) return;
        while (std::chrono::steady_clock::now() < until);
        if (sigtimedwait(&signals_, nullptr, &more) == SIGUSR1) return;
        constexpr char kText[] = "interrupted; run the same command again\n";
        if (write(STDERR_FILENO, static_cast<const char*>(kText), sizeof(kText) - 1) < 0) _exit(kInterrupted);
        _exit(kInterrupted);
    }

    sigset_t signals_{};
    std::stop_source stop_;
    std::thread thread_;
};

/// A stream that the caller has closed would be the next file that is opened. Results still cannot be written to a
/// closed standard output: it is open for reading only.
void holdStreams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY) != stream)
            _exit(kFile);
}

void logToStandardError() {
    auto logger = std::make_shared<spdlog::logger>("tessera", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_pattern("%l: %v");
    spdlog::set_default_logger(std::move(logger));
}

}  // namespace

int main(int argumentCount, char** arguments) {
    holdStreams();
    limitMemory();
    // A reader that goes away, and a file that may not grow, show as failed writes, not as signals.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    logToStandardError();
    std::optional<tessera::ranks::Introduction> introduction;
    try {
        introduction = tessera::cli::joinOthers(arguments);
    } catch (const std::exception& error) {
        tessera::cli::toStandardError(std::string("tessera: ") + error.what() + "\n");
        return kUsage;
    }
    const Interrupter interrupter;
    if (introduction && introduction->rank > 0) return tessera::cli::workForOthers(*introduction, interrupter.token());
    return tessera::cli::run(argumentCount, arguments, interrupter.token(), tessera::cli::commands(),
                             introduction ? tessera::cli::conductOthers(*introduction) : nullptr);
}

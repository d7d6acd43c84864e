#include "app/cli/several.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/cli/console.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/ranks/message.h"
#include "core/ranks/worker.h"
#include "core/reproduce/shared_figures.h"

namespace tessera::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kThisProgram = "/proc/self/exe";
constexpr const char* kModule = "tessera-mpi.so";
/// Bytes of what rank 0 tells the others by MPI.
constexpr std::size_t kLongestIntroduction = 4096;
/// Workers that die sooner than this, one after the other, are not replaced any more.
constexpr auto kShortLife = std::chrono::seconds(60);
constexpr int kMostShortLives = 10;
constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 200'000'000};
constexpr timespec kGrace{.tv_sec = 2, .tv_nsec = 0};
constexpr int kUnreachable = 7;  ///< exit code of a worker that need not be replaced

/// What the environment says of how this process was started.
struct Launch {
    int rank = 0, size = 1;
    const char* by = "";
};

int numberIn(const char* variable) {
    const char* const value = std::getenv(variable);
    if (value == nullptr) return -1;
    const std::string_view text = value;
    int number = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : -1;
}

/// One of several: of Open MPI's mpirun; of a step of Slurm, whose number of tasks its job scripts do not have; of
/// launchers that speak PMI.
std::optional<Launch> launched() {
    struct Row {
        const char *size, *rank, *by;
    };
    constexpr std::array kRows{Row{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "mpirun"},
                               Row{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "srun"},
                               Row{"PMI_SIZE", "PMI_RANK", "mpirun"}};
    for (const Row& row : kRows) {
        const int size = numberIn(row.size), rank = numberIn(row.rank);
        if (size < 1 || rank < 0 || rank >= size) continue;
        if (size == 1) return std::nullopt;
        return Launch{.rank = rank, .size = size, .by = row.by};
    }
    return std::nullopt;
}

/// The module's one function: starts MPI, passes the text of rank 0 to all, ends MPI. 0 where it could.
using Introduce = int (*)(char* text, int capacity, int* rank, int* size, int* neighbours);

fs::path modulePath() {
    std::error_code error;
    const fs::path program = fs::read_symlink(kThisProgram, error);
    return program.parent_path().parent_path() / "lib" / "tessera" / kModule;
}

/// What rank 0 throws, and others leave to it.
[[noreturn]] void refuse(const Launch& launch, const std::string& sentence) {
    if (launch.rank == 0) throw UsageError(sentence);
    std::_Exit(0);
}

ranks::Introduction introducedByMpi(const Launch& launch) {
    // MPI would end the process with a page of its own.
    const bool isSlurmAlone = std::string_view(launch.by) == "srun" && std::getenv("PMIX_NAMESPACE") == nullptr &&
                              std::getenv("PMI_RANK") == nullptr;
    // Its symbols serve its own plug-ins, too.
    void* const module = ::dlopen(modulePath().c_str(), RTLD_NOW | RTLD_GLOBAL);
    const auto introduce =
        module == nullptr ? nullptr : reinterpret_cast<Introduce>(::dlsym(module, "tesseraIntroduce"));
    if (introduce == nullptr) {
        const bool isThere = isFile(modulePath());
        refuse(launch,
               fmt::format("this is one of {} processes that {} started, but {} {}; start it alone, or build it "
                           "with -DTESSERA_MPI=ON",
                           launch.size, launch.by, escaped(modulePath().string()),
                           isThere ? "cannot be loaded" : "is not there"));
    }
    if (isSlurmAlone)
        refuse(launch, fmt::format("this is one of {} processes that srun started without telling MPI; start them by "
                                   "'srun --mpi=pmix' or 'mpirun'",
                                   launch.size));
    ranks::Introduction introduction{.rank = launch.rank, .size = launch.size};
    std::vector<char> text(kLongestIntroduction);
    if (launch.rank == 0) {
        ranks::Listening listening = ranks::listenAnywhere();
        introduction.token = ranks::randomToken();
        introduction.addresses = std::move(listening.addresses);
        introduction.socket = ::dup(listening.socket.get());
        while (joined(introduction.addresses, "+").size() > kLongestIntroduction / 2) introduction.addresses.pop_back();
        const std::string said = introduction.token + "+" + joined(introduction.addresses, "+");
        said.copy(text.data(), text.size() - 1);
    }
    int rank = -1, size = -1, neighbours = 1;
    const int failed = introduce(text.data(), static_cast<int>(text.size()), &rank, &size, &neighbours);
    if (failed != 0 || rank != launch.rank || size != launch.size)
        refuse(launch,
               fmt::format("{} started {} processes, but MPI knows of {}; expected a launcher of the same MPI, as "
                           "'mpirun' or 'srun --mpi=pmix'",
                           launch.by, launch.size, size));
    introduction.neighbours = static_cast<unsigned>(std::max(1, neighbours));
    if (launch.rank == 0) return introduction;
    const std::string said = text.data();
    const std::vector<std::string_view> parts = split(said, '+');
    introduction.token = parts.front();
    introduction.addresses.assign(parts.begin() + 1, parts.end());
    return introduction;
}

/// This program anew, introduced.
[[noreturn]] void becomeIntroduced(const ranks::Introduction& introduction, char** arguments) {
    ::setenv(ranks::kVariable, textOf(introduction).c_str(), 1);
    ::execv(kThisProgram, arguments);
    std::_Exit(127);
}

/// Starts the worker and waits for its end. The signals that this process gets meanwhile end both.
class Supervised {
public:
    Supervised(const ranks::Introduction& introduction, char** arguments)
        : introduction_(introduction), arguments_(arguments) {
        sigemptyset(&signals_);
        for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, signal);
        ::sigprocmask(SIG_BLOCK, &signals_, &before_);
    }

    /// True where another one is to take its place.
    bool runOne() {
        const auto begun = std::chrono::steady_clock::now();
        const pid_t mine = ::getpid();
        const pid_t child = ::fork();
        if (child < 0) return false;
        if (child == 0) {
            // It does not outlive this process, which may have ended already.
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != mine) std::_Exit(0);
            ::sigprocmask(SIG_SETMASK, &before_, nullptr);
            becomeIntroduced(introduction_, arguments_);
        }
        const int status = endOf(child);
        if (isStopped_) return false;
        if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kUnreachable)) return false;
        if (std::chrono::steady_clock::now() - begun > kShortLife) shortLives_ = 0;
        if (++shortLives_ > kMostShortLives) return false;
        return ::sigtimedwait(&stopping(), nullptr, &kPause) < 0;
    }

private:
    const sigset_t& stopping() {
        sigdelset(&signals_, SIGCHLD);
        return signals_;
    }
    int endOf(pid_t child) {
        sigaddset(&signals_, SIGCHLD);
        int status = 0;
        while (::waitpid(child, &status, WNOHANG) == 0) {
            const int signal =
                isStopped_ ? ::sigtimedwait(&signals_, nullptr, &kGrace) : ::sigwaitinfo(&signals_, nullptr);
            if (signal == SIGCHLD || (signal < 0 && errno == EINTR)) continue;
            ::kill(child, isStopped_ ? SIGKILL : SIGTERM);
            isStopped_ = true;
        }
        return status;
    }

    const ranks::Introduction& introduction_;
    char** arguments_;
    sigset_t signals_{}, before_{};
    bool isStopped_ = false;
    int shortLives_ = 0;
};

/// The environment of this process with another introduction.
std::vector<std::string> environmentWith(const ranks::Introduction& introduction) {
    std::vector<std::string> all{fmt::format("{}={}", ranks::kVariable, textOf(introduction))};
    const std::string own = std::string(ranks::kVariable) + "=";
    for (char** each = environ; *each != nullptr; ++each)
        if (!std::string_view(*each).starts_with(own)) all.emplace_back(*each);
    return all;
}

/// Starts one more worker beside this process, with one thread. Throws FileError.
void startHelper(ranks::Introduction introduction) {
    introduction.rank = introduction.size;
    introduction.socket = -1;
    introduction.neighbours = 0;
    std::vector<std::string> variables = environmentWith(introduction);
    std::vector<char*> environment;
    for (std::string& variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);
    std::string name = "tessera";
    std::array<char*, 2> arguments{name.data(), nullptr};
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    pid_t child = 0;
    const int error = ::posix_spawn(&child, kThisProgram, nullptr, &attributes, arguments.data(), environment.data());
    posix_spawnattr_destroy(&attributes);
    if (error != 0) throw FileError("no further process can be started: " + std::generic_category().message(error));
}

/// Where memory is short, the system ends a worker rather than rank 0, which holds what was found.
void goFirstWhereMemoryIsShort() {
    const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    constexpr std::string_view kScore = "500";
    [[maybe_unused]] const ssize_t written = ::write(file, kScore.data(), kScore.size());
    ::close(file);
}

}  // namespace

std::optional<ranks::Introduction> joinOthers(char** arguments) {
    if (auto introduction = ranks::introduced()) return introduction;
    const std::optional<Launch> launch = launched();
    if (!launch) return std::nullopt;
    const ranks::Introduction introduction = introducedByMpi(*launch);
    if (introduction.rank == 0) becomeIntroduced(introduction, arguments);
    Supervised worker(introduction, arguments);
    while (worker.runOne()) {
    }
    std::_Exit(0);
}

std::shared_ptr<ranks::Conductor> conductOthers(const ranks::Introduction& introduction) {
    return std::make_shared<ranks::Conductor>(
        introduction, ranks::ConductorOptions{.helper = [introduction] { startHelper(introduction); }});
}

int workForOthers(const ranks::Introduction& introduction, const std::stop_token& stop) {
    goFirstWhereMemoryIsShort();
    // mpirun gives its processes a second to end in, which is over as soon as one of them has: rank 0, which holds what
    // was found, needs it.
    constexpr std::chrono::milliseconds kFarewell{1500};
    if (ranks::workAsRank(introduction, study::allSharedWork(), {.stop = stop, .farewell = kFarewell}) !=
        ranks::WorkerEnd::unreachable)
        return 0;
    toStandardError(fmt::format("rank {} on {} reaches rank 0 at none of its addresses ({}); the others do its share\n",
                                introduction.rank, escaped(ranks::hostName(), 100),
                                escaped(joined(introduction.addresses, ", "), 500)));
    return kUnreachable;
}

}  // namespace tessera::cli

#include "tests/app/studio/monkey/trace.h"

#include <execinfo.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stop_token>
#include <string_view>
#include <thread>

#include "tests/support/sanitizers.h"

extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace tessera::monkey {
namespace {

constexpr std::size_t kKept = 40, kLongest = 240;
constexpr std::int64_t kLook = 200;  ///< milliseconds between two looks at the main thread

// What a signal handler reads: no memory that moves.
std::array<std::array<char, kLongest>, kKept> kept;
std::atomic<std::size_t> noted = 0;
std::array<char, kLongest> replayed;
std::atomic<std::int64_t> lastSign = 0;
pthread_t mainThread;
std::jthread watcher;

void print(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
        if (written <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void printCount(std::size_t number) {
    std::array<char, 24> digits{};
    std::size_t at = digits.size();
    do digits[--at] = static_cast<char>('0' + number % 10);
    while ((number /= 10) > 0);
    print({digits.data() + at, digits.size() - at});
}

void printLast() {
    const std::size_t all = noted;
    print("monkey: the last of ");
    printCount(all);
    print(" actions, the newest at the end:\n");
    for (std::size_t i = all > kKept ? all - kKept : 0; i < all; ++i) {
        print("  ");
        print(kept[i % kKept].data());
        print("\n");
    }
    print("monkey: the same actions again: ");
    print(replayed.data());
    print("\n");
}

void printStack() {
    std::array<void*, 60> frames{};
    backtrace_symbols_fd(frames.data(), backtrace(frames.data(), frames.size()), STDERR_FILENO);
}

void onSignal(int signal) {
    print("monkey: the program ends with signal ");
    printCount(static_cast<std::size_t>(signal));
    print("\n");
    printLast();
    printStack();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

void onHang(int /*signal*/) {
    printStack();
    ::_exit(1);
}

std::int64_t nowMilliseconds() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

void alive() {
    lastSign = nowMilliseconds();
}

void note(const std::string& action) {
    alive();
    const std::size_t at = noted % kKept;
    const std::size_t length = std::min(action.size(), kLongest - 1);
    std::copy_n(action.data(), length, kept[at].data());
    kept[at][length] = '\0';
    ++noted;
}

void fail(const std::string& sentence) {
    print("monkey: " + sentence + "\n");
    printLast();
    // No destructors: they might hang on what went wrong.
    ::_exit(1);
}

void watch(const std::string& replay, double seconds) {
    std::copy_n(replay.data(), std::min(replay.size(), kLongest - 1), replayed.data());
    mainThread = pthread_self();
    alive();
    void* loadsTheUnwinder = nullptr;
    backtrace(&loadsTheUnwinder, 1);
    // A stack of its own, for the signal that an endless recursion is.
    static std::array<char, 65536> stack;
    stack_t other{};
    other.ss_sp = stack.data();
    other.ss_size = stack.size();
    sigaltstack(&other, nullptr);
    // A sanitizer says more of a signal than this could.
    if (test::kSanitized) {
        if (&__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(printLast);
    } else {
        struct sigaction action {};
        action.sa_handler = onSignal;
        action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
        for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
    }
    std::signal(SIGABRT, onSignal);
    std::signal(SIGUSR2, onHang);
    watcher = std::jthread([seconds](const std::stop_token& stop) {
        std::int64_t sign = lastSign, before = nowMilliseconds();
        double silent = 0;
        while (!stop.stop_requested()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(kLook));
            const std::int64_t now = nowMilliseconds();
            // A program that was stopped for a while and goes on has not been silent for that while.
            silent += 1e-3 * static_cast<double>(std::min(now - before, 5 * kLook));
            before = now;
            if (sign != lastSign) silent = 0;
            sign = lastSign;
            if (silent < seconds) continue;
            print("monkey: the window has not answered for so many seconds: ");
            printCount(static_cast<std::size_t>(seconds));
            print("\n");
            printLast();
            pthread_kill(mainThread, SIGUSR2);
            std::this_thread::sleep_for(std::chrono::seconds(5));
            ::_exit(1);
        }
    });
}

void unwatch() {
    watcher.request_stop();
    watcher.join();
}

}  // namespace tessera::monkey

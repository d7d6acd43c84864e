#include "app/cli/console.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/metric.h"
#include "core/study/progress_value.h"

namespace tessera::cli {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLongestWarning = 1024;
constexpr auto kBarDelay = 300ms;  // short work shows no bar at all
constexpr auto kBarPeriod = 100ms;
constexpr auto kLinePeriod = 10s;
constexpr double kBarCells = 24;

std::string bar(double share) {
    const double filled = std::clamp(share, 0.0, 1.0) * kBarCells;
    std::string text;
    for (double cell = 0; cell < kBarCells; ++cell) text += cell < filled ? "▇" : "▁";
    return text;
}

/// Characters of a line of the terminal.
std::size_t terminalColumns() {
    constexpr std::size_t kUsual = 80;
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// True where a bar can be drawn on standard error: a terminal that takes escape sequences, and is to.
bool drawsOnTerminal() {
    const auto given = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string_view(value == nullptr ? "" : value);
    };
    return isatty(STDERR_FILENO) == 1 && given("TERM") != "dumb" && given("NO_COLOR").empty();
}

}  // namespace

void toStandardError(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

Console::Console(const CommonOptions& options)
    : options_(options), started_(std::chrono::steady_clock::now()), began_(started_), terminal_(drawsOnTerminal()) {}

void Console::print(std::string_view text) const {
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return;
    if (errno == EPIPE) throw OutputClosed{};
    throw FileError(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
}

void Console::printJson(const Json& document) const {
    print(toText(document));
}

void Console::warn(const std::vector<std::string>& warnings) const {
    if (!options_.verbose) showWarnings(warnings);
}

void Console::showWarnings(const std::vector<std::string>& warnings) const {
    if (options_.quiet) return;
    for (const std::string& warning : warnings) insist(warning);
}

void Console::notify(const std::string& warning) {
    const std::lock_guard lock(mutex_);
    endProgress();
    showWarnings({warning});
}

void Console::insist(const std::string& warning) const {
    spdlog::warn("{}", escaped(warning, kLongestWarning));
}

ProgressSink Console::sink() {
    return [this](const ProgressEvent& event) {
        const std::lock_guard lock(mutex_);
        show(event);
    };
}

void Console::follow(const study::Study& study) {
    const std::lock_guard lock(mutex_);
    began_ = std::chrono::steady_clock::now();
    left_ = study::TimeLeft(study);
    study_ = study;
    best_.clear();
    bound_.reset();
}

/// What estimates and the standing of a race follow from.
void Console::note(const ProgressEvent& event) {
    if (event.kind == ProgressEvent::Kind::log) return;
    if (event.total > 0)
        left_.note(event, std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count());
    if (study_.engine.empty()) return;  // work that is no study's has no race
    if (event.kind == ProgressEvent::Kind::progress || !event.curve.quantity.empty()) return;
    if (event.curve.role == CurveRole::bound && event.curve.owner.empty()) bound_ = event.y;
    if (event.curve.role != CurveRole::best && event.curve.role != CurveRole::value) return;
    const auto [best, isNew] = best_.emplace(event.curve.owner, event.y);
    if (!isNew && study::isBetter(study_, event.y, best->second)) best->second = event.y;
}

/// "tessera leads: 3,357,485 cycles, optimality gap 2.9 %"; empty where no algorithms race.
std::string Console::leaderText() const {
    if (best_.size() < 2 || best_.contains("")) return "";
    const auto leader = std::min_element(best_.begin(), best_.end(), [&](const auto& a, const auto& b) {
        return study::isBetter(study_, a.second, b.second);
    });
    std::string text = fmt::format("{} leads: {}", escaped(leader->first), study::progressText(study_, leader->second));
    if (bound_ && *bound_ > 0) text += ", " + study::gapText(leader->second, *bound_);
    return text;
}

void Console::show(const ProgressEvent& event) {
    note(event);
    if (event.kind == ProgressEvent::Kind::log) {
        if (options_.quiet || !options_.verbose) return;
        endProgress();
        spdlog::warn("{}", escaped(event.text, kLongestWarning));
        return;
    }
    // Where points come often, hardly anything else says how far the work is.
    const bool says = event.kind == ProgressEvent::Kind::progress || event.total > 0;
    if (!says || options_.quiet || options_.noProgress) return;
    const auto now = std::chrono::steady_clock::now();
    if (event.task != task_) {
        task_ = event.task;
        started_ = now;
    }
    if (now - started_ < (terminal_ ? kBarDelay : 10s) || now - shown_ < (terminal_ ? kBarPeriod : kLinePeriod)) return;
    shown_ = now;
    draw(event);
}

void Console::draw(const ProgressEvent& event) {
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    std::string text = escaped(event.task);
    if (event.total > 0 && event.done > 0) {
        const double rate = event.done / elapsed;
        text = fmt::format("{} {} {:.0f} % · {}/s", text, bar(event.done / event.total), 100 * event.done / event.total,
                           formatQuantity(rate, Measure::count));
        // A line that wraps would not be drawn over.
        const auto fits = [&](const std::string& part) {
            return !terminal_ || characters(text) + characters(part) + 3 < terminalColumns();
        };
        if (std::optional<study::TimeLeft::Span> left = left_.left()) {
            if (!fits(study::leftText(*left))) left->then.clear();
            text += " · " + study::leftText(*left);
        }
        if (const std::string leader = leaderText(); !leader.empty() && fits(leader)) text += " · " + leader;
    } else {
        text = fmt::format("{} · {}", text, formatSeconds(elapsed));
    }
    if (!terminal_) {
        toStandardError(text + "\n");
        return;
    }
    toStandardError("\r\x1B[K" + text);
    barWidth_ = text.size();
}

void Console::endProgress() {
    if (barWidth_ == 0) return;
    toStandardError("\r\x1B[K");
    barWidth_ = 0;
}

}  // namespace tessera::cli

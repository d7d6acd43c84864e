#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/study/study.h"
#include "core/study/time_left.h"

namespace tessera::cli {

/// Options that every command accepts, at every level, also where they change nothing.
struct CommonOptions {
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    bool noProgress = false;
    bool noStore = false;
    std::string threads;
    std::string store;
};

/// Thrown when the standard output is closed: the program ends quietly.
struct OutputClosed {};

/// Writes to standard error. A failure to write there is ignored.
void toStandardError(std::string_view text);

/// The program's two streams. Results go to standard output, everything else to standard error.
class Console {
public:
    explicit Console(const CommonOptions& options);

    /// Writes a result. Throws OutputClosed where the reader has gone, FileError where writing fails.
    void print(std::string_view text) const;
    void printJson(const Json& document) const;

    /// Shows warnings, unless `--quiet` is given or they were already shown as they came up (`--verbose`).
    void warn(const std::vector<std::string>& warnings) const;
    /// Shows the warnings of work that reported none while it ran, also with `--verbose`.
    void showWarnings(const std::vector<std::string>& warnings) const;

    /// Shows a warning that comes from any thread while work goes on.
    void notify(const std::string& warning);

    /// A warning that also the quiet are shown: something that they count on was not done.
    void insist(const std::string& warning) const;

    /// Listens to an engine: a bar with rate and remaining time on a terminal, else a line every 10 s; warnings as they
    /// come up with `--verbose`. The console must outlive the sink.
    ProgressSink sink();
    /// The study that the engine works on from now on: how long it takes, and what its numbers are, follow from it.
    void follow(const study::Study& study);
    /// Removes the bar. Called before anything else is written.
    void endProgress();

private:
    void show(const ProgressEvent& event);
    void draw(const ProgressEvent& event);
    void note(const ProgressEvent& event);
    std::string leaderText() const;

    const CommonOptions& options_;
    std::mutex mutex_;
    std::chrono::steady_clock::time_point started_;
    std::chrono::steady_clock::time_point shown_;
    std::string task_;
    std::chrono::steady_clock::time_point began_;  ///< the study
    study::TimeLeft left_;
    study::Study study_;
    std::map<std::string, double> best_;  ///< of a race, by algorithm
    std::optional<double> bound_;
    std::size_t barWidth_ = 0;
    bool terminal_ = false;
};

}  // namespace tessera::cli

#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/console.h"
#include "app/cli/program.h"
#include "core/base/run_control.h"

namespace tessera::ranks {
class Conductor;
}

namespace tessera::cli {

/// Context of a command besides its own options.
struct Context {
    const CommonOptions& common;
    Console& console;
    std::stop_token stop;
    unsigned threads = 0;
    std::string historyTrouble = {};  ///< why the history could not be written; empty = it could
    /// Other processes that this one was started with; null = it is alone.
    std::shared_ptr<ranks::Conductor> ranks = {};
    bool keepsBest = false;  ///< Ctrl+C ends a search with the best so far instead of giving it up

    /// RunControl of long work: console progress, Ctrl+C and --threads.
    RunControl control() const {
        return {.progress = console.sink(),
                .cancel = keepsBest ? std::stop_token() : stop,
                .finish = keepsBest ? stop : std::stop_token(),
                .threads = threads};
    }
};

using Action = std::function<void(Context&)>;

/// A row of the command table: `--help`, the parser and the tests are made from it.
struct Command {
    std::string_view path;     ///< "model inspect"
    std::string_view summary;  ///< one line
    std::string_view example;  ///< a command line that works in an empty folder
    Action (*add)(CLI::App&);  ///< adds the command's own options; the action runs after a successful parse
    bool shares = false;       ///< runs studies that several processes share; others refuse to be started as several
};

// One per command; see the table for what each does.
Action addModelList(CLI::App& app);
Action addModelInspect(CLI::App& app);
Action addModelConvert(CLI::App& app);
Action addHardwareList(CLI::App& app);
Action addHardwareShow(CLI::App& app);
Action addHardwareCopy(CLI::App& app);
Action addHardwareValidate(CLI::App& app);
Action addPartition(CLI::App& app);
Action addMap(CLI::App& app);
Action addPredict(CLI::App& app);
Action addPlan(CLI::App& app);
Action addCalibrate(CLI::App& app);
Action addSweep(CLI::App& app);
Action addCost(CLI::App& app);
Action addPlace(CLI::App& app);
Action addCodesign(CLI::App& app);
Action addExplore(CLI::App& app);
Action addSchedule(CLI::App& app);
Action addRun(CLI::App& app);
Action addResume(CLI::App& app);
Action addHistoryList(CLI::App& app);
Action addHistoryShow(CLI::App& app);
Action addHistorySearch(CLI::App& app);
Action addHistoryCompare(CLI::App& app);
Action addHistoryExport(CLI::App& app);
Action addHistoryImport(CLI::App& app);
Action addHistoryMerge(CLI::App& app);
Action addHistoryBackup(CLI::App& app);
Action addHistoryVacuum(CLI::App& app);
Action addHistoryVerify(CLI::App& app);
Action addHistoryDelete(CLI::App& app);
Action addHistoryTag(CLI::App& app);
Action addHistoryNote(CLI::App& app);
Action addHistoryStar(CLI::App& app);
Action addReport(CLI::App& app);
Action addExport(CLI::App& app);
Action addReproduce(CLI::App& app);
Action addTour(CLI::App& app);
Action addValidate(CLI::App& app);
Action addFit(CLI::App& app);
Action addSchema(CLI::App& app);

/// An option that takes one value; the last one given counts.
CLI::Option* addText(CLI::App& app, const std::string& names, std::string& value, const std::string& valueName,
                     const std::string& help);
/// Adds an option for an input file, whose name may not be empty; "-" is standard input.
CLI::Option* addInput(CLI::App& app, const std::string& names, std::string& value, const std::string& valueName,
                      const std::string& help);
/// Adds an option for a file that no stream can stand for.
CLI::Option* addFile(CLI::App& app, const std::string& names, std::string& value, const std::string& valueName,
                     const std::string& help);
/// Names of the option that says where a result goes.
inline constexpr const char* kOut = "-o,--out";
/// Adds an option for an output file; "-" is standard output (see `writeOut`).
CLI::Option* addOut(CLI::App& app, std::string& file, const std::string& help);
/// An option that may be repeated, one value each time.
CLI::Option* addTexts(CLI::App& app, const std::string& names, std::vector<std::string>& values,
                      const std::string& valueName, const std::string& help);

/// Writes a result to the file that `--out` names, or to standard output. Says where it went, unless standard output
/// holds it. Throws UsageError where the document of `--json` would be there, too; FileError, OutputClosed.
void writeOut(const Context& context, const std::string& file, std::string_view bytes, const std::string& sentence);
/// Returns the suffix that chooses the format of `--out`: from the option's text (".html" of "html"), else from the
/// file, in lower case. Throws UsageError for standard output without one.
std::string suffixOf(const std::string& file, const std::string& format);

/// NAME=N texts of `--dim`. Throws UsageError.
std::map<std::string, std::int64_t> dimensionsOf(const std::vector<std::string>& texts);
/// A whole number in [min, max] from an option's text. Throws UsageError naming the option.
std::int64_t wholeOf(const std::string& option, const std::string& text, std::int64_t min, std::int64_t max);
/// The same of any text; the error says what it is of, such as "option '--seed'".
std::int64_t wholeIn(const std::string& what, const std::string& text, std::int64_t min, std::int64_t max);

inline constexpr std::int64_t kMaxSeed = std::numeric_limits<std::int64_t>::max();

}  // namespace tessera::cli

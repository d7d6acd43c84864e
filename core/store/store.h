#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/study/metric.h"
#include "core/study/result.h"

/// The history of every exploration: one SQLite file that several processes use at once. The only place that knows SQL.
namespace tessera::store {

using RunId = std::int64_t;

/// Stored as these words.
enum class RunStatus : std::uint8_t { queued, running, paused, interrupted, done, failed, cancelled };
std::string_view nameOf(RunStatus status);
std::optional<RunStatus> statusNamed(std::string_view name);

/// A row of the history: what lists show. Times are milliseconds since 1970 (UTC).
struct RunRow {
    RunId id = 0;
    std::string uid;  ///< the run's name across files: merge and import recognise it
    std::string name;
    std::string engine;
    std::string models;    ///< as the study names them, joined by ", "
    std::string hardware;  ///< likewise
    std::string studyHash;
    std::optional<std::uint64_t> seed;
    RunStatus status = RunStatus::queued;
    std::optional<std::int64_t> started, finished;
    std::int64_t worked = 0;  ///< milliseconds: without pauses, and without the time between a kill and a resume
    std::string headline;     ///< one line; for a failed run the error
    std::string version;      ///< of the program that ran it
    std::string host;
    bool starred = false;
    std::vector<std::string> tags;
    std::string note;
    std::map<std::string, double> metrics = {};  ///< those that the query selects
    std::string importedFrom = {};               ///< the file that the run came from; empty = it was run here
    std::optional<std::int64_t> imported = {};   ///< when
    /// Sentence, in lists, that names the part of the run that is not what was stored; that part is left out.
    std::string damage = {};
};

struct Sweep;
struct TraceBatch;

/// Filter and order of runs. Every condition that is set must hold.
struct HistoryQuery {
    /// Words, matched by prefix in names, tags, notes, models and hardware; may hold any characters.
    std::string text = {};
    std::string engine = {};
    /// Parts of names, in any case: "resnet" finds "zoo:resnet50", and an accelerator the fleets that have it.
    std::string model = {}, hardware = {};
    std::string tag = {};
    std::optional<RunStatus> status = {};
    std::optional<bool> starred = {};
    std::optional<bool> imported = {};               ///< came from another file
    std::optional<std::int64_t> from = {}, to = {};  ///< started, milliseconds since 1970
    struct Range {
        std::string metric = {};
        std::optional<double> min = {}, max = {};
    };
    std::vector<Range> ranges = {};
    /// "started" (default), "name", "status", "engine", "model", "hardware", or a metric's name.
    std::string orderBy = "started";
    bool descending = true;
    std::vector<std::string> metrics = {};  ///< to be filled into the rows
    bool deleted = false;                   ///< show what was deleted and can still be restored, instead of the rest
};

/// A point of a run's trace.
struct TracePoint {
    std::string series;  ///< text of a CurveName
    double x = 0, y = 0;
};

struct Artifact {
    std::string kind;       ///< "timeline", "report", …; one of a kind per run
    std::string mediaType;  ///< "application/json"
    std::string bytes;
};

/// The bytes of an input, kept by their SHA-256 so that a run can be repeated after its files are gone.
struct InputContent {
    enum class Kind : std::uint8_t { model, hardware } kind = Kind::model;
    std::string name;    ///< as the study names it
    std::string sha256;  ///< of `bytes`
    std::string bytes;
};

enum class OpenMode : std::uint8_t { readWrite, readOnly };

/// Reason why a history cannot be opened or used: callers offer different ways on for each.
/// `busy`: a process works on the run.
enum class StoreProblem : std::uint8_t {
    missing,
    notReadable,
    notWritable,
    locked,
    damaged,
    newer,
    full,
    notAHistory,
    busy
};

/// A FileError that says which problem it is. Its message is one sentence with the file's name.
class StoreError : public FileError {
public:
    StoreError(StoreProblem problem_, const std::string& message) : FileError(message), problem(problem_) {}
    StoreProblem problem;
};

/// Result of `verify`. Empty `problems` = sound.
struct Verification {
    std::int64_t runs = 0, inputs = 0, tracePoints = 0;
    std::vector<std::string> problems;
};

/// Numbers of runs after import or merge.
struct MergeCount {
    std::int64_t added = 0, present = 0;
    std::map<RunId, std::string> damaged = {};  ///< runs of the other file that were left out, and why: a sentence each
};

/// `$XDG_DATA_HOME/tessera/history.db` (default `~/.local/share/tessera/history.db`).
std::filesystem::path defaultPath();
/// The history that the environment names, `TESSERA_STORE`; empty where it names none.
std::string nameInEnvironment();
/// The history of a file that a user names; where `name` is empty that of the environment, else the default one. Of
/// that one alone the folder is made: another folder that is not there is a slip of the pen. Throws FileError.
std::filesystem::path pathNamed(const std::string& name);

/// One connection. Use it from one thread at a time; any number of connections and processes may share the file.
/// Every call that writes is one transaction. All calls throw StoreError; a content that is not what was stored is
/// never returned, but refused (damaged) by a sentence with file, run and content.
class Store {
public:
    /// Opens, creating file and folders where missing (readWrite), and migrates an older file. A file of a newer
    /// program is opened read-only, see `isReadOnly` and `notice`.
    static Store open(const std::filesystem::path& path, OpenMode mode = OpenMode::readWrite);
    /// A history that is forgotten when it closes: for `--no-store` and tests.
    static Store inMemory();
    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;
    ~Store();

    const std::filesystem::path& path() const;
    bool isReadOnly() const;
    /// A sentence for the user about how the file was opened; empty = all is well.
    const std::string& notice() const;

    // Recording. A run goes queued → running ⇄ paused → done | failed | cancelled | interrupted.
    /// The run is named as study::titleOf says.
    RunId addRun(const study::Study& study, RunStatus status = RunStatus::running);
    /// Adds the runs of a sweep's points, in their order, to this process's queue. `document` defines the sweep.
    std::vector<RunId> addSweep(const Json& document, const std::vector<study::Study>& points);
    void setStatus(RunId run, RunStatus status, const std::string& headline = "");
    /// Changes the status if it is `from`; returns whether it did. For a status that may have changed meanwhile: a
    /// pause, the end of a queue.
    bool changeStatus(RunId run, RunStatus from, RunStatus to);
    /// Adds points to the trace of a run, and replaces the state of its search where the batch has one.
    void record(RunId run, const TraceBatch& batch);
    /// Takes up a run in this process that was queued, interrupted or failed: the trace is cut back to the checkpoint,
    /// whose state is returned (empty where there is none). Throws UsageError where the run is done, StoreError (busy)
    /// where a process that still lives works on it or has it in its queue.
    std::optional<Json> takeUp(RunId run);
    /// Stores the end of a run in one transaction: result, inputs' contents, metrics, artifacts, headline, status done;
    /// drops the checkpoint.
    void finishRun(RunId run, const study::Result& result, const std::string& headline,
                   const std::vector<InputContent>& inputs = {}, const std::vector<Artifact>& artifacts = {});
    /// Marks runs `interrupted` that are queued, running or paused although their process is gone (same host, process
    /// id and start time), and returns all interrupted runs, newest first.
    std::vector<RunRow> findInterrupted();
    /// True if there are such runs that are not marked yet.
    bool hasAbandoned() const;

    // Reading.
    std::optional<RunRow> run(RunId id) const;
    /// "12" (also of a deleted run), the name of one run, a uid or a unique prefix of one of at least four characters,
    /// or "last". Throws UsageError.
    RunId find(const std::string& name) const;
    study::Study study(RunId run) const;
    std::optional<Sweep> sweepOf(RunId run) const;         ///< empty where it belongs to none
    std::optional<study::Result> result(RunId run) const;  ///< empty while there is none
    std::optional<std::string> resultText(RunId run) const;
    /// Writes the result in parts: the document of a very deep network is too long for a string. False while there is
    /// none.
    bool writeResult(RunId run, const study::TextSink& write) const;
    std::vector<study::Metric> metrics(RunId run) const;
    std::map<std::string, std::vector<std::pair<double, double>>> trace(RunId run) const;
    std::optional<Json> checkpoint(RunId run) const;
    std::vector<std::string> artifacts(RunId run) const;  ///< kinds
    std::optional<Artifact> artifact(RunId run, const std::string& kind) const;
    std::vector<InputContent> inputs(RunId run) const;
    std::vector<RunRow> query(const HistoryQuery& query, std::int64_t limit, std::int64_t offset = 0) const;
    std::int64_t count(const HistoryQuery& query) const;
    /// The numbers of all runs that fit, in the query's order.
    std::vector<RunId> runs(const HistoryQuery& query) const;
    /// Names with how many runs have them, most frequent first: to fill filter menus.
    std::vector<std::pair<std::string, std::int64_t>> tags() const;
    /// Distinct metrics of the runs, each once, in the order in which it was met first: names, titles, owners, units.
    /// The values are 0.
    std::vector<study::Metric> metricKinds() const;

    // Annotating.
    void setName(RunId run, const std::string& name);
    void setTags(RunId run, const std::vector<std::string>& tags);
    void setNote(RunId run, const std::string& note);
    // Of many runs at once: they return those that were otherwise before, for taking it back. Runs that are gone are
    // left out.
    std::vector<RunId> setTag(const std::vector<RunId>& runs, const std::string& tag, bool set);
    std::vector<RunId> setStarred(const std::vector<RunId>& runs, bool starred);
    /// Hidden, until restored or purged. Throws StoreError (busy) where a process that lives works on one of them.
    std::vector<RunId> setDeleted(const std::vector<RunId>& runs, bool deleted);
    /// Removes what is deleted, and contents that nothing uses; returns runs. Throws StoreError (busy) likewise.
    std::int64_t purge();

    // Care.
    /// Runs SQLite's checks, follows every reference, and compares every content with the sums that were noted when it
    /// was written; headline and metrics of runs that came from other files with their results, too, since whoever made
    /// such a file may have made its sums as well. `progress` receives how many runs are done of how many; of none
    /// while the file as such is checked. Throws InterruptedError where it says false.
    Verification verify(const std::function<bool(std::int64_t done, std::int64_t runs)>& progress = {}) const;
    /// A copy of the whole file, made while others use it; all of it or nothing is written. So are exports.
    void backup(const std::filesystem::path& to) const;
    void vacuum();
    /// A self-contained file, itself a history, of these runs. Unfinished ones are interrupted in it.
    void exportRuns(const std::vector<RunId>& runs, const std::filesystem::path& to) const;
    /// A study file of Optuna's SQLite storage that Optuna Dashboard opens: the run's trace as trials.
    void exportOptuna(RunId run, const std::filesystem::path& to) const;
    /// Adds the runs of another history that are not here yet (import and merge are the same), in transactions of some
    /// runs each. Of a run that is here already, our annotations stand and the other's tags are added; it takes over
    /// the other's outcome where only that is done. A damaged run is left out and named in the count, and headline and
    /// metrics that are not sealed are taken from the result. What is added says where it came from. Runs of a sweep
    /// stay together: in one of the same definition that has no runs at their points, else in a new one.
    MergeCount merge(const std::filesystem::path& from);

private:
    struct Implementation;
    explicit Store(std::unique_ptr<Implementation> implementation);
    std::unique_ptr<Implementation> implementation_;
};

/// Opens the history that a user names (see `pathNamed`). For reading only, the default one is empty where there is
/// none yet; runs whose processes were killed are marked interrupted before. Throws FileError.
Store openNamed(const std::string& name, OpenMode mode);

}  // namespace tessera::store

#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/store/store.h"
#include "core/study/study.h"

namespace tessera::store {

/// Destination and name of a recorded run.
struct RecordOptions {
    std::filesystem::path path;     ///< of the history
    std::optional<RunId> run;       ///< continue this one (queued, interrupted or failed) instead of adding one
    std::vector<std::string> tags;  ///< for a new run
    /// Status of a cancelled run, evaluated at that moment: `interrupted` keeps its checkpoint, so that it can be
    /// resumed (a signal, a closing window). Empty = cancelled.
    std::function<RunStatus()> whenCancelled;
    /// Runs the study; empty = study::run. Where another process did, it only returns the result.
    std::function<study::Result(const study::Study& study, const study::RunContext& context)> runStudy = {};
    std::function<void(RunId)> begun;  ///< receives the run's number before the engine starts
    /// Called once, from any thread, when the history cannot be written any more; the sentence names the run where it
    /// has a number.
    std::function<void(const std::string& sentence)> trouble;
};

struct Recorded {
    RunId run = 0;  ///< 0 = the history could not be written; `trouble` said why
    study::Result result;
};

/// Runs a study and keeps it: the run's row before it starts, trace points and checkpoints at most every 5 s of work,
/// result, metrics, inputs and step timeline at its end, all by a connection of its own. A history that fails (full
/// disk, read-only, locked) never loses the result: it is still returned. What study::run throws is recorded (failed,
/// cancelled, interrupted) and thrown again. A run to be continued starts from its checkpoint; UsageError where it is
/// done, StoreError where it is being worked on or damaged.
Recorded runRecorded(const study::Study& study, study::RunContext context, const RecordOptions& options);

/// The contents of the files and generated models that a study names, read before it runs. The run reads the same ones
/// if it gets the same `context.files`: later changes of the files change neither result nor history.
class InputSet {
public:
    /// Reads them by `context.files`. What cannot be read is left out: the run says so. Throws InterruptedError.
    InputSet(const study::Study& study, const study::RunContext& context);
    /// Inputs that a result rests on.
    std::vector<InputContent> of(const study::Result& result) &&;

private:
    std::vector<InputContent> inputs_;
};

/// Returns the input files for repeating a run from the history: those that are gone or changed are read from there.
std::shared_ptr<InputFiles> storedInputs(const Store& store, RunId run);
/// The same of a run in the history at that path; null where it is not kept (run 0, or no history): its inputs are then
/// the files that its study names.
std::shared_ptr<InputFiles> storedInputs(const std::filesystem::path& history, RunId run);

}  // namespace tessera::store

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command.h"
#include "core/store/recorder.h"
#include "core/store/store.h"
#include "core/study/study.h"

namespace tessera::cli {

/// The history that `--store` names, else the one in its default place. Throws FileError where the folder of the named
/// one is not there.
std::filesystem::path historyPath(const CommonOptions& common);

/// Opens the history for a command on it; its notice is a warning. A reading command marks runs whose processes were
/// killed as interrupted first. Without a file, `readOnly` commands see an empty one
/// and leave nothing behind. Throws StoreError.
store::Store openHistory(const Context& context, store::OpenMode mode);

/// Context of a run from the command line: progress on standard error, Ctrl+C, threads.
study::RunContext contextOf(Context& context);

/// The place of the run that `--baseline` names among these; the first where it names none. Throws UsageError.
std::size_t placeOfBaseline(const store::Store& history, const std::vector<store::RunId>& runs,
                            const std::string& baseline);

/// The inputs of several results, each once, in order.
std::vector<study::Input> inputsOf(const std::vector<study::Result>& results);

/// Throws UsageError where several processes were started for a study that one runs.
void refuseSeveral(const Context& context, const study::Study& study);

/// Runs a study, with progress, and keeps it in the history unless `--no-store`. A history that cannot be written is
/// warned about and does not lose the result; where `--store` named it, the command ends with a FileError, thrown by
/// `finishRecording` after the result was shown. `number` receives the run's; it stays empty where nothing is kept.
study::Result runRecorded(Context& context, const study::Study& study,
                          const std::optional<store::RunId>& continued = {},
                          std::optional<store::RunId>* number = nullptr);
/// Keeps the result that another process found of a run that waits in the history. Returns why it could not be kept;
/// empty = it was.
std::string keepFinished(const Context& context, const study::Study& study, store::RunId run, study::Result result);
/// Sentence about continuing a run that did not end: "'tessera resume 7' continues it", or "… starts it over" where its
/// engine keeps no states. Also for an engine that this program does not have.
std::string resumeHint(std::string_view engine, store::RunId run);
/// Warns that the history in its default place could not be written, also the quiet: the run was not kept.
void reportTrouble(Context& context);
/// Throws the FileError of a history that was named and could not be written.
void finishRecording(const Context& context);

}  // namespace tessera::cli

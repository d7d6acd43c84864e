#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/input_files.h"
#include "core/ranks/conductor.h"
#include "core/ranks/message.h"
#include "core/ranks/worker.h"
#include "core/study/engine.h"
#include "core/study/result.h"

/// Work of studies that several processes share: points of an exploration (see shared_points.h), whole runs, and rows
/// of measured tables (see shared_validation.h).
namespace tessera::study {

/// All kinds of such work.
ranks::WorkKinds sharedWork();

/// Adds what another process needs to read the same as this one: where files of the library lie here, how the names of
/// made files begin, and what was read of `files`, made ones too.
void packInputs(ranks::Packer& packed, const InputFiles& files);
/// Reads what packInputs adds, and looks for files of the library where that process has them. Made files are those
/// that it has made: this process opens no history. Throws DataError.
std::shared_ptr<InputFiles> unpackedInputs(ranks::Unpacker& contents);

/// Runs of `studies` as tasks of other processes, which take `threads` (0 = their cores) and do one run on each. What
/// the studies name is read by `files` and goes with them; what cannot be read is left to the runs to say.
std::shared_ptr<const ranks::Setup> sharedRuns(const std::vector<Study>& studies,
                                               const std::shared_ptr<InputFiles>& files, unsigned threads);
/// Runs studies in another process. Throws DataError.
std::unique_ptr<ranks::TaskDoer> sharedRunsDoer(const std::string& setup);
/// A study as a worker is asked to run it.
std::string questionOf(const Study& study);
/// The result that a worker found. Throws DataError.
Result resultOf(const std::string& answer, const Study& study);

}  // namespace tessera::study

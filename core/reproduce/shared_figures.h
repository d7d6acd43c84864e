#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/ranks/conductor.h"
#include "core/ranks/worker.h"
#include "core/reproduce/reproduce.h"

/// Figures of papers as tasks that other processes recompute.
namespace tessera::study {

/// All kinds of work that processes share: that of studies, and figures.
ranks::WorkKinds allSharedWork();

/// What processes that recompute figures with `options` are given; each takes `threads` (0 = its cores).
std::shared_ptr<const ranks::Setup> sharedFigures(const ReproductionOptions& options, unsigned threads);
/// Recomputes figures in another process, one on each thread. Throws DataError.
std::unique_ptr<ranks::TaskDoer> sharedFiguresDoer(const std::string& setup);
/// The figure that a worker recomputed. Throws DataError where it is another one.
Reproduction figureIn(const std::string& answer, std::string_view name);

}  // namespace tessera::study

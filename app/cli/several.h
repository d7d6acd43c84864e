#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "core/ranks/conductor.h"
#include "core/ranks/introduction.h"

/// This program as one of several processes that mpirun or srun started, or that were introduced by TESSERA_RANKS.
namespace tessera::cli {

/// Finds out whether this process is one of several, and who the others are; nothing where it is alone. Of those that a
/// launcher started it returns in none: each is introduced by the module for MPI and goes on as this program anew,
/// which the launcher's libraries are no part of, workers under the eye of the process that was started, which replaces
/// them where they die. Throws UsageError where the module is missing, in rank 0; the other ranks end. Before any
/// thread.
std::optional<ranks::Introduction> joinOthers(char** arguments);

/// Rank 0 among the others.
std::shared_ptr<ranks::Conductor> conductOthers(const ranks::Introduction& introduction);
/// Any other rank: works until there is no more to do. Returns its exit code.
int workForOthers(const ranks::Introduction& introduction, const std::stop_token& stop);

}  // namespace tessera::cli

#pragma once

#include <cstdint>
#include <string>

/// Job scripts of Slurm.
namespace tessera::cli {

/// An exploration as a job on several nodes.
struct SlurmJob {
    std::string name;        ///< of the exploration, for people
    std::string script;      ///< path of the job script, as it was given
    std::int64_t nodes = 1;  ///< whole ones
    std::int64_t ranksPerNode = 1;
    std::string time = {};       ///< limit of the job, in a form that Slurm reads; empty = the partition's own
    std::string partition = {};  ///< empty = Slurm's choice
    std::string threads = {};    ///< of each rank; empty = all cores, shared among the ranks of a node
};

/// The files beside a job script: the study that it explores, and the history that its runs are kept in.
std::string studyOfJob(const SlurmJob& job);
std::string historyOfJob(const SlurmJob& job);

/// The job script, to be submitted in the folder in which the script's path holds. Submitted again it goes on where the
/// last one ended. Throws UsageError where the time or the partition is none.
std::string slurmScript(const SlurmJob& job);

}  // namespace tessera::cli

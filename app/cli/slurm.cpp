#include "app/cli/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>

#include "core/base/error.h"
#include "core/base/text.h"

namespace tessera::cli {

namespace {

namespace fs = std::filesystem;

/// The forms of a time that sbatch takes.
void checkTime(const std::string& time) {
    static const std::regex kTime("[0-9]{1,9}(:[0-9]{1,2}){0,2}|[0-9]{1,9}-[0-9]{1,2}(:[0-9]{1,2}){0,2}");
    if (!time.empty() && !std::regex_match(time, kTime))
        throw UsageError(fmt::format(
            "option '--time' is {}; expected minutes, HOURS:MINUTES:SECONDS or DAYS-HOURS, such as 2-12 or 04:30:00",
            inQuotes(time, 100)));
}

void checkPartition(const std::string& partition) {
    static const std::regex kNames("[A-Za-z0-9_.-]+(,[A-Za-z0-9_.-]+)*");
    if (!partition.empty() && !std::regex_match(partition, kNames))
        throw UsageError(
            fmt::format("option '--partition' is {}; expected one of letters, digits, '_', '-' and '.', or several "
                        "with commas between",
                        inQuotes(partition, 100)));
}

/// A text as one word of the shell.
std::string shellWord(const std::string& text) {
    std::string word = "'";
    for (const char c : text) {
        if (c == '\'')
            word += R"('\'')";
        else
            word += c;
    }
    return word + "'";
}

/// One line of a comment.
std::string oneLine(const std::string& text) {
    std::string line = text;
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
    return line;
}

std::string besideScript(const SlurmJob& job, const char* suffix) {
    return fs::path(job.script).replace_extension(suffix).string();
}

/// The script's own name as Slurm's of the job.
std::string jobName(const SlurmJob& job) {
    std::string name = fs::path(job.script).stem().string();
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.') c = '_';
    return name;
}

}  // namespace

std::string studyOfJob(const SlurmJob& job) {
    return besideScript(job, ".json");
}

std::string historyOfJob(const SlurmJob& job) {
    return besideScript(job, ".db");
}

std::string slurmScript(const SlurmJob& job) {
    checkTime(job.time);
    checkPartition(job.partition);
    std::string directives = fmt::format(
        "#SBATCH --job-name={}\n#SBATCH --nodes={}\n#SBATCH --ntasks-per-node={}\n#SBATCH --exclusive\n"
        "#SBATCH --open-mode=append\n",
        jobName(job), job.nodes, job.ranksPerNode);
    if (!job.time.empty()) directives += fmt::format("#SBATCH --time={}\n", job.time);
    if (!job.partition.empty()) directives += fmt::format("#SBATCH --partition={}\n", job.partition);
    const std::string threads = job.threads.empty() ? "" : fmt::format(" --threads {}", shellWord(job.threads));
    return fmt::format(
        R"(#!/bin/sh
{directives}# {name}
# Submit it in the folder in which it was written. Submitted again it goes on where it ended; what it found comes into a
# history of yours by 'tessera history merge {plainHistory}'.
set -eu
tessera=${{TESSERA:-tessera}}
study={study}
history={history}
if "$tessera" history show last --store "$history" >/dev/null 2>&1; then
    set -- resume last
else
    set -- explore "$study"
fi
# A process whose node or memory is lost costs the points that it had; the others evaluate them.
exec mpirun --enable-recovery --map-by ppr:{ranks}:node --bind-to none "$tessera" "$@" --store "$history"{threads}
)",
        fmt::arg("directives", directives), fmt::arg("name", oneLine(job.name)),
        fmt::arg("plainHistory", oneLine(historyOfJob(job))), fmt::arg("study", shellWord(studyOfJob(job))),
        fmt::arg("history", shellWord(historyOfJob(job))), fmt::arg("ranks", job.ranksPerNode),
        fmt::arg("threads", threads));
}

}  // namespace tessera::cli

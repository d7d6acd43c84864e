#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string>

#include "core/base/escape.h"
#include "core/base/file.h"
#include "core/mapping/job_table.h"

namespace tessera::mapping {

/// A job table from a file. Throws FileError, DataError.
inline Problem loadJobTable(const std::string& path) {
    return readJobTable(readFile(path, kLargestJobTable), path);
}

/// The table as CSV with all the columns that are known, in order of jobs, then cores. It reads back with equal
/// numbers, names and order.
inline std::string writeJobTable(const Problem& problem) {
    std::string text = "job,job_name,accel,accel_name,nostall_latency_cycles,req_bw_bytes_per_cycle";
    if (!problem.energy.empty()) text += ",energy_j";
    if (!problem.macs.empty()) text += ",macs";
    text += '\n';
    const auto out = std::back_inserter(text);
    for (std::size_t job = 0; job < problem.jobs.size(); ++job) {
        for (std::size_t core = 0; core < problem.cores.size(); ++core) {
            const std::size_t pair = problem.pair(job, core);
            fmt::format_to(out, "{},{},{},{},{},{}", job, csvCell(problem.jobs[job]), core,
                           csvCell(problem.cores[core]), problem.latency[pair], problem.requiredBandwidth[pair]);
            if (!problem.energy.empty()) fmt::format_to(out, ",{}", problem.energy[pair]);
            if (!problem.macs.empty()) fmt::format_to(out, ",{}", problem.macs[job]);
            text += '\n';
        }
    }
    return text;
}

}  // namespace tessera::mapping

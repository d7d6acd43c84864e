#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/mapping/mapping.h"

namespace tessera::mapping {

/// Limits of a job table's file; each is named in the error.
inline constexpr std::size_t kLargestJobTable = std::size_t{256} << 20;  ///< bytes
inline constexpr std::size_t kMaxPairs = 1'000'000;                      ///< rows

/// Reads a job-analysis table: CSV with a header and a row for each pair of a job and a core, in any order. Columns:
/// `job` and `accel` (whole numbers from 0, without gaps), `nostall_latency_cycles` (above 0) and
/// `req_bw_bytes_per_cycle` (0 or more); optional `macs` (by job, above 0), `energy_j` (by pair, 0 or more), `job_name`
/// and `accel_name`; others are not read. Jobs and cores are in order of their numbers. The bandwidth of the system is
/// not in such a file: it stays 0, for the caller to fill. Throws DataError (file, line, field), also for a pair that
/// is missing or given twice and above the limits.
Problem readJobTable(std::string_view bytes, const std::string& file);

}  // namespace tessera::mapping

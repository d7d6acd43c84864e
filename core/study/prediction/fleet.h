#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/study/result.h"

namespace tessera::study {

/// Returns the files of a fleet of what a prediction ("h100@8") is of: its accelerators, as many as it has, in nodes of
/// at most eight as predictions count them. The accelerator is named where it is the library's as the run used it; else
/// its file, with its kernels, stands beside `out`. The inputs are those of this thread's files. Throws UsageError
/// where there is no such prediction, and what reading the accelerator throws.
std::vector<std::pair<std::filesystem::path, std::string>> predictedFleetFiles(const Result& result,
                                                                               const std::string& prediction,
                                                                               const std::filesystem::path& out);

}  // namespace tessera::study

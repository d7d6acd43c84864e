#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/explore/point_table.h"
#include "core/study/engine.h"
#include "core/study/exploration/outcome.h"
#include "core/study/field.h"

/// Explorations of any study's parameters, inputs and hardware, as a study.
namespace tessera::study {

/// The parameters of explorations: the one place that names their options, defaults and ranges.
const std::vector<Parameter>& explorationParameters();

/// The study that an exploration varies. Throws UsageError where it names none.
Study baseOf(const Study& exploration);
/// It with each choice of inputs, and of files that parameters name, that the variables make, after itself. Throws
/// UsageError where there is none.
std::vector<Study> choicesOf(const Study& exploration);
/// Its variables, bound to it. Reads hardware as this thread's InputFiles say. Throws UsageError, DataError, FileError.
ExploredSpace spaceOf(const Study& exploration);

/// Evaluates points by the exploration's method. Throws like study::run.
Result runExploration(const Study& study, const RunContext& context);

/// See study::estimate.
Estimate estimateExploration(const Study& study);

/// Writes `tessera.exploration-result/1`, and reads it. Throws DataError.
void writeExplorationJson(const Result& result, const TextSink& write);
Result readExplorationResult(const JsonNode& document, const Study& study);
/// The JSON Schema of the document.
Json explorationSchema();

/// The numbers of an exploration.
std::vector<Metric> explorationMetrics(const ExplorationOutcome& outcome);
/// "1.9 s least step time · $3.1 least price of a step · 23 of 200 points on the front · …".
std::string explorationHeadline(const ExplorationOutcome& outcome);

/// "600 GB/s to 4.8 TB/s, log scale", "ring, switch": what a variable may be.
std::string rangeText(const ExploredVariable& variable);
/// A title inside of a sentence: "Step time" is "step time", "HBM3 bandwidth" stays.
std::string lowerFirstOf(const std::string& title);

/// Whether values are above 0 and differ by so much that a linear axis would show the largest alone.
bool areWide(const std::vector<double>& values);
/// The points of an exploration as a table: variables, objectives, constraints and other metrics.
explore::PointTable pointTableOf(const ExplorationOutcome& outcome);

/// The study of a point, counted from 0, as a file that `tessera run` computes to the point's numbers, and the hardware
/// with other values that it names, in a folder beside it. `out` is the study's own path. Reads the exploration's files
/// as this thread's InputFiles say. Throws UsageError, DataError, FileError.
std::vector<std::pair<std::filesystem::path, std::string>> pointStudyFiles(const Result& result, std::size_t point,
                                                                           const std::filesystem::path& out);

}  // namespace tessera::study

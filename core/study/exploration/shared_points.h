#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/base/input_files.h"
#include "core/ranks/conductor.h"
#include "core/ranks/worker.h"
#include "core/study/exploration/evaluation.h"
#include "core/study/exploration/kept_points.h"
#include "core/study/study.h"

/// Points of an exploration as tasks that other processes do: what these are given, asked and answer.
namespace tessera::study {

/// The kind of such work.
inline constexpr const char* kPointsOfExploration = "points of an exploration";

/// What a process needs to evaluate points as this one does: the study, all files that were read for it, where files of
/// the library lie here. It takes `threads` (0 = its cores).
std::shared_ptr<const ranks::Setup> sharedSetup(const Study& exploration, const InputFiles& files, unsigned threads);
/// Evaluates the points of an exploration in another process. Throws what reading the study throws.
std::unique_ptr<ranks::TaskDoer> sharedPointsDoer(const std::string& setup);

/// A point as a worker is asked for it.
std::string questionOf(const explore::Point& point, bool keepsWhole);

/// Reads what workers answer: a point in the form of checkpoints, and its result where it is kept whole. One thread at
/// a time.
class SharedAnswers {
public:
    SharedAnswers(const ExploredSpace& space, std::size_t objectives, MetricPool& metrics)
        : space_(space), objectives_(objectives), metrics_(metrics) {}
    /// Throws DataError where it is none, or is of another point.
    EvaluatedPoint read(const explore::Point& point, const std::string& answer);

private:
    const ExploredSpace& space_;
    const std::size_t objectives_;
    MetricPool& metrics_;
    std::string known_;  ///< the metrics of the last answer: nearly always those of the next one, too
    KeptMetrics places_;
};

}  // namespace tessera::study

#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <memory>
#include <string>

#include "core/study/partition/outcome.h"
#include "ui/models/engine_run.h"

namespace tessera::ui {

/// A finished partition run with at least one plan.
class PartitionRun : public EngineRun<study::PartitionOutcome> {
public:
    using EngineRun::EngineRun;

    const partition::Plan& plan(int index) const;
    int planCount() const;  ///< 0 also of a run of another engine
    int bestPlan() const;
    int planNamed(const QString& strategy) const;  ///< -1 = none
    QString strategy(int plan) const;
    QString layerName(std::int32_t layer) const;  ///< by the layer graph's index
    /// "0 · v2|v3 · 256 accelerators"
    QString splitTitle(int plan, int split) const;
};

/// Types of layers and ratios of levels that are fixed by hand: a partition study's `pin` and `pin_ratio`.
struct PartitionPins {
    std::map<std::string, partition::Type> types;
    std::map<int, double> ratios;
    bool operator==(const PartitionPins&) const = default;
};

PartitionPins pinsOf(const study::Study& study);
/// The study with these pins instead of its own, renamed so that they differ in the history.
study::Study withPins(study::Study study, const PartitionPins& pins);
/// Saves the study with all groups of its fleet taking part among the user's own files; returns the study's file.
/// Writes files: not for the UI thread. Throws FileError.
QString studyWithAllGroups(study::Study study);

/// "Type II: input channels"
QString typeTitle(partition::Type type);
/// Sentences, one for each kind whose memory is too small, with what would fit.
QStringList memorySentences(const PartitionRun& run, int plan);

}  // namespace tessera::ui

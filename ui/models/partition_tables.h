#pragma once

#include <QPointer>
#include <memory>
#include <string>
#include <vector>

#include "core/partition/partition.h"
#include "core/report/catalogue.h"
#include "ui/models/partition_run.h"
#include "ui/models/table_model.h"

namespace tessera::ui {

/// Choice that the tables of a partition run share, so that one choice moves all.
struct PartitionChoice {
    PartitionRun run;
    int plan = 0;
    int split = 0;
    PartitionPins pins;              ///< as the study will have them
    std::vector<std::string> types;  ///< per split, "I×49 III II"; empty until it is known

    const partition::Plan& chosen() const { return run.plan(plan); }
    const partition::LevelPlan& level() const { return chosen().levels.at(static_cast<std::size_t>(split)); }
    bool hasSplit() const { return !run.isEmpty() && static_cast<std::size_t>(split) < chosen().levels.size(); }
    /// Selection for the catalogue of pictures.
    report::Selection selection() const {
        if (run.isEmpty()) return {};
        return {.choice = chosen().strategy, .split = static_cast<std::size_t>(split)};
    }
};

using SharedChoice = std::shared_ptr<PartitionChoice>;

/// One row per strategy.
TableModel* subsetTableModel(const SharedChoice& choice, QObject* parent);
TableModel* strategyTableModel(const SharedChoice& choice, QObject* parent);
/// One row per layer, then per join, of the chosen split.
TableModel* layerTableModel(const SharedChoice& choice, QObject* parent);
/// One row per split of the chosen strategy.
TableModel* levelTableModel(const SharedChoice& choice, QObject* parent);
/// One row per kind of accelerator.
TableModel* acceleratorTableModel(const SharedChoice& choice, QObject* parent);
/// One row per input, with its SHA-256.

/// Number of rows that the model must have for the choice.
int layerRows(const PartitionChoice& choice);
int levelRows(const PartitionChoice& choice);
int acceleratorRows(const PartitionChoice& choice);
int subsetRows(const PartitionChoice& choice);

/// Path of the number that a cell shows, for `study::explain`; empty = none.
QString explainPath(const TableModel& model, int row, int column);

}  // namespace tessera::ui

#pragma once

#include <QStringList>
#include <filesystem>
#include <memory>
#include <vector>

#include "core/model/difference.h"
#include "core/study/comparison.h"
#include "core/study/partition/metrics.h"
#include "core/study/result.h"
#include "ui/jobs/run_state.h"
#include "ui/models/graph_colouring.h"
#include "ui/models/graph_contents.h"
#include "ui/models/table_model.h"

namespace tessera::ui {

using SharedComparison = std::shared_ptr<const study::Comparison>;

/// Differences of each model from the baseline's, as the runs read them.
struct ModelDifferences {
    struct Row {
        int run = 0;
        model::LayerDifference difference;
    };
    /// The two graphs of a run whose model is another one than the baseline's.
    struct Pair {
        int run = 0;
        std::shared_ptr<const ModelContents> before, after;
        std::shared_ptr<const LayerChanges> gone, come;  ///< as seen on each side
    };
    std::vector<Row> rows;
    std::vector<Pair> pairs;  ///< in the order of the runs, at most `kMaxPairs`
    QStringList problems;     ///< models that could not be read

    static constexpr std::size_t kMaxPairs = 7;
};

/// Reads the models, those of kept runs from `history`: not for the UI thread.
ModelDifferences modelDifferences(const std::vector<RunState>& runs, int baseline,
                                  const std::filesystem::path& history);

/// Runs as rows, metrics as columns, each with its difference to the baseline; see report::metricTable.
TableModel* metricTableModel(const SharedComparison& comparison, bool onlyDifferences, QObject* parent);
TableModel* inputDifferenceModel(const SharedComparison& comparison, bool onlyDifferences, QObject* parent);
TableModel* layerDifferenceModel(const SharedComparison& comparison, bool onlyDifferences, QObject* parent);
TableModel* shareTableModel(const SharedComparison& comparison, bool onlyDifferences, QObject* parent);
TableModel* modelDifferenceModel(const std::shared_ptr<const ModelDifferences>& differences, const QStringList& titles,
                                 QObject* parent);
/// Core and start of each job in the best mapping of every run.
TableModel* jobDifferenceModel(const SharedComparison& comparison, bool onlyDifferences, QObject* parent);
/// The job of a row of `jobDifferenceModel`, and the first row of a job; -1 where it is not shown.
QString jobOfRow(const study::Comparison& comparison, bool onlyDifferences, int row);
int rowOfJob(const study::Comparison& comparison, bool onlyDifferences, const QString& job);
/// "HB 2, place 3, from 1.2 ms to 1.5 ms"
QString placeText(const study::Comparison::JobRow::Place& place);
/// The layer of a row of `layerDifferenceModel`.
QString layerOfRow(const study::Comparison& comparison, bool onlyDifferences, int row);
/// The first row of a layer; -1 where it is not shown.
int rowOfLayer(const study::Comparison& comparison, bool onlyDifferences, const QString& layer);
/// The metric of a column of `metricTableModel`; empty of the columns of names.
QString metricOfColumn(const study::Comparison& comparison, bool onlyDifferences, int column);
/// The metrics of strategies, algorithms and predictions, and the parts of the runs' results.
TableModel* ownedMetricTableModel(const SharedComparison& comparison, bool onlyDifferences, QObject* parent);
TableModel* partTableModel(const SharedComparison& comparison, bool onlyDifferences, QObject* parent);

}  // namespace tessera::ui

#include "ui/views/runs/prediction_exports.h"

#include "core/report/prediction_pictures.h"
#include "ui/models/partition_run.h"
#include "ui/models/text.h"
#include "ui/views/runs/result_exports.h"

namespace tessera::ui {

namespace {

using exports::picture;
using exports::table;

QString named(const PredictionRun& run, const QString& what) {
    return fileStem(shownText(run.outcome().model) + QLatin1Char('-') + what);
}

/// A picture of all accelerators at the chosen number of devices.
Exportable ofDevices(const PredictionChoice& choice, const QString& what,
                     report::Chart (*chart)(const study::PredictionOutcome& outcome, std::int64_t devices)) {
    const QString name = QStringLiteral("%1-on-%2").arg(what).arg(choice.devices());
    return picture(named(choice.run, name),
                   [run = choice.run, devices = choice.devices(), chart] { return chart(run.outcome(), devices); });
}

QVector<Exportable> ofPrediction(const PredictionRun& run, int prediction) {
    const QString name = run.name(prediction);
    QVector<Exportable> all;
    for (const std::size_t level : report::usedLevels(run.prediction(prediction)))
        all.append(
            picture(named(run, QStringLiteral("%1-memory-%2")
                                   .arg(name, shownText(run.prediction(prediction).memory.levels.at(level).level))),
                    [run, prediction, level] { return report::batchMemoryChart(run.prediction(prediction), level); }));
    all += {picture(named(run, name + QStringLiteral("-memory-levels")),
                    [run, prediction] { return report::levelChart(run.prediction(prediction)); }),
            picture(named(run, name + QStringLiteral("-roofline")),
                    [run, prediction] {
                        return report::operatorRoofline(run.outcome(), run.prediction(prediction)).chart;
                    }),
            table(named(run, name + QStringLiteral("-operators-table")),
                  [run, prediction] { return report::operatorSheet(run.outcome(), run.prediction(prediction)); })};
    return all;
}

}  // namespace

QVector<Exportable> predictionExportables(const PredictionChoice& choice) {
    const PredictionRun& run = choice.run;
    if (run.isEmpty()) return {};
    QVector<Exportable> all{
        ofDevices(choice, QStringLiteral("throughput"), report::throughputChart),
        ofDevices(choice, QStringLiteral("price-performance"), report::pricePerformanceChart),
        ofDevices(choice, QStringLiteral("cost"), report::trainingCostChart),
        ofDevices(choice, QStringLiteral("methods"), report::methodChart),
        ofDevices(choice, QStringLiteral("stages"), report::stageChart),
        picture(named(run, QStringLiteral("devices")), [run] { return report::deviceScalingChart(run.outcome()); }),
        picture(named(run, QStringLiteral("device-speedup")),
                [run] { return report::deviceSpeedupChart(run.outcome()); })};
    if (choice.prediction() >= 0) all += ofPrediction(run, choice.prediction());
    all += {table(named(run, QStringLiteral("predictions-table")),
                  [run] { return report::predictionSheet(run.outcome()); }),
            table(named(run, QStringLiteral("batches-table")), [run] { return report::batchSheet(run.outcome()); }),
            table(named(run, QStringLiteral("sources-table")), [run] { return report::sourceSheet(run.outcome()); }),
            predictionResultExportable(run)};
    return all;
}

Exportable predictionResultExportable(const PredictionRun& run) {
    return exports::document(named(run, QStringLiteral("result")), run.shared());
}

}  // namespace tessera::ui

#include "ui/views/runs/partition_exports.h"

#include <QCoreApplication>
#include <utility>

#include "core/report/partition_pictures.h"
#include "core/report/partition_report.h"
#include "core/report/scaling_picture.h"
#include "core/study/timeline.h"
#include "ui/models/text.h"
#include "ui/views/runs/result_exports.h"

namespace tessera::ui {

namespace {

using exports::picture;
using exports::table;
using exports::timeline;

QString named(const PartitionRun& run, const QString& what) {
    return fileStem(shownText(run.outcome().model) + QLatin1Char('-') + what);
}

}  // namespace

QVector<Exportable> partitionExportables(const PartitionRun& run, int plan, int split) {
    if (run.isEmpty()) return {};
    const std::string strategy = run.plan(plan).strategy;
    const QString name = run.strategy(plan);
    const auto at = static_cast<std::size_t>(split);
    return {
        picture(named(run, name + QStringLiteral("-types")),
                [run, strategy] { return report::typeMap(run.outcome(), strategy); }),
        picture(named(run, QStringLiteral("speed-up")), [run] { return report::speedupChart(run.outcome()); }),
        picture(named(run, QStringLiteral("step-time")), [run] { return report::stepTimeChart(run.outcome()); }),
        picture(named(run, QStringLiteral("%1-layers-%2").arg(name).arg(split)),
                [run, strategy, at] { return report::layerChart(run.outcome(), strategy, at); }),
        picture(named(run, name + QStringLiteral("-levels")),
                [run, strategy] { return report::levelChart(run.outcome(), strategy); }),
        picture(named(run, name + QStringLiteral("-ratios")),
                [run, strategy] { return report::ratioChart(run.outcome(), strategy); }),
        picture(named(run, name + QStringLiteral("-memory")),
                [run, strategy] { return report::memoryChart(run.outcome(), strategy); }),
        timelineExportable(run, plan),
        table(named(run, QStringLiteral("strategies-table")), [run] { return report::strategyTable(run.outcome()); }),
        table(named(run, QStringLiteral("layers-table")), [run] { return report::layerTable(run.outcome()); }),
        table(named(run, name + QStringLiteral("-levels-table")),
              [run, plan] { return report::levelTable(run.plan(plan)); }),
        table(named(run, name + QStringLiteral("-accelerators-table")),
              [run, plan] { return report::acceleratorTable(run.plan(plan)); }),
        resultExportable(run),
    };
}

QVector<Exportable> scalingExportables(const PartitionRun& run, const std::shared_ptr<const study::Scaling>& scaling) {
    return {picture(named(run, QStringLiteral("scaling")), [scaling] { return report::scalingChart(*scaling); }),
            table(named(run, QStringLiteral("scaling-table")), [scaling] { return report::scalingTable(*scaling); })};
}

Exportable resultExportable(const PartitionRun& run) {
    return exports::document(named(run, QStringLiteral("result")), run.shared());
}

Exportable timelineExportable(const PartitionRun& run, int plan) {
    const auto make = [run, strategy = run.plan(plan).strategy] { return study::timelineOf(run.result(), strategy); };
    return timeline(named(run, run.strategy(plan) + QStringLiteral("-timeline")), make);
}

}  // namespace tessera::ui

#include "ui/views/partition_exports.h"

#include <QCoreApplication>
#include <utility>

#include "core/report/partition_pictures.h"
#include "core/report/partition_report.h"
#include "core/report/scaling_picture.h"
#include "core/report/table.h"
#include "core/study/timeline.h"

namespace tessera::ui {

namespace {

QString named(const PartitionRun& run, const QString& what) {
    return fileStem(shownText(run.outcome().model) + QLatin1Char('-') + what);
}

/// A picture whose value is made by `make` when it is asked for.
template <typename Make>
Exportable picture(const QString& name, Make make) {
    return {.name = name,
            .svg = [make](const report::Theme& theme) { return report::toSvg(make(), theme); },
            .csv = [make] { return report::toCsv(make()); }};
}

template <typename Make>
Exportable table(const QString& name, Make make) {
    return {.name = name, .csv = [make] { return report::toCsv(make()); }};
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
    return {.name = named(run, QStringLiteral("result")),
            .json =
                [run] {
                    std::string text;
                    study::writeJson(run.result(), [&](std::string_view part) { text += part; });
                    return text;
                },
            .jsonTitle = QCoreApplication::translate("PartitionExports", "Result (JSON)")};
}

Exportable timelineExportable(const PartitionRun& run, int plan) {
    const auto make = [run, strategy = run.plan(plan).strategy] { return study::timelineOf(run.result(), strategy); };
    Exportable what = picture(named(run, run.strategy(plan) + QStringLiteral("-timeline")), make);
    what.json = [make] { return report::toChromeTrace(make()); };
    what.jsonTitle = QCoreApplication::translate("PartitionExports", "Chrome trace");
    return what;
}

}  // namespace tessera::ui

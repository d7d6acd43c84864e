#include "ui/views/runs/mapping_exports.h"

#include <QCoreApplication>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json.h"
#include "core/report/mapping_pictures.h"
#include "core/report/mapping_report.h"
#include "core/study/mapping_document.h"
#include "core/study/title.h"
#include "ui/models/partition_run.h"
#include "ui/models/text.h"
#include "ui/views/runs/result_exports.h"

namespace tessera::ui {

namespace {

using exports::picture;
using exports::table;
using exports::timeline;

QString named(const MappingRun& run, const QString& what) {
    return fileStem(shownText(study::titleOf(run.outcome())) + QLatin1Char('-') + what);
}

/// As `--evaluate` and warm starts read it.
Exportable mappingExportable(const MappingRun& run, int algorithm) {
    return {.name = named(run, run.algorithm(algorithm) + QStringLiteral("-mapping")),
            .json = [run, algorithm] { return toText(study::mappingJson(run.run(algorithm).mapping)); },
            .jsonTitle = QCoreApplication::translate("MappingExports", "Mapping (JSON)")};
}

}  // namespace

QVector<Exportable> mappingExportables(const MappingRun& run, int algorithm, study::JobColour colour) {
    if (run.isEmpty()) return {};
    const std::string id = run.run(algorithm).algorithm;
    const QString name = run.algorithm(algorithm);
    QVector<Exportable> all{
        scheduleExportable(run, algorithm, colour),
        picture(named(run, QStringLiteral("race")), [run] { return report::raceCharts(run.outcome()).front(); }),
        picture(named(run, QStringLiteral("race-gap")), [run] { return report::raceCharts(run.outcome()).back(); }),
        picture(named(run, QStringLiteral("algorithms")), [run] { return report::algorithmChart(run.outcome()); }),
        picture(named(run, QStringLiteral("demand")), [run] { return report::demandChart(run.outcome()); }),
        picture(named(run, name + QStringLiteral("-cores")),
                [run, id] { return report::coreChart(run.outcome(), id); })};
    if (run.hasExplored())
        all += picture(named(run, QStringLiteral("explored")), [run] { return report::exploredChart(run.outcome()); });
    if (run.hasFront())
        all += picture(named(run, QStringLiteral("front")), [run] { return report::frontChart(run.outcome()); });
    all +=
        {table(named(run, QStringLiteral("algorithms-table")), [run] { return report::algorithmSheet(run.outcome()); }),
         table(named(run, name + QStringLiteral("-jobs-table")),
               [run, id] { return report::jobSheet(run.outcome(), id); }),
         table(named(run, name + QStringLiteral("-cores-table")),
               [run, id] { return report::coreSheet(run.outcome(), id); }),
         table(named(run, QStringLiteral("job-table")), [run] { return report::problemTable(run.outcome()); }),
         mappingExportable(run, algorithm),
         mappingResultExportable(run)};
    return all;
}

Exportable mappingResultExportable(const MappingRun& run) {
    return exports::document(named(run, QStringLiteral("result")), run.shared());
}

Exportable scheduleExportable(const MappingRun& run, int algorithm, study::JobColour colour) {
    const auto make = [run, algorithm, colour] {
        return study::scheduleTimeline(run.outcome(), run.run(algorithm), colour);
    };
    return timeline(named(run, run.algorithm(algorithm) + QStringLiteral("-schedule")), make);
}

}  // namespace tessera::ui

#include "ui/views/runs/codesign_exports.h"

#include <QCoreApplication>
#include <utility>

#include "core/report/codesign_pictures.h"
#include "core/study/codesign_timeline.h"
#include "ui/models/partition_run.h"
#include "ui/models/text.h"
#include "ui/views/runs/result_exports.h"

namespace tessera::ui {

namespace {

using exports::picture;
using exports::table;
using exports::timeline;

QString named(const CodesignRun& run, const QString& what) {
    return fileStem(shownText(run.result().space.name) + QLatin1Char('-') + what);
}

QString ofModel(const CodesignRun& run, int model, const QString& what) {
    return named(run, run.modelTitle(model) + QLatin1Char('-') + what);
}

}  // namespace

Exportable pipelineExportable(const CodesignRun& run, int model) {
    return timeline(ofModel(run, model, QStringLiteral("pipeline")), [run, model] {
        return run.model(model).feasible ? study::pipelineTimeline(run.outcome(), run.model(model).model) : Timeline();
    });
}

Exportable codesignResultExportable(const CodesignRun& run) {
    return exports::document(named(run, QStringLiteral("result")), run.shared());
}

QVector<Exportable> codesignExportables(const CodesignRun& run, int model) {
    if (run.isEmpty()) return {};
    QVector<Exportable> all{
        picture(named(run, QStringLiteral("front")), [run] { return report::paretoPicture(run.result()).chart; }),
        picture(named(run, QStringLiteral("exploration")),
                [run] { return report::explorationChart(run.result(), false); }),
        picture(named(run, QStringLiteral("speedup")), [run] { return report::speedupChart(run.result()); }),
        picture(named(run, QStringLiteral("area")), [run] { return report::areaPartsChart(run.result()); }),
        picture(named(run, QStringLiteral("time-by-model")), [run] { return report::timeShareChart(run.result()); }),
        table(named(run, QStringLiteral("architectures-table")),
              [run] { return report::pointSheet(run.result(), run.rows()); }),
        table(named(run, QStringLiteral("models-table")), [run] { return report::modelSheet(run.result()); }),
        table(named(run, QStringLiteral("stages-table")), [run] { return report::stageSheet(run.result()); }),
        table(named(run, QStringLiteral("exploration-table")), [run] { return report::traceSheet(run.result()); })};
    all.append(codesignResultExportable(run));
    if (model >= run.modelCount()) return all;
    all += {picture(ofModel(run, model, QStringLiteral("time")),
                    [run, model] { return report::timeChart(run.result(), static_cast<std::size_t>(model)); }),
            picture(ofModel(run, model, QStringLiteral("memory")),
                    [run, model] { return report::stageMemoryChart(run.model(model)); }),
            pipelineExportable(run, model),
            timeline(ofModel(run, model, QStringLiteral("operators")),
                     [run, model] { return report::operatorTimeline(run.model(model), false); }),
            timeline(ofModel(run, model, QStringLiteral("operators-backward")),
                     [run, model] { return report::operatorTimeline(run.model(model), true); })};
    Exportable placement;
    placement.name = ofModel(run, model, QStringLiteral("placement"));
    placement.svg = [run, model](const report::Theme& theme) {
        constexpr double kWidth = 960;
        return report::toSvg(report::placementDrawing(run.model(model), kWidth, report::estimatedWidth), theme);
    };
    all.append(placement);
    return all;
}

}  // namespace tessera::ui

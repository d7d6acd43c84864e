#include "ui/workspace/history/run_loader.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/store/documents.h"
#include "ui/jobs/curve_recorder.h"
#include "ui/workspace/words.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

std::shared_ptr<const std::vector<Curve>> curvesOf(const store::Store& history, store::RunId run) {
    CurveRecorder recorder;
    recorder.recall(history.trace(run));
    return recorder.snapshot();
}

void readContents(const store::Store& history, RunState& state) {
    try {
        state.study = history.study(state.run);
        if (std::optional<study::Result> result = history.result(state.run))
            state.result = std::make_shared<const study::Result>(std::move(*result));
        state.curves = curvesOf(history, state.run);
    } catch (const store::StoreError&) {
        throw;
    } catch (const std::exception& error) {
        state.problem = QString::fromStdString(escaped(error.what(), 2000));
    }
}

}  // namespace

RunState loadRun(const store::Store& history, store::RunId run) {
    RunState state;
    state.run = run;
    state.title = u"Run %1"_s.arg(run);
    const std::optional<store::RunRow> row = history.run(run);
    if (!row) {
        state.status = store::RunStatus::failed;
        state.problem = u"The history has no run %1."_s.arg(run);
        return state;
    }
    if (!row->name.empty()) state.title = shown(row->name);
    state.status = row->status;
    if (row->started && row->finished) state.seconds = static_cast<double>(*row->finished - *row->started) / 1000;
    if (row->status == store::RunStatus::failed) state.problem = QString::fromStdString(escaped(row->headline, 2000));
    readContents(history, state);
    return state;
}

PointsDocument::Runs loadPoints(const store::Store& history, const std::vector<store::RunId>& runs) {
    PointsDocument::Runs points{.points = {}, .numbers = runs, .name = {}};
    if (runs.size() == 1)
        if (const std::optional<store::Sweep> sweep = history.sweepOf(runs.front())) {
            points.numbers.clear();
            for (const auto& [point, run] : sweep->runs) points.numbers.push_back(run);
            if (sweep->document.is_object() && sweep->document.contains("file") && sweep->document["file"].is_string())
                points.name = shown(sweep->document["file"].get<std::string>());
            if (points.name.isEmpty()) points.name = u"run %1"_s.arg(runs.front());
        }
    std::vector<store::RunId> known;
    for (const store::RunId run : points.numbers) {
        const std::optional<store::RunRow> row = history.run(run);
        if (!row) continue;
        study::RunPoint point{.name = row->name.empty() ? "run " + std::to_string(run) : row->name,
                              .study = history.study(run),
                              .metrics = history.metrics(run)};
        if (point.metrics.empty())
            point.failure = row->headline.empty() ? "it is " + std::string(store::nameOf(row->status)) : row->headline;
        points.points.push_back(std::move(point));
        known.push_back(run);
    }
    points.numbers = std::move(known);
    return points;
}

std::vector<store::RunId> runNumbers(const QString& key, std::size_t max) {
    std::vector<store::RunId> runs;
    for (const QString& part : key.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bool isNumber = false;
        const store::RunId run = part.toLongLong(&isNumber);
        if (isNumber && run > 0 && runs.size() < max) runs.push_back(run);
    }
    return runs;
}

QString runKey(const std::vector<store::RunId>& runs) {
    QStringList parts;
    for (const store::RunId run : runs) parts.append(QString::number(run));
    return parts.join(QLatin1Char(','));
}

}  // namespace tessera::ui

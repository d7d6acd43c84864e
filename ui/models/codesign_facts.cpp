#include "ui/models/codesign_facts.h"

#include "core/base/units.h"
#include "core/codesign/search/search.h"
#include "core/hardware/architecture.h"
#include "core/hardware/area.h"
#include "core/report/codesign_pictures.h"
#include "core/study/explanation.h"
#include "core/study/metric.h"
#include "ui/models/partition_run.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {

namespace {

Facts::Row whole(const QString& label, std::int64_t value) {
    return columns::numberFact(label, columns::count(static_cast<double>(value)), static_cast<double>(value));
}

Facts::Row buffer(const QString& label, Bytes size) {
    return columns::numberFact(label, QString::fromStdString(hardware::bufferSize(size)), size.value);
}

Facts::Section partsOf(const hardware::Architecture& its) {
    Facts::Section section{
        .title = tr("Architecture"),
        .rows = {whole(tr("Tensor cores"), its.tensorCores),
                 whole(tr("Vector cores"), its.vectorCores),
                 {.label = tr("Array"), .value = QStringLiteral("%1 × %2").arg(its.width).arg(its.height)},
                 buffer(tr("Global buffer"), its.globalBuffer),
                 buffer(tr("L2 of a tensor core"), its.tensorL2),
                 buffer(tr("L2 of a vector core"), its.vectorL2),
                 columns::numberFact(tr("GLB bandwidth"), tr("%1 words/cycle").arg(columns::count(its.globalWords)),
                                     its.globalWords)}};
    if (its.hbmBandwidth)
        section.rows.append(
            columns::quantityFact(tr("HBM bandwidth"), its.hbmBandwidth->value, Measure::bytesPerSecond));
    if (its.networkBandwidth)
        section.rows.append(columns::quantityFact(tr("Network"), its.networkBandwidth->value, Measure::bytesPerSecond));
    return section;
}

Facts::Section areaOf(const CodesignRun& run, const codesign::Point& point) {
    const hardware::Area& area = point.parts;
    const double total = area.total().value;
    const auto part = [&](const QString& label, SquareMillimetres size) {
        Facts::Row row = columns::quantityFact(label, size.value, Measure::area);
        if (total > 0) row.value += QStringLiteral(" · ") + shareText(size.value / total);
        return row;
    };
    Facts::Section section{
        .title = tr("Area"),
        .rows = {columns::quantityFact(tr("Whole"), total, Measure::area), part(tr("Tensor cores"), area.tensorCores),
                 part(tr("Vector cores"), area.vectorCores), part(tr("L2"), area.l2),
                 part(tr("Global buffer"), area.globalBuffer)}};
    if (area.hbmInterface.value > 0) section.rows.append(part(tr("HBM interface"), area.hbmInterface));
    if (area.networkInterface.value > 0) section.rows.append(part(tr("Network interface"), area.networkInterface));
    if (run.result().areaBound.value > 0)
        section.rows[0].value +=
            QStringLiteral(" · ") + tr("%1 of the limit").arg(shareText(total / run.result().areaBound.value));
    return section;
}

Facts::Section worthOf(const CodesignRun& run, const codesign::Point& point) {
    Facts::Section section{.title = tr("Metrics"), .rows = {}};
    for (const report::PointValue& value : run.values())
        if (value.id != "area")
            section.rows.append(columns::numberFact(QString::fromStdString(value.title),
                                                    QString::fromStdString(report::textOf(value, point)),
                                                    value.of(point)));
    return section;
}

/// Ratios to the pinned architecture; better ones are said to be.
Facts::Section against(const CodesignChoice& choice, const codesign::Point& point) {
    const codesign::Point& pinned = choice.run.row(choice.pinned).point;
    Facts::Section section{.title = tr("Against A, %1").arg(choice.run.architecture(choice.pinned)), .rows = {}};
    for (const report::PointValue& value : choice.run.values()) {
        const double before = value.of(pinned), now = value.of(point);
        if (!(before > 0)) continue;
        const double ratio = now / before;
        const bool better = value.more ? ratio > 1 : ratio < 1;
        QString text = QString::fromStdString(study::timesText(ratio));
        if (ratio == 1)
            text = tr("the same");
        else
            text += better ? tr(", better") : tr(", worse");
        section.rows.append(columns::numberFact(QString::fromStdString(value.title), text, ratio));
    }
    return section;
}

}  // namespace

Facts architectureFacts(const CodesignChoice& choice, int row) {
    const report::PointRow& its = choice.run.row(row);
    Facts facts;
    facts.title = choice.run.architecture(row);
    facts.icon = QStringLiteral("template");
    QStringList roles;
    if (its.best) roles << tr("Chosen by the search");
    if (its.onFront && !its.best) roles << tr("On the front");
    if (!its.baseline.empty()) roles << shownText(its.baseline);
    if (row == choice.pinned) roles << tr("Pinned as A");
    facts.subtitle = roles.isEmpty() ? tr("Architecture that was evaluated") : roles.join(QStringLiteral(" · "));
    if (choice.pinned >= 0 && choice.pinned != row) facts.sections.append(against(choice, its.point));
    facts.sections.append(worthOf(choice.run, its.point));
    facts.sections.append(partsOf(its.point.architecture));
    facts.sections.append(areaOf(choice.run, its.point));
    const std::vector<std::string> notes = hardware::areaNotes(its.point.architecture, its.point.parts);
    for (const std::string& note : notes)
        facts.note += (facts.note.isEmpty() ? QString() : QStringLiteral(" ")) + shownText(note);
    return facts;
}

Facts placedModelFacts(const CodesignChoice& choice, int model) {
    const codesign::ModelResult& its = choice.run.model(model);
    Facts facts;
    facts.title = choice.run.modelTitle(model);
    facts.icon = QStringLiteral("model");
    facts.subtitle = its.feasible ? tr("On %1").arg(choice.run.architecture(choice.run.bestRow())) : tr("Does not fit");
    if (!its.feasible) {
        facts.note = shownText(its.reason);
        return facts;
    }
    Facts::Section speed{
        .title = tr("Speed"),
        .rows = {columns::numberFact(tr("Throughput"), tr("%1 samples/s").arg(columns::count(its.throughput)),
                                     its.throughput),
                 columns::numberFact(tr("At most, on this accelerator"),
                                     tr("%1 samples/s").arg(columns::count(its.throughputBound)), its.throughputBound),
                 columns::quantityFact(tr("Time of a batch"), its.timePerBatch.value, Measure::seconds),
                 columns::numberFact(tr("Utilisation"), shareText(its.mfu), its.mfu),
                 columns::quantityFact(tr("Energy per sample"), its.energyPerSample, Measure::joules)}};
    const auto explained = [&](Facts::Row& row, const char* metric) {
        row.explain = [run = choice.run, path = its.model + "/" + metric] { return study::explain(run.whole(), path); };
    };
    explained(speed.rows[0], "throughput_samples_per_s");
    explained(speed.rows[2], "time_per_batch_s");
    explained(speed.rows[3], "mfu");
    explained(speed.rows[4], "energy_j_per_sample");
    const auto factor = [&](const QString& label, const std::optional<double>& times) {
        if (times)
            speed.rows.append(columns::numberFact(label, QString::fromStdString(study::timesText(*times)), *times));
    };
    factor(tr("Over the reference, expert's placement"), its.speedupOverExpert);
    factor(tr("Over the reference, our placement"), its.speedupOverSolver);
    const Facts::Section placed{
        .title = tr("Placement"),
        .rows = {whole(tr("Stages"), its.pipeline),
                 whole(tr("Replicas"), its.data),
                 whole(tr("Width of slices"), its.tensor),
                 whole(tr("Samples of a micro-batch"), its.choice.microBatch),
                 {.label = tr("Activations"), .value = its.choice.recompute ? tr("computed again") : tr("kept")},
                 buffer(tr("HBM"), its.hbm)}};
    facts.sections = {speed, placed};
    if (its.schedule) facts.note = QString::fromStdString(report::scheduleSentence(its.schedule->forward));
    return facts;
}

}  // namespace tessera::ui

#include "ui/models/codesign_facts.h"

#include "core/base/units.h"
#include "core/hardware/area.h"
#include "core/report/codesign_pictures.h"
#include "core/study/codesign/fields.h"
#include "core/study/metric.h"
#include "ui/models/field_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

Facts::Section areaOf(const CodesignRun& run, const codesign::Point& point) {
    const hardware::Area& area = point.parts;
    const double total = area.total().value;
    const auto part = [&](const QString& label, SquareMillimetres size) {
        Facts::Row row = columns::quantityFact(label, size.value, Measure::area);
        if (total > 0) row.value += u" · "_s + shareText(size.value / total);
        return row;
    };
    Facts::Section section{
        .title = u"Area"_s,
        .rows = {columns::quantityFact(u"Whole"_s, total, Measure::area), part(u"Tensor cores"_s, area.tensorCores),
                 part(u"Vector cores"_s, area.vectorCores), part(u"L2"_s, area.l2),
                 part(u"Global buffer"_s, area.globalBuffer)}};
    if (area.hbmInterface.value > 0) section.rows.append(part(u"HBM interface"_s, area.hbmInterface));
    if (area.networkInterface.value > 0) section.rows.append(part(u"Network interface"_s, area.networkInterface));
    if (run.result().areaBound.value > 0)
        section.rows[0].value += u" · "_s + u"%1 of the limit"_s.arg(shareText(total / run.result().areaBound.value));
    return section;
}

/// What is said of results; what an architecture consists of stands elsewhere.
bool isMetric(const explore::PointColumn& value) {
    return value.role != explore::PointColumn::Role::variable;
}

Facts::Section metricsSectionOf(const CodesignRun& run, int row) {
    Facts::Section section{.title = u"Metrics"_s, .rows = {}};
    for (const explore::PointColumn& value : run.points()->columns) {
        if (!isMetric(value) || value.id == "area") continue;
        const double its = report::valueOf(value, static_cast<std::size_t>(row));
        section.rows.append(columns::numberFact(toQt(value.title), toQt(report::textOf(value, its)), its));
    }
    return section;
}

/// Ratios to the pinned architecture; better ones are said to be.
Facts::Section against(const CodesignChoice& choice, int row) {
    Facts::Section section{.title = u"Against A, %1"_s.arg(choice.run.architecture(choice.pinned)), .rows = {}};
    for (const explore::PointColumn& value : choice.run.points()->columns) {
        const double before = report::valueOf(value, static_cast<std::size_t>(choice.pinned));
        if (!isMetric(value) || !(before > 0)) continue;
        const double ratio = report::valueOf(value, static_cast<std::size_t>(row)) / before;
        const bool better = value.better == explore::PointColumn::Better::higher ? ratio > 1 : ratio < 1;
        QString text = toQt(study::timesText(ratio));
        if (ratio == 1)
            text = u"the same"_s;
        else
            text += better ? u", better"_s : u", worse"_s;
        section.rows.append(columns::numberFact(toQt(value.title), text, ratio));
    }
    return section;
}

}  // namespace

Facts architectureFacts(const CodesignChoice& choice, int row) {
    const study::KnownDesign& its = choice.run.row(row);
    Facts facts{.title = choice.run.architecture(row), .icon = u"template"_s};
    QStringList roles;
    if (its.best) roles << u"Chosen by the search"_s;
    if (its.onFront && !its.best) roles << u"On the front"_s;
    if (!its.baseline.empty()) roles << shownText(its.baseline);
    if (row == choice.pinned) roles << u"Pinned as A"_s;
    facts.subtitle = roles.isEmpty() ? u"Architecture that was evaluated"_s : roles.join(u" · "_s);
    if (choice.pinned >= 0 && choice.pinned != row) facts.sections.append(against(choice, row));
    facts.sections.append(metricsSectionOf(choice.run, row));
    facts.sections.append(columns::factsOf(u"Architecture"_s, study::pointFields(),
                                           study::DesignPoint{&choice.run.result(), &its.point}, choice.run.shared(),
                                           ""));
    facts.sections.append(areaOf(choice.run, its.point));
    const std::vector<std::string> notes = hardware::areaNotes(its.point.architecture, its.point.parts);
    for (const std::string& note : notes) facts.note += (facts.note.isEmpty() ? QString() : u" "_s) + shownText(note);
    return facts;
}

Facts placedModelFacts(const CodesignChoice& choice, int model) {
    const codesign::ModelResult& its = choice.run.model(model);
    Facts facts{
        .title = choice.run.modelTitle(model),
        .subtitle = its.feasible ? u"On %1"_s.arg(choice.run.architecture(choice.run.bestRow())) : u"Does not fit"_s,
        .icon = u"model"_s};
    if (!its.feasible) {
        facts.note = shownText(its.reason);
        return facts;
    }
    const study::TrainedModel row{&choice.run.result(), &its};
    const auto section = [&](const QString& title, study::FieldUse use) {
        return columns::factsOf(title, study::modelFields(), row, choice.run.shared(), its.model, use);
    };
    facts.sections = {section(u"Speed"_s, study::kFacts), section(u"Placement"_s, study::kWhat)};
    if (its.schedule) facts.note = toQt(report::scheduleSentence(its.schedule->forward));
    return facts;
}

}  // namespace tessera::ui

#include "ui/models/prediction_facts.h"

#include "core/model/training.h"
#include "core/study/explanation.h"
#include "core/study/metric.h"
#include "core/study/prediction/fields.h"
#include "core/study/prediction/study.h"
#include "ui/models/field_columns.h"
#include "ui/models/partition_run.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {

namespace {

using predict::Prediction;

Facts::Section memorySection(const Prediction& one) {
    Facts::Section section{.title = tr("Memory of a device"), .rows = {}};
    for (const predict::LevelUse& level : one.memory.levels) {
        const double used = predict::sumOf(level.bytes);
        Facts::Row row = columns::quantityFact(shownText(level.level), used, Measure::bytes);
        row.value += level.capacity ? tr(" of %1").arg(columns::quantity(level.capacity->value, Measure::bytes))
                                    : tr(", capacity not known");
        section.rows.append(row);
    }
    return section;
}

Facts::Section operatorSection(const Prediction& one) {
    const predict::OperatorShares& shares = one.operators;
    const auto whole = [](const QString& label, std::int64_t value) {
        return columns::numberFact(label, columns::count(static_cast<double>(value)), static_cast<double>(value));
    };
    Facts::Section section{
        .title = tr("Operators"),
        .rows = {whole(tr("That take time"), shares.operators), whole(tr("By measured kernels"), shares.measured)}};
    if (shares.time.value > 0)
        section.rows[1].value += tr(", %1 of the time").arg(shareText(ratio(shares.measuredTime, shares.time)));
    if (shares.outsideHull > 0) section.rows.append(whole(tr("Outside of what was measured"), shares.outsideHull));
    return section;
}

Facts::Section sourceSection(const Prediction& one) {
    Facts::Section section{.title = tr("Where its numbers come from"), .rows = {}};
    for (const auto& [path, from] : one.sources)
        section.rows.append({.label = shownText(path),
                             .value = from.reliability.empty() ? tr("not said") : shownText(from.reliability),
                             .whereFrom = shownText(hardware::sourceText(from))});
    return section;
}

}  // namespace

Facts predictionFacts(const PredictionChoice& choice, int prediction) {
    const Prediction& one = choice.run.prediction(prediction);
    Facts facts{.title = shownText(one.name.empty() ? one.accelerator : one.name),
                .icon = QStringLiteral("accelerator")};
    const int count = choice.run.countOf(one.devices);
    const QString devices = count < 0 ? QString() : choice.run.devicesText(count);
    facts.subtitle = one.infeasible
                         ? tr("Does not fit on %1").arg(devices)
                         : tr("On %1, batch %2 each").arg(devices, columns::count(static_cast<double>(one.batch)));
    if (one.infeasible)
        facts.note = shownText(*one.infeasible);
    else
        facts.sections.append(columns::factsOf(tr("Prediction"), study::predictionFields(), one, choice.run.shared(),
                                               study::nameOf(one), study::kMetric));
    facts.sections.append(memorySection(one));
    if (!one.infeasible) facts.sections.append(operatorSection(one));
    facts.sections.append(sourceSection(one));
    facts.sections.removeIf([](const Facts::Section& section) { return section.rows.isEmpty(); });
    return facts;
}

Facts operatorFacts(const PredictionChoice& choice, int op) {
    const int prediction = choice.prediction();
    const predict::AlikeOperators& its = choice.run.operators(prediction).at(static_cast<std::size_t>(op));
    Facts facts{.title = shownText(its.name),
                .subtitle = QStringLiteral("%1 · %2").arg(shownText(its.type), toQt(model::nameOf(its.phase))),
                .icon = QStringLiteral("model")};
    const auto section = [&](const QString& title, study::FieldUse use) {
        return columns::factsOf(title, study::operatorFields(), study::TimedOperator{&choice.chosen(), &its},
                                choice.run.shared(), "", use);
    };
    facts.sections = {
        section(tr("Time of a step on %1").arg(choice.run.acceleratorName(choice.accelerator)), study::kFacts),
        section(tr("Work of one"), study::kWhat)};
    if (its.way == predict::Way::roofline && choice.chosen().operators.outsideHull > 0)
        facts.note =
            tr("Some operators have measured kernels, but at other shapes only; they are priced by the "
               "roofline.");
    return facts;
}

}  // namespace tessera::ui

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
using namespace Qt::StringLiterals;

namespace {

using predict::Prediction;

Facts::Section memorySection(const Prediction& one) {
    Facts::Section section{.title = u"Memory of a device"_s, .rows = {}};
    for (const predict::LevelUse& level : one.memory.levels) {
        const double used = predict::sumOf(level.bytes);
        Facts::Row row = columns::quantityFact(shownText(level.level), used, Measure::bytes);
        row.value += level.capacity ? u" of %1"_s.arg(columns::quantity(level.capacity->value, Measure::bytes))
                                    : u", capacity not known"_s;
        section.rows.append(row);
    }
    return section;
}

Facts::Section operatorSection(const Prediction& one) {
    const predict::OperatorShares& shares = one.operators;
    const auto whole = [](const QString& label, std::int64_t value) {
        return columns::numberFact(label, countText(value), static_cast<double>(value));
    };
    Facts::Section section{
        .title = u"Operators"_s,
        .rows = {whole(u"That take time"_s, shares.operators), whole(u"By measured kernels"_s, shares.measured)}};
    if (shares.time.value > 0)
        section.rows[1].value += u", %1 of the time"_s.arg(shareText(ratio(shares.measuredTime, shares.time)));
    if (shares.outsideHull > 0) section.rows.append(whole(u"Outside of what was measured"_s, shares.outsideHull));
    return section;
}

Facts::Section sourceSection(const Prediction& one) {
    Facts::Section section{.title = u"Where its numbers come from"_s, .rows = {}};
    for (const auto& [path, from] : one.sources)
        section.rows.append({.label = shownText(path),
                             .value = from.reliability.empty() ? u"not said"_s : shownText(from.reliability),
                             .whereFrom = shownText(hardware::sourceText(from))});
    return section;
}

}  // namespace

Facts predictionFacts(const PredictionChoice& choice, int prediction) {
    const Prediction& one = choice.run.prediction(prediction);
    Facts facts{.title = shownText(one.name.empty() ? one.accelerator : one.name), .icon = u"accelerator"_s};
    const int count = choice.run.countOf(one.devices);
    const QString devices = count < 0 ? QString() : choice.run.devicesText(count);
    facts.subtitle = one.infeasible ? u"Does not fit on %1"_s.arg(devices)
                                    : u"On %1, batch %2 each"_s.arg(devices, countText(one.batch));
    if (one.infeasible)
        facts.note = shownText(*one.infeasible);
    else
        facts.sections.append(columns::factsOf(u"Prediction"_s, study::predictionFields(), one, choice.run.shared(),
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
                .subtitle = u"%1 · %2"_s.arg(shownText(its.type), toQt(model::nameOf(its.phase))),
                .icon = u"model"_s};
    const auto section = [&](const QString& title, study::FieldUse use) {
        return columns::factsOf(title, study::operatorFields(), study::TimedOperator{&choice.chosen(), &its},
                                choice.run.shared(), "", use);
    };
    facts.sections = {
        section(u"Time of a step on %1"_s.arg(choice.run.acceleratorName(choice.accelerator)), study::kFacts),
        section(u"Work of one"_s, study::kWhat)};
    if (its.way == predict::Way::roofline && choice.chosen().operators.outsideHull > 0)
        facts.note =
            u"Some operators have measured kernels, but at other shapes only; they are priced by the "
            "roofline."_s;
    return facts;
}

}  // namespace tessera::ui

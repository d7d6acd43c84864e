#include "ui/models/partition_facts.h"

#include <utility>

#include "core/base/units.h"
#include "core/partition/partition.h"
#include "core/study/explanation.h"
#include "core/study/metric.h"
#include "ui/models/text.h"

namespace tessera::ui {

namespace {

using partition::LayerPlan;
using partition::LevelPlan;
using partition::Plan;

/// A number of the result at `path`, which can be explained.
Facts::Row row(const PartitionChoice& choice, const QString& label, double value, Measure measure, const QString& path,
               const QString& whereFrom = {}) {
    Facts::Row fact;
    fact.label = label;
    fact.value = QString::fromStdString(formatQuantity(value, measure));
    fact.exact = QString::fromStdString(exactNumber(value));
    fact.whereFrom = whereFrom;
    if (!path.isEmpty())
        fact.explain = [run = choice.run, path] { return study::explain(run.result(), path.toStdString()); };
    return fact;
}

Facts::Row textRow(const QString& label, const QString& value, const QString& whereFrom = {}) {
    return {.label = label, .value = value, .whereFrom = whereFrom};
}

Facts::Row shareRow(const QString& label, double part, double whole) {
    return textRow(label, whole > 0 ? QString::fromStdString(study::percentText(part / whole)) : QStringLiteral("–"));
}

QString inPlan(const PartitionChoice& choice, const QString& rest) {
    return QString::fromStdString(choice.chosen().strategy) + QLatin1Char('/') + rest;
}

QString inSplit(const PartitionChoice& choice, const QString& rest) {
    return inPlan(choice, QStringLiteral("levels[%1]/%2").arg(choice.split).arg(rest));
}

double timeOf(const LayerPlan& layer) {
    return layer.compute.value + layer.intra.value + layer.inter.value;
}

double timeOfSplit(const LevelPlan& level) {
    double sum = 0;
    for (const LayerPlan& layer : level.layers) sum += timeOf(layer);
    for (const partition::JoinPlan& join : level.joins) sum += join.compute.value + join.inter.value;
    return sum;
}

}  // namespace

Facts layerFacts(const PartitionChoice& choice, int layer) {
    const LevelPlan& level = choice.level();
    const LayerPlan& plan = level.layers.at(static_cast<std::size_t>(layer));
    const auto path = [&](const char* field) {
        return inSplit(choice, QStringLiteral("layers[%1]/%2").arg(layer).arg(QLatin1String(field)));
    };
    Facts facts;
    facts.title = choice.run.layerName(plan.layer);
    facts.subtitle = tr("%1 under %2").arg(typeTitle(plan.type), choice.run.strategy(choice.plan));
    facts.icon = QStringLiteral("layer");
    Facts::Row type = textRow(tr("Type"), typeTitle(plan.type), tr("chosen by the search, AccPar section 5"));
    const auto pinned =
        choice.pins.types.find(choice.run.outcome().result.names.at(static_cast<std::size_t>(plan.layer)));
    if (pinned != choice.pins.types.end()) type.whereFrom = tr("pinned to %1").arg(typeTitle(pinned->second));
    type.explain = [run = choice.run, p = path("type")] { return study::explain(run.result(), p.toStdString()); };
    facts.sections.append(
        {tr("Split"), {textRow(tr("Where"), choice.run.splitTitle(choice.plan, choice.split)), type}});
    const double together = timeOf(plan);
    facts.sections.append(
        {tr("Critical-path time"),
         {row(choice, tr("Compute"), plan.compute.value, Measure::seconds, path("compute_s"), tr("AccPar, Table 6")),
          row(choice, tr("Within the layer"), plan.intra.value, Measure::seconds, path("intra_s"),
              tr("AccPar, Table 4")),
          row(choice, tr("Between layers"), plan.inter.value, Measure::seconds, path("inter_s"), tr("AccPar, Table 5")),
          row(choice, tr("Together"), together, Measure::seconds, {}),
          shareRow(tr("Share of this split"), together, timeOfSplit(level)),
          shareRow(tr("Share of step time spent in its transfers"), plan.intra.value + plan.inter.value,
                   choice.chosen().stepTime.value)}});
    return facts;
}

Facts splitFacts(const PartitionChoice& choice) {
    const LevelPlan& level = choice.level();
    Facts facts;
    facts.title = choice.run.splitTitle(choice.plan, choice.split);
    facts.subtitle = tr("Split under %1").arg(choice.run.strategy(choice.plan));
    facts.icon = QStringLiteral("split");
    Facts::Row ratio = row(choice, tr("Ratio"), level.ratio, Measure::count, inSplit(choice, QStringLiteral("ratio")));
    ratio.whereFrom = choice.pins.ratios.count(level.level) != 0 ? tr("pinned by hand") : tr("share of the first side");
    facts.sections.append({tr("Split"),
                           {ratio,
                            row(choice, tr("Objective"), level.objective.value, Measure::seconds,
                                inSplit(choice, QStringLiteral("objective_s"))),
                            row(choice, tr("Lower bound"), level.lowerBound.value, Measure::seconds,
                                inSplit(choice, QStringLiteral("lower_bound_s"))),
                            row(choice, tr("First side"), level.sideI.value, Measure::seconds,
                                inSplit(choice, QStringLiteral("side_i_s"))),
                            row(choice, tr("Second side"), level.sideJ.value, Measure::seconds,
                                inSplit(choice, QStringLiteral("side_j_s")))}});
    return facts;
}

Facts planFacts(const PartitionChoice& choice) {
    const Plan& plan = choice.chosen();
    const auto path = [&](const char* field) { return inPlan(choice, QLatin1String(field)); };
    Facts facts;
    facts.title = choice.run.strategy(choice.plan);
    facts.subtitle = tr("%1 on %2").arg(shownText(choice.run.outcome().model), shownText(choice.run.outcome().fleet));
    facts.icon = QStringLiteral("strategy");
    facts.ofWhole = true;
    Facts::Row speedup =
        row(choice, tr("Over data parallelism"), plan.speedupOverDp, Measure::count, path("speedup_over_dp"));
    speedup.value = QString::fromStdString(study::timesText(plan.speedupOverDp));
    Facts::Row throughput =
        row(choice, tr("Throughput"), plan.throughput, Measure::count, path("throughput_samples_per_s"));
    throughput.value = tr("%1 samples/s").arg(QString::fromStdString(study::rateText(plan.throughput)));
    facts.sections.append(
        {tr("Plan"),
         {row(choice, tr("Step time"), plan.stepTime.value, Measure::seconds, path("step_time_s")), speedup, throughput,
          row(choice, tr("Lower bound"), plan.lowerBound.value, Measure::seconds, path("lower_bound_s")),
          textRow(tr("Certainty"), certaintyOf(plan)),
          textRow(tr("Fits in memory"), plan.fits ? tr("yes") : tr("no"))}});
    return facts;
}

Facts acceleratorFacts(const PartitionChoice& choice, int kind) {
    const partition::AcceleratorShare& shareRow = choice.chosen().shares.at(static_cast<std::size_t>(kind));
    const auto path = [&](const char* field) {
        return inPlan(choice, QStringLiteral("per_accelerator[%1]/%2").arg(kind).arg(QLatin1String(field)));
    };
    Facts facts;
    facts.title = shownText(shareRow.kind);
    facts.subtitle = tr("%1 accelerators under %2")
                         .arg(QString::fromStdString(formatCount(static_cast<double>(shareRow.count))),
                              choice.run.strategy(choice.plan));
    facts.icon = QStringLiteral("accelerator");
    Facts::Section memory{tr("Memory"),
                          {row(choice, tr("Holds"), shareRow.memory.value, Measure::bytes, path("memory_bytes"),
                               tr("weights, gradients, optimiser state and activations"))}};
    if (shareRow.capacity) memory.rows.append(row(choice, tr("Has"), shareRow.capacity->value, Measure::bytes, {}));
    memory.rows.append(
        textRow(tr("Fits"), shareRow.capacity ? (shareRow.fits ? tr("yes") : tr("no")) : tr("not checked")));
    facts.sections.append(
        {tr("Time of the slowest"),
         {row(choice, tr("Compute"), shareRow.compute.value, Measure::seconds, path("compute_s")),
          row(choice, tr("Communication"), shareRow.communication.value, Measure::seconds, path("communication_s"))}});
    facts.sections.append(memory);
    return facts;
}

}  // namespace tessera::ui

#include "ui/models/partition_tables.h"

#include <string_view>
#include <utility>

#include "core/base/number.h"
#include "core/base/units.h"
#include "core/draw/theme.h"
#include "core/partition/partition.h"
#include "core/report/strategy_colour.h"
#include "core/study/metric.h"
#include "core/study/partition/metrics.h"
#include "ui/models/table_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {

namespace {

using partition::AcceleratorShare;
using partition::JoinPlan;
using partition::LayerPlan;
using partition::LevelPlan;
using partition::Plan;
using Column = TableModel::Column;
using columns::colourBy;
using columns::count;
using columns::exact;
using columns::number;
using columns::quantity;
using columns::words;

/// A layer or join of the chosen split, one after the other.
struct LayerRow {
    const LayerPlan* layer = nullptr;
    const JoinPlan* join = nullptr;
    std::int32_t index() const { return layer != nullptr ? layer->layer : join->layer; }
    double compute() const { return layer != nullptr ? layer->compute.value : join->compute.value; }
    double intra() const { return layer != nullptr ? layer->intra.value : 0; }
    double inter() const { return layer != nullptr ? layer->inter.value : join->inter.value; }
    double total() const { return compute() + intra() + inter(); }
};

LayerRow layerRow(const PartitionChoice& choice, int row) {
    const LevelPlan& level = choice.level();
    if (toIndex(row) < level.layers.size()) return {&level.layers[toIndex(row)], nullptr};
    return {nullptr, &level.joins.at(toIndex(row) - level.layers.size())};
}

/// Layers come first in the table, then joins, which exchange nothing within themselves.
QString layerPath(const PartitionChoice& choice, int row, const char* field) {
    const auto layers = static_cast<int>(choice.level().layers.size());
    const bool join = row >= layers;
    const std::string_view number(field);
    if (join && number == "intra_s") return {};
    return QStringLiteral("%1/levels[%2]/%3[%4]/%5")
        .arg(QString::fromStdString(choice.chosen().strategy))
        .arg(choice.split)
        .arg(QLatin1String(join ? "joins" : "layers"))
        .arg(join ? row - layers : row)
        .arg(QLatin1String(join && number == "type" ? "layout" : field));
}

QString typeOf(const PartitionChoice& choice, int row) {
    const LayerRow item = layerRow(choice, row);
    if (item.join != nullptr) return tr("join, %1").arg(QLatin1String(partition::nameOf(item.join->layout).data()));
    return QLatin1String(partition::nameOf(item.layer->type).data());
}

QString pinOf(const PartitionChoice& choice, int row) {
    const LayerRow item = layerRow(choice, row);
    const auto index = toIndex(item.index());
    const std::vector<std::string>& names = choice.run.outcome().result.names;
    if (item.layer == nullptr || index >= names.size()) return {};
    const auto found = choice.pins.types.find(names[index]);
    return found == choice.pins.types.end() ? QString() : QLatin1String(partition::nameOf(found->second).data());
}

const Plan& planOf(const SharedChoice& choice, int row) {
    return choice->run.plan(row);
}

std::function<QString(int)> planPath(const SharedChoice& choice, const char* field) {
    return [choice, field](int row) {
        return QString::fromStdString(planOf(choice, row).strategy) + QLatin1Char('/') + QLatin1String(field);
    };
}

std::function<QString(int)> partPath(const SharedChoice& choice, const char* list, const char* field) {
    return [choice, list, field](int row) {
        return QStringLiteral("%1/%2[%3]/%4")
            .arg(QString::fromStdString(choice->chosen().strategy), QLatin1String(list))
            .arg(row)
            .arg(QLatin1String(field));
    };
}

Column factor(const QString& title, std::function<double(int)> value, std::function<QString(int)> path,
              const QString& help) {
    Column column = number(title, Measure::count, value, std::move(path), help);
    column.text = [value](int row) { return QString::fromStdString(study::timesText(value(row))); };
    return column;
}

QString idleOf(const std::vector<std::string>& idle) {
    return idle.empty() ? tr("none") : QString::fromStdString(study::idleText(idle));
}

}  // namespace

TableModel* subsetTableModel(const SharedChoice& choice, QObject* parent) {
    const auto subset = [choice](int row) -> const partition::SubsetPlan& {
        return choice->chosen().subsets.at(toIndex(row));
    };
    Column taking = number(
        tr("Accelerators"), Measure::count, [subset](int row) { return static_cast<double>(subset(row).accelerators); },
        nullptr, tr("That take part"));
    taking.text = [subset](int row) { return count(static_cast<double>(subset(row).accelerators)); };
    Column bound = number(
        tr("Lower bound"), Measure::seconds, [subset](int row) { return subset(row).lowerBound.value; }, nullptr,
        tr("No plan on exactly these accelerators can be faster"));
    bound.text = [subset](int row) {
        const double value = subset(row).lowerBound.value;
        return value > 0 ? quantity(value, Measure::seconds) : QStringLiteral("–");
    };
    return new TableModel(
        {words(tr("Idle"), [subset](int row) { return idleOf(subset(row).idle); }), taking,
         number(
             tr("Step time"), Measure::seconds, [subset](int row) { return subset(row).stepTime.value; }, nullptr,
             tr("Of the strategy's plan on these accelerators")),
         factor(
             tr("Speed-up"), [subset](int row) { return subset(row).speedupOverDp; }, nullptr,
             tr("Speed-up over data parallelism on its best subset of the fleet")),
         bound,
         words(tr("Certainty if these take part"),
               [subset](int row) {
                   return QString::fromStdString(
                       study::gapText(subset(row).stepTime.value, subset(row).lowerBound.value));
               })},
        parent);
}

TableModel* strategyTableModel(const SharedChoice& choice, QObject* parent) {
    Column name = words(tr("Strategy"), [choice](int row) { return choice->run.strategy(row); });
    colourBy(name, [choice](int row) {
        const std::string_view colour = report::strategyColour(planOf(choice, row).strategy);
        return QString::fromUtf8(colour.data(), static_cast<int>(colour.size()));
    });
    Column bound = number(
        tr("Lower bound"), Measure::seconds, [choice](int row) { return planOf(choice, row).lowerBound.value; },
        planPath(choice, "lower_bound_s"), tr("No plan of this strategy can be faster"));
    bound.text = [choice](int row) {
        const double value = planOf(choice, row).lowerBound.value;
        return value > 0 ? quantity(value, Measure::seconds) : QStringLiteral("–");
    };
    Column throughput = number(
        tr("Samples/s"), Measure::count, [choice](int row) { return planOf(choice, row).throughput; },
        planPath(choice, "throughput_samples_per_s"));
    throughput.text = [choice](int row) {
        return QString::fromStdString(study::rateText(planOf(choice, row).throughput));
    };
    return new TableModel(
        {name,
         number(
             tr("Step time"), Measure::seconds, [choice](int row) { return planOf(choice, row).stepTime.value; },
             planPath(choice, "step_time_s"), tr("Of one training step on the groups that take part")),
         factor(
             tr("Speed-up"), [choice](int row) { return planOf(choice, row).speedupOverDp; },
             planPath(choice, "speedup_over_dp"), tr("Speed-up over data parallelism on its best subset of the fleet")),
         words(
             tr("Idle"), [choice](int row) { return idleOf(planOf(choice, row).idle); },
             tr("Groups of the fleet that take no part")),
         throughput, bound, words(tr("Certainty"), [choice](int row) { return certaintyOf(planOf(choice, row)); }),
         words(tr("Fits in memory"), [choice](int row) { return planOf(choice, row).fits ? tr("yes") : tr("no"); })},
        parent);
}

TableModel* layerTableModel(const SharedChoice& choice, QObject* parent) {
    const auto path = [choice](const char* field) {
        return [choice, field](int row) { return layerPath(*choice, row, field); };
    };
    Column type = words(
        tr("Type"), [choice](int row) { return typeOf(*choice, row); },
        tr("Batch (I), input (II) or output channels (III) are split"));
    type.decoration = [choice, path = path("type")](int row, int role) -> QVariant {
        if (role == PathRole) return path(row);
        const LayerRow item = layerRow(*choice, row);
        if (role != Qt::DecorationRole || item.layer == nullptr) return {};
        return theme().dataColour(report::kPartitionTypes.at(static_cast<std::size_t>(item.layer->type)));
    };
    const auto time = [&](const QString& title, double (LayerRow::*part)() const, const char* field,
                          const QString& help) {
        Column column = number(
            title, Measure::seconds, [choice, part](int row) { return (layerRow(*choice, row).*part)(); },
            field != nullptr ? std::function<QString(int)>(path(field)) : nullptr, help);
        column.summed = true;
        column.sumText = [](double sum) { return quantity(sum, Measure::seconds); };
        return column;
    };
    Column place = number(
        tr("#"), Measure::count, [](int row) { return row + 1.0; }, nullptr, tr("Order in the network"));
    place.text = [](int row) { return QString::number(row + 1); };
    return new TableModel(
        {place, words(tr("Layer"), [choice](int row) { return choice->run.layerName(layerRow(*choice, row).index()); }),
         type, time(tr("Compute"), &LayerRow::compute, "compute_s", tr("On the critical path")),
         time(tr("Within"), &LayerRow::intra, "intra_s", tr("Partial sums and gradients exchanged inside the layer")),
         time(tr("Between"), &LayerRow::inter, "inter_s", tr("Converting tensors from the layers before")),
         time(tr("Together"), &LayerRow::total, nullptr, tr("Compute and transfers at this split")),
         words(tr("Pinned"), [choice](int row) { return pinOf(*choice, row); })},
        parent);
}

TableModel* levelTableModel(const SharedChoice& choice, QObject* parent) {
    const auto level = [choice](int row) -> const LevelPlan& { return choice->chosen().levels.at(toIndex(row)); };
    const auto whole = [](const QString& title, std::function<double(int)> value, const QString& help) {
        Column column = number(title, Measure::count, value, nullptr, help);
        column.text = [value](int row) { return count(value(row)); };
        return column;
    };
    Column ratio = number(
        tr("Ratio"), Measure::count, [level](int row) { return level(row).ratio; }, partPath(choice, "levels", "ratio"),
        tr("Share of the first side"));
    ratio.text = [level, choice](int row) {
        const QString text = QString::fromStdString(study::ratioText(level(row).ratio));
        return choice->pins.ratios.count(level(row).level) != 0 ? tr("%1 pinned").arg(text) : text;
    };
    return new TableModel(
        {whole(
             tr("Level"), [level](int row) { return level(row).level; }, tr("0 is the top-level split")),
         words(tr("Group"), [level](int row) { return shownText(level(row).group); }),
         whole(
             tr("Accelerators"), [level](int row) { return static_cast<double>(level(row).accelerators); },
             tr("In the group before the split")),
         whole(
             tr("Alike"), [level](int row) { return static_cast<double>(level(row).occurrences); },
             tr("Equal groups that this split stands for")),
         ratio,
         number(
             tr("Objective"), Measure::seconds, [level](int row) { return level(row).objective.value; },
             partPath(choice, "levels", "objective_s"), tr("What the types were chosen by")),
         number(
             tr("Lower bound"), Measure::seconds, [level](int row) { return level(row).lowerBound.value; },
             partPath(choice, "levels", "lower_bound_s")),
         words(tr("Types from the first layer to the last"),
               [choice](int row) {
                   return toIndex(row) < choice->types.size() ? QString::fromStdString(choice->types[toIndex(row)])
                                                              : QString();
               })},
        parent);
}

TableModel* acceleratorTableModel(const SharedChoice& choice, QObject* parent) {
    const auto share = [choice](int row) -> const AcceleratorShare& {
        return choice->chosen().shares.at(toIndex(row));
    };
    Column capacity = number(
        tr("Capacity"), Measure::bytes,
        [share](int row) { return share(row).capacity ? share(row).capacity->value : 0; }, nullptr);
    capacity.text = [share](int row) {
        return share(row).capacity ? quantity(share(row).capacity->value, Measure::bytes) : tr("not known");
    };
    Column number_ = number(
        tr("Count"), Measure::count, [share](int row) { return static_cast<double>(share(row).count); }, nullptr);
    number_.text = [share](int row) { return count(static_cast<double>(share(row).count)); };
    Column fits = words(tr("Fits"), [share](int row) {
        if (!share(row).capacity) return tr("not checked");
        return share(row).fits ? tr("yes") : tr("no");
    });
    fits.decoration = [share](int row, int role) -> QVariant {
        if (role != Qt::ForegroundRole || share(row).fits) return {};
        return theme().colour("bad");
    };
    return new TableModel(
        {words(tr("Kind"), [share](int row) { return shownText(share(row).kind); }), number_,
         number(
             tr("Compute"), Measure::seconds, [share](int row) { return share(row).compute.value; },
             partPath(choice, "per_accelerator", "compute_s"), tr("Of the slowest of its kind")),
         number(
             tr("Communication"), Measure::seconds, [share](int row) { return share(row).communication.value; },
             partPath(choice, "per_accelerator", "communication_s"), tr("All transfers on its way through the splits")),
         number(
             tr("Memory"), Measure::bytes, [share](int row) { return share(row).memory.value; },
             partPath(choice, "per_accelerator", "memory_bytes"),
             tr("Weights, gradients, optimiser state and activations")),
         capacity, fits},
        parent);
}

int layerRows(const PartitionChoice& choice) {
    return choice.hasSplit() ? static_cast<int>(choice.level().layers.size() + choice.level().joins.size()) : 0;
}

int levelRows(const PartitionChoice& choice) {
    return choice.run.isEmpty() ? 0 : static_cast<int>(choice.chosen().levels.size());
}

int acceleratorRows(const PartitionChoice& choice) {
    return choice.run.isEmpty() ? 0 : static_cast<int>(choice.chosen().shares.size());
}

int subsetRows(const PartitionChoice& choice) {
    return choice.run.isEmpty() ? 0 : static_cast<int>(choice.chosen().subsets.size());
}

QString explainPath(const TableModel& model, int row, int column) {
    if (column < 0 || column >= model.columns().size() || row < 0 || row >= model.rowCount()) return {};
    const auto& decoration = model.columns().at(column).decoration;
    return decoration ? decoration(row, PathRole).toString() : QString();
}

}  // namespace tessera::ui

#include "ui/models/partition_tables.h"

#include <algorithm>
#include <utility>

#include "core/base/number.h"
#include "core/base/units.h"
#include "core/draw/theme.h"
#include "core/partition/partition.h"
#include "core/report/strategy_colour.h"
#include "core/study/partition/fields.h"
#include "ui/models/field_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using columns::words;
using Column = TableModel::Column;

study::SplitRow splitRowOf(const PartitionChoice& choice, int row) {
    return study::splitRow(choice.run.outcome().result, choice.chosen(), choice.level(), toIndex(row));
}

/// The layer's type as the user fixed it; empty where it is free.
QString pinOf(const PartitionChoice& choice, const study::SplitRow& row) {
    if (!row.layer) return {};
    const auto found = choice.pins.types.find(row.name());
    return found == choice.pins.types.end() ? QString() : toQt(partition::nameOf(found->second));
}

std::function<QString(int)> partPath(const SharedChoice& choice, const char* list) {
    return [choice, list](int row) {
        return u"%1/%2[%3]"_s.arg(toQt(choice->chosen().strategy), QLatin1String(list)).arg(row);
    };
}

Column& columnOf(QVector<Column>& all, const char* title) {
    return *std::find_if(all.begin(), all.end(),
                         [&](const Column& each) { return each.title == QLatin1String(title); });
}

}  // namespace

TableModel* subsetTableModel(const SharedChoice& choice, QObject* parent) {
    const auto subset = [choice](int row) -> const partition::SubsetPlan& {
        return choice->chosen().subsets.at(toIndex(row));
    };
    return new TableModel(columns::ofFields(study::subsetFields(), subset), parent);
}

TableModel* strategyTableModel(const SharedChoice& choice, QObject* parent) {
    const auto plan = [choice](int row) -> const partition::Plan& { return choice->run.plan(row); };
    QVector<Column> all =
        columns::ofFields(study::planFields(), plan, [plan](int row) { return toQt(plan(row).strategy); });
    columns::colourBy(all.front(), [plan](int row) { return toQt(report::strategyColour(plan(row).strategy)); });
    return new TableModel(std::move(all), parent);
}

TableModel* layerTableModel(const SharedChoice& choice, QObject* parent) {
    const auto at = [choice](int row) { return splitRowOf(*choice, row); };
    const auto path = [choice](int row) {
        const auto layers = static_cast<int>(choice->level().layers.size());
        const bool join = row >= layers;
        return u"%1/levels[%2]/%3[%4]"_s.arg(toQt(choice->chosen().strategy))
            .arg(choice->split)
            .arg(QLatin1String(join ? "joins" : "layers"))
            .arg(join ? row - layers : row);
    };
    QVector<Column> all = columns::ofFields(study::splitRowFields(), at, path);
    Column& type = columnOf(all, "Type");
    type.decoration = [at, explained = type.decoration](int row, int role) -> QVariant {
        const study::SplitRow item = at(row);
        if (role != Qt::DecorationRole || !item.layer) return explained(row, role);
        return theme().dataColour(report::kPartitionTypes.at(static_cast<std::size_t>(item.layer->type)));
    };
    Column place = columns::number(
        u"#"_s, Measure::count, [](int row) { return row + 1.0; }, nullptr, u"Order in the network"_s);
    place.text = [](int row) { return QString::number(row + 1); };
    all.prepend(place);
    all.append(words(u"Pinned"_s, [choice, at](int row) { return pinOf(*choice, at(row)); }));
    return new TableModel(std::move(all), parent);
}

TableModel* levelTableModel(const SharedChoice& choice, QObject* parent) {
    const auto level = [choice](int row) -> const partition::LevelPlan& {
        return choice->chosen().levels.at(toIndex(row));
    };
    QVector<Column> all = columns::ofFields(study::levelFields(), level, partPath(choice, "levels"));
    Column& ratio = columnOf(all, "Ratio");
    ratio.text = [level, choice, text = ratio.text](int row) {
        return choice->pins.ratios.count(level(row).level) != 0 ? u"%1 pinned"_s.arg(text(row)) : text(row);
    };
    all.back().text = [choice](int row) {  // made beforehand: networks may be very deep
        return toIndex(row) < choice->types.size() ? toQt(choice->types[toIndex(row)]) : QString();
    };
    return new TableModel(std::move(all), parent);
}

TableModel* acceleratorTableModel(const SharedChoice& choice, QObject* parent) {
    const auto share = [choice](int row) -> const partition::AcceleratorShare& {
        return choice->chosen().shares.at(toIndex(row));
    };
    QVector<Column> all = columns::ofFields(study::shareFields(), share, partPath(choice, "per_accelerator"));
    all.back().decoration = [share](int row, int role) -> QVariant {
        return role == Qt::ForegroundRole && !share(row).fits ? QVariant(theme().colour("bad")) : QVariant();
    };
    return new TableModel(std::move(all), parent);
}

int layerRows(const PartitionChoice& choice) {
    return choice.hasSplit() ? static_cast<int>(study::splitRowCount(choice.level())) : 0;
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
    return decoration ? decoration(row, pathRole).toString() : QString();
}

}  // namespace tessera::ui

#include "ui/models/mapping_tables.h"

#include <utility>

#include "core/base/number.h"
#include "core/draw/theme.h"
#include "core/report/strategy_colour.h"
#include "core/study/mapping/fields.h"
#include "ui/models/field_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {}  // namespace

TableModel* algorithmTableModel(const SharedMappingChoice& choice, QObject* parent) {
    const auto row = [choice](int index) { return study::MappedRun{&choice->run.outcome(), &choice->run.run(index)}; };
    QVector<TableModel::Column> all =
        columns::ofFields(study::runFields(), row, [choice](int index) { return choice->run.algorithm(index); });
    columns::colourBy(all.front(),
                      [choice](int index) { return toQt(report::strategyColour(choice->run.run(index).algorithm)); });
    return new TableModel(std::move(all), parent);
}

TableModel* jobTableModel(const SharedMappingChoice& choice, QObject* parent) {
    const auto row = [choice](int index) {
        return study::MappedJob{&choice->run.outcome(), &choice->chosen(), toIndex(index)};
    };
    const auto path = [choice](int index) { return u"%1/jobs[%2]"_s.arg(toQt(choice->chosen().algorithm)).arg(index); };
    return new TableModel(columns::ofFields(study::jobFields(), row, path), parent);
}

TableModel* coreTableModel(const SharedMappingChoice& choice, QObject* parent) {
    const auto row = [choice](int index) {
        return study::MappedCore{&choice->run.outcome(), &choice->chosen(), toIndex(index),
                                 choice->uses.at(toIndex(index))};
    };
    QVector<TableModel::Column> all = columns::ofFields(study::coreFields(), row);
    all.front().sort = [](int index) { return QVariant(index); };  // in the platform's order, not by name
    all.front().exact = all.front().text;
    return new TableModel(std::move(all), parent);
}

}  // namespace tessera::ui

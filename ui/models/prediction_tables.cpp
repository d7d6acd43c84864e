#include "ui/models/prediction_tables.h"

#include <utility>

#include "core/draw/theme.h"
#include "core/model/training.h"
#include "core/study/prediction/fields.h"
#include "ui/models/field_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using columns::colourBy;
using columns::words;
using Column = TableModel::Column;

}  // namespace

TableModel* predictionTableModel(const SharedPredictionChoice& choice, QObject* parent) {
    const auto of = [choice](int row) -> const predict::Prediction& { return choice->run.prediction(row); };
    QVector<Column> all =
        columns::ofFields(study::predictionFields(), of, [choice](int row) { return choice->run.name(row); });
    colourBy(all.front(), [choice](int row) {
        const int index = choice->run.acceleratorNamed(toQt(choice->run.prediction(row).accelerator));
        return index < 0 ? QString() : toQt(choice->run.accelerator(index).colour);
    });
    return new TableModel(std::move(all), parent);
}

TableModel* operatorTableModel(const SharedPredictionChoice& choice, QObject* parent) {
    const auto of = [choice](int row) {
        return study::TimedOperator{
            &choice->chosen(),
            &choice->run.operators(choice->prediction()).at(choice->operators.at(static_cast<std::size_t>(row)))};
    };
    QVector<Column> all = columns::ofFields(study::operatorFields(), of);
    constexpr int kType = 1;
    colourBy(all[kType], [of](int row) { return toQt(report::operatorColour(model::nameOf(of(row).op->group))); });
    return new TableModel(std::move(all), parent);
}

TableModel* sourceTableModel(const std::shared_ptr<report::Table>& numbers, QObject* parent) {
    const auto cell = [numbers](int row, std::size_t column) {
        return shownText(numbers->rows.at(static_cast<std::size_t>(row)).at(column));
    };
    QVector<Column> all;
    for (const auto& [title, column] : {std::pair(u"Accelerator"_s, 0), std::pair(u"Number"_s, 1),
                                        std::pair(u"Class"_s, 2), std::pair(u"Where from"_s, 3)})
        all.append(
            words(title, [cell, index = column](int row) { return cell(row, static_cast<std::size_t>(index)); }));
    return new TableModel(all, parent);
}

}  // namespace tessera::ui

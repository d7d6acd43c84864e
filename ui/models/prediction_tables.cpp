#include "ui/models/prediction_tables.h"

#include <utility>

#include "core/draw/theme.h"
#include "core/model/training.h"
#include "core/study/prediction/fields.h"
#include "ui/models/field_columns.h"
#include "ui/models/text.h"
#include "ui/theme/theme.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using columns::colourBy;
using Column = TableModel::Column;

}  // namespace

TableModel* predictionTableModel(const SharedPredictionChoice& choice, const PriceEdit& edit, QObject* parent) {
    const auto of = [choice](int row) -> const predict::Prediction& { return choice->run.prediction(row); };
    QVector<Column> all =
        columns::ofFields(study::predictionFields(), of, [choice](int row) { return choice->run.name(row); });
    colourBy(all.front(), [choice](int row) {
        const int index = choice->run.acceleratorNamed(toQt(choice->run.prediction(row).accelerator));
        return index < 0 ? QString() : toQt(choice->run.accelerator(index).colour);
    });
    const std::string_view price = "price_per_hour_usd";
    int place = 0;
    for (const study::Field<predict::Prediction>& field : study::predictionFields()) {
        if ((field.uses & study::kTable) == 0) continue;
        if (field.id == price) {
            Column& column = all[place];
            column.edit = edit;
            column.help =
                u"Of all devices. Write your own into a cell (double-click or F2): what follows from it is "
                "ranked anew at once."_s;
            column.decoration = [of, path = column.decoration](int row, int role) -> QVariant {
                const auto found = of(row).sources.find("price_per_hour_usd");
                const bool own = found != of(row).sources.end() && found->second.reliability == hardware::kOwnNumber;
                if (role == Qt::ForegroundRole) return theme().colour("accent");
                if (role == Qt::FontRole) return theme().font(Theme::Text::base, own, true);
                if (role == Qt::ToolTipRole && found != of(row).sources.end())
                    return shownText(hardware::whereFrom(found->second)).toHtmlEscaped();
                return path ? path(row, role) : QVariant();
            };
        }
        ++place;
    }
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

}  // namespace tessera::ui

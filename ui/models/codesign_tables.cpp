#include "ui/models/codesign_tables.h"

#include <utility>

#include "core/base/number.h"
#include "core/study/codesign/fields.h"
#include "ui/models/field_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using Column = TableModel::Column;

}  // namespace

TableModel* placedModelTableModel(const SharedCodesignChoice& choice, QObject* parent) {
    QVector<Column> all = columns::ofFields(
        study::modelFields(),
        [choice](int row) {
            return study::TrainedModel{&choice->run.result(), &choice->run.model(row)};
        },
        [choice](int row) { return toQt(choice->run.model(row).model); });
    all.front().text = [choice](int row) { return choice->run.modelTitle(row); };
    return new TableModel(std::move(all), parent);
}

TableModel* stageTableModel(const SharedCodesignChoice& choice, QObject* parent) {
    const auto stage = [choice](int row) {
        const codesign::ModelResult& model = choice->run.model(choice->model);
        return study::ModelStage{model.model, &model.stages.at(toIndex(row)), toIndex(row)};
    };
    return new TableModel(columns::ofFields(study::stageFields(), stage), parent);
}

}  // namespace tessera::ui

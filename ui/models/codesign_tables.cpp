#include "ui/models/codesign_tables.h"

#include <cmath>
#include <utility>

#include "core/base/number.h"
#include "core/draw/theme.h"
#include "core/study/codesign/fields.h"
#include "ui/models/field_columns.h"
#include "ui/models/text.h"

namespace tessera::ui {
using namespace Qt::StringLiterals;

namespace {

using columns::number;
using columns::words;
using Column = TableModel::Column;

}  // namespace

TableModel* architectureTableModel(const SharedCodesignChoice& choice, QObject* parent) {
    const auto row = [choice](int index) -> const report::PointRow& {
        return choice->run.row(choice->visible.at(static_cast<std::size_t>(index)));
    };
    Column name = words(u"Architecture"_s, [choice](int index) {
        return choice->run.architecture(choice->visible.at(static_cast<std::size_t>(index)));
    });
    columns::colourBy(name, [row](int index) {
        const report::PointRow& its = row(index);
        const std::string_view colour = its.best                ? report::kCategories[2]
                                        : !its.baseline.empty() ? report::kCategories[1]
                                        : its.onFront           ? std::string_view("accent")
                                                                : report::kCategories[5];
        return toQt(colour);
    });
    QVector<Column> all{name, words(u"Role"_s, [choice, row](int index) {
                            const report::PointRow& its = row(index);
                            if (choice->visible.at(static_cast<std::size_t>(index)) == choice->pinned) return u"A"_s;
                            if (its.best) return u"chosen"_s;
                            if (!its.baseline.empty()) return shownText(its.baseline);
                            return its.onFront ? u"front"_s : QString();
                        })};
    // Which values there are is known once there is a run; their number does not change the table.
    struct Known {
        const char* id;
        const char* title;
    };
    for (const Known& known :
         {Known{"area", "Area"}, Known{"objective", "Throughput"}, Known{"per-area", "Per area"}, Known{"hbm", "HBM"},
          Known{"mfu", "Utilisation"}, Known{"energy", "Energy per sample"}}) {
        const auto value = [choice, id = QString::fromLatin1(known.id)] { return choice->run.value(id); };
        Column column = number(QString::fromUtf8(known.title), Measure::count, [value, row](int index) {
            return value() == nullptr ? NAN : value()->of(row(index).point);
        });
        column.text = [value, row](int index) {
            return value() == nullptr ? QString() : toQt(report::textOf(*value(), row(index).point));
        };
        all.append(column);
    }
    all += columns::ofFields(study::pointFields(), [choice, row](int index) {
        return study::DesignPoint{&choice->run.result(), &row(index).point};
    });
    return new TableModel(all, parent);
}

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

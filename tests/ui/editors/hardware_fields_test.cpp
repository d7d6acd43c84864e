// Every row of the hardware tables has an editor in its kind's form.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/hardware_examples.h"
#include "ui/editors/form.h"
#include "ui/editors/hardware_kind.h"
#include "ui/editors/kind_form.h"
#include "ui/editors/list_editor.h"

namespace tessera::ui {
namespace {

using hardware::Holds;
using test::FieldPlace;

/// The control of a row, or the table with a column for it: what the form shows of the field.
QString shownIn(const KindForm& form, const FieldPlace& place) {
    for (const Form* each : form.findChildren<Form*>())
        if (Field* field = each->field(place.row)) {
            if (auto* box = qobject_cast<QLineEdit*>(field->control())) return box->text();
            return QStringLiteral("a control");
        }
    for (const ListEditor* each : form.findChildren<ListEditor*>()) {
        const ListModel& model = *each->model();
        if (model.spec().path == place.row) return QString::number(model.rowCount());
        for (int column = 0; column < model.columnCount(); ++column) {
            const std::string& key = model.spec().columns[column].path;
            const std::string path = hardware::joinedField(model.spec().path, key);
            if ((path == place.row || path.starts_with(place.row + ".")) && model.rowCount() > 0) {
                const QModelIndex cell = model.index(0, column);
                const bool flag = cell.data(Qt::CheckStateRole).isValid();
                return flag ? QStringLiteral("a tick") : cell.data(Qt::DisplayRole).toString();
            }
        }
    }
    return {};
}

TEST(HardwareForm, hasAnEditorForEveryFieldOfEveryKind) {
    int fields = 0;
    for (const test::HardwareExamples& examples : test::hardwareExamples()) {
        const HardwareKind* kind = hardwareKind(QString::fromStdString(examples.kind->id));
        if (kind == nullptr) continue;  // datasets are edited as text
        for (const Json& document : examples.documents) {
            EditedJson edited(document);
            KindForm form(*kind, &edited);
            for (const FieldPlace& place : test::fieldPlaces(examples.kind->fields, document)) {
                // An object is there by its fields, a tree by an editor of its own.
                if (place.field->holds == Holds::object || place.field->key == "topology") continue;
                EXPECT_FALSE(shownIn(form, place).isEmpty()) << examples.kind->id << " " << place.path;
                ++fields;
            }
        }
    }
    EXPECT_GT(fields, 80);
}

TEST(HardwareForm, namesTheFieldOfEveryFault) {
    for (const test::HardwareExamples& examples : test::hardwareExamples()) {
        const HardwareKind* kind = hardwareKind(QString::fromStdString(examples.kind->id));
        if (kind == nullptr) continue;
        for (const Json& document : examples.documents)
            for (const FieldPlace& place : test::fieldPlaces(examples.kind->fields, document)) {
                if (place.field->holds == Holds::object || place.field->key == "topology") continue;
                EXPECT_FALSE(fieldName(*kind, document, place.path).isEmpty()) << place.path;
            }
    }
}

TEST(HardwareForm, listsOfNamesAreTypedWithCommas) {
    const test::HardwareExamples& examples = test::hardwareExamples().front();
    EditedJson edited(examples.documents.front());
    KindForm form(*hardwareKind(QStringLiteral("accelerator")), &edited);
    for (const ListEditor* each : form.findChildren<ListEditor*>()) {
        ListModel& model = *each->model();
        if (model.spec().path != "placement.levels") continue;
        EXPECT_EQ(model.index(0, 1).data().toString(), QStringLiteral("HBM, SRAM"));
        EXPECT_TRUE(model.setData(model.index(0, 1), QStringLiteral("SRAM , HBM"), Qt::EditRole));
        EXPECT_EQ(edited.json().at("placement").at("levels").at("weights"), Json::array({"SRAM", "HBM"}));
        return;
    }
    FAIL() << "there is no table of memory by category";
}

}  // namespace
}  // namespace tessera::ui

// Every row of the hardware tables has an editor in its kind's form.

#include <gtest/gtest.h>

#include <QTableView>
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

/// The keys to a table, without positions: "groups.levels" of "groups.0.levels".
std::string rowOfTable(const ListSpec& spec) {
    std::string row;
    for (const std::string& step : pathOf(spec.path))
        if (step.find_first_not_of("0123456789") != std::string::npos) row = hardware::joinedField(row, step);
    return row;
}

/// The control of a row, or the table with a column for it: what the form shows of the field.
QString shownIn(const KindForm& form, const FieldPlace& place) {
    for (const Form* each : form.findChildren<Form*>())
        if (Field* field = each->field(place.row)) {
            if (auto* box = qobject_cast<QLineEdit*>(field->control())) return box->text();
            return QStringLiteral("a control");
        }
    for (const ListEditor* each : form.findChildren<ListEditor*>()) {
        const ListModel& model = *each->model();
        const std::string table = rowOfTable(model.spec());
        if (table == place.row) return QString::number(model.rowCount());
        for (int column = 0; column < model.columnCount(); ++column) {
            const std::string& key = model.spec().columns[column].path;
            const std::string path = hardware::joinedField(table, key);
            if (path != place.row && !path.starts_with(place.row + ".")) continue;
            // In whichever row sets it.
            for (int row = 0; row < model.rowCount(); ++row) {
                const QModelIndex cell = model.index(row, column);
                if (cell.data(Qt::CheckStateRole).isValid()) return QStringLiteral("a tick");
                if (QString text = cell.data(Qt::DisplayRole).toString(); !text.isEmpty()) return text;
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

TEST(HardwareForm, showsTheLevelsOfTheCurrentGroup) {
    const Json document = test::hardwareExamples()[1].documents.front();
    EditedJson edited(document);
    KindForm form(*hardwareKind(QStringLiteral("fleet")), &edited);
    const auto table = [&](const std::string& path) -> ListEditor* {
        for (ListEditor* each : form.findChildren<ListEditor*>())
            if (each->model()->spec().path == path && !each->isHidden()) return each;
        return nullptr;
    };
    ASSERT_NE(table("groups.0.levels"), nullptr);
    ListModel& levels = *table("groups.0.levels")->model();
    EXPECT_EQ(levels.spec().title, QStringLiteral("Levels of a"));
    ASSERT_EQ(levels.rowCount(), 2);
    const auto column = [&](const std::string& path) {
        for (int i = 0; i < levels.columnCount(); ++i)
            if (levels.spec().columns[i].path == path) return i;
        return -1;
    };
    const QModelIndex dims = levels.index(0, column("dims"));
    EXPECT_EQ(dims.data().toString(), QStringLiteral("2, 2"));
    EXPECT_TRUE(levels.setData(dims, QStringLiteral("4, 1"), Qt::EditRole));
    EXPECT_EQ(edited.json().at("groups")[0].at("levels")[0].at("dims"), Json::array({4, 1}));
    EXPECT_TRUE(levels.setData(dims, QStringLiteral("4, many"), Qt::EditRole));
    EXPECT_EQ(edited.json().at("groups")[0].at("levels")[0].at("dims"), Json::array({4, "many"}));
    EXPECT_TRUE(levels.setData(dims, QString(), Qt::EditRole));
    EXPECT_FALSE(edited.json().at("groups")[0].at("levels")[0].contains("dims"));
    const FieldRow& kind = levels.spec().columns[column("kind")];
    EXPECT_EQ(kind.kind, FieldKind::word);
    EXPECT_EQ(kind.words, QStringList({"switch", "ring", "torus", "full", "mesh"}));
    EXPECT_EQ(form.goTo("groups[0].levels[1].shared_by"), table("groups.0.levels"));
    EXPECT_EQ(table("groups.0.levels")->view()->currentIndex(), levels.index(1, column("shared_by")));
    // The table is of the group that the cursor is on.
    table("groups")->goTo("groups[1].name");
    ASSERT_NE(table("groups.1.levels"), nullptr);
    EXPECT_EQ(table("groups.1.levels")->model()->rowCount(), 0);
    EXPECT_NE(form.goTo("groups[0].levels[0].size"), nullptr);
    EXPECT_NE(table("groups.0.levels"), nullptr);
}

TEST(HardwareForm, raisesAFleetToTheVersionThatHasLevels) {
    EditedJson edited(Json::parse(R"({"schema": "tessera.fleet/1", "name": "old",
"groups": [{"name": "a", "accelerator": "v100", "count": 8}]})"));
    KindForm form(*hardwareKind(QStringLiteral("fleet")), &edited);
    for (ListEditor* each : form.findChildren<ListEditor*>())
        if (each->model()->spec().path == "groups.0.levels") each->model()->addRow();
    EXPECT_EQ(edited.json().at("schema"), Json("tessera.fleet/2"));
    EXPECT_EQ(edited.json().at("groups")[0].at("levels"), Json::array({Json{{"name", "level 1"}, {"kind", "switch"}}}));
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

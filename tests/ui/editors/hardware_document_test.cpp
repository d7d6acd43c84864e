#include "ui/editors/hardware_document.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QDate>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTreeWidget>
#include <QUndoStack>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/hardware/library.h"
#include "tests/support/paths.h"
#include "tests/support/work.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/difference_dialog.h"
#include "ui/editors/edited_file.h"
#include "ui/editors/field.h"
#include "ui/editors/hardware_kind.h"
#include "ui/editors/hardware_picture.h"
#include "ui/editors/list_editor.h"
#include "ui/editors/provenance_button.h"
#include "ui/editors/sourced_number.h"
#include "ui/editors/topology_editor.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/plot_widget.h"

namespace tessera::ui {
namespace {

using test::settle;
using test::waitUntil;

class HardwareDocumentTest : public testing::Test {
protected:
    std::unique_ptr<HardwareDocument> opened(const QString& key) {
        auto document = std::make_unique<HardwareDocument>(key);
        document->resize(1100, 760);
        document->show();
        EXPECT_TRUE(waitUntil([&] { return document->findChild<HardwarePicture*>() != nullptr; }));
        settle(*document);
        return document;
    }
    /// The document that would be written.
    static Json jsonOf(HardwareDocument& document) { return Json::parse(document.exportables().back().json()); }
    static QLineEdit* line(QWidget& document, const QString& name) {
        for (QLineEdit* each : document.findChildren<QLineEdit*>())
            if (each->accessibleName() == name || each->accessibleName().startsWith(name + QLatin1Char(',')))
                return each;
        return nullptr;
    }
    static ListEditor* list(QWidget& document, const std::string& path) {
        for (ListEditor* each : document.findChildren<ListEditor*>())
            if (each->model()->spec().path == path) return each;
        return nullptr;
    }
    static bool says(QWidget& document, const QString& text) {
        const QList<QLabel*> labels = document.findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel* label) { return label->isVisible() && label->text().contains(text); });
    }
    static void retype(QLineEdit* field, const QString& text) {
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, text);
    }

    test::OwnFolder folder_;
};

TEST_F(HardwareDocumentTest, ShowsAnAcceleratorWithUnitsAndSources) {
    const auto document = opened(QStringLiteral("accelerator/tpu-v3"));
    EXPECT_EQ(document->title(), QStringLiteral("TPU v3 (one chip)"));
    EXPECT_FALSE(document->isModified());
    ASSERT_NE(line(*document, QStringLiteral("Network")), nullptr);
    EXPECT_EQ(line(*document, QStringLiteral("Network"))->text(), QStringLiteral("2.624 Tb/s"));
    EXPECT_EQ(line(*document, QStringLiteral("Power"))->text(), QStringLiteral("262 W"));
    const ListModel& memory = *list(*document, "memory")->model();
    EXPECT_EQ(memory.rowCount(), 2);
    EXPECT_EQ(memory.data(memory.index(1, 1), Qt::DisplayRole).toString(), QStringLiteral("32 GiB"));
    const PlotWidget& plot = *document->findChild<PlotWidget*>();
    EXPECT_FALSE(plot.chart().series.empty());
}

TEST_F(HardwareDocumentTest, TypingIsOneStepAndCanBeUndone) {
    const auto document = opened(QStringLiteral("accelerator/tpu-v3"));
    const Json before = jsonOf(*document);
    QSignalSpy modified(document.get(), &Document::modifiedChanged);
    QLineEdit* power = line(*document, QStringLiteral("Power"));
    retype(power, QStringLiteral("300 W"));
    EXPECT_EQ(jsonOf(*document).at("power_watts"), setByHand(before.at("power_watts"), Json(300)));
    EXPECT_TRUE(document->isModified());
    EXPECT_GE(modified.count(), 1);
    EXPECT_EQ(document->undoStack()->count(), 1);
    QTest::keyClick(power, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(jsonOf(*document), before);
    EXPECT_FALSE(document->isModified());
    EXPECT_EQ(power->text(), QStringLiteral("262 W"));
    document->undoStack()->redo();
    EXPECT_EQ(power->text(), QStringLiteral("300 W"));
}

TEST_F(HardwareDocumentTest, PutsReasonsBesideTheirFieldsAndAllAtTheFoot) {
    const auto document = opened(QStringLiteral("accelerator/tpu-v3"));
    retype(line(*document, QStringLiteral("Power")), QStringLiteral("much"));
    retype(line(*document, QStringLiteral("Name")), QStringLiteral(" "));
    ListModel* memory = list(*document, "memory")->model();
    memory->setCell(memory->index(0, 1), Json(-5));
    settle(*document);
    EXPECT_TRUE(says(*document, QStringLiteral("This is not a power; write it like 450 W.")));
    EXPECT_TRUE(says(*document, QStringLiteral("expected a name that is not blank")));
    EXPECT_FALSE(memory->problem(memory->index(0, 1)).isEmpty());
    EXPECT_TRUE(line(*document, QStringLiteral("Name"))->property("wrong").toBool());
    EXPECT_TRUE(waitUntil([&] {
        int listed = 0;
        for (QAbstractButton* each : document->findChildren<QAbstractButton*>())
            listed += each->isVisible() && each->toolTip() == QStringLiteral("Go to the field") ? 1 : 0;
        return listed == 3;
    }));
    test::savePicture(*document, QStringLiteral("editor-accelerator-problems"));
    document->undoStack()->setIndex(0);
    settle(*document);
    EXPECT_FALSE(says(*document, QStringLiteral("This is not a power")));
}

TEST_F(HardwareDocumentTest, RefusesToSaveWhatCannotBeRead) {
    writeFile(folder_.path() / "mine.json",
              R"({"schema":"tessera.accelerator/1","name":"Mine","peak_flops":{"bf16":1e12}})");
    const auto document = opened(QString::fromStdString((folder_.path() / "mine.json").string()));
    QSignalSpy messages(document.get(), &Document::messaged);
    retype(line(*document, QStringLiteral("Power")), QStringLiteral("-1"));
    EXPECT_FALSE(document->save());
    EXPECT_EQ(messages.count(), 1);
    retype(line(*document, QStringLiteral("Power")), QStringLiteral("1"));
    QTest::keyClicks(line(*document, QStringLiteral("Power")), QStringLiteral("kW"));
    EXPECT_TRUE(document->save());
    EXPECT_FALSE(document->isModified());
    EXPECT_EQ(Json::parse(readFile(folder_.path() / "mine.json")).at("power_watts"), setByHand(Json(), Json(1000)));
}

TEST_F(HardwareDocumentTest, KeepsWhatNoFieldShows) {
    const char* text =
        R"({"schema":"tessera.accelerator/1","name":"Mine","peak_flops":{"a.b":{"value":1e12,"source":"me"}},
                           "efficiency":{"gemm":0.5},"placement":{"policy":"off-chip"},"kernels":"kernels.csv"})";
    writeFile(folder_.path() / "mine.json", text);
    const auto document = opened(QString::fromStdString((folder_.path() / "mine.json").string()));
    retype(line(*document, QStringLiteral("Vendor")), QStringLiteral("Us"));
    ASSERT_TRUE(document->save());
    Json expected = Json::parse(text);
    expected["vendor"] = "Us";
    EXPECT_EQ(Json::parse(readFile(folder_.path() / "mine.json")), expected);
}

TEST_F(HardwareDocumentTest, SavesBundledFilesAsMine) {
    const auto document = opened(QStringLiteral("fleet/accpar-heterogeneous"));
    ListModel* groups = list(*document, "groups")->model();
    ASSERT_TRUE(groups->setCell(groups->index(0, 2), Json(64)));
    ASSERT_TRUE(document->saveAs(QStringLiteral("my-fleet")));
    EXPECT_EQ(document->key(), QStringLiteral("fleet/my-fleet"));
    EXPECT_FALSE(document->isModified());
    const hardware::Fleet saved = hardware::loadFleet("my-fleet");
    EXPECT_EQ(saved.groups.at(0).count, 64);
    EXPECT_EQ(saved.name, "my-fleet");
    EXPECT_EQ(document->title(), QStringLiteral("my-fleet"));
    EXPECT_EQ(hardware::loadFleet("accpar-heterogeneous").groups.at(0).count, 128);
    EXPECT_FALSE(document->saveAs(QStringLiteral("../outside")));

    QSignalSpy asked(document.get(), &Document::openRequested);
    ASSERT_TRUE(document->duplicateAs(QStringLiteral("my-copy")));
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked.at(0).at(1).toString(), QStringLiteral("fleet/my-copy"));
    EXPECT_EQ(hardware::loadFleet("my-copy").name, "my-copy");
}

TEST_F(HardwareDocumentTest, KeepsTheNameThatIsInItsFieldWhenItIsSavedAsACopy) {
    const auto document = opened(QStringLiteral("fleet/accpar-heterogeneous"));
    retype(line(*document, QStringLiteral("Name")), QStringLiteral("Boards of two kinds"));
    ASSERT_TRUE(document->saveAs(QStringLiteral("boards")));
    EXPECT_EQ(hardware::loadFleet("boards").name, "Boards of two kinds");
    ASSERT_TRUE(document->duplicateAs(QStringLiteral("boards-of-two-kinds")));
    EXPECT_EQ(hardware::loadFleet("boards-of-two-kinds").name, "Boards of two kinds");
}

TEST_F(HardwareDocumentTest, ANumberSetByHandIsOnesOwnAndSaysWhatItWas) {
    const auto document = opened(QStringLiteral("fleet/a100-h100-mixed"));
    const Json before = jsonOf(*document);
    ListEditor* groups = list(*document, "groups");
    const QModelIndex count = groups->model()->index(1, 2);
    ASSERT_TRUE(groups->model()->setCell(count, Json(16)));
    const std::string today = QDate::currentDate().toString(Qt::ISODate).toStdString();
    EXPECT_EQ(jsonOf(*document).at("groups")[1].at("count"),
              Json::parse(R"({"value": 16, "source": "set by hand on )" + today + R"(", "class": "yours",
                              "was": {"value": 32, "source": "Assumed: four nodes of 8", "class": "assumed"}})"));
    // Beside the table, and in the cell's tooltip.
    groups->view()->setCurrentIndex(count);
    auto* source = groups->findChild<ProvenanceButton*>();
    EXPECT_EQ(source->accessibleDescription(),
              QStringLiteral("yours · set by hand on %1 · was 32, assumed: Assumed: four nodes of 8")
                  .arg(QString::fromStdString(today)));
    EXPECT_TRUE(source->toolTip().contains(QStringLiteral("<s>32</s>, assumed"))) << source->toolTip().toStdString();
    EXPECT_TRUE(count.data(Qt::ToolTipRole).toString().contains(QStringLiteral("; was 32, assumed")));
    settle(*document);
    test::savePicture(*document, QStringLiteral("editor-own-number"));
    // A rate, in the unit of its field.
    ListEditor* links = list(*document, "links");
    int rate = 0;
    while (links->model()->spec().columns[rate].path != "bits_per_s") ++rate;
    ASSERT_TRUE(links->model()->setCell(links->model()->index(0, rate), Json(4e11)));
    links->view()->setCurrentIndex(links->model()->index(0, rate));
    EXPECT_TRUE(links->findChild<ProvenanceButton*>()->accessibleDescription().contains(
        QStringLiteral(" · was 200 Gb/s, datasheet: NVIDIA DGX A100 datasheet")));
    // Changed again, it still says what it was; as it was, it comes from there again.
    ASSERT_TRUE(groups->model()->setCell(count, Json(8)));
    EXPECT_EQ(jsonOf(*document).at("groups")[1].at("count").at("was").at("value"), Json(32));
    ASSERT_TRUE(groups->model()->setCell(count, Json(32)));
    EXPECT_EQ(jsonOf(*document).at("groups")[1].at("count"), before.at("groups")[1].at("count"));
    document->undoStack()->setIndex(0);
    EXPECT_EQ(jsonOf(*document), before);
}

TEST(SetByHand, keepsTheFirstNumberThatNamedItsSource) {
    const QDate day(2026, 11, 23);
    const Json cited{{"value", 32}, {"source", "sheet"}, {"class", "datasheet"}, {"alternatives", {{{"value", 31}}}}};
    const Json own{{"value", 16}, {"source", "set by hand on 2026-11-23"}, {"class", "yours"}, {"was", cited}};
    EXPECT_EQ(setByHand(cited, 16, day), own);
    EXPECT_EQ(setByHand(cited, 32.0, day), cited) << "nothing was changed";
    EXPECT_EQ(setByHand(setByHand(cited, 8, day), 16, day), own);
    EXPECT_EQ(setByHand(own, 32, day), cited);
    EXPECT_EQ(setByHand(setByHand(cited, "many", day), 16, day), own) << "also over what is no number";
    EXPECT_EQ(setByHand(cited, Json(), day), Json());
    // What said nothing of itself is not kept.
    const Json alone{{"value", 16}, {"source", "set by hand on 2026-11-23"}, {"class", "yours"}};
    EXPECT_EQ(setByHand(32, 16, day), alone);
    EXPECT_EQ(setByHand(Json(), 16, day), alone);
    // Its source can be said, and it stays one's own; of another class it replaces nothing.
    EXPECT_EQ(withProvenance(own, QStringLiteral("quote"), QStringLiteral("yours")).at("was"), cited);
    EXPECT_FALSE(withProvenance(own, QStringLiteral("quote"), QStringLiteral("datasheet")).contains("was"));
}

TEST_F(HardwareDocumentTest, RenamingAGroupRenamesItInLinksAndTopology) {
    const auto document = opened(QStringLiteral("fleet/a100-h100-mixed"));
    document->findChild<TopologyEditor*>()->setTree(true);
    ListModel* groups = list(*document, "groups")->model();
    ASSERT_TRUE(groups->setCell(groups->index(0, 0), Json("old cards")));
    Json now = jsonOf(*document);
    EXPECT_EQ(now.at("links")[0].at("between")[0], Json("old cards"));
    EXPECT_EQ(now.at("topology").at("node")[0], Json("old cards"));
    settle(*document);
    EXPECT_EQ(list(*document, "links")->model()->problem(list(*document, "links")->model()->index(0, 0)), QString());
    groups->addRow();
    EXPECT_EQ(jsonOf(*document).at("topology").at("node").size(), 3U);
    groups->dropRows({0});
    now = jsonOf(*document);
    EXPECT_TRUE(now.at("links").empty());
    EXPECT_EQ(now.at("topology").at("node").size(), 2U);
    document->undoStack()->setIndex(0);
    EXPECT_EQ(jsonOf(*document).at("groups").size(), 2U);
}

TEST_F(HardwareDocumentTest, TreesAreJoinedAndTakenApart) {
    const auto document = opened(QStringLiteral("fleet/a100-h100-mixed"));
    ListModel* groups = list(*document, "groups")->model();
    groups->addRow();
    auto* topology = document->findChild<TopologyEditor*>();
    topology->setTree(true);
    QTreeWidgetItem* root = topology->tree()->topLevelItem(0);
    ASSERT_EQ(root->childCount(), 3);
    root->child(0)->setSelected(true);
    root->child(2)->setSelected(true);
    topology->joinSelected();
    Json tree = jsonOf(*document).at("topology");
    ASSERT_EQ(tree.at("node").size(), 2U);
    EXPECT_EQ(tree.at("node")[0].at("node").size(), 2U);
    topology->tree()->setCurrentItem(topology->tree()->topLevelItem(0)->child(0));
    topology->takeApart();
    EXPECT_EQ(jsonOf(*document).at("topology").at("node").size(), 3U);
}

TEST_F(HardwareDocumentTest, ModelsOfListsKeepTheRules) {
    const auto document = opened(QStringLiteral("accelerator/tpu-v3"));
    for (ListEditor* each : document->findChildren<ListEditor*>()) {
        new QAbstractItemModelTester(each->model(), QAbstractItemModelTester::FailureReportingMode::Fatal, each);
        const int rows = each->model()->rowCount();
        each->model()->addRow();
        EXPECT_EQ(each->model()->rowCount(), rows + 1);
        each->model()->moveEntry(0, rows);
        each->model()->dropRows({rows});
        document->undoStack()->undo();
        document->undoStack()->redo();
        EXPECT_EQ(each->model()->rowCount(), rows);
    }
    ListModel* peaks = list(*document, "peak_flops")->model();
    peaks->addRow();
    EXPECT_FALSE(peaks->setCell(peaks->index(1, 0), Json("bf16")));
    EXPECT_TRUE(peaks->setCell(peaks->index(1, 0), Json("int8")));
    EXPECT_TRUE(peaks->setData(peaks->index(1, 1), QStringLiteral("240 TFLOPS"), Qt::EditRole));
    EXPECT_EQ(jsonOf(*document).at("peak_flops").at("int8").at("value"), Json(240'000'000'000'000));
}

TEST_F(HardwareDocumentTest, AThousandGroupsStayFluid) {
    Json fleet = hardwareKind(QStringLiteral("fleet"))->blank;
    const Json group = fleet.at("groups")[0];
    for (int i = 2; i <= 1000; ++i) {
        fleet["groups"].push_back(group);
        fleet["groups"].back()["name"] = "group " + std::to_string(i);
    }
    writeFile(folder_.path() / "large.json", toText(fleet));
    const auto document = opened(QString::fromStdString((folder_.path() / "large.json").string()));
    ListModel* groups = list(*document, "groups")->model();
    ASSERT_EQ(groups->rowCount(), 1000);
    const double before = test::workMilliseconds();
    ASSERT_TRUE(groups->setCell(groups->index(999, 2), Json(-1)));
    EXPECT_LT(test::workMilliseconds() - before, 500 * test::kSlowerBuild);
    settle(*document);
    EXPECT_FALSE(groups->problem(groups->index(999, 2)).isEmpty());
    EXPECT_EQ(groups->cellOf("groups[999].count"), groups->index(999, 2));
}

TEST_F(HardwareDocumentTest, ListsOnlyDifferences) {
    const auto read = [](const char* file) { return Json::parse(readFile(test::sourcePath(file))); };
    const HardwareKind& kind = *hardwareKind(QStringLiteral("accelerator"));
    const Json one = read("data/accelerators/tpu-v3.json");
    EXPECT_TRUE(differences(one, one, kind).isEmpty());
    Json other = one;
    other["power_watts"]["value"] = 300;
    other["memory"][1].erase("bandwidth_bytes_per_s");
    const QVector<Difference> rows = differences(one, other, kind);
    ASSERT_GE(rows.size(), 2);
    EXPECT_EQ(rows.back(), (Difference{QStringLiteral("Power"), QStringLiteral("262 W"), QStringLiteral("300 W")}));
    EXPECT_EQ(rows.front().field, QStringLiteral("Memory · HBM · Bandwidth"));
    DifferenceDialog dialog(kind, one, {});
    dialog.compareWith(QStringLiteral("tpu-v2"));
    EXPECT_TRUE(waitUntil([&] { return !dialog.shown().isEmpty(); }));
    dialog.show();
    test::savePicture(dialog, QStringLiteral("editor-differences"));
}

TEST_F(HardwareDocumentTest, RefusesOtherFilesWithASentence) {
    writeFile(folder_.path() / "other.json", R"({"schema": "tessera.study/1"})");
    HardwareDocument document(QString::fromStdString((folder_.path() / "other.json").string()));
    QSignalSpy messages(&document, &Document::messaged);
    EXPECT_TRUE(waitUntil([&] { return messages.count() == 1; }));
    EXPECT_TRUE(document.save());
    HardwareDocument gone(QStringLiteral("fleet/there-is-none"));
    QSignalSpy other(&gone, &Document::messaged);
    EXPECT_TRUE(waitUntil([&] { return other.count() == 1; }));
    EXPECT_FALSE(gone.isModified());
}

TEST_F(HardwareDocumentTest, EveryControlHasANameAndIsReachedByTab) {
    for (const char* key : {"accelerator/tpu-v3", "fleet/a100-h100-mixed", "new/accelerator", "new/fleet"}) {
        const auto document = opened(QLatin1String(key));
        EXPECT_EQ(test::namelessControls(*document).join(QStringLiteral("; ")), QString()) << key;
        const QVector<QWidget*> order = test::tabOrder(*document);
        const auto at = [&](const QString& name) {
            for (int i = 0; i < order.size(); ++i)
                if (order[i]->accessibleName() == name) return i;
            return -1;
        };
        EXPECT_GE(at(QStringLiteral("Name")), 0) << key;
        for (ListEditor* each : document->findChildren<ListEditor*>())
            if (each->view()->isVisible()) {
                EXPECT_GT(at(each->model()->spec().title), at(QStringLiteral("Name"))) << key;
            }
    }
}

TEST_F(HardwareDocumentTest, SourcesAreEditedBesideTheirNumbers) {
    const auto document = opened(QStringLiteral("accelerator/tpu-v3"));
    ProvenanceButton* source = nullptr;
    for (ProvenanceButton* each : document->findChildren<ProvenanceButton*>())
        if (each->accessibleName() == QStringLiteral("Source of power")) source = each;
    ASSERT_NE(source, nullptr);
    EXPECT_EQ(source->reliability(), QStringLiteral("measured"));
    source->click();
    auto* trust = QApplication::activePopupWidget() == nullptr
                      ? nullptr
                      : QApplication::activePopupWidget()->findChild<QComboBox*>();
    ASSERT_NE(trust, nullptr);
    test::savePicture(*QApplication::activePopupWidget(), QStringLiteral("editor-source"));
    EXPECT_EQ(test::namelessControls(*QApplication::activePopupWidget()), QStringList());
    trust->setCurrentIndex(trust->findData(QStringLiteral("assumed")));
    emit trust->activated(trust->currentIndex());
    EXPECT_EQ(jsonOf(*document).at("power_watts").at("class"), Json("assumed"));
    EXPECT_EQ(source->reliability(), QStringLiteral("assumed"));
    QApplication::activePopupWidget()->close();
    EXPECT_EQ(withProvenance(Json{{"value", 3}, {"source", "x"}}, {}, {}), Json(3));
}

TEST_F(HardwareDocumentTest, ShowsTrees) {
    const auto document = opened(QStringLiteral("fleet/a100-h100-mixed"));
    document->findChild<ListEditor*>()->model()->addRow();
    auto* topology = document->findChild<TopologyEditor*>();
    topology->setTree(true);
    topology->tree()->topLevelItem(0)->child(0)->setSelected(true);
    topology->tree()->topLevelItem(0)->child(1)->setSelected(true);
    topology->joinSelected();
    topology->tree()->setCurrentItem(topology->tree()->topLevelItem(0)->child(0));
    QLineEdit* rate = line(*document, QStringLiteral("Rate of the node"));
    ASSERT_TRUE(rate != nullptr && rate->isVisible());
    retype(rate, QStringLiteral("400 Gb/s"));
    EXPECT_EQ(jsonOf(*document).at("topology").at("node")[0].at("bits_per_s"),
              setByHand(Json(), Json(400'000'000'000)));
    settle(*document);
    QTest::qWait(20);
    test::savePicture(*document, QStringLiteral("editor-fleet-tree"));
}

TEST_F(HardwareDocumentTest, LooksRight) {
    for (const auto& [mode, name] : {std::pair(ThemeMode::light, "light"), std::pair(ThemeMode::dark, "dark")}) {
        theme().apply(mode);
        for (const char* key : {"accelerator/tpu-v3", "fleet/a100-h100-mixed"}) {
            const auto document = opened(QLatin1String(key));
            settle(*document);
            const QString file =
                QStringLiteral("editor-%1-%2")
                    .arg(QString::fromLatin1(key).section(QLatin1Char('/'), 0, 0), QLatin1String(name));
            EXPECT_GT(test::coloursIn(test::savePicture(*document, file)), 10);
            // Between the docks of a small screen.
            document->resize(720, 560);
            settle(*document);
            test::savePicture(*document, file + QStringLiteral("-narrow"));
        }
    }
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui

#include <gtest/gtest.h>

#include <QLabel>
#include <QTableView>
#include <QTest>
#include <QUndoStack>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
#include "core/cost/workload.h"
#include "core/hardware/library.h"
#include "tests/ui/editors/documents.h"
#include "ui/editors/hardware_document.h"
#include "ui/editors/hardware_kind.h"
#include "ui/editors/hardware_picture.h"
#include "ui/editors/list_editor.h"
#include "ui/editors/native_file.h"
#include "ui/theme/theme.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
namespace {

using test::settle;
using test::waitUntil;

ListModel* listOf(const QWidget& document, const std::string& path) {
    for (ListEditor* list : document.findChildren<ListEditor*>())
        if (list->model()->spec().path == path) return list->model();
    return nullptr;
}

QString allText(const QWidget& document) {
    QString text;
    for (const QLabel* label : document.findChildren<QLabel*>()) text += label->text() + QLatin1Char('\n');
    return text;
}

class PlatformDocument : public testing::Test {
protected:
    static std::unique_ptr<HardwareDocument> opened(const QString& key, QSize size = {1280, 800}) {
        return test::opened<HardwareDocument>(key, size);
    }
    test::OwnFolder folder_;
};

TEST_F(PlatformDocument, showsWhatAPlatformIsMadeOf) {
    const auto document = opened(QStringLiteral("platform/s2"));
    EXPECT_EQ(document->title(), QStringLiteral("S2"));
    EXPECT_EQ(document->iconName(), QStringLiteral("platform"));
    const ListModel* rows = listOf(*document, "sub_accelerators");
    ASSERT_NE(rows, nullptr);
    ASSERT_EQ(rows->rowCount(), 2);
    EXPECT_EQ(rows->index(0, 0).data().toString(), QStringLiteral("HB"));
    EXPECT_EQ(rows->index(1, 4).data().toString(), QStringLiteral("shidiannao"));
    EXPECT_TRUE(allText(*document).contains(QStringLiteral("4 cores")));
    const Facts facts = document->overview();
    EXPECT_EQ(facts.subtitle, QStringLiteral("Platform"));
    ASSERT_EQ(facts.sections.size(), 2);
    EXPECT_EQ(facts.sections[1].rows[0].label, QStringLiteral("HB cores"));
    EXPECT_EQ(facts.sections[1].rows[0].value, QStringLiteral("3"));
    EXPECT_EQ(facts.sections[1].rows[3].value, QStringLiteral("nvdla"));
}

TEST_F(PlatformDocument, saysAtOnceWhichDataflowDoesNotExistAndTakesItBack) {
    const auto document = opened(QStringLiteral("platform/s2"));
    ListModel* rows = listOf(*document, "sub_accelerators");
    rows->setCell(rows->index(1, 4), Json("nvlda"));
    settle(*document);
    EXPECT_FALSE(rows->problem(rows->index(1, 4)).isEmpty());
    rows->setCell(rows->index(0, 2), Json(0));
    settle(*document);
    EXPECT_FALSE(rows->problem(rows->index(0, 2)).isEmpty());
    EXPECT_FALSE(rows->problem(rows->index(1, 4)).isEmpty());  // both at once
    document->undoStack()->undo();
    document->undoStack()->undo();
    settle(*document);
    EXPECT_TRUE(rows->problem(rows->index(1, 4)).isEmpty());
    EXPECT_FALSE(document->isModified());
}

TEST_F(PlatformDocument, isSavedAsMineAndFoundByItsName) {
    const auto document = opened(QStringLiteral("new/platform"));
    ListModel* rows = listOf(*document, "sub_accelerators");
    rows->addRow();
    rows->setCell(rows->index(1, 4), Json("eyeriss"));
    settle(*document);
    ASSERT_TRUE(document->saveAs(QStringLiteral("four-and-one")));
    EXPECT_EQ(document->key(), QStringLiteral("platform/four-and-one"));
    const hardware::Platform platform = hardware::loadPlatform("four-and-one");
    EXPECT_EQ(hardware::coreCount(platform), 5);
    EXPECT_EQ(platform.subAccelerators[1].dataflow.name, "eyeriss");
}

TEST_F(PlatformDocument, drawsItsCores) {
    const auto document = opened(QStringLiteral("platform/s6"));
    const QVector<Exportable> all = document->exportables();
    ASSERT_EQ(all.size(), 2);
    const std::string svg = all[0].svg(report::Theme(report::ThemeKind::light));
    for (const char* word : {"big HB 7", "little LB", "shidiannao", "256 GB/s", "128 × 64"})
        EXPECT_NE(svg.find(word), std::string::npos) << word;
}

class WorkloadDocument : public PlatformDocument {};

TEST_F(WorkloadDocument, showsADrawnGroupWithCountsPerKind) {
    const auto document = opened(QStringLiteral("workload/mix"));
    const auto* table = document->findChild<TableView*>();
    ASSERT_NE(table, nullptr);
    EXPECT_TRUE(table->isVisibleTo(document.get()));
    EXPECT_EQ(table->view()->model()->rowCount(), 100);
    const QString text = allText(*document);
    EXPECT_TRUE(text.contains(QStringLiteral("A group of 100 jobs"))) << text.toStdString();
    for (const char* kind : {" vision", " language", " recommendation"})
        EXPECT_TRUE(text.contains(QLatin1String(kind))) << kind;
    EXPECT_EQ(document->overview().subtitle, QStringLiteral("Workload"));
}

TEST_F(WorkloadDocument, namesTheModelThatCannotBeReadAndDrawsAgainOnceItCan) {
    const auto document = opened(QStringLiteral("new/workload"));
    ListModel* rows = listOf(*document, "models");
    ASSERT_NE(rows, nullptr);
    rows->setCell(rows->index(1, 0), Json("zoo:resnet51"));
    settle(*document);
    EXPECT_TRUE(rows->problem(rows->index(1, 0)).contains(QStringLiteral("resnet51")));
    rows->setCell(rows->index(1, 0), Json("zoo:lenet5"));
    settle(*document);
    EXPECT_TRUE(rows->problem(rows->index(1, 0)).isEmpty());
    ASSERT_TRUE(document->saveAs(QStringLiteral("two-models")));
    EXPECT_EQ(cost::loadWorkload("two-models").sources[1].model, "zoo:lenet5");
}

TEST_F(WorkloadDocument, takesOpenDimensionsOnOneLine) {
    const auto document = opened(QStringLiteral("new/workload"));
    ListModel* rows = listOf(*document, "models");
    ASSERT_NE(rows, nullptr);
    const QModelIndex cell = rows->index(0, 3);
    EXPECT_TRUE(rows->setData(cell, QStringLiteral("sequence=128, width = 64"), Qt::EditRole));
    EXPECT_EQ(rows->data(cell, Qt::DisplayRole).toString(), QStringLiteral("sequence=128, width=64"));
    EXPECT_TRUE(rows->problem(cell).isEmpty());
    for (const char* wrong : {"sequence", "sequence=many", "=3", "a=1, a=2"}) {
        EXPECT_TRUE(rows->setData(cell, QLatin1String(wrong), Qt::EditRole));
        EXPECT_EQ(rows->data(cell, Qt::DisplayRole).toString(), QLatin1String(wrong)) << "nothing typed is lost";
        EXPECT_TRUE(rows->problem(cell).contains(QStringLiteral("sequence=128"))) << wrong;
    }
    rows->setCell(rows->index(0, 0), Json("zoo:bert-base"));
    EXPECT_TRUE(rows->setData(cell, QStringLiteral("sequence=128"), Qt::EditRole));
    settle(*document);
    ASSERT_TRUE(document->saveAs(QStringLiteral("sized")));
    EXPECT_EQ(cost::loadWorkload("sized").sources[0].dimensions,
              (std::map<std::string, std::int64_t>{{"sequence", 128}}));
    EXPECT_TRUE(rows->setData(cell, QString(), Qt::EditRole));
    EXPECT_TRUE(rows->data(cell, Qt::DisplayRole).toString().isEmpty());
}

TEST_F(WorkloadDocument, filesOfBothKindsAreTakenWhereTheyAreDropped) {
    for (const char* text : {R"({"schema": "tessera.platform/1"})", R"({"schema": "tessera.workload/1"})"}) {
        const NativeFile* native = nativeFile(text);
        ASSERT_NE(native, nullptr) << text;
        EXPECT_STREQ(native->document, "hardware");
    }
}

/// Pictures for a person to look at.
TEST_F(WorkloadDocument, looksWell) {
    for (const auto& [mode, look] : {std::pair(ThemeMode::light, "light"), std::pair(ThemeMode::dark, "dark")}) {
        theme().apply(mode);
        for (const char* key : {"platform/s5", "platform/s1-flexible", "workload/mix"}) {
            const auto document = opened(QLatin1String(key));
            QTest::qWait(20);
            const QString name =
                QStringLiteral("editors-%1-%2")
                    .arg(QString::fromLatin1(key).replace(QLatin1Char('/'), QLatin1Char('-')), QLatin1String(look));
            EXPECT_GT(test::coloursIn(test::savePicture(*document, name)), 10) << key;
        }
    }
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui

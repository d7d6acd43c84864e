#include "ui/views/runs/validation_document.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QFile>
#include <QJsonArray>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <algorithm>

#include "tests/support/controls.h"
#include "tests/support/pictures.h"
#include "tests/support/shown.h"
#include "ui/theme/theme.h"
#include "ui/views/headline_bar.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/run_pages.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
namespace {

using test::visibleText;
using test::waitUntil;

constexpr int kLongValidation = 120'000;  ///< milliseconds, of all bundled rows under a sanitizer

/// Steps and memory of a few runs, one of a model that nobody knows.
constexpr const char* kOwnTable =
    "set,id,model,dims,accelerator,accelerators,per_node,network_bits_per_s,dtype,global_batch,micro_batch,"
    "tensor_parallel,pipeline_parallel,data_parallel,recompute,training,software,metric,value,source\n"
    "mine,first,zoo:gpt,layers=30;hidden=3072;heads=32;sequence=2048;vocabulary=50304,a100,64,8,800000000000,fp16,512,"
    "8,1,1,64,full,1,Megatron-DeepSpeed,step_s,3.5,lab\n"
    "mine,second,zoo:gpt,layers=30;hidden=3072;heads=32;sequence=2048;vocabulary=50432,a100,64,8,800000000000,fp16,512,"
    "8,2,1,32,full,1,Megatron-DeepSpeed,step_s,3.9,lab\n"
    "mine,third,zoo:nobody,,a100,64,8,800000000000,fp16,512,8,2,1,32,full,1,,step_s,3.9,\n"
    "yours,fourth,zoo:resnet50,,a100,8,8,,fp16,2048,256,,,,,1,NGC MXNet,samples_per_s,20000,lab\n";

class ValidationPage : public testing::Test {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override { QSettings().clear(); }
    QString ownTable(const char* text = kOwnTable) const {
        const QString path = folder_.filePath("own.csv");
        QFile file(path);
        EXPECT_TRUE(file.open(QFile::WriteOnly));
        file.write(text);
        return path;
    }
    static void show(ValidationDocument& document) {
        document.resize(1280, 760);
        document.show();
        ASSERT_TRUE(waitUntil([&] { return !document.isComputing(); }, kLongValidation));
        settle(document);
    }
    static void settle(const ValidationDocument& document) {
        waitUntil([&] { return document.plot() != nullptr && !document.plot()->chart().series.empty(); }, 2'000);
        waitUntil([] { return false; }, 100);
    }
    static RunPages& pages(const ValidationDocument& document) { return *document.findChild<RunPages*>(); }
    /// The table of details in front.
    static TableView* table(const ValidationDocument& document, const char* id) {
        pages(document).setOpen(true);
        pages(document).details()->openTab(QLatin1String(id));
        waitUntil([] { return false; }, 100);
        for (TableView* each : document.findChildren<TableView*>())
            if (each->isVisible()) return each;
        return nullptr;
    }
    static std::size_t rowNamed(const ValidationDocument& document, const std::string& id) {
        const auto& rows = document.choice().data->validation().rows;
        return static_cast<std::size_t>(
            std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.id == id; }) - rows.begin());
    }
    static int pointsIn(const PlotWidget& plot) {
        int points = 0;
        for (const report::Series& series : plot.chart().series)
            if (series.mark == report::Mark::points) points += static_cast<int>(series.x.size());
        return points;
    }

    QTemporaryDir folder_;
};

TEST_F(ValidationPage, showsATableOfTheUsersOwnByQuantityWithItsErrors) {
    ValidationDocument document(ownTable());
    EXPECT_TRUE(document.isComputing());
    ASSERT_NO_FATAL_FAILURE(show(document));
    EXPECT_EQ(document.title(), "Validation · own.csv");
    const auto* quantities = document.findChild<QComboBox*>();
    ASSERT_EQ(quantities->count(), 2);
    EXPECT_EQ(quantities->itemText(0), "Step time");
    EXPECT_EQ(quantities->itemText(1), "Throughput");
    EXPECT_EQ(document.choice().rows.size(), 3U);
    EXPECT_EQ(document.choice().data->row(document.choice().rows.front()).id, "third") << "the largest error first";
    EXPECT_EQ(pointsIn(*document.plot()), 2) << "what is refused has no place";
    EXPECT_TRUE(visibleText(document).contains("refused"));
    document.setQuantity("throughput");
    settle(document);
    EXPECT_EQ(document.choice().rows.size(), 1U);
    EXPECT_EQ(document.plot()->chart().x.title, "Measured (samples/s)");
    ASSERT_EQ(document.choice().sets.size(), 1U);
    EXPECT_EQ(document.choice().sets.front().name, "yours");
    document.setQuantity("nonsense");
    EXPECT_EQ(document.choice().rows.size(), 1U);
    EXPECT_GT(test::coloursIn(test::savePicture(document, "validation-own")), 10);
}

TEST_F(ValidationPage, aClickOnAPointExplainsItsPredictionAndMarksItsRow) {
    ValidationDocument document(ownTable());
    ASSERT_NO_FATAL_FAILURE(show(document));
    TableView* rows = table(document, "rows");
    ASSERT_NE(rows, nullptr);
    QSignalSpy inspected(&document, &Document::inspected);
    emit document.plot()->pointClicked(2, 0);  // the largest error comes first
    ASSERT_EQ(inspected.count(), 1);
    EXPECT_EQ(document.choice().row, rowNamed(document, "second"));
    EXPECT_EQ(rows->currentRow(), placeOf(document.choice(), rowNamed(document, "second")));
    const auto facts = inspected.front().front().value<Facts>();
    EXPECT_EQ(facts.title, "second");
    QStringList said;
    for (const Facts::Section& section : facts.sections) {
        said << section.title;
        for (const Facts::Row& row : section.rows) said << row.label + ": " + row.value + " " + row.whereFrom;
    }
    const QString all = said.join('\n');
    for (const char* part :
         {"Measured: 3.9 s", "Predicted: ", "90 % interval: ", "Accelerator: a100", "Network of a node: 800 Gb/s",
          "Software is taken as: ", "Published by: lab", "own.csv, line 3", "layers=30, hidden=3072"})
        EXPECT_TRUE(all.contains(QString::fromUtf8(part))) << part << " is not in\n" << all.toStdString();
    emit document.plot()->pointClicked(0, 0);
    emit document.plot()->pointClicked(17, 4);
    EXPECT_EQ(inspected.count(), 1) << "the band and what is not there explain nothing";
}

TEST_F(ValidationPage, aRowThatIsChosenIsRingedInThePictureAndARefusedOneSaysWhy) {
    ValidationDocument document(ownTable());
    ASSERT_NO_FATAL_FAILURE(show(document));
    TableView* rows = table(document, "rows");
    ASSERT_NE(rows, nullptr);
    QSignalSpy inspected(&document, &Document::inspected);
    const QImage before = test::pictureOf(*document.plot());
    rows->setCurrentRow(placeOf(document.choice(), rowNamed(document, "first")));
    EXPECT_EQ(document.choice().row, rowNamed(document, "first"));
    EXPECT_NE(test::pictureOf(*document.plot()), before);
    rows->setCurrentRow(placeOf(document.choice(), rowNamed(document, "third")));
    ASSERT_EQ(inspected.count(), 2);
    const auto facts = inspected.back().front().value<Facts>();
    EXPECT_TRUE(facts.sections.front().rows.at(1).whereFrom.contains("zoo:nobody"));
}

TEST_F(ValidationPage, filtersByWordsAndBySets) {
    ValidationDocument document(ownTable());
    ASSERT_NO_FATAL_FAILURE(show(document));
    auto* filter = document.findChild<QLineEdit*>();
    QTest::keyClicks(filter, "GPT 50304");
    ASSERT_TRUE(waitUntil([&] { return document.choice().rows.size() == 1; }, 3'000));
    EXPECT_EQ(document.choice().data->row(document.choice().rows.front()).id, "first");
    filter->clear();
    ASSERT_TRUE(waitUntil([&] { return document.choice().rows.size() == 3; }, 3'000));
    document.setSetShown("mine", false);
    settle(document);
    EXPECT_TRUE(document.choice().rows.empty());
    EXPECT_TRUE(document.plot()->chart().series.empty());
    EXPECT_FALSE(document.plot()->chart().empty.empty());
    EXPECT_EQ(document.choice().sets.size(), 1U) << "it can be shown again";
    document.setSetShown("mine", true);
    EXPECT_EQ(document.choice().rows.size(), 3U);
}

TEST_F(ValidationPage, aTableThatMeansNothingIsAnsweredByOneSentence) {
    for (const auto& [text, part] :
         {std::pair{"a,b\n1,2\n", "expected the columns"},
          std::pair{"set,id,model,dims,accelerator,metric,value\nx,y,zoo:gpt,,a100,step_s,minus\n", "minus"}}) {
        ValidationDocument document(ownTable(text));
        ASSERT_NO_FATAL_FAILURE(show(document));
        const QString said = visibleText(document);
        EXPECT_TRUE(said.contains("own.csv")) << said.toStdString();
        EXPECT_TRUE(said.contains(part)) << said.toStdString();
        EXPECT_TRUE(document.exportables().isEmpty());
    }
    ValidationDocument missing(folder_.filePath("missing.csv"));
    ASSERT_NO_FATAL_FAILURE(show(missing));
    EXPECT_TRUE(visibleText(missing).contains("missing.csv"));
}

TEST_F(ValidationPage, canBeStoppedAndBegunAgain) {
    ValidationDocument document(QString{});
    document.resize(1280, 760);
    document.show();
    ASSERT_TRUE(document.isComputing());
    QPushButton* cancel = nullptr;
    for (QPushButton* each : document.findChildren<QPushButton*>())
        if (each->text() == "Cancel") cancel = each;
    ASSERT_NE(cancel, nullptr);
    EXPECT_TRUE(cancel->isVisible());
    cancel->click();
    EXPECT_FALSE(document.isComputing());
    EXPECT_TRUE(visibleText(document).contains("Stopped"));
    document.documentActions().at(1)->trigger();
    EXPECT_TRUE(document.isComputing());
    ASSERT_TRUE(waitUntil([&] { return !document.isComputing(); }, kLongValidation));
    EXPECT_FALSE(document.choice().isEmpty());
}

TEST_F(ValidationPage, mayBeClosedWhileItComputes) {
    auto document = std::make_unique<ValidationDocument>(QString{});
    document->show();
    document.reset();
    waitUntil([] { return false; }, 300);
}

TEST_F(ValidationPage, allBundledRowsAreThereAndTheKernelsAreThinned) {
    ValidationDocument document(QString{});
    ASSERT_NO_FATAL_FAILURE(show(document));
    EXPECT_EQ(document.title(), "Validation");
    EXPECT_GT(document.choice().data->validation().rows.size(), 40'000U);
    EXPECT_GE(document.findChild<QComboBox*>()->count(), 7);
    document.setQuantity("kernels");
    ASSERT_TRUE(waitUntil([&] { return document.plot()->chart().id == "validation-kernels"; }, 10'000));
    waitUntil([] { return false; }, 200);
    EXPECT_GT(pointsIn(*document.plot()), 1'000);
    EXPECT_LT(pointsIn(*document.plot()), 20'000);
    EXPECT_TRUE(std::any_of(document.plot()->chart().notes.begin(), document.plot()->chart().notes.end(),
                            [](const std::string& note) { return note.find("points shown") != std::string::npos; }));
    TableView* rows = table(document, "rows");
    ASSERT_NE(rows, nullptr);
    EXPECT_GT(rows->view()->model()->rowCount(), 40'000);
    // One that was thinned out is drawn when it is looked at.
    const auto isDrawn = [&](std::size_t row) {
        const double measured = document.choice().data->row(row).measured;
        const auto& series = document.plot()->chart().series;
        return std::any_of(series.begin(), series.end(), [&](const report::Series& each) {
            return each.mark == report::Mark::points &&
                   std::find(each.x.begin(), each.x.end(), measured) != each.x.end();
        });
    };
    const auto& all = document.choice().rows;
    const auto hidden = std::find_if(all.rbegin(), all.rend(), [&](std::size_t row) { return !isDrawn(row); });
    ASSERT_NE(hidden, all.rend());
    document.chooseRow(*hidden);
    EXPECT_TRUE(waitUntil([&] { return isDrawn(*hidden); }, 5'000));
    test::savePicture(document, "validation-kernels");
}

TEST_F(ValidationPage, aSetExplainsItsErrorsAndCanBeShownAlone) {
    ValidationDocument document(QString{});
    ASSERT_NO_FATAL_FAILURE(show(document));
    const std::size_t before = document.choice().rows.size();
    TableView* sets = table(document, "sets");
    ASSERT_NE(sets, nullptr);
    QSignalSpy inspected(&document, &Document::inspected);
    sets->setCurrentRow(0);
    ASSERT_EQ(inspected.count(), 1);
    const auto facts = inspected.front().front().value<Facts>();
    EXPECT_EQ(facts.title, document.choice().sets.front().name);
    EXPECT_EQ(facts.sections.front().title, "Errors");
    ASSERT_EQ(facts.actions.size(), 2);
    facts.actions.front().run();
    EXPECT_LT(document.choice().rows.size(), before);
    for (const std::size_t row : document.choice().rows)
        EXPECT_EQ(document.choice().data->row(row).set, facts.title.toStdString());
    facts.actions.back().run();
    EXPECT_EQ(document.choice().rows.size(), before);
}

TEST_F(ValidationPage, theMenuOfVeryManySetsIsShort) {
    QByteArray table = "set,id,model,dims,accelerator,metric,value\n";
    for (int i = 0; i < 3'000; ++i) table += QStringLiteral("s%1,r%1,zoo:nobody,,a100,step_s,2\n").arg(i).toUtf8();
    ValidationDocument document(ownTable(table.constData()));
    ASSERT_NO_FATAL_FAILURE(show(document));
    EXPECT_EQ(document.choice().sets.size(), 3'000U);
    const auto buttons = document.findChildren<QToolButton*>();
    const auto sets = std::find_if(buttons.begin(), buttons.end(),
                                   [](const QToolButton* each) { return each->text() == "3000 of 3000 sets"; });
    ASSERT_NE(sets, buttons.end());
    EXPECT_LT((*sets)->menu()->actions().size(), 70);
    EXPECT_EQ((*sets)->menu()->actions().back()->text(), "and 2940 more, which the filter finds by name");
    (*sets)->menu()->actions().at(1)->trigger();
    EXPECT_TRUE(document.choice().rows.empty());
    (*sets)->menu()->actions().front()->trigger();
    EXPECT_EQ(document.choice().rows.size(), 3'000U);
}

TEST_F(ValidationPage, exportsThePictureAndTheTables) {
    ValidationDocument document(ownTable());
    ASSERT_NO_FATAL_FAILURE(show(document));
    const QVector<Exportable> all = document.exportables();
    ASSERT_EQ(all.size(), 3);
    EXPECT_TRUE(QString::fromStdString(all[0].svg(report::Theme(report::ThemeKind::light))).contains("<svg"));
    EXPECT_TRUE(QString::fromStdString(all[0].csv()).contains("mine"));
    EXPECT_TRUE(QString::fromStdString(all[1].csv()).startsWith("set,rows,predicted,mean_error"));
    const QString rows = QString::fromStdString(all[2].csv());
    EXPECT_EQ(rows.count('\n'), 4) << rows.toStdString();
    EXPECT_TRUE(rows.contains("zoo:nobody"));
}

TEST_F(ValidationPage, aSessionBringsBackWhatWasLookedAt) {
    const QString path = ownTable();
    QJsonObject view;
    {
        ValidationDocument document(path);
        ASSERT_NO_FATAL_FAILURE(show(document));
        document.setFilter("a100");
        document.chooseRow(rowNamed(document, "second"));
        view = document.saveView();
    }
    {
        ValidationDocument document(path);
        document.restoreView(view);
        EXPECT_EQ(document.saveView(), view) << "before it is computed";
        ASSERT_NO_FATAL_FAILURE(show(document));
        EXPECT_EQ(document.choice().filter, "a100");
        EXPECT_EQ(document.choice().row, rowNamed(document, "second"));
    }
    ValidationDocument document(path);
    ASSERT_NO_FATAL_FAILURE(show(document));
    document.restoreView({{"quantity", 5}, {"hidden_sets", "x"}, {"filter", QJsonArray{1}}, {"row", "gone"}});
    EXPECT_EQ(document.choice().rows.size(), 3U);
    EXPECT_FALSE(document.choice().row);
}

TEST_F(ValidationPage, everyControlHasANameAndFollowsTheTheme) {
    ValidationDocument document(ownTable());
    ASSERT_NO_FATAL_FAILURE(show(document));
    for (const char* id : {"sets", "rows"}) {
        ASSERT_NE(table(document, id), nullptr);
        EXPECT_EQ(test::namelessControls(document).join("\n").toStdString(), "") << id;
        EXPECT_EQ(test::hintlessButtons(document).join("\n").toStdString(), "") << id;
    }
    const QImage light = test::pictureOf(document);
    theme().apply(ThemeMode::dark);
    waitUntil([] { return false; }, 100);
    EXPECT_NE(test::pictureOf(document), light);
    test::savePicture(document, "validation-own-dark");
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QJsonObject>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QUndoStack>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/study/prediction/study.h"
#include "tests/support/pages.h"
#include "tests/support/pictures.h"
#include "tests/support/prediction_result.h"
#include "tests/support/shown.h"
#include "tests/support/turns.h"
#include "ui/models/prediction_facts.h"
#include "ui/models/prediction_tables.h"
#include "ui/theme/theme.h"
#include "ui/views/choice_bar.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/run_view.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
namespace {

using test::visibleText;
using test::waitUntil;

FinishedRun finishedPrediction(study::PredictionOutcome outcome = test::handMadePredictions()) {
    return test::finishedRun(test::wholePrediction(std::move(outcome)));
}

class PredictionViewTest : public testing::Test {
protected:
    void SetUp() override {
        view.resize(1280, 760);
        view.showRun(finishedPrediction());
        test::openDrawer(*view.pages());
    }
    template <typename View>
    View* shown(const char* tab) {
        view.pages()->openTab(QLatin1String(tab));
        return test::inFront<View>(*view.pages());
    }
    /// The picture of a tab, once it is made.
    PlotWidget* plot(const char* tab) {
        auto* its = shown<PlotWidget>(tab);
        EXPECT_TRUE(waitUntil([&] { return !its->chart().id.empty(); })) << tab;
        return its;
    }
    int seriesOf(const PlotWidget& its, const std::string& id) {
        const auto& all = its.chart().series;
        for (std::size_t s = 0; s < all.size(); ++s)
            if (all[s].id == id) return static_cast<int>(s);
        return -1;
    }
    int selected(const char* what) { return view.selected(QLatin1String(what)); }
    static QString acceleratorOf(const RunView& its) {
        return PredictionRun(its.run().result).acceleratorName(its.selected(QStringLiteral("accelerator")));
    }
    QUndoStack undo;
    const std::unique_ptr<RunView> page{newPredictionView(&undo, nullptr)};
    RunView& view = *page;
};

TEST_F(PredictionViewTest, beginsWithTheFastestAndHowSureThatIs) {
    EXPECT_EQ(acceleratorOf(view), QStringLiteral("swift"));
    EXPECT_EQ(PredictionRun(view.run().result).devices(selected("devices")), 8);
    view.resize(3600, 760);  // room for all of the line
    const auto expect = [&](const std::vector<const char*>& parts) {
        test::pictureOf(view);  // lays the line out
        const QString text = visibleText(view);
        for (const char* part : parts)
            EXPECT_TRUE(text.contains(QString::fromUtf8(part))) << part << " in\n" << text.toStdString();
    };
    expect({"swift or free", "too close to call: ", "ranking correct: 41 %", "numbers behind it",
            "small does not fit: batch 64 needs 2 GB more"});
    expect({"on cheap, the cheapest", "ranking correct: 99 %", "per step", "batch 256 on each of 8 devices"});
}

TEST_F(PredictionViewTest, tablesAreSound) {
    const auto choice = std::make_shared<PredictionChoice>();
    choice->run = PredictionRun(finishedPrediction().result);
    choice->operators = {0, 1, 2, 3, 4, 5};
    QObject owner;
    for (TableModel* model : {predictionTableModel(choice, {}, &owner), operatorTableModel(choice, &owner)}) {
        const QAbstractItemModelTester tester(model);
        model->setRowCount(4);
        model->setRowCount(2);
        for (int column = 0; column < model->columnCount(); ++column)
            EXPECT_FALSE(model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
    }
}

TEST_F(PredictionViewTest, theTableTellsAllPredictionsAndWhyOneIsMissing) {
    auto* table = shown<TableView>("accelerators");
    const QAbstractItemModel* model = table->view()->model();
    ASSERT_EQ(model->rowCount(), 8);
    const auto cell = [&](int row, const char* title) {
        for (int column = 0; column < model->columnCount(); ++column)
            if (model->headerData(column, Qt::Horizontal).toString() == QLatin1String(title))
                return model->index(row, column).data().toString();
        return QStringLiteral("no such column");
    };
    EXPECT_EQ(cell(0, "Accelerator"), QStringLiteral("swift"));
    EXPECT_EQ(cell(2, "Samples per dollar"), QStringLiteral("–")) << "no price";
    EXPECT_EQ(cell(3, "Throughput"), QStringLiteral("–"));
    EXPECT_TRUE(cell(3, "Why not").contains(QStringLiteral("2 GB more")));
    EXPECT_EQ(cell(0, "Error"), QStringLiteral("−13/+15 %"));
    QSignalSpy spy(&view, &RunView::inspected);
    table->setCurrentRow(1);
    EXPECT_EQ(acceleratorOf(view), QStringLiteral("cheap"));
    EXPECT_EQ(PredictionRun(view.run().result).devices(selected("devices")), 1);
    ASSERT_GE(spy.count(), 1);
    EXPECT_EQ(spy.last().at(0).value<Facts>().title, QStringLiteral("The cheap"));
}

TEST_F(PredictionViewTest, aBarChoosesItsAccelerator) {
    PlotWidget* its = plot("accelerators");
    EXPECT_EQ(its->chart().id, "throughput");
    QSignalSpy spy(&view, &RunView::inspected);
    emit its->pointClicked(seriesOf(*its, "cheap"), 0);
    EXPECT_EQ(acceleratorOf(view), QStringLiteral("cheap"));
    const auto facts = spy.last().at(0).value<Facts>();
    EXPECT_EQ(facts.subtitle, QStringLiteral("On 8 devices, batch 256 each"));
    ASSERT_GE(facts.sections.size(), 4);
    const auto& rows = facts.sections.front().rows;
    const auto throughput = std::find_if(
        rows.begin(), rows.end(), [](const Facts::Row& row) { return row.label == QStringLiteral("Throughput"); });
    ASSERT_NE(throughput, rows.end());
    const auto explanation = throughput->explain();
    ASSERT_TRUE(explanation);
    EXPECT_EQ(explanation->title, "Throughput of cheap@8");
    ASSERT_FALSE(facts.actions.isEmpty()) << "its price is edited in its document";
    QSignalSpy opened(&view, &RunView::openRequested);
    facts.actions.front().run();
    ASSERT_EQ(opened.count(), 1);
    EXPECT_EQ(opened[0][1].toString(), QStringLiteral("accelerator/cheap"));
}

TEST_F(PredictionViewTest, whatDoesNotFitStandsInTheViewsWithItsReason) {
    const int small = PredictionRun(view.run().result).acceleratorNamed(QStringLiteral("small"));
    QSignalSpy spy(&view, &RunView::inspected);
    view.select(QStringLiteral("accelerator"), small);
    const auto facts = spy.last().at(0).value<Facts>();
    EXPECT_EQ(facts.subtitle, QStringLiteral("Does not fit on 8 devices"));
    EXPECT_TRUE(facts.note.contains(QStringLiteral("2 GB more")));
    PlotWidget* memory = plot("memory");
    EXPECT_EQ(memory->chart().title, "small@8 does not fit");
    EXPECT_EQ(memory->chart().x.categories.size(), 1U);
    EXPECT_NE(plot("roofline")->chart().empty.find("small does not fit"), std::string::npos);
    EXPECT_EQ(shown<TableView>("operators")->view()->model()->rowCount(), 0);
}

TEST_F(PredictionViewTest, anotherNumberOfDevicesMovesAllPictures) {
    EXPECT_NE(plot("stages")->chart().title.find("on 8 devices"), std::string::npos);
    view.select(QStringLiteral("devices"), 0);
    PlotWidget* stages = plot("stages");
    EXPECT_TRUE(waitUntil([&] { return stages->chart().title.find("on 1 device") != std::string::npos; }));
    view.select(QStringLiteral("devices"), 7);
    EXPECT_EQ(selected("devices"), 0) << "there is no such number";
}

TEST_F(PredictionViewTest, anOperatorIsAskedAboutOnTheRooflineAndInTheTable) {
    PlotWidget* roofline = plot("roofline");
    const int matrix = seriesOf(*roofline, "matrix");
    ASSERT_GE(matrix, 0);
    EXPECT_NE(roofline->chart().series[static_cast<std::size_t>(matrix)].valueTexts.front().find("block/conv"),
              std::string::npos);
    QSignalSpy spy(&view, &RunView::inspected);
    emit roofline->pointClicked(matrix, 0);
    ASSERT_EQ(spy.count(), 1);
    const auto facts = spy.last().at(0).value<Facts>();
    EXPECT_EQ(facts.title, QStringLiteral("block/conv"));
    EXPECT_EQ(facts.subtitle, QStringLiteral("Conv · backward"));
    auto* table = shown<TableView>("operators");
    EXPECT_EQ(table->view()->model()->rowCount(), 6);
    EXPECT_EQ(table->currentRow(), 0) << "it takes most of the time";
    table->setCurrentRow(5);
    EXPECT_EQ(spy.last().at(0).value<Facts>().title, QStringLiteral("weights"));
    view.select(QStringLiteral("operator"), 99);
    EXPECT_NE(selected("operator"), 99);
}

TEST_F(PredictionViewTest, everyNumberOfTheTableIsExplained) {
    const auto choice = std::make_shared<PredictionChoice>();
    choice->run = PredictionRun(finishedPrediction().result);
    QObject owner;
    TableModel* model = predictionTableModel(choice, {}, &owner);
    model->setRowCount(8);
    int explainedNumbers = 0;
    for (int column = 0; column < model->columnCount(); ++column) {
        const QString path = model->index(0, column).data(pathRole).toString();
        const QString shownNumber = model->index(0, column).data(Qt::DisplayRole).toString();
        if (path.isEmpty() || shownNumber == QStringLiteral("–")) continue;
        ++explainedNumbers;
        EXPECT_TRUE(study::explain(choice->run.result(), path.toStdString()))
            << path.toStdString() << " of "
            << model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().toStdString();
    }
    EXPECT_GE(explainedNumbers, 11);
}

TEST_F(PredictionViewTest, aViewIsSavedAndRestored) {
    view.select(QStringLiteral("accelerator"),
                PredictionRun(view.run().result).acceleratorNamed(QStringLiteral("cheap")));
    view.select(QStringLiteral("devices"), 0);
    view.pages()->openTab(QStringLiteral("memory"));
    const QJsonObject saved = view.saveView();
    const std::unique_ptr<RunView> owned(newPredictionView(&undo, nullptr));
    RunView& other = *owned;
    other.showRun(finishedPrediction());
    other.restoreView(saved);
    EXPECT_EQ(acceleratorOf(other), QStringLiteral("cheap"));
    EXPECT_EQ(other.selected(QStringLiteral("devices")), 0);
    EXPECT_EQ(other.pages()->tab(), QStringLiteral("memory"));
    other.restoreView({{QStringLiteral("accelerator"), 7}, {QStringLiteral("devices"), 1e99}});
    EXPECT_EQ(acceleratorOf(other), QStringLiteral("cheap"));
}

TEST_F(PredictionViewTest, everythingIsExported) {
    const QVector<Exportable> all = view.exportables();
    EXPECT_GE(all.size(), 14);
    QSet<QString> names;
    for (const Exportable& each : all) {
        EXPECT_FALSE(names.contains(each.name)) << each.name.toStdString();
        names.insert(each.name);
        if (each.svg) {
            EXPECT_NE(each.svg(report::Theme(report::ThemeKind::light)).find("<svg"), std::string::npos);
        }
        if (each.csv) {
            EXPECT_GT(each.csv().size(), 20U) << each.name.toStdString();
        }
    }
    EXPECT_NE(view.resultExport().json().find("tessera.prediction-result/1"), std::string::npos);
    EXPECT_FALSE(view.traceExport().json) << "a prediction knows no moments";
}

/// The cell of a column in the row of a prediction.
QModelIndex cellOf(const TableView& table, const QString& prediction, const QString& column) {
    const QAbstractItemModel* model = table.view()->model();
    for (int row = 0; row < model->rowCount(); ++row)
        for (int at = 0; at < model->columnCount(); ++at)
            if (model->index(row, at).data(pathRole).toString().startsWith(prediction + QLatin1Char('/')) &&
                model->headerData(at, Qt::Horizontal).toString() == column)
                return model->index(row, at);
    return {};
}

TEST_F(PredictionViewTest, aPriceIsWrittenIntoTheTableAndTheRankingFollows) {
    const QString price = QStringLiteral("Price per hour"), perDollar = QStringLiteral("Samples per dollar");
    auto* table = shown<TableView>("accelerators");
    PlotWidget* its = plot("accelerators");
    auto* pane = its->parentWidget();
    ASSERT_NE(pane, nullptr);
    const auto cheapest = [&] {
        const study::PredictionOutcome outcome = PredictionRun(view.run().result).outcome();
        return study::rankingOf(outcome, study::kSamplesPerDollar, 8)->order.front();
    };
    ASSERT_EQ(cheapest(), "cheap");
    const std::shared_ptr<const study::Result> before = view.run().result;
    const QModelIndex cell = cellOf(*table, QStringLiteral("swift@8"), price);
    ASSERT_TRUE(cell.isValid());
    ASSERT_TRUE(cell.flags().testFlag(Qt::ItemIsEditable));
    EXPECT_EQ(cell.data(Qt::EditRole).toString(), QStringLiteral("32"));
    EXPECT_FALSE(cellOf(*table, QStringLiteral("swift@8"), perDollar).flags().testFlag(Qt::ItemIsEditable));
    QSignalSpy said(&view, &RunView::messaged);
    auto* model = table->view()->model();
    EXPECT_FALSE(model->setData(cell, QStringLiteral("much"), Qt::EditRole));
    ASSERT_EQ(said.count(), 1);
    EXPECT_TRUE(said.front().front().toString().contains(QStringLiteral("is no price")));
    EXPECT_TRUE(model->setData(cell, QStringLiteral("$ 1.6"), Qt::EditRole)) << "of all eight devices";
    ASSERT_TRUE(waitUntil([&] { return cheapest() == "swift"; }));
    EXPECT_EQ(cellOf(*table, QStringLiteral("swift"), price).data().toString(), QStringLiteral("$0.2"))
        << "of one device";
    EXPECT_TRUE(visibleText(view).contains(QStringLiteral("swift $0.2 (was $4)"))) << visibleText(view).toStdString();
    const QJsonObject saved = view.saveView();
    // What was found can be had again by a run.
    QSignalSpy runs(&view, &RunView::runRequested);
    for (auto* label : view.findChildren<QLabel*>())
        if (label->text().contains(QStringLiteral("Run with these prices"))) emit label->linkActivated({});
    for (auto* button : view.findChildren<QAbstractButton*>())
        if (button->text() == QStringLiteral("Run with these prices")) button->click();
    ASSERT_EQ(runs.count(), 1);
    const Json study = Json::parse(runs.front().front().toString().toStdString());
    EXPECT_EQ(study.at("parameters").at("prices"), "swift=0.2");
    undo.undo();
    EXPECT_EQ(cheapest(), "cheap");
    EXPECT_EQ(view.run().result, before);
    undo.redo();
    EXPECT_EQ(cheapest(), "swift");
    const std::unique_ptr<RunView> other(newPredictionView(&undo, nullptr));
    other->showRun(finishedPrediction());
    other->restoreView(saved);
    EXPECT_EQ(PredictionRun(other->run().result).outcome().ranking, PredictionRun(view.run().result).outcome().ranking);
}

TEST_F(PredictionViewTest, resultsOfBeforeSayWhatTheyLack) {
    study::PredictionOutcome outcome = test::handMadePredictions();
    for (predict::Prediction& one : outcome.predictions) {
        one.batches.clear();
        one.operators.alike.clear();
        one.peak = {};
        one.dtype.clear();
    }
    view.showRun(finishedPrediction(outcome));
    EXPECT_NE(plot("memory")->chart().empty.find("Run the study again"), std::string::npos);
    EXPECT_NE(plot("roofline")->chart().empty.find("Run the study again"), std::string::npos);
}

/// As many accelerators and operators as one asks for at most.
TEST_F(PredictionViewTest, manyAcceleratorsDoNotHoldTheWindow) {
    study::PredictionOutcome outcome = test::handMadePredictions();
    predict::Prediction like = outcome.predictions.front();
    for (int i = 0; i < 1500; ++i) {
        like.operators.alike.push_back(like.operators.alike[static_cast<std::size_t>(i % 6)]);
        like.operators.alike.back().flops.value *= 1 + 0.01 * i;
    }
    outcome.predictions.front() = like;
    for (int i = 0; i < 40; ++i) {
        like.accelerator = "accelerator " + std::to_string(i);
        like.throughput *= 0.97;
        outcome.predictions.push_back(like);
    }
    const FinishedRun run = finishedPrediction(outcome);
    view.show();
    waitUntil([] { return false; }, 100);
    test::TurnMeter meter;
    const auto expectShort = [&](const char* what, const std::function<void()>& work) {
        meter.take();
        meter.run(work);
        waitUntil([] { return false; }, 200);
        EXPECT_LT(meter.take(), test::kLongestTurn) << what;
    };
    expectShort("show", [&] { view.showRun(run); });
    for (const char* tab : {"stages", "memory", "roofline", "operators", "scaling", "assumptions"})
        expectShort(tab, [&] { view.pages()->openTab(QLatin1String(tab)); });
    expectShort("choose", [&] { view.select(QStringLiteral("devices"), 0); });
    EXPECT_EQ(view.findChildren<ChoiceBar*>().size(), 2);
}

/// The same at the sizes that the pages have in windows of 1280×800, 1440×900 and 1920×1080.
TEST(PredictionViewPictures, areSavedAtTheSizesOfWindows) {
    const auto result = std::make_shared<const study::Result>(study::run(study::loadStudy("resnet50-accelerators")));
    QUndoStack undo;
    for (const auto& [width, height, mode, name] :
         {std::tuple(1030, 700, ThemeMode::light, "1280"), std::tuple(1190, 800, ThemeMode::dark, "1440"),
          std::tuple(1670, 980, ThemeMode::light, "1920")}) {
        theme().apply(mode);
        const std::unique_ptr<RunView> view(newPredictionView(&undo, nullptr));
        view->resize(width, height);
        view->setProperty("ground", "surface");
        view->showRun({.result = result, .curves = nullptr, .history = {}, .kept = 0});
        view->restoreView({{QStringLiteral("prices"), QStringLiteral("a100-40gb=1.1,gaudi2=2")}});
        view->show();
        for (const char* tab : {"accelerators", "duels", "batch-throughput"}) {
            view->pages()->openTab(QLatin1String(tab));
            view->pages()->setOpen(QLatin1String(tab) == QLatin1String("accelerators"));
            waitUntil([] { return false; }, 300);
            const QImage picture = test::savePicture(
                *view, QStringLiteral("prediction-at-%1-%2").arg(QLatin1String(name), QLatin1String(tab)));
            EXPECT_GT(test::coloursIn(picture), 20) << tab;
        }
    }
    theme().apply(ThemeMode::light);
}

/// Pictures for a person to look at, of the bundled study.
TEST(PredictionViewPictures, areSaved) {
    const auto result = std::make_shared<const study::Result>(study::run(study::loadStudy("resnet50-accelerators")));
    QUndoStack undo;
    for (const auto& [mode, name] : {std::pair(ThemeMode::light, "light"), std::pair(ThemeMode::dark, "dark")}) {
        theme().apply(mode);
        const std::unique_ptr<RunView> owned(newPredictionView(&undo, nullptr));
        RunView& view = *owned;
        view.resize(1280, 740);
        view.showRun({.result = result, .curves = nullptr, .history = {}, .kept = 0});
        view.show();
        for (const char* tab : {"accelerators", "duels", "batch-throughput", "stages", "memory", "roofline",
                                "operators", "scaling", "assumptions"}) {
            view.pages()->openTab(QLatin1String(tab));
            auto* its = test::inFront<PlotWidget>(*view.pages());
            if (its != nullptr) {
                EXPECT_TRUE(waitUntil([&] { return !its->chart().id.empty(); }));
            }
            waitUntil([] { return false; }, 100);
            const QImage picture = test::savePicture(
                view, QStringLiteral("prediction-%1-%2").arg(QLatin1String(tab), QLatin1String(name)));
            EXPECT_GT(test::coloursIn(picture), 20) << tab;
        }
    }
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui

#include <gtest/gtest.h>

#include <QDialog>
#include <QFileInfo>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "core/hardware/library.h"
#include "core/study/explanation.h"
#include "core/study/metric.h"
#include "core/study/study.h"
#include "tests/support/gestures.h"
#include "tests/support/golden.h"
#include "tests/support/pictures.h"
#include "tests/support/runs.h"
#include "ui/models/partition_facts.h"
#include "ui/models/partition_tables.h"
#include "ui/views/headline_bar.h"
#include "ui/views/plot/chart_pane.h"
#include "ui/views/plot/heat_map_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/partition_view.h"

/// "Explain this number" on everything that is shown of a partition run.
namespace tessera::ui {
namespace {

PartitionRun realRun() {
    return PartitionRun(
        std::make_shared<const study::Result>(test::solved("zoo:resnet18", "accpar-heterogeneous", 512)));
}

/// Formula, inputs with their values and sources, unit and where it all is from.
void expectWhole(const std::optional<study::Explanation>& made, const std::string& what, Measure measure) {
    ASSERT_TRUE(made.has_value()) << what;
    EXPECT_FALSE(made->title.empty()) << what;
    EXPECT_FALSE(made->value.empty()) << what;
    EXPECT_FALSE(made->formula.empty()) << what;
    EXPECT_FALSE(made->source.empty()) << what;
    EXPECT_FALSE(made->terms.empty()) << what;
    for (const study::Explanation::Term& term : made->terms) {
        EXPECT_FALSE(term.name.empty()) << what;
        EXPECT_FALSE(term.value.empty()) << what << ": " << term.name;
        EXPECT_FALSE(term.whereFrom.empty()) << what << ": " << term.name;
    }
    const std::string unit(unitName(measure));
    if (unit.empty()) return;
    EXPECT_TRUE(made->exact.ends_with(" " + unit)) << what << ": " << made->exact;
    EXPECT_TRUE(made->value.ends_with(unit)) << what << ": " << made->value;
}

TEST(Explain, everyMetricOfAResult) {
    const PartitionRun run = realRun();
    const std::vector<study::Metric> metrics = study::metricsOf(run.result());
    EXPECT_GT(metrics.size(), 30U);
    std::string formulas;
    for (const study::Metric& metric : metrics) {
        const auto made = study::explain(run.result(), metric.name);
        expectWhole(made, metric.name, metric.measure);
        if (made) formulas += metric.name + ": " + made->formula + '\n';
    }
    test::expectGolden(formulas, "tests/data/formulas/partition.txt");
}

SharedChoice choiceOf(const PartitionRun& run) {
    auto choice = std::make_shared<PartitionChoice>();
    choice->run = run;
    choice->plan = run.planNamed(QStringLiteral("accpar"));
    return choice;
}

/// Every number of a table but those of the columns named, which are counts and sums.
void expectColumns(const PartitionRun& run, TableModel& model, int rows, const std::set<QString>& plain) {
    model.setRowCount(rows);
    int numbers = 0;
    for (int column = 0; column < model.columns().size(); ++column) {
        const TableModel::Column& its = model.columns().at(column);
        if (!its.number || plain.count(its.title) != 0) continue;
        for (const int row : {0, rows / 2, rows - 1}) {
            const std::string path = explainPath(model, row, column).toStdString();
            if (path.empty() && its.title == QStringLiteral("Within")) continue;  // joins exchange nothing
            const std::string what = its.title.toStdString() + ", row " + std::to_string(row) + ", " + path;
            const bool seconds = path.ends_with("_s") && path.find("per_s") == std::string::npos;
            expectWhole(study::explain(run.result(), path), what, seconds ? Measure::seconds : Measure::count);
            ++numbers;
        }
    }
    EXPECT_GT(numbers, 0);
}

TEST(Explain, everyNumberOfTheTables) {
    const PartitionRun run = realRun();
    const SharedChoice choice = choiceOf(run);
    QObject owner;
    expectColumns(run, *strategyTableModel(choice, &owner), run.planCount(), {});
    expectColumns(run, *layerTableModel(choice, &owner), layerRows(*choice),
                  {QStringLiteral("#"), QStringLiteral("Together")});
    expectColumns(run, *levelTableModel(choice, &owner), levelRows(*choice),
                  {QStringLiteral("Level"), QStringLiteral("Accelerators"), QStringLiteral("Times")});
    expectColumns(run, *acceleratorTableModel(choice, &owner), acceleratorRows(*choice),
                  {QStringLiteral("Count"), QStringLiteral("Capacity")});
}

TEST(Explain, everyFactWithAFormula) {
    const PartitionRun run = realRun();
    const SharedChoice choice = choiceOf(run);
    int explained = 0;
    for (const Facts& facts :
         {layerFacts(*choice, 3), splitFacts(*choice), planFacts(*choice), acceleratorFacts(*choice, 0)})
        for (const Facts::Section& section : facts.sections)
            for (const Facts::Row& row : section.rows) {
                if (!row.explain) continue;
                expectWhole(row.explain(), row.label.toStdString(), Measure::count);
                ++explained;
            }
    EXPECT_GE(explained, 4 + 5 + 4 + 3);
}

class ExplainView : public testing::Test {
protected:
    void SetUp() override {
        view.resize(1100, 760);
        view.showRun({.result = realRun().shared(), .curves = nullptr, .history = {}, .kept = 0});
        ASSERT_TRUE(test::waitUntil([&] { return !view.findChild<HeatMapView*>()->heatMap().cells.empty(); }));
        tabs = view.findChild<RunPages*>();
    }
    /// The dialog's title, after which it is gone; empty where there is none.
    QString shown() {
        QString title;
        for (QDialog* dialog : view.window()->findChildren<QDialog*>(QStringLiteral("explanation"))) {
            title = dialog->accessibleDescription();
            delete dialog;
        }
        return title;
    }
    QUndoStack undo;
    PartitionView view{&undo};
    RunPages* tabs = nullptr;
};

TEST_F(ExplainView, everyHeadline) {
    const auto buttons = view.findChild<HeadlineBar*>()->findChildren<QToolButton*>();
    ASSERT_EQ(buttons.size(), 3);
    for (QToolButton* button : buttons) {
        button->click();
        EXPECT_FALSE(shown().isEmpty()) << button->accessibleName().toStdString();
    }
}

TEST_F(ExplainView, everyPointOfEveryChart) {
    int points = 0;
    for (const char* tab : {"strategies", "layers", "levels", "memory"}) {
        tabs->openTab(QString::fromUtf8(tab));
        ChartPane* pane = nullptr;
        ASSERT_TRUE(test::waitUntil([&] {
            for (ChartPane* each : tabs->pictures()->currentWidget()->findChildren<ChartPane*>())
                if (!each->plot()->chart().series.empty()) pane = each;
            return pane != nullptr;
        })) << tab;
        for (int chart = 0; chart < 2; ++chart) {
            pane->setCurrent(chart);
            const std::vector<report::Series>& all = pane->plot()->chart().series;
            for (std::size_t series = 0; series < all.size(); ++series) {
                if (all[series].mark == report::Mark::bound) continue;  // capacities and bounds have their own facts
                emit pane->plot()->explainRequested(static_cast<int>(series), 0);
                EXPECT_FALSE(shown().isEmpty()) << tab << ", chart " << chart << ", " << all[series].id;
                ++points;
            }
        }
    }
    EXPECT_GT(points, 15);
}

TEST_F(ExplainView, theMenuOfACellPinsExplainsAndExports) {
    auto* map = view.findChild<HeatMapView*>();
    emit map->cellActivated(0, 3, view.mapToGlobal(QPoint(20, 20)));
    auto* menu = view.findChild<QMenu*>(QString(), Qt::FindDirectChildrenOnly);
    ASSERT_NE(menu, nullptr);
    const QStringList texts = test::textsOf(*menu);
    for (const char* wanted :
         {"Pin to Type I: batch", "Pin to Type II: input channels", "Pin the ratio of level 0…", "Explain the type",
          "Explain the compute time", "Explain the time within the layer", "Explain the time between layers",
          "Copy or export the picture/Copy as image", "Copy or export the picture/CSV…"})
        EXPECT_TRUE(texts.contains(QString::fromUtf8(wanted))) << wanted;
    for (QAction* action : menu->actions())
        if (action->text().startsWith(QStringLiteral("Explain"))) {
            action->trigger();
            EXPECT_FALSE(shown().isEmpty()) << action->text().toStdString();
        }
    test::actionNamed(*menu, QStringLiteral("Pin to Type II: input channels"))->trigger();
    EXPECT_EQ(view.pins().types.size() + view.pins().ratios.size(), 1);
    delete menu;
}

TEST(StudyWithAllGroups, asksForAllGroupsAndForgetsPinnedRatios) {
    study::Study study = realRun().result().study;
    study.parameters["pin_ratio"] = {{"0", 0.3}};
    const QString file = studyWithAllGroups(study);
    ASSERT_TRUE(QFileInfo::exists(file));
    const study::Study made = study::loadStudy(file.toStdString());
    EXPECT_EQ(made.models, study.models);
    EXPECT_EQ(made.hardware, study.hardware);
    EXPECT_EQ(made.parameters->at("groups"), "all");
    EXPECT_TRUE(made.parameters->at("pin_ratio").empty()) << "they speak of splits that are gone";
}

}  // namespace
}  // namespace tessera::ui

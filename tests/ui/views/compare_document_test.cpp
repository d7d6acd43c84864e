#include "ui/views/compare_document.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>

#include "tests/support/partition_result.h"
#include "tests/support/pictures.h"
#include "tests/support/runs.h"
#include "ui/models/facts.h"
#include "ui/theme/theme.h"
#include "ui/views/gantt_view.h"
#include "ui/views/message_bar.h"
#include "ui/views/plot_widget.h"
#include "ui/views/table_view.h"

namespace tessera::ui {
namespace {

using test::savePicture;
using test::waitUntil;

RunState stateOf(const study::Result& result, const QString& title, int run) {
    RunState state;
    state.run = run;
    state.study = result.study;
    state.title = title;
    state.status = store::RunStatus::done;
    state.result = std::make_shared<const study::Result>(result);
    return state;
}

std::vector<RunState> twoRuns() {
    study::Result other = test::handMadeResult();
    other.study.parameters["batch"] = 1024;
    auto& plan = std::get<study::PartitionOutcome>(other.outcome).result.plans[0];
    plan.stepTime = Seconds{0.0181};
    plan.levels[0].layers[0].type = partition::Type::II;
    return {stateOf(test::handMadeResult(), QStringLiteral("first"), 1), stateOf(other, QStringLiteral("second"), 2)};
}

bool compared(CompareDocument& document) {
    const auto* bars = document.findChild<PlotWidget*>();
    return waitUntil([&] { return bars->chart().series.size() >= 2; });
}

TEST(CompareDocument, saysWhatToDoWhereThereIsNothingToCompare) {
    CompareDocument document(QStringLiteral("1"));
    document.setRuns({twoRuns()[0]});
    QString text;
    for (const auto* label : document.findChildren<QLabel*>())
        if (label->isVisibleTo(&document)) text += label->text();
    EXPECT_TRUE(text.contains(QStringLiteral("Choose two runs or more"))) << text.toStdString();
}

TEST(CompareDocument, saysWhichRunIsAheadAndWarns) {
    CompareDocument document(QStringLiteral("1,2"));
    document.setRuns(twoRuns());
    ASSERT_TRUE(compared(document));
    QString text;
    for (const auto* label : document.findChildren<QLabel*>()) text += label->text() + QLatin1Char('\n');
    EXPECT_TRUE(text.contains(QStringLiteral("second is 2× as fast as first: 18.1 ms against 36.2 ms per step.")))
        << text.toStdString();
    EXPECT_TRUE(document.findChild<MessageBar*>()->message().contains(QStringLiteral("batch")));
}

TEST(CompareDocument, showsOnlyDifferencesUnlessAsked) {
    CompareDocument document(QStringLiteral("1,2"));
    document.setRuns(twoRuns());
    ASSERT_TRUE(compared(document));
    auto* tabs = document.findChild<QTabWidget*>();
    const auto rows = [&](int tab) {
        tabs->setCurrentIndex(tab);
        // A table that was replaced may wait for its deletion.
        const auto tables = tabs->currentWidget()->findChildren<QTableView*>();
        return tables.isEmpty() ? -1 : tables.last()->model()->rowCount();
    };
    const int inputs = rows(1);
    EXPECT_GE(inputs, 1);
    EXPECT_EQ(rows(2), 1);
    document.setOnlyDifferences(false);
    EXPECT_GT(rows(1), inputs);
    EXPECT_GT(rows(2), 1);
    for (auto* table : document.findChildren<QTableView*>())
        QAbstractItemModelTester(table->model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
}

TEST(CompareDocument, theBaselineCanBeChosenAndTheViewIsRemembered) {
    CompareDocument document(QStringLiteral("1,2"));
    document.setRuns(twoRuns());
    ASSERT_TRUE(compared(document));
    document.setBaseline(1);
    const auto hasFinding = [&](const CompareDocument& in) {
        const auto labels = in.findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text() == QStringLiteral("No run is faster than second, at 18.1 ms per step.");
        });
    };
    EXPECT_TRUE(waitUntil([&] { return hasFinding(document); }));
    CompareDocument again(QStringLiteral("1,2"));
    again.restoreView(document.saveView());
    again.setRuns(twoRuns());
    EXPECT_TRUE(waitUntil([&] { return hasFinding(again); }));
    EXPECT_EQ(again.baseline(), 1);
}

TEST(CompareDocument, timelinesShareOneTimeAxisAndSelection) {
    CompareDocument document(QStringLiteral("1,2"));
    document.resize(900, 600);
    document.setRuns(twoRuns());
    ASSERT_TRUE(compared(document));
    document.findChild<QTabWidget*>()->setCurrentIndex(3);
    ASSERT_TRUE(waitUntil([&] {
        const auto gantts = document.findChildren<GanttView*>();
        return gantts.size() == 2 && !gantts.at(1)->timeline().tracks.empty();
    }));
    const auto gantts = document.findChildren<GanttView*>();
    QSignalSpy moved(gantts.at(1), &GanttView::visibleRangeChanged);
    emit gantts.at(0)->visibleRangeChanged(0.001, 0.002);
    QSignalSpy spy(&document, &Document::inspected);
    document.chooseLayer(QStringLiteral("cv1"));
    ASSERT_EQ(spy.size(), 1);
    const auto facts = spy.at(0).at(0).value<Facts>();
    EXPECT_EQ(facts.sections.at(0).rows.at(0).value, QStringLiteral("I"));
    EXPECT_EQ(facts.sections.at(1).rows.at(0).value, QStringLiteral("II"));
}

TEST(CompareDocument, exportsWhatItShows) {
    CompareDocument document(QStringLiteral("1,2"));
    EXPECT_TRUE(document.exportables().isEmpty());
    document.setRuns(twoRuns());
    ASSERT_TRUE(compared(document));
    for (const Exportable& what : document.exportables()) {
        EXPECT_FALSE(what.csv().empty()) << what.name.toStdString();
    }
}

TEST(CompareDocument, realRunsLookRight) {
    const std::vector<RunState> runs{
        stateOf(test::solved("zoo:resnet50", "accpar-heterogeneous"), QStringLiteral("ResNet-50, mixed TPUs"), 1),
        stateOf(test::solved("zoo:resnet50", "accpar-homogeneous"), QStringLiteral("ResNet-50, TPU-v3"), 2)};
    CompareDocument document(QStringLiteral("1,2"));
    document.resize(820, 620);
    document.setRuns(runs);
    ASSERT_TRUE(compared(document));
    auto* tabs = document.findChild<QTabWidget*>();
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        theme().apply(mode);
        for (int tab = 0; tab < tabs->count(); ++tab) {
            tabs->setCurrentIndex(tab);
            waitUntil([] { return false; }, 100);
            const QString name = QStringLiteral("compare-%1-%2")
                                     .arg(tab)
                                     .arg(mode == ThemeMode::dark ? QStringLiteral("dark") : QStringLiteral("light"));
            EXPECT_GT(test::coloursIn(savePicture(document, name)), 10);
        }
    }
    theme().apply(ThemeMode::light);
}

}  // namespace
}  // namespace tessera::ui

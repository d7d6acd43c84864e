#include "ui/views/runs/compare_document.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QSettings>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "core/model/readers/native_json.h"
#include "core/model/zoo/zoo.h"
#include "core/store/recorder.h"
#include "core/study/partition/outcome.h"
#include "tests/support/partition_result.h"
#include "tests/support/pictures.h"
#include "tests/support/prediction_result.h"
#include "tests/support/runs.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/turns.h"
#include "ui/models/comparison_tables.h"
#include "ui/models/facts.h"
#include "ui/theme/theme.h"
#include "ui/views/graph/graph_view.h"
#include "ui/views/message_bar.h"
#include "ui/views/plot/convergence_view.h"
#include "ui/views/plot/gantt_view.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/table_view.h"
#include "ui/views/view_presets.h"

namespace tessera::ui {
namespace {

using test::savePicture;
using test::waitUntil;

RunState comparedState(const study::Result& result, const QString& title, int run) {
    RunState state;
    state.run = run;
    state.study = result.study;
    state.title = title;
    state.status = store::RunStatus::done;
    state.result = std::make_shared<const study::Result>(result);
    return state;
}

/// Gives the first layer of a level another type.
void setFirstType(partition::LevelPlan& level, partition::Type type) {
    std::vector<partition::LayerPlan> rows = level.layers.all();
    rows.at(0).type = type;
    level.layers = rows;
}

std::vector<RunState> twoRuns() {
    study::Result other = test::handMadeResult();
    other.study.parameters["dtype"] = "fp16";
    auto& plan = other.outcome.get<study::PartitionOutcome>().result.plans[0];
    plan.stepTime = Seconds{0.0181};
    setFirstType(plan.levels[0], partition::Type::II);
    return {comparedState(test::handMadeResult(), QStringLiteral("first"), 1),
            comparedState(other, QStringLiteral("second"), 2)};
}

/// The same with the times of single layers, so that the timelines have a bar for each.
std::vector<RunState> twoRunsByLayer() {
    std::vector<RunState> runs = twoRuns();
    for (RunState& run : runs) {
        study::Result result = *run.result;
        auto& outcome = result.outcome.get<study::PartitionOutcome>();
        for (auto& plan : outcome.result.plans)
            for (auto& share : plan.shares) {
                share.layerCompute = std::vector<Seconds>(outcome.result.names.size(), Seconds{0.003});
                share.path = {{0, true}, {1, true}};
            }
        run.result = std::make_shared<const study::Result>(std::move(result));
    }
    return runs;
}

bool compared(CompareDocument& document) {
    const auto* bars = document.findChild<PlotWidget*>();
    return waitUntil([&] { return bars->chart().series.size() >= 2; });
}

/// The table of that name that is there now: one that was replaced may wait for its deletion.
QTableView* tableNamed(const CompareDocument& document, const QString& name) {
    QTableView* found = nullptr;
    for (auto* table : document.findChildren<QTableView*>())
        if (table->accessibleName() == name) found = table;
    return found;
}

void openPage(const CompareDocument& document, const QString& title) {
    auto* tabs = document.findChild<QTabWidget*>();
    for (int i = 0; i < tabs->count(); ++i)
        if (tabs->tabText(i) == title) tabs->setCurrentIndex(i);
}

/// What the person chose in one comparison is not to meet another test.
class Settings : public testing::Environment {
public:
    void SetUp() override { QSettings().remove(QStringLiteral("compare")); }
    void TearDown() override { QSettings().remove(QStringLiteral("compare")); }
};
[[maybe_unused]] const auto* const kSettings = testing::AddGlobalTestEnvironment(new Settings);

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
    EXPECT_TRUE(
        text.contains(QStringLiteral("B (second) is 2× as fast as A (first): 18.1 ms against 36.2 ms per step.")))
        << text.toStdString();
    EXPECT_TRUE(
        document.findChild<MessageBar*>()->message().contains(QStringLiteral("Data types differ: B against A.")));
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
    tabs->setCurrentIndex(2);
    ASSERT_NE(tableNamed(document, QStringLiteral("Layers")), nullptr);
    EXPECT_EQ(tableNamed(document, QStringLiteral("Layers"))->model()->rowCount(), 1);
    for (auto* table : document.findChildren<QTableView*>())  // they look on while rows come
        new QAbstractItemModelTester(table->model(), QAbstractItemModelTester::FailureReportingMode::Fatal, table);
    document.findChild<QCheckBox*>()->setChecked(false);
    EXPECT_GT(rows(1), inputs);
    tabs->setCurrentIndex(2);
    EXPECT_GT(tableNamed(document, QStringLiteral("Layers"))->model()->rowCount(), 1);
    for (auto* table : document.findChildren<QTableView*>())
        const QAbstractItemModelTester tester(table->model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
}

TEST(CompareDocument, theBaselineCanBeChosenAndTheViewIsRemembered) {
    CompareDocument document(QStringLiteral("1,2"));
    document.setRuns(twoRuns());
    ASSERT_TRUE(compared(document));
    document.setBaseline(1);
    const auto hasFinding = [&](const CompareDocument& in) {
        const auto labels = in.findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text() == QStringLiteral("No run is faster than B (second), at 18.1 ms per step.");
        });
    };
    EXPECT_TRUE(waitUntil([&] { return hasFinding(document); }));
    CompareDocument again(QStringLiteral("1,2"));
    again.restoreView(document.saveView());
    again.setRuns(twoRuns());
    EXPECT_TRUE(waitUntil([&] { return hasFinding(again); }));
    EXPECT_EQ(again.baseline(), 1);
}

TEST(CompareDocument, theDifferenceIsInViewBesideLongNames) {
    std::vector<RunState> runs = twoRuns();
    for (RunState& run : runs) run.title = QStringLiteral("resnet50 on accpar-heterogeneous, batch 512, ") + run.title;
    CompareDocument document(QStringLiteral("1,2"));
    document.resize(790, 600);  // what a window of 1280 pixels leaves
    document.show();
    document.setRuns(runs);
    ASSERT_TRUE(compared(document));
    const auto* numbers = tableNamed(document, QStringLiteral("Numbers"));
    ASSERT_NE(numbers, nullptr);
    ASSERT_TRUE(waitUntil([&] { return numbers->model()->rowCount() > 0; }));
    QCoreApplication::processEvents();
    constexpr int kFirst = 3;  // behind letter, name and value
    EXPECT_EQ(numbers->model()->headerData(kFirst, Qt::Horizontal).toString(), QStringLiteral("Δ vs A"));
    EXPECT_LE(numbers->columnViewportPosition(kFirst) + numbers->columnWidth(kFirst), numbers->viewport()->width());
    EXPECT_EQ(numbers->model()->index(1, 0).data().toString(), QStringLiteral("B"));
    EXPECT_EQ(numbers->model()->index(1, 1).data().toString(), runs[1].title);
    savePicture(document, QStringLiteral("compare-long-names"));
}

TEST(CompareDocument, timelinesShareOneTimeAxisAndSelection) {
    CompareDocument document(QStringLiteral("1,2"));
    document.resize(900, 600);
    document.setRuns(twoRuns());
    ASSERT_TRUE(compared(document));
    openPage(document, QStringLiteral("Timelines"));
    ASSERT_TRUE(waitUntil([&] {
        const auto gantts = document.findChildren<GanttView*>();
        return gantts.size() == 2 && !gantts.at(1)->timeline().tracks.empty();
    }));
    const auto gantts = document.findChildren<GanttView*>();
    const auto whole = gantts.at(0)->visibleRange();
    EXPECT_EQ(gantts.at(1)->visibleRange(), whole) << "one time axis, though the runs take different times";
    QWheelEvent wheel({400, 20}, gantts.at(0)->mapToGlobal(QPointF(400, 20)), {}, {0, 480}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(gantts.at(0), &wheel);
    EXPECT_LT(gantts.at(0)->visibleRange().second - gantts.at(0)->visibleRange().first, whole.second - whole.first);
    EXPECT_DOUBLE_EQ(gantts.at(0)->visibleRange().first, gantts.at(1)->visibleRange().first);
    EXPECT_DOUBLE_EQ(gantts.at(0)->visibleRange().second, gantts.at(1)->visibleRange().second);
    emit gantts.at(0)->visibleRangeChanged(0.001, 0.002);
    EXPECT_DOUBLE_EQ(gantts.at(1)->visibleRange().first, 0.001);
    EXPECT_DOUBLE_EQ(gantts.at(1)->visibleRange().second, 0.002);
    QSignalSpy spy(&document, &Document::inspected);
    document.chooseLayer(QStringLiteral("cv1"));
    ASSERT_EQ(spy.size(), 1);
    const auto facts = spy.at(0).at(0).value<Facts>();
    EXPECT_EQ(facts.sections.at(0).rows.at(0).value, QStringLiteral("I"));
    EXPECT_EQ(facts.sections.at(1).rows.at(0).value, QStringLiteral("II"));
}

TEST(CompareDocument, oneSelectionIsSharedByAllParts) {
    CompareDocument document(QStringLiteral("1,2"));
    document.resize(900, 600);
    document.setRuns(twoRunsByLayer());
    ASSERT_TRUE(compared(document));
    document.findChild<QCheckBox*>()->setChecked(false);
    openPage(document, QStringLiteral("Timelines"));
    ASSERT_TRUE(waitUntil([&] {
        const auto gantts = document.findChildren<GanttView*>();
        return gantts.size() == 2 && !gantts.at(1)->timeline().tracks.empty();
    }));
    openPage(document, QStringLiteral("Layers"));
    QSignalSpy spy(&document, &Document::inspected);
    auto* layers = tableNamed(document, QStringLiteral("Layers"));
    ASSERT_NE(layers, nullptr);
    const auto select = [&](const QString& layer) {
        for (int row = 0; row < layers->model()->rowCount(); ++row)
            if (layers->model()->index(row, 0).data().toString() == layer) {
                layers->setCurrentIndex(layers->model()->index(row, 0));
                return;
            }
    };
    select(QStringLiteral("fc<1>"));
    ASSERT_EQ(spy.size(), 1);
    EXPECT_EQ(spy.at(0).at(0).value<Facts>().title, QStringLiteral("fc<1>"));
    const auto gantts = document.findChildren<GanttView*>();
    for (const GanttView* gantt : gantts) {
        EXPECT_TRUE(gantt->accessibleDescription().contains(QStringLiteral("fc<1>")))
            << gantt->accessibleDescription().toStdString();
    }
    const auto& events = gantts.at(0)->timeline().events;
    for (std::size_t i = 0; i < events.size(); ++i)
        if (events[i].name == "cv1") {
            emit gantts.at(0)->eventSelected(static_cast<int>(i));
            break;
        }
    EXPECT_EQ(layers->currentIndex().siblingAtColumn(0).data().toString(), QStringLiteral("cv1"));
    EXPECT_EQ(spy.size(), 2);
}

TEST(CompareDocument, remembersViewsByName) {
    CompareDocument document(QStringLiteral("1,2"));
    document.setRuns(twoRuns());
    ASSERT_TRUE(compared(document));
    auto* presets = document.findChild<ViewPresets*>();
    ASSERT_NE(presets, nullptr);
    document.findChild<QCheckBox*>()->setChecked(false);
    openPage(document, QStringLiteral("Inputs"));
    presets->save(QStringLiteral(" all & inputs\n"));
    EXPECT_EQ(presets->names(), QStringList{QStringLiteral("all & inputs")});
    document.findChild<QCheckBox*>()->setChecked(true);
    openPage(document, QStringLiteral("Numbers"));
    CompareDocument other(QStringLiteral("3,4"));
    other.setRuns(twoRuns());
    ASSERT_TRUE(compared(other));
    other.findChild<ViewPresets*>()->apply(QStringLiteral("all & inputs"));
    EXPECT_EQ(other.findChild<QTabWidget*>()->currentIndex(), 1);
    EXPECT_TRUE(other.saveView()[QStringLiteral("all")].toBool());
    other.findChild<ViewPresets*>()->remove(QStringLiteral("all & inputs"));
    EXPECT_TRUE(presets->names().isEmpty());
    presets->apply(QStringLiteral("none such"));
    // What a person ticks is what the next comparison begins with.
    document.findChild<QCheckBox*>()->click();
    EXPECT_TRUE(document.saveView()[QStringLiteral("all")].toBool());
    CompareDocument next(QStringLiteral("5,6"));
    next.setRuns(twoRuns());
    ASSERT_TRUE(compared(next));
    EXPECT_TRUE(waitUntil([&] { return next.saveView()[QStringLiteral("all")].toBool(); }));
    QSettings().remove(QStringLiteral("compare"));
}

TEST(CompareDocument, theBaselineIsWhatDeltasReferTo) {
    CompareDocument document(QStringLiteral("1,2"));
    document.setRuns(twoRuns());
    ASSERT_TRUE(compared(document));
    const auto against = [&] {
        const auto* table = tableNamed(document, QStringLiteral("Numbers"));
        QStringList texts;
        for (int run = 0; table != nullptr && run < table->model()->rowCount(); ++run)
            for (const int column : {2, 3}) texts << table->model()->index(run, column).data().toString();
        return texts.join(QLatin1Char('|'));
    };
    EXPECT_EQ(against(), QStringLiteral("36.2 ms|baseline|18.1 ms|0.5×, better"));
    document.setBaseline(1);
    EXPECT_TRUE(waitUntil([&] { return against() == QStringLiteral("36.2 ms|2×, worse|18.1 ms|baseline"); }))
        << against().toStdString();
}

TEST(CompareDocument, betterIsGreenAndWorseIsRed) {
    const study::Result base = test::handMadeResult();
    study::Result other = base;
    for (auto& plan : other.outcome.get<study::PartitionOutcome>().result.plans) {
        plan.stepTime.value *= 0.5;
        plan.throughput *= 2;
        plan.speedupOverDp *= 2;
        plan.cost.value *= 2;
        plan.gap += 1;
        for (auto& share : plan.shares) {
            share.compute.value *= 2;
            share.communication.value *= 0.5;
            share.memory.value *= 2;
        }
    }
    const auto comparison =
        std::make_shared<const study::Comparison>(study::compare({&base, &other}, {"base", "other"}));
    QObject owner;
    const TableModel* table = metricTableModel(comparison, true, &owner);
    const std::map<QString, const char*> expected{{QStringLiteral("Step time"), "good"},
                                                  {QStringLiteral("Throughput"), "good"},
                                                  {QStringLiteral("Speed-up over data parallelism"), "good"},
                                                  {QStringLiteral("Top-level split cost"), "bad"},
                                                  {QStringLiteral("Gap to the bound"), "bad"},
                                                  {QStringLiteral("Compute"), "bad"},
                                                  {QStringLiteral("Communication"), "good"},
                                                  {QStringLiteral("Memory per accelerator"), "bad"},
                                                  {QStringLiteral("Peak memory use"), "bad"}};
    std::set<QString> seen;
    ASSERT_EQ(table->rowCount(), 2);
    for (int column = 2; column + 1 < table->columnCount(); column += 2) {
        const QString title = table->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        ASSERT_TRUE(expected.contains(title)) << title.toStdString();
        const QModelIndex against = table->index(1, column + 1);
        const bool good = std::string(expected.at(title)) == "good";
        EXPECT_EQ(against.data(Qt::ForegroundRole).value<QColor>(), theme().colour(expected.at(title)))
            << title.toStdString();
        EXPECT_TRUE(against.data().toString().endsWith(good ? QStringLiteral(", better") : QStringLiteral(", worse")))
            << "not by its colour alone: " << against.data().toString().toStdString();
        EXPECT_FALSE(table->index(1, column).data(Qt::ForegroundRole).isValid());
        seen.insert(title);
    }
    EXPECT_EQ(seen.size(), expected.size());
}

TEST(CompareDocument, timesOfUnequalStepsAreGreyAndNotCompared) {
    const study::Result small = test::handMadeResult();
    study::Result large = small;
    auto& outcome = large.outcome.get<study::PartitionOutcome>().result;
    outcome.batch *= 4;
    for (auto& plan : outcome.plans) plan.throughput *= 4;
    CompareDocument document(QStringLiteral("1,2"));
    document.setRuns(
        {comparedState(small, QStringLiteral("small"), 1), comparedState(large, QStringLiteral("large"), 2)});
    ASSERT_TRUE(compared(document));
    EXPECT_TRUE(document.findChild<MessageBar*>()->message().contains(
        QStringLiteral("Times of whole steps are not comparable: batch sizes differ.")));
    const auto* numbers = tableNamed(document, QStringLiteral("Numbers"));
    ASSERT_NE(numbers, nullptr);
    const QAbstractItemModel* model = numbers->model();
    EXPECT_EQ(model->headerData(2, Qt::Horizontal).toString(), QStringLiteral("Throughput"));
    EXPECT_EQ(model->index(1, 3).data().toString(), QStringLiteral("4×, better"));
    bool perSample = false;
    for (int column = 0; column < model->columnCount(); ++column)
        perSample |=
            model->headerData(column, Qt::Horizontal).toString() == QStringLiteral("Step time per 1,000 samples");
    EXPECT_TRUE(perSample);
    document.findChild<QCheckBox*>()->setChecked(false);
    const QAbstractItemModel* whole = tableNamed(document, QStringLiteral("Numbers"))->model();
    for (int column = 0; column < whole->columnCount(); ++column) {
        if (whole->headerData(column, Qt::Horizontal).toString() != QStringLiteral("Step time (not comparable)"))
            continue;
        EXPECT_EQ(whole->index(1, column).data(Qt::ForegroundRole).value<QColor>(), theme().colour("secondary"));
        EXPECT_FALSE(whole->headerData(column + 1, Qt::Horizontal).toString().startsWith(QStringLiteral("Δ")));
        return;
    }
    FAIL() << "the step time has a column";
}

/// Runs that have no numbers in common with the others are named, not set beside them.
TEST(CompareDocument, runsOfOtherKindsAreChosenInAList) {
    std::vector<RunState> runs = twoRuns();
    runs.insert(runs.begin() + 1, comparedState(test::wholePrediction(), QStringLiteral("predicted"), 3));
    runs.push_back(comparedState(test::wholePrediction(), QStringLiteral("again"), 4));
    CompareDocument document(QStringLiteral("1,3,2,4"));
    document.setRuns(runs);
    ASSERT_TRUE(compared(document));
    auto* kinds = document.findChildren<QComboBox*>().value(0);
    for (auto* box : document.findChildren<QComboBox*>())
        if (box->accessibleName() == QStringLiteral("Runs")) kinds = box;
    ASSERT_EQ(kinds->count(), 2);
    EXPECT_EQ(kinds->itemText(0), QStringLiteral("A, C: Partition"));
    EXPECT_EQ(kinds->itemText(1), QStringLiteral("B, D: Prediction"));
    EXPECT_TRUE(document.findChild<MessageBar*>()->message().contains(
        QStringLiteral("No numbers in common with these: B, D.")));
    EXPECT_EQ(document.findChild<PlotWidget*>()->chart().x.categories.front().substr(0, 1), "C") << "the faster one";
    kinds->setCurrentIndex(1);
    emit kinds->activated(1);
    EXPECT_TRUE(waitUntil([&] {
        const auto* numbers = tableNamed(document, QStringLiteral("Numbers"));
        return document.saveView()[QStringLiteral("kind")].toInt() == 1 && numbers != nullptr;
    }));
    CompareDocument other(QStringLiteral("5,6"));
    other.setRuns({runs[0], runs[1]});
    waitUntil([] { return false; }, 300);  // there is nothing that could come later
    QString text;
    for (const auto* label : other.findChildren<QLabel*>())
        if (label->isVisibleTo(&other)) text += label->text();
    EXPECT_TRUE(text.contains(QStringLiteral("no numbers in common"))) << text.toStdString();
}

std::vector<RunState> twoNetworks() {
    study::Result before = test::handMadeResult();
    before.study.models = {"zoo:resnet18"};
    study::Result after = before;
    after.study.models = {"zoo:resnet34"};
    return {comparedState(before, QStringLiteral("first"), 1), comparedState(after, QStringLiteral("second"), 2)};
}

TEST(CompareDocument, graphsOfTwoNetworksMoveTogether) {
    CompareDocument document(QStringLiteral("1,2"));
    document.resize(1280, 800);
    document.setRuns(twoNetworks());
    ASSERT_TRUE(compared(document));
    document.show();
    openPage(document, QStringLiteral("Models"));
    const auto graphs = [&] { return document.findChildren<GraphView*>(); };
    ASSERT_TRUE(waitUntil(
        [&] { return graphs().size() == 2 && graphs().at(0)->isLaidOut() && graphs().at(1)->isLaidOut(); }, 20'000));
    const bool inOrder = graphs().at(0)->contents()->model.name == "resnet18";
    GraphView* before = graphs().at(inOrder ? 0 : 1);
    GraphView* after = graphs().at(inOrder ? 1 : 0);
    std::set<std::string> colours;
    std::string cards;
    for (const report::Card& card : after->picture().cards) {
        colours.insert(card.colour);
        cards += card.title + ": " + card.colour + "\n";
    }
    EXPECT_TRUE(colours.contains("good")) << after->contents()->model.name << " has layers that resnet18 has not\n"
                                          << cards;
    EXPECT_TRUE(colours.contains("secondary")) << "and many that both have";
    savePicture(document, QStringLiteral("compare-networks"));

    const auto placeOf = [](const GraphView& view, const char* label) {
        for (std::size_t i = 0; i < view.contents()->hierarchy.nodes.size(); ++i)
            if (view.contents()->hierarchy.nodes[i].label == label) return view.nodeRect(static_cast<int>(i));
        return QRectF();
    };
    const double start = placeOf(*after, "conv1").top();
    QTest::mousePress(before, Qt::LeftButton, {}, QPoint(20, 200));
    QTest::mouseMove(before, QPoint(20, 120));
    QTest::mouseRelease(before, Qt::LeftButton, {}, QPoint(20, 120));
    EXPECT_LT(placeOf(*after, "conv1").top(), start - 40);
    after->zoomBy(1.5);
    EXPECT_DOUBLE_EQ(before->zoom(), after->zoom());

    // A layer that is chosen in one graph is shown in the other, and told once.
    QSignalSpy spy(&document, &Document::inspected);
    const int node = nodeOfLayer(*before->contents(), QStringLiteral("layer2.0.conv1"));
    ASSERT_GE(node, 0);
    before->reveal(node);
    ASSERT_TRUE(waitUntil([&] { return before->isLaidOut() && after->isLaidOut(); }, 20'000));
    EXPECT_EQ(layerOfNode(*after->contents(), after->selected()), QStringLiteral("layer2.0.conv1"));
    EXPECT_EQ(spy.size(), 1);
    auto* table = tableNamed(document, QStringLiteral("Models"));
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->model()->index(0, 1).data().toString(), QStringLiteral("added"));
}

TEST(CompareDocument, saysThatModelsCannotBeReadOrAreTheSame) {
    CompareDocument document(QStringLiteral("1,2"));
    std::vector<RunState> runs = twoRuns();
    document.setRuns(runs);
    ASSERT_TRUE(compared(document));
    openPage(document, QStringLiteral("Models"));
    const auto says = [&](const QString& words) {
        const auto labels = document.findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](const QLabel* label) { return label->text().contains(words); });
    };
    EXPECT_TRUE(waitUntil([&] { return says(QStringLiteral("All runs are of the same network.")); }));
    runs[1].study.models = {"zoo:three"};
    document.setRuns(runs);
    EXPECT_TRUE(waitUntil([&] { return says(QStringLiteral("zoo")) && !says(QStringLiteral("the same network")); }));
}

TEST(CompareDocument, runsOnOtherFleetsAreComparedByDepth) {
    study::Result other = test::handMadeResult();
    auto& plans = other.outcome.get<study::PartitionOutcome>().result.plans;
    for (auto& plan : plans)
        for (auto& level : plan.levels) level.group = "other";
    setFirstType(plans[0].levels[0], partition::Type::II);
    CompareDocument document(QStringLiteral("1,2"));
    document.setRuns({comparedState(test::handMadeResult(), QStringLiteral("first"), 1),
                      comparedState(other, QStringLiteral("second"), 2)});
    ASSERT_TRUE(compared(document));
    openPage(document, QStringLiteral("Layers"));
    const auto* layers = tableNamed(document, QStringLiteral("Layers"));
    ASSERT_NE(layers, nullptr);
    ASSERT_EQ(layers->model()->rowCount(), 1) << "only what differs";
    EXPECT_EQ(layers->model()->index(0, 3).data().toString(), QStringLiteral("other / slow|fast"));
    EXPECT_EQ(layers->model()->index(0, 5).data().toString(), QStringLiteral("II"));
    const auto* shares = tableNamed(document, QStringLiteral("Shares of types"));
    ASSERT_NE(shares, nullptr);
    EXPECT_EQ(shares->model()->rowCount(), 2) << "I and II of accpar";
    const auto labels = document.findChildren<QLabel*>();
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->text().startsWith(QStringLiteral("The runs split their accelerators differently"));
    }));
}

TEST(CompareDocument, showsTwoHundredRuns) {
    std::vector<RunState> runs;
    for (int i = 0; i < 200; ++i) {
        study::Result result = test::handMadeResult();
        for (auto& plan : result.outcome.get<study::PartitionOutcome>().result.plans) plan.stepTime.value *= 1 + i % 17;
        runs.push_back(comparedState(result, QStringLiteral("run %1").arg(i), i + 1));
    }
    CompareDocument document(QStringLiteral("many"));
    document.resize(1280, 800);
    document.show();
    test::TurnMeter meter;
    meter.run([&] { document.setRuns(runs); });
    ASSERT_TRUE(compared(document));
    auto* tabs = document.findChild<QTabWidget*>();
    for (int tab = 0; tab < tabs->count(); ++tab) {
        if (!tabs->isTabVisible(tab)) continue;  // there are no jobs to compare
        meter.run([&] { tabs->setCurrentIndex(tab); });
        waitUntil([] { return false; }, 30);
    }
    RecordProperty("longest_turn_ms", static_cast<int>(meter.longest()));
    EXPECT_LT(meter.longest(), test::kLongestTurn);
    tabs->setCurrentIndex(0);
    const auto* table = tableNamed(document, QStringLiteral("Numbers"));
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->model()->rowCount(), 200) << "a run is a row";
    savePicture(document, QStringLiteral("compare-200"));
}

TEST(CompareDocument, convergenceHasALogScale) {
    std::vector<RunState> runs = twoRuns();
    Curve curve{.name = {.role = CurveRole::best}, .points = {{0, 100}, {1, 10}, {2, 1}}};
    for (RunState& run : runs) run.curves = std::make_shared<const std::vector<Curve>>(std::vector<Curve>{curve});
    CompareDocument document(QStringLiteral("1,2"));
    document.setRuns(runs);
    ASSERT_TRUE(compared(document));
    openPage(document, QStringLiteral("Convergence"));
    const auto* view = document.findChild<ConvergenceView*>();
    ASSERT_NE(view, nullptr);
    const PlotWidget* plot = view->plot();
    ASSERT_EQ(plot->chart().series.size(), 2U);
    for (std::size_t run = 0; run < 2; ++run)
        EXPECT_TRUE(plot->chart().series[run].name.starts_with(study::letterOf(run)))
            << "names of studies are long and alike: " << plot->chart().series[run].name;
    EXPECT_FALSE(plot->chart().y.logarithmic);
    QToolButton* scale = nullptr;
    for (auto* each : document.findChildren<QToolButton*>())
        if (each->text() == QStringLiteral("Log scale")) scale = each;
    ASSERT_NE(scale, nullptr);
    scale->setChecked(true);
    EXPECT_TRUE(plot->chart().y.logarithmic);
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

TEST(CompareDocument, modelsAreReadAsTheRunsReadThem) {
    const test::ScratchFolder folder;
    const std::filesystem::path file = folder.path() / "net.json";
    const std::filesystem::path history = folder.path() / "history.db";
    store::RecordOptions options;
    options.path = history;
    std::vector<RunState> runs;
    const auto run = [&](const char* network) {
        std::ofstream(file) << model::writeNativeJson(model::buildZooModel(network));
        study::Study study = study::newStudy("partition");
        study.models = {file.string()};
        study.hardware = {"accpar-heterogeneous"};
        const store::Recorded recorded = store::runRecorded(study, {}, options);
        runs.push_back(comparedState(recorded.result, QStringLiteral("run"), static_cast<int>(recorded.run)));
    };
    run("lenet5");
    run("alexnet");
    run("lenet5");
    std::filesystem::remove(file);

    const ModelDifferences differences = modelDifferences(runs, 0, history);
    EXPECT_EQ(differences.problems, QStringList());
    ASSERT_FALSE(differences.rows.empty()) << "one path, two models";
    for (const ModelDifferences::Row& row : differences.rows) EXPECT_EQ(row.run, 1) << row.difference.name;
    ASSERT_EQ(differences.pairs.size(), 1U);
    EXPECT_GT(differences.pairs[0].after->summary.operators, differences.pairs[0].before->summary.operators);
}

TEST(CompareDocument, realRunsLookRight) {
    const std::vector<RunState> runs{
        comparedState(test::solved("zoo:resnet50", "accpar-heterogeneous"), QStringLiteral("ResNet-50, mixed TPUs"), 1),
        comparedState(test::solved("zoo:resnet50", "accpar-homogeneous"), QStringLiteral("ResNet-50, TPU-v3"), 2)};
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

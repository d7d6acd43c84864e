#include "ui/views/runs/scaling_view.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <filesystem>
#include <string>

#include "core/base/file.h"
#include "core/base/units.h"
#include "core/study/partition/outcome.h"
#include "tests/support/pictures.h"
#include "tests/support/runs.h"
#include "tests/support/shown.h"
#include "ui/theme/theme.h"
#include "ui/views/plot/plot_widget.h"
#include "ui/views/runs/partition_view.h"
#include "ui/views/runs/run_document.h"

namespace tessera::ui {
namespace {

using test::visibleText;
using test::waitUntil;

PartitionRun runOf(study::Result result) {
    return PartitionRun(std::make_shared<const study::Result>(std::move(result)));
}

QPushButton* visibleButton(const QWidget& widget, const QString& text) {
    for (auto* button : widget.findChildren<QPushButton*>())
        if (button->isVisibleTo(&widget) && button->text() == text) return button;
    return nullptr;
}

TEST(ScalingView, solvesEverySizeWhenItIsFirstSeen) {
    const study::Result& result = test::solved("zoo:alexnet", "accpar-heterogeneous", 512, "all");
    ScalingView view;
    view.resize(900, 380);
    view.setRun(runOf(result), {}, 0);
    EXPECT_TRUE(view.exportables().isEmpty()) << "nothing is there yet";
    ASSERT_TRUE(waitUntil([&] { return view.scaling() != nullptr; }, 30'000)) << visibleText(view).toStdString();
    const study::Scaling& found = *view.scaling();
    ASSERT_EQ(found.points.size(), 8U);
    const study::ScalingPoint& whole = found.points.back();
    EXPECT_EQ(whole.accelerators, 256);
    const auto& plans = result.outcome.get<study::PartitionOutcome>().result.plans;
    ASSERT_EQ(whole.plans.size(), plans.size());
    for (std::size_t i = 0; i < plans.size(); ++i) EXPECT_EQ(whole.plans[i].stepTime, plans[i].stepTime) << "the run";
    // What is found stands in the title, the axis has its unit, and every size its point.
    const report::Chart& chart = view.findChild<PlotWidget*>()->chart();
    EXPECT_EQ(chart.title.find("accpar is "), 0U) << chart.title;
    EXPECT_NE(chart.y.title.find("×"), std::string::npos);
    ASSERT_EQ(chart.series.size(), plans.size());
    for (const report::Series& series : chart.series) EXPECT_EQ(series.y.size(), 8U) << series.id;
    EXPECT_TRUE(visibleText(view).contains(QStringLiteral("the batch unchanged")));
    // The table says the same.
    QAbstractItemModel* const table = view.findChild<QTableView*>()->model();
    const QAbstractItemModelTester tester(table, QAbstractItemModelTester::FailureReportingMode::Fatal);
    ASSERT_EQ(table->rowCount(), static_cast<int>(8 * plans.size()));
    EXPECT_EQ(table->index(table->rowCount() - 1, 3).data().toString(),
              QString::fromStdString(formatQuantity(whole.plans.back().stepTime.value, Measure::seconds)));
    for (const ThemeMode mode : {ThemeMode::light, ThemeMode::dark}) {
        theme().apply(mode);
        const QString name = mode == ThemeMode::dark ? QStringLiteral("scaling-dark") : QStringLiteral("scaling-light");
        EXPECT_GT(test::coloursIn(test::savePicture(view, name)), 20);
    }
    theme().apply(ThemeMode::light);
    // It leaves the window like every other picture.
    const QVector<Exportable> all = view.exportables();
    ASSERT_EQ(all.size(), 2);
    EXPECT_NE(all[0].svg(report::Theme(report::ThemeKind::light)).find("accpar is "), std::string::npos);
    EXPECT_NE(all[0].csv().find("accpar"), std::string::npos);
    EXPECT_EQ(all[1].csv().find("levels,accelerators,strategy,step_time_s"), 0U);
}

TEST(ScalingView, canBeCancelledAndBegunAgain) {
    ScalingView view;
    view.resize(900, 380);
    view.setRun(runOf(test::solved("zoo:resnet50", "accpar-heterogeneous")), {}, 0);
    ASSERT_TRUE(waitUntil([&] { return view.isWorking() || view.scaling() != nullptr; }, 30'000));
    if (view.isWorking()) {
        EXPECT_NE(view.findChild<QProgressBar*>(), nullptr);
        test::savePicture(view, QStringLiteral("scaling-working"));
        ASSERT_NE(visibleButton(view, QStringLiteral("Cancel")), nullptr);
        visibleButton(view, QStringLiteral("Cancel"))->click();
        EXPECT_FALSE(view.isWorking());
        waitUntil([] { return false; }, 200);
        EXPECT_EQ(view.scaling(), nullptr) << "what was cancelled does not arrive later";
        ASSERT_NE(visibleButton(view, QStringLiteral("Solve for every size")), nullptr);
        visibleButton(view, QStringLiteral("Solve for every size"))->click();
    }
    EXPECT_TRUE(waitUntil([&] { return view.scaling() != nullptr; }, 60'000));
}

TEST(ScalingView, saysWhyThereIsNothing) {
    ScalingView view;
    view.resize(700, 300);
    view.setRun(runOf(test::deepResult(3, 1)), {}, 0);
    waitUntil([] { return false; }, 100);
    EXPECT_FALSE(view.isWorking());
    EXPECT_TRUE(visibleText(view).contains(QStringLiteral("at least two levels of splits")));
    EXPECT_EQ(visibleButton(view, QStringLiteral("Solve for every size")), nullptr);
    test::savePicture(view, QStringLiteral("scaling-nothing"));
    // Inputs that are gone: a sentence, and another try.
    view.setRun(runOf(test::handMadeResult()), {}, 0);
    ASSERT_TRUE(waitUntil([&] { return visibleButton(view, QStringLiteral("Try again")) != nullptr; }, 10'000));
    EXPECT_TRUE(visibleText(view).contains(QStringLiteral("two"))) << visibleText(view).toStdString();
}

TEST(ScalingView, asksBeforeWorkThatTakesLong) {
    const QTemporaryDir folder;
    std::string layers;
    for (int i = 0; i < 20'000; ++i)
        layers += (i > 0 ? ",\n" : "") + std::string(R"({"name": "l)") + std::to_string(i) +
                  R"(", "kind": "fc", "in_channels": 64, "out_channels": 64})";
    const std::filesystem::path model = folder.filePath("long.json").toStdString();
    writeFile(model, R"({"schema": "tessera.layers/1", "name": "long", "layers": [)" + layers + "]}");
    study::Result result = test::deepResult(3, 8);
    result.study.models = {model.string()};
    result.study.hardware = {"accpar-heterogeneous"};
    ScalingView view;
    view.resize(700, 300);
    view.setRun(runOf(std::move(result)), {}, 0);
    const auto button = [&] { return visibleButton(view, QStringLiteral("Solve for every size")); };
    ASSERT_TRUE(waitUntil([&] { return button() != nullptr || view.isWorking(); }, 30'000));
    ASSERT_NE(button(), nullptr) << "it began at once";
    EXPECT_TRUE(visibleText(view).contains(QStringLiteral("That takes about")));
    test::savePicture(view, QStringLiteral("scaling-asks"));
    button()->click();
    EXPECT_TRUE(view.isWorking());
    EXPECT_TRUE(waitUntil(
        [&] { return visibleText(view).contains(QStringLiteral("0 of 8 sizes of the array are solved")); }, 30'000))
        << visibleText(view).toStdString();
    view.cancel();
    EXPECT_FALSE(view.isWorking());
}

TEST(ScalingView, isATabOfTheRunAndExportedWithIt) {
    RunDocument document(QStringLiteral("run/12"));
    document.resize(1200, 800);
    RunState state;
    state.status = store::RunStatus::done;
    state.result = std::make_shared<const study::Result>(test::solved("zoo:alexnet", "accpar-heterogeneous"));
    state.study = state.result->study;
    document.setState(state);
    const auto before = document.exportables().size();
    document.findChild<RunPages*>()->openTab(QStringLiteral("scaling"));
    ASSERT_TRUE(waitUntil([&] { return document.exportables().size() == before + 2; }, 30'000));
    test::savePicture(document, QStringLiteral("run-scaling"));
    // Another split of the same run changes nothing of it.
    document.findChild<PartitionView*>()->select(QStringLiteral("split"), 1);
    EXPECT_EQ(document.exportables().size(), before + 2);
}

}  // namespace
}  // namespace tessera::ui

#include <gtest/gtest.h>

#include <QSettings>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/study/partition/outcome.h"
#include "core/study/study.h"
#include "tests/support/pictures.h"
#include "ui/jobs/jobs.h"
#include "ui/views/runs/run_document.h"
#include "ui/views/runs/run_pages.h"
#include "ui/views/runs/scaling_view.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/window/main_window.h"

namespace tessera::ui {
namespace {

using test::waitUntil;

/// A stored run is solved for other sizes with the inputs that it was solved with, whatever became of their files.
TEST(Scaling, ofAStoredRunNeedsNoFile) {
    QSettings().clear();
    const QTemporaryDir folder;
    const std::filesystem::path model = folder.filePath("pair.json").toStdString();
    writeFile(model, R"({"schema": "tessera.layers/1", "name": "pair", "layers": [
        {"name": "one", "kind": "fc", "in_channels": 512, "out_channels": 2048},
        {"name": "two", "kind": "fc", "in_channels": 2048, "out_channels": 512}]})");
    MainWindow window(
        {.history = folder.filePath("history.db").toStdString(), .restoreSession = false, .recordHistory = true});
    window.show();
    ASSERT_TRUE(waitUntil([&] { return window.history().isOpen(); }));
    study::Study study = study::newStudy("partition");
    study.models = {model.string()};
    study.hardware = {"accpar-homogeneous"};
    emit window.currentDocument()->runRequested(QString::fromStdString(toText(study::toJson(study))));
    ASSERT_TRUE(waitUntil([&] { return window.jobs().working() == 0; }, 30'000));
    const RunState state = window.jobs().state(window.jobs().jobs().front());
    ASSERT_GT(state.run, 0) << state.problem.toStdString();
    std::filesystem::remove(model);

    RunDocument document(QStringLiteral("run/%1").arg(state.run));
    document.setHistory(window.history().path());
    document.setState(state);
    document.show();
    document.findChild<RunPages*>()->openTab(QStringLiteral("scaling"));
    ASSERT_TRUE(waitUntil([&] { return document.findChild<ScalingView*>() != nullptr; }));
    const auto* scaling = document.findChild<ScalingView*>();
    ASSERT_TRUE(waitUntil([&] { return scaling->scaling() != nullptr; }, 30'000));
    EXPECT_EQ(scaling->scaling()->points.back().accelerators, 128);
    const auto& plans = state.result->outcome.get<study::PartitionOutcome>().result.plans;
    EXPECT_EQ(scaling->scaling()->points.back().plans.front().stepTime, plans.front().stepTime);
    QSettings().clear();
}

}  // namespace
}  // namespace tessera::ui

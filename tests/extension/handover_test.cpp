// A hand-over is one row: what it makes of a run is written by the command, named by other studies as their input, and
// offered by the page of the run, with nothing but that.

#include "core/report/handover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAction>
#include <QUndoStack>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
#include "core/hardware/library.h"
#include "core/study/cost/study.h"
#include "core/study/study.h"
#include "tests/extension/command.h"
#include "tests/support/scratch_folder.h"
#include "ui/views/runs/run_view.h"

namespace tessera::report {
namespace {

using testing::HasSubstr;

/// The array of a study of layer costs as a platform of one core.
std::vector<std::pair<std::filesystem::path, std::string>> toyPlatform(const View& view,
                                                                       const std::filesystem::path& out) {
    hardware::Platform made;
    made.name = "array of " + view.result.study.workloads.front();
    made.clock = Hertz{200e6};
    made.bandwidth = BytesPerSecond{16e9};
    hardware::SubAccelerator core;
    core.name = "array";
    core.height = 8;
    core.width = view.result.study.parameters->at("pes").get<std::int64_t>() / core.height;
    core.localBuffer = Bytes{64};
    core.sharedBuffer = Bytes{2048};
    made.subAccelerators = {core};
    return {{out, tessera::toText(hardware::toJson(made))}};
}

/// Before anything is looked up.
const bool kToyIsAdded = [] {
    addFile(
        "cost",
        {{"array", "Array", "The array as a platform for map", Scope::result, 0}, ".json", toyPlatform, "platform"});
    return true;
}();

TEST(ToyHandover, isWrittenAndNamedByOtherStudies) {
    ASSERT_TRUE(kToyIsAdded);
    const test::ScratchFolder folder;
    const std::string store = (folder / "kept.db").string(), file = (folder / "array.json").string();
    test::printed(
        {"cost", "--jobs", "zoo:alexnet", "--dataflow", "nvdla", "--pes", "512", "--quiet", "--store", store});
    EXPECT_THAT(test::printed({"export", "1", "--what", "file", "--name", "array", "--out", file, "--store", store}),
                HasSubstr("array written to"));
    EXPECT_EQ(hardware::loadPlatform(file).subAccelerators.front().width, 64);
    EXPECT_THAT(test::printed({"export", "--help"}), HasSubstr("The array as a platform for map"));
    EXPECT_THAT(test::printed({"map", "--jobs", "zoo:alexnet", "--platform", "run:1/array", "--algorithm",
                               "herald-like", "--store", store}),
                HasSubstr("zoo:alexnet on array of zoo:alexnet: 8 jobs on 1 sub-accelerator"));
    EXPECT_THAT(test::printed({"history", "show", "2", "--store", store}), HasSubstr("run:1/array"));
}

TEST(ToyHandover, isOfferedByThePageOfTheRun) {
    study::Study study = study::newStudy("cost");
    study.workloads = {"zoo:alexnet"};
    const auto result = std::make_shared<const study::Result>(study::run(study));
    QUndoStack undo;
    const std::unique_ptr<ui::RunView> page(ui::runViewOf(*result)->make(&undo, nullptr));
    QString kind, key;
    QObject::connect(page.get(), &ui::RunView::openRequested, page.get(),
                     [&](const QString& itsKind, const QString& itsKey) {
                         kind = itsKind;
                         key = itsKey;
                     });
    page->showRun({.result = result, .curves = nullptr, .history = {}, .kept = 7});
    ASSERT_EQ(page->handovers().size(), 2) << "as it is, and a study on it";
    EXPECT_EQ(page->handovers()[0]->text(), QStringLiteral("Use as: Array"));
    page->handovers()[0]->trigger();
    EXPECT_EQ(kind, QStringLiteral("hardware"));
    EXPECT_EQ(key, QStringLiteral("run:7/array"));
    page->handovers()[1]->trigger();
    EXPECT_EQ(kind, QStringLiteral("study"));
    EXPECT_EQ(key, QStringLiteral("new/mapping?hardware=run:7/array"));
}

}  // namespace
}  // namespace tessera::report

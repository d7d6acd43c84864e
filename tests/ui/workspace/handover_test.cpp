#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAction>
#include <QPushButton>
#include <nlohmann/json.hpp>

#include "core/study/study.h"
#include "tests/support/pictures.h"
#include "tests/support/wait.h"
#include "tests/ui/workspace/open_window.h"
#include "ui/editors/hardware_document.h"
#include "ui/editors/study_document.h"
#include "ui/jobs/jobs.h"
#include "ui/views/runs/run_document.h"
#include "ui/views/runs/run_view.h"
#include "ui/workspace/history/history.h"
#include "ui/workspace/window/main_window.h"

/// From the result of one engine to that of another, in the window.
namespace tessera::ui {
namespace {

using namespace Qt::StringLiterals;
using test::waitUntil;
using testing::HasSubstr;

class WindowHandover : public test::OpenWindow {
protected:
    RunView* ran(const study::Study& study) {
        ask(study);
        return shown();
    }
    /// The page of the run that was started last.
    RunView* shown() {
        RunView* view = nullptr;
        EXPECT_TRUE(waitUntil([&] {
            auto* run = qobject_cast<RunDocument*>(window_.currentDocument());
            view = run == nullptr ? nullptr : run->findChild<RunView*>();
            return view != nullptr && window_.jobs().working() == 0 && view->run().kept != 0;
        }));
        return view;
    }
    static void use(RunView& view, const char* title) {
        for (QAction* action : view.handovers())
            if (action->text() == u"Use as: "_s + QLatin1String(title)) action->trigger();
    }
};

TEST_F(WindowHandover, fromAPredictionToAFleetAndAPlan) {
    study::Study study = study::newStudy("predict");
    study.models = {"zoo:resnet18"};
    study.hardware = {"a100"};
    study::setParameter(study, "devices", {"8"});
    study::setParameter(study, "batch", {"32"});
    RunView* prediction = ran(study);
    ASSERT_NE(prediction, nullptr);
    const std::string fleet = "run:" + std::to_string(prediction->run().kept) + "/fleet/a100@8";

    use(*prediction, "Fleet");
    auto* hardware = qobject_cast<HardwareDocument*>(window_.currentDocument());
    ASSERT_NE(hardware, nullptr);
    ASSERT_TRUE(waitUntil([&] { return hardware->title().contains(u"8 × NVIDIA A100"_s); }))
        << hardware->title().toStdString();
    waitUntil([] { return false; }, 1000);
    test::savePicture(window_, u"handover-fleet"_s);
    for (const auto* button : hardware->findChildren<QPushButton*>())
        if (button->text().startsWith(u"Save"_s)) {
            EXPECT_TRUE(button->isEnabled()) << "it is in no file yet";
        }
    // It is written where its user says.
    ASSERT_TRUE(hardware->saveTo(folder_.filePath(u"mine.json"_s)));

    use(*prediction, "new training plan study on this fleet");
    auto* plan = qobject_cast<StudyDocument*>(window_.currentDocument());
    ASSERT_NE(plan, nullptr);
    ASSERT_TRUE(waitUntil([&] { return !plan->study().hardware.empty(); }));
    EXPECT_EQ(plan->study().hardware, std::vector<std::string>{fleet});
    EXPECT_EQ(plan->study().models, study.models);
    waitUntil([] { return false; }, 500);
    test::savePicture(window_, u"handover-plan-study"_s);
    plan->requestRun();
    const RunView* planned = shown();
    ASSERT_NE(planned, nullptr);
    EXPECT_EQ(planned->run().result->study.engine, "plan");
    EXPECT_EQ(planned->run().result->study.hardware, std::vector<std::string>{fleet});
}

TEST_F(WindowHandover, fromAPlanToThePartitionOfItsStage) {
    study::Study study = study::newStudy("plan");
    study.models = {"zoo:gpt2"};
    study.hardware = {"dgx-h100x8"};
    study::setParameter(study, "global_batch", {"32"});
    study::setParameter(study, "fix", {"tp=2,pp=4"});
    RunView* plan = ran(study);
    ASSERT_NE(plan, nullptr);
    plan->select(u"stage"_s, 1);
    use(*plan, "Partition of a stage");
    auto* stage = qobject_cast<StudyDocument*>(window_.currentDocument());
    ASSERT_NE(stage, nullptr);
    ASSERT_TRUE(waitUntil([&] { return stage->title().contains(u"stage"_s); })) << stage->title().toStdString();
    EXPECT_EQ(stage->study().engine, "partition");
    EXPECT_THAT(stage->title().toStdString(), HasSubstr("stage 2 of 4"));
    waitUntil([] { return false; }, 1000);
    test::savePicture(window_, u"handover-stage-study"_s);
    stage->requestRun();
    const RunView* partitioned = shown();
    ASSERT_NE(partitioned, nullptr);
    EXPECT_EQ(partitioned->run().result->study.engine, "partition");
}

}  // namespace
}  // namespace tessera::ui

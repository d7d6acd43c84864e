// A training framework is one row: plans are written for it, and refused with its sentence, by the command and in the
// window, with nothing but that.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/file.h"
#include "core/plan/frameworks.h"
#include "core/report/catalogue.h"
#include "core/study/study.h"
#include "tests/extension/command.h"
#include "tests/support/scratch_folder.h"
#include "ui/models/text.h"
#include "ui/views/runs/result_exports.h"

namespace tessera::plan {
namespace {

using testing::HasSubstr;

std::string toyText(const FrameworkPlan& plan) {
    return "devices: " + std::to_string(plan.configuration.accelerators()) + "\n";
}

std::string toyMisfit(const FrameworkPlan& plan) {
    return plan.configuration.tensor > 1 ? "Toy trainer does not split tensors" : "";
}

/// Before anything is looked up: the catalogue of exports is made once.
const bool kToyIsAdded = [] {
    addFramework({.id = "toy",
                  .title = "Toy trainer",
                  .about = "The best plan as a file of the toy trainer",
                  .suffix = ".yaml",
                  .misfit = toyMisfit,
                  .text = toyText});
    return true;
}();

study::Result planWith(const std::string& fixed) {
    study::Study study = study::newStudy("plan");
    study.models = {"zoo:gpt2-large"};
    study.hardware = {"dgx-h100x8"};
    study::setParameter(study, "global_batch", {"16"});
    study::setParameter(study, "fix", {fixed});
    return study::run(study);
}

TEST(ToyFramework, isAFileOfEveryPlanThatItRuns) {
    ASSERT_TRUE(kToyIsAdded);
    const test::ScratchFolder folder;
    const std::string store = (folder / "kept.db").string(), file = (folder / "plan.yaml").string();
    test::printed({"plan", "--model", "zoo:gpt2-large", "--fleet", "dgx-h100x8", "--global-batch", "16", "--fix",
                   "tp=1,dp=8", "--quiet", "--store", store});
    EXPECT_THAT(test::printed({"export", "last", "--what", "file", "--name", "toy", "--out", file, "--store", store}),
                HasSubstr("toy written to"));
    EXPECT_THAT(readFile(file), HasSubstr("devices: 8"));
    EXPECT_THAT(test::printed({"export", "--help"}), HasSubstr("The best plan as a file of the toy trainer"));
}

TEST(ToyFramework, isOfferedByTheWindowWhereItCanRunThePlan) {
    const auto offered = [](const std::string& fixed) {
        const auto result = std::make_shared<const study::Result>(planWith(fixed));
        int found = 0;
        for (const ui::Exportable& each : ui::exports::everything(result, report::selectionOf(*result, "")))
            if (each.file && each.fileSuffix == QStringLiteral("yaml")) {
                ++found;
                EXPECT_THAT(each.file(), HasSubstr("devices: 8"));
                EXPECT_EQ(each.fileTitle, QStringLiteral("Toy trainer (.yaml)"));
            }
        return found;
    };
    EXPECT_EQ(offered("tp=1,dp=8"), 1);
    EXPECT_EQ(offered("tp=2,dp=4"), 0);
}

}  // namespace
}  // namespace tessera::plan

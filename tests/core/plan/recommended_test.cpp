#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "core/base/file.h"
#include "core/physical/measured_table.h"
#include "core/physical/training_predictor.h"
#include "core/plan/evaluate.h"
#include "core/plan/rules.h"
#include "core/plan/search.h"
#include "tests/support/paths.h"

namespace tessera::plan {
namespace {

/// A configuration that NVIDIA recommends, and the problem that it solves.
struct Recommended {
    Problem problem;
    Configuration configuration;
};

Configuration configurationOf(const physical::TrainingRun& run, bool sharded) {
    Configuration at{.tensor = run.tensorParallel.value_or(1),
                     .pipeline = run.pipelineParallel.value_or(1),
                     .data = run.dataParallel.value_or(1),
                     .context = run.contextParallel.value_or(1),
                     .chunks = run.virtualStages.value_or(1),
                     .micro = static_cast<int>(run.microBatch)};
    at.schedule =
        at.chunks > 1 ? physical::PipelineSchedule::interleaved : physical::PipelineSchedule::oneForwardOneBackward;
    at.recompute = onAllStages(run.recompute.value_or(physical::Recompute::none));
    at.zero = sharded ? 3 : 1;
    const int microBatches = static_cast<int>(run.globalBatch) / (at.data * at.micro);
    at.parts = {{.group = 0, .stages = at.pipeline, .replicas = at.data, .microBatches = microBatches}};
    return at;
}

/// The table with a set and a name for each row, as tables of measured runs have them.
physical::MeasuredTable recommendedTable() {
    const std::string file = test::sourcePath("data/measured/recommended.csv").string();
    std::istringstream lines(readFile(file));
    std::string named;
    int number = 0;
    for (std::string line; std::getline(lines, line);)
        if (!line.empty() && line.front() != '#')
            named +=
                (number++ == 0 ? std::string("set,metric,id,") : "recommended,step_s," + std::to_string(number) + ",") +
                line + "\n";
    return physical::readMeasuredTable(named, file);
}

/// NVIDIA's recipes of models without experts on H100 (data/measured/recommended.csv).
std::vector<Recommended> recommended() {
    const physical::MeasuredTable table = recommendedTable();
    physical::DeviceLibrary devices;
    std::vector<Recommended> all;
    for (const physical::MeasuredRow& row : table.rows) {
        physical::TrainingRun run = physical::trainingRunOf(table, row);
        if (run.model == "zoo:moe") continue;
        run.software = "NeMo";
        run.optimizer = "adam";
        std::string refusal;
        const physical::Device* device = devices.deviceNamed(run.accelerator, refusal);
        EXPECT_NE(device, nullptr) << refusal;
        all.push_back({problemOf(*device, run, run.globalBatch), configurationOf(run, table.text(row, "fsdp") == "1")});
    }
    return all;
}

TEST(Recommended, isAsGoodAsTheBestToATenth) {
    int compared = 0, full = 0;
    for (const Recommended& each : recommended()) {
        ASSERT_EQ(faultText(each.problem, each.configuration), "") << shortText(each.configuration);
        SearchOptions options;
        options.top = 1;
        const Found found = search(each.problem, {}, options, {});
        ASSERT_FALSE(found.top.empty());
        const Judgement judgement = Judge(each.problem, each.configuration).judge(each.configuration);
        if (!judgement.fits) {
            // Memory is known to some hundredths (tessera validate).
            EXPECT_LT(judgement.shortage.share(), 1.03) << shortText(each.configuration);
            ++full;
            continue;
        }
        ++compared;
        const double best = found.top.front().scores.of(Objective::time), theirs = judgement.scores.of(Objective::time);
        EXPECT_LE(best, theirs) << shortText(each.configuration);
        EXPECT_LE(theirs, 1.1 * best) << shortText(each.configuration);
    }
    EXPECT_GE(compared, 8);
    EXPECT_LE(full, 1);
}

}  // namespace
}  // namespace tessera::plan

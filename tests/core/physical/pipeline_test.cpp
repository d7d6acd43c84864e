#include "core/physical/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "tests/support/paths.h"
#include "tests/support/sanitizers.h"

namespace tessera::physical {
namespace {

using Schedule = PipelineSchedule;

double pipelineWork(const PipelineStage& stage) {
    return stage.forward + stage.backwardInput + stage.backwardWeight;
}

Pipeline pipelineOf(Schedule schedule, int stages, int microBatches) {
    Pipeline pipeline;
    pipeline.schedule = schedule;
    pipeline.stages = stages;
    pipeline.microBatches = microBatches;
    pipeline.times = {1.25, 1, 0.5};
    return pipeline;
}

/// What a run lasts longer than the work of a stage.
double pipelineIdle(const Pipeline& pipeline) {
    return simulatePipeline(pipeline).span - pipeline.microBatches * pipelineWork(pipeline.times);
}

/// A row of data/measured/schedules.csv.
struct ScheduleRow {
    std::string table = {}, model = {};
    int stages = 0, microBatch = 0, microBatches = 0;
    std::string schedule = {}, quantity = {};
    double value = 0;
};

int scheduleCell(const std::string& cell) {
    return cell.empty() ? 0 : std::stoi(cell);
}

std::vector<ScheduleRow> scheduleRows() {
    std::ifstream file(test::sourcePath("data/measured/schedules.csv"));
    std::vector<ScheduleRow> rows;
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
        std::vector<std::string> cells;
        std::stringstream cellStream(line);
        for (std::string cell; std::getline(cellStream, cell, ',');) cells.push_back(cell);
        rows.push_back({cells.at(0), cells.at(1), scheduleCell(cells.at(2)), scheduleCell(cells.at(3)),
                        scheduleCell(cells.at(4)), cells.at(5), cells.at(6), std::stod(cells.at(7))});
    }
    return rows;
}

/// What tables 3 and 9 of Qi et al. 2024 say of a model.
class ZeroBubbleProfiles {
public:
    explicit ZeroBubbleProfiles(const std::vector<ScheduleRow>& rows) {
        for (const ScheduleRow& row : rows) {
            if (row.table == "t9") times_[{row.model, row.microBatches}][row.quantity] = row.value;
            if (row.table == "t3") shapes_[row.model][row.quantity] = row.value;
        }
    }

    Pipeline of(const ScheduleRow& row) const {
        const auto& times = times_.at({row.model, row.microBatches});
        Pipeline pipeline;
        pipeline.schedule = pipelineScheduleNamed(row.schedule).value();
        pipeline.stages = row.stages;
        pipeline.microBatches = row.microBatches;
        pipeline.times = {times.at("forward_s"), times.at("backward_input_s"), times.at("backward_weight_s")};
        pipeline.transfer = times.at("communication_s");
        pipeline.keptForWeights = keptOf(shapes_.at(row.model));
        // A layer a chunk; the first and the last stage have one less, so that the stages divide the layers and two.
        if (pipeline.schedule == Schedule::interleaved)
            pipeline.chunks = static_cast<int>(shapes_.at(row.model).at("layers") + 2) / row.stages;
        return pipeline;
    }

    /// A pipeline of other stages and micro-batches than were profiled, by the last profile of the model.
    Pipeline scaledTo(ScheduleRow row) const {
        const ScheduleRow asked = row;
        for (const auto& [key, times] : times_)
            if (key.first == row.model) row.microBatches = key.second;
        Pipeline pipeline = of(row);
        const auto& shape = shapes_.at(row.model);
        const double samples = asked.microBatch / shape.at("micro_batch");
        const double share = samples * shape.at("stages") / asked.stages;
        pipeline.times = {pipeline.times.forward * share, pipeline.times.backwardInput * share,
                          pipeline.times.backwardWeight * share};
        pipeline.transfer *= samples;
        pipeline.microBatches = asked.microBatches;
        return pipeline;
    }

private:
    static double keptOf(const std::map<std::string, double>& shape) {
        const double hidden = shape.at("hidden");
        return 32 * hidden / (34 * hidden + 5 * shape.at("heads") * shape.at("sequence"));
    }

    std::map<std::pair<std::string, int>, std::map<std::string, double>> times_ = {};
    std::map<std::string, std::map<std::string, double>> shapes_ = {};
};

TEST(Pipeline, reachesTheBubbleSharesThatZeroBubblePublishes) {
    const std::vector<ScheduleRow> rows = scheduleRows();
    const ZeroBubbleProfiles profiles(rows);
    int compared = 0;
    for (const ScheduleRow& row : rows) {
        if (row.table != "t5") continue;
        Pipeline pipeline = profiles.of(row);
        pipeline.groupedWrap = true;
        EXPECT_NEAR(simulatePipeline(pipeline).bubbleShare, row.value, 6e-5)
            << row.model << ", " << row.schedule << ", " << row.microBatches;
        ++compared;
    }
    EXPECT_EQ(compared, 36);
}

TEST(Pipeline, gainsOver1F1BWhatWasMeasured) {
    const std::vector<ScheduleRow> rows = scheduleRows();
    const ZeroBubbleProfiles profiles(rows);
    std::map<std::pair<std::string, int>, double> measuredBase, predictedBase;
    for (const ScheduleRow& row : rows)
        if (row.table == "t4" && row.schedule == "1f1b" && row.quantity == "samples_per_s") {
            measuredBase[{row.model, row.microBatches}] = row.value;
            predictedBase[{row.model, row.microBatches}] = 1 / simulatePipeline(profiles.of(row)).span;
        }
    double sum = 0;
    int compared = 0;
    for (const ScheduleRow& row : rows) {
        if (row.table != "t4" || row.quantity != "samples_per_s" || row.schedule == "1f1b") continue;
        const std::pair key{row.model, row.microBatches};
        const double measured = row.value / measuredBase.at(key);
        const double predicted = 1 / simulatePipeline(profiles.of(row)).span / predictedBase.at(key);
        sum += std::abs(predicted / measured - 1);
        ++compared;
    }
    EXPECT_EQ(compared, 18);
    EXPECT_LT(sum / compared, 0.04);
}

/// Table 6 runs the models on other numbers of stages and micro-batches than table 9 profiles: their times are taken in
/// proportion to both.
TEST(Pipeline, ofVShapeGainsOverZb1pWhatWasMeasured) {
    const std::vector<ScheduleRow> rows = scheduleRows();
    const ZeroBubbleProfiles profiles(rows);
    std::map<std::pair<std::string, int>, double> measured, predicted;
    int compared = 0;
    for (const std::string name : {"zb-1p", "zb-v"})
        for (const ScheduleRow& row : rows) {
            if (row.table != "t6" || row.schedule != name || row.quantity != "samples_per_s") continue;
            const double speed = 1 / simulatePipeline(profiles.scaledTo(row)).span;
            const std::pair key{row.model, row.microBatches};
            if (name == "zb-v") {
                EXPECT_NEAR((speed / predicted.at(key)) / (row.value / measured.at(key)), 1, 0.02) << row.model;
                ++compared;
            }
            measured[key] = row.value;
            predicted[key] = speed;
        }
    EXPECT_EQ(compared, 5);
}

TEST(Pipeline, ofGpipeAnd1F1BWithoutTransfersTakesTheClosedForm) {
    for (const Schedule schedule : {Schedule::gpipe, Schedule::oneForwardOneBackward})
        for (const int stages : {1, 2, 5, 8})
            for (const int microBatches : {1, 3, 8, 40}) {
                const Pipeline pipeline = pipelineOf(schedule, stages, microBatches);
                EXPECT_DOUBLE_EQ(simulatePipeline(pipeline).makespan, (microBatches + stages - 1) * 2.75);
            }
}

TEST(Pipeline, ofChunksWaitsForEveryHopOfTheFirstAndTheLastMicroBatch) {
    for (const int stages : {2, 4, 8})
        for (const int chunks : {2, 3, 5}) {
            Pipeline pipeline = pipelineOf(Schedule::interleaved, stages, 4 * stages);
            pipeline.chunks = chunks;
            pipeline.transfer = 0.01;
            const double ramp = (stages - 1) * 2.75 / chunks;
            EXPECT_NEAR(pipelineIdle(pipeline), ramp + (2 * stages * chunks - 2) * 0.01, 1e-9);
            pipeline.groupedWrap = true;
            EXPECT_NEAR(pipelineIdle(pipeline), ramp + (2 * stages * chunks - stages - 2) * 0.01, 1e-9);
        }
}

TEST(Pipeline, ofOneChunkIs1F1B) {
    const PipelineTimes chunked = simulatePipeline(pipelineOf(Schedule::interleaved, 4, 12));
    const PipelineTimes plain = simulatePipeline(pipelineOf(Schedule::oneForwardOneBackward, 4, 12));
    EXPECT_EQ(chunked.makespan, plain.makespan);
    EXPECT_EQ(chunked.inFlight, plain.inFlight);
}

TEST(Pipeline, handcraftedIsAsIdleAsQiEtAlDerive) {
    for (const int stages : {2, 4, 8}) {
        Pipeline pipeline = pipelineOf(Schedule::zbH1, stages, 4 * stages);
        EXPECT_NEAR(pipelineIdle(pipeline), (stages - 1) * (1.25 + 1 - 0.5), 1e-9);
        pipeline.schedule = Schedule::zbH2;
        EXPECT_NEAR(pipelineIdle(pipeline), (stages - 1) * (1.25 + 1 - 2 * 0.5), 1e-9);
    }
}

TEST(Pipeline, ofEqualTimesHasNoBubblesWithTwiceTheMemory) {
    for (const Schedule schedule : {Schedule::zbH2, Schedule::zb2p}) {
        Pipeline pipeline = pipelineOf(schedule, 8, 24);
        pipeline.times = {1, 1, 1};
        EXPECT_NEAR(simulatePipeline(pipeline).bubbleShare, 0, 1e-12);
    }
}

TEST(Pipeline, ofVShapeHasNoBubblesWithTheMemoryOf1F1B) {
    Pipeline pipeline = pipelineOf(Schedule::zbV, 8, 24);
    pipeline.times = {1, 1, 1};
    pipeline.keptForWeights = 0.5;
    const PipelineTimes times = simulatePipeline(pipeline);
    EXPECT_NEAR(times.bubbleShare, 0, 1e-12);
    EXPECT_LE(*std::max_element(times.inFlight.begin(), times.inFlight.end()), 8);
}

TEST(Pipeline, searchedIsNoIdlerThanHandcrafted) {
    std::mt19937 random(7);
    const auto upTo = [&](double most) { return most * static_cast<double>(random() % 1000) / 1000; };
    for (int i = 0; i < 300; ++i) {
        Pipeline pipeline = pipelineOf(Schedule::zbH1, 2 + i % 5, 4 + i % 9);
        pipeline.times = {1, upTo(1.5), upTo(1)};
        pipeline.transfer = upTo(0.2);
        for (const auto& [handcrafted, searched] :
             {std::pair(Schedule::zbH1, Schedule::zb1p), std::pair(Schedule::zbH2, Schedule::zb2p)}) {
            pipeline.schedule = handcrafted;
            const double span = simulatePipeline(pipeline).span;
            pipeline.schedule = searched;
            EXPECT_LE(simulatePipeline(pipeline).span, span);
        }
    }
}

TEST(Pipeline, countsWhatIsKeptBetweenTheGradients) {
    Pipeline pipeline = pipelineOf(Schedule::zbH1, 4, 12);
    EXPECT_EQ(simulatePipeline(pipeline).inFlight, (std::vector<double>{4, 4, 4, 4}));
    pipeline.keptForWeights = 0;
    EXPECT_EQ(simulatePipeline(pipeline).inFlight, (std::vector<double>{4, 3, 2, 1}));
    pipeline.keptForWeights = 0.5;
    EXPECT_EQ(simulatePipeline(pipeline).inFlight, (std::vector<double>{4, 3.5, 3, 2.5}));
}

/// The most micro-batches that a schedule says a stage holds.
double mostMicroBatches(const Pipeline& pipeline, int stage) {
    const int p = pipeline.stages, m = pipeline.microBatches, v = pipeline.chunks;
    switch (pipeline.schedule) {
        case Schedule::gpipe:
            return m;
        case Schedule::oneForwardOneBackward:
            return std::min(m, p - stage);
        case Schedule::interleaved:
            if (v == 1) return std::min(m, p - stage);
            return std::min<double>(m, (2.0 * (p - 1 - stage) + (v - 1.0) * p + 1) / v);
        case Schedule::zbH2:
            return std::min(m, 2 * p - 1);
        case Schedule::zb2p:
            return std::min(m, 2 * p);
        default:
            return std::min(m, p);
    }
}

/// Seconds of one micro-batch that has the pipeline for itself: there and back, and its weights on the first stage.
double pipelineAlone(const Pipeline& pipeline) {
    double seconds = 0;
    for (const PipelineStage& stage : pipeline.perStage) seconds += stage.forward + stage.backwardInput;
    const int hops = pipeline.schedule == Schedule::zbV           ? 2 * (pipeline.stages - 1)
                     : pipeline.schedule == Schedule::interleaved ? pipeline.stages * pipeline.chunks - 1
                                                                  : pipeline.stages - 1;
    return seconds + (pipeline.stages == 1 ? 0 : 2 * hops * pipeline.transfer);
}

class RandomPipelines {
public:
    Pipeline next() {
        Pipeline pipeline;
        pipeline.schedule = static_cast<Schedule>(below(8));
        pipeline.stages = 1 + below(4);
        pipeline.microBatches = 1 + below(7);
        if (pipeline.schedule == Schedule::interleaved) {
            pipeline.chunks = 1 + below(3);
            pipeline.microBatches = pipeline.stages * (1 + below(2));
        }
        pipeline.transfer = below(2) * time() / 4;
        pipeline.keptForWeights = below(5) / 4.0;
        const PipelineStage alike{time(), time(), time()};
        const bool uneven = below(2) == 1;
        for (int i = 0; i < pipeline.stages; ++i)
            pipeline.perStage.push_back(uneven ? PipelineStage{time(), time(), time()} : alike);
        return pipeline;
    }

    int below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

private:
    double time() { return below(8) == 0 ? 0 : (1 + below(200)) * 0.01; }

    std::mt19937 random_{20260};
};

double& anyPipelineTime(Pipeline& pipeline, RandomPipelines& random) {
    PipelineStage& stage = pipeline.perStage[static_cast<std::size_t>(random.below(pipeline.stages))];
    switch (random.below(4)) {
        case 0:
            return stage.forward;
        case 1:
            return stage.backwardInput;
        case 2:
            return stage.backwardWeight;
        default:
            return pipeline.transfer;
    }
}

TEST(Pipeline, isNeverFasterThanItsBoundsNorFullerThanItsScheduleSays) {
    RandomPipelines random;
    for (int i = 0; i < test::randomCases(100'000); ++i) {
        const Pipeline pipeline = random.next();
        const PipelineTimes times = simulatePipeline(pipeline);
        double work = 0;
        for (const PipelineStage& stage : pipeline.perStage)
            work = std::max(work, pipeline.microBatches * pipelineWork(stage));
        ASSERT_GE(times.span, work * (1 - 1e-12)) << i;
        ASSERT_GE(times.makespan, times.span * (1 - 1e-12)) << i;
        ASSERT_GE(times.makespan, pipelineAlone(pipeline) * (1 - 1e-12)) << i;
        ASSERT_GE(times.bubbleShare, 0) << i;
        for (int stage = 0; stage < pipeline.stages; ++stage)
            ASSERT_LE(times.inFlight[static_cast<std::size_t>(stage)], mostMicroBatches(pipeline, stage) + 1e-9) << i;
    }
}

TEST(Pipeline, inAFixedOrderIsNeverFasterForASlowerTask) {
    RandomPipelines random;
    for (int i = 0; i < test::randomCases(100'000); ++i) {
        Pipeline pipeline = random.next();
        if (pipeline.schedule > Schedule::zbH2) continue;
        const double before = simulatePipeline(pipeline).makespan;
        anyPipelineTime(pipeline, random) += 0.37;
        ASSERT_GE(simulatePipeline(pipeline).makespan, before * (1 - 1e-12)) << i;
    }
}

TEST(Pipeline, refusesWhatCannotRunWithASentence) {
    Pipeline pipeline = pipelineOf(Schedule::interleaved, 4, 10);
    pipeline.chunks = 2;
    EXPECT_NE(pipelineRefusal(pipeline).find("divide"), std::string::npos);
    EXPECT_THROW(simulatePipeline(pipeline), UsageError);
    pipeline.microBatches = 12;
    EXPECT_EQ(pipelineRefusal(pipeline), "");
    for (const auto& spoil : std::vector<void (*)(Pipeline&)>{
             [](Pipeline& p) { p.stages = 0; }, [](Pipeline& p) { p.microBatches = -1; },
             [](Pipeline& p) { p.microBatches = 2'000'000'000; }, [](Pipeline& p) { p.chunks = 0; },
             [](Pipeline& p) { p.transfer = -1; }, [](Pipeline& p) { p.times.forward = std::nan(""); },
             [](Pipeline& p) { p.perStage.resize(3); }, [](Pipeline& p) { p.keptForWeights = 1.5; }}) {
        Pipeline spoilt = pipeline;
        spoil(spoilt);
        EXPECT_NE(pipelineRefusal(spoilt), "");
    }
}

TEST(Pipeline, hasTheNamesOfMeasuredTables) {
    for (const char* name : {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2", "zb-1p", "zb-2p", "zb-v"})
        EXPECT_EQ(nameOf(pipelineScheduleNamed(name).value()), name);
    EXPECT_FALSE(pipelineScheduleNamed("1F1B").has_value());
}

}  // namespace
}  // namespace tessera::physical

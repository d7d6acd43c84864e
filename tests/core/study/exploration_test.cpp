// Explorations: every kind of variable, points against runs by hand and against brute force, threads, resume.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/input_files.h"
#include "core/base/text.h"
#include "core/explore/hypervolume.h"
#include "core/study/document_study.h"
#include "core/study/exploration/settings.h"
#include "core/study/exploration/study.h"
#include "core/study/metric.h"
#include "core/study/study.h"
#include "core/study/title.h"
#include "tests/support/paths.h"
#include "tests/support/sanitizers.h"
#include "tests/support/schema.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/work.h"

namespace tessera::study {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kCostStudy = R"({"engine": "cost", "workloads": ["zoo:lenet5"], "parameters": {"pes": 256}})";
constexpr const char* kPlanStudy =
    R"({"engine": "plan", "models": ["zoo:llama2-7b"], "hardware": ["dgx-h100x8"],
        "parameters": {"global_batch": 64, "fix": "tp=8,pp=1"}})";
constexpr const char* kPredictStudy =
    R"({"engine": "predict", "models": ["zoo:lenet5"], "hardware": ["a100"], "parameters": {"devices": "8"}})";
constexpr const char* kMappingStudy =
    R"({"engine": "mapping", "workloads": ["vision"], "hardware": ["s1"], "seed": 1,
        "parameters": {"group_size": 20, "algorithms": ["herald-like"], "samples": 50}})";

Study explorationFrom(const std::string& text) {
    return readStudy(JsonDocument::parse(R"({"schema": "tessera.exploration/1", )" + text + "}", "x.json").root());
}

/// An exploration of a study by what else its file says.
Study exploring(const char* study, const std::string& rest) {
    return explorationFrom(fmt::format(R"("study": {}, {})", study, rest));
}

const ExplorationOutcome& explored(const Result& result) {
    return result.outcome.get<ExplorationOutcome>();
}

std::string bytesOf(const Result& result) {
    return toText(toJson(result));
}

std::string refusalOf(const Study& study) {
    try {
        run(study);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "accepted";
}

std::string refusalOf(const char* study, const std::string& rest) {
    try {
        return refusalOf(exploring(study, rest));
    } catch (const std::exception& error) {
        return error.what();
    }
}

double metricOf(const Result& result, const std::string& name) {
    for (const Metric& metric : metricsOf(result))
        if (metric.name == name) return metric.value;
    return std::nan("");
}

// Against runs by hand ------------------------------------------------------------------------------------------------

struct EngineCase {
    const char* name;
    std::string study;
    std::string rest;  ///< variables and objectives
};

std::vector<EngineCase> engineCases() {
    return {
        {"partition",
         R"({"engine": "partition", "models": ["zoo:lenet5"], "hardware": ["accpar-heterogeneous"], "parameters": {"strategies": ["accpar", "dp"]}})",
         R"("variables": [{"parameter": "batch", "values": [64, 512]},
                          {"name": "network", "field": "accelerators.tpu-v2-board.network_bits_per_s", "low": "4 Gb/s", "high": "64 Gb/s"}],
            "objectives": ["step_time_s"])"},
        {"plan", kPlanStudy,
         R"("variables": [{"name": "hbm", "field": "accelerators.h100.memory[HBM3].bandwidth_bytes_per_s", "low": "2 TB/s", "high": "6 TB/s"},
                          {"name": "links", "field": "fleet.levels[NVSwitch].bandwidth_bytes_per_s", "low": 1e11, "high": 1e12, "scale": "log"},
                          {"name": "price", "field": "accelerators.h100.price_per_hour_usd", "formula": "2 + hbm / 1e12"}],
            "objectives": ["step_time_s", "price_usd"])"},
        {"mapping", kMappingStudy,
         R"("variables": [{"name": "buffer", "field": "platform.sub_accelerators[0].sg_bytes", "values": [1024, 8192]},
                          {"name": "cores", "field": "platform.sub_accelerators[0].count", "low": 1, "high": 4},
                          {"name": "bandwidth", "field": "platform.bandwidth_bytes_per_s", "low": "1 GB/s", "high": "32 GB/s", "scale": "log"}],
            "objectives": ["makespan_cycles"])"},
        {"codesign",
         R"({"engine": "codesign", "models": ["zoo:bert-base"], "hardware": ["phaze"], "seed": 2,
             "parameters": {"accelerators": 16, "global_batch": 64, "search": "random", "samples": 8, "schedule_states": 500}})",
         R"("variables": [{"parameter": "area_limit", "low": "60 mm²", "high": "200 mm²"},
                          {"name": "hbm", "field": "template.hbm_bandwidth_bytes_per_s", "low": 4e11, "high": 2e12},
                          {"name": "buffer", "field": "template.parameters.glb_bytes", "low": "1 MiB", "high": "16 MiB"}],
            "objectives": ["objective"])"},
        {"predict", kPredictStudy,
         R"("variables": [{"name": "size", "parameter": "batch", "values": [16, 64]},
                          {"name": "hbm", "field": "accelerators.a100.memory[1].bandwidth_bytes_per_s", "low": 1e12, "high": 4e12},
                          {"name": "accelerator", "input": "hardware", "values": ["a100", "h100"]}],
            "objectives": ["throughput_samples_per_s"])"},
        {"place",
         R"({"engine": "place", "workloads": ["bert-large"], "parameters": {"global_batch": 1024, "accelerators": 64}})",
         R"("variables": [{"parameter": "accelerators", "values": [32, 64, 128]}], "objectives": ["time_per_batch_s"])"},
        {"schedule", R"({"engine": "schedule", "workloads": ["mixture-of-experts"], "parameters": {"method": "list"}})",
         R"("variables": [{"parameter": "tensor_cores", "low": 1, "high": 8}, {"parameter": "vector_cores", "low": 1, "high": 8}],
            "objectives": ["makespan"])"},
        {"cost", kCostStudy,
         R"("variables": [{"parameter": "pes", "low": 16, "high": 1024, "scale": "log"},
                          {"parameter": "dataflow", "values": ["nvdla", "eyeriss"]}],
            "objectives": ["cycles", "energy_j"])"},
    };
}

class ExplorationOfEveryEngine : public testing::TestWithParam<EngineCase> {};

TEST_P(ExplorationOfEveryEngine, hasThePointsThatItsStudiesComputeByThemselves) {
    const Study study = exploring(GetParam().study.c_str(), GetParam().rest + R"(, "method": "random", "points": 6)");
    const Result result = run(study);
    const ExplorationOutcome& outcome = explored(result);
    ASSERT_GE(outcome.points.size(), 3U);
    EXPECT_GT(outcome.feasible(), 0);
    ASSERT_TRUE(outcome.baseline);
    const test::ScratchFolder folder;
    std::size_t compared = 0;
    for (std::size_t point = 0; point < outcome.points.size(); ++point) {
        const std::filesystem::path out = folder / fmt::format("point-{}.json", point);
        writeFiles(pointStudyFiles(result, point, out));
        const Study alone = loadStudy(out.string());
        const ExploredPoint& its = outcome.points[point];
        if (!its.isFeasible()) {
            if (its.reason.starts_with("there is no ")) {
                EXPECT_TRUE(std::isnan(metricOf(run(alone), explored(result).objectives.front().id))) << its.reason;
            } else {
                EXPECT_THROW(run(alone), std::exception) << its.reason;
            }
            continue;
        }
        for (const Metric& metric : metricsOf(run(alone))) {
            if (!metric.owner.empty()) continue;
            EXPECT_EQ(outcome.valueOf(its, metric.name), metric.value) << metric.name << " of point " << point;
            ++compared;
        }
    }
    EXPECT_GT(compared, 5U);
    // The study as it is.
    for (const Metric& metric : metricsOf(run(baseOf(study))))
        if (metric.owner.empty()) {
            EXPECT_EQ(outcome.valueOf(*outcome.baseline, metric.name), metric.value) << metric.name;
        }
}

TEST_P(ExplorationOfEveryEngine, comesBackFromItsDocumentAndIsAsItsSchemaSays) {
    const Study study =
        exploring(GetParam().study.c_str(), GetParam().rest + R"(, "method": "random", "points": 4, "keep": "front")");
    const Result result = run(study);
    const std::string bytes = bytesOf(result);
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(bytes), "exploration-result.schema.json"), "");
    const Result again = readResult(JsonDocument::parse(bytes, "r.json").root(), study);
    EXPECT_EQ(bytesOf(again), bytes);
    EXPECT_EQ(headline(again), headline(result));
    // What is kept whole is what the point's study computes.
    const ExplorationOutcome& outcome = explored(result);
    ASSERT_EQ(outcome.kept.size(), outcome.front.size());
    const Study base = baseOf(study);
    for (const KeptPoint& kept : outcome.kept) {
        const JsonDocument document = documentOf(*kept.document, "kept");
        const Result whole = readResult(document.root(), newStudy(base.engine));
        for (const ExploredObjective& objective : outcome.objectives)
            EXPECT_EQ(metricOf(whole, objective.id), outcome.valueOf(outcome.points[kept.point], objective.id));
    }
}

TEST_P(ExplorationOfEveryEngine, explainsEveryMetric) {
    const Result result =
        run(exploring(GetParam().study.c_str(), GetParam().rest + R"(, "method": "random", "points": 3)"));
    ASSERT_FALSE(metricsOf(result).empty());
    for (const Metric& metric : metricsOf(result)) {
        const std::optional<Explanation> explanation = explain(result, metric.name);
        ASSERT_TRUE(explanation) << metric.name;
        EXPECT_FALSE(explanation->formula.empty()) << metric.name;
        EXPECT_FALSE(explanation->terms.empty()) << metric.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Engines, ExplorationOfEveryEngine, testing::ValuesIn(engineCases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Exploration, changesAFieldAsAnEditedFileWould) {
    const Result result = run(exploring(kPlanStudy, R"("method": "grid", "points": 3, "objectives": ["step_time_s"],
        "variables": [{"name": "hbm", "field": "accelerators.h100.memory[HBM3].bandwidth_bytes_per_s", "values": [2e12, 4e12, 8e12]}])"));
    // The same by hand: an accelerator and a fleet of one's own.
    const test::ScratchFolder folder;
    for (const ExploredPoint& point : explored(result).points) {
        Json accelerator = JsonDocument::load(test::sourcePath("data/accelerators/h100.json").string()).json();
        for (Json& level : accelerator["memory"])
            if (level["name"] == "HBM3") level["bandwidth_bytes_per_s"] = point.values[0];
        writeFile(folder / "h100.json", accelerator.dump());
        Json fleet = JsonDocument::load(test::sourcePath("data/fleets/dgx-h100x8.json").string()).json();
        fleet["groups"][0]["accelerator"] = "./h100.json";
        writeFile(folder / "mine.json", fleet.dump());
        Study alone = readStudyInside(JsonDocument::parse(kPlanStudy, "p.json").root());
        alone.hardware = {(folder / "mine.json").string()};
        EXPECT_EQ(metricOf(run(alone), "step_time_s"), explored(result).valueOf(point, "step_time_s"));
    }
    EXPECT_NE(explored(result).points[0].metrics, explored(result).points[2].metrics);
}

// Against brute force -------------------------------------------------------------------------------------------------

TEST(Exploration, ofAGridHasTheFrontOfBruteForce) {
    const Result result = run(exploring(
        kCostStudy, R"("method": "grid", "points": 1000, "objectives": ["cycles", "energy_j:min", "utilisation"],
        "variables": [{"parameter": "pes", "values": [64, 256, 1024]}, {"parameter": "dataflow", "values": ["nvdla", "eyeriss", "shidiannao"]},
                      {"parameter": "offchip_bandwidth", "values": [4, 16, 64]}])"));
    const ExplorationOutcome& outcome = explored(result);
    ASSERT_EQ(outcome.points.size(), 27U);
    EXPECT_EQ(outcome.ended, EndedBy::done);
    struct Known {
        double cycles, energy, utilisation;
    };
    std::vector<Known> known;
    for (const ExploredPoint& point : outcome.points) {
        Study study = readStudyInside(JsonDocument::parse(kCostStudy, "c.json").root());
        setParameter(study, "pes", {fmt::format("{}", point.values[0])});
        setParameter(study, "dataflow", {outcome.variables[1].words[static_cast<std::size_t>(point.values[1])]});
        setParameter(study, "offchip_bandwidth", {fmt::format("{}", point.values[2])});
        const Result alone = run(study);
        known.push_back({metricOf(alone, "cycles"), metricOf(alone, "energy_j"), metricOf(alone, "utilisation")});
        EXPECT_EQ(outcome.valueOf(point, "cycles"), known.back().cycles);
        EXPECT_EQ(outcome.valueOf(point, "energy_j"), known.back().energy);
    }
    std::set<std::size_t> front;
    for (std::size_t a = 0; a < known.size(); ++a) {
        const bool beaten = std::any_of(known.begin(), known.end(), [&, &one = known[a]](const Known& other) {
            const bool nowhereWorse =
                other.cycles <= one.cycles && other.energy <= one.energy && other.utilisation >= one.utilisation;
            return nowhereWorse &&
                   (other.cycles < one.cycles || other.energy < one.energy || other.utilisation > one.utilisation);
        });
        if (!beaten) front.insert(a);
    }
    EXPECT_EQ(std::set<std::size_t>(outcome.front.begin(), outcome.front.end()), front);
    for (const ExploredObjective& objective : outcome.objectives) {
        const std::size_t best = *outcome.best(objective);
        for (const ExploredPoint& point : outcome.points) {
            const double value = outcome.valueOf(point, objective.id),
                         its = outcome.valueOf(outcome.points[best], objective.id);
            EXPECT_TRUE(objective.goal == Goal::max ? value <= its : value >= its);
        }
        EXPECT_EQ(metricOf(result, objective.id), outcome.valueOf(outcome.points[best], objective.id));
    }
    ASSERT_FALSE(outcome.hypervolume.empty());
    for (std::size_t i = 1; i < outcome.hypervolume.size(); ++i) {
        EXPECT_GE(outcome.hypervolume[i].second, outcome.hypervolume[i - 1].second);
        EXPECT_GT(outcome.hypervolume[i].first, outcome.hypervolume[i - 1].first);
    }
    EXPECT_LE(outcome.hypervolume.back().second, 1);
    EXPECT_TRUE(outcome.chosen && outcome.onFront()[*outcome.chosen]);
}

TEST(Exploration, ofASearchFindsWhatAGridFinds) {
    const std::string variables =
        R"("variables": [{"parameter": "pes", "values": [16, 64, 256, 1024, 4096]}, {"parameter": "offchip_bandwidth", "values": [2, 4, 8, 16, 32, 64]}],
           "objectives": ["cycles"], )";
    const Result grid = run(exploring(kCostStudy, variables + R"("method": "grid")"));
    for (const char* method : {"nsga2", "de", "bayes"}) {
        const Result found = run(
            exploring(kCostStudy, variables + fmt::format(R"("method": "{}", "points": 30, "population": 8)", method)));
        EXPECT_EQ(metricOf(found, "cycles"), metricOf(grid, "cycles")) << method;
        EXPECT_LE(explored(found).points.size(), 30U) << "equal points are computed once";
    }
}

// The same bytes ------------------------------------------------------------------------------------------------------

std::string withThreads(const Study& study, unsigned threads) {
    RunContext context;
    context.threads = threads;
    return bytesOf(run(study, context));
}

TEST(Exploration, isTheSameBytesWithAnyNumberOfThreads) {
    for (const char* method : {"random", "nsga2", "bayes", "morris", "sobol-indices"}) {
        const Study study = exploring(
            kPredictStudy,
            fmt::format(
                R"("variables": [{{"name": "size", "parameter": "batch", "low": 1, "high": 512, "scale": "log"}},
                             {{"name": "hbm", "field": "accelerators.a100.memory[1].bandwidth_bytes_per_s", "low": 1e12, "high": 4e12}}],
               "objectives": ["throughput_samples_per_s"{}], "method": "{}", "points": 40, "stop_after": 30, "seed": 7)",
                std::string_view(method) == "nsga2" ? R"(, "size:min")" : "", method));
        const std::string one = withThreads(study, 1);
        EXPECT_EQ(withThreads(study, 2), one) << method;
        EXPECT_EQ(withThreads(study, 5), one) << method;
    }
}

constexpr const char* kTwoObjectives =
    R"("variables": [{"parameter": "pes", "low": 16, "high": 4096, "scale": "log"}, {"parameter": "offchip_bandwidth", "low": 2, "high": 128}],
       "objectives": ["cycles", "energy_j"], "constraints": ["utilisation >= 0.01"], "points": 60, "population": 12, "seed": 3, "keep": "front")";

TEST(Exploration, goesOnFromACheckpointToTheSameBytes) {
    const Study study = exploring(kCostStudy, kTwoObjectives);
    const std::string whole = withThreads(study, 1);
    for (const int after : {1, 7, 23, 41, 59}) {
        std::stop_source cancel;
        Json state;
        RunContext context;
        context.threads = 2;
        context.cancel = cancel.get_token();
        context.checkpoint = [&](const Json& now) { state = now; };
        context.progress = [&](const ProgressEvent& event) {
            if (event.done >= after) cancel.request_stop();
        };
        EXPECT_THROW(run(study, context), InterruptedError) << after;
        ASSERT_TRUE(state.contains("state")) << after;
        RunContext again;
        again.resume = Json::parse(toText(state));
        EXPECT_EQ(bytesOf(run(study, again)), whole) << after;
    }
}

/// The points of a checkpoint: its text has a row for each.
std::vector<Json> pointsIn(const Json& checkpoint) {
    std::vector<Json> rows;
    for (const std::string_view row : split(checkpoint["state"]["points"].get_ref<const std::string&>(), '\n'))
        if (!row.empty()) rows.push_back(Json::parse(row));
    return rows;
}

void setPoints(Json& checkpoint, const std::vector<Json>& rows) {
    std::string text;
    for (const Json& row : rows) text += row.dump() + "\n";
    checkpoint["state"]["points"] = text;
}

TEST(Exploration, computesNothingAgainOfACheckpoint) {
    const Study study = exploring(kCostStudy, kTwoObjectives);
    Json state;
    RunContext context;
    context.threads = 1;  // the state has points in the order in which they were done
    context.checkpoint = [&](const Json& now) { state = now; };
    const Result whole = run(study, context);
    std::vector<Json> points = pointsIn(state);
    ASSERT_FALSE(points.empty());
    EXPECT_LE(points.size(), explored(whole).points.size());
    // A number that no run would give tells that it was taken as it is.
    const double odd = 123456789;
    const auto which = points[0]["metrics"].get<std::vector<std::size_t>>();
    for (std::size_t i = 0; i < which.size(); ++i)
        if (state["state"]["metrics"][which[i]]["id"] == "macs") points[0]["numbers"][i] = odd;
    setPoints(state, points);
    RunContext again;
    again.resume = state;
    const Result resumed = run(study, again);
    EXPECT_EQ(explored(resumed).valueOf(explored(resumed).points[0], "macs"), odd);
    for (const auto& [member, wrong] :
         {std::pair("values", Json::array({1})), {"objectives", Json::array({1, 2, 3})}}) {
        std::vector<Json> damaged = points;
        damaged[0][member] = wrong;
        setPoints(*again.resume, damaged);
        EXPECT_THROW(run(study, again), DataError) << member;
    }
    again.resume["state"]["points"] = Json::array();
    EXPECT_THROW(run(study, again), DataError);
    again.resume = state;
    Study other = study;
    setParameter(other, "points", {"61"});
    EXPECT_THROW(run(other, again), DataError);
}

/// An exploration whose points take some milliseconds each.
Study longExploration() {
    return exploring(
        R"({"engine": "predict", "models": ["zoo:resnet50"], "hardware": ["a100", "h100", "v100"], "parameters": {"devices": "1,2,4,8"}})",
        R"("variables": [{"name": "hbm", "field": "accelerators.h100.memory[HBM3].bandwidth_bytes_per_s", "low": 1e12, "high": 9e12}],
           "objectives": ["throughput_samples_per_s"], "method": "random", "points": 100000)");
}

TEST(Exploration, handsPointsOnWhileTheThreadThatAskedIsAtWork) {
    const std::thread::id asking = std::this_thread::get_id();
    std::mutex mutex;
    std::condition_variable handedOn;
    bool byAnother = false, waited = false, came = false;
    std::stop_source finish;
    RunContext context;
    context.threads = 2;
    context.finish = finish.get_token();
    context.checkpoint = [&](const Json& state) {
        if (std::this_thread::get_id() == asking || pointsIn(state).empty()) return;
        const std::lock_guard lock(mutex);
        byAnother = true;
        handedOn.notify_all();
    };
    context.progress = [&](const ProgressEvent& event) {
        if (std::this_thread::get_id() != asking || event.done < 1 || waited) return;
        // As a point that takes long.
        waited = true;
        std::unique_lock lock(mutex);
        byAnother = false;
        came = handedOn.wait_for(lock, std::chrono::minutes(1), [&] { return byAnother; });
        finish.request_stop();
    };
    run(longExploration(), context);
    EXPECT_TRUE(waited);
    EXPECT_TRUE(came);
}

TEST(Exploration, handsOnWhatItHasWhateverEndsIt) {
    Json state;
    RunContext context;
    context.threads = 2;
    context.checkpoint = [&](const Json& now) { state = now; };
    context.progress = [](const ProgressEvent& event) {
        if (event.done >= 20) throw std::runtime_error("no more");
    };
    EXPECT_THROW(run(longExploration(), context), std::runtime_error);
    EXPECT_GE(pointsIn(state).size(), 20U);
}

TEST(Exploration, losesNothingOfACheckpointThatItIsInterruptedAfterAgain) {
    const Study study = exploring(kCostStudy, kTwoObjectives);
    Json first;
    RunContext context;
    context.checkpoint = [&](const Json& now) { first = now; };
    run(study, context);
    std::stop_source cancel;
    Json second;
    RunContext again;
    again.cancel = cancel.get_token();
    again.resume = first;
    again.checkpoint = [&](const Json& now) { second = now; };
    again.progress = [&](const ProgressEvent& event) {
        if (event.done >= 1) cancel.request_stop();
    };
    EXPECT_THROW(run(study, again), InterruptedError);
    EXPECT_GE(pointsIn(second).size(), pointsIn(first).size());
}

// Every kind of variable ----------------------------------------------------------------------------------------------

ExploredVariable variableOf(const char* study, const std::string& variable) {
    return spaceOf(exploring(study, fmt::format(R"("variables": [{}], "objectives": ["x"])", variable)))
        .variables()
        .front();
}

TEST(ExplorationVariable, ofAParameterHasItsRangeUnitAndHelp) {
    const ExploredVariable batch =
        variableOf(kPlanStudy, R"({"parameter": "global_batch", "low": "1k", "high": 4096})");
    EXPECT_EQ(batch.name, "global_batch");
    EXPECT_EQ(batch.title, "Global batch");
    EXPECT_THAT(batch.help, HasSubstr("samples of a step"));
    EXPECT_EQ(batch.range.low, 1000);
    EXPECT_EQ(batch.range.step, 1) << "whole numbers";
    const ExploredVariable deadline =
        variableOf(kPlanStudy, R"({"parameter": "deadline", "low": "30 s", "high": "2e9 ms"})");
    EXPECT_EQ(deadline.measure, Measure::seconds);
    EXPECT_EQ(deadline.range.low, 30);
    EXPECT_EQ(deadline.range.high, 2e6);
    EXPECT_EQ(deadline.range.step, 0);
}

TEST(ExplorationVariable, ofWordsFlagsAndTextsIsACategory) {
    const ExploredVariable objective = variableOf(kPlanStudy, R"({"parameter": "objective"})");
    EXPECT_TRUE(objective.isCategory());
    EXPECT_EQ(objective.words.front(), "time");
    EXPECT_EQ(objective.range.values.size(), objective.words.size());
    EXPECT_EQ(variableOf(kPlanStudy, R"({"parameter": "limits"})").words, (std::vector<std::string>{"false", "true"}));
    const ExploredVariable fix = variableOf(kPlanStudy, R"({"parameter": "fix", "values": ["tp=8", "tp=4,pp=2"]})");
    EXPECT_EQ(fix.words, (std::vector<std::string>{"tp=8", "tp=4,pp=2"}));
    const ExploredVariable lists =
        variableOf(R"({"engine": "partition", "models": ["zoo:lenet5"], "hardware": ["accpar-homogeneous"]})",
                   R"({"parameter": "strategies", "values": [["dp"], ["accpar", "dp"]]})");
    EXPECT_EQ(lists.words, (std::vector<std::string>{"dp", "accpar,dp"}));
    const ExploredVariable numbers = variableOf(kPredictStudy, R"({"parameter": "devices", "values": [1, 2, 8]})");
    EXPECT_FALSE(numbers.isCategory()) << "texts that are numbers have an order";
    EXPECT_EQ(numbers.range.values, (std::vector<double>{1, 2, 8}));
}

TEST(ExplorationVariable, ofInputsAndDimensionsSetsThem) {
    const Study study = exploring(
        R"({"engine": "plan", "models": ["zoo:llama"], "hardware": ["dgx-h100x8"], "dimensions": {"layers": 8}, "parameters": {"global_batch": 8}})",
        R"("variables": [{"input": "hardware", "values": ["dgx-h100x8", "dgx-a100x8"]}, {"dimension": "layers", "low": 2, "high": 8}], "objectives": ["step_time_s"])");
    const ExploredSpace space = spaceOf(study);
    EXPECT_EQ(space.inner().size(), 2U) << "the study itself, and each other input";
    const PointStudy point = space.studyAt({1, 4}, std::make_shared<InputFiles>());
    EXPECT_EQ(point.study.hardware, std::vector<std::string>{"dgx-a100x8"});
    EXPECT_EQ(point.study.dimensions.at("layers"), 4);
    EXPECT_EQ(space.ownValues(), (std::vector<double>{0, 8}));
    // A dimension that the study leaves out has the size that the zoo gives it.
    const ExploredSpace byDefault = spaceOf(exploring(
        R"({"engine": "plan", "models": ["zoo:llama2-7b"], "hardware": ["dgx-h100x8"], "parameters": {"global_batch": 8}})",
        R"("variables": [{"dimension": "sequence", "low": 512, "high": 8192}], "objectives": ["step_time_s"])"));
    EXPECT_EQ(byDefault.ownValues(), std::vector<double>{4096});
}

TEST(ExplorationVariable, ofAFieldHasItsTitleUnitRuleAndValue) {
    const std::string bandwidth =
        R"({"field": "fleet.levels[1].bandwidth_bytes_per_s", "low": "10 GB/s", "high": "100 GB/s"})";
    const ExploredVariable links = variableOf(kPlanStudy, bandwidth);
    EXPECT_EQ(links.title, "H100 InfiniBand bandwidth");
    EXPECT_EQ(links.measure, Measure::bytesPerSecond);
    EXPECT_EQ(links.range.low, 1e10);
    const ExploredVariable kind = variableOf(kPlanStudy, R"({"field": "fleet.levels[0].kind"})");
    EXPECT_EQ(kind.words, (std::vector<std::string>{"switch", "ring", "torus", "full", "mesh"}));
    const ExploredVariable count =
        variableOf(kPlanStudy, R"({"field": "fleet.groups[h100].count", "low": 1, "high": 8})");
    EXPECT_EQ(count.range.step, 1);
    constexpr const char* kDesign =
        R"({"engine": "codesign", "models": ["zoo:bert-base"], "hardware": ["phaze"], "parameters": {"accelerators": 16}})";
    const ExploredVariable buffer =
        variableOf(kDesign, R"({"field": "template.parameters.glb_bytes", "low": 1, "high": "1 MiB"})");
    EXPECT_EQ(buffer.range.values.size(), 21U) << "all powers of two";
    // A field that the file leaves out, and one that stands in a group's inline accelerator.
    const Study left = exploring(
        kPlanStudy,
        R"("variables": [{"field": "fleet.levels[0].oversubscription", "values": [1, 2]}], "objectives": ["step_time_s"], "method": "grid")");
    EXPECT_TRUE(std::isnan(spaceOf(left).ownValues()[0]));
    const ExplorationOutcome found = explored(run(left));
    EXPECT_LT(found.valueOf(found.points[0], "step_time_s"), found.valueOf(found.points[1], "step_time_s"));
}

TEST(ExplorationVariable, ofAFormulaFollowsOthers) {
    const Study study = exploring(kPlanStudy, R"text("objectives": ["price_usd", "total:max"], "method": "grid",
        "variables": [{"name": "base", "parameter": "global_batch", "values": [16, 64]},
                      {"name": "double", "formula": "2 * base"},
                      {"name": "price", "field": "accelerators.h100.price_per_hour_usd", "formula": "double / 16"},
                      {"name": "total", "formula": "max(price, base)"}])text");
    const Result result = run(study);
    const ExplorationOutcome& outcome = explored(result);
    ASSERT_EQ(outcome.points.size(), 2U);
    for (const ExploredPoint& point : outcome.points) {
        EXPECT_EQ(point.values[1], 2 * point.values[0]);
        EXPECT_EQ(point.values[2], point.values[0] / 8);
        EXPECT_EQ(outcome.valueOf(point, "total"), point.values[0]);
        const double hours = outcome.valueOf(point, "step_time_s") / 3600;
        EXPECT_NEAR(outcome.valueOf(point, "price_usd"), 8 * point.values[2] * hours, 1e-9);
    }
    EXPECT_EQ(metricOf(result, "total"), 64);
}

TEST(ExplorationVariable, ofTheSeedDrawsOtherNumbers) {
    const Result result = run(exploring(
        R"({"engine": "mapping", "workloads": ["vision"], "hardware": ["s1"], "parameters": {"group_size": 20, "algorithms": ["random"], "samples": 20, "job_seed": 1}})",
        R"("variables": [{"parameter": "seed", "low": 1, "high": 4}], "method": "grid", "objectives": ["makespan_cycles"])"));
    std::set<double> found;
    for (const ExploredPoint& point : explored(result).points)
        found.insert(explored(result).valueOf(point, "makespan_cycles"));
    EXPECT_GT(found.size(), 1U);
}

// Wrong ones ----------------------------------------------------------------------------------------------------------

std::string variableRefusal(const char* study, const std::string& variable) {
    return refusalOf(study, fmt::format(R"("variables": [{}], "objectives": ["step_time_s"])", variable));
}

TEST(ExplorationRefuses, whatItCannotVary) {
    EXPECT_EQ(variableRefusal(kPlanStudy, R"({"parameter": "globalbatch", "low": 1, "high": 2})"),
              "variable 'globalbatch': engine 'plan' has no parameter 'globalbatch'; did you mean 'global_batch'?");
    EXPECT_THAT(variableRefusal(kPlanStudy, R"({"field": "fleet.level[1].bandwidth", "low": 1, "high": 2})"),
                testing::AllOf(HasSubstr("the study's hardware has no field 'fleet.level[1].bandwidth'"),
                               HasSubstr("'fleet.levels[1].bandwidth_bytes_per_s'")));
    EXPECT_THAT(variableRefusal(kCostStudy, R"({"field": "fleet.count", "low": 1, "high": 2})"),
                HasSubstr("the study has no hardware file"));
    EXPECT_EQ(variableRefusal(kPlanStudy, R"({"parameter": "global_batch", "low": 0, "high": 5})"),
              "variable 'global_batch': 'global_batch' takes a whole number from 1 to 1,000,000, not '0'");
    EXPECT_EQ(variableRefusal(kPlanStudy, R"({"parameter": "global_batch", "values": [1.5]})"),
              "variable 'global_batch': 'global_batch' takes a whole number from 1 to 1,000,000, not '1.5'");
    EXPECT_EQ(
        variableRefusal(
            kPlanStudy,
            R"({"name": "hbm", "field": "accelerators.h100.memory[HBM3].bandwidth_bytes_per_s", "low": -1, "high": "3 TB/s"})"),
        "variable 'hbm': 'accelerators.h100.memory[HBM3].bandwidth_bytes_per_s' takes a number above 0 B/s, not "
        "'-1'");
    EXPECT_EQ(variableRefusal(kPlanStudy, R"({"parameter": "deadline", "low": "3 TB/s", "high": 5})"),
              "variable 'deadline': 'deadline' takes a number from 1 s to 1,000,000,000,000 s, not '3 TB/s'");
    EXPECT_EQ(
        variableRefusal(kPlanStudy, R"({"parameter": "global_batch"})"),
        "variable 'global_batch': 'global_batch' takes a whole number from 1 to 1,000,000; give 'low' and 'high', "
        "or 'values'");
    EXPECT_EQ(variableRefusal(kPlanStudy, R"({"parameter": "global_batch", "low": 8, "high": 8})"),
              "variable 'global_batch': 'high' is 8; expected more than 'low', 8");
    EXPECT_THAT(variableRefusal(kPlanStudy, R"({"input": "workloads", "values": ["mix"]})"),
                HasSubstr("takes no workloads"));
    EXPECT_THAT(variableRefusal(kPlanStudy, R"({"parameter": "fix"})"), HasSubstr("give 'values'"));
    EXPECT_THAT(variableRefusal(kPlanStudy, R"({"field": "fleet.levels[0].kind", "values": ["star"]})"),
                HasSubstr("takes one of switch, ring, torus, full, mesh, not 'star'"));
    EXPECT_THAT(variableRefusal(kPlanStudy, R"({"name": "x", "formula": "1 + y"})"), HasSubstr("y"));
}

TEST(ExplorationRefuses, whatAFileCannotSay) {
    EXPECT_EQ(variableRefusal(kPlanStudy, R"({"name": "x"})"),
              "x.json:2: field 'variables[0]' is without any; expected what the variable sets: 'parameter', 'input', "
              "'dimension' or 'field', or a 'formula'");
    EXPECT_THAT(variableRefusal(kPlanStudy, R"({"parameter": "a", "field": "b", "low": 1, "high": 2})"),
                HasSubstr("a second target"));
    EXPECT_THAT(variableRefusal(kPlanStudy, R"({"parameter": "a", "low": 1})"), HasSubstr("without 'high'"));
    EXPECT_THAT(variableRefusal(kPlanStudy, R"({"name": "1a", "parameter": "a", "values": [1]})"),
                HasSubstr("no digit first"));
    EXPECT_THAT(variableRefusal(kPlanStudy, R"({"parameter": "a", "values": [1, 1]})"),
                HasSubstr("values that differ"));
    EXPECT_THAT(variableRefusal(kPlanStudy, R"({"parameters": "a"})"),
                HasSubstr("field 'variables[0].parameters' is unknown"));
    EXPECT_THAT(refusalOf(kPlanStudy, R"("variable": [])"),
                HasSubstr("field 'variable' is unknown; expected 'variables' perhaps"));
    EXPECT_THAT(refusalOf(R"({"engine": "explore"})", R"("variables": [])"), HasSubstr("which runs others"));
    EXPECT_EQ(refusalOf(kPlanStudy, R"("objectives": ["step_time_s"])"), "the exploration has no variable");
    EXPECT_EQ(refusalOf(kPlanStudy, R"("variables": [{"parameter": "global_batch", "values": [8]}])"),
              "the exploration has no objective");
    EXPECT_THAT(refusalOf(kPlanStudy,
                          R"("variables": [{"parameter": "global_batch", "values": [8]}], "objectives": ["a:least"])"),
                HasSubstr("METRIC:min"));
    EXPECT_THAT(
        refusalOf(
            kPlanStudy,
            R"("variables": [{"parameter": "global_batch", "values": [8]}], "objectives": ["a"], "constraints": ["a < 3"])"),
        HasSubstr("METRIC <= VALUE"));
    const std::string two =
        R"("objectives": ["step_time_s"], "variables": [{"name": "a", "parameter": "global_batch", "values": [8]}, )";
    EXPECT_THAT(refusalOf(kPlanStudy, two + R"({"name": "a", "parameter": "sequence", "values": [8]}])"),
                HasSubstr("another variable has that name"));
    EXPECT_THAT(refusalOf(kPlanStudy, two + R"({"name": "b", "parameter": "global_batch", "values": [8]}])"),
                HasSubstr("another variable sets 'global_batch', too"));
    EXPECT_THAT(refusalOf(kPlanStudy, R"("objectives": ["step_time_s"], "variables": [
        {"name": "a", "field": "fleet.levels[0].bandwidth_bytes_per_s", "values": [1e9]},
        {"name": "b", "field": "fleet.groups[0].levels[NVSwitch].bandwidth_bytes_per_s", "values": [1e9]}])"),
                HasSubstr("another variable sets"));
}

TEST(ExplorationRefuses, ametricThatNoPointHas) {
    const std::string variables = R"("variables": [{"parameter": "pes", "values": [64, 256]}], "method": "grid", )";
    EXPECT_EQ(refusalOf(kCostStudy, variables + R"("objectives": ["cycle"])"),
              "there is no metric 'cycle'; did you mean 'cycles'?");
    EXPECT_EQ(refusalOf(kCostStudy, variables + R"("objectives": ["macs"])"),
              "neither less nor more of 'macs' is better by itself; give macs:min or macs:max");
    EXPECT_THAT(refusalOf(kCostStudy, variables + R"("objectives": ["cycles"], "constraints": ["energy_j <= 3 GB"])"),
                HasSubstr("the constraint on 'energy_j' is '3 GB'"));
    EXPECT_THAT(
        refusalOf(R"({"engine": "cost", "workloads": ["gone.json"]})", variables + R"("objectives": ["cycles"])"),
        HasSubstr("gone.json"));
    EXPECT_THAT(
        refusalOf(
            kCostStudy,
            R"("objectives": ["cycles", "energy_j"], "method": "cmaes", "variables": [{"parameter": "pes", "low": 1, "high": 9}])"),
        HasSubstr("objective"));
}

TEST(Exploration, goesOnWhereSomePointsLackAMetric) {
    // Accelerators without a price, the first 24 points among them.
    const char* const variables = R"("objectives": ["training_cost_usd"], "method": "grid",
        "variables": [{"name": "accelerator", "input": "hardware", "values": ["v100-pcie", "a30", "a100"]},
                      {"name": "size", "parameter": "batch", "values": [1, 2, 4, 8, 16, 32]}, {"parameter": "devices", "values": [1, 2]}])";
    constexpr const char* kPriced =
        R"({"engine": "predict", "models": ["zoo:lenet5"], "hardware": ["a100"], "parameters": {"samples": 60000}})";
    const Result result = run(exploring(kPriced, variables));
    const ExplorationOutcome& outcome = explored(result);
    ASSERT_EQ(outcome.points.size(), 36U);
    EXPECT_EQ(outcome.feasible(), 12);
    EXPECT_EQ(outcome.points.front().fault, PointFault::infeasible);
    EXPECT_EQ(outcome.points.front().reason, "there is no training_cost_usd here");
    ASSERT_EQ(outcome.reasons.size(), 1U);
    EXPECT_EQ(outcome.reasons.front().points, 24);
    // Without a number of samples no point has it.
    EXPECT_THAT(refusalOf(R"({"engine": "predict", "models": ["zoo:lenet5"], "hardware": ["v100"]})", variables),
                HasSubstr("there is no metric 'training_cost_usd'"));
}

TEST(ExplorationRefuses, aVariableOfTheNameOfAMetric) {
    EXPECT_EQ(refusalOf(kPredictStudy, R"("objectives": ["throughput_samples_per_s"], "method": "grid",
                                          "variables": [{"parameter": "batch", "values": [16, 64]}])"),
              "variable 'batch': the study has a metric of that name; expected another one, as its 'name' in a file or "
              "as NAME@batch=… of '--vary'");
    // Also where only the points have metrics, since the study as it is fits nowhere.
    EXPECT_THAT(
        refusalOf(
            R"({"engine": "plan", "models": ["zoo:llama2-70b"], "hardware": ["dgx-h100x8"], "parameters": {"global_batch": 8}})",
            R"("objectives": ["price_usd"], "method": "grid",
               "variables": [{"name": "step_time_s", "field": "accelerators.h100.memory[HBM3].capacity_bytes", "values": ["400 GB", "500 GB"]}])"),
        HasSubstr("variable 'step_time_s': the study has a metric of that name"));
}

TEST(ExplorationRefuses, pointsToBeginWithThatItsVariablesCannotBe) {
    const auto begin = [](const std::string& points) {
        return refusalOf(kCostStudy, R"("objectives": ["cycles"], "method": "list", "variables": [
            {"parameter": "pes", "low": 64, "high": 256, "step": 64},
            {"name": "flow", "parameter": "dataflow", "values": ["nvdla", "eyeriss"]}], "begin": )" +
                                         points);
    };
    const std::string good = R"([{"pes": 64, "flow": "nvdla"}, )";
    EXPECT_THAT(
        begin(good + R"({"pes": 0, "flow": "nvdla"}])"),
        testing::AllOf(HasSubstr("row 2 of the points to begin with: variable 'pes': 'pes' takes a whole number "
                                 "from 1 to "),
                       HasSubstr(", not '0'")));
    EXPECT_EQ(begin(good + R"({"pes": 100, "flow": "nvdla"}])"),
              "row 2 of the points to begin with: variable 'pes': it takes steps of 64 from 64, not '100'");
    EXPECT_EQ(begin(good + R"({"pes": 64, "flow": "tpu"}])"),
              "row 2 of the points to begin with: variable 'flow': 'dataflow' takes one of nvdla, eyeriss, not 'tpu'");
    EXPECT_EQ(begin(R"([{"pes": 64}])"), "row 1 of the points to begin with: it has no value of variable 'flow'");
    // Beyond the explored range, but what the parameter may be.
    EXPECT_EQ(begin(good + R"({"pes": "512", "flow": "eyeriss"}])"), "accepted");
    EXPECT_THAT(refusalOf(kPlanStudy, R"("objectives": ["step_time_s"], "method": "list",
        "variables": [{"name": "hbm", "field": "accelerators.h100.memory[HBM3].bandwidth_bytes_per_s", "low": "1 TB/s", "high": "2 TB/s"}],
        "begin": [{"hbm": "-1 TB/s"}])"),
                HasSubstr("row 1 of the points to begin with: variable 'hbm': "
                          "'accelerators.h100.memory[HBM3].bandwidth_bytes_per_s' takes a number above 0 B/s, not "
                          "'-1 TB/s'"));
}

TEST(ExplorationRefuses, whatItsMethodCannotDoBeforeAnythingRuns) {
    const auto problemsOf = [](const std::string& how) {
        const Study study = exploring(kCostStudy, R"("objectives": ["cycles"], "variables": [
            {"parameter": "pes", "low": 16, "high": 1024}, {"parameter": "offchip_bandwidth", "low": 2, "high": 64}], )" +
                                                      how);
        RunContext context;
        bool hasBegun = false;
        context.progress = [&](const ProgressEvent& event) { hasBegun = hasBegun || event.task == "exploring"; };
        EXPECT_THROW(run(study, context), UsageError) << how;
        EXPECT_FALSE(hasBegun) << how;
        return joined(estimate(study).problems, "; ");
    };
    EXPECT_THAT(problemsOf(R"("method": "grid", "points": 100)"), HasSubstr("the grid has"));
    EXPECT_THAT(problemsOf(R"("method": "list")"), HasSubstr("the list has no points"));
    EXPECT_THAT(problemsOf(R"("method": "morris", "points": 2)"), HasSubstr("3 points for each trajectory"));
    EXPECT_THAT(problemsOf(R"("method": "sobol-indices", "points": 3)"), HasSubstr("4 points for each row"));
}

TEST(ExplorationRefuses, aFieldOfTwoFilesOfOneName) {
    const test::ScratchFolder folder;
    writeFile(folder / "h100.json", readFile(test::sourcePath("data/accelerators/h100.json")));
    const std::string study =
        fmt::format(R"({{"engine": "predict", "models": ["zoo:lenet5"], "hardware": ["h100", "{}"]}})",
                    (folder / "h100.json").string());
    EXPECT_THAT(
        refusalOf(
            study.c_str(),
            R"("objectives": ["throughput_samples_per_s"], "variables": [{"name": "hbm", "field": "accelerators.h100.memory[HBM3].bandwidth_bytes_per_s", "values": [1e12]}])"),
        testing::AllOf(HasSubstr("is one of '"), HasSubstr((folder / "h100.json").string()),
                       HasSubstr("expected files of different names")));
}

// What is found once an exploration runs names the line of the file that it was loaded from --------------------------

class ExplorationLines : public testing::Test {
protected:
    /// What is said of a file with these lines behind those of the schema and the study.
    std::string refusalOfFile(const std::string& rest, const char* study = kCostStudy) const {
        writeFile(path_, fmt::format("{{\"schema\": \"tessera.exploration/1\", \"study\":\n{},\n{}}}\n",
                                     joinedLines(study), rest));
        try {
            run(loadStudy(path_));
        } catch (const DataError& error) {
            EXPECT_EQ(error.place.file, path_);
            const std::string text = error.what();
            return text.starts_with(path_ + ":") ? text.substr(path_.size() + 1) : text;
        } catch (const std::exception& error) {
            return fmt::format("without a line: {}", error.what());
        }
        return "accepted";
    }
    /// On one line, the file's second.
    static std::string joinedLines(std::string text) {
        std::replace(text.begin(), text.end(), '\n', ' ');
        return text;
    }

    test::ScratchFolder folder_;
    const std::string path_ = (folder_ / "x.json").string();
};

TEST_F(ExplorationLines, ofVariables) {
    EXPECT_THAT(refusalOfFile(R"("objectives": ["cycles"], "variables": [
{"parameter": "pes", "low": 16, "high": 64},
{"name": "links",
 "parameter": "noc_bandwith",
 "low": 1, "high": 2}])"),
                StartsWith("6: variable 'links': engine 'cost' has no parameter 'noc_bandwith'; did you mean"));
    EXPECT_THAT(refusalOfFile(R"("objectives": ["cycles"], "variables": [{"parameter": "pes",
"low": 16,
"high": "64 GB"}])"),
                StartsWith("5: variable 'pes': 'pes' takes a whole number from 1 to "));
    EXPECT_EQ(refusalOfFile(R"("objectives": ["cycles"], "variables": [{"parameter": "pes",
"low": 64,
"high": 64}])"),
              "5: variable 'pes': 'high' is 64; expected more than 'low', 64");
    EXPECT_THAT(refusalOfFile(R"("objectives": ["step_time_s"], "variables": [
{"parameter": "parallelism",
 "values": ["data",
            "modell"]}])",
                              kPredictStudy),
                StartsWith("5: field 'variables[0].values' is 'modell'; expected one of "));
    EXPECT_THAT(refusalOfFile(R"("objectives": ["cycles"], "variables": [
"pes=16..64",
"noc_bandwidth=0..4"])"),
                StartsWith("5: variable 'noc_bandwidth': 'noc_bandwidth' takes "))
        << "a line of text is an entry";
    EXPECT_THAT(refusalOfFile(R"("objectives": ["cycles"], "variables": [
{"name": "a", "parameter": "pes", "low": 16, "high": 64},
{"name": "a", "parameter": "noc_bandwidth", "low": 16, "high": 64}])"),
                StartsWith("5: variable 'a': another variable has that name, too"));
    EXPECT_THAT(refusalOfFile(R"("objectives": ["cycles"], "variables": [
{"parameter": "pes", "low": 16, "high": 64},
{"name": "twice",
 "formula": "2 * pez"}])"),
                StartsWith("6: formula of variable 'twice'"));
}

TEST_F(ExplorationLines, ofFieldsOfHardware) {
    EXPECT_THAT(
        refusalOfFile(R"("objectives": ["step_time_s"], "variables": [
{"name": "hbm",
 "field": "accelerators.h100.memory[HBM3].bandwith_bytes_per_s", "low": 1e12, "high": 2e12}])",
                      kPlanStudy),
        StartsWith("5: the study's hardware has no field 'accelerators.h100.memory[HBM3].bandwith_bytes_per_s"));
    EXPECT_THAT(refusalOfFile(R"("objectives": ["step_time_s"], "variables": [
{"name": "hbm", "field": "accelerators.h100.memory[HBM3].bandwidth_bytes_per_s",
 "low": "1 TB", "high": "2 TB/s"}])",
                              kPlanStudy),
                StartsWith("5: variable 'hbm': "))
        << "a wrong unit";
}

TEST_F(ExplorationLines, ofObjectivesAndConstraints) {
    const std::string variables = R"("variables": [{"parameter": "pes", "low": 192, "high": 256}], "points": 4,)";
    EXPECT_THAT(refusalOfFile(variables + R"(
"objectives": ["cycles",
               "joules"])"),
                StartsWith("5: there is no metric 'joules'; "));
    EXPECT_THAT(refusalOfFile(variables + R"(
"objectives": ["cycles"], "constraints": [
  "energy_j <= 5",
  {"metric": "cycle",
   "max": 3}])"),
                StartsWith("6: there is no metric 'cycle'; did you mean"));
    EXPECT_THAT(refusalOfFile(variables + R"(
"objectives": ["cycles"],
"constraints": ["cycles <= 1e9",
"cycles <= 5 W"])"),
                StartsWith("6: the constraint on 'cycles' is '5 W'; expected a number"));
}

TEST_F(ExplorationLines, ofMethodsAndPointsToBeginWith) {
    const std::string whole = R"("objectives": ["cycles", "energy_j"],
"variables": [{"parameter": "pes", "low": 16, "high": 64}],)";
    EXPECT_THAT(refusalOfFile(whole + R"(
"method": "cmaes")"),
                StartsWith("5: the method cmaes takes at most 1 objective; "));
    EXPECT_THAT(refusalOfFile(whole + R"( "method": "list", "begin": [{"pes": 16},
{"pes": 0}])"),
                StartsWith("5: row 2 of the points to begin with: variable 'pes': "));
}

/// What does not stand in the file as the exploration has it, has no line of it.
TEST_F(ExplorationLines, areThoseOfWhatTheFileSays) {
    writeFile(path_, fmt::format(R"({{"schema": "tessera.exploration/1", "study": {},
"variables": [{{"parameter": "pes", "low": 16, "high": 64}}], "objectives": ["cycles"], "points": 4}})",
                                 kCostStudy));
    Study study = loadStudy(path_);
    study.parameters["objectives"] = Json::parse(R"([{"metric": "joules"}])");
    EXPECT_THAT(refusalOf(study), StartsWith("there is no metric 'joules'"));
    study = loadStudy(path_);
    study.parameters["variables"][0]["high"] = 8;
    EXPECT_THAT(refusalOf(study), StartsWith("variable 'pes': 'high' is 8"));
    EXPECT_EQ(loadStudy(path_), readStudy(JsonDocument::load(path_).root()))
        << "where it came from is not of its value";
    // Those of points, which are results, name no file.
    writeFile(path_, fmt::format(R"({{"schema": "tessera.exploration/1", "study": {},
"variables": [{{"parameter": "pes", "low": 16, "high": 64}},
              {{"name": "noc", "parameter": "noc_bandwidth", "formula": "pes - 40"}}],
"objectives": ["cycles"], "method": "grid"}})",
                                 kCostStudy));
    const Result result = run(loadStudy(path_));
    EXPECT_EQ(bytesOf(result).find(path_), std::string::npos);
    EXPECT_EQ(explored(result).points.front().fault, PointFault::broken);
}

// Points that are no solution -----------------------------------------------------------------------------------------

TEST(Exploration, keepsPointsThatAreNoSolutionWithTheReason) {
    const Result result = run(exploring(
        R"({"engine": "plan", "models": ["zoo:llama2-7b"], "hardware": ["dgx-h100x8"], "parameters": {"global_batch": 64}})",
        R"("method": "grid", "objectives": ["step_time_s"], "constraints": ["step_time_s <= 10 s"],
           "variables": [{"name": "memory", "field": "accelerators.h100.memory[HBM3].capacity_bytes", "values": ["1 GB", "80 GB"]},
                         {"name": "count", "field": "fleet.groups[0].count", "values": [3, 8]},
                         {"parameter": "sequence", "values": [4096, 65536]}])"));
    const ExplorationOutcome& outcome = explored(result);
    ASSERT_EQ(outcome.points.size(), 8U);
    std::map<PointFault, int> faults;
    for (const ExploredPoint& point : outcome.points) {
        ++faults[point.fault];
        EXPECT_EQ(point.isFeasible(), point.reason.empty());
        if (point.fault == PointFault::broken) {
            EXPECT_THAT(point.reason, HasSubstr("sizes whose product"));
        }
        if (point.fault == PointFault::constraint) {
            EXPECT_THAT(point.reason, HasSubstr("step_time_s is"));
            EXPECT_GT(point.violation, 0);
            EXPECT_NEAR(point.violation, outcome.valueOf(point, "step_time_s") / 10 - 1, 1e-9);
        }
        if (point.fault == PointFault::infeasible) {
            EXPECT_THAT(point.reason, HasSubstr("fits"));
        }
    }
    EXPECT_EQ(faults[PointFault::broken], 4) << "three accelerators are no nodes of eight";
    EXPECT_EQ(faults[PointFault::infeasible], 2);
    EXPECT_EQ(faults[PointFault::constraint], 1);
    std::int64_t counted = 0;
    for (const CountedReason& reason : outcome.reasons) counted += reason.points;
    EXPECT_EQ(counted, 7);
    EXPECT_EQ(outcome.reasons.front().points, 4);
    EXPECT_THAT(result.warnings.front(), HasSubstr("4 points could not be evaluated"));
    const explore::PointTable table = pointTableOf(outcome);
    ASSERT_EQ(table.size(), 9U) << "and the study as it is";
    EXPECT_TRUE(table.marks.back() & explore::kBaseline);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(table.isFeasible(i), outcome.points[i].isFeasible());
}

TEST(Exploration, withoutASolutionSaysSo) {
    const Result result =
        run(exploring(kCostStudy, R"("objectives": ["cycles"], "constraints": ["cycles <= 1"], "method": "grid",
        "variables": [{"parameter": "pes", "values": [64, 256]}])"));
    EXPECT_EQ(engineOf(result).misfit(result),
              "none of 2 points is a solution that keeps the constraints: cycles is above 1 cycles");
    EXPECT_EQ(headline(result), engineOf(result).misfit(result));
    EXPECT_FALSE(explored(result).chosen);
    EXPECT_EQ(bytesOf(readResult(JsonDocument::parse(bytesOf(result), "r.json").root(), result.study)),
              bytesOf(result));
}

TEST(Exploration, holdsTheStudyAsItIsToTheConstraints) {
    const auto baselineOf = [](const std::string& constraint) {
        return explored(run(exploring(kCostStudy, R"("objectives": ["cycles"], "method": "grid",
            "variables": [{"parameter": "pes", "values": [64, 1024]}], "constraints": [)" +
                                                      constraint + "]")));
    };
    const ExplorationOutcome beyond = baselineOf(R"("pes <= 128")");
    ASSERT_TRUE(beyond.baseline);
    EXPECT_EQ(beyond.baseline->fault, PointFault::constraint);
    EXPECT_DOUBLE_EQ(beyond.baseline->violation, 1) << "it has 256";
    EXPECT_EQ(beyond.baseline->reason, "pes is 256, above 128");
    const explore::PointTable table = pointTableOf(beyond);
    EXPECT_EQ(table.reasons.back(), "pes is 256, above 128");
    const ExplorationOutcome within = baselineOf(R"("pes <= 256")");
    EXPECT_TRUE(within.baseline->isFeasible());
}

TEST(Exploration, isAResultWhereItsStudyWorksAndNoPointDoes) {
    const Result result = run(exploring(kPlanStudy, R"("method": "grid", "objectives": ["step_time_s"],
        "variables": [{"name": "count", "field": "fleet.groups[0].count", "values": [3, 5, 7]}])"));
    const ExplorationOutcome& outcome = explored(result);
    ASSERT_EQ(outcome.points.size(), 3U);
    EXPECT_EQ(outcome.feasible(), 0);
    ASSERT_EQ(outcome.objectives.size(), 1U);
    EXPECT_EQ(outcome.objectives.front().goal, Goal::min);
    ASSERT_FALSE(outcome.reasons.empty());
    EXPECT_EQ(outcome.reasons.front().fault, PointFault::broken);
    EXPECT_THAT(headline(result), HasSubstr("none of 3 points is a solution"));
    EXPECT_THAT(result.warnings.front(), HasSubstr("3 points could not be evaluated"));
    const std::string bytes = bytesOf(result);
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(bytes), "exploration-result.schema.json"), "");
    EXPECT_EQ(bytesOf(readResult(JsonDocument::parse(bytes, "r.json").root(), result.study)), bytes);
}

TEST(Exploration, keepsAPointWhoseFormulaHasNoValue) {
    const Result result = run(exploring(kCostStudy, R"text("objectives": ["cycles"], "method": "grid",
        "variables": [{"parameter": "pes", "values": [64, 256]}, {"name": "odd", "formula": "1 / (pes - 64)"}])text"));
    const ExplorationOutcome& outcome = explored(result);
    ASSERT_EQ(outcome.points.size(), 2U);
    ASSERT_EQ(outcome.points[0].values.size(), 2U);
    EXPECT_EQ(outcome.points[0].values[0], 64);
    EXPECT_TRUE(std::isnan(outcome.points[0].values[1]));
    EXPECT_EQ(outcome.points[0].fault, PointFault::broken);
    EXPECT_EQ(outcome.points[0].reason, "variable 'odd': '1 / (pes - 64)' has no value here");
    EXPECT_TRUE(outcome.points[1].isFeasible());
    EXPECT_EQ(outcome.points[1].values[1], 1.0 / 192);
    EXPECT_EQ(outcome.baseline->valueOf(1), 1.0 / 192);
    EXPECT_EQ(bytesOf(readResult(JsonDocument::parse(bytesOf(result), "r.json").root(), result.study)),
              bytesOf(result));
    const test::ScratchFolder folder;
    EXPECT_THROW(pointStudyFiles(result, 0, folder / "p.json"), UsageError);
}

// How it ends ---------------------------------------------------------------------------------------------------------

TEST(Exploration, endsWhenNothingIsGainedAnyMore) {
    const std::string rest =
        R"("variables": [{"parameter": "pes", "low": 16, "high": 4096}], "objectives": ["cycles"], "method": "random", "points": 500, "seed": 5)";
    const Result ended = run(exploring(kCostStudy, rest + R"(, "stop_after": 20)"));
    const ExplorationOutcome& outcome = explored(ended);
    EXPECT_EQ(outcome.ended, EndedBy::search);
    EXPECT_LT(outcome.points.size(), 500U);
    // The last gain lies as many points before the end.
    const std::size_t best = *outcome.best(outcome.objectives.front());
    EXPECT_GE(outcome.points.size() - (best + 1), 20U);
    const ExplorationOutcome whole = explored(run(exploring(kCostStudy, rest)));
    for (std::size_t i = 0; i < outcome.points.size(); ++i) EXPECT_EQ(outcome.points[i].values, whole.points[i].values);
}

TEST(Exploration, isCancelledWithinATenthOfASecond) {
    for (const int after : {0, 5, 50, 200}) {
        std::stop_source cancel;
        std::atomic<double> asked{0};
        const clockid_t working = test::workClockOfThisThread();
        std::jthread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(after));
            asked = test::workMilliseconds(working);
            cancel.request_stop();
        });
        RunContext context;
        context.cancel = cancel.get_token();
        context.threads = 1;
        EXPECT_THROW(run(longExploration(), context), InterruptedError);
        EXPECT_LT(test::workMilliseconds() - asked, 100 * test::kSlowerBuild) << after;
    }
}

TEST(Exploration, isFinishedWithWhatItHas) {
    std::stop_source finish;
    RunContext context;
    context.finish = finish.get_token();
    context.threads = 2;
    std::atomic<double> most{0};
    context.progress = [&](const ProgressEvent& event) {
        most = std::max(most.load(), event.done);
        if (event.done >= 20) finish.request_stop();
    };
    const Result result = run(longExploration(), context);
    const ExplorationOutcome& outcome = explored(result);
    EXPECT_EQ(outcome.ended, EndedBy::stop);
    EXPECT_GE(outcome.points.size(), 20U);
    EXPECT_LT(outcome.points.size(), 100000U);
    EXPECT_TRUE(outcome.chosen);
    EXPECT_THAT(headline(result), HasSubstr("stopped"));
}

TEST(Exploration, keepsResultsWhileItGoesUntilItIsToFinish) {
    for (const char* which : {"all", "front"}) {
        Study study = longExploration();
        setParameter(study, "keep", {which});
        std::stop_source finish;
        RunContext context;
        context.finish = finish.get_token();
        context.threads = 2;
        context.progress = [&](const ProgressEvent& event) {
            if (event.done >= 5) finish.request_stop();
        };
        const Result result = run(study, context);
        const ExplorationOutcome& outcome = explored(result);
        ASSERT_GT(outcome.feasible(), 0);
        if (std::string_view(which) == "all") {
            // What was computed is there, and nothing is computed again.
            EXPECT_EQ(outcome.kept.size(), static_cast<std::size_t>(outcome.feasible()));
            EXPECT_THAT(result.warnings, testing::IsEmpty());
            for (const KeptPoint& kept : outcome.kept) {
                const JsonDocument document = documentOf(*kept.document, "kept");
                EXPECT_EQ(metricOf(readResult(document.root(), newStudy("predict")), "throughput_samples_per_s"),
                          outcome.valueOf(outcome.points[kept.point], "throughput_samples_per_s"));
            }
        } else {
            EXPECT_TRUE(outcome.kept.empty());
            EXPECT_THAT(result.warnings,
                        testing::Contains(HasSubstr("not kept whole, since the exploration was stopped")));
        }
    }
}

TEST(Exploration, isDoneWhereItsMethodHasAllPoints) {
    const auto endOf = [](const std::string& how) {
        return explored(run(exploring(kCostStudy, R"("objectives": ["cycles"], )" + how))).ended;
    };
    const std::string listed = R"("variables": [{"parameter": "pes", "values": [16, 64, 256, 1024]}], )";
    const std::string ranged = R"("variables": [{"parameter": "pes", "low": 16, "high": 1024}], )";
    EXPECT_EQ(endOf(listed + R"("method": "grid", "points": 4)"), EndedBy::done);
    EXPECT_EQ(endOf(listed + R"("method": "random", "points": 4)"), EndedBy::done);
    EXPECT_EQ(endOf(listed + R"("method": "random", "points": 3)"), EndedBy::samples);
    EXPECT_EQ(endOf(listed + R"("method": "list", "points": 2, "begin": [{"pes": 16}, {"pes": 64}])"), EndedBy::done);
    EXPECT_EQ(endOf(ranged + R"("method": "random", "points": 4)"), EndedBy::samples);
}

TEST(Exploration, tellsOfPointsAndOfTheHypervolumeAsTheyCome) {
    std::vector<double> hypervolume;
    double done = 0, total = 0;
    RunContext context;
    context.threads = 1;
    std::vector<explore::PointTable> told;
    context.evaluated = [&](explore::PointTable points) { told.push_back(std::move(points)); };
    context.progress = [&](const ProgressEvent& event) {
        if (event.kind == ProgressEvent::Kind::incumbent) {
            EXPECT_EQ(event.curve.quantity, "hypervolume");
            EXPECT_EQ(event.curve.role, CurveRole::best);
            hypervolume.push_back(event.y);
        }
        if (event.task != "exploring") return;
        EXPECT_GE(event.done, done);
        done = event.done;
        total = std::max(total, event.total);
    };
    const Result result = run(exploring(kCostStudy, kTwoObjectives), context);
    EXPECT_EQ(total, 60);
    // On one thread the points come in their order.
    const explore::PointTable all = pointTableOf(explored(result));
    std::size_t next = 0;
    for (const explore::PointTable& some : told) {
        ASSERT_EQ(some.columns.size(), all.columns.size());
        for (std::size_t i = 0; i < some.columns.size(); ++i) {
            EXPECT_EQ(some.columns[i].id, all.columns[i].id);
            EXPECT_EQ(some.columns[i].role, all.columns[i].role);
            for (std::size_t point = 0; point < some.size(); ++point)
                EXPECT_EQ(exactNumber(some.columns[i].values[point]), exactNumber(all.columns[i].values[next + point]));
        }
        next += some.size();
    }
    EXPECT_EQ(next, explored(result).points.size());
    ASSERT_FALSE(hypervolume.empty());
    EXPECT_TRUE(std::is_sorted(hypervolume.begin(), hypervolume.end()));
    // What is told last is the hypervolume of all solutions up to the worst values of the first ones, over theirs.
    const ExplorationOutcome& outcome = explored(result);
    std::vector<std::vector<double>> solutions;
    for (const ExploredPoint& point : outcome.points)
        if (point.isFeasible())
            solutions.push_back({outcome.valueOf(point, "cycles"), outcome.valueOf(point, "energy_j")});
    constexpr std::size_t kFirst = 16;
    ASSERT_GT(solutions.size(), kFirst);
    std::vector<double> worst = solutions.front();
    for (std::size_t i = 0; i < kFirst; ++i)
        for (std::size_t k = 0; k < 2; ++k) worst[k] = std::max(worst[k], solutions[i][k]);
    const auto volumeOf = [&](std::size_t count) {
        std::vector<double> rows;
        for (std::size_t i = 0; i < count; ++i) rows.insert(rows.end(), solutions[i].begin(), solutions[i].end());
        return explore::hypervolume(rows, 2, worst);
    };
    const double expected = volumeOf(solutions.size()) / volumeOf(kFirst);
    EXPECT_GT(expected, 1) << "the search finds better ones than the first";
    EXPECT_NEAR(hypervolume.back(), expected, 1e-5 * expected);
}

TEST(Exploration, tellsOfTheHypervolumeOfFewObjectivesAlone) {
    const auto toldOf = [](const std::string& objectives) {
        std::atomic<int> told{0};
        RunContext context;
        context.progress = [&](const ProgressEvent& event) {
            if (event.kind == ProgressEvent::Kind::incumbent) ++told;
        };
        run(exploring(kCostStudy, R"("variables": [{"parameter": "pes", "low": 16, "high": 4096, "scale": "log"},
            {"parameter": "offchip_bandwidth", "low": 2, "high": 128}], "method": "random", "points": 40, "objectives": )" +
                                      objectives),
            context);
        return told.load();
    };
    EXPECT_GT(toldOf(R"(["cycles", "energy_j", "pes:min", "offchip_bandwidth:min"])"), 0);
    EXPECT_EQ(toldOf(R"(["cycles", "energy_j", "pes:min", "offchip_bandwidth:min", "utilisation"])"), 0)
        << "five would hold up the points";
}

// Its study -----------------------------------------------------------------------------------------------------------

TEST(ExplorationStudy, comesBackEqualAndHasAHash) {
    const Study study = exploring(kCostStudy, kTwoObjectives);
    const Study again = readStudy(JsonDocument::parse(toText(toJson(study)), "s.json").root());
    EXPECT_EQ(again, study);
    EXPECT_EQ(contentHash(again), contentHash(study));
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(toJson(study).dump()), "study.schema.json"), "");
    Study other = study;
    setParameter(other, "points", {"61"});
    EXPECT_NE(contentHash(other), contentHash(study));
    other = study;
    other.name = "renamed";
    other.seed = 9;
    EXPECT_EQ(contentHash(other), contentHash(study));
    EXPECT_EQ(titleOf(study), "Exploration of lenet5");
}

TEST(ExplorationStudy, findsFilesBesideIts) {
    const test::ScratchFolder folder;
    writeFile(folder / "mine.json", readFile(test::sourcePath("data/fleets/dgx-h100x8.json")));
    writeFile(folder / "x.json", R"({"schema": "tessera.exploration/1",
        "study": {"engine": "plan", "models": ["zoo:llama2-7b"], "hardware": ["mine.json"], "parameters": {"global_batch": 8}},
        "variables": [{"input": "hardware", "values": ["mine.json", "dgx-a100x8"]}], "objectives": ["step_time_s"], "method": "grid"})");
    const Study study = loadStudy((folder / "x.json").string());
    EXPECT_EQ(baseOf(study).hardware.front(), (folder / "mine.json").string());
    const Result result = run(study);
    EXPECT_EQ(explored(result).points.size(), 2U);
    std::set<std::string> names;
    for (const Input& input : result.inputs) names.insert(input.name);
    EXPECT_TRUE(names.contains((folder / "mine.json").string()));
    EXPECT_TRUE(names.contains("dgx-a100x8"));
    EXPECT_TRUE(names.contains("zoo:llama2-7b"));
}

TEST(ExplorationStudy, restsOnFilesThatItsParametersName) {
    const test::ScratchFolder folder;
    writeFile(folder / "mine.m", readFile(test::sourcePath("data/dataflows/eyeriss.m")));
    writeFile(folder / "x.json", R"({"schema": "tessera.exploration/1",
        "study": {"engine": "cost", "workloads": ["zoo:lenet5"]},
        "variables": [{"parameter": "dataflow", "values": ["nvdla", "mine.m"]}], "objectives": ["cycles"], "method": "grid"})");
    const Study study = loadStudy((folder / "x.json").string());
    EXPECT_EQ(spaceOf(study).variables().front().words.back(), (folder / "mine.m").string());
    Json state;
    RunContext context;
    context.checkpoint = [&](const Json& now) { state = now; };
    const Result result = run(study, context);
    EXPECT_EQ(explored(result).feasible(), 2);
    const auto isFile = [&](const Input& input) { return input.name == (folder / "mine.m").string(); };
    EXPECT_TRUE(std::any_of(result.inputs.begin(), result.inputs.end(), isFile));
    // Points of another file are not mixed with those of before.
    writeFile(folder / "mine.m", readFile(test::sourcePath("data/dataflows/shidiannao.m")));
    RunContext again;
    again.resume = state;
    EXPECT_THROW(run(study, again), DataError);
}

TEST(ExplorationStudy, bundledOnesFindSolutionsOnAFront) {
    int explorations = 0;
    for (const auto& [name, title] : bundledStudies()) {
        const Study study = loadStudy(name);
        if (engineNamed(study.engine).inner == nullptr) continue;
        ++explorations;
        EXPECT_EQ(estimate(study).problems, std::vector<std::string>()) << name;
        Study fewer = study;
        setParameter(fewer, "points", {"8"});
        setParameter(fewer, "method", {"random"});
        const Result result = run(fewer);
        const ExplorationOutcome& outcome = explored(result);
        EXPECT_GT(outcome.feasible(), 0) << name;
        // The front is that of a comparison of all with all, and objectives differ.
        for (const ExploredObjective& objective : outcome.objectives) {
            std::set<double> values;
            for (const ExploredPoint& point : outcome.points)
                if (point.isFeasible()) values.insert(outcome.valueOf(point, objective.id));
            EXPECT_GT(values.size(), 1U) << name << " " << objective.id;
        }
        const std::vector<bool> onFront = outcome.onFront();
        for (std::size_t a = 0; a < outcome.points.size(); ++a) {
            const auto beats = [&](const ExploredPoint& other) {
                bool isBetter = false;
                for (const ExploredObjective& objective : outcome.objectives) {
                    const double its = objective.asLess(outcome.valueOf(other, objective.id)),
                                 mine = objective.asLess(outcome.valueOf(outcome.points[a], objective.id));
                    if (its > mine) return false;
                    isBetter = isBetter || its < mine;
                }
                return other.isFeasible() && isBetter;
            };
            const bool isBeaten = std::any_of(outcome.points.begin(), outcome.points.end(), beats);
            EXPECT_EQ(onFront[a], outcome.points[a].isFeasible() && !isBeaten) << name << ", point " << a;
        }
        std::set<std::string> ids;
        for (const explore::PointColumn& column : pointTableOf(outcome).columns)
            EXPECT_TRUE(ids.insert(column.id).second) << name << " has two columns " << column.id;
    }
    EXPECT_GE(explorations, 4);
}

TEST(ExplorationStudy, ofThePriceOfMemoryAndLinksKnowsWhatAnH100Costs) {
    const ExploredSpace space = spaceOf(loadStudy("hbm-nvlink-price"));
    const std::vector<double> own = space.ownValues();
    ASSERT_EQ(space.variables()[2].name, "price");
    EXPECT_THAT(space.variables()[2].help, HasSubstr("assumptions"));
    EXPECT_NEAR(space.valuesAt({own[0], own[1]})[2], own[2], 1e-12);
    EXPECT_NEAR(space.valuesAt({own[0] + 1e12, own[1]})[2], own[2] + 0.35, 1e-12);
    EXPECT_NEAR(space.valuesAt({own[0], own[1] + 1e12})[2], own[2] + 0.6, 1e-12);
}

}  // namespace
}  // namespace tessera::study

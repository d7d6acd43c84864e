// The co-design search: every point of small templates without bounds, all searches, threads, resumption and errors.
#include "core/codesign/search/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/elementary.h"
#include "core/base/error.h"
#include "core/codesign/search/model_search.h"
#include "core/hardware/library.h"
#include "core/model/model.h"

using namespace tessera;
using namespace tessera::codesign;
using testing::HasSubstr;

namespace {

const Workload& workload(const std::string& name, const std::vector<std::int64_t>& degrees = {}) {
    static std::map<std::pair<std::string, std::vector<std::int64_t>>, Workload> known;
    const auto found = known.find({name, degrees});
    if (found != known.end()) return found->second;
    WorkloadOptions options;
    options.microBatches = {1, 4};
    options.degrees = degrees;
    return known.emplace(std::pair(name, degrees), loadWorkload(name, options)).first->second;
}

/// Some values of PHAZE's template for each parameter.
hardware::Template smallTemplate(std::uint32_t seed) {
    std::mt19937 random(seed);
    hardware::Template space = hardware::loadTemplate("phaze");
    const auto some = [&](hardware::Range& range, std::size_t count) {
        std::shuffle(range.values.begin(), range.values.end(), random);
        range.values.resize(std::min(range.values.size(), count));
        std::sort(range.values.begin(), range.values.end());
    };
    some(space.tensorCores, 3);
    some(space.vectorCores, 3);
    some(space.width, 2);
    some(space.height, 2);
    some(space.globalBuffer, 2);
    some(space.hbm, 2);
    return space;
}

constexpr std::int64_t kStates = 30'000;

Options smallOptions(Objective objective) {
    Options options;
    options.accelerators = 16;
    options.globalBatch = 64;
    options.objective = objective;
    options.scheduleStates = kStates;
    return options;
}

SearchControl onThreads(unsigned threads) {
    return {{.threads = threads}};
}

/// The same with few accelerators, each of them with several bandwidths, those of the HBM at a price or both of them
/// free.
hardware::Template bandwidthTemplate(std::uint32_t seed, bool priced) {
    hardware::Template space = smallTemplate(seed);
    space.tensorCores.values.resize(2);
    space.vectorCores.values.resize(2);
    space.hbmBandwidth.values = {300'000'000'000, 1'200'000'000'000, 2'400'000'000'000};
    space.networkBandwidth.values = {20'000'000'000, 300'000'000'000};
    if (priced)
        space.hbmInterface = hardware::Interface{"stack", BytesPerSecond{300e9}, SquareMillimetres{10}, Watts{9}};
    return space;
}

/// The best throughput of a model on an architecture: every micro-batch, width and recomputation, no bounds.
double bruteForce(const ModelSearch& model, const hardware::Architecture& architecture, Bytes hbm) {
    double best = 0;
    for (const Slice& slice : model.workload().slices)
        for (const bool recompute : {false, true}) {
            const PlacementProblem problem =
                model.problem(architecture, hbm, {slice.microBatch, recompute}, slice.degree, kStates, {});
            const Placement placement = model.placer().place(problem);
            if (placement.plan) best = std::max(best, model.throughputOf(placement.plan->timePerBatch));
        }
    return best;
}

struct AreaAndObjective {
    double area = 0, objective = 0;
};

double objectiveOf(Objective objective, const std::vector<double>& throughputs, const std::vector<double>& reference) {
    double sum = 0, logs = 0, min = std::numeric_limits<double>::infinity();
    for (std::size_t m = 0; m < throughputs.size(); ++m) {
        if (throughputs[m] == 0) return 0;
        sum += throughputs[m];
        logs += std::log(throughputs[m] / reference[m]);
        min = std::min(min, throughputs[m] / reference[m]);
    }
    const auto count = static_cast<double>(throughputs.size());
    if (objective == Objective::mean) return sum / count;
    return objective == Objective::worst ? min : std::exp(logs / count);
}

std::vector<AreaAndObjective> bruteFront(const std::vector<Workload>& workloads, const hardware::Template& space,
                                         const Options& options) {
    Memos memos;
    std::vector<std::unique_ptr<ModelSearch>> models;
    for (const Workload& each : workloads)
        models.push_back(std::make_unique<ModelSearch>(each, space, options, memos, RunControl{}));
    const Bytes hbm{static_cast<double>(space.hbm.values.back())};
    std::vector<double> reference;
    for (const auto& model : models)
        reference.push_back(bruteForce(*model, hardware::architectureOf(space, *space.reference), hbm));
    for (double& each : reference)
        if (each == 0) each = 1;
    std::vector<AreaAndObjective> all;
    for (const hardware::Architecture& architecture : hardware::architectures(space)) {
        const SquareMillimetres area = hardware::areaOf(architecture, space).total();
        if (area > hardware::areaBound(space)) continue;
        std::vector<double> throughputs;
        for (const auto& model : models) throughputs.push_back(bruteForce(*model, architecture, hbm));
        all.push_back({area.value, objectiveOf(options.objective, throughputs, reference)});
    }
    std::sort(all.begin(), all.end(), [](const AreaAndObjective& a, const AreaAndObjective& b) {
        return a.area != b.area ? a.area < b.area : a.objective > b.objective;
    });
    std::vector<AreaAndObjective> front;
    for (const AreaAndObjective& each : all)
        if (each.objective > (front.empty() ? 0 : front.back().objective * (1 + 1e-12))) front.push_back(each);
    return front;
}

void expectSame(const Result& a, const Result& b) {
    EXPECT_EQ(a.best, b.best);
    EXPECT_EQ(a.front, b.front);
    EXPECT_EQ(a.perModel, b.perModel);
    EXPECT_EQ(a.evaluated, b.evaluated);
    EXPECT_EQ(a.trace, b.trace);
    EXPECT_EQ(a.baselines, b.baselines);
    EXPECT_EQ(a.explored, b.explored);
    EXPECT_EQ(a.skippedByBound, b.skippedByBound);
    EXPECT_EQ(a.bound, b.bound);
    EXPECT_EQ(a.endedBy, b.endedBy);
}

TEST(CodesignSearch, findsTheFrontThatEveryPointWithoutBoundsGives) {
    const std::vector<std::vector<Workload>> sets{{workload("zoo:bert-base")},
                                                  {workload("zoo:megatron-bert", {1, 2})},
                                                  {workload("zoo:bert-base"), workload("zoo:gpt2")}};
    std::uint32_t seed = 0;
    for (const std::vector<Workload>& workloads : sets)
        for (const Objective objective : {Objective::geomean, Objective::mean, Objective::worst}) {
            const hardware::Template space = smallTemplate(++seed);
            Options options = smallOptions(objective);
            options.estimator = seed % 2 == 0 ? "phaze" : "physical";
            const Result result = search(workloads, space, options);
            const std::vector<AreaAndObjective> expected = bruteFront(workloads, space, options);
            ASSERT_EQ(result.front.size(), expected.size()) << seed;
            for (std::size_t i = 0; i < expected.size(); ++i) {
                EXPECT_DOUBLE_EQ(result.front[i].area.value, expected[i].area) << seed;
                const double share = result.front[i].objective / expected[i].objective;
                EXPECT_LE(share, 1 + 1e-9) << seed;
                EXPECT_GE(share * (1 + result.frontGap), 1 - 1e-9) << seed;
            }
            EXPECT_EQ(result.explored + result.skippedByBound, result.points) << seed;
            if (expected.empty()) continue;
            ASSERT_TRUE(result.best) << seed;
            EXPECT_EQ(*result.best, result.front.back());
            EXPECT_NEAR(result.best->objective / expected.back().objective, 1, 1e-9) << seed;
            EXPECT_GE(result.bound, result.best->objective);
            EXPECT_LE(result.frontGap, 0.1) << seed;
        }
}

TEST(CodesignSearch, findsTheBestBandwidthsThatEveryPointGives) {
    std::size_t ruledOut = 0;
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
        const bool priced = seed != 2;
        const std::vector<Workload> workloads{seed == 3 ? workload("zoo:megatron-bert", {1, 2})
                                                        : workload("zoo:bert-base")};
        const hardware::Template space = bandwidthTemplate(20 + seed, priced);
        Options options = smallOptions(Objective::geomean);
        options.spotlight = false;
        const Result result = search(workloads, space, options);
        const std::vector<AreaAndObjective> expected = bruteFront(workloads, space, options);
        ASSERT_EQ(result.front.size(), expected.size()) << seed;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_DOUBLE_EQ(result.front[i].area.value, expected[i].area) << seed;
            EXPECT_NEAR(result.front[i].objective / expected[i].objective, 1, result.frontGap + 1e-9) << seed;
        }
        EXPECT_EQ(result.explored + result.skippedByBound, result.points) << seed;
        ruledOut += static_cast<std::size_t>(result.skippedByBound);
        if (expected.empty()) continue;
        // The same as the best of searches through one pair of bandwidths each.
        double best = 0, min = 1e300;
        for (const std::int64_t hbm : space.hbmBandwidth.values)
            for (const std::int64_t network : space.networkBandwidth.values) {
                hardware::Template one = space;
                one.hbmBandwidth.values = {hbm};
                one.networkBandwidth.values = {network};
                const Result single = search(workloads, one, options);
                if (!single.best) continue;
                best = std::max(best, single.best->objective);
                min = std::min(min, single.best->objective);
            }
        EXPECT_EQ(result.best->objective, best) << seed;
        EXPECT_LT(min, best) << "bandwidth matters";
        EXPECT_EQ(result.best->interfacePower.has_value(), priced);
        EXPECT_EQ(result.best->parts.hbmInterface.value > 0, priced);
    }
    EXPECT_GT(ruledOut, 0U);
}

TEST(CodesignSearch, takesTheLeastOfFreeBandwidthsThatIsAsGood) {
    // By PHAZE's assumptions the HBM's bandwidth decides nothing, and one slice needs little of the network.
    hardware::Template space = bandwidthTemplate(21, false);
    Options options = smallOptions(Objective::geomean);
    options.estimator = "phaze";
    const Result result = search({workload("zoo:bert-base")}, space, options);
    ASSERT_TRUE(result.best);
    EXPECT_EQ(result.best->architecture.hbmBandwidth, BytesPerSecond{300e9});
    for (const Point& point : result.front) EXPECT_EQ(point.architecture.hbmBandwidth, BytesPerSecond{300e9});
    // One value alone is that of the template or of the study.
    hardware::Template fixed = space;
    fixed.hbmBandwidth.values.clear();
    fixed.networkBandwidth.values.clear();
    options.estimator = "physical";
    const Result plain = search({workload("zoo:bert-base")}, fixed, options);
    fixed.hbmBandwidth.values = {static_cast<std::int64_t>(fixed.rates.hbmBandwidth.value)};
    fixed.networkBandwidth.values = {static_cast<std::int64_t>(options.bandwidth.value)};
    const Result given = search({workload("zoo:bert-base")}, fixed, options);
    ASSERT_EQ(plain.front.size(), given.front.size());
    for (std::size_t i = 0; i < plain.front.size(); ++i) {
        EXPECT_EQ(plain.front[i].objective, given.front[i].objective);
        EXPECT_EQ(plain.front[i].area, given.front[i].area);
    }
    EXPECT_EQ(plain.perModel, given.perModel);
    EXPECT_EQ(plain.explored, given.explored);
}

TEST(CodesignSearch, thePartsOfAResultAgree) {
    const std::vector<Workload> workloads{workload("zoo:megatron-bert", {1, 2})};
    const hardware::Template space = smallTemplate(7);
    const Options options = smallOptions(Objective::geomean);
    const Result result = search(workloads, space, options);
    ASSERT_TRUE(result.best);
    ASSERT_EQ(result.perModel.size(), 1U);
    const ModelResult& model = result.perModel[0];
    ASSERT_TRUE(model.feasible);
    EXPECT_NEAR(model.time.total().value / model.timePerBatch.value, 1, 1e-9);
    EXPECT_NEAR(model.throughput, 64 / model.timePerBatch.value, 1e-9 * model.throughput);
    EXPECT_GE(model.throughputBound, model.throughput);
    EXPECT_NEAR(model.throughput, result.best->throughput[0], 1e-9 * model.throughput);
    EXPECT_EQ(model.stages.size(), static_cast<std::size_t>(model.pipeline));
    EXPECT_LE(model.pipeline * model.data * model.tensorParallel, 16);
    std::size_t layers = 0;
    for (const StageResult& stage : model.stages) {
        layers += stage.layers.size();
        EXPECT_LE(stage.memory.total(), model.hbm);
        EXPECT_NEAR((stage.forward + stage.backward).value, stage.load.value, 1e-12);
    }
    EXPECT_EQ(layers, workloads[0].layers.size());
    EXPECT_GT(model.mfu, 0);
    EXPECT_LT(model.mfu, 1);
    ASSERT_TRUE(model.schedule);
    EXPECT_EQ(model.schedule->copies, 24);
    for (const PhaseSchedule* phase : {&model.schedule->forward, &model.schedule->backward}) {
        EXPECT_LE(phase->lowerBound, phase->makespan);
        EXPECT_LE(phase->makespan.value, phase->serial.value * (1 + 1e-12));
        EXPECT_FALSE(phase->operators.empty());
    }
    const PipelineSchedule pipeline = pipelineOf(model, 64);
    EXPECT_LE(pipeline.length.value, model.timePerBatch.value * (1 + 1e-9));
    for (std::size_t i = 1; i < pipeline.events.size(); ++i) {
        const PipelineEvent &before = pipeline.events[i - 1], &event = pipeline.events[i];
        EXPECT_TRUE(event.stage > before.stage || event.start.value >= before.finish.value - 1e-12) << i;
    }
    EXPECT_EQ(result.baselines[0].id, "tpuv4-expert");
    EXPECT_EQ(result.baselines[1].id, "tpuv4-solver");
    EXPECT_NEAR(result.baselines[1].point.objective, 1, 1e-12);
    ASSERT_TRUE(model.speedupOverSolver);
    EXPECT_NEAR(*model.speedupOverSolver, result.best->objective, 1e-9);
}

TEST(CodesignSearch, threadsChangeNothing) {
    const std::vector<Workload> workloads{workload("zoo:bert-base"), workload("zoo:gpt2")};
    for (const hardware::Template& space : {smallTemplate(11), bandwidthTemplate(11, true)})
        for (const SearchKind kind : {SearchKind::exhaustive, SearchKind::hysteresis, SearchKind::random}) {
            Options options = smallOptions(Objective::geomean);
            options.search = kind;
            options.samples = 40;
            const Result one = search(workloads, space, options, onThreads(1));
            expectSame(one, search(workloads, space, options, onThreads(2)));
        }
}

TEST(CodesignSearch, continuesToTheSameResult) {
    const std::vector<Workload> workloads{workload("zoo:bert-base")};
    const hardware::Template space = smallTemplate(13);
    for (const SearchKind kind : {SearchKind::exhaustive, SearchKind::hysteresis, SearchKind::random}) {
        Options options = smallOptions(Objective::mean);
        options.search = kind;
        options.samples = 40;
        std::vector<Progress> states;
        SearchControl control;
        control.checkpoint = [&](const Progress& progress) { states.push_back(progress); };
        const Result whole = search(workloads, space, options, control);
        ASSERT_FALSE(states.empty());
        for (const std::size_t at : {std::size_t{0}, states.size() / 2, states.size() - 1}) {
            SearchControl again;
            again.resume = states[at];
            expectSame(whole, search(workloads, space, options, again));
        }
    }
}

TEST(CodesignSearch, stopsAndFinishes) {
    const std::vector<Workload> workloads{workload("zoo:bert-base")};
    const hardware::Template space = smallTemplate(17);
    const Options options = smallOptions(Objective::geomean);
    std::stop_source cancelled;
    cancelled.request_stop();
    EXPECT_THROW(search(workloads, space, options, {{.cancel = cancelled.get_token()}}), InterruptedError);
    std::stop_source finished;
    SearchControl control;
    control.finish = finished.get_token();
    control.checkpoint = [&](const Progress&) { finished.request_stop(); };
    const Result part = search(workloads, space, options, control);
    EXPECT_EQ(part.endedBy, EndedBy::stop);
    EXPECT_FALSE(part.optimal);
    EXPECT_LT(part.explored + part.skippedByBound, part.points);
}

TEST(CodesignSearch, saysWhatIsWrongWithOptions) {
    const std::vector<Workload> workloads{workload("zoo:bert-base")};
    const hardware::Template space = smallTemplate(19);
    const auto refuses = [&](const auto& change, const std::string& sentence) {
        Options options = smallOptions(Objective::geomean);
        change(options);
        try {
            search(workloads, space, options);
            ADD_FAILURE() << sentence;
        } catch (const UsageError& error) {
            EXPECT_THAT(error.what(), HasSubstr(sentence));
        }
    };
    refuses([](Options& options) { options.weights = {1, 2}; }, "2 weights are given for 1 models");
    refuses([](Options& options) { options.weights = {0}; }, "the weight of a model is above 0");
    refuses([](Options& options) { options.estimator = "guess"; }, "there is no estimator 'guess'");
    refuses([](Options& options) { options.accelerators = 0; }, "at least one accelerator");
    refuses([](Options& options) { options.bandwidth = {}; }, "a bandwidth above 0");
    EXPECT_THROW(search({}, space, smallOptions(Objective::mean)), UsageError);
}

TEST(CodesignSearch, findsNothingWhereNothingFits) {
    hardware::Template space = smallTemplate(23);
    space.hbm.values = {1 << 20};
    const Result result = search({workload("zoo:bert-base")}, space, smallOptions(Objective::geomean));
    EXPECT_FALSE(result.best);
    EXPECT_TRUE(result.front.empty());
    EXPECT_EQ(result.endedBy, EndedBy::done);
}

TEST(Workload, hasTheSlicesOfTable2) {
    const std::map<std::string, std::vector<std::int64_t>> degrees{{"zoo:bert-large", {1}}, {"zoo:gpt3-175b", {4, 8}}};
    for (const auto& [name, expected] : degrees) {
        WorkloadOptions options;
        options.microBatches = {1};
        const Workload loaded = loadWorkload(name, options);
        ASSERT_EQ(loaded.slices.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(loaded.slices[i].degree, expected[i]);
        ASSERT_TRUE(loaded.expert);
        // Equal blocks are one kind.
        for (const Slice& slice : loaded.slices) EXPECT_LE(slice.kinds.size(), 4U);
    }
}

TEST(Workload, itsLayersAddUpToTheModel) {
    const Workload& loaded = workload("zoo:bert-base");
    const Slice& slice = loaded.slices.front();
    double weights = 0, macs = 0;
    for (const std::size_t kind : slice.kindOf) {
        weights += slice.kinds[kind].weights.value;
        macs += slice.kinds[kind].macs;
    }
    const model::Summary summary = model::summarise(*model::loadModel("zoo:bert-base").graph());
    EXPECT_DOUBLE_EQ(weights, 2.0 * static_cast<double>(*summary.parameters));
    // Two products of the backward pass for one of the forward pass.
    EXPECT_NEAR(macs / (3 * static_cast<double>(*summary.macs)), 1, 1e-3);
    for (const LayerKind& kind : slice.kinds)
        for (const LayerPhase* phase : {&kind.forward, &kind.backward, &kind.update})
            for (const LayerOperator& op : phase->operators)
                EXPECT_TRUE(op.reduced || cost::problemOf(loaded.works.at(op.work)).empty()) << op.name;
}

}  // namespace

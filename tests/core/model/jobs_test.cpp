#include "core/model/jobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/model/builder.h"
#include "core/model/model.h"
#include "core/model/readers/layer_csv.h"
#include "core/model/zoo/zoo.h"

namespace tessera::model {
namespace {

const LayerJob& jobNamed(const std::vector<LayerJob>& jobs, const std::string& name) {
    const auto job = std::find_if(jobs.begin(), jobs.end(), [&](const LayerJob& j) { return j.name == name; });
    if (job == jobs.end()) throw std::out_of_range(name);
    return *job;
}

double macsOf(const std::vector<LayerJob>& jobs) {
    return std::accumulate(jobs.begin(), jobs.end(), 0.0,
                           [](double sum, const LayerJob& job) { return sum + macs(job); });
}

using Sizes = std::array<std::int64_t, 6>;

TEST(Jobs, ofAConvolutionalNetworkAreItsLayersOnInputExtents) {
    const std::vector<LayerJob> jobs = jobsOf(buildZooModel("mobilenet-v2"), 1);
    EXPECT_EQ(jobs.size(), 53U);
    const LayerJob& first = jobs.front();
    EXPECT_EQ(first.kind, JobKind::conv);
    EXPECT_EQ(first.d, (Sizes{32, 3, 224, 224, 3, 3}));
    EXPECT_EQ(first.strideY, 2);
    EXPECT_EQ(first.padTop, 1);
    EXPECT_EQ(first.padRight, 1);
    EXPECT_EQ(outputY(first), 112);
    EXPECT_EQ(jobs[1].kind, JobKind::dsconv);
    EXPECT_EQ(jobs[1].d, (Sizes{1, 32, 112, 112, 3, 3}));
    EXPECT_EQ(jobs[2].d, (Sizes{16, 32, 112, 112, 1, 1}));
    EXPECT_EQ(jobs.back().kind, JobKind::ffn);
    EXPECT_EQ(jobs.back().d, (Sizes{1000, 1280, 1, 1, 1, 1}));
}

TEST(Jobs, ofAMiniBatchMakeRowsOfFullyConnectedLayersAndRepeatConvolutions) {
    const std::vector<LayerJob> jobs = jobsOf(buildZooModel("lenet5"), 16);
    EXPECT_EQ(jobs.front().repeats, 16);
    EXPECT_EQ(jobs.back().kind, JobKind::gemm);
    EXPECT_EQ(jobs.back().d, (Sizes{16, 10, 84, 1, 1, 1}));
    EXPECT_EQ(jobs.back().repeats, 1);
}

TEST(Jobs, ofGroupedConvolutionsHaveTheChannelsOfOneGroup) {
    const LayerJob job = jobNamed(jobsOf(buildZooModel("resnext50"), 1), "layer1.0.conv2");
    EXPECT_EQ(job.kind, JobKind::conv);
    EXPECT_EQ(job.groups, 32);
    EXPECT_EQ(job.d, (Sizes{128, 4, 56, 56, 3, 3}));
}

/// Two tokens of a batch of 2 through an LSTM of 4 states, both ways, and a product of its result with itself.
Graph recurrentNet() {
    GraphBuilder builder("net", "test");
    builder.addInput("x", DataType::float32, std::vector<std::int64_t>{5, 2, 3});
    builder.addStored("w", DataType::float32, {2, 16, 3});
    builder.addStored("r", DataType::float32, {2, 16, 4});
    builder.add({.type = "LSTM",
                 .inputs = {"x", "w", "r"},
                 .outputs = {"y"},
                 .attributes = {{"hidden_size", std::int64_t{4}}, {"direction", std::string("bidirectional")}},
                 .name = "rnn",
                 .domain = "",
                 .layer = "",
                 .block = ""});
    builder.addOutput("y");
    Graph graph = std::move(builder).build();
    graph.batch = 2;
    return graph;
}

TEST(Jobs, ofARecurrentLayerAreItsInputAtOnceAndItsStateStepByStep) {
    const std::vector<LayerJob> jobs = jobsOf(recurrentNet(), 2);
    ASSERT_EQ(jobs.size(), 2U);
    EXPECT_EQ(jobs[0].name, "rnn.input");
    EXPECT_EQ(jobs[0].d, (Sizes{10, 32, 3, 1, 1, 1}));
    EXPECT_EQ(jobs[1].name, "rnn.state");
    EXPECT_EQ(jobs[1].d, (Sizes{2, 16, 4, 1, 1, 1}));
    EXPECT_EQ(jobs[1].repeats, 10);
    EXPECT_EQ(macsOf(jobs), 5 * 2 * 2 * 4 * 4 * (3 + 4));
}

TEST(Jobs, ofAttentionAreProductsPerHeadAndSample) {
    GraphBuilder builder("net", "test");
    builder.addInput("q", DataType::float32, std::vector<std::int64_t>{1, 12, 7, 64});
    builder.addInput("k", DataType::float32, std::vector<std::int64_t>{1, 12, 64, 9});
    builder.add({.type = "MatMul",
                 .inputs = {"q", "k"},
                 .outputs = {"s"},
                 .attributes = {},
                 .name = "scores",
                 .domain = "",
                 .layer = "",
                 .block = ""});
    builder.addOutput("s");
    const std::vector<LayerJob> jobs = jobsOf(std::move(builder).build(), 3);
    ASSERT_EQ(jobs.size(), 1U);
    EXPECT_EQ(jobs[0].kind, JobKind::gemm);
    EXPECT_EQ(jobs[0].d, (Sizes{7, 9, 64, 1, 1, 1}));
    EXPECT_EQ(jobs[0].repeats, 36);
}

TEST(Jobs, ofATableAreItsRows) {
    const LayerGraph table = readM3e(
        "0,0,512,2048,1,1,1,1,0\n0,1,64,3,5,5,3,3,1\n0,2,1,24,56,56,3,3,2\n0,3,20,128,64,1,1,1,3\n", "jobs.csv");
    const std::vector<LayerJob> jobs = jobsOf(table, 1);
    ASSERT_EQ(jobs.size(), 4U);
    EXPECT_EQ(jobs[0].d, (Sizes{512, 2048, 1, 1, 1, 1}));
    EXPECT_EQ(jobs[1].d, (Sizes{64, 3, 5, 5, 3, 3}));
    EXPECT_EQ(jobs[1].strideY, 1);
    EXPECT_EQ(jobs[1].padTop + jobs[1].padBottom, 0);
    EXPECT_EQ(jobs[2].kind, JobKind::dsconv);
    EXPECT_EQ(jobs[2].d, (Sizes{1, 24, 56, 56, 3, 3}));
    EXPECT_EQ(jobs[3].d, (Sizes{20, 128, 64, 1, 1, 1}));
}

TEST(Jobs, ofAnM3eTableAreReadAsTheyStandThere) {
    const std::vector<LayerJob> jobs =
        readM3eJobs("thread,layer,d0,d1,d2,d3,d4,d5,T\n0,7,5,24,2,2,3,3,2\n1,8,1,9,9,1,1,1,3\n", "jobs.csv");
    ASSERT_EQ(jobs.size(), 2U);
    EXPECT_EQ(jobs[0].name, "thread0.layer7");
    EXPECT_EQ(jobs[0].kind, JobKind::dsconv);
    EXPECT_EQ(jobs[0].d, (Sizes{5, 24, 2, 2, 3, 3}));
    EXPECT_EQ(outputY(jobs[0]), 0);
    EXPECT_EQ(jobs[1].kind, JobKind::gemm);
    EXPECT_EQ(jobs[1].d, (Sizes{1, 9, 9, 1, 1, 1}));
}

/// Layers of networks that MAGMA's workloads hold, as its tables list them (job tables of the published code).
TEST(Jobs, haveTheSizesOfThePublishedTables) {
    const auto has = [](const std::string& id, JobKind kind, const Sizes& sizes) {
        const std::vector<LayerJob> jobs = jobsOf(buildZooModel(id), 1);
        return std::any_of(jobs.begin(), jobs.end(),
                           [&](const LayerJob& job) { return job.kind == kind && job.d == sizes; });
    };
    EXPECT_TRUE(has("resnet50", JobKind::conv, {64, 3, 224, 224, 7, 7}));
    EXPECT_TRUE(has("vgg16", JobKind::conv, {64, 64, 224, 224, 3, 3}));
    EXPECT_TRUE(has("mobilenet-v2", JobKind::conv, {16, 32, 112, 112, 1, 1}));
    EXPECT_TRUE(has("shufflenet-v2", JobKind::dsconv, {1, 232, 7, 7, 3, 3}));
    EXPECT_TRUE(has("squeezenet", JobKind::conv, {64, 16, 54, 54, 3, 3}));
}

TEST(Jobs, refuseABatchBelowOne) {
    try {
        jobsOf(buildZooModel("mlp"), 0);
        FAIL() << "nothing was thrown";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(), "the batch is 0; expected a whole number above 0");
    }
}

class JobsOfEveryZooModel : public testing::TestWithParam<std::string> {};

TEST_P(JobsOfEveryZooModel, sumUpToItsMultiplications) {
    const Graph graph = buildZooModel(GetParam());
    const auto expected = static_cast<double>(summarise(graph).macs.value());
    EXPECT_EQ(macsOf(jobsOf(graph, 1)), expected);
    EXPECT_EQ(macsOf(jobsOf(graph, 8)), 8 * expected);
    EXPECT_EQ(macsOf(jobsOf(layersOf(graph), 4)), 4 * expected);
}

std::vector<std::string> zooIds() {
    std::vector<std::string> ids;
    for (const ZooEntry& entry : zooEntries()) ids.push_back(entry.id);
    return ids;
}

INSTANTIATE_TEST_SUITE_P(Zoo, JobsOfEveryZooModel, testing::ValuesIn(zooIds()));

}  // namespace
}  // namespace tessera::model

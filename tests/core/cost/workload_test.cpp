#include "core/cost/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/model/model.h"
#include "tests/support/field_schema.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"
#include "tests/support/schema.h"

namespace fs = std::filesystem;
using namespace tessera;
using namespace tessera::cost;

namespace {

const char* const kSmallWorkload = R"({
 "schema": "tessera.workload/1", "name": "small", "description": "two kinds", "draw": "balanced", "group_size": 40,
 "models": [{"model": "zoo:lenet5", "kind": "vision", "batch": 4},
            {"model": "zoo:alexnet", "kind": "vision"},
            {"model": "zoo:mlp", "kind": "dense", "dimensions": {}}]
})";

Workload parsed(const std::string& text) {
    return readWorkload(JsonDocument::parse(text, "dir/mine.json").root());
}

template <typename Error, typename Action>
std::string messageOf(const Action& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no such error";
}

TEST(Workload, readsEveryField) {
    const Workload workload = parsed(kSmallWorkload);
    EXPECT_EQ(workload.id, "mine");
    EXPECT_EQ(workload.name, "small");
    EXPECT_EQ(workload.description, "two kinds");
    EXPECT_EQ(workload.draw, DrawRule::balanced);
    EXPECT_EQ(workload.groupSize, 40);
    ASSERT_EQ(workload.sources.size(), 3U);
    EXPECT_EQ(workload.sources[0], (WorkloadSource{"zoo:lenet5", "vision", 4, {}}));
    EXPECT_EQ(parsed(toText(toJson(workload))), workload);
    EXPECT_EQ(test::schemaErrors(nlohmann::json::parse(toJson(workload).dump()), "workload.schema.json"), "");
}

struct Wrong {
    const char* name;
    const char* text;
    const char* message;
};
void PrintTo(const Wrong& wrong, std::ostream* out) {
    *out << wrong.name;
}

class WrongWorkload : public testing::TestWithParam<Wrong> {};

TEST_P(WrongWorkload, isRefusedWithLineAndField) {
    EXPECT_EQ(messageOf<DataError>([] { parsed(GetParam().text); }), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Files, WrongWorkload,
    testing::Values(
        Wrong{"noModel", R"({"schema": "tessera.workload/1", "name": "w", "models": []})",
              "dir/mine.json:1: field 'models' is an empty list; expected at least one model"},
        Wrong{"blankModel", R"({"schema": "tessera.workload/1", "name": "w", "models": [{"model": " "}]})",
              "dir/mine.json:1: field 'models[0].model' is ' '; expected 'zoo:NAME', or the path of a model's file"},
        Wrong{"noBatch",
              R"({"schema": "tessera.workload/1", "name": "w", "models": [{"model": "zoo:mlp", "batch": 0}]})",
              "dir/mine.json:1: field 'models[0].batch' is '0'; expected a whole number above 0"},
        Wrong{"unknownRule",
              R"({"schema": "tessera.workload/1", "name": "w", "draw": "dice", "models": [{"model": "zoo:mlp"}]})",
              "dir/mine.json:1: field 'draw' is 'dice'; expected one of balanced, layers, in-order"},
        Wrong{"emptyGroup",
              R"({"schema": "tessera.workload/1", "name": "w", "group_size": 0, "models": [{"model": "zoo:mlp"}]})",
              "dir/mine.json:1: field 'group_size' is '0'; expected a whole number above 0, but where jobs "
              "are drawn in order"},
        Wrong{"unknownField",
              R"({"schema": "tessera.workload/1", "name": "w", "seed": 1, "models": [{"model": "zoo:mlp"}]})",
              "dir/mine.json:1: field 'seed' is unknown; expected one of schema, name, description, draw, "
              "group_size, models"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Workload, saysAllFaultsAtOnce) {
    try {
        parsed(R"({"schema": "tessera.workload/1", "name": " ", "draw": "dice",
                   "models": [{"model": "zoo:mlp", "batch": 0}, {"model": "", "dimensions": {"width": -1}}]})");
        FAIL();
    } catch (const hardware::Faults& faults) {
        std::vector<std::string> fields;
        for (const DataError& fault : faults.all) fields.push_back(fault.place.field);
        EXPECT_EQ(fields, (std::vector<std::string>{"name", "draw", "models[0].batch", "models[1].model",
                                                    "models[1].dimensions.width"}));
    }
}

TEST(Workload, inOrderHasAllLayersUnlessItSaysHowMany) {
    const std::string begin = R"({"schema": "tessera.workload/1", "name": "w", "draw": "in-order", )";
    const std::string models = R"("models": [{"model": "zoo:mlp", "kind": "dense", "dimensions": {"width": 0}}]})";
    EXPECT_EQ(parsed(begin + models).groupSize, 0);
    EXPECT_EQ(parsed(begin + R"("group_size": 0, )" + models).groupSize, 0);
    const Workload some = parsed(begin + R"("group_size": 7, )" + models);
    EXPECT_EQ(some.groupSize, 7);
    EXPECT_EQ(parsed(toText(toJson(some))), some);
}

TEST(Workload, isDescribedByTheSchemaThatIsShipped) {
    test::expectGolden(hardware::schemaDocument(workloadKind()).dump(2) + "\n", "data/schemas/workload.schema.json");
}

TEST(Group, dependsOnSeedInstanceAndPlaceAlone) {
    const JobPool pool = jobPool(parsed(kSmallWorkload));
    const std::vector<Job> group = drawGroup(pool, 0, 7);
    EXPECT_EQ(group.size(), 40U);
    EXPECT_EQ(drawGroup(parsed(kSmallWorkload), 0, 7), group);
    const std::vector<Job> longer = drawGroup(pool, 300, 7);
    EXPECT_TRUE(std::equal(group.begin(), group.end(), longer.begin()));
    EXPECT_NE(drawGroup(pool, 40, 8), group);
    EXPECT_NE(drawGroup(pool, 40, 7, 1), group);
}

TEST(Group, isBalancedByKindThenModelThenLayer) {
    const std::vector<Job> group = drawGroup(jobPool(parsed(kSmallWorkload)), 12'000, 1);
    const std::map<std::string, std::int64_t> kinds = countsByKind(group);
    EXPECT_NEAR(static_cast<double>(kinds.at("vision")), 6'000, 300);
    EXPECT_NEAR(static_cast<double>(kinds.at("dense")), 6'000, 300);
    std::map<std::string, int> jobs;
    for (const Job& job : group) ++jobs[nameOf(job)];
    EXPECT_NEAR(jobs.at("lenet5/conv1"), 12'000.0 / 2 / 2 / 5, 150);  // two kinds, two models, five layers
}

TEST(Group, ofLayersTakesEveryLayerEquallyOften) {
    Workload workload = parsed(kSmallWorkload);
    workload.draw = DrawRule::layers;
    const JobPool pool = jobPool(workload);
    std::size_t all = 0;
    for (const std::vector<Job>& jobs : pool.jobs) all += jobs.size();
    std::map<std::string, double> counts;
    for (const Job& job : drawGroup(pool, static_cast<std::int64_t>(1'000 * all), 3)) ++counts[nameOf(job)];
    EXPECT_EQ(counts.size(), all);
    for (const auto& [name, count] : counts) EXPECT_NEAR(count, 1'000, 150) << name;
}

TEST(Group, inOrderTakesUpWhereTheOneBeforeItEnded) {
    const Workload workload = loadWorkload("zoo:alexnet");
    EXPECT_EQ(workload.draw, DrawRule::inOrder);
    const JobPool pool = jobPool(workload);
    const std::vector<Job> all = drawGroup(pool, 0, 1);
    ASSERT_EQ(all.size(), 8U);
    EXPECT_EQ(all, pool.jobs[0]);
    EXPECT_EQ(drawGroup(pool, 3, 1, 0), (std::vector<Job>{all[0], all[1], all[2]}));
    EXPECT_EQ(drawGroup(pool, 3, 1, 2), (std::vector<Job>{all[6], all[7], all[0]}));
    EXPECT_EQ(drawGroup(pool, 10, 9)[9], all[1]);
}

TEST(Group, hasTheBatchOfItsModel) {
    const JobPool pool = jobPool(parsed(kSmallWorkload));
    EXPECT_EQ(pool.jobs[0].front().layer.repeats, 4);  // a convolution, once per sample
    EXPECT_EQ(pool.jobs[1].front().layer.repeats, 1);
    EXPECT_EQ(jobPool(loadWorkload("zoo:lenet5", {.batch = 3, .dimensions = {}})).jobs[0].front().layer.repeats, 3);
}

TEST(Group, namesWrongSizes) {
    const JobPool pool = jobPool(parsed(kSmallWorkload));
    EXPECT_EQ(messageOf<UsageError>([&] { drawGroup(pool, -1, 1); }),
              "the group size is -1; expected a whole number above 0");
    EXPECT_EQ(messageOf<UsageError>([&] { drawGroup(pool, 100'001, 1); }),
              "the group has 100001 jobs; expected at most 100000");
}

TEST(WorkloadByName, isATableOfM3e) {
    const std::string path = test::sourcePath("tests/data/tables/m3e.csv").string();
    const std::vector<Job> jobs = drawGroup(loadWorkload(path), 0, 1);
    const std::vector<model::LayerJob> layers = model::jobsOf(model::layerGraph(model::loadModel(path)), 1);
    ASSERT_EQ(jobs.size(), layers.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(jobs[i].layer, layers[i]);
}

TEST(WorkloadByName, proposesWhatWasMeant) {
    EXPECT_EQ(messageOf<UsageError>([] { loadWorkload("visoin"); }),
              "there is no workload 'visoin'; did you mean 'vision'?");
    EXPECT_EQ(messageOf<FileError>([] { loadWorkload("none/such.json"); }),
              "cannot read 'none/such.json': there is no such file");
    EXPECT_EQ(loadWorkload("VISION").id, "vision");
}

TEST(WorkloadByName, aModelBesideTheFileIsFoundAndAMissingOneNamed) {
    Workload workload = parsed(kSmallWorkload);
    workload.file = test::sourcePath("tests/data/w.json").string();
    workload.sources = {{.model = "tables/m3e.csv", .kind = {}, .batch = 1, .dimensions = {}}};
    EXPECT_FALSE(jobPool(workload).jobs[0].empty());
    workload.sources[0].model = "tables/none.csv";
    EXPECT_EQ(messageOf<FileError>([&] { jobPool(workload); }),
              "cannot read the model 'tables/none.csv' of the workload 'small': there is no such file beside '" +
                  workload.file + "'");
}

std::vector<std::string> bundled() {
    std::vector<std::string> ids;
    for (const auto& entry : fs::directory_iterator(test::sourcePath("data/workloads")))
        ids.push_back(entry.path().stem().string());
    std::sort(ids.begin(), ids.end());
    return ids;
}

class EveryWorkload : public testing::TestWithParam<std::string> {
protected:
    std::string path() const { return test::sourcePath("data/workloads/" + GetParam() + ".json").string(); }
};

TEST_P(EveryWorkload, isFoundReadAndWrittenBack) {
    const Workload workload = loadWorkload(GetParam());
    EXPECT_EQ(workload.id, GetParam());
    const JsonDocument document = JsonDocument::load(path());
    const auto plain = [](const Json& json) { return nlohmann::json::parse(json.dump()); };
    EXPECT_EQ(plain(toJson(workload)), plain(document.json()));
    EXPECT_EQ(test::schemaErrors(plain(document.json()), "workload.schema.json"), "");
    const std::vector<hardware::LibraryEntry> entries = workloadEntries();
    EXPECT_TRUE(std::any_of(entries.begin(), entries.end(), [&](const hardware::LibraryEntry& entry) {
        return entry.id == GetParam() && entry.problem.empty() && entry.name == workload.name;
    }));
}

TEST_P(EveryWorkload, drawsAGroupOfAHundredJobsOfAllItsKinds) {
    const Workload workload = loadWorkload(GetParam());
    const std::vector<Job> group = drawGroup(workload, 0, 1);
    EXPECT_EQ(group.size(), 100U);
    std::map<std::string, int> kinds;
    for (const WorkloadSource& source : workload.sources) ++kinds[source.kind];
    EXPECT_EQ(countsByKind(group).size(), kinds.size());
    for (const Job& job : group) EXPECT_GT(macs(job.layer), 0) << nameOf(job);
}

INSTANTIATE_TEST_SUITE_P(Files, EveryWorkload, testing::ValuesIn(bundled()));

}  // namespace

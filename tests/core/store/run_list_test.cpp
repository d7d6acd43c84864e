#include "core/store/run_list.h"

#include <ctime>

#include "tests/core/store/fixture.h"

namespace tessera::store::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Three runs: two of them done.
class RunList : public ::testing::Test {
protected:
    RunList() {
        addDone(store_, studyOf("zoo:resnet50", "tpus", "first"), 0.04);
        addDone(store_, studyOf("zoo:vgg19", "gpus", "second"), 0.01);
        store_.addRun(studyOf("zoo:alexnet", "gpus", "third"), RunStatus::failed);
        store_.setTags(1, {"at night: slow"});
    }

    std::vector<RunId> found(const std::vector<std::string>& conditions) const {
        HistoryQuery query;
        for (const std::string& text : conditions) addCondition(query, text, store_.metricKinds());
        return idsOf(store_.query(query, 10));
    }
    std::string shown(const std::string& condition) const {
        HistoryQuery query;
        return addCondition(query, condition, store_.metricKinds()).text;
    }
    std::string refused(const std::string& condition) const {
        HistoryQuery query;
        try {
            addCondition(query, condition, store_.metricKinds());
        } catch (const UsageError& error) {
            return error.what();
        }
        ADD_FAILURE() << condition << " was taken";
        return "";
    }

    Store store_ = Store::inMemory();
};

TEST_F(RunList, conditionsAreReadAsPeopleWriteThem) {
    EXPECT_THAT(found({"engine: partition"}), ElementsAre(3, 2, 1));
    EXPECT_THAT(found({"Engine:Partition", "model: VGG"}), ElementsAre(2));
    EXPECT_THAT(found({"hardware: gpu", "status: failed"}), ElementsAre(3));
    EXPECT_THAT(found({"tag: at night: slow"}), ElementsAre(1)) << "a tag may hold a colon";
    EXPECT_THAT(found({"since: 7 days", "until: today"}), ElementsAre(3, 2, 1));
    EXPECT_THAT(found({"until: 2020-01-01"}), ElementsAre());
    EXPECT_THAT(found({"step_time_s <= 10ms"}), ElementsAre(2));
    EXPECT_THAT(found({"step time < 10 ms"}), ElementsAre()) << "less is not equal";
    EXPECT_THAT(found({"Step time ≥ 10 ms", "step time < 0.04"}), ElementsAre(2));
    EXPECT_THAT(found({"step_time_s = 40 ms"}), ElementsAre(1));
    EXPECT_THAT(found({"starred"}), ElementsAre());
    store_.setStarred({2}, true);
    EXPECT_THAT(found({"starred"}), ElementsAre(2));
    store_.setDeleted({3}, true);
    EXPECT_THAT(found({"deleted"}), ElementsAre(3));
}

TEST_F(RunList, sharesAreGivenInPerCent) {
    HistoryQuery query;
    const RunCondition gap = addCondition(query, "gap<5%", store_.metricKinds());
    EXPECT_EQ(gap.text, "Gap to the bound < 5%");
    EXPECT_EQ(gap.kind, "gap <");
    ASSERT_EQ(query.ranges.size(), 1U);
    EXPECT_LT(*query.ranges[0].max, 0.05);
    EXPECT_GT(*query.ranges[0].max, 0.0499999);
}

TEST_F(RunList, conditionsAreShownAsTheyAreRead) {
    EXPECT_EQ(shown(" engine:Partition "), "engine: partition");
    EXPECT_EQ(shown("step_time_s >= 4 ms"), "Step time ≥ 4 ms");
    EXPECT_EQ(shown("accpar/step_time_s > 4 ms"), "Step time (accpar) > 4 ms");
    EXPECT_EQ(shown("Starred"), "starred");
    for (const std::string text : {"engine: partition", "Step time ≥ 4 ms", "Step time (accpar) > 4 ms", "starred"})
        EXPECT_EQ(shown(text), text);
}

TEST_F(RunList, whatIsNoConditionIsToldWhatOneIs) {
    EXPECT_THAT(refused("engine: partitoin"), HasSubstr("did you mean 'partition'?"));
    EXPECT_THAT(refused("status: slow"), HasSubstr("expected queued, running"));
    EXPECT_THAT(refused("since: spring"), HasSubstr("expected a day such as 2026-03-01"));
    EXPECT_THAT(refused("since: 2026-02-30"), HasSubstr("expected a day"));
    EXPECT_THAT(refused("tag:"), HasSubstr("expected a text"));
    EXPECT_THAT(refused("step_time_z < 4"), HasSubstr("did you mean 'step_time_s'?"));
    EXPECT_THAT(refused("step_time_s < soon"), HasSubstr("expected a value such as 50 ms"));
    EXPECT_THAT(refused("resnet"), HasSubstr("'gap < 5 %'"));
    EXPECT_TRUE(looksLikeCondition("tag: x") && looksLikeCondition("gap < 5"));
    EXPECT_FALSE(looksLikeCondition("zoo:resnet50"));
    EXPECT_FALSE(looksLikeCondition("resnet 50"));
}

TEST_F(RunList, daysAreThoseOfTheReader) {
    const std::int64_t today = *dayNamed("today");
    EXPECT_EQ(dayNamed("1 day"), today);
    EXPECT_LT(*dayNamed("2 days"), today);
    EXPECT_GT(*dayNamed("today", 1), today);
    EXPECT_FALSE(dayNamed("0 days").has_value());
    EXPECT_FALSE(dayNamed("7 weeks").has_value());
    EXPECT_EQ(dateText(dayNamed("2026-03-01")), "2026-03-01 00:00");
    EXPECT_EQ(dateText(std::nullopt), "–");
}

TEST_F(RunList, columnsAreTheSameForEveryList) {
    HistoryQuery query;
    query.metrics = {"throughput_samples_per_s", "gap"};
    const RunRow row = store_.query(query, 10).back();
    EXPECT_EQ(findRunColumn("name")->text(row), "first");
    EXPECT_EQ(findRunColumn("tags")->text(row), "at night: slow");
    EXPECT_THAT(findRunColumn("result")->text(row), HasSubstr("samples/s"));
    EXPECT_EQ(findRunColumn("result")->text(*store_.run(3)), "failed");
    EXPECT_EQ(findRunColumn("origin")->text(row), "");
    EXPECT_EQ(findRunColumn("no such column"), nullptr);
}

TEST_F(RunList, anEnginesColumnsAreTheNumbersOfItsRuns) {
    const std::vector<std::string> names = engineMetrics(store_, "partition", 4);
    EXPECT_EQ(names.size(), 4U);
    EXPECT_EQ(names.front(), "step_time_s");
    EXPECT_THAT(names, Not(Contains("gap")));
    EXPECT_THAT(names, Not(Contains("throughput_samples_per_s"))) << "the result says it already";
    EXPECT_THAT(engineMetrics(store_, "mapping"), ElementsAre());
}

class RunsFromElsewhere : public StoreFile {};

TEST_F(RunsFromElsewhere, areFoundAndSayWhereTheyComeFrom) {
    {
        Store other = Store::open(file("other.db"));
        addDone(other, studyOf("zoo:resnet50", "tpus", "theirs"));
        other.exportRuns({1}, file("out.tessera"));
    }
    Store store = Store::open(file());
    addDone(store, studyOf("zoo:vgg19", "gpus", "ours"));
    store.merge(file("out.tessera"));
    HistoryQuery query;
    EXPECT_EQ(addCondition(query, "imported", {}).kind, "imported");
    const std::vector<RunRow> rows = store.query(query, 10);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].name, "theirs");
    EXPECT_EQ(findRunColumn("origin")->text(rows[0]), "out.tessera");
    query.imported = false;
    EXPECT_EQ(store.query(query, 10)[0].name, "ours");
    EXPECT_EQ(store.count(query), 1);
}

}  // namespace
}  // namespace tessera::store::test

#include "core/store/query.h"

#include "core/base/text.h"
#include "core/store/schema.h"
#include "tests/core/store/fixture.h"

namespace tessera::store::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Four runs that differ in everything.
class HistoryQueries : public ::testing::Test {
protected:
    HistoryQueries() {
        addDone(store_, studyOf("zoo:resnet50", "tpus", "Résumé of ResNet"), 0.04);
        addDone(store_, studyOf("zoo:vgg19", "gpus", "b"), 0.01);
        addDone(store_, studyOf("zoo:resnet18", "tpus", "a"), 0.03);
        store_.addRun(studyOf("my-model.onnx", "gpus", "c"), RunStatus::queued);
        store_.setTags(1, {"paper", "to do"});
        store_.setTags(2, {"paper"});
        store_.setNote(3, "surprisingly fast");
        store_.setStarred({3}, true);
    }

    std::vector<RunId> found(const HistoryQuery& query) const {
        const std::vector<RunId> ids = idsOf(store_.query(query, 10));
        EXPECT_EQ(store_.count(query), static_cast<std::int64_t>(ids.size()));
        EXPECT_EQ(store_.runs(query), ids);
        return ids;
    }

    Store store_ = Store::inMemory();
};

TEST_F(HistoryQueries, showTheNewestFirst) {
    EXPECT_THAT(found({}), ElementsAre(4, 3, 2, 1));
    EXPECT_THAT(found({.descending = false}), ElementsAre(1, 2, 3, 4));
}

TEST_F(HistoryQueries, filterByEverything) {
    EXPECT_THAT(found({.engine = "partition"}), ElementsAre(4, 3, 2, 1));
    EXPECT_THAT(found({.engine = "mapping"}), IsEmpty());
    EXPECT_THAT(found({.model = "zoo:vgg19"}), ElementsAre(2));
    EXPECT_THAT(found({.hardware = "tpus"}), ElementsAre(3, 1));
    EXPECT_THAT(found({.model = "ResNet"}), ElementsAre(3, 1)) << "a part, in any case";
    EXPECT_THAT(found({.model = "net50"}), ElementsAre(1));
    EXPECT_THAT(found({.model = "%"}), IsEmpty()) << "no character is special";
    EXPECT_THAT(found({.model = "o"}), ElementsAre(4, 3, 2, 1));
    EXPECT_THAT(found({.hardware = "pus"}), ElementsAre(4, 3, 2, 1));
    EXPECT_THAT(found({.hardware = "nothing"}), IsEmpty());
    EXPECT_THAT(found({.tag = "paper"}), ElementsAre(2, 1));
    EXPECT_THAT(found({.tag = "to do"}), ElementsAre(1));
    EXPECT_THAT(found({.status = RunStatus::queued}), ElementsAre(4));
    EXPECT_THAT(found({.starred = true}), ElementsAre(3));
    EXPECT_THAT(found({.starred = false}), ElementsAre(4, 2, 1));
    const std::int64_t last = *store_.run(3)->started;
    EXPECT_THAT(found({.from = last + 3'600'000}), IsEmpty());
    EXPECT_THAT(found({.to = last + 3'600'000}), ElementsAre(4, 3, 2, 1));
    EXPECT_THAT(found({.ranges = {{"step_time_s", 0.02, {}}}}), ElementsAre(3, 1));
    EXPECT_THAT(found({.ranges = {{"step_time_s", 0.02, 0.035}}}), ElementsAre(3));
    EXPECT_THAT(found({.ranges = {{"step_time_s", {}, {}}}}), ElementsAre(3, 2, 1));
    EXPECT_THAT(found({.ranges = {{"no such metric", 0, {}}}}), IsEmpty());
}

TEST_F(HistoryQueries, everyConditionMustHold) {
    EXPECT_THAT(found({.text = "res", .hardware = "tpus", .tag = "paper", .ranges = {{"step_time_s", 0.02, {}}}}),
                ElementsAre(1));
    EXPECT_THAT(found({.hardware = "gpus", .status = RunStatus::done, .orderBy = "name"}), ElementsAre(2));
}

TEST_F(HistoryQueries, orderByColumnsAndMetrics) {
    const auto ordered = [&](const std::string& by, bool descending) {
        return found({.orderBy = by, .descending = descending});
    };
    EXPECT_THAT(ordered("name", false), ElementsAre(1, 3, 2, 4));
    EXPECT_THAT(ordered("model", true), ElementsAre(2, 1, 3, 4));
    EXPECT_THAT(ordered("hardware", false), ElementsAre(2, 4, 1, 3));
    EXPECT_THAT(ordered("status", true), ElementsAre(4, 3, 2, 1));
    EXPECT_THAT(ordered("engine", false), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(ordered("step_time_s", false), ElementsAre(2, 3, 1, 4)) << "runs without the metric come last";
    EXPECT_THAT(ordered("step_time_s", true), ElementsAre(1, 3, 2, 4));
    EXPECT_THAT(ordered("no such metric'; DROP TABLE run", true), ElementsAre(4, 3, 2, 1));
}

TEST_F(HistoryQueries, findWordsByPrefixInEveryText) {
    EXPECT_THAT(found({.text = "resnet"}), ElementsAre(3, 1));
    EXPECT_THAT(found({.text = "RESNET50"}), ElementsAre(1));
    EXPECT_THAT(found({.text = "resume"}), ElementsAre(1));
    EXPECT_THAT(found({.text = "résumé"}), ElementsAre(1));
    EXPECT_THAT(found({.text = "surpris fas"}), ElementsAre(3));
    EXPECT_THAT(found({.text = "pap"}), ElementsAre(2, 1));
    EXPECT_THAT(found({.text = "zoo:vgg"}), ElementsAre(2));
    EXPECT_THAT(found({.text = "my-model.on"}), ElementsAre(4));
    EXPECT_THAT(found({.text = "gpus"}), ElementsAre(4, 2));
    EXPECT_THAT(found({.text = "absent"}), IsEmpty());
    store_.setNote(3, "");
    EXPECT_THAT(found({.text = "surprisingly"}), IsEmpty());
}

TEST_F(HistoryQueries, takeAnyCharacters) {
    for (const std::string& text :
         {std::string("\""), std::string("'"), std::string("*"), std::string("-"), std::string("("),
          std::string("NEAR("), std::string("a AND"), std::string("name:"), std::string("^a"), std::string("\\"),
          std::string("%"), std::string("\xFF\xFE"), std::string("a\0b", 3), std::string(100'000, 'x'),
          std::string(5000, '"'), std::string("{a b} : c"), std::string("–„“")})
        EXPECT_NO_THROW(store_.query({.text = text}, 10)) << escaped(text, 20);
    EXPECT_THAT(found({.text = "!!! ---"}), ElementsAre(4, 3, 2, 1)) << "no words, no condition";
    EXPECT_THAT(found({.text = "AND"}), IsEmpty());
    EXPECT_THAT(found({.tag = "' OR 1=1 --"}), IsEmpty());
}

TEST_F(HistoryQueries, comeInPages) {
    EXPECT_THAT(idsOf(store_.query({}, 2)), ElementsAre(4, 3));
    EXPECT_THAT(idsOf(store_.query({}, 2, 2)), ElementsAre(2, 1));
    EXPECT_THAT(store_.query({}, 2, 4), IsEmpty());
    EXPECT_THAT(store_.query({}, 0), IsEmpty());
}

TEST_F(HistoryQueries, fillInTheMetricsThatWereAskedFor) {
    const auto rows = store_.query({.orderBy = "step_time_s", .descending = false, .metrics = {"step_time_s"}}, 10);
    EXPECT_EQ(rows[0].metrics.at("step_time_s"), 0.01);
    EXPECT_THAT(rows[3].metrics, IsEmpty());
}

/// More runs than are asked one by one, so that conditions are answered from their sets.
TEST(ManyRuns, areFilteredAlikeOneByOneAndBySets) {
    Store store = Store::inMemory();
    constexpr int kRuns = 1600;
    for (int i = 0; i < kRuns; ++i) {
        const RunId run = store.addRun(studyOf(i % 2 == 0 ? "even" : "odd", "h"));
        if (i % 400 == 0) store.setTags(run, {"rare"});
    }
    EXPECT_THAT(idsOf(store.query({.tag = "rare"}, 10)), ElementsAre(1201, 801, 401, 1));
    EXPECT_THAT(idsOf(store.query({.text = "rare", .orderBy = "name"}, 10)), ElementsAre(1201, 801, 401, 1));
    EXPECT_EQ(store.count({.model = "even"}), kRuns / 2);
    EXPECT_EQ(store.query({.model = "odd", .status = RunStatus::running, .orderBy = "model"}, -1).size(), kRuns / 2U);
}

TEST(RunsOfSeveralNames, areFoundOnceByAPartOfAll) {
    Store store = Store::inMemory();
    study::Study study = studyOf("zoo:vgg16", "h");
    study.models = {"zoo:vgg16", "zoo:vgg19"};
    store.addRun(study);
    EXPECT_THAT(idsOf(store.query({.model = "vgg"}, 10)), ElementsAre(1));
    EXPECT_EQ(store.count({.model = "VGG", .orderBy = "model"}), 1);
}

/// What common queries look like: every order, alone and with every filter.
std::vector<HistoryQuery> commonQueries() {
    std::vector<HistoryQuery> queries;
    for (const char* order : {"started", "name", "status", "engine", "model", "hardware", "step_time_s"})
        for (const bool descending : {false, true}) {
            HistoryQuery query{.orderBy = order, .descending = descending};
            queries.push_back(query);
            query.text = "resnet";
            query.engine = "partition";
            query.model = query.hardware = query.tag = "x";
            query.status = RunStatus::done;
            query.starred = true;
            query.from = query.to = 1;
            query.ranges = {{"step_time_s", 0, 1}};
            queries.push_back(query);
        }
    return queries;
}

TEST(QueryPlans, useAnIndexAndNeverSort) {
    SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    migrate(database);
    for (const HistoryQuery& query : commonQueries())
        for (const std::string& sql : statementsOf(query)) {
            Query plan(database, "EXPLAIN QUERY PLAN " + sql);
            while (plan.next()) {
                EXPECT_THAT(plan.text(3), Not(HasSubstr("TEMP B-TREE"))) << sql;
                // A virtual table has an index of its own; the names that are known are few.
                const bool isSmall = plan.text(3) == "SCAN known";
                if (plan.text(3).find("VIRTUAL TABLE INDEX") == std::string::npos && !isSmall) {
                    EXPECT_THAT(plan.text(3), Not(HasSubstr("SCAN"))) << sql;
                }
            }
        }
}

}  // namespace
}  // namespace tessera::store::test

// Speed of the history at the size that it has to hold: 100,000 runs and 10 million trace points in one file.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/store/database.h"
#include "core/store/documents.h"
#include "core/store/seal.h"
#include "core/store/store.h"
#include "core/study/study.h"
#include "tests/bench/target.h"
#include "tests/support/partition_result.h"

namespace tessera::store {
namespace {

constexpr std::int64_t kRuns = 100'000;
constexpr std::int64_t kPoints = 10'000'000;

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Runs that differ in everything that lists filter and sort by, in fixed proportions.
constexpr const char* kFill = R"sql(
CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT i FROM n;
INSERT INTO run(id, uid, study, name, engine, models, hardware, status, since, started, finished, headline, version,
                host, starred)
    SELECT i, printf('bcd%021d', i), 1, 'study ' || (i * 7919 % 5000), 'partition',
        'zoo:model' || (i * 31 % 40), 'fleet' || (i * 17 % 12),
        CASE WHEN i % 50 = 0 THEN 'failed' WHEN i % 997 = 0 THEN 'interrupted' ELSE 'done' END,
        1700000000000 + (i * 7907 % 100000) * 1000, 1700000000000 + (i * 7907 % 100000) * 1000, 1800000000000,
        '6.31× over data parallelism', '0.1.0', 'host', i % 200 = 0 FROM n;
INSERT INTO run_model(run, name) SELECT i, 'zoo:model' || (i * 31 % 40) FROM n;
INSERT INTO run_hardware(run, name) SELECT i, 'fleet' || (i * 17 % 12) FROM n;
INSERT INTO tag(run, name) SELECT i, CASE WHEN i % 1000 = 1 THEN 'rare' ELSE 'common' END FROM n WHERE i % 2 = 1;
INSERT INTO note(run, text) SELECT i, 'looked at on day ' || (i % 365) FROM n WHERE i % 5 = 0;
INSERT INTO metric(run, kind, position, value)
    SELECT i, k.id, k.id, ((i * 104729 + k.id * 7) % 1000003) / 1e6 FROM n, (SELECT id FROM metric_kind ORDER BY id LIMIT 8) AS k;
INSERT INTO run_search(rowid, name, tags, note, models, hardware)
    SELECT id, name, coalesce((SELECT group_concat(name, ' ') FROM tag WHERE run = id), ''),
        coalesce((SELECT text FROM note WHERE run = id), ''), models, hardware FROM run WHERE id > 1;
)sql";

/// The file, made once.
class Fixture {
public:
    static Fixture& instance() {
        static Fixture fixture;
        return fixture;
    }
    std::filesystem::path path() const { return folder_.path() / "history.db"; }
    double insertedPerSecond() const { return insertedPerSecond_; }

private:
    Fixture() {
        Store store = Store::open(path());
        const study::Result result = test::handMadeResult();
        store.finishRun(store.addRun(result.study), result, "fine");
        Connection direct = openConnection(path(), OpenMode::readWrite);
        direct.database->exec("BEGIN");
        direct.database->exec(kFill);
        Seals(*direct.database).noteAll();
        direct.database->exec("COMMIT");
        constexpr std::int64_t kBatch = 10'000;
        std::vector<TracePoint> points;
        for (std::int64_t i = 0; i < kBatch; ++i)
            points.push_back({i % 2 == 0 ? "best" : "mean", static_cast<double>(i), 1.0 / static_cast<double>(i + 1)});
        const Clock::time_point start = Clock::now();
        for (std::int64_t i = 0; i < kPoints / kBatch; ++i)
            store.record(1 + i * (kRuns / 1000) % kRuns, {.before = points});
        insertedPerSecond_ = static_cast<double>(kPoints) / secondsSince(start);
    }

    TemporaryFolder folder_;
    double insertedPerSecond_ = 0;
};

/// The time for which this thread computed: what the work takes on a machine that is not busy with other things, since
/// the file is in memory by then.
double threadSeconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The best of all iterations counts, since other programs only ever slow it down.
template <typename Work>
void measure(benchmark::State& state, const bench::Target& target, const std::string& of, const Work& work) {
    // The first time reads pages from the disk; a list that is open asks again and again.
    const double before = threadSeconds();
    work();
    state.counters["first_ms"] = (threadSeconds() - before) * 1e3;
    double best = std::numeric_limits<double>::infinity();
    for (auto _ : state) {
        const double start = threadSeconds();
        work();
        best = std::min(best, threadSeconds() - start);
    }
    bench::hold(state, target, best, of);
}

void insertTrace(benchmark::State& state) {
    const double rate = Fixture::instance().insertedPerSecond();
    for (auto _ : state) benchmark::DoNotOptimize(rate);
    bench::hold(state,
                {.what = "Recording points of traces, ten million in a history,",
                 .bound = 200'000,
                 .unit = "/s",
                 .side = bench::Side::atLeast},
                rate);
}
BENCHMARK(insertTrace)->Iterations(1);

void open(benchmark::State& state) {
    const std::filesystem::path path = Fixture::instance().path();
    measure(state, {.what = "Opening a history of 100,000 runs", .bound = 0.1}, {}, [&] { Store::open(path); });
}
BENCHMARK(open)->Unit(benchmark::kMillisecond);

struct Case {
    const char* name;
    HistoryQuery query;
};

std::vector<Case> cases() {
    using Range = HistoryQuery::Range;
    return {
        {"newest", {}},
        {"oldest", {.descending = false}},
        {"by name", {.orderBy = "name", .descending = false}},
        {"by model", {.orderBy = "model"}},
        {"by status", {.orderBy = "status"}},
        {"by metric", {.orderBy = "step_time_s", .descending = false}},
        {"engine, newest", {.engine = "partition"}},
        {"failed, newest", {.status = RunStatus::failed}},
        {"interrupted by name", {.status = RunStatus::interrupted, .orderBy = "name"}},
        {"starred by metric", {.starred = true, .orderBy = "step_time_s"}},
        {"done by metric", {.status = RunStatus::done, .orderBy = "step_time_s"}},
        {"model, newest", {.model = "zoo:model3"}},
        {"model by metric", {.model = "zoo:model3", .orderBy = "step_time_s"}},
        {"model and fleet by metric", {.model = "zoo:model3", .hardware = "fleet2", .orderBy = "step_time_s"}},
        {"absent model by metric", {.model = "none", .orderBy = "step_time_s"}},
        {"part of a model, newest", {.model = "Model3"}},
        {"part of a model by metric", {.model = "Model3", .orderBy = "step_time_s"}},
        {"part of every model and of a fleet by metric", {.model = "zoo", .hardware = "t11", .orderBy = "step_time_s"}},
        {"rare tag", {.tag = "rare"}},
        {"common tag by metric", {.tag = "common", .orderBy = "step_time_s"}},
        {"rare word", {.text = "rare"}},
        {"rare word by metric", {.text = "rare", .orderBy = "step_time_s"}},
        {"common word", {.text = "stud"}},
        {"common word by metric", {.text = "zoo study", .orderBy = "step_time_s"}},
        {"one letter by name", {.text = "s", .orderBy = "name"}},
        {"range, newest", {.ranges = {Range{"step_time_s", 0.2, 0.8}}}},
        {"narrow range, newest", {.ranges = {Range{"step_time_s", 0.5, 0.501}}}},
        {"two ranges by metric",
         {.ranges = {Range{"step_time_s", {}, 0.5}, Range{"throughput_samples_per_s", 0.5, {}}},
          .orderBy = "step_time_s"}},
        {"dates by metric", {.from = 1700000010000, .to = 1700000020000, .orderBy = "step_time_s"}},
        {"everything",
         {.text = "study",
          .engine = "partition",
          .model = "zoo:model3",
          .tag = "common",
          .status = RunStatus::done,
          .ranges = {Range{"step_time_s", 0.1, {}}},
          .orderBy = "step_time_s"}},
    };
}

void firstPage(benchmark::State& state, const Case& one) {
    const Store store = Store::open(Fixture::instance().path());
    constexpr std::int64_t kPage = 100;
    HistoryQuery query = one.query;
    query.metrics = {"step_time_s"};
    std::size_t rows = 0;
    measure(state, {.what = "The first page of a query of 100,000 runs", .bound = 0.02}, one.name,
            [&] { rows = store.query(query, kPage).size(); });
    state.counters["rows"] = static_cast<double>(rows);
}

/// Readers and a writer at once, for `TESSERA_SOAK_SECONDS` (3 where it is not set): no lock error.
void oneWriterAndEightReaders(benchmark::State& state) {
    const char* given = std::getenv("TESSERA_SOAK_SECONDS");
    const double seconds = given != nullptr ? std::atof(given) : 3;
    const std::filesystem::path path = Fixture::instance().path();
    std::atomic<int> errors = 0;
    std::atomic<int> pages = 0;
    int written = 0;
    for (auto _ : state) {
        std::atomic<bool> stop = false;
        std::vector<std::jthread> readers;
        for (int i = 0; i < 8; ++i)
            readers.emplace_back([&] {
                try {
                    const Store store = Store::open(path);
                    for (; !stop; ++pages) store.query({.orderBy = "step_time_s"}, 50);
                } catch (const StoreError&) {
                    ++errors;
                }
            });
        Store writer = Store::open(path);
        const Clock::time_point start = Clock::now();
        for (; secondsSince(start) < seconds; ++written)
            writer.record(1 + written % kRuns, {.before = std::vector<TracePoint>(1000, {"live", 1, 2})});
        stop = true;
    }
    state.counters["pages"] = pages.load();
    state.counters["batches"] = written;
    if (errors != 0) state.SkipWithError("a reader met a lock");
}
BENCHMARK(oneWriterAndEightReaders)->Iterations(1)->Unit(benchmark::kMillisecond);

const bool kRegistered = [] {
    for (const Case& one : cases())
        benchmark::RegisterBenchmark((std::string("firstPage/") + one.name).c_str(), [one](benchmark::State& state) {
            firstPage(state, one);
        })->Unit(benchmark::kMillisecond);
    return true;
}();

}  // namespace
}  // namespace tessera::store

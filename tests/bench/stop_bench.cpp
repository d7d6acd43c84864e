// How soon a run gives up, or ends with what it has: 100 ms and a second on the wall, whenever it is asked.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/store/database.h"
#include "core/store/recorder.h"
#include "core/study/study.h"
#include "tests/bench/target.h"

namespace tessera {
namespace {

const bench::Target kCancelled{.what = "Giving up a run", .bound = 0.1};
const bench::Target kStopped{.what = "Ending a run with what it has", .bound = 1};

using Clock = std::chrono::steady_clock;

/// Chains of layers that keep the engine busy, and a history.
class Fixture {
public:
    static Fixture& instance() {
        static Fixture fixture;
        return fixture;
    }
    study::Study study(int layers) const {
        const std::filesystem::path model = folder_.path() / fmt::format("chain{}.json", layers);
        if (!std::filesystem::exists(model)) writeFile(model, chain(layers));
        study::Study study = study::newStudy("partition");
        study.models = {model.string()};
        study.hardware = {"accpar-heterogeneous"};
        study::setParameter(study, "levels", {"2"});
        return study;
    }
    std::filesystem::path history() const { return folder_.path() / "history.db"; }

private:
    static std::string chain(int layers) {
        std::string text = R"({"schema": "tessera.layers/1", "name": "chain", "layers": [)";
        for (int n = 0; n < layers; ++n)
            text += fmt::format(R"({}{{"name": "l{}", "kind": "fc", "in_channels": 64, "out_channels": 64}})",
                                n > 0 ? ",\n" : "", n);
        return text + "]}";
    }
    TemporaryFolder folder_;
};

/// The engine alone, at the depth of the largest networks.
void compute(study::RunContext context) {
    study::run(Fixture::instance().study(60'000), context);
}

/// With everything that the history keeps of a run.
void record(study::RunContext context) {
    store::RecordOptions options;
    options.path = Fixture::instance().history();
    store::runRecorded(Fixture::instance().study(20'000), std::move(context), options);
}

/// The moments at which a run is asked, in milliseconds: while it reads, prepares, splits, and proves.
const std::vector<std::int64_t> kMoments{5, 20, 50, 100, 150};

using Work = void (*)(study::RunContext context);
using Question = std::stop_token study::RunContext::*;

/// Asks the work after some time, and returns the seconds until it ended; below 0 where it was faster than the
/// question.
double answerTime(Work work, int milliseconds, Question question) {
    std::stop_source ask;
    std::atomic<Clock::rep> asked = 0;
    study::RunContext context;
    context.*question = ask.get_token();
    std::jthread later([&](const std::stop_token& stop) {
        const Clock::time_point end = Clock::now() + std::chrono::milliseconds(milliseconds);
        while (Clock::now() < end && !stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        asked = Clock::now().time_since_epoch().count();
        ask.request_stop();
    });
    Clock::time_point ended;
    try {
        work(std::move(context));
        ended = Clock::now();
    } catch (const InterruptedError&) {
        ended = Clock::now();
    }
    if (asked == 0) return -1;
    return std::chrono::duration<double>(ended.time_since_epoch() - Clock::duration(asked.load())).count();
}

void answer(benchmark::State& state, Work work, Question question, const bench::Target& target) {
    double seconds = 0;
    for (auto _ : state) seconds = answerTime(work, static_cast<int>(state.range(0)), question);
    bench::hold(state, target, seconds,
                fmt::format("{}after {} ms", work == record ? "recorded, " : "", state.range(0)));
}

BENCHMARK_CAPTURE(answer, cancel, compute, &study::RunContext::cancel, kCancelled)
    ->ArgsProduct({kMoments})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(answer, stop, compute, &study::RunContext::finish, kStopped)
    ->ArgsProduct({kMoments})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
// Early: once there is a result, what is left is to write it.
BENCHMARK_CAPTURE(answer, cancel_recorded, record, &study::RunContext::cancel, kCancelled)
    ->ArgsProduct({{5, 20, 50}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(answer, stop_recorded, record, &study::RunContext::finish, kStopped)
    ->ArgsProduct({kMoments})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera

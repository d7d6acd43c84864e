// Explorations by several processes: how well two ranks use two processors, what a point costs rank 0 beside its own
// work, and from that, on a virtual clock, how many ranks it can keep at work.
#include <benchmark/benchmark.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/input_files.h"
#include "core/ranks/conductor.h"
#include "core/ranks/message.h"
#include "core/ranks/worker.h"
#include "core/study/exploration/shared_points.h"
#include "core/study/members.h"
#include "core/study/option_table.h"
#include "core/study/shared_work.h"
#include "core/study/study.h"
#include "tests/bench/target.h"
#include "tests/support/saturation.h"

namespace tessera::study {
namespace {

using namespace std::chrono_literals;

constexpr double kLeastEfficiency = 0.9;
/// Seconds of rank 0 for a message, a point of an exploration of plans, and the way between processes: as measured by
/// the benchmarks below on two cores of an AMD EPYC on 27 November 2026, the way as it is over Ethernet.
constexpr test::QueueCosts kMeasured{.ofMessage = 15e-6, .ofTask = 40e-6, .latency = 50e-6, .spread = 0.5};

/// A worker in a process of its own.
class OtherProcess {
public:
    OtherProcess(const ranks::Introduction& first, const ranks::WorkKinds& kinds) {
        child_ = ::fork();
        if (child_ != 0) return;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        ::close(first.socket);
        ranks::Introduction its = first;
        its.rank = 1;
        its.socket = -1;
        ranks::workAsRank(its, kinds, {.threads = 1});
        ::_exit(0);
    }
    OtherProcess(const OtherProcess&) = delete;
    OtherProcess& operator=(const OtherProcess&) = delete;
    ~OtherProcess() {
        ::kill(child_, SIGKILL);
        ::waitpid(child_, nullptr, 0);
    }

private:
    pid_t child_ = 0;
};

/// Rank 0 and one other.
struct TwoRanks {
    explicit TwoRanks(const ranks::WorkKinds& kinds) : TwoRanks(kinds, ranks::listenAnywhere()) {}
    TwoRanks(const ranks::WorkKinds& kinds, const ranks::Listening& listening)
        : introduction{.rank = 0,
                       .size = 2,
                       .token = ranks::randomToken(),
                       .addresses = listening.addresses,
                       .socket = ::dup(listening.socket.get())},
          other(introduction, kinds),
          conductor(std::make_shared<ranks::Conductor>(introduction)) {
        while (conductor->threads() == 0) std::this_thread::sleep_for(1ms);
    }
    ranks::Introduction introduction;
    OtherProcess other;
    std::shared_ptr<ranks::Conductor> conductor;
};

/// An engine that keeps a processor for a time.
struct Spun {
    double value = 0;
};
struct SpinOptions {
    double milliseconds = 10, a = 0;
    double sleeps = 0;
};
const OptionTable<SpinOptions>& spinTable() {
    static const OptionTable<SpinOptions> kTable{
        {"milliseconds", "--milliseconds X", &SpinOptions::milliseconds, Values::number(0, 1e6), "its time"},
        {"a", "--a X", &SpinOptions::a, Values::number(-1e9, 1e9), "a number"},
        {"sleeps", "--sleeps X", &SpinOptions::sleeps, Values::number(0, 1), "1 = leaves the processor to others"},
    };
    return kTable;
}
constexpr DocumentKind kSpunKind{"tessera.spun-result/1", "spin"};
constexpr auto kSpunDocument = [](auto& doc, auto& spun, auto& /*result*/) { doc("spun", spun.value); };

Engine spinEngine() {
    return {.id = "spin",
            .title = "Spin",
            .description = "Keeps a processor at work.",
            .hardwareKind = {},
            .models = InputArity::none,
            .hardware = InputArity::none,
            .parameters = []() -> const std::vector<Parameter>& { return spinTable().parameters(); },
            .run =
                [](const Study& study, const RunContext&) {
                    const SpinOptions options = spinTable().of(study);
                    const auto until = std::chrono::steady_clock::now() +
                                       std::chrono::duration<double, std::milli>(options.milliseconds);
                    if (options.sleeps > 0) std::this_thread::sleep_until(until);
                    while (std::chrono::steady_clock::now() < until) {
                    }
                    Result result;
                    result.study = study;
                    result.outcome = Spun{options.a * options.a};
                    return result;
                },
            .estimate = [](const Study&) { return Estimate{.text = "soon", .seconds = 0.01, .problems = {}}; },
            .resultSchema = "tessera.spun-result/1",
            .write = [](const Result& result,
                        const TextSink& write) { writeDocument<Spun>(result, write, kSpunKind, kSpunDocument); },
            .read = [](const JsonNode& document,
                       const Study& study) { return readDocument<Spun>(document, study, kSpunKind, kSpunDocument); },
            .headline = [](const Result&) { return std::string("spun"); },
            .metrics =
                [](const Result& result) {
                    return std::vector<Metric>{{.name = "spun",
                                                .title = "Spun",
                                                .owner = "",
                                                .value = result.outcome.get<Spun>().value,
                                                .better = Metric::Better::lower}};
                }};
}

Study explorationIn(const std::string& text) {
    return readStudy(JsonDocument::parse(R"({"schema": "tessera.exploration/1", )" + text + "}", "bench").root());
}

/// Points that work, which wants two processors with nothing else to do, or that sleep, which shows what handing out
/// alone costs wherever it is measured.
void efficiencyOfTwo(benchmark::State& state, bool sleeps) {
    if (findEngine("spin") == nullptr) addEngine(spinEngine());
    constexpr int kPoints = 200;
    constexpr double kSeconds = 0.01;
    const auto exploration = [sleeps](const char* milliseconds) {
        return explorationIn(std::string(R"("study": {"engine": "spin", "parameters": {"sleeps": )") +
                             (sleeps ? "1" : "0") + R"(, "milliseconds": )" + milliseconds +
                             R"(}}, "variables": [{"parameter": "a", "low": -5, "high": 5}],
           "objectives": ["spun"], "method": "random", "points": 200)");
    };
    const auto secondsOf = [](const Study& study, const RunContext& context) {
        const auto begun = std::chrono::steady_clock::now();
        benchmark::DoNotOptimize(run(study, context));
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    };
    TwoRanks two(sharedWork());
    RunContext context;
    context.threads = 1;
    // What the exploration makes of its points once it has them is no matter of how many evaluate them.
    const Study itself = exploration("0"), study = exploration("10");
    const double own = std::min(secondsOf(itself, context), secondsOf(itself, context));
    context.ranks = two.conductor;
    double best = 0;
    for (auto _ : state) best = std::max(best, kPoints * kSeconds / (2 * (secondsOf(study, context) - own)));
    bench::hold(state,
                {.what = "The efficiency of two ranks at points of 10 ms",
                 .bound = kLeastEfficiency,
                 .unit = "",
                 .side = bench::Side::atLeast},
                best, sleeps ? "asleep" : "at work");
}
BENCHMARK_CAPTURE(efficiencyOfTwo, works, false)
    ->Name("ranks/efficiency of two at 10 ms")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(efficiencyOfTwo, sleeps, true)
    ->Name("ranks/efficiency of two at 10 ms asleep")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// Answers after a time.
class Sleeper : public ranks::TaskDoer {
public:
    explicit Sleeper(std::chrono::microseconds time) : time_(time) {}
    std::optional<std::string> answer(const std::string& question, const RunControl& /*control*/) override {
        if (time_.count() > 0) std::this_thread::sleep_for(time_);
        return question;
    }

private:
    std::chrono::microseconds time_;
};

/// Seconds of this process for each task that the other one does: of short ones many come in a message, of long ones
/// each in its own.
void costOfTasks(benchmark::State& state) {
    const std::chrono::microseconds time(state.range(0));
    const std::size_t count = time.count() == 0 ? 50'000 : 1000;
    TwoRanks two({{"sleep", [time](const std::string&) { return std::make_unique<Sleeper>(time); }}});
    const auto setup = std::make_shared<const ranks::Setup>(ranks::Setup{.kind = "sleep", .bytes = ""});
    std::size_t away = 0;
    const std::string question(100, ' ');
    const std::clock_t begun = std::clock();
    for (auto _ : state) {
        ranks::Work work{.count = count,
                         .question = [&](std::size_t) { return question; },
                         .here = [](std::size_t) { std::this_thread::sleep_for(20ms); },
                         .answered = [&](std::size_t, const std::string& answer) { away += answer.size() / 100; }};
        two.conductor->run(setup, work);
    }
    const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
    state.counters["µs/task"] = seconds / static_cast<double>(away) * 1e6;
}
BENCHMARK(costOfTasks)->Name("ranks/cost of tasks")->Arg(0)->Arg(1000)->Unit(benchmark::kMillisecond)->UseRealTime();

/// What rank 0 makes of the answer for a point of a plan.
void costOfAnswer(benchmark::State& state) {
    const Study study = loadStudy("hbm-nvlink-price");
    const auto files = std::make_shared<InputFiles>();
    const InputScope inputs(files);
    const ExplorationDefinition definition = definitionOf(study);
    const ExploredSpace space(definition.base, definition.variables);
    PointEvaluator evaluator(definition, space, files);
    const std::unique_ptr<ranks::TaskDoer> doer = sharedPointsDoer(sharedSetup(study, *files, 1)->bytes);
    const explore::Point point{4e12, 6e11};
    const std::string answer = doer->answer(questionOf(point, false), {}).value();
    SharedAnswers answers(space, definition.objectives.size(), evaluator.metrics());
    for (auto _ : state) benchmark::DoNotOptimize(answers.read(point, answer));
    state.counters["bytes"] = static_cast<double>(answer.size());
}
BENCHMARK(costOfAnswer)->Name("ranks/cost of an answer")->Unit(benchmark::kMicrosecond);

/// Where rank 0 is saturated: efficiency of so many ranks of one thread at points of so many milliseconds, with
/// messages of one point, and the batch that keeps 90 % (0 = none does).
void saturation(benchmark::State& state) {
    test::QueueCosts costs = kMeasured;
    costs.task = static_cast<double>(state.range(1)) * 1e-3;
    const auto ranks = static_cast<std::size_t>(state.range(0));
    test::QueueResult single;
    std::size_t batch = 0;
    for (auto _ : state) {
        single = test::queueOf(ranks, ranks * 32, 1, costs);
        batch = test::batchThatKeeps(kLeastEfficiency, ranks, costs);
    }
    state.counters["efficiency of single points"] = single.efficiency;
    state.counters["rank 0 at work"] = single.busy;
    state.counters["batch for 90 %"] = static_cast<double>(batch);
}
BENCHMARK(saturation)
    ->Name("ranks/saturation")
    ->ArgNames({"ranks", "ms"})
    ->ArgsProduct({{64, 512, 4096}, {10, 100, 200, 300, 1000}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::study

// Whole runs of the command line that have a time to end in.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "tests/bench/target.h"
#include "tests/support/paths.h"
#include "tests/support/scratch_folder.h"

namespace tessera {
namespace {

/// Runs the program in an empty folder, with a history of its own, and holds it to a target on the wall.
void runProgram(benchmark::State& state, const std::string& arguments, const bench::Target& target) {
    double seconds = 0;
    for (auto _ : state) {
        const test::ScratchFolder folder;
        const std::string command = "cd '" + folder.path().string() + "' && XDG_DATA_HOME=$PWD '" +
                                    test::program().string() + "' " + arguments + " >said 2>&1 </dev/null";
        const auto begun = std::chrono::steady_clock::now();
        if (std::system(command.c_str()) != 0) state.SkipWithError("the program fails");
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    }
    bench::hold(state, target, seconds);
}
BENCHMARK_CAPTURE(runProgram, tour, "tour --out tour", {.what = "The tour on two cores", .bound = 60})
    ->Name("long/tour")
    ->Unit(benchmark::kSecond)
    ->Iterations(1)
    ->UseRealTime();
BENCHMARK_CAPTURE(runProgram, calibrateQuick, "calibrate --quick --out machine.json --no-store",
                  {.what = "A quick calibration", .bound = 30})
    ->Name("long/calibrateQuick")
    ->Unit(benchmark::kSecond)
    ->Iterations(1)
    ->UseRealTime();

}  // namespace
}  // namespace tessera

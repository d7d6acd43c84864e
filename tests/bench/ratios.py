#!/usr/bin/env python3
"""Holds ratios of benchmarks against each other, each within one run of its program.

    python3 tests/bench/ratios.py build/release/bin

How long something takes is a matter of the machine; how much longer than something else, in the same run, hardly is. The
bounds stand beside the benchmarks that they speak of, in tests/bench/*_bench.cpp, as lines of the form

    // Ratio: NAME <= FACTOR * OTHER

with the names that the program prints, and a reason above. Times are CPU time, the least of several repetitions. A ratio
above its bound is measured again, since what else the machine does is not ours; it has to be above three times. Ends with 1 where one is,
where a line names a benchmark that does not exist, or where a benchmark fails, which has no time then.
"""
import json
import pathlib
import re
import subprocess
import sys

TRIES = 3
RATIO = re.compile(r"^// Ratio: (\S+) <= ([0-9.]+) \* (\S+)$", re.MULTILINE)


def bounds_of(source):
    """The bounds of a benchmark program: (name, factor, other name)."""
    return [(name, float(factor), other) for name, factor, other in RATIO.findall(source.read_text())]


def times_of(program, names):
    """The least CPU time of each of the program's benchmarks `names`, in seconds."""
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    pattern = "^(" + "|".join(re.escape(name) for name in sorted(names)) + ")$"
    command = [
        str(program), f"--benchmark_filter={pattern}", "--benchmark_format=json",
        "--benchmark_repetitions=3", "--benchmark_min_time=0.05",
    ]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    times = {}
    for row in json.loads(printed)["benchmarks"]:
        if row.get("error_occurred"):
            sys.exit(f"error: {program.name}: {row['run_name']} fails: {row.get('error_message', '')}")
        if row.get("run_type") == "aggregate" or "cpu_time" not in row:
            continue
        seconds = row["cpu_time"] * unit[row["time_unit"]]
        times[row["run_name"]] = min(seconds, times.get(row["run_name"], seconds))
    return times


def broken_bounds(program, bounds):
    """Those of the bounds that one run of the program breaks, with its ratio; prints all."""
    times = times_of(program, {name for bound in bounds for name in (bound[0], bound[2])})
    broken = []
    for name, factor, other in bounds:
        missing = [each for each in (name, other) if each not in times]
        if missing:
            sys.exit(f"error: {program.name} has no benchmark '{missing[0]}', which a ratio names")
        ratio = times[name] / times[other]
        print(f"{program.name}: {name} takes {ratio:.3g} times as long as {other}; at most {factor:g}")
        if ratio > factor:
            broken.append((name, factor, other))
    return broken


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    programs = pathlib.Path(sys.argv[1])
    sources = {
        source: bounds for source in sorted(pathlib.Path(__file__).parent.glob("*_bench.cpp")) if (bounds := bounds_of(source))
    }
    if not sources:
        sys.exit("error: no benchmark has a ratio")
    failed = []
    for source, bounds in sources.items():
        program = programs / ("bench_" + source.name.removesuffix("_bench.cpp"))
        for _ in range(TRIES):
            bounds = broken_bounds(program, bounds)
            if not bounds:
                break
        failed += [f"{program.name}: {name} takes more than {factor:g} times as long as {other}" for name, factor, other in bounds]
    for sentence in failed:
        print(f"error: {sentence}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

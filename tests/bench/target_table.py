#!/usr/bin/env python3
"""Prints the table of speed targets from what benchmarks have noted of them; `bash tests/bench/targets` calls it.

    python3 tests/bench/target_table.py FOLDER

The folder holds a file for each run of a program, NAME.TRY, with the lines that tests/bench/target.h writes: program, what
is promised, case, "at most" or "at least", bound, measured, unit, "met" or "missed". A benchmark notes more than once while
it looks for the number of its iterations: the last line of a case counts. Of several tries the best one counts, of several
cases the worst one. Ends with 1 where a target is missed or nothing was noted.
"""
import pathlib
import sys


def ratio_of(side, bound, measured):
    """How much of the bound is used up: above 1 it is missed."""
    used, all_of_it = (measured, bound) if side == "at most" else (bound, measured)
    if all_of_it == 0:
        return 0.0 if used == 0 else float("inf")
    return used / all_of_it


def cases_of(file):
    """{(program, what, case): (ratio, side, bound, measured, unit, met)} of a run of a program."""
    cases = {}
    for line in file.read_text().splitlines():
        program, what, case, side, bound, measured, unit, met = line.split("\t")
        numbers = float(bound), float(measured)
        cases[program, what, case] = (ratio_of(side, *numbers), side, *numbers, unit, met == "met")
    return cases


def number_text(value, unit):
    """As numberText() of tests/bench/target.h."""
    if unit == "s" and 0 < value < 0.1:
        return f"{value * 1e6:.3g} µs" if value < 1e-4 else f"{value * 1e3:.3g} ms"
    digits = f"{value:.3g}" if value < 1000 else f"{value:,.0f}"
    return f"{digits} {unit}".rstrip()


def rows_of(cases):
    """A row for each target, the tightest first."""
    worst, counts = {}, {}
    for (program, what, case), found in cases.items():
        key = program, what
        counts[key] = counts.get(key, 0) + 1
        if key not in worst or found[0] > worst[key][1][0]:
            worst[key] = case, found
    rows = []
    for (program, what), (case, found) in sorted(worst.items(), key=lambda item: -item[1][1][0]):
        ratio, side, bound, measured, unit, met = found
        count = counts[program, what]
        of = f"{case} ({count} cases)" if case and count > 1 else case
        rows.append([what.rstrip(","), f"{side} {number_text(bound, unit)}", number_text(measured, unit), f"{ratio:.2f}",
                     "met" if met else "MISSED", of, program.removeprefix("bench_")])
    return rows


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cases = {}
    for file in sorted(pathlib.Path(sys.argv[1]).glob("*.[0-9]")):
        for key, found in cases_of(file).items():
            if key not in cases or found[0] < cases[key][0]:
                cases[key] = found
    if not cases:
        sys.exit("error: no benchmark has noted a target")
    rows = rows_of(cases)
    heads = ["what", "target", "measured", "ratio", "", "worst case", "program"]
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    for row in [heads, *rows]:
        cells = [cell.rjust(width) if i in (1, 2, 3) else cell.ljust(width) for i, (cell, width) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip())
    missed = [row for row in rows if row[4] == "MISSED"]
    print(f"\n{len(rows)} targets, {len(rows) - len(missed)} met" + (f", {len(missed)} MISSED" if missed else ""))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()

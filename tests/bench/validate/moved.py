#!/usr/bin/env python3
"""Says which predictions of measured numbers have moved since they were last accepted.

    python3 tests/bench/validate/moved.py build/release/bin/tessera
    python3 tests/bench/validate/moved.py build/release/bin/tessera --accept

`predictions.csv` beside this file keeps an even sample of the predictions of `tessera validate`, `errors.csv` the errors
of every set; the README has them as a table, and a few runs by themselves. A prediction that differs by more than 0.1 %, a row that is new, gone, or refused where it was not, and a set
whose mean error has moved by more than 0.0005 are listed, and end this with 1: a change of the model is either meant, and then
accepted with its errors in the same commit, or a fault. `--accept` writes both files and the table anew.
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
README = FOLDER.parents[2] / "README.md"
# What tells a peer of another metric than time, in the words of its method.
SPEAKS_OF = {"memory_bytes": "bytes a parameter", "energy_j": "watts", "bubble_share": "bubble"}
TABLE = "| set | rows | refused | mean | median | worst | inside | best peer |"
MOST_OF_A_SET = 120
# Runs that the README shows by themselves: id, what it is, configuration.
SHOWN = "| run | configuration | measured | ours |"
SHOWN_RUNS = [
    ("sc21-table1-4a5ff567", "GPT 1008B, 3,072 A100, Megatron-LM (SC 2021)", "tp 8, pp 64, dp 6"),
    ("sc21-table1-7715942b", "GPT 76.1B, 1,024 A100, Megatron-LM (SC 2021)", "tp 8, pp 4, dp 32"),
    ("mlperf-gpt3-193962b1", "GPT-3 175B, 512 H100, FP8 (MLPerf Training)", "tp 4, pp 8, dp 16"),
    ("mlperf-gpt3-d7146d91", "GPT-3 175B, 8,192 H100, FP8 (MLPerf Training)", "tp 4, pp 8, dp 256"),
]
PREDICTED = ["set", "id", "metric", "measured", "predicted"]
ERRORS = ["set", "rows", "predicted", "mean_error", "median_error", "worst_error", "spearman", "coverage"]
PREDICTION_TOLERANCE = 1e-3
ERROR_TOLERANCE = 5e-4


def validation_of(program):
    """What `tessera validate --json` says of all bundled rows."""
    command = [str(program), "validate", "--rows", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def text_of(value):
    """A cell: six digits of a number, nothing for null."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def sample_of(rows):
    """At most MOST_OF_A_SET rows of each set, evenly spread in the order of their tables."""
    by_set = {}
    for row in rows:
        by_set.setdefault(row["set"], []).append(row)
    for of_set in by_set.values():
        count = min(len(of_set), MOST_OF_A_SET)
        for i in range(count):
            yield of_set[i * len(of_set) // count]


def write(path, columns, rows):
    with path.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(columns)
        for row in rows:
            table.writerow([text_of(row[column]) for column in columns])


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def percent(share):
    """Three digits of a share in percent; a dash for null."""
    if share is None:
        return "–"
    digits = max(0, 2 - len(str(int(share * 100))) + 1)
    return f"{share * 100:.{digits}f} %"


def speaks_of(method, metric):
    """True where a peer predicts that metric; None where its set has one only."""
    return metric is None or all((words in method) == (metric == other) for other, words in SPEAKS_OF.items())


def best_peer(row, metric, rows):
    """The least mean error of a method that was tried on nearly all rows of a set's metric, kernel by kernel or at once."""
    methods = {}
    for peer in row["baselines"]:
        if not speaks_of(peer["method"], metric):
            continue
        method = peer["method"].split(": ", 1)[-1] if row["set"].startswith("kernels-") else peer["method"]
        methods.setdefault(method, []).append((peer["rows"], peer["mean_error"]))
    means = []
    for tried in methods.values():
        count = sum(rows_of for rows_of, _ in tried)
        if 0.85 * rows <= count <= rows:
            means.append(sum(rows_of * mean for rows_of, mean in tried) / count)
    return min(means, default=None)


def summaries_of(said):
    """Errors by set, and by metric where a set has several: (name, rows, refused, mean, median, worst, inside, peer)."""
    for row in said["sets"]:
        of_set = [one for one in said["rows"] if one["set"] == row["set"]]
        metrics = list(dict.fromkeys(one["metric"] for one in of_set))
        for metric in metrics:
            chosen = [one for one in of_set if one["metric"] == metric]
            errors = [one["error"] for one in chosen]
            predicted = [one for one in chosen if one["predicted"] is not None]
            inside = [one["low"] <= one["measured"] <= one["high"] for one in predicted]
            name = row["set"] if len(metrics) == 1 else f"{row['set']}, {metric}"
            yield (name, len(chosen), len(chosen) - len(predicted), statistics.fmean(errors), statistics.median(errors),
                   max(errors), statistics.fmean(inside) if inside else None, best_peer(row, metric if len(metrics) > 1 else None, len(chosen)))


def table_of(said):
    """The lines of the README's table."""
    yield TABLE
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for name, rows, refused, *errors in summaries_of(said):
        yield f"| {name} | {rows:,} | {refused:,} | {' | '.join(percent(error) for error in errors)} |"


def shown_runs_of(said):
    """The lines of the README's table of single runs, in seconds."""
    yield SHOWN
    yield "|---|---|--:|--:|"
    rows = {row["id"]: row for row in said["rows"]}
    for name, run, configuration in SHOWN_RUNS:
        yield f"| {run} | {configuration} | {rows[name]['measured']:.4g} | {rows[name]['predicted']:.3g} |"


def write_readme(said):
    lines = README.read_text().split("\n")
    for table in (list(shown_runs_of(said)), list(table_of(said))):
        start = lines.index(table[0])
        end = next(i for i in range(start, len(lines)) if not lines[i].startswith("|"))
        lines[start:end] = table
    README.write_text("\n".join(lines))


def differs(accepted, now, tolerance, relative):
    """True where two cells are not the same, by number where both are one."""
    if accepted == "" or now == "":
        return accepted != now
    allowed = tolerance * abs(float(accepted)) if relative else tolerance
    return abs(float(now) - float(accepted)) > allowed


def moved_predictions(rows):
    now = {(row["set"], row["id"], row["metric"]): text_of(row["predicted"]) for row in rows}
    accepted = read(FOLDER / "predictions.csv")
    for row in accepted:
        key = (row["set"], row["id"], row["metric"])
        if key not in now:
            yield f"{' '.join(key)}: there is no such row any more"
        elif differs(row["predicted"], now[key], PREDICTION_TOLERANCE, relative=True):
            measured, before = row["measured"], row["predicted"] or "refused"
            yield f"{' '.join(key)}: measured {measured}, was {before}, is {now[key] or 'refused'}"


def moved_errors(sets):
    accepted = {row["set"]: row for row in read(FOLDER / "errors.csv")}
    for row in sets:
        before = accepted.pop(row["set"], None)
        if before is None:
            yield f"{row['set']}: is a new set, with a mean error of {text_of(row['mean_error'])}"
        elif differs(before["mean_error"], text_of(row["mean_error"]), ERROR_TOLERANCE, relative=False):
            yield f"{row['set']}: mean error was {before['mean_error']}, is {text_of(row['mean_error'])}"
    for name in accepted:
        yield f"{name}: there is no such set any more"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the command line program to ask")
    parser.add_argument("--accept", action="store_true", help="keep what it says now")
    options = parser.parse_args()
    said = validation_of(options.program)
    if options.accept:
        write(FOLDER / "predictions.csv", PREDICTED, sample_of(said["rows"]))
        write(FOLDER / "errors.csv", ERRORS, said["sets"])
        write_readme(said)
        return 0
    moved = list(moved_predictions(said["rows"])) + list(moved_errors(said["sets"]))
    for line in moved:
        print(line)
    count = len(read(FOLDER / "predictions.csv"))
    print(f"{len(moved)} moved, of {count} predictions and {len(said['sets'])} sets")
    return 1 if moved else 0


if __name__ == "__main__":
    sys.exit(main())

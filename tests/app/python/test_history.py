"""The history, which the command line and the studio share."""

import json
import os
import signal
import subprocess
import sys

import pytest
from conftest import SMALL

import tessera


def command(*words):
    done = subprocess.run([os.environ["TESSERA_PROGRAM"], *words, "--no-progress"], capture_output=True, text=True, check=True)
    return done.stdout


def test_nothing_is_kept_unless_it_is_asked_for():
    tessera.run(tessera.study("partition", **SMALL["partition"]))
    history = tessera.history()
    assert len(history) == 0 and list(history) == [] and history.runs(pandas=False) == []
    assert not os.path.exists(history.path)


def test_a_run_is_kept_as_the_command_line_keeps_it():
    study = tessera.study("partition", **SMALL["partition"])
    result = tessera.run(study, history=tessera.history(), tags=["mine", "first"])
    assert result.run == 1
    history = tessera.history()
    (row,) = history.runs(pandas=False)
    assert row["run"] == 1 and row["status"] == "done" and row["tags"] == ["first", "mine"]
    assert row["headline"] == result.headline and row["engine"] == "partition"
    assert history.result(1) == result and history["last"] == result and history.study(1) == study
    shown = json.loads(command("history", "show", "1", "--json"))
    assert shown["headline"] == result.headline
    assert json.loads(command("history", "verify", "--json"))["problems"] == []


def test_results_are_added(tmp_path):
    result = tessera.run(tessera.study("predict", **SMALL["predict"]))
    history = tessera.history(tmp_path / "h.db")
    assert history.add(result, name="two of them", tags="a") == 1
    assert history.add(result) == 2
    (second, first) = history.runs(pandas=False, metrics=["throughput_samples_per_s"])
    assert (first["name"], first["tags"]) == ("two of them", ["a"])
    assert second["throughput_samples_per_s"] == result.metrics["throughput_samples_per_s"]
    assert history.result("two of them") == result
    with pytest.raises(TypeError):
        history.add(result.document)


def test_a_kept_result_can_be_repeated_after_its_hardware_is_gone(tmp_path):
    fleet = tessera.Hardware.load("accpar-homogeneous").replace({"groups[0].count": 16})
    study = tessera.study("partition", model="zoo:lenet5", fleet=fleet)
    history = tessera.history(tmp_path / "h.db")
    history.add(tessera.run(study))
    tessera.run(study, history=history)
    for number in (1, 2):
        kept = history.result(number)
        assert kept.headline == tessera.run(study).headline
        assert kept.picture().svg() == tessera.run(study).picture().svg()
    assert json.loads(command("history", "verify", "--json", "--store", str(tmp_path / "h.db")))["problems"] == []


def test_runs_are_found_sorted_and_annotated():
    history = tessera.history()
    for batch in (256, 512):
        tessera.run(tessera.study("partition", **{**SMALL["partition"], "batch": batch}), history=history, tags=[f"b{batch}"])
    tessera.run(tessera.study("cost", **SMALL["cost"]), history=history)
    assert [row["run"] for row in history.runs(engine="partition", pandas=False)] == [2, 1]
    assert [row["run"] for row in history.runs(engine="partition", sort="step_time_s", ascending=True, pandas=False)] == [1, 2]
    assert [row["run"] for row in history.runs(tag="b512", pandas=False)] == [2]
    assert [row["run"] for row in history.runs("alexnet", limit=1, pandas=False)] == [3]
    history.tag(1, "old", "slow")
    history.note(1, "as it was")
    (row,) = history.runs(tag="slow", pandas=False)
    assert row["tags"] == ["old", "slow"] and row["note"] == "as it was"
    assert list(history) == [3, 2, 1] and len(history) == 3


def test_runs_are_inputs_of_other_studies(tmp_path):
    path = tmp_path / "h.db"
    history = tessera.history(path)
    predicted = tessera.run(tessera.study("predict", model="zoo:resnet18", accelerator=["a100", "h100"], devices="1,8"), history=history)
    assert predicted.run == 1
    fleets = ["run:1/fleet/a100@8", "run:1/fleet/h100@8"]
    study = tessera.study("partition", model="zoo:lenet5", fleet=fleets[0])
    result = tessera.run(study, history=history)
    words = ["partition", "--model", "zoo:lenet5", "--fleet", fleets[0], "--json", "--store", str(path)]
    assert json.loads(command(*words)) == result.document
    assert tessera.Hardware.load(fleets[1]).document["groups"][0]["count"] == 8
    explored = tessera.explore(
        {
            "study": study,
            "variables": [{"input": "hardware", "values": fleets}],
            "objectives": ["step_time_s"],
            "method": "grid",
        }
    )
    assert explored.metrics["feasible_points"] == len(fleets)
    assert explored.metrics["step_time_s"] == min(
        tessera.run(study.replace(fleet=fleet)).metrics["step_time_s"] for fleet in fleets
    )
    # The history that was opened last serves them, and that in which a run is kept.
    tessera.history(tmp_path / "other.db")
    with pytest.raises(tessera.FileError, match="there is no history"):
        tessera.run(study.replace(fleet=fleets[1]))
    assert tessera.run(study, history=history).document == result.document
    assert not (tmp_path / "other.db").exists()
    # What was used is kept with the run.
    assert history.result(2).picture().svg() == result.picture().svg()


def test_what_is_not_there_is_said(tmp_path):
    history = tessera.history()
    with pytest.raises(tessera.UsageError):
        history.result(7)
    with pytest.raises(tessera.UsageError):
        history.result("nobody")
    with pytest.raises(tessera.UsageError, match="status"):
        history.runs(status="over")
    with pytest.raises(tessera.FileError, match="there is no folder"):
        len(tessera.history(tmp_path / "no" / "h.db"))
    (tmp_path / "text.db").write_text("this is no history")
    with pytest.raises(tessera.FileError):
        tessera.history(tmp_path / "text.db").runs()
    with pytest.raises(tessera.UsageError, match="tags"):
        tessera.run(tessera.study("cost", **SMALL["cost"]), tags=["a"])


def test_an_interrupted_run_goes_on(tmp_path):
    """To the bytes of one that was never interrupted."""
    keywords = {**SMALL["mapping"], "samples": 20_000}
    history = tessera.history(tmp_path / "h.db")
    study = tessera.study("mapping", **keywords)
    sent = []

    def listen(event):
        if event.done > 2000 and not sent:
            sent.append(True)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        tessera.run(study, progress=listen, history=history)
    (row,) = history.runs(pandas=False)
    assert row["status"] == "interrupted"
    with pytest.raises(tessera.UsageError, match="interrupted"):
        history.result(row["run"])
    assert history.resume(row["run"]).document == tessera.run(study).document
    (row,) = history.runs(pandas=False)
    assert row["status"] == "done"


def test_runs_are_a_frame_where_pandas_is_installed():
    pandas = pytest.importorskip("pandas")
    tessera.run(tessera.study("cost", **SMALL["cost"]), history=tessera.history())
    frame = tessera.history().runs(metrics=["cycles"])
    assert isinstance(frame, pandas.DataFrame) and list(frame["run"]) == [1]
    assert sys.modules["pandas"] is pandas

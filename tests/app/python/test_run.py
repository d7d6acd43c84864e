"""Runs: what goes in, what comes out, and how they end."""

import json
import os
import signal
import subprocess
import sys
import threading

import pytest
from conftest import SMALL, command

import tessera

#: Searches until it is stopped.
ENDLESS = {**SMALL["mapping"], "samples": 1_000_000_000, "algorithms": "random"}


def small():
    return tessera.study("partition", **SMALL["partition"])


def test_a_run_has_the_bytes_of_the_command_line():
    words = ["--model", "zoo:alexnet", "--fleet", "accpar-homogeneous", "--batch", "256", "--json"]
    assert tessera.run(small()).document == json.loads(command("partition", *words))


@pytest.mark.parametrize("name", ["resnet50-mixed-tpus", "resnet50-accelerators", "megatron-8.3b-placement"])
def test_a_bundled_study_has_the_bytes_of_the_command_line(name):
    assert name in tessera.studies()
    printed = command("run", name, "--json")
    assert json.loads(printed) == tessera.run(name).document


def test_a_study_is_a_value_a_mapping_a_file_or_a_path(tmp_path):
    study = small()
    expected = tessera.run(study)
    assert tessera.run(study.document) == expected
    study.save(tmp_path / "study.json")
    assert tessera.run(tmp_path / "study.json") == expected
    assert tessera.run(str(tmp_path / "study.json")) == expected


def test_threads_change_nothing():
    study = tessera.study("mapping", **SMALL["mapping"])
    assert tessera.run(study, threads=1).document == tessera.run(study, threads=4).document


def test_what_is_no_study_is_refused():
    for wrong in (None, 3, 2.5, [], object(), b"x"):
        with pytest.raises(TypeError):
            tessera.run(wrong)
    with pytest.raises(tessera.UsageError, match="resnet50-mixed-tpus"):
        tessera.run("resnet50-mixed-tpu")
    with pytest.raises(tessera.FileError):
        tessera.run("nowhere/study.json")
    with pytest.raises(tessera.DataError, match="engine"):
        tessera.run({"engine": "oracle"})
    for threads in (-1, 1.5, 10**30, "two", None, True):
        with pytest.raises(tessera.UsageError, match="threads"):
            tessera.run(small(), threads=threads)
    with pytest.raises(TypeError, match="progress"):
        tessera.run(small(), progress=3)


def test_progress_is_called_in_the_calling_thread():
    events = []
    threads = set()

    def listen(event):
        events.append(event)
        threads.add(threading.get_ident())

    tessera.run(tessera.study("mapping", **SMALL["mapping"]), progress=listen, threads=2)
    assert threads == {threading.get_ident()}
    assert all(isinstance(event, tessera.Progress) for event in events)
    kinds = {event.kind for event in events}
    assert "progress" in kinds and kinds <= {"progress", "incumbent", "point", "log"}
    working = [event for event in events if event.kind == "progress" and event.total > 0]
    assert working and all(0 <= event.done <= event.total for event in working)
    assert any("magma" in event.curve for event in events)


def test_watching_changes_nothing():
    study = tessera.study("mapping", **SMALL["mapping"])
    assert tessera.run(study, progress=lambda event: None).document == tessera.run(study).document


def test_what_a_listener_raises_ends_the_run():
    class Enough(Exception):
        pass

    calls = []

    def listen(event):
        calls.append(event)
        raise Enough("no more")

    with pytest.raises(Enough, match="no more"):
        tessera.run(tessera.study("mapping", **ENDLESS), progress=listen)
    assert len(calls) == 1


def test_a_listener_of_wrong_arguments_is_refused_by_python():
    with pytest.raises(TypeError):
        tessera.run(tessera.study("mapping", **ENDLESS), progress=lambda: None)


def test_finish_keeps_the_best_so_far():
    def listen(event):
        if event.kind == "incumbent" or event.done > 1000:
            raise tessera.Finish

    result = tessera.run(tessera.study("mapping", **ENDLESS), progress=listen)
    assert result.metrics["throughput_flops"] > 0
    assert result.document["ended_by"] == "stop"


def test_ctrl_c_raises_keyboard_interrupt():
    def listen(event):
        if event.kind == "progress" and not sent:
            sent.append(True)
            threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT)).start()

    sent = []
    with pytest.raises(KeyboardInterrupt):
        tessera.run(tessera.study("mapping", **ENDLESS), progress=listen)
    assert sent


def test_ctrl_c_is_heard_without_a_listener():
    timer = threading.Timer(0.2, os.kill, args=(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        tessera.run(tessera.study("mapping", **ENDLESS))
    timer.join()


def test_a_handler_of_signals_that_returns_lets_the_run_go_on():
    heard = []
    before = signal.signal(signal.SIGUSR1, lambda *_: heard.append(True))
    try:

        def listen(event):
            if not heard:
                os.kill(os.getpid(), signal.SIGUSR1)

        result = tessera.run(tessera.study("mapping", **SMALL["mapping"]), progress=listen)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard and result.metrics


def test_runs_of_several_threads_work_at_the_same_time():
    """Each of two runs waits in its listener until the other is there, too."""
    both = threading.Barrier(2)
    found = []

    def work():
        waited = []

        def listen(event):
            if not waited:
                waited.append(both.wait(timeout=60))

        found.append(tessera.run(tessera.study("mapping", **SMALL["mapping"]), progress=listen).document)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2 and found[0] == found[1]


def test_other_threads_go_on_during_a_run():
    """The run ends because another thread has said so."""
    seen = threading.Event()
    begun = threading.Event()

    def watch():
        begun.wait(60)
        seen.set()

    thread = threading.Thread(target=watch)
    thread.start()

    def listen(event):
        begun.set()
        if seen.is_set():
            raise tessera.Finish

    assert tessera.run(tessera.study("mapping", **ENDLESS), progress=listen).metrics
    thread.join()


def test_an_infeasible_study_raises_and_has_its_result():
    study = tessera.study("plan", model="zoo:gpt3-175b", fleet="dgx-h100x8", global_batch=1536)
    with pytest.raises(tessera.InfeasibleError, match="GB") as caught:
        tessera.run(study)
    assert caught.value.result is not None
    assert caught.value.result.study.engine == "plan"


AT_THE_END = """
import sys, threading
import tessera
study = tessera.study("mapping", **{keywords!r})
begun = threading.Event()
work = threading.Thread(target=lambda: tessera.run(study, progress=lambda event: begun.set()), daemon=True)
work.start()
assert begun.wait(60)
print("leaving")
"""


def test_a_daemon_that_works_does_not_disturb_the_interpreters_end():
    program = AT_THE_END.format(keywords=ENDLESS)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout) == (0, "leaving\n"), done.stderr

"""What the tests share: a home of their own, and small studies of every engine."""

import os
import pathlib
import subprocess

import pytest

import tessera

SOURCE = pathlib.Path(os.environ["TESSERA_SOURCE"])

#: Studies that take less than a second, by engine.
SMALL = {
    "partition": {"model": "zoo:alexnet", "fleet": "accpar-homogeneous", "batch": 256},
    "plan": {"model": "zoo:llama2-7b", "fleet": "dgx-h100x8", "global_batch": 16, "top": 5},
    "mapping": {"workload": "mix", "platform": "S2", "bandwidth": "16 GB/s", "samples": 500, "algorithms": "magma,random"},
    "codesign": {
        "model": "zoo:bert-large",
        "template": "phaze",
        "accelerators": 64,
        "global_batch": 256,
        "search": "random",
        "samples": 20,
    },
    "predict": {"model": "zoo:resnet50", "accelerator": ["a100", "h100"], "devices": "1,8"},
    "place": {"workload": "bert-large", "global_batch": 4096},
    "schedule": {"workload": "mixture-of-experts"},
    "cost": {"workload": "zoo:alexnet", "dataflow": "nvdla", "pes": 2048},
}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Nothing of the user's is read or written."""
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    for name in ("TESSERA_STORE", "TESSERA_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def results():
    """The result of each of the small studies."""
    return {engine: tessera.run(tessera.study(engine, **keywords)) for engine, keywords in SMALL.items()}


@pytest.fixture
def partition(results):
    return results["partition"]


def command(*words, check=True):
    """What the command line prints; nothing is kept."""
    done = subprocess.run(
        [os.environ["TESSERA_PROGRAM"], *words, "--no-store", "--no-progress"], capture_output=True, text=True, check=check
    )
    return done.stdout

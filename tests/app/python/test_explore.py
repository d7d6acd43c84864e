"""Explorations."""

import pytest
from conftest import SMALL

import tessera


def test_what_is_no_exploration_is_refused():
    with pytest.raises(tessera.UsageError, match="no exploration"):
        tessera.explore(tessera.study("partition", **SMALL["partition"]))
    with pytest.raises(tessera.UsageError, match="no study to vary"):
        tessera.explore({"variables": [{"parameter": "batch", "values": [1, 2]}], "objectives": ["step_time_s"]})


def test_a_study_with_hardware_that_is_no_file_is_explored():
    mine = tessera.Hardware.load("h100").replace(power_watts=650)
    study = tessera.study("predict", model="zoo:resnet50", accelerator=mine, devices="1")
    sizes = [16, 32, 64]
    result = tessera.explore(
        {
            "study": study,
            "variables": [{"name": "samples", "parameter": "batch", "values": sizes}],
            "objectives": ["throughput_samples_per_s"],
            "method": "grid",
            "points": 10,
        }
    )
    assert result.metrics["points"] == len(sizes)
    assert result.metrics["throughput_samples_per_s"] == max(
        tessera.run(study.replace(batch=batch)).metrics["throughput_samples_per_s"] for batch in sizes
    )


def test_every_bundled_exploration_runs():
    for name in tessera.studies():
        study = tessera.Study.load(name)
        if study.engine != "explore":
            continue
        result = tessera.explore(study)
        assert result.headline and result.table() is not None and result.pictures
        assert tessera.explore(study.document) == result

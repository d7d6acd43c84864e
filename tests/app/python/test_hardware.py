"""Hardware: fields, changed copies, and studies on them."""

import json
import pickle

import pytest
from conftest import command

import tessera


def test_the_library_is_that_of_the_command_line():
    listed = json.loads(command("hardware", "list", "--json"))["hardware"]
    entries = tessera.Hardware.list()
    assert [(row["kind"], row["id"], row["name"]) for row in listed] == [
        (entry.kind, entry.name, entry.title) for entry in entries
    ]
    fleets = tessera.Hardware.list("fleet")
    assert fleets and all(entry.kind == "fleet" for entry in fleets)
    with pytest.raises(tessera.UsageError, match="expected one of accelerator"):
        tessera.Hardware.list("chip")


@pytest.mark.parametrize("entry", tessera.Hardware.list(), ids=lambda entry: f"{entry.kind}-{entry.name}")
def test_every_entry_is_read_and_read_back(entry):
    hardware = tessera.Hardware.load(entry.path)
    assert (hardware.kind, hardware.name) == (entry.kind, entry.title)
    assert hardware.document["schema"].startswith(f"tessera.{entry.kind}/")
    for row in hardware._rows():
        assert hardware.field(row["path"]) == row


def test_fields_have_values_units_and_sources():
    h100 = tessera.Hardware.load("h100")
    power = h100.field("power_watts")
    assert power["unit"] == "W" and power["value"] == h100["power_watts"] == 700 and "W" in power["text"]
    assert "datasheet" in power["from"] and power["about"].endswith(".")
    assert h100["name"] == h100.name
    paths = [row["path"] for row in h100._rows()]
    assert any(path.startswith("memory[0].") for path in paths)
    with pytest.raises(tessera.UsageError, match="did you mean 'power_watts'"):
        h100["power_watt"]


def test_a_changed_copy_says_what_is_its_owners():
    h100 = tessera.Hardware.load("h100")
    faster = h100.replace({"peak_flops.bf16": "2000 TFLOP/s"}, power_watts=650, name="H100 of ours")
    assert faster["peak_flops.bf16"] == "2000 TFLOP/s" or faster["peak_flops.bf16"] == 2000e12
    assert faster["power_watts"] == 650 and faster.name == "H100 of ours" and "changed" in repr(faster)
    number = faster.document["power_watts"]
    assert number["class"] == "yours" and number["was"]["value"] == 700
    assert "yours" in faster.field("power_watts")["from"]
    assert h100["power_watts"] == 700, "the original is as it was"
    assert faster.replace(power_watts=700)["power_watts"] == 700
    assert faster.replace(power_watts=700).document["power_watts"] == h100.document["power_watts"]
    assert h100.replace() == h100 and hash(h100.replace()) == hash(h100)
    assert pickle.loads(pickle.dumps(faster)) == faster


def test_wrong_changes_are_refused():
    h100 = tessera.Hardware.load("h100")
    with pytest.raises(tessera.DataError, match="power_watts"):
        h100.replace(power_watts=-5)
    with pytest.raises(tessera.DataError, match="power_watts"):
        h100.replace(power_watts="5 GB/s")
    with pytest.raises(tessera.UsageError, match="no field 'powers'"):
        h100.replace(powers=5)
    with pytest.raises(TypeError):
        h100.replace([1])
    with pytest.raises(tessera.DataError, match="schema"):
        tessera.Hardware.read({"schema": "tessera.study/1"})
    with pytest.raises(tessera.UsageError, match="did you mean 'h100'"):
        tessera.Hardware.load("h1000")


def test_entries_are_meant_by_number_or_name_and_accelerators_of_fleets_inside():
    fleet = tessera.Hardware.load("dgx-h100x64")
    level = next(row for row in fleet._rows() if row["path"].endswith("levels[0].bandwidth_bytes_per_s"))
    named = f"groups[0].levels[{fleet['groups[0].levels[0].name']}].bandwidth_bytes_per_s"
    assert fleet[named] == level["value"]
    changed = fleet.replace({named: 2 * level["value"], "groups[0].accelerator.power_watts": 500})
    assert changed[level["path"]] == 2 * level["value"]
    assert changed["groups[0].accelerator.power_watts"] == 500


def test_a_study_runs_on_changed_hardware():
    fleet = tessera.Hardware.load("accpar-homogeneous")
    accelerator = tessera.Hardware.load("h100")
    base = tessera.run(tessera.study("predict", model="zoo:resnet50", accelerator=accelerator, devices="1"))
    slower = accelerator.replace({"peak_flops.bf16": accelerator["peak_flops.bf16"] / 4})
    study = tessera.study("predict", model="zoo:resnet50", accelerator=slower, devices="1")
    other = tessera.run(study)
    assert other.metrics["throughput_samples_per_s"] < base.metrics["throughput_samples_per_s"]
    assert study.hardware[0].startswith("h100-") and study.hardware[0].endswith(".json")
    assert tessera.run(pickle.loads(pickle.dumps(study))).document == other.document
    same = {"engine": "predict", "models": ["zoo:resnet50"], "hardware": [slower], "parameters": {"devices": "1"}, "seed": 1}
    assert tessera.run(same).metrics == other.metrics
    half = fleet.replace({"groups[0].count": 64})
    result = tessera.run(tessera.study("partition", model="zoo:alexnet", fleet=half))
    assert result.document["accelerators"] == 64 or "64" in result.text


def test_a_study_on_changed_hardware_is_saved_with_it(tmp_path):
    fleet = tessera.Hardware.load("accpar-homogeneous").replace({"groups[0].count": 64})
    study = tessera.study("partition", model="zoo:alexnet", fleet=fleet)
    (tmp_path / "saved").mkdir()
    study.save(tmp_path / "saved" / "study.json")
    assert tessera.run(tmp_path / "saved" / "study.json").metrics == tessera.run(study).metrics
    fleet.save(tmp_path / "fleet.json")
    assert tessera.Hardware.load(tmp_path / "fleet.json").document == fleet.document

"""Studies are made of the same tables as the command line."""

import copy
import json
import pickle

import pytest
from conftest import SMALL, SOURCE, command

import tessera


@pytest.mark.parametrize("engine", list(tessera.engines()))
def test_parameters_are_those_of_the_command_line(engine):
    """By the schema of study files, which tests hold the tables to, and by the help of the engine's command."""
    schema = json.loads((SOURCE / "data/schemas/study.schema.json").read_text())
    rows = tessera.parameters(engine)
    for each in schema["oneOf"]:
        if each["properties"]["engine"].get("const") == engine:
            assert set(each["properties"]["parameters"]["properties"]) == set(rows)
    name = {"mapping": "map"}.get(engine, engine)
    shown = command(name, "--help")
    for row in rows.values():
        # Every command has threads of its own, beside those of calibrations; what is a document is built from options.
        if row.name != "threads" and row.type not in ("dict", "list of dict"):
            assert row.option in shown
            assert row.help.split()[0] in shown


@pytest.mark.parametrize("engine", list(tessera.engines()))
def test_every_default_is_what_a_new_study_has(engine):
    study = tessera.study(engine)
    for name, row in tessera.parameters(engine).items():
        assert study.parameters.get(name) == row.default
        assert row.help and row.expected and row.type
        if isinstance(row.default, (int, float)) and not isinstance(row.default, bool) and row.min is not None:
            assert row.min <= row.default and (row.max is None or row.default <= row.max)
        if isinstance(row.default, str) and row.words and row.type == "str":
            assert row.default in row.words
    assert tessera.study(engine, **{name: None for name in tessera.parameters(engine)}) == study


@pytest.mark.parametrize("engine", list(tessera.engines()))
def test_the_documentation_names_every_parameter(engine):
    for name, row in tessera.parameters(engine).items():
        assert f"  {name}: {row.help}" in tessera.study.__doc__


def test_values_are_typed_as_people_type_them():
    study = tessera.study("mapping", workload="mix", platform="S2", bandwidth="16 GB/s", algorithms="magma, tessera")
    assert study.parameters["bandwidth"] == 16e9
    assert study.parameters["algorithms"] == ["magma", "tessera"]
    same = study.replace(bandwidth=16e9, algorithms=["magma", "tessera"])
    assert same == study and hash(same) == hash(study)


def test_seeds_are_those_of_the_command_line():
    assert tessera.study("mapping").seed == 1
    assert tessera.study("partition").seed is None
    assert tessera.study("mapping", seed=7).seed == 7
    assert tessera.study("mapping", seed=None).seed is None


def test_what_follows_from_the_inputs_is_inferred_as_on_the_command_line():
    """A fleet without a peak for bf16."""
    fleet = tessera.Hardware.load("accpar-homogeneous").document
    accelerator = tessera.Hardware.load("v100").document
    accelerator["peak_flops"] = {"fp32": accelerator["peak_flops"]["fp32"]}
    del accelerator["schema"]
    fleet["groups"][0]["accelerator"] = accelerator
    old = tessera.Hardware.read(fleet, "old")
    assert tessera.study("partition", fleet=old).parameters["dtype"] == "fp32"
    assert tessera.study("partition", fleet="accpar-homogeneous").parameters["dtype"] == "bf16"
    chosen = tessera.study("partition", fleet=old, dtype="int8")
    assert chosen.parameters["dtype"] == "int8"
    assert chosen.replace(fleet="accpar-homogeneous").parameters["dtype"] == "int8"
    assert tessera.study("partition", fleet=old).replace(fleet="accpar-homogeneous").parameters["dtype"] == "bf16"
    old.save("old.json")
    printed = json.loads(command("partition", "--model", "zoo:lenet5", "--fleet", "old.json", "--json"))
    assert printed["parameters"]["dtype"] == "fp32"


def test_a_study_is_a_value():
    study = tessera.study("partition", **SMALL["partition"], name="one")
    other = study.replace(batch=512)
    assert study.parameters["batch"] == 256 and other.parameters["batch"] == 512 and other != study
    document = study.document
    document["parameters"]["batch"] = 1
    assert study.parameters["batch"] == 256
    for made in (pickle.loads(pickle.dumps(study)), copy.deepcopy(study), tessera.Study.read(study.document)):
        assert made == study and made.hash == study.hash
    assert study.hash == study.replace(name="another").hash != other.hash
    assert "alexnet" in repr(study.replace(name=""))
    with pytest.raises(TypeError):
        tessera.Study()


def test_dimensions_come_with_a_model_or_by_themselves():
    model = tessera.Model.zoo("bert-large", sequence=128)
    assert tessera.study("predict", model=model).dimensions == {"sequence": 128}
    assert tessera.study("predict", model=model, dimensions={"sequence": 64}).dimensions == {"sequence": 64}
    study = tessera.study("predict", model="zoo:bert-large", dimensions={"sequence": 256})
    assert study.dimensions == {"sequence": 256}
    assert study.replace(model=model).dimensions == {"sequence": 128}
    assert tessera.Study.read({"engine": "predict", "models": [model], "hardware": ["a100"]}).dimensions == {"sequence": 128}


def test_an_estimate_says_how_long_and_why_not():
    study = tessera.study("partition", **SMALL["partition"])
    assert study.estimate().problems == [] and study.estimate().text
    problems = study.replace(model="zoo:nothing").estimate().problems
    assert problems == ["the zoo has no model 'nothing'; 'tessera model list' names them all"]


def test_every_bundled_study_can_be_read_and_is_described():
    for name, title in tessera.studies().items():
        study = tessera.Study.load(name)
        assert study.name == title and study.engine in tessera.engines()
        assert tessera.Study.read(study.document) == study

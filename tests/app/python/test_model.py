"""Models, as `tessera model inspect` counts them."""

import json
import pickle

import pytest
from conftest import SOURCE, command

import tessera


def test_counts_are_those_of_the_command_line():
    model = tessera.Model.zoo("resnet50", batch=8)
    assert model.document == json.loads(command("model", "inspect", "zoo:resnet50", "--batch", "8", "--layers", "--json"))
    assert model.parameters == 25_557_032 and model.batch == 8
    assert model.flops == model.flops_matrix + model.flops_vector and model.flops_matrix == 2 * model.macs
    assert "25,557,032 parameters" in repr(model)


def test_training_is_counted_where_it_is_asked_for():
    assert tessera.Model.zoo("lenet5").training is None
    training = tessera.Model.zoo("lenet5", training=True).training
    assert training["parameter_bytes"] == 4 * tessera.Model.zoo("lenet5").parameters


def test_layers_are_rows():
    rows = tessera.Model.zoo("alexnet").document["layers"]
    layers = tessera.Model.zoo("alexnet").layers
    assert len(layers) == len(rows) and set(rows[0]) >= {"name", "kind", "parameters", "macs"}
    assert sum(row["parameters"] for row in rows) == tessera.Model.zoo("alexnet").parameters


def test_dimensions_are_keywords_or_a_mapping():
    short = tessera.Model.zoo("bert-large", sequence=128)
    assert short == tessera.Model.load("zoo:bert-large", dimensions={"sequence": 128})
    assert short.dimensions == {"sequence": 128} and short.macs < tessera.Model.zoo("bert-large").macs
    assert short != tessera.Model.zoo("bert-large")
    with pytest.raises(tessera.UsageError, match="heads|sequence"):
        tessera.Model.zoo("bert-large", sequences=128)
    with pytest.raises(tessera.UsageError, match="dimension 'sequence'"):
        tessera.Model.zoo("bert-large", sequence="long")


def test_files_are_read():
    path = SOURCE / "tests/data/models/vgg19.onnx"
    model = tessera.Model.load(path)
    assert model.source == str(path) and model.parameters == tessera.Model.zoo("vgg19").parameters
    assert tessera.study("partition", model=model).models == [str(path)]


def test_the_zoo_is_that_of_the_command_line():
    listed = json.loads(command("model", "list", "--json"))["models"]
    assert {row["id"] for row in listed} == set(tessera.zoo_models())
    bert = tessera.zoo_models()["bert-large"]
    assert bert.title and bert.source and bert.dimensions["sequence"]["default"] > 0


def test_a_model_is_a_value():
    model = tessera.Model.zoo("lenet5")
    assert pickle.loads(pickle.dumps(model)) == model and hash(model) == hash(tessera.Model.zoo("zoo:lenet5"))
    with pytest.raises(tessera.UsageError, match="lenet5"):
        tessera.Model.zoo("lenet")
    with pytest.raises(TypeError):
        tessera.Model()

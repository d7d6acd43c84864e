"""Errors of the core as exceptions."""

import json
import pickle

import pytest

import tessera


def test_all_are_errors_of_the_package():
    for each in (tessera.UsageError, tessera.DataError, tessera.InfeasibleError, tessera.FileError):
        assert issubclass(each, tessera.Error) and each.__doc__
    assert not issubclass(tessera.Finish, tessera.Error)


def test_wrong_input_says_where_it_stands(tmp_path):
    path = tmp_path / "study.json"
    path.write_text('{"schema": "tessera.study/1",\n "engine": "partition",\n "models": ["zoo:lenet5"],\n'
                    ' "hardware": ["accpar-homogeneous"],\n "parameters": {"batch": -4}}\n')
    with pytest.raises(tessera.DataError) as caught:
        tessera.run(path)
    error = caught.value
    assert error.file == str(path) and error.line == 5 and error.field == "parameters.batch"
    assert "-4" in error.found and "whole number" in error.expected
    assert str(error).startswith(f"{path}:5: field 'parameters.batch' is")


def test_wrong_input_of_a_mapping_has_no_line():
    with pytest.raises(tessera.DataError) as caught:
        tessera.run({"engine": "partition", "models": ["zoo:lenet5"], "hardware": ["accpar-homogeneous"],
                     "parameters": {"batch": -4}})
    assert caught.value.line is None and caught.value.field == "parameters.batch"


def test_all_faults_of_a_hardware_file_are_told(tmp_path):
    wrong = tessera.Hardware.load("h100").document
    wrong["power_watts"] = -1
    wrong["peak_flops"] = {"bf16": "fast"}
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(wrong))
    with pytest.raises(tessera.DataError) as caught:
        tessera.Hardware.load(path)
    assert "power_watts" in str(caught.value) and "peak_flops" in str(caught.value)


def test_a_file_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(tessera.FileError, match="nowhere.onnx"):
        tessera.Model.load("nowhere.onnx")
    with pytest.raises(tessera.FileError):
        tessera.Model.zoo("lenet5") and tessera.study("cost", workload="zoo:lenet5").save(tmp_path / "no" / "s.json")


def test_errors_can_be_sent_to_other_processes():
    with pytest.raises(tessera.UsageError) as caught:
        tessera.study("partition", batch=0)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is tessera.UsageError and str(copy) == str(caught.value)


def test_wrong_values_name_the_parameter_and_what_it_may_be():
    with pytest.raises(tessera.UsageError, match=r"parameter 'batch' is '0'; expected a whole number from 1 to"):
        tessera.study("partition", batch=0)
    with pytest.raises(tessera.UsageError, match=r"did you mean 'batch'"):
        tessera.study("partition", bath=512)
    with pytest.raises(tessera.UsageError, match=r"there is no engine 'partitions'; there is partition"):
        tessera.study("partitions")
    with pytest.raises(tessera.UsageError, match="takes no model"):
        tessera.study("cost", model="zoo:alexnet")
    with pytest.raises(tessera.UsageError, match="the same input"):
        tessera.study("plan", fleet="dgx-h100x8", hardware="dgx-h100x64")

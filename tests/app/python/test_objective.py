"""Studies as objectives of other programs' searches."""

import random

import pytest
from conftest import SMALL

import tessera


class Trial:
    """A trial as Optuna has it: chooses at random, and notes what it was asked."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self.params = {}
        self.asked = {}

    def suggest_float(self, name, low, high, *, step=None, log=False):
        self.asked[name] = ("float", low, high, step, log)
        self.params[name] = self._random.uniform(low, high) if step is None else low + step * self._random.randrange(
            int((high - low) / step) + 1
        )
        return self.params[name]

    def suggest_int(self, name, low, high, *, step=1, log=False):
        self.asked[name] = ("int", low, high, step, log)
        self.params[name] = self._random.randrange(low, high + 1, step)
        return self.params[name]

    def suggest_categorical(self, name, choices):
        assert all(each is None or isinstance(each, (bool, int, float, str)) for each in choices), "as Optuna demands"
        self.asked[name] = ("choice", tuple(choices))
        self.params[name] = self._random.choice(choices)
        return self.params[name]


BASE = {**SMALL["partition"], "strategies": "accpar,dp"}


def test_a_trial_is_asked_and_answered():
    study = tessera.study("partition", **BASE)
    objective = tessera.objective(
        study, {"batch": (128, 512), "ratio": (0.25, 0.75), "optimizer": None, "fleet": ["accpar-homogeneous"]}, "step_time_s"
    )
    for seed in range(5):
        trial = Trial(seed)
        value = objective(trial)
        expected = tessera.run(study.replace(**trial.params))
        assert value == expected.metrics["step_time_s"]
        assert trial.asked["batch"] == ("int", 128, 512, 1, False)
        assert trial.asked["ratio"] == ("float", 0.25, 0.75, None, False)
        assert trial.asked["optimizer"] == ("choice", tessera.parameters("partition")["optimizer"].words)
    assert objective.directions == ["minimize"]


def test_a_search_finds_the_best_of_a_list():
    study = tessera.study("partition", **BASE)
    objective = tessera.objective(study, {"batch": [64, 128, 256, 512]}, "throughput_samples_per_s")
    assert objective.directions == ["maximize"]
    best = max((64, 128, 256, 512), key=lambda batch: objective({"batch": batch}))
    assert best == 512
    assert objective.study_at({"batch": 64}) == study.replace(batch=64)
    assert objective.result({"batch": 64}).study.parameters["batch"] == 64


def test_several_metrics_are_a_tuple():
    objective = tessera.objective(
        tessera.study("partition", **BASE), {"batch": tessera.Range(64, 256, step=64)}, ["step_time_s", "throughput_samples_per_s"]
    )
    values = objective(Trial(3))
    assert isinstance(values, tuple) and len(values) == 2
    assert objective.directions == ["minimize", "maximize"]
    assert objective.variables[0].step == 64 and objective.metrics == ("step_time_s", "throughput_samples_per_s")


def test_fields_of_hardware_are_variables():
    study = tessera.study("predict", model="zoo:resnet50", accelerator="h100", devices="1")
    peak = tessera.Hardware.load("h100")["peak_flops.bf16"]
    objective = tessera.objective(study, {"accelerator.peak_flops.bf16": (peak / 8, peak, "log")}, "throughput_samples_per_s")
    assert objective.variables == (tessera.Variable("accelerator.peak_flops.bf16", "float", peak / 8, peak, True),)
    slow, fast = (objective({"accelerator.peak_flops.bf16": share * peak}) for share in (1 / 8, 1))
    assert slow < fast == tessera.run(study).metrics["throughput_samples_per_s"]
    assert objective.study_at({"accelerator.peak_flops.bf16": peak / 2}).hardware[0].startswith("h100-")
    fleet = tessera.study("partition", **BASE)
    count = tessera.objective(fleet, {"fleet.groups[0].count": (8, 64)}, "step_time_s")
    assert count.variables[0].kind == "int"
    assert count({"fleet.groups[0].count": 8}) != count({"fleet.groups[0].count": 64})


def test_hardware_and_fields_of_it_may_be_chosen_together():
    study = tessera.study("predict", model="zoo:resnet50", accelerator="h100", devices="1")
    mine = tessera.Hardware.load("a100").replace(name="A100 of mine")
    objective = tessera.objective(
        study, {"accelerator.power_watts": (300, 700), "accelerator": ["h100", mine]}, "throughput_samples_per_s"
    )
    assert objective.variables[1].choices == ("h100", "A100 of mine")
    at = objective.study_at({"accelerator.power_watts": 333, "accelerator": "A100 of mine"})
    (hardware,) = at._hardware_values()
    assert hardware["power_watts"] == 333 and hardware.name == "A100 of mine"
    objective(Trial(1))


def test_dimensions_and_seeds_are_variables():
    study = tessera.study("predict", model="zoo:bert-large", accelerator="a100", devices="1", dimensions={"sequence": 128})
    objective = tessera.objective(study, {"dimensions.sequence": (32, 128), "seed": [1, 2]}, "throughput_samples_per_s")
    at = objective.study_at({"dimensions.sequence": 64, "seed": 2})
    assert at.dimensions == {"sequence": 64} and at.seed == 2
    assert objective({"dimensions.sequence": 32}) > objective({"dimensions.sequence": 128})


def test_points_without_a_solution():
    study = tessera.study("plan", model="zoo:llama2-7b", fleet="dgx-h100x8", global_batch=64)
    variables = {"model": ["zoo:llama2-7b", "zoo:gpt3-175b"]}
    with pytest.raises(tessera.InfeasibleError):
        tessera.objective(study, variables, "step_time_s")({"model": "zoo:gpt3-175b"})
    objective = tessera.objective(study, variables, "step_time_s", infeasible=float("inf"))
    assert objective({"model": "zoo:gpt3-175b"}) == float("inf") > objective({"model": "zoo:llama2-7b"})


@pytest.mark.parametrize(
    "variables, message",
    [
        ({"bath": (1, 2)}, "has no variable 'bath'"),
        ({"batch": (0, 5)}, "expected one inside from 1"),
        ({"batch": (5, 1)}, "low up to high"),
        ({"batch": (1.5, 4)}, "whole numbers"),
        ({"batch": (float("nan"), 4)}, "finite"),
        ({"batch": (1, 4, "cube")}, "expected \\(low, high\\)"),
        ({"batch": None}, "has no range"),
        ({"batch": []}, "at least one"),
        ({"batch": "1..4"}, "expected \\(low, high\\)"),
        ({"fleet": (1, 2)}, "a list of values"),
        ({"fleet.groups[7].count": (1, 2)}, "no field"),
        ({"ratio": tessera.Range(0, 1, log=True)}, "above 0 for a log"),
        ({}, "at least one variable"),
    ],
)
def test_wrong_variables_are_refused(variables, message):
    with pytest.raises(tessera.UsageError, match=message):
        tessera.objective(tessera.study("partition", **BASE), variables, "step_time_s")


def test_wrong_points_trials_and_metrics_are_refused():
    objective = tessera.objective(tessera.study("partition", **BASE), {"batch": (1, 512)}, "step_time_s")
    with pytest.raises(tessera.UsageError, match="no variable 'bath'"):
        objective({"bath": 3})
    with pytest.raises(tessera.UsageError, match="parameter 'batch'"):
        objective({"batch": "many"})
    with pytest.raises(TypeError, match="suggest_float"):
        objective(None)
    with pytest.raises(TypeError):
        objective.evaluate(3)
    with pytest.raises(tessera.UsageError, match="did you mean 'step_time_s'"):
        tessera.objective(tessera.study("partition", **BASE), {"batch": (1, 512)}, "step_time")({"batch": 64})
    with pytest.raises(TypeError):
        tessera.objective(tessera.study("partition", **BASE), ["batch"], "step_time_s")


def test_trials_of_optuna_itself():
    optuna = pytest.importorskip("optuna")
    objective = tessera.objective(tessera.study("partition", **BASE), {"batch": (64, 512)}, "throughput_samples_per_s")
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(objective, n_trials=4, n_jobs=2)
    asked = study.ask()
    study.tell(asked, objective(asked))
    assert len(study.trials) == 5 and study.best_value > 0

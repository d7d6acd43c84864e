"""Whatever Python hands over: a sentence, never a crash."""

import copy
import decimal
import fractions
import json
import random
import threading

import pytest
from conftest import SMALL

import tessera


class Foreign(Exception):
    """What an object of the caller's raises itself; it may pass through."""


#: ImportError where pandas is asked for and is not installed.
ALLOWED = (tessera.Error, TypeError, Foreign, ImportError)


class Silent:
    def __repr__(self):
        raise Foreign("no words")


class NoIndex:
    def __index__(self):
        raise Foreign("no index")


class NotANumber:
    def __float__(self):
        return float("nan")


class Endless(dict):
    def __getitem__(self, key):
        return self

    def items(self):
        raise Foreign("no items")


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def looped():
    value = []
    value.append(value)
    return value


VALUES = [
    None, True, False, -1, 0, 1, 2**31, 2**63, -(2**63), 10**30, 10**5000, 0.5, -0.0, 1e308, 5e-324, float("nan"),
    float("inf"), -float("inf"), "", " ", "0", "a\0b", "\0", "\ud800", "é" * 3000, "x" * 200_000, "1e999", "16 XB/s",
    "../../../etc/passwd", b"", b"\xff\xfe", bytearray(b"x"), (), [], {}, set(), range(3), [None], ["a", "a"], [[]], [0.1, "b"],
    {"": 1}, {"a\0": 1}, {1: 2}, {None: None}, {(1, 2): 3}, {"a": float("nan")}, {"\ud800": 1}, nested(500), nested(200_000),
    looped(), object(), Silent(), NoIndex(), NotANumber(), Endless(), Ellipsis, NotImplemented, int, len, lambda: None,
    iter([1]), complex(1, 2), decimal.Decimal("1.5"), fractions.Fraction(1, 3), memoryview(b"abc"), Exception("x"),
]  # fmt: skip


def tried(call):
    """Calls; what it raises must be a sentence of the package, or Python's own on types."""
    try:
        return call()
    except ALLOWED as error:
        assert str(error)
        return None


def each_value(call):
    for value in VALUES:
        tried(lambda: call(value))


@pytest.mark.parametrize("engine", list(tessera.engines()))
def test_values_of_parameters_and_inputs(engine):
    base = tessera.study(engine)
    for name in [*tessera.parameters(engine), "model", "models", "workload", "hardware", "dimensions", "seed", "name", "x"]:
        each_value(lambda value: base.replace(**{name: value}))
        each_value(lambda value: base.replace(dimensions={"n": value}))


def test_values_of_functions():
    partition = tessera.study("partition", **SMALL["partition"])
    hardware = tessera.Hardware.load("h100")
    history = tessera.history()
    for call in (
        tessera.study,
        tessera.parameters,
        tessera.Study.read,
        tessera.Study.load,
        tessera.Model.load,
        tessera.Model.zoo,
        lambda value: tessera.Model.zoo("lenet5", batch=value),
        lambda value: tessera.Model.zoo("bert-large", sequence=value),
        lambda value: tessera.Model.zoo("bert-large", dimensions={value: 1}),
        lambda value: tessera.Model.zoo("lenet5", dimensions=value),
        tessera.Hardware.list,
        tessera.Hardware.load,
        tessera.Hardware.read,
        hardware.__getitem__,
        hardware.replace,
        lambda value: hardware.replace(power_watts=value),
        lambda value: hardware.replace({"memory": value}),
        lambda value: hardware.replace({"name": value}),
        lambda value: hardware.replace({value: 1}),
        hardware.save,
        partition.save,
        lambda value: tessera.run(partition, progress=value),
        lambda value: tessera.run(partition, threads=value),
        lambda value: tessera.run({**partition.document, "name": value}),
        lambda value: tessera.run(partition, history=value if not isinstance(value, str) else "no/" + value),
        lambda value: tessera.run(partition, history=history, tags=value),
        lambda value: tessera.explore(value),
        lambda value: history.result(value),
        lambda value: history.study(value),
        lambda value: history.resume(value),
        lambda value: history.add(value),
        lambda value: history.tag(1, value),
        lambda value: history.note(1, value),
        lambda value: history.runs(value),
        lambda value: history.runs(engine=value, tag=value, model=value),
        lambda value: history.runs(starred=value),
        lambda value: history.runs(sort=value),
        lambda value: history.runs(metrics=value),
        lambda value: history.runs(limit=value),
        lambda value: len(tessera.history(value)),
        lambda value: tessera.objective(partition, value, "step_time_s"),
        lambda value: tessera.objective(partition, {"batch": value}, "step_time_s"),
        lambda value: tessera.objective(partition, {"batch": (value, value)}, "step_time_s"),
        lambda value: tessera.objective(partition, {value: (1, 2)}, "step_time_s"),
        lambda value: tessera.objective(partition, {"batch": (1, 2)}, value),
        lambda value: tessera.objective(value, {"batch": (1, 2)}, "step_time_s"),
        tessera.objective(partition, {"batch": (1, 64)}, "step_time_s"),
        lambda value: tessera.objective(partition, {"batch": (1, 64)}, "step_time_s")({"batch": value}),
    ):
        each_value(call)


def test_values_of_results(partition):
    picture = partition.picture()
    for call in (
        partition.metric,
        partition.explain,
        partition.table,
        lambda value: partition.table(of=value),
        lambda value: partition.table(pandas=value),
        partition.picture,
        lambda value: partition.picture(of=value),
        partition.file,
        lambda value: partition.file("x", value),
        picture.svg,
        picture.save,
        lambda value: picture.save("x.png", scale=value),
        lambda value: picture.save("x.svg", theme=value),
        lambda value: tessera.Result.read(partition.study, value),
        lambda value: tessera.Result.read(value, partition.document),
    ):
        each_value(call)


def places_of(value, path=()):
    """Every place inside of a document."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places_of(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places_of(inner, (*path, index))


def spoilt(document, dice):
    """A document with one place otherwise."""
    changed = copy.deepcopy(document)
    path = dice.choice([path for path in places_of(document) if path])
    around = changed
    for step in path[:-1]:
        around = around[step]
    if dice.random() < 0.3:
        del around[path[-1]]
    else:
        around[path[-1]] = dice.choice([None, -1, 0, 1e300, "", "x", [], {}, True, [1], {"a": 1}, "zoo:lenet5", 10**25])
    return changed


@pytest.mark.parametrize("name", list(tessera.studies()))
def test_spoilt_studies(name):
    dice = random.Random(name)
    document = tessera.Study.load(name).document
    for _ in range(200):
        study = tried(lambda: tessera.Study.read(spoilt(document, dice)))
        if study is not None:
            assert tessera.Study.read(study.document) == study


@pytest.mark.parametrize("kind", ["accelerator", "fleet", "platform", "template"])
def test_spoilt_hardware(kind):
    dice = random.Random(kind)
    documents = [tessera.Hardware.load(entry.path).document for entry in tessera.Hardware.list(kind)[:6]]
    for _ in range(200):
        document = spoilt(dice.choice(documents), dice)
        hardware = tried(lambda: tessera.Hardware.read(document))
        if hardware is not None:
            assert hardware._rows() and tessera.Hardware.read(hardware.document) == hardware


@pytest.mark.parametrize("engine", ["partition", "predict", "plan", "mapping", "schedule"])
def test_spoilt_results(results, engine):
    """What is read all the same can be shown all the same, or is refused then."""
    dice = random.Random(engine)
    result = results[engine]
    for _ in range(60):
        document = spoilt(result.document, dice)
        read = tried(lambda: tessera.Result.read(result.study, document))
        if read is None:
            continue
        assert json.dumps(read.document)
        tried(lambda: [read.headline, read.metrics, read.text])
        if names := tried(lambda: list(read.tables)):
            tried(lambda: read.table(dice.choice(names), pandas=False))
        if names := tried(lambda: list(read.pictures)):
            tried(lambda: read.picture(dice.choice(names)).svg())


def test_results_and_studies_may_be_used_by_several_threads(results):
    failures = []

    def work(seed):
        dice = random.Random(seed)
        try:
            for _ in range(30):
                result = results[dice.choice(list(results))]
                result.picture(dice.choice(list(result.pictures))).svg()
                result.table(dice.choice(list(result.tables)), pandas=False)
                assert result.metrics and result.document and result._repr_html_()
                assert result.study.replace(name=str(seed)).estimate().text
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures

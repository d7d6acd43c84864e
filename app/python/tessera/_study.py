"""Studies, and the engines that they are of."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, FrozenSet, List, Mapping, NamedTuple, Optional, Tuple, Union

from . import _core
from ._errors import UsageError
from ._hardware import Hardware
from ._model import Model
from ._values import dimensions_of, json_text, name_bytes, shown, text, whole

_MAX_SEED = 2**63 - 1
_DOCUMENTS = ("dict", "list of dict")  # types of parameters that a file may hold

StudyLike = Union["Study", Mapping[str, Any], str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Parameter:
    """A parameter of an engine, as the command line and study files have it."""

    name: str
    option: str  #: of the command line: "--batch"
    label: str
    type: str  #: of its value: "int", "list of str"
    unit: str  #: base unit of a number: "B/s"; empty = none
    default: Any  #: None = the engine decides
    min: Optional[float]  #: of numbers; None = there is none
    max: Optional[float]
    words: Tuple[str, ...]  #: that it may be, or that its entries may be
    expected: str  #: what it may be, in words
    help: str
    research: bool  #: for studying the method, not for using it


@dataclass(frozen=True)
class Engine:
    """What studies of an engine take, and what their results show."""

    id: str
    title: str
    description: str
    models: str  #: how many: "none", "at most one", "one", "many"
    workloads: str  #: likewise
    workload_kind: str
    hardware: str  #: likewise
    hardware_kind: str  #: "fleet", "accelerator", …; empty where it takes none
    seed: bool  #: draws random numbers
    measures: bool  #: its results are measurements: the same study gives other numbers each time
    checkpoints: bool  #: interrupted runs of the history go on where they were
    result_schema: str
    parameters: Dict[str, Parameter] = field(repr=False)
    tables: Dict[str, str] = field(repr=False)  #: what they show, by id
    pictures: Dict[str, str] = field(repr=False)  #: likewise
    files: Dict[str, str] = field(repr=False)  #: of other programs that a result can be written for, likewise


class Estimate(NamedTuple):
    """How long a study will take, and why it cannot run."""

    text: str
    seconds: float  #: roughly, on one core
    problems: List[str]  #: sentences; empty where it can run


@lru_cache(maxsize=None)
def _engines() -> Dict[str, Engine]:
    found = {}
    for row in json.loads(_core.engines()):
        row["parameters"] = {
            each["name"]: Parameter(**{**each, "words": tuple(each["words"])}) for each in row["parameters"]
        }
        for rows in ("tables", "pictures", "files"):
            row[rows] = {each["id"]: each["about"] for each in row[rows]}
        found[row["id"]] = Engine(**row)
    return found


def engines() -> Dict[str, Engine]:
    """Returns the engines by id."""
    return dict(_engines())


def engine_named(name: str) -> Engine:
    """The engine of an id. Raises UsageError where there is none."""
    found = _engines().get(text(name, "the engine"))
    if found is None:
        raise UsageError(f"there is no engine {shown(name)}; there is {', '.join(_engines())}")
    return found


def parameters(engine: str) -> Dict[str, Parameter]:
    """Returns the parameters of an engine by name: unit, default, range, words, help. Raises UsageError."""
    return dict(engine_named(engine).parameters)


def studies() -> Dict[str, str]:
    """Returns the titles of the bundled studies by name."""
    found: Dict[str, str] = json.loads(_core.bundled_studies())
    return found


def input_words(engine: Engine) -> Dict[str, str]:
    """The keywords by which an engine's inputs are given, with the list of the study that each stands for."""
    words = {}
    if engine.models != "none":
        words.update(models="models", model="models")
    if engine.workloads != "none":
        words.update(workloads="workloads", workload="workloads")
    if engine.hardware != "none":
        words["hardware"] = "hardware"
        words[engine.hardware_kind] = "hardware"
    return words


class Study:
    """Inputs, parameters and seed: all that decides a result. A value; `replace` makes others of it."""

    __slots__ = ("_core", "_chosen", "_document")

    _core: Any
    _chosen: FrozenSet[str]  # parameters that stay as they are where others follow from inputs
    _document: Optional[Dict[str, Any]]

    def __init__(self) -> None:
        raise TypeError("a study is made by tessera.study, Study.load or Study.read")

    @classmethod
    def _of(cls, core: Any, chosen: FrozenSet[str]) -> Study:
        made = object.__new__(cls)
        made._core, made._chosen, made._document = core, chosen, None
        return made

    @staticmethod
    def load(name: Union[str, os.PathLike[str]]) -> Study:
        """Reads a study file, or a bundled study by its name (see `studies`)."""
        core = _core.Study.load(name_bytes(name, "the study"))
        return Study._of(core, _parameters_in(core))

    @staticmethod
    def read(document: Mapping[str, Any]) -> Study:
        """Makes a study of the contents of a study file; its inputs may be models and hardware of this package."""
        if not isinstance(document, Mapping):
            raise TypeError(f"the study is {shown(document)}; expected a mapping as in a study file")
        document = dict(document)
        document.setdefault("schema", "tessera.study/1")
        given: List[Hardware] = []
        for key in ("models", "hardware"):
            listed = document.get(key)
            if isinstance(listed, (list, tuple)):
                document[key] = [_name_in_document(each, document, given) for each in listed]
        core = _core.Study.read(json_text(document, "the study"), "the study")
        for hardware in given:
            hardware._give(core)
        return Study._of(core, _parameters_in(core))

    def replace(self, **changes: Any) -> Study:
        """Returns the study with other inputs and parameters, by the keywords of `tessera.study`."""
        core = self._core.copy()
        chosen = _set(core, engine_named(self.engine), changes, self._chosen)
        return Study._of(core, chosen)

    @property
    def document(self) -> Dict[str, Any]:
        """The study as its file has it (`tessera.study/1`)."""
        if self._document is None:
            self._document = json.loads(self._core.json())
        return json.loads(json.dumps(self._document))

    @property
    def engine(self) -> str:
        """Id of its engine."""
        return self._core.engine()

    @property
    def name(self) -> str:
        """For people; may be empty."""
        return self.document.get("name", "")

    @property
    def models(self) -> List[str]:
        """Files and "zoo:NAME"."""
        return self.document.get("models", [])

    @property
    def workloads(self) -> List[str]:
        """Files and bundled names."""
        return self.document.get("workloads", [])

    @property
    def hardware(self) -> List[str]:
        """Files and bundled names."""
        return self.document.get("hardware", [])

    @property
    def dimensions(self) -> Dict[str, int]:
        """Values of its models' symbolic dimensions."""
        return self.document.get("dimensions", {})

    @property
    def parameters(self) -> Dict[str, Any]:
        """Values of its parameters; those that the engine decides are missing."""
        return self.document["parameters"]

    @property
    def seed(self) -> Optional[int]:
        """Of random numbers; None where there is none."""
        return self.document.get("seed")

    @property
    def hash(self) -> str:
        """SHA-256 over engine, inputs and parameters, as the history has it; name and seed do not count."""
        return self._core.hash()

    def estimate(self) -> Estimate:
        """Returns how long it will take, and what keeps it from running."""
        return Estimate(*self._core.estimate())

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes its study file, and beside it those of its inputs that are no files yet."""
        file = Path(os.fsdecode(name_bytes(path, "the path")))
        _write(file, self._core.json().encode())
        for name, (_, content) in self._core.given().items():
            _write(file.parent / name, content)

    def _hardware_values(self) -> List[Hardware]:
        """Its hardware, read."""
        given = self._core.given()
        found = []
        for name in self.hardware:
            if name in given:
                path, content = given[name]
                row = _core.hardware_read(content, os.fsencode(path))
                found.append(Hardware._of(*row, source=name, changed=True))
            else:
                found.append(Hardware.load(name))
        return found

    def __repr__(self) -> str:
        return f"<Study of {self.engine}: {self._core.title()}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Study):
            return NotImplemented
        return self._core.json() == other._core.json() and self._core.given() == other._core.given()

    def __hash__(self) -> int:
        return hash(self._core.json())

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (self._core.json(), self._core.given(), self._chosen)


def _restored(document: str, given: Dict[str, Tuple[str, bytes]], chosen: FrozenSet[str]) -> Study:
    core = _core.Study.read(document, "the study")
    for name, (path, content) in given.items():
        core.give(name, path, content)
    return Study._of(core, chosen)


def _write(path: Path, content: bytes) -> None:
    _core.write_file(os.fsencode(path), content)


def _parameters_in(core: Any) -> FrozenSet[str]:
    return frozenset(json.loads(core.json())["parameters"])


def _name_in_document(each: Any, document: Dict[str, Any], given: List[Hardware]) -> Any:
    if isinstance(each, Model):
        document["dimensions"] = {**each.dimensions, **document.get("dimensions", {})}
        return each.source
    if isinstance(each, Hardware):
        given.append(each)
        return each._name
    return os.fspath(each) if isinstance(each, os.PathLike) else each


def as_study(study: StudyLike) -> Study:
    """A study itself, of a mapping as in its file, of a file, or of a bundled name."""
    if isinstance(study, Study):
        return study
    if isinstance(study, Mapping):
        return Study.read(study)
    if isinstance(study, (str, os.PathLike)):
        return Study.load(study)
    raise TypeError(f"the study is {shown(study)}; expected a study, a mapping, a path or a bundled study's name")


def _as_list(value: Any) -> List[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _set_inputs(core: Any, kind: str, values: List[Any], dimensions: Mapping[str, Any]) -> None:
    names = []
    for each in values:
        if isinstance(each, Model) and kind == "models":
            for name, value in each.dimensions.items():
                if name not in dimensions:
                    core.set_dimension(name, value)
            names.append(name_bytes(each.source, "the model"))
        elif isinstance(each, Hardware) and kind == "hardware":
            each._give(core)
            names.append(name_bytes(each._name, "the hardware"))
        else:
            names.append(name_bytes(each, f"an entry of {kind}"))
    getattr(core, f"set_{kind}")(names)


def _set_dimensions(core: Any, dimensions: Any) -> None:
    core.clear_dimensions()
    for name, value in dimensions_of(dimensions).items():
        core.set_dimension(name, value)


def _set_parameter(core: Any, engine: Engine, name: str, value: Any) -> None:
    row = engine.parameters.get(name)
    if row is not None and row.type in _DOCUMENTS:
        value = os.fspath(value) if isinstance(value, os.PathLike) else value
    elif row is not None and row.type.startswith("list") and isinstance(value, str):
        value = [part.strip() for part in value.split(",")]
    core.set_parameter(text(name, "a parameter's name"), json_text(value, f"parameter '{name}'"))


def _set(core: Any, engine: Engine, changes: Dict[str, Any], chosen: FrozenSet[str]) -> FrozenSet[str]:
    """Sets what keywords say. Returns the parameters that are chosen from then on."""
    words = input_words(engine)
    dimensions = changes.get("dimensions", {})
    if "dimensions" in changes or any(isinstance(each, Model) for each in changes.values()):
        _set_dimensions(core, dimensions)
    given: Dict[str, str] = {}
    rest: Dict[str, Any] = {}
    for word, value in changes.items():
        if word in words:
            kind = words[word]
            if kind in given:
                raise UsageError(f"'{given[kind]}' and '{word}' are the same input; expected one of them")
            given[kind] = word
            _set_inputs(core, kind, _as_list(value), dimensions)
        elif word in ("model", "models", "workload", "workloads", "hardware"):
            raise UsageError(f"engine '{engine.id}' takes no {word}")
        elif word not in ("name", "seed", "dimensions"):
            rest[word] = value
    if "name" in changes:
        core.set_name(text(changes["name"], "the name"))
    if "seed" in changes:
        core.set_seed(None if changes["seed"] is None else whole(changes["seed"], "the seed", 0, _MAX_SEED))
    if given:
        before = json.loads(core.json())["parameters"]
        core.infer()
        for name in chosen & before.keys():
            core.set_parameter(name, json.dumps(before[name]))
    for name, value in rest.items():
        _set_parameter(core, engine, name, value)
    return chosen | {name for name, value in rest.items() if value is not None}


def study(engine: str, **parameters: Any) -> Study:
    core = _core.Study(text(engine, "the engine"))
    row = engine_named(engine)
    if row.seed:
        core.set_seed(1)
    return Study._of(core, _set(core, row, parameters, frozenset()))


def _doc() -> str:
    """What `study` says of itself: every engine with its parameters."""
    lines = [
        "Makes a study of an engine. Keywords are its inputs (a name, a path, a `Model` or `Hardware`, or a list of",
        "them), `dimensions`, `seed`, `name`, and its parameters as study files name them; None is a parameter's",
        'default. Numbers may be texts with units ("16 GB/s"). Raises UsageError for what the engine does not take.',
    ]
    for engine in _engines().values():
        lines += ["", f"{engine.id}: {engine.description}"]
        inputs = [f"{word}= ({getattr(engine, kind)})" for word, kind in input_words(engine).items() if word != kind]
        if inputs:
            lines.append(f"  inputs: {', '.join(inputs)}")
        lines += [f"  {row.name}: {row.help}; {row.expected}" for row in engine.parameters.values()]
    return "\n".join(lines) + "\n"


study.__doc__ = _doc()

"""A study as the objective of somebody else's search."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from numbers import Real
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._errors import InfeasibleError, UsageError
from ._hardware import Hardware
from ._result import Result
from ._run import run
from ._study import Study, StudyLike, as_study, engine_named, input_words
from ._values import MAX_DIMENSION, shown, text

_MAX_SEED = 2**63 - 1
_DIMENSION = "dimensions."


@dataclass(frozen=True)
class Range:
    """A range of numbers that a variable may take, both ends among them: all of them, or `low` and every `step` after
    it; `log` spreads them over a log scale."""

    low: float
    high: float
    log: bool = False
    step: Optional[float] = None


@dataclass(frozen=True)
class Variable:
    """A variable of an objective."""

    name: str
    kind: str  #: "float", "int" or "choice"
    low: Optional[float] = None  #: of numbers
    high: Optional[float] = None
    log: bool = False
    step: Optional[float] = None  #: None = 1 of whole numbers, none of others
    choices: Tuple[Any, ...] = ()

    def suggest(self, trial: Any) -> Any:
        """Asks a trial of Optuna, or one like it, for a value."""
        if self.kind == "choice":
            return trial.suggest_categorical(self.name, list(self.choices))
        if self.kind == "int":
            step = 1 if self.step is None else int(self.step)
            return trial.suggest_int(self.name, int(self.low or 0), int(self.high or 0), step=step, log=self.log)
        return trial.suggest_float(self.name, self.low, self.high, step=self.step, log=self.log)


class Objective:
    """A function of variables that runs a study; made by `tessera.objective`."""

    def __init__(
        self,
        study: Study,
        variables: Mapping[str, Any],
        metrics: Sequence[str],
        *,
        single: bool,
        infeasible: Optional[float],
        threads: int,
    ) -> None:
        self._study = study
        self._single = single
        self._metrics = tuple(metrics)
        self._infeasible = infeasible
        self._threads = threads
        self._setters: Dict[str, Callable[[Dict[str, Any], Any], None]] = {}
        self._names: Dict[str, Dict[str, Any]] = {}
        self._variables = tuple(self._variable(name, given) for name, given in variables.items())
        self._lock = threading.Lock()
        self._directions: Optional[List[str]] = None

    @property
    def study(self) -> Study:
        """What is run, with the variables at other values."""
        return self._study

    @property
    def variables(self) -> Tuple[Variable, ...]:
        """What may be chosen."""
        return self._variables

    @property
    def metrics(self) -> Tuple[str, ...]:
        """What is returned."""
        return self._metrics

    @property
    def directions(self) -> List[str]:
        """Returns "minimize" or "maximize" for each metric. Where no point was evaluated yet, this runs the study as it
        is."""
        with self._lock:
            known = self._directions
        if known is None:
            self._note(run(self._study, threads=self._threads))
        return list(self._directions or [])

    def __call__(self, trial: Any) -> Union[float, Tuple[float, ...]]:
        """Evaluates a point: values by name, or a trial that is asked for them (`suggest_float`, `suggest_int`,
        `suggest_categorical`, as Optuna's). Returns the metric, or one of each. Raises InfeasibleError where the point
        has no solution, unless the objective was given a value for such points."""
        return self.evaluate(trial if isinstance(trial, Mapping) else self.ask(trial))

    def ask(self, trial: Any) -> Dict[str, Any]:
        """Asks a trial for the values of all variables."""
        try:
            return {variable.name: variable.suggest(trial) for variable in self._variables}
        except AttributeError as error:
            raise TypeError(
                f"the trial is {shown(trial)}; expected one with suggest_float and its like ({error})"
            ) from error

    def evaluate(self, point: Mapping[str, Any]) -> Union[float, Tuple[float, ...]]:
        """Returns the metric at a point, or one of each metric."""
        try:
            result = self.result(point)
        except InfeasibleError:
            if self._infeasible is None:
                raise
            return self._infeasible if self._single else (self._infeasible,) * len(self._metrics)
        found = result.metrics
        values = []
        for name in self._metrics:
            if name not in found:
                result.metric(name)  # says which there are
            values.append(found[name])
        self._note(result)
        return values[0] if self._single else tuple(values)

    def result(self, point: Mapping[str, Any]) -> Result:
        """Runs the study at a point, and returns its whole result."""
        return run(self.study_at(point), threads=self._threads)

    def study_at(self, point: Mapping[str, Any]) -> Study:
        """Returns the study at a point; variables that it leaves out stay as they are. Raises UsageError."""
        if not isinstance(point, Mapping):
            raise TypeError(f"the point is {shown(point)}; expected a mapping of variables to values")
        changes: Dict[str, Any] = {}
        for name, value in sorted(point.items(), key=lambda each: "." in str(each[0])):  # hardware before its fields
            setter = self._setters.get(name)
            if setter is None:
                raise UsageError(f"there is no variable {shown(name)}; there is {', '.join(self._setters)}")
            setter(changes, self._names.get(name, {}).get(value, value) if isinstance(value, str) else value)
        for name in [name for name in changes if isinstance(changes[name], _Fields)]:
            changes[name] = changes[name].applied()
        return self._study.replace(**changes)

    def _note(self, result: Result) -> None:
        with self._lock:
            if self._directions is None:
                ways = [result.metric(name).better for name in self._metrics]
                self._directions = ["maximize" if way == "higher" else "minimize" for way in ways]

    def _variable(self, name: str, given: Any) -> Variable:
        name = text(name, "a variable's name")
        known = self._setter(name)
        low, high, whole, words = known
        if isinstance(given, list):
            return self._choice(name, given)
        if given is None:
            if not words:
                raise UsageError(f"variable '{name}' has no range; expected (low, high), a Range, or a list of values")
            return self._choice(name, list(words))
        reach = _range(name, given)
        if whole is None:
            raise UsageError(f"variable '{name}' has the range {shown(given)}; expected a list of values")
        if (low is not None and reach.low < low) or (high is not None and reach.high > high):
            bounds = f"from {'−∞' if low is None else f'{low:g}'} to {'∞' if high is None else f'{high:g}'}"
            raise UsageError(f"variable '{name}' has the range {shown(given)}; expected one inside {bounds}")
        if whole and any(number != int(number) for number in (reach.low, reach.high, reach.step or 1)):
            raise UsageError(f"variable '{name}' has the range {shown(given)}; expected whole numbers")
        return Variable(name, "int" if whole else "float", reach.low, reach.high, reach.log, reach.step)

    def _choice(self, name: str, given: List[Any]) -> Variable:
        if not given:
            raise UsageError(f"variable '{name}' has no values; expected at least one")
        plain = []
        for each in given:
            if each is None or isinstance(each, (bool, int, float, str)):
                plain.append(each)
                continue
            label = each.name if isinstance(each, Hardware) else shown(each)
            if label in self._names.setdefault(name, {}):
                label = f"{label} ({len(plain) + 1})"
            self._names[name][label] = each
            plain.append(label)
        return Variable(name, "choice", choices=tuple(plain))

    def _setter(self, name: str) -> Tuple[Optional[float], Optional[float], Optional[bool], Sequence[Any]]:
        """Finds what a variable sets. Returns its bounds, whether it is whole (None = no number), and its words."""
        engine = engine_named(self._study.engine)
        inputs = input_words(engine)
        if name in engine.parameters:
            row = engine.parameters[name]
            self._setters[name] = lambda changes, value: changes.__setitem__(name, value)
            words: Sequence[Any] = (False, True) if row.type == "bool" else row.words if row.type == "str" else ()
            whole = {"int": True, "float": False, "str or float": False}.get(row.type)
            return row.min, row.max, whole, words
        if name == "seed":
            self._setters[name] = lambda changes, value: changes.__setitem__(name, value)
            return 0, _MAX_SEED, True, ()
        if name in inputs:
            self._setters[name] = lambda changes, value: changes.__setitem__(inputs[name], value)
            return None, None, None, ()
        if name.startswith(_DIMENSION):
            dimension = name[len(_DIMENSION) :]
            known = self._study.dimensions
            self._setters[name] = lambda changes, value: changes.setdefault("dimensions", dict(known)).__setitem__(
                dimension, value
            )
            return 0, MAX_DIMENSION, True, ()
        kind, dot, path = name.partition(".")
        if dot and inputs.get(kind) == "hardware":
            return self._field(name, path)
        names = ", ".join([*engine.parameters, *inputs, "seed", "dimensions.NAME"])
        fields = f", or a field of its hardware as '{engine.hardware_kind}.PATH'" if engine.hardware_kind else ""
        raise UsageError(f"a study of '{engine.id}' has no variable {shown(name)}; expected one of {names}{fields}")

    def _field(self, name: str, path: str) -> Tuple[Optional[float], Optional[float], Optional[bool], Sequence[Any]]:
        if len(self._study.hardware) != 1:
            found = shown(self._study.hardware)
            raise UsageError(f"variable '{name}' is a field of hardware; expected a study with one, not {found}")
        base = self._study._hardware_values()[0]
        row = base.field(path)

        def put(changes: Dict[str, Any], value: Any) -> None:
            chosen = changes.get("hardware", base)
            if not isinstance(chosen, _Fields):
                chosen = _Fields(chosen if isinstance(chosen, Hardware) else Hardware.load(chosen))
            chosen.values[path] = value
            changes["hardware"] = chosen

        self._setters[name] = put
        return None, None, row["whole"] if row["number"] else None, ()


class _Fields:
    """Fields of hardware that a point changes."""

    def __init__(self, base: Hardware) -> None:
        self._base = base
        self.values: Dict[str, Any] = {}

    def applied(self) -> Hardware:
        return self._base.replace(self.values)


def _is_finite(number: Any) -> bool:
    try:
        return isinstance(number, Real) and not isinstance(number, bool) and math.isfinite(number)
    except OverflowError:  # a whole number that no float holds
        return False


def _range(name: str, given: Any) -> Range:
    """A range as it may be said: a Range, (low, high), (low, high, "log")."""
    reach = given
    if isinstance(given, tuple) and len(given) in (2, 3) and given[2:] in ((), ("log",)):
        reach = Range(given[0], given[1], len(given) == 3)
    if not isinstance(reach, Range):
        raise UsageError(f"variable '{name}' is {shown(given)}; expected (low, high), a Range, or a list of values")
    numbers = [reach.low, reach.high] + ([] if reach.step is None else [reach.step])
    if not all(map(_is_finite, numbers)):
        raise UsageError(f"variable '{name}' has the range {shown(given)}; expected finite numbers")
    if reach.low > reach.high or (reach.log and reach.low <= 0) or (reach.step is not None and reach.step <= 0):
        raise UsageError(
            f"variable '{name}' has the range {shown(given)}; expected low up to high, above 0 for a log scale, and a "
            "step above 0"
        )
    return reach


def objective(
    study: StudyLike,
    variables: Mapping[str, Any],
    metric: Union[str, Sequence[str]],
    *,
    infeasible: Optional[float] = None,
    threads: int = 0,
) -> Objective:
    """Makes a function for Optuna and its like, which evaluates points by running a study with other values.

    `variables` names what may be chosen: parameters, inputs ("model", "fleet"), "seed", "dimensions.NAME", and fields
    of the study's hardware by path ("fleet.groups[0].count"). Each has a range, (low, high) or (low, high, "log") or a
    `Range`, or a list of values; None stands for all words of a parameter. `metric` is what is returned, or several.
    A point without a solution raises InfeasibleError, or returns `infeasible` where that is given. Raises UsageError
    for what the study does not have.

        study.optimize(tessera.objective(base, {"micro_batch": (1, 8)}, "step_time_s"), n_trials=50)
    """
    if not isinstance(variables, Mapping):
        raise TypeError(f"the variables are {shown(variables)}; expected a mapping of names to ranges or lists")
    single = isinstance(metric, str)
    metrics = [text(each, "the metric") for each in ([metric] if single else metric)]
    if not variables or not metrics:
        raise UsageError("an objective has at least one variable and one metric")
    return Objective(as_study(study), variables, metrics, single=single, infeasible=infeasible, threads=threads)

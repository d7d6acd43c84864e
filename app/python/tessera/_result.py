"""Results of runs."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _core
from ._study import Study
from ._values import frame, name_bytes, shown, text


@dataclass(frozen=True)
class Metric:
    """A number of a result."""

    name: str  #: its path: "step_time_s", "accpar/step_time_s"; the unit is the suffix
    title: str
    owner: str  #: the strategy or algorithm that it is of; empty = the run's best
    value: float
    unit: str  #: base unit: "B/s"; empty for counts and shares
    better: str  #: "lower", "higher" or "neither"
    text: str  #: for people: "36.2 ms"

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True)
class Explanation:
    """How a number comes about."""

    title: str
    value: str  #: for people
    exact: str  #: with all digits, in the base unit
    formula: str
    terms: Tuple[Dict[str, str], ...]  #: name, value and where it is from, of what stands in the formula
    source: str  #: the paper
    notes: Tuple[str, ...]  #: assumptions that it rests on


class Picture:
    """A picture of a result. Notebooks show it."""

    __slots__ = ("_core",)

    def __init__(self) -> None:
        raise TypeError("a picture is made by Result.picture")

    @classmethod
    def _of(cls, core: Any) -> Picture:
        made = object.__new__(cls)
        made._core = core
        return made

    @property
    def id(self) -> str:
        """By which `Result.picture` knows it."""
        return self._core.id

    @property
    def title(self) -> str:
        """What it shows."""
        return self._core.title

    def svg(self, theme: str = "light") -> str:
        """Returns the picture as SVG, in a light or dark theme."""
        return self._core.svg(text(theme, "theme"))

    def csv(self) -> str:
        """Returns its numbers as CSV. Raises UsageError for a drawing, which has none."""
        return self._core.csv()

    def save(self, path: Union[str, os.PathLike[str]], theme: str = "light", scale: float = 2) -> None:
        """Writes the picture as .svg, .png, .pdf or .csv; `scale` is of a PNG. Raises UsageError, FileError."""
        try:
            factor = float(scale)
        except (TypeError, ValueError, OverflowError):
            raise TypeError(f"scale is {shown(scale)}; expected a number") from None
        self._core.save(name_bytes(path, "the path"), text(theme, "theme"), factor)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<Picture {self.id}: {self.title}>"


class Result:
    """What a run found: headline, metrics, tables, pictures, the whole document."""

    __slots__ = ("_core",)

    def __init__(self) -> None:
        raise TypeError("a result is made by tessera.run or a history")

    @classmethod
    def _of(cls, core: Any) -> Result:
        made = object.__new__(cls)
        made._core = core
        return made

    @staticmethod
    def read(study: Study, document: Any) -> Result:
        """Reads the document of a result of a study, as `document` gives it. Raises DataError."""
        from ._study import as_study
        from ._values import json_text

        core = as_study(study)._core
        return Result._of(_core.Result.read(core, json_text(document, "the document"), "the document"))

    @property
    def study(self) -> Study:
        """The study as it was run, with what it took where nothing was said."""
        from ._study import _parameters_in

        core = self._core.study()
        return Study._of(core, _parameters_in(core))

    @property
    def run(self) -> Optional[int]:
        """Its number in the history that keeps it; None where none does."""
        return self._core.run()

    @property
    def title(self) -> str:
        """What it is of: "resnet50 on accpar-heterogeneous, batch 512"."""
        return self._core.title()

    @property
    def headline(self) -> str:
        """One line on what came out, the number that counts first."""
        return self._core.headline()

    @property
    def assumptions(self) -> List[str]:
        """Sentences that the numbers rest on."""
        return self._core.assumptions()

    @property
    def warnings(self) -> List[str]:
        """Sentences on what to look at twice."""
        return self._core.warnings()

    @property
    def metrics(self) -> Dict[str, float]:
        """All numbers by name; the unit is the name's suffix. The run's own stand first, then those of each strategy
        or algorithm: "accpar/step_time_s"."""
        return self._core.metric_values()

    def metric(self, name: str) -> Metric:
        """Returns a number with title, unit, text and which way is better. Raises UsageError for an unknown name."""
        name = text(name, "the metric")
        for row in self._core.metrics():
            if row[0] == name:
                return Metric(*row)
        raise _core.unknown_name("the result has no metric", name, list(self.metrics))

    def explain(self, path: str) -> Explanation:
        """Explains a metric, or a number inside of the result by its path. Raises UsageError where there is none."""
        found = self._core.explain(text(path, "the path"))
        if found is None:
            raise _core.unknown_name("there is no explanation of", path, list(self.metrics))
        row = json.loads(found)
        return Explanation(**{**row, "terms": tuple(row["terms"]), "notes": tuple(row["notes"])})

    @property
    def choices(self) -> List[str]:
        """Strategies, algorithms, models or predictions that tables and pictures may be of, the best first."""
        return self._core.choices()

    @property
    def tables(self) -> Dict[str, str]:
        """Titles of the tables that `table` makes, by id."""
        return {row[0]: row[1] for row in self._core.tables()}

    @property
    def pictures(self) -> Dict[str, str]:
        """Titles of the pictures that `picture` makes, by id."""
        return {row[0]: row[1] for row in self._core.pictures()}

    @property
    def files(self) -> Dict[str, str]:
        """Titles of the files of other programs that `file` makes, by id."""
        return {row[0]: row[1] for row in self._core.file_kinds()}

    def table(
        self, name: Optional[str] = None, of: Optional[str] = None, *, exact: bool = True, pandas: Optional[bool] = None
    ) -> Any:
        """Returns a table by its id, or the main one: a DataFrame where pandas is installed, else a list of dicts;
        `pandas` says which. `of` chooses the strategy, algorithm or model. Numbers have all digits, in base units; with
        `exact=False` they are texts for people. Raises UsageError."""
        _, (columns, numbers, rows) = self._core.table(_or_empty(name, "the table"), _or_empty(of, "of"), bool(exact))
        return frame(columns, numbers, rows, pandas)

    def picture(self, name: Optional[str] = None, of: Optional[str] = None) -> Picture:
        """Returns a picture by its id, or the main one, which notebooks show. `of` chooses the strategy, algorithm or
        model. Raises UsageError."""
        return Picture._of(self._core.picture(_or_empty(name, "the picture"), _or_empty(of, "of")))

    def file(self, name: Optional[str] = None, path: Optional[str] = None) -> Dict[str, bytes]:
        """Returns what other programs read, by its id: contents by path, the file's own and those that it names. `path`
        is the file's own; nothing is written. Raises UsageError."""
        out = b"" if path is None else name_bytes(path, "the path")
        return self._core.files(_or_empty(name, "the file"), out)

    @property
    def document(self) -> Dict[str, Any]:
        """The whole result as the command line writes it."""
        return json.loads(self._core.document())

    @property
    def text(self) -> str:
        """The result as the command line prints it."""
        return self._core.text()

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the result's document (.json), or a report of it (.html, .md, .pdf). Raises UsageError, FileError."""
        self._core.save(name_bytes(path, "the path"))

    def _repr_html_(self) -> str:
        return self._core.html()

    def __repr__(self) -> str:
        return f"<Result of {self.title}: {self.headline}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return self._core.document() == other._core.document() and self.study == other.study

    def __hash__(self) -> int:
        return hash(self._core.document())

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (self.study, self._core.document())


def _restored(study: Study, document: str) -> Result:
    return Result._of(_core.Result.read(study._core, document, "the document"))


def _or_empty(value: Optional[str], what: str) -> str:
    return "" if value is None else text(value, what)

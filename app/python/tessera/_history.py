"""The history of runs."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterable, Iterator, List, Optional, Union

from . import _core
from ._result import Result
from ._study import Study
from ._values import json_text, name_bytes, shown, table_of, text, texts, whole

_ALL = 2**62
_COLUMNS = ("run", "name", "engine", "models", "hardware", "status")
_COLUMNS += ("started_s", "finished_s", "headline", "tags", "note")

RunName = Union[int, str]


class History:
    """The runs that the studio and the command line keep, in one file that several programs use at once."""

    __slots__ = ("_name",)

    def __init__(self, path: Union[None, str, os.PathLike[str]] = None) -> None:
        self._name = b"" if path is None else name_bytes(path, "the history")
        _core.history_serve(self._name)

    @property
    def path(self) -> str:
        """Its file, which need not be there yet."""
        return _core.history_path(self._name)

    def runs(
        self,
        text: str = "",
        *,
        engine: Optional[str] = None,
        model: Optional[str] = None,
        hardware: Optional[str] = None,
        tag: Optional[str] = None,
        status: Optional[str] = None,
        starred: Optional[bool] = None,
        metrics: Iterable[str] = (),
        sort: str = "started",
        ascending: bool = False,
        limit: Optional[int] = None,
        pandas: Optional[bool] = None,
    ) -> Any:
        """Returns runs, the newest first: a DataFrame where pandas is installed, else a list of dicts; `pandas` says
        which. `text` has words of names, tags, notes, models and hardware, `model` and `hardware` parts of names,
        `metrics` the numbers that become columns; `sort` is a metric's name, or started, name, status, engine, model,
        hardware. Raises UsageError, FileError."""
        wanted = list(texts(metrics, "metrics"))
        query: Dict[str, Any] = {
            "text": text,
            "engine": engine,
            "model": model,
            "hardware": hardware,
            "tag": tag,
            "status": status,
            "starred": starred,
            "metrics": wanted,
            "sort": sort,
            "ascending": ascending,
        }
        given = {name: value for name, value in query.items() if value is not None}
        most = _ALL if limit is None else whole(limit, "limit", 0, _ALL)
        rows: List[Dict[str, Any]] = json.loads(_core.history_runs(self._name, json_text(given, "the query"), most))
        columns: Dict[str, List[Any]] = {name: [row.get(name) for row in rows] for name in _COLUMNS}
        for name in wanted:
            columns[name] = [row.get("metrics", {}).get(name) for row in rows]
        return table_of(columns, pandas)

    def result(self, run: RunName) -> Result:
        """Returns the result of a run: by its number, its name, its uid, or "last". Raises UsageError where there is no
        such run or it has none, FileError."""
        return Result._of(_core.history_result(self._name, _run_name(run)))

    def study(self, run: RunName) -> Study:
        """Returns the study of a run. Raises UsageError, FileError."""
        from ._study import _parameters_in

        core = _core.history_study(self._name, _run_name(run))
        return Study._of(core, _parameters_in(core))

    def add(self, result: Result, *, name: str = "", tags: Iterable[str] = ()) -> int:
        """Keeps a result as a run that is done, and returns its number. Raises FileError."""
        if not isinstance(result, Result):
            raise TypeError(f"the result is {shown(result)}; expected a Result")
        return _core.history_add(self._name, result._core, text(name, "the name"), texts(tags, "tags"))

    def resume(self, run: RunName, progress: Any = None, threads: int = 0) -> Result:
        """Goes on with a run that did not end, from where it was if its engine keeps states, and returns its result;
        all else is as with `tessera.run`."""
        from ._run import run_kept

        number = _core.history_find(self._name, _run_name(run))
        return run_kept(self.study(number), progress, threads, self, number)

    def tag(self, run: RunName, *tags: str) -> None:
        """Gives a run these tags in place of those that it has. Raises UsageError, FileError."""
        _core.history_set_tags(self._name, _run_name(run), texts(tags, "tags"))

    def note(self, run: RunName, note: str) -> None:
        """Writes a run's note. Raises UsageError, FileError."""
        _core.history_set_note(self._name, _run_name(run), text(note, "the note"))

    def __len__(self) -> int:
        return _core.history_count(self._name)

    def __iter__(self) -> Iterator[int]:
        return iter([row["run"] for row in self.runs(pandas=False)])

    def __getitem__(self, run: RunName) -> Result:
        return self.result(run)

    def __repr__(self) -> str:
        return f"<History {os.fsdecode(self._name) or self.path}>"


def _run_name(run: RunName) -> str:
    return str(whole(run, "the run", 0, _ALL)) if not isinstance(run, str) else text(run, "the run")


def history(path: Union[None, str, os.PathLike[str]] = None) -> History:
    """Returns the history in a file, or the one that the studio and the command line use. Nothing is made until a run
    is kept. Inputs of studies that are named "run:RUN/NAME/PART" are made of its runs from then on, until another one is
    opened or a run is kept in another one."""
    return History(path)

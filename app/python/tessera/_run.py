"""Runs of studies."""

from __future__ import annotations

import os
import warnings
from typing import Any, Callable, Iterable, List, Mapping, NamedTuple, Optional, Union

from . import _core
from ._errors import InfeasibleError, UsageError
from ._result import Result
from ._study import Study, StudyLike, as_study
from ._values import shown, texts, whole

_MAX_THREADS = 1024
_ENGINE_OF_EXPLORATIONS = "explore"
_SCHEMA_OF_EXPLORATIONS = "tessera.exploration/1"


class Progress(NamedTuple):
    """What a run tells while it works."""

    kind: str  #: "progress", "incumbent" (a better result), "point" (of a curve), "log"
    task: str  #: what is being worked on
    done: float  #: of `total`, in the task's own unit
    total: float  #: 0 = not known
    curve: str  #: of a point or an incumbent: "magma best"
    x: float
    y: float
    text: str  #: of a log


ProgressListener = Callable[[Progress], Any]


def run(
    study: StudyLike,
    progress: Optional[ProgressListener] = None,
    threads: int = 0,
    *,
    history: Union[None, str, os.PathLike[str], Any] = None,
    tags: Iterable[str] = (),
) -> Result:
    """Runs a study, a mapping as in a study file, a file, or a bundled study by its name, and returns its result.

    The result depends on the study and the contents of its files alone; `threads` (0 = all cores) changes nothing but
    the time. Other threads of Python go on meanwhile. `progress` is called in the calling thread with every event of
    the run, which waits for it; what it raises ends the run, and `Finish` ends a search with its best so far. Ctrl+C
    gives the run up and raises KeyboardInterrupt. With a `history` (see `tessera.history`), the run is kept there with
    `tags`. Raises UsageError, DataError, FileError, and InfeasibleError, which has the result where there is one."""
    return _run(as_study(study), progress, threads, history, tags, None)


def explore(
    exploration: StudyLike,
    progress: Optional[ProgressListener] = None,
    threads: int = 0,
    *,
    history: Union[None, str, os.PathLike[str], Any] = None,
    tags: Iterable[str] = (),
) -> Result:
    """Runs an exploration, as a mapping or a file: the study that it varies, which in a mapping may be whatever `run`
    takes, with variables, objectives, constraints and a method. All else is as with `run`."""
    study = _exploration_of(exploration) if isinstance(exploration, Mapping) else as_study(exploration)
    if study.engine != _ENGINE_OF_EXPLORATIONS:
        raise UsageError(f"{study!r} is no exploration; tessera.run runs it")
    return run(study, progress, threads, history=history, tags=tags)


def _exploration_of(document: Mapping[str, Any]) -> Study:
    """The exploration of a mapping. What the varied study holds in place of files, it holds, too."""
    document = {"schema": _SCHEMA_OF_EXPLORATIONS, **document}
    if "study" not in document:
        return Study.read(document)
    varied = as_study(document["study"])
    study = Study.read({**document, "study": varied.document})
    for name, (path, content) in varied._core.given().items():
        study._core.give(name, path, content)
    return study


def run_kept(study: Study, progress: Optional[ProgressListener], threads: int, history: Any, run: int) -> Result:
    """Goes on with a run of a history."""
    return _run(study, progress, threads, history, (), run)


def _run(
    study: Study,
    progress: Optional[ProgressListener],
    threads: int,
    history: Any,
    tags: Iterable[str],
    continued: Optional[int],
) -> Result:
    if progress is not None and not callable(progress):
        raise TypeError(f"progress is {shown(progress)}; expected a function of one event")
    count = whole(threads, "threads", 0, _MAX_THREADS)
    listener = None if progress is None else lambda *event: progress(Progress(*event))
    labels: List[str] = texts(tags, "tags")
    if history is None:
        if labels:
            raise UsageError("tags are of runs in a history; expected one")
        core = _core.run(study._core, listener, count)
    else:
        name = history_name(history)
        _core.history_serve(name)
        core = _core.run_recorded(study._core, listener, count, name, labels, continued)
    return finished(core)


def history_name(history: Any) -> bytes:
    """A history's file as the core takes it; empty = the default one."""
    from ._history import History
    from ._values import name_bytes

    if isinstance(history, History):
        return history._name
    return name_bytes(history, "the history")


def finished(core: Any) -> Result:
    """The result of a run that ended. Raises InfeasibleError where it is no solution."""
    result = Result._of(core)
    if core.trouble():
        warnings.warn(core.trouble(), RuntimeWarning, stacklevel=4)
    if core.misfit():
        error = InfeasibleError(core.misfit())
        error.result = result
        raise error
    return result

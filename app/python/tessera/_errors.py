"""Exceptions of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from ._result import Result


class Error(Exception):
    """Base of what the package raises; the message is one sentence."""


class UsageError(Error):
    """A request that cannot be meant: an unknown name, a value out of range, options that contradict each other."""


class DataError(Error):
    """Wrong input: the message names file and place, what was found and what was expected."""

    file: str = ""  #: as it was named; empty where there is none
    line: Optional[int] = None  #: from 1; None where it is not known
    column: Optional[int] = None  #: from 1; None where it is not known
    where: str = ""  #: a place that is no line, such as "node 'conv1'"
    field: str = ""  #: of a structured file, such as "groups[1].count"
    found: str = ""
    expected: str = ""


class InfeasibleError(Error):
    """The problem has no solution; the message says which constraint forbids it and what would relax it."""

    result: Optional[Result] = None  #: what is known all the same, where there is any


class FileError(Error):
    """A file or the history cannot be read or written."""


class Finish(Exception):
    """Raised by a listener of progress: the search ends, and its best so far is the result."""

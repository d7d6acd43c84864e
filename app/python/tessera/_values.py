"""Values of Python as the core reads them: names as bytes, all else as JSON."""

from __future__ import annotations

import importlib
import json
import operator
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence

from ._errors import UsageError

MAX_DIMENSION = 2**31 - 1
_LONGEST_SHOWN = 60


def shown(value: Any) -> str:
    """A value in a message, cut where it is long."""
    try:
        text = repr(value)
    except Exception:  # an object's own repr may fail, and whole numbers may have too many digits for one
        text = f"a value of the type {type(value).__name__}"
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def _plain(value: Any) -> Any:
    """What JSON knows of a value that is none of its own: numbers and arrays of NumPy, paths, other mappings."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "__index__"):
        return int(value)
    if hasattr(value, "__float__"):
        return float(value)
    raise TypeError(f"a value of the type {type(value).__name__}")


def json_text(value: Any, what: str) -> str:
    """The JSON of a value. Raises UsageError, saying what it is of, where it has none."""
    try:
        return json.dumps(value, allow_nan=False, default=_plain)
    except Exception as error:  # those of foreign objects' methods among them
        raise UsageError(f"{what} is {shown(value)}; expected what JSON can hold ({error})") from error


def name_bytes(name: Any, what: str) -> bytes:
    """A name or path. Raises TypeError for what is none, UsageError for one that no file can have."""
    if not isinstance(name, (str, bytes, os.PathLike)):
        raise TypeError(f"{what} is {shown(name)}; expected a name or a path")
    try:
        encoded = os.fsencode(name)
    except UnicodeEncodeError:
        raise UsageError(f"{what} is {shown(name)}, which cannot be written as UTF-8") from None
    if not encoded or b"\0" in encoded:
        raise UsageError(f"{what} is {shown(name)}; expected a name without zero bytes")
    return encoded


def text(value: Any, what: str) -> str:
    """A text. Raises TypeError for what is none, UsageError for one that is not UTF-8."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is {shown(value)}; expected a text")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} is {shown(value)}, which cannot be written as UTF-8") from None
    return value


def texts(value: Any, what: str) -> List[str]:
    """A list of texts, or one alone."""
    if isinstance(value, str):
        return [text(value, what)]
    if not isinstance(value, Iterable) or isinstance(value, (bytes, Mapping)):
        raise TypeError(f"{what} is {shown(value)}; expected a list of texts")
    return [text(each, what) for each in value]


def whole(value: Any, what: str, low: int, high: int) -> int:
    """A whole number within a range. Raises UsageError."""
    expected = f"{what} is {shown(value)}; expected a whole number from {low} to {high}"
    if isinstance(value, bool):
        raise UsageError(expected)
    try:
        number = int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
    except Exception as error:  # those of foreign objects' methods among them
        raise UsageError(expected) from error
    if not low <= number <= high:
        raise UsageError(expected)
    return number


def dimensions_of(given: Any) -> Dict[str, int]:
    """Sizes of symbolic dimensions by name. Raises TypeError, UsageError."""
    if not isinstance(given, Mapping):
        raise TypeError(f"dimensions is {shown(given)}; expected a mapping of names to whole numbers")
    found: Dict[str, int] = {}
    for name, value in given.items():
        name = text(name, "a dimension's name")
        found[name] = whole(value, f"dimension {shown(name)}", 0, MAX_DIMENSION)
    return found


def frame(
    columns: Sequence[str], numbers: Sequence[bool], rows: Sequence[Sequence[str]], pandas: Optional[bool]
) -> Any:
    """A table as pandas has it, else as a list of dicts. Columns of numbers are numbers where all their cells are."""
    titles: List[str] = []
    for column in columns:
        title, copies = column, 1
        while title in titles:
            copies += 1
            title = f"{column} ({copies})"
        titles.append(title)
    cells = [[row[place] for row in rows] for place in range(len(titles))]
    values = [numbers_of(column) if isNumber else column for column, isNumber in zip(cells, numbers)]
    return table_of(dict(zip(titles, values)), pandas)


def numbers_of(cells: List[str]) -> List[Any]:
    """Cells as numbers, None where one is empty; as they are where one is no number."""
    found: List[Any] = []
    for cell in cells:
        try:
            found.append(None if cell == "" else int(cell) if cell.lstrip("-").isdecimal() else float(cell))
        except ValueError:
            return cells
    return found


def table_of(columns: Dict[str, List[Any]], pandas: Optional[bool]) -> Any:
    """Columns as a DataFrame where pandas is wanted (True) or there (None), else rows as dicts."""
    module = None
    if pandas is not False:
        try:
            module = importlib.import_module("pandas")
        except ImportError:
            if pandas:
                raise
    if module is not None:
        return module.DataFrame(columns)
    rows = zip(*columns.values()) if columns else iter(())
    return [dict(zip(columns, row)) for row in rows]

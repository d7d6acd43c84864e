"""Hardware: accelerators, fleets, platforms and templates."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Union

from . import _core
from ._errors import UsageError
from ._values import json_text, name_bytes, shown, table_of, text

KINDS = ("accelerator", "fleet", "platform", "template")


class HardwareEntry(NamedTuple):
    """A file of the library."""

    kind: str  #: one of "accelerator", "fleet", "platform", "template"
    name: str  #: that `Hardware.load` takes
    title: str
    path: str
    problem: str  #: why it cannot be used, a sentence; empty where it can


class Hardware:
    """An accelerator, a fleet, a platform or an architecture template. A value; `replace` makes changed copies."""

    __slots__ = ("_kind", "_title", "_file", "_text", "_source", "_changed", "_fields")

    _kind: str
    _title: str
    _file: str
    _text: str
    _source: str
    _changed: bool
    _fields: Optional[List[Dict[str, Any]]]

    def __init__(self) -> None:
        raise TypeError("hardware is made by Hardware.load or Hardware.read")

    @classmethod
    def _of(cls, kind: str, title: str, file: str, document: str, source: str, changed: bool) -> Hardware:
        made = object.__new__(cls)
        made._kind, made._title, made._file, made._text = kind, title, file, document
        made._source, made._changed, made._fields = source, changed, None
        return made

    @staticmethod
    def list(kind: Optional[str] = None) -> List[HardwareEntry]:
        """Returns the bundled files and your own, of one kind or of all."""
        if kind is not None and kind not in KINDS:
            raise UsageError(f"the kind is {shown(kind)}; expected one of {', '.join(KINDS)}")
        entries = (HardwareEntry(*row) for row in _core.hardware_list())
        return [entry for entry in entries if kind is None or entry.kind == kind]

    @staticmethod
    def load(name: Union[str, os.PathLike[str]]) -> Hardware:
        """Reads a file, or the hardware of a name in the library, of whatever kind. Raises FileError, DataError,
        UsageError."""
        encoded = name_bytes(name, "the hardware")
        return Hardware._of(*_core.hardware_load(encoded), source=os.fsdecode(encoded), changed=False)

    @staticmethod
    def read(document: Mapping[str, Any], name: str = "hardware") -> Hardware:
        """Makes hardware of the contents of a file; what it names beside itself is looked for in the working folder."""
        if not isinstance(document, Mapping):
            raise TypeError(f"the document is {shown(document)}; expected a mapping as in a hardware file")
        file = f"{text(name, 'the name')}.json"
        return Hardware._of(*_core.hardware_read(json_text(document, "the document"), file), source=name, changed=True)

    def replace(self, changes: Optional[Mapping[str, Any]] = None, **values: Any) -> Hardware:
        """Returns a copy with other values, by their paths (see `fields`): `h100.replace({"memory[0].capacity_bytes":
        "96 GiB"}, power_watts=650)`. An entry of a list is meant by its number or its name, and None takes a value
        away. Numbers are marked as your own, with what they were. Raises UsageError, DataError."""
        if changes is not None and not isinstance(changes, Mapping):
            raise TypeError(f"the changes are {shown(changes)}; expected a mapping of paths to values")
        wanted = {**(changes or {}), **values}
        pairs = [(text(path, "a path"), json_text(value, f"'{path}'")) for path, value in wanted.items()]
        return Hardware._of(*_core.hardware_changed(self._text, self._file, pairs), source=self._source, changed=True)

    @property
    def kind(self) -> str:
        """One of "accelerator", "fleet", "platform", "template"."""
        return self._kind

    @property
    def name(self) -> str:
        """Its own, in words."""
        return self._title

    @property
    def source(self) -> str:
        """The file or name that it was read from; of a changed copy that of the original."""
        return self._source

    @property
    def document(self) -> Dict[str, Any]:
        """The contents of its file."""
        return json.loads(self._text)

    @property
    def fields(self) -> Any:
        """All fields, those without a value, too: path, title, value, text for people, unit, where it comes from, what
        it is. A DataFrame where pandas is installed, else a list of dicts."""
        names = ("path", "title", "value", "text", "unit", "from", "about")
        return table_of({name: [row[name] for row in self._rows()] for name in names}, None)

    def field(self, path: str) -> Dict[str, Any]:
        """The row of `fields` at a path. Raises UsageError where there is none."""
        return dict(_core_row(self, text(path, "a path")))

    def __getitem__(self, path: str) -> Any:
        """The value at a path: a number in base units, a text, a flag; None where it is left out."""
        return self.field(path)["value"]

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes its file. Raises FileError, and DataError where it names a file that is not found from there."""
        file = name_bytes(path, "the path")
        _core.hardware_read(self._text, file)
        _core.write_file(file, self._text.encode())

    def _rows(self) -> List[Dict[str, Any]]:
        if self._fields is None:
            self._fields = json.loads(_core.hardware_fields(self._text, self._file))
        return self._fields

    @property
    def _name(self) -> str:
        """How a study calls it: a changed copy by what it was made from and what it is now."""
        if not self._changed:
            return self._source
        stem = Path(self._file).stem or "hardware"
        return f"{stem}-{hashlib.sha256(self._text.encode()).hexdigest()[:8]}.json"

    def _give(self, core: Any) -> None:
        """Hands a changed copy to a study, as a file beside the original."""
        if self._changed:
            core.give(self._name, os.fsencode(Path(self._file).parent / self._name), self._text.encode())

    def __repr__(self) -> str:
        return f"<{self._kind.capitalize()} {self._title}{', changed' if self._changed else ''}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hardware):
            return NotImplemented
        return self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> Any:
        return Hardware._of, (self._kind, self._title, self._file, self._text, self._source, self._changed)


def _core_row(hardware: Hardware, path: str) -> Dict[str, Any]:
    place = _core.hardware_place(hardware._text, hardware._file, path)
    return next(row for row in hardware._rows() if row["path"] == place)

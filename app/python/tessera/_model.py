"""Models: networks of the zoo and files."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Union

from . import _core
from ._values import MAX_DIMENSION, dimensions_of, name_bytes, table_of, text, whole

_ZOO = "zoo:"


class ZooModel(NamedTuple):
    """A network of the zoo, and the sizes of it that may be chosen."""

    name: str
    title: str
    family: str
    source: str  #: the paper, and whose details are followed
    description: str
    dimensions: Dict[str, Dict[str, Any]]  #: meaning, default, min and max by name


class Model:
    """A model with its counts, by the rules of the command line's `model inspect`. Counts that need a shape which is
    not bound are None."""

    __slots__ = ("_document", "_dimensions")

    _document: Dict[str, Any]
    _dimensions: Dict[str, int]

    def __init__(self) -> None:
        raise TypeError("a model is made by Model.load or Model.zoo")

    @staticmethod
    def load(
        path: Union[str, os.PathLike[str]],
        *,
        batch: Optional[int] = None,
        training: bool = False,
        dimensions: Optional[Mapping[str, int]] = None,
        **named_dimensions: int,
    ) -> Model:
        """Reads a model's file, or makes "zoo:NAME". Symbolic dimensions are bound by keyword, or by `dimensions` where
        their names are no keywords; `batch` binds dimension 0 of every input; `training` counts a step of training,
        too. Raises FileError, DataError, UsageError."""
        bound = {**({} if dimensions is None else dimensions_of(dimensions)), **dimensions_of(named_dimensions)}
        size = None if batch is None else whole(batch, "the batch", 1, MAX_DIMENSION)
        document = json.loads(_core.model_summary(name_bytes(path, "the model"), size, bound, bool(training)))
        return Model._of(document, bound)

    @staticmethod
    def zoo(
        name: str,
        *,
        batch: Optional[int] = None,
        training: bool = False,
        dimensions: Optional[Mapping[str, int]] = None,
        **named_dimensions: int,
    ) -> Model:
        """Makes a network of the zoo (see `zoo_models`), as `load`: `Model.zoo("bert-large", sequence=128)`."""
        full = text(name, "the network")
        full = full if full.startswith(_ZOO) else _ZOO + full
        return Model.load(full, batch=batch, training=training, dimensions=dimensions, **named_dimensions)

    @classmethod
    def _of(cls, document: Dict[str, Any], dimensions: Dict[str, int]) -> Model:
        made = object.__new__(cls)
        made._document, made._dimensions = document, dimensions
        return made

    @property
    def document(self) -> Dict[str, Any]:
        """The counts as the command line writes them (`tessera.model-summary/1`)."""
        return json.loads(json.dumps(self._document))

    @property
    def name(self) -> str:
        """What the model calls itself."""
        return self._document["name"]

    @property
    def source(self) -> str:
        """The file, or "zoo:NAME": how studies name it."""
        return self._document["sources"][0]["name"]

    @property
    def sha256(self) -> str:
        """Of the file's bytes, or of what the zoo makes."""
        return self._document["sources"][0]["sha256"]

    @property
    def dimensions(self) -> Dict[str, int]:
        """Symbolic dimensions as they were bound."""
        return dict(self._dimensions)

    @property
    def batch(self) -> int:
        """Samples that the counts are of."""
        return self._document["batch"]

    @property
    def parameters(self) -> Optional[int]:
        """Trained numbers."""
        return self._document["parameters"]

    @property
    def macs(self) -> Optional[int]:
        """Multiply-accumulates of a forward pass."""
        return self._document["macs"]

    @property
    def flops(self) -> Optional[int]:
        """Operations of a forward pass: of matrix operators and of all others."""
        matrix, vector = self.flops_matrix, self.flops_vector
        return None if matrix is None or vector is None else matrix + vector

    @property
    def flops_matrix(self) -> Optional[int]:
        """Operations of matrix operators: two for a multiply-accumulate."""
        return self._document["flops_matrix"]

    @property
    def flops_vector(self) -> Optional[int]:
        """Operations of all other operators."""
        return self._document["flops_vector"]

    @property
    def activations(self) -> Optional[int]:
        """Elements of the activations."""
        return self._document["activation_elements"]

    @property
    def operators(self) -> int:
        """Number of operators."""
        return self._document["operators"]

    @property
    def inputs(self) -> List[Dict[str, Any]]:
        """Name, shape and dtype of each input; a dimension is a number, a symbol, or None."""
        return self.document["inputs"]

    @property
    def outputs(self) -> List[Dict[str, Any]]:
        """Likewise of each output."""
        return self.document["outputs"]

    @property
    def layers(self) -> Any:
        """Weighted layers and joins with their sizes and counts: a DataFrame where pandas is installed, else a list of
        dicts."""
        rows = self.document["layers"]
        return table_of({name: [row[name] for row in rows] for name in rows[0]} if rows else {}, None)

    @property
    def training(self) -> Optional[Dict[str, Any]]:
        """Operations and bytes of a step of training; None where it was not counted."""
        return self.document.get("training")

    @property
    def assumptions(self) -> List[str]:
        """Sentences on how was counted."""
        return self.document["assumptions"]

    @property
    def warnings(self) -> List[str]:
        """Sentences on what was not understood."""
        return self.document["warnings"]

    def __repr__(self) -> str:
        parameters = "unknown" if self.parameters is None else f"{self.parameters:,}"
        flops = "unknown" if self.flops is None else f"{self.flops:.4g}"
        return f"<Model {self.source}: {parameters} parameters, {flops} FLOP at batch {self.batch}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self._document == other._document and self._dimensions == other._dimensions

    def __hash__(self) -> int:
        return hash((self.sha256, self.batch))

    def __reduce__(self) -> Any:
        return Model._of, (self._document, self._dimensions)


def zoo_models() -> Dict[str, ZooModel]:
    """Returns the networks of the zoo by name."""
    found = {}
    for row in json.loads(_core.zoo()):
        row["dimensions"] = {each.pop("name"): each for each in row["dimensions"]}
        found[row["name"]] = ZooModel(**row)
    return found

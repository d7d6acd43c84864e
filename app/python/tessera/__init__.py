"""Explore accelerator choice, placement and model partitioning: Tessera's engines from Python."""

from pathlib import Path as _Path

from . import _core
from ._errors import DataError, Error, FileError, Finish, InfeasibleError, UsageError
from ._hardware import Hardware, HardwareEntry
from ._history import History, history
from ._model import Model, ZooModel, zoo_models
from ._objective import Objective, Range, Variable, objective
from ._result import Explanation, Metric, Picture, Result
from ._run import Progress, explore, run
from ._study import Engine, Estimate, Parameter, Study, engines, parameters, studies, study

# PREFIX/lib/python3.x/dist-packages/tessera/__init__.py: the files of data/ are in PREFIX/share/tessera.
_core.set_prefix(str(_Path(__file__).resolve().parent.parent.parent.parent.parent))

__version__: str = _core.version

__all__ = [
    "DataError",
    "Engine",
    "Error",
    "Estimate",
    "Explanation",
    "FileError",
    "Finish",
    "Hardware",
    "HardwareEntry",
    "History",
    "InfeasibleError",
    "Metric",
    "Model",
    "Objective",
    "Parameter",
    "Picture",
    "Progress",
    "Range",
    "Result",
    "Study",
    "UsageError",
    "Variable",
    "ZooModel",
    "engines",
    "explore",
    "history",
    "objective",
    "parameters",
    "run",
    "studies",
    "study",
    "zoo_models",
]

"""The example notebook, cell after cell, as Jupyter runs them."""

import ast
import json

import pytest
from conftest import SOURCE

NOTEBOOKS = sorted((SOURCE / "app/python/examples").glob("*.ipynb"))


def shown(cell, names):
    """Runs a cell. Returns the value of its last line, where that is an expression."""
    parsed = ast.parse("".join(cell["source"]))
    last = parsed.body.pop() if parsed.body and isinstance(parsed.body[-1], ast.Expr) else None
    exec(compile(parsed, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_there_is_one():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_shows_something(path):
    notebook = json.loads(path.read_text())
    assert notebook["nbformat"] == 4
    names = {}
    views = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            assert cell["cell_type"] == "markdown" and "".join(cell["source"]).strip()
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None, "outputs are left to who runs it"
        value = shown(cell, names)
        for view in ("_repr_html_", "_repr_svg_"):
            if hasattr(value, view):
                views.append(view)
                assert getattr(value, view)().startswith("<")
    assert {"_repr_html_", "_repr_svg_"} <= set(views)

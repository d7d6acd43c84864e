"""Stubs are in step with the package and the tables of its engines."""

import ast
import inspect
import pathlib
import subprocess
import sys

import pytest
from conftest import SOURCE

import tessera

PACKAGE = pathlib.Path(tessera.__file__).parent
STUBS = ast.parse((PACKAGE / "__init__.pyi").read_text())


def named(name):
    return [node for node in STUBS.body if getattr(node, "name", None) == name]


def test_the_build_tree_has_the_stubs_of_these_sources(tmp_path):
    for file in (SOURCE / "app/python/tessera").glob("*.py"):
        assert (PACKAGE / file.name).read_text() == file.read_text()
    folder = tmp_path / "tessera"
    folder.mkdir()
    for file in PACKAGE.iterdir():
        if file.is_file():
            (folder / file.name).symlink_to(file) if file.suffix == ".so" else (folder / file.name).write_bytes(file.read_bytes())
    subprocess.run([sys.executable, SOURCE / "app/python/stubs.py", folder / "__init__.pyi"], check=True)
    assert (folder / "__init__.pyi").read_text() == (PACKAGE / "__init__.pyi").read_text()
    assert (PACKAGE / "py.typed").exists()


@pytest.mark.parametrize("name", tessera.__all__)
def test_every_public_name_has_a_stub_with_its_docstring(name):
    stubs = named(name)
    assert stubs, f"{name} has no stub"
    value = getattr(tessera, name)
    assert inspect.getdoc(value)
    if not inspect.isclass(value):
        return
    (stub,) = stubs
    assert ast.get_docstring(stub)
    members = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    public = {each for each, member in vars(value).items() if not each.startswith("_") and not each.isupper()
              and (inspect.isfunction(member) or isinstance(member, (property, staticmethod, classmethod)))}
    assert public <= members
    for node in stub.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), f"{name}.{node.name} has no docstring"
            assert node.returns is not None, f"{name}.{node.name} does not say what it returns"


@pytest.mark.parametrize("engine", list(tessera.engines()))
def test_studies_of_every_engine_have_their_parameters(engine):
    for stub in named("study"):
        first = stub.args.args[0].annotation
        if ast.unparse(first) == f"Literal[{engine!r}]":
            break
    else:
        pytest.fail(f"there is no stub of studies of {engine}")
    keywords = {argument.arg: ast.unparse(argument.annotation) for argument in stub.args.kwonlyargs}
    for name, row in tessera.parameters(engine).items():
        assert name in keywords
        for word in row.words:
            assert repr(word) in keywords[name]
        assert row.help in " ".join(ast.get_docstring(stub).split("\n"))
    if tessera.engines()[engine].models != "none":
        assert {"model", "models"} <= set(keywords)

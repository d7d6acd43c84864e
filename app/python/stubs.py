#!/usr/bin/env python3
"""Writes the stubs of the package `tessera`: its sources without what functions do, and `study` once for every engine.

    stubs.py PACKAGE/__init__.pyi

The package must be built: what engines take is what it says.
"""

import ast
import keyword
import sys
from pathlib import Path

HEAD = '''"""Stubs, written by the build from the package and from the tables of its engines."""

import os
from dataclasses import dataclass
from typing import (Any, Callable, Dict, FrozenSet, Iterable, Iterator, List, Literal, Mapping, NamedTuple, Optional,
                    Sequence, Tuple, Union, overload)

__version__: str
'''

ENDED = ast.Expr(ast.Constant(...))


def is_public(name):
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__") and name != "__slots__") or (
        name.startswith("_repr_"))


def docstring(text, indent):
    """A docstring whose further lines stand below its first."""
    return ast.Expr(ast.Constant(("\n" + " " * indent).join(text.split("\n")).replace(" " * indent + "\n", "\n")))


def without_body(function, indent=4):
    """A function with its docstring alone."""
    document = ast.get_docstring(function)
    function.body = [docstring(document, indent)] if document else [ENDED]
    function.args.defaults = [each if isinstance(each, ast.Constant) else ENDED.value
                              for each in function.args.defaults]
    function.args.kw_defaults = [each if each is None or isinstance(each, ast.Constant) else ENDED.value
                                 for each in function.args.kw_defaults]
    return function


def class_stub(node):
    kept = []
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and is_public(each.name):
            kept.append(without_body(each, 8))
        elif isinstance(each, ast.AnnAssign) and is_public(each.target.id):
            # Defaults of fields count for constructors; which they are does not.
            each.value = each.value and ENDED.value
            kept.append(each)
    if document := ast.get_docstring(node):
        kept.insert(0, docstring(document, 4))
    node.body = kept or [ENDED]
    return node


def is_alias(node):
    """A name for a type."""
    return (isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript)
            and isinstance(node.value.value, ast.Name) and node.value.value.id in ("Union", "Callable"))


def module_stubs(path, public):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef) and node.name in public:
            yield ast.unparse(class_stub(node))
        elif isinstance(node, ast.FunctionDef) and node.name in public and node.name != "study":
            yield ast.unparse(without_body(node))
        elif is_alias(node) and is_public(node.targets[0].id):
            yield ast.unparse(node)


def type_of(row):
    """The type of what a parameter may be given as; None is its default."""
    words = f"Literal[{', '.join(repr(word) for word in row.words)}]" if row.words else "str"
    return {
        "float": "Union[float, str, None]",
        "int": "Optional[int]",
        "str": f"Optional[{words}]",
        "bool": "Optional[bool]",
        "str or float": f"Union[float, {words}, str, None]",
        "list of str": f"Union[Sequence[{words}], str, None]",
        "list of float": "Union[Sequence[Union[float, str]], str, None]",
        "dict of str": f"Optional[Mapping[str, {words}]]",
        "dict of float": f"Optional[Mapping[{words if row.words else 'Any'}, Union[float, str]]]",
    }.get(row.type, "Union[Mapping[str, Any], Sequence[Any], str, os.PathLike[str], None]")


INPUT = {"models": "Model", "workloads": "str", "hardware": "Hardware"}


def overload_of(engine, words):
    """`study` for an engine, with its inputs and parameters."""
    keywords = []
    for word, kind in words.items():
        one = f"Union[str, os.PathLike[str], {INPUT[kind]}]"
        keywords.append(f"{word}: Union[{one}, Sequence[{one}]] = ...")
    keywords += ["dimensions: Mapping[str, int] = ...", "seed: Optional[int] = ...", "name: str = ..."]
    lines = [engine.description, ""]
    for row in engine.parameters.values():
        if row.name.isidentifier() and not keyword.iskeyword(row.name):
            keywords.append(f"{row.name}: {type_of(row)} = ...")
        lines.append(f"{row.name}: {row.help}; {row.expected}" + (f", in {row.unit}" if row.unit else ""))
    source = f"@overload\ndef study(engine: Literal[{engine.id!r}], *, {', '.join(keywords)}) -> Study: ..."
    function = ast.parse(source).body[0]
    function.body = [docstring("\n".join(lines), 4)]
    return ast.unparse(function)


def stubs(package):
    sys.path[0] = str(package.parent)
    import tessera
    from tessera import _study
    parts = [HEAD]
    for node in ast.parse((package / "__init__.py").read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            parts += module_stubs(package / f"{node.module}.py", set(tessera.__all__))
    parts += [overload_of(engine, _study.input_words(engine)) for engine in tessera.engines().values()]
    parts.append(f"__all__ = {tessera.__all__!r}")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.write_text(stubs(target.resolve().parent))

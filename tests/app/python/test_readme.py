"""What the README and the guide show of the package works as it stands there."""

import re

import pytest
from conftest import SOURCE

PAGES = ["README.md", "resources/guide/python.md"]
TEXT = "\n".join((SOURCE / page).read_text() for page in PAGES)
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
EXAMPLES = [block for block in BLOCKS if "import tessera" in block]


def test_there_are_examples():
    assert len(EXAMPLES) >= 2


@pytest.mark.parametrize("block", EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_runs(block, home, capsys):
    for name in re.findall(r"^import (\w+)", block, re.MULTILINE):
        pytest.importorskip(name)
    exec(compile(block, "example", "exec"), {})
    if "save(" in block:
        assert capsys.readouterr().out.strip()
        assert (home / "memory.svg").exists() and (home / "plan.html").exists() and (home / "mine.db").exists()

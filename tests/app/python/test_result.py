"""Results: numbers, tables, pictures, documents."""

import importlib
import json
import pickle
import sys
import types
import xml.etree.ElementTree

import pytest
from conftest import SMALL, command

import tessera

ENGINES = list(SMALL)


@pytest.mark.parametrize("engine", ENGINES)
def test_everything_of_every_engines_result_can_be_had(results, engine):
    result = results[engine]
    assert result.study.engine == engine
    assert result.headline and "\n" not in result.headline
    assert result.headline in repr(result)
    assert result.metrics and all(isinstance(value, float) for value in result.metrics.values())
    for name, value in result.metrics.items():
        metric = result.metric(name)
        assert (metric.name, float(metric)) == (name, value) and metric.title and metric.text
        assert metric.better in ("lower", "higher", "neither")
    assert result.tables and result.pictures
    for name in result.tables:
        for exact in (True, False):
            rows = result.table(name, exact=exact, pandas=False)
            assert isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    for name, title in result.pictures.items():
        picture = result.picture(name)
        assert picture.id == name and title in picture.title
        for theme in ("light", "dark"):
            assert xml.etree.ElementTree.fromstring(picture.svg(theme)).tag.endswith("svg")
        assert picture._repr_svg_() == picture.svg()
    assert result.table() is not None and result.picture().id in result.pictures
    assert result.document["schema"] == tessera.engines()[engine].result_schema
    assert set(result.tables) <= set(tessera.engines()[engine].tables)
    assert set(result.pictures) <= set(tessera.engines()[engine].pictures)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_result_can_be_sent_and_read_back(results, engine):
    result = results[engine]
    copy = pickle.loads(pickle.dumps(result))
    assert copy == result and copy.headline == result.headline and copy.metrics == result.metrics
    assert tessera.Result.read(result.study, result.document) == result
    assert copy.picture().svg() == result.picture().svg()


def test_metrics_are_those_of_the_table_and_the_document(partition):
    rows = partition.table("metrics", pandas=False)
    assert {row["metric"]: row["value"] for row in rows} == pytest.approx(partition.metrics)
    best = partition.metric("step_time_s")
    assert best.unit == "s" and best.better == "lower" and best.text.endswith("s") and best.owner == ""
    assert partition.metric("accpar/step_time_s").owner == "accpar"
    with pytest.raises(tessera.UsageError, match="did you mean 'step_time_s'"):
        partition.metric("step_time")


def test_a_number_is_explained(partition):
    found = partition.explain("step_time_s")
    assert found.formula and found.source and found.terms
    assert {"name", "value", "where_from"} == set(found.terms[0])
    with pytest.raises(tessera.UsageError, match="explanation"):
        partition.explain("nothing")


def test_choices_choose_what_is_shown(partition):
    best, other = partition.choices[0], partition.choices[-1]
    assert best != other
    name = next(name for name in partition.pictures if partition.picture(name, best).title.endswith(best))
    assert partition.picture(name, other).title.endswith(other)
    with pytest.raises(tessera.UsageError, match="expected one of"):
        partition.picture(name, "nobody")
    with pytest.raises(tessera.UsageError, match="expected one of"):
        partition.table("nothing")
    with pytest.raises(tessera.UsageError, match="expected one of"):
        partition.picture("nothing")


def test_tables_have_all_digits_or_are_for_people(results):
    plan = results["plan"]
    exact = plan.table("configurations", pandas=False)
    assert exact[0]["step_time_s"] == plan.metrics["step_time_s"] and exact[0]["rank"] == 1
    shown = plan.table("configurations", exact=False, pandas=False)
    assert shown[0]["step"] == plan.metric("step_time_s").text and shown[0]["rank"] == 1


class Frame:
    """What the package uses of pandas."""

    def __init__(self, columns):
        self.columns = columns


def test_tables_are_frames_where_pandas_is_installed(results, monkeypatch):
    plan = results["plan"]
    fake = types.ModuleType("pandas")
    fake.DataFrame = Frame
    monkeypatch.setitem(sys.modules, "pandas", fake)
    frame = plan.table()
    assert isinstance(frame, Frame)
    assert frame.columns["step_time_s"][0] == plan.metrics["step_time_s"]
    assert isinstance(plan.table(pandas=False), list)
    model = tessera.Model.zoo("lenet5")
    assert len(model.layers.columns["name"]) == len(model.document["layers"])


def test_tables_are_lists_where_pandas_is_not(partition, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(partition.table(), list)
    with pytest.raises(ImportError):
        partition.table(pandas=True)


def test_tables_are_frames_of_pandas_itself(partition):
    pandas = pytest.importorskip("pandas")
    frame = partition.table("metrics")
    assert isinstance(frame, pandas.DataFrame) and frame["value"].dtype == float


def test_results_are_saved_by_their_suffix(partition, tmp_path):
    partition.save(tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text()) == partition.document
    partition.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")
    partition.save(tmp_path / "r.md")
    assert partition.headline.split(" ")[0] in (tmp_path / "r.md").read_text()
    partition.save(tmp_path / "r.pdf")
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(tessera.UsageError, match="expected .json, .html, .md or .pdf"):
        partition.save(tmp_path / "r.txt")
    with pytest.raises(tessera.FileError):
        partition.save(tmp_path / "no" / "r.json")


def test_pictures_are_saved_by_their_suffix(partition, tmp_path):
    picture = partition.picture()
    for suffix, begin in ((".svg", b"<svg"), (".csv", None), (".pdf", b"%PDF"), (".png", b"\x89PNG")):
        picture.save(tmp_path / f"p{suffix}")
        content = (tmp_path / f"p{suffix}").read_bytes()
        assert content and (begin is None or content.startswith(begin))
    assert (tmp_path / "p.csv").read_bytes() == picture.csv().encode()
    with pytest.raises(tessera.UsageError, match="expected .svg, .png, .pdf or .csv"):
        picture.save(tmp_path / "p.bmp")
    with pytest.raises(tessera.UsageError, match="expected light or dark"):
        picture.svg("blue")


def test_a_drawing_has_no_numbers(results):
    plan = results["plan"]
    with pytest.raises(tessera.UsageError, match="drawing"):
        plan.picture("cluster").csv()


def test_notebooks_show_the_run_as_a_report_does(partition, tmp_path):
    html = partition._repr_html_()
    assert html.startswith('<div class="tessera-report">') and html.rstrip().endswith("</div>")
    assert "<svg" in html and "<table>" in html and partition.headline.split(" · ")[0] in html
    assert "<body" not in html and "\nbody{" not in html and ".tessera-report table{" in html
    page = html[html.index("</style>") + len("</style>") :].rsplit("</div>", 1)[0].strip()
    partition.save(tmp_path / "r.html")
    report = (tmp_path / "r.html").read_text()
    said = [line for line in page.splitlines() if line.startswith(("<p>", "<td>", "<tr><td>"))]
    assert len(said) >= 5 and all(line in report for line in said)


def test_files_of_other_programs(results):
    files = results["plan"].file("megatron-lm", "out/plan.sh")
    assert list(files) == ["out/plan.sh"] and b"--tensor-model-parallel-size" in files["out/plan.sh"]
    assert "megatron-lm" in results["plan"].files
    with pytest.raises(tessera.UsageError):
        results["partition"].file()


def test_the_text_is_that_of_the_command_line(partition):
    words = ["--model", "zoo:alexnet", "--fleet", "accpar-homogeneous", "--batch", "256"]
    assert partition.text == command("partition", *words)


def test_importing_the_package_does_not_import_pandas():
    importlib.import_module("tessera")
    import subprocess

    done = subprocess.run([sys.executable, "-c", "import tessera, sys; sys.exit('pandas' in sys.modules)"])
    assert done.returncode == 0

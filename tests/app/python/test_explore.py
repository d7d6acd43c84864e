"""Explorations, where the program has their engine."""

import pytest
from conftest import SMALL

import tessera

HAS_ENGINE = "explore" in tessera.engines()


@pytest.mark.skipif(HAS_ENGINE, reason="this version has the engine")
def test_without_the_engine_it_is_said_which_there_are():
    with pytest.raises(tessera.UsageError, match="no engine 'explore'.*partition"):
        tessera.explore({"base": {}})


@pytest.mark.skipif(not HAS_ENGINE, reason="this version has no engine for explorations")
def test_what_is_no_exploration_is_refused():
    with pytest.raises(tessera.UsageError, match="no exploration"):
        tessera.explore(tessera.study("partition", **SMALL["partition"]))


@pytest.mark.skipif(not HAS_ENGINE, reason="this version has no engine for explorations")
def test_every_bundled_exploration_runs():
    for name in tessera.studies():
        study = tessera.Study.load(name)
        if study.engine != "explore":
            continue
        result = tessera.explore(study)
        assert result.headline and result.table() is not None and result.pictures
        assert tessera.explore(study.document) == result

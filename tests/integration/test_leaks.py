"""The search for leaks, on the sample story in the real engines: none under the guard, many without it."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.leak_books import Book, Kind, TrueChapter
from benchmarks.leak_forms import FILES, FOLDERS, written
from benchmarks.leak_hunt import Hunt, overheard
from benchmarks.leak_summaries import write_summaries
from benchmarks.leaks import hunted
from graph.builder import build_graph
from tests.fakes import FakeEmbedder
from tools.records import SummaryFilter
from wenmai.agent import Agent
from wenmai.app import sample
from wenmai.app.container import Services
from wenmai.checkpoints.sqlite import open_checkpoints
from wenmai.ingestion.contracts import Stores
from wenmai.ingestion.pipeline import ingest
from wenmai.ingestion.source_bundle import IngestRequest
from wenmai.ingestion.sources.loaders import load
from wenmai.settings.settings import load_settings

HEADING = re.compile(r"^第[一二三四五六七八九]+([部章]) \S{2,8}$", re.MULTILINE)
QUESTIONS = {True: 14, False: 3}
STORY = (
    TrueChapter(part=1, number=1, title="Chapter 1: The Quay", text="Anna Pell mended the old net in the rain."),
    TrueChapter(part=1, number=2, title="Chapter 2: The Lamp", text="Then Osric Vane carried the lamp to the tower."),
)


class Words(FakeEmbedder):
    """The fake as a service of a process."""

    async def close(self) -> None:
        """Nothing is open."""


def sample_book(names: list[str]) -> Book:
    """Return the sample with a guard at a third of it."""
    text = (sample.sample_folder() / sample.STORY).read_text("utf-8")
    found, chapters, part, number = list(HEADING.finditer(text)), list[TrueChapter](), 0, 0
    for at, one in enumerate(found):
        if one[1] == "部":
            part, number = part + 1, 0
            continue
        number += 1
        end = found[at + 1].start() if at + 1 < len(found) else len(text)
        chapters.append(TrueChapter(part=part, number=number, title=one[0], text=text[one.end() : end]))
    assert [(one.part, one.number) for one in chapters[7:9]] == [(1, 8), (2, 1)] and len(chapters) == 17
    return Book("雾港纪事", chapters, names, len(chapters) // 3)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("leaks")


@pytest.fixture
async def heard() -> list[object]:
    """What the mind is asked."""
    return []


@pytest.fixture
async def agent(data: Path, heard: list[object]) -> AsyncIterator[Agent]:
    services = Services(load_settings(data_dir=data / "data", trace_dir=data / "traces", use_mock_llm=True))
    services.__dict__["embedder"] = Words()  # where cached_property keeps it
    folder = sample.sample_folder()
    request = IngestRequest(
        path=folder / sample.STORY,
        library="sample",
        aliases=folder / sample.ALIASES,
        graph_files=tuple(folder / name for name in sample.GRAPH),
    )
    stores = Stores(passages=services.passages, graph=services.graph, catalog=services.catalog)
    try:
        await ingest(request, stores=stores, embedder=services.embedder)
        async with open_checkpoints(services.settings.data_dir) as checkpoints:
            parts = services.assembly.dependencies()
            graph = build_graph(replace(parts, mind=overheard(parts.mind, heard)), checkpoints)
            yield Agent(services, graph, checkpoints)
    finally:
        await services.close()


async def compared(agent: Agent, heard: list[object], *, is_guarded: bool) -> Hunt:
    """Ask the sample and compare what is seen."""
    names = [one.text for one in await agent.services.graph.names("sample", None)]
    hunt = Hunt(sample_book(names), "sample", is_guarded)
    writer = await write_summaries(agent.services, hunt)
    assert writer.told > 50 or await agent.services.catalog.summaries("sample", SummaryFilter())
    await hunted(agent, hunt, QUESTIONS[is_guarded], heard)
    return hunt


async def test_no_leak_under_the_guard(agent: Agent, heard: list[object]) -> None:
    """STO-19 STO-98: nothing that a user or a model sees tells more than the first third of the story.

    Nor do summaries and descriptions by a model that tells what comes.
    """
    hunt = await compared(agent, heard, is_guarded=True)
    assert hunt.leaks == []
    assert hunt.questions > QUESTIONS[True] and hunt.compared > 4_000 and hunt.summaries > 10


@pytest.mark.costly
async def test_without_the_guard_the_search_finds_leaks(agent: Agent, heard: list[object]) -> None:
    hunt = await compared(agent, heard, is_guarded=False)
    assert len(hunt.leaks) > 1_000
    assert {leak.kind for leak in hunt.leaks} >= {"sentence", "words", "name", "title", "place"}


LINES = ("The rain came in from the sea.", "Nobody was on the quay but a boy.", "He counted the boats and went home.")
TOLD = Book(
    "quay",
    [TrueChapter(part=1, number=at, title=f"The {name}", text="\n".join(f"{line} {name}." for line in LINES))
     for at, name in enumerate(("Quay", "Lamp", "Ferry"), 1)],
    [],
    1,
)  # fmt: skip


@pytest.mark.parametrize("form", [*FILES, *FOLDERS])
def test_a_book_in_each_form(tmp_path: Path, form: str) -> None:
    """STO-19: it has its chapters in all of them, each with its own text."""
    chapters = load(written(tmp_path, TOLD, tmp_path / "quay", form))
    assert [one.number for one in chapters] == [1, 2, 3]
    for one, true in zip(chapters, TOLD.chapters, strict=True):
        assert all(line in one.text for line in LINES)
        own = [other.title for other in TOLD.chapters if f"{LINES[0]} {other.title.removeprefix('The ')}." in one.text]
        assert own == [true.title]


@pytest.mark.parametrize(
    ("text", "typed", "kinds"),
    [
        ("Anna Pell mended the old net.", "", set()),
        ("he carried the lamp to the tower.", "", set()),
        ("Then Osric Vane carried the lamp to the tower, it is said.", "", {"words", "name"}),
        ("Then Osric Vane carried the lamp to the tower.", "", {"sentence", "words", "name"}),
        ("I do not know Osric Vane.", "Who is Osric Vane?", set()),
        ("see chapter 2: the lamp", "", {"title", "place"}),
        ("chapter 2 is not known", "What happens in chapter 2?", set()),
        ("2 chapters", "", {"count"}),
        ("1 chapters", "", set()),
    ],
)
def test_what_counts_as_a_leak(text: str, typed: str, kinds: set[Kind]) -> None:
    book = Book("quay", STORY, ["Anna Pell", "Osric Vane"], 1)
    assert {leak.kind for leak in book.leaks(text, typed, "here")} == kinds


@pytest.mark.parametrize(
    ("record", "kinds"),
    [
        ({"chapter": 1, "part": 1}, set()),
        ({"evidence": [{"chapter": 2, "part": 1}]}, {"place"}),
        ({"chapter": 1, "part": 2}, {"place"}),
        ({"args": {"chapter_filter": [2, 2], "chapter": 2}, "as_of": {"part": 1, "chapter": 2}}, set()),
        ({"result": '{"rows": [{"entities": ["Osric Vane"]}]}'}, {"name"}),
        ({"Osric Vane": 3}, {"name"}),
    ],
)
def test_what_counts_as_a_leak_of_a_record(record: dict[str, object], kinds: set[Kind]) -> None:
    book = Book("quay", STORY, ["Anna Pell", "Osric Vane"], 1)
    assert {leak.kind for leak in book.leaks_of_record(record, "", "here", set())} == kinds

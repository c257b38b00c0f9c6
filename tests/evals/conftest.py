"""The sample libraries, ingested once a session with the real engines and embedder, and asked every question."""

import asyncio
from pathlib import Path

import pytest

from wenmai.agent import open_agent
from wenmai.app import sample
from wenmai.app.container import Services
from wenmai.experiments.questions import ExpectedTalk, load_aliases, load_questions, load_sessions
from wenmai.experiments.runner import TurnOutcome, run
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.settings.settings import Settings, load_settings

ENGLISH = sample.SAMPLES["en"]


async def ingested(services: Services, library: str, story: Path, aliases: Path, graph: list[Path]) -> None:
    request = IngestRequest(path=story, library=library, aliases=aliases, graph_files=tuple(graph))
    await ingest(request, stores=services.stores, embedder=services.embedder, tagger=services.reader)


async def asked(services: Services, library: str, talks: list[ExpectedTalk], aliases: Path) -> list[TurnOutcome]:
    async with open_agent(services.settings) as agent:
        return [o async for o in run(agent, talks, load_aliases(aliases), context={"library": library})]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("evals")


def settings(folder: Path) -> Settings:
    return load_settings(data_dir=folder / "data", trace_dir=folder / "traces")


def outcomes(
    folder: Path, library: str, story: str, aliases: str, graph: tuple[str, ...], talks: list[ExpectedTalk]
) -> list[TurnOutcome]:
    """Ingest a story and return what was answered."""
    source = sample.sample_folder()

    async def measured() -> list[TurnOutcome]:
        services = Services(settings(folder))
        try:
            await ingested(services, library, source / story, source / aliases, [source / name for name in graph])
        finally:
            await services.close()
        return await asked(services, library, talks, source / aliases)

    return asyncio.run(measured())


@pytest.fixture(scope="session")
def chinese(folder: Path) -> list[TurnOutcome]:
    """Every question and conversation of the sample story."""
    source = sample.sample_folder()
    talks = load_questions(source / sample.QUESTIONS) + load_sessions(source / sample.SESSIONS)
    return outcomes(folder, sample.LIBRARY, sample.STORY, sample.ALIASES, sample.GRAPH, talks)


@pytest.fixture(scope="session")
def english(folder: Path) -> list[TurnOutcome]:
    """Every question of the English story."""
    talks = load_questions(sample.sample_folder() / ENGLISH.questions)
    return outcomes(folder, ENGLISH.library, ENGLISH.story, ENGLISH.aliases, ENGLISH.graph, talks)

"""Ingests of small and large texts by a model, on fakes or on the embedded engines."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nodes.checking.draft_check import DraftCheck
from tests.fakes import FakeCatalog, FakeEmbedder, FakePassageStore, FakeStoryGraph
from tests.gemini.space import LOOPBACK_EMBEDDER, LOOPBACK_MODEL, Gemini, Space
from tools.ports import Embedder, PassageStore, StoryGraph
from tools.records import Passage, PassageFilter
from wenmai.ingestion.contracts import CatalogWriter, IngestReport, Receipt, Stores
from wenmai.ingestion.library.changes import delete_source
from wenmai.ingestion.model.budget import Purse
from wenmai.ingestion.model.reading import ReadingOptions
from wenmai.ingestion.model.summaries import SummaryOptions
from wenmai.ingestion.pipeline import IngestRequest, ingest
from wenmai.language.segmenting import cut
from wenmai.minds.model.client import ModelEndpoint, ModelSettings
from wenmai.minds.model.embedder import GeminiEmbedder
from wenmai.minds.model.extractor import ModelExtractor
from wenmai.minds.model.patience import Patience
from wenmai.minds.model.providers import provider_of
from wenmai.stores.catalog.catalog import SqliteCatalog
from wenmai.stores.catalog.model_cache import SqliteAnswers
from wenmai.stores.edge.passages import EdgePassageStore
from wenmai.stores.graph.ladybug import LadybugEngine
from wenmai.stores.graph.store import StoryGraphStore

LIBRARY = "lib"
QUICK = Patience(attempts=3, first_s=0.01, longest_s=0.05)
DIMENSION = 64
ALONE = 1
"""A size of calls that leaves each piece one of its own."""


@dataclass
class World:
    """Stores, the real client, and the folder of sources."""

    folder: Path
    gemini: Space
    passages: PassageStore
    graph: StoryGraph
    catalog: CatalogWriter
    answers: SqliteAnswers
    embedder: Embedder
    extractor: ModelExtractor
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def stores(self) -> Stores:
        return Stores(passages=self.passages, graph=self.graph, catalog=self.catalog, answers=self.answers)

    def by_gemini(self, at_a_time: int = 3, call_size: int = ALONE) -> ReadingOptions:
        return ReadingOptions(answers=self.answers, reader=self.extractor, at_a_time=at_a_time, call_size=call_size)

    def as_kept(self) -> ReadingOptions:
        """What a run without --mind does."""
        return ReadingOptions(answers=self.answers)

    def summaries(self, *, writes: bool = True) -> SummaryOptions:
        """Who writes summaries, checked without the trained reader."""
        check = DraftCheck(lambda: None, cut).sound_sentences
        return SummaryOptions(answers=self.answers, check=check, writer=self.extractor if writes else None, at_a_time=3)

    async def ingest(
        self,
        source: str | Path,
        reading: ReadingOptions | None,
        name: str = "书.txt",
        summaries: SummaryOptions | None = None,
        purse: Purse | None = None,
        **more: Any,
    ) -> IngestReport:
        path = source if isinstance(source, Path) else self.folder / name
        if isinstance(source, str):
            path.write_text(source, encoding="utf-8")
        return await ingest(
            IngestRequest(path=path, library=LIBRARY, **more),
            stores=self.stores,
            embedder=self.embedder,
            reading=reading,
            summaries=summaries,
            purse=purse,
        )

    async def rows(self) -> list[Passage]:
        return await self.passages.scroll(LIBRARY, PassageFilter())

    async def delete(self, task: str) -> Receipt:
        return await delete_source(LIBRARY, task, self.stores)

    async def state(self) -> dict[str, object]:
        """Everything that a library tells: passages, names, relations, events."""
        names = await self.graph.names(LIBRARY, None)
        entities = sorted({name.entity for name in names})
        return {
            "passages": await self.rows(),
            "names": names,
            "entities": [await self.graph.entity(LIBRARY, name, None) for name in entities],
            "relations": [await self.graph.relations(LIBRARY, name, None) for name in entities],
            "events": [await self.graph.events(LIBRARY, name, None, None) for name in entities],
        }


def settings() -> ModelSettings:
    return ModelSettings(id=LOOPBACK_MODEL, variable="EXTRACTOR_MODEL", prefix="EXTRACTOR", thinking="low")


@asynccontextmanager
async def on_fakes(folder: Path, gemini: Space) -> AsyncIterator[World]:
    """Fakes but for the client and what it answered."""
    provider = provider_of(ModelEndpoint(provider=gemini.provider, key=gemini.key, base_url=gemini.url, timeout_s=120))
    answers = SqliteAnswers(folder / "data")
    (folder / "data" / LIBRARY).mkdir(parents=True, exist_ok=True)
    yield World(
        folder, gemini, FakePassageStore(), FakeStoryGraph(), FakeCatalog(), answers, FakeEmbedder(),
        ModelExtractor(provider, settings(), QUICK),
    )  # fmt: skip
    await provider.close()
    await answers.close()


@asynccontextmanager
async def embedded(folder: Path, gemini: Gemini, dimension: int = DIMENSION) -> AsyncIterator[World]:
    """The embedded engines, with vectors of the loopback service."""
    data = folder / "data"
    endpoint = ModelEndpoint(key=gemini.key, base_url=gemini.url, timeout_s=120)
    provider = provider_of(endpoint)
    embedder = GeminiEmbedder(endpoint, LOOPBACK_EMBEDDER, dimension, QUICK)
    stores = EdgePassageStore(data), StoryGraphStore(LadybugEngine(data)), SqliteCatalog(data), SqliteAnswers(data)
    yield World(folder, gemini, *stores, embedder, ModelExtractor(provider, settings(), QUICK))
    for store in stores:
        await store.close()
    await embedder.close()
    await provider.close()

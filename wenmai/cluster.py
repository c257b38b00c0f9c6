"""A Ray cluster as the engine and the embedder of an ingest: started here, or one that runs already (RAY_ADDRESS).

Ray is imported by name: types are checked alike with and without it.
"""

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from tools.errors import ConfigError, IngestError, short_reason
from tools.messages import Message, Names
from tools.ports import Embedder
from wenmai.embedders.local import local_embedder
from wenmai.ingestion.chapter_reader import ChapterReader, ChapterResult
from wenmai.ingestion.passages import PlacedChapter
from wenmai.settings.models import EmbeddingGroup
from wenmai.settings.settings import Settings, load_settings

EMBEDDER_SETTINGS = tuple(EmbeddingGroup.model_fields)


class ChapterWorker:
    """One process with one thread of the embedder."""

    def __init__(self, settings: Mapping[str, object], reader: ChapterReader) -> None:
        """Take the settings of the embedder, where the machine's own do not count, and what an ingest reads with."""
        self._embedder = local_embedder(load_settings(_env_file=None, **settings), threads=1)
        self._reader = reader

    async def embedder(self) -> str:
        """Load the embedder and return its identity: other files on this machine would make other vectors."""
        await self._embedder.open()
        return self._embedder.name

    async def read(self, placed: PlacedChapter) -> ChapterResult:
        return await self._reader.read(placed)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return await self._embedder.embed_passages(texts)


LOCAL = "local"
LOOPBACK = "127.0.0.1"
PER_WORKER = 2  # chapters under way: one is embedded while the one before it is written
RESTARTS = 3  # of a worker whose process or machine is lost, and tries of what it had under way
ANSWER_S = 10.0
STORE_BYTES = 128 * 2**20  # chapters and vectors pass through it, and stay nowhere
# Ray's node gives up where a helper of its own takes longer than 15 s to start, which no setting changes
# (ray-project/ray#65983): on a busy machine the next try finds its files in memory.
START_TRIES = 3
INIT_ERRORS = (ConnectionError, RuntimeError, ValueError, OSError)


@dataclass(slots=True)
class Worker:
    """An actor, and how many calls it has not answered yet."""

    actor: Any
    calls: int = 0


@dataclass(slots=True)
class RayCluster:
    """The Embedder port and the engine of an ingest over the workers of a cluster."""

    settings: Settings
    local: Embedder
    count: int
    workers: list[Worker] = field(default_factory=list)
    _sent: Any = None

    @property
    def name(self) -> str:
        return self.local.name

    @property
    def dimension(self) -> int:
        return self.local.dimension

    @property
    def at_a_time(self) -> int:
        """How many chapters are under way."""
        return PER_WORKER * self.count

    async def embed_query(self, text: str) -> list[float]:
        """Embed a search query; no ingest asks for one."""
        return await self.local.embed_query(text)

    def expect_queries(self, texts: Sequence[str]) -> None:
        """Do nothing: no ingest asks for queries."""

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed passages on a worker; a service is asked from here, for it does the work itself."""
        if self.settings.embeds_by_gemini:
            return await self.local.embed_passages(texts)
        vectors: list[list[float]] = await self._ask("embed", list(texts))
        return vectors

    async def prepare(self, reader: ChapterReader) -> None:
        """Start the workers with what an ingest reads with; one that is lost gets it again when it is restarted.

        Raises ConfigError where a worker's model is another one.
        """
        ray = import_module("ray")
        given = (
            {} if self.settings.embeds_by_gemini else {one: getattr(self.settings, one) for one in EMBEDDER_SETTINGS}
        )
        kind = ray.remote(ChapterWorker).options(num_cpus=1, max_restarts=RESTARTS, max_task_retries=RESTARTS)
        self._sent = await asyncio.to_thread(ray.put, reader)
        self.workers = [Worker(kind.remote(given, self._sent)) for _ in range(self.count)]
        if given:
            with errors():
                names = await asyncio.gather(*(worker.actor.embedder.remote() for worker in self.workers))
            if others := sorted(set(names) - {self.name}):
                raise ConfigError(Message("ray.other_embedder", others=Names(others), own=self.name))

    async def read(self, placed: PlacedChapter) -> ChapterResult:
        read: ChapterResult = await self._ask("read", placed)
        return read

    async def _ask(self, method: str, argument: object) -> Any:
        """Call the worker that has least to do."""
        worker = min(self.workers, key=lambda one: one.calls)
        worker.calls += 1
        try:
            with errors():
                return await getattr(worker.actor, method).remote(argument)
        finally:
            worker.calls -= 1


@asynccontextmanager
async def ray_cluster(settings: Settings, embedder: Embedder, workers: int | None) -> AsyncIterator[RayCluster]:
    """Join the cluster of RAY_ADDRESS, or start one here, and end what was started.

    Args:
        settings: name the address and the embedder.
        embedder: of this process; a service's is asked from here.
        workers: the processors of the cluster at most, which is the default: more would wait for one for ever.

    Raises:
        ConfigError: the extra is missing.
        IngestError: the cluster cannot be reached.
    """
    ray = await asyncio.to_thread(_joined, settings.ray_address, workers)
    try:
        processors = int(ray.cluster_resources().get("CPU", 1))
        yield RayCluster(settings, embedder, max(1, min(workers or processors, processors)))
    finally:
        await asyncio.to_thread(ray.shutdown)


def _joined(address: str | None, workers: int | None) -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # as Ray advises; else it warns
    try:
        ray = import_module("ray")
    except ImportError as error:
        raise ConfigError(Message("ray.not_installed")) from error
    options = {"include_dashboard": False, "log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        own = {"num_cpus": workers, "object_store_memory": STORE_BYTES, "_node_ip_address": LOOPBACK}
        started(ray, {**options, **own})
        return ray
    _require_answer(address)
    try:
        ray.init(address, **options)
    except INIT_ERRORS as error:
        raise IngestError(Message("ray.not_usable", address=address, reason=short_reason(error))) from error
    return ray


def started(ray: Any, options: Mapping[str, object]) -> None:
    """Start a cluster here, anew where its processes were late. Raises IngestError."""
    for tries in range(1, START_TRIES + 1):
        try:
            ray.init(LOCAL, **options)
            return
        except Exception as error:  # Ray says with this very class that it was late
            if type(error) is not Exception and not isinstance(error, INIT_ERRORS):
                raise
            if tries == START_TRIES:
                raise IngestError(Message("ray.not_started", tries=tries, reason=short_reason(error))) from error


def _require_answer(address: str) -> None:
    """Raise IngestError where nothing listens at an address: Ray itself waits for minutes."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not port.isdigit():  # "auto": Ray looks for a cluster of this machine
        return
    try:
        socket.create_connection((host, int(port)), timeout=ANSWER_S).close()
    except OSError as error:
        raise IngestError(Message("ray.not_reached", address=address, reason=error)) from error


@contextmanager
def errors() -> Iterator[None]:
    """Raise what a worker raised as it was raised there, and what Ray itself says as IngestError."""
    raised = import_module("ray.exceptions")
    try:
        yield
    except raised.RayTaskError as error:
        if isinstance(error.cause, Exception):
            raise error.cause from None
        raise IngestError(f"Ray：{short_reason(error)}") from error
    except raised.RayError as error:
        raise IngestError(Message("ray.worker_lost", reason=short_reason(error))) from error

